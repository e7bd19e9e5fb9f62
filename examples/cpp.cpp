// SPDX-License-Identifier: MIT
// A harbour in C++: components that own memory (std::string, std::unique_ptr, std::vector), loops
// over types, and a component that a C macro uses as well.
#include <kith/kith.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

// --- components ------------------------------------------------------------------------------

struct berth {
    int number;
};
struct label {
    std::string text;
};
struct hold {
    std::vector<std::string> goods;
};
struct captain { // a ship's captain cannot be copied
    std::unique_ptr<std::string> name;
};
struct sealed { // by the customs: an empty struct is a tag
};
struct harbour {
    std::string name;
};

template <> struct kith::component<berth> {
    static constexpr kith_component id   = 1;
    static constexpr const char    *name = "berth";
};
template <> struct kith::component<label> {
    static constexpr kith_component id   = 2;
    static constexpr const char    *name = "label";
};
template <> struct kith::component<hold> {
    static constexpr kith_component id   = 3;
    static constexpr const char    *name = "hold";
};
template <> struct kith::component<captain> {
    static constexpr kith_component id   = 4;
    static constexpr const char    *name = "captain";
};
template <> struct kith::component<sealed> {
    static constexpr kith_component id   = 5;
    static constexpr const char    *name = "sealed";
};
template <> struct kith::component<harbour> {
    static constexpr kith_component id   = 6;
    static constexpr const char    *name = "harbour";
    static constexpr kith_kind      kind = KITH_KIND_SINGLETON;
};

// The same component in C, as a C file of this program would declare it.
KITH_COMPONENT(berth, berth, 1);

// --- the harbour -----------------------------------------------------------------------------

static void print_ships(const kith::world &world)
{
    world.each<const berth, const label, const hold, kith::optional<const captain>>(
        [](const berth &b, const label &l, const hold &h, const captain *c) {
            std::printf("  berth %d: %-9s %s:", b.number, l.text.c_str(),
                        c == nullptr ? "no captain" : c->name->c_str());
            for (const std::string &what : h.goods) {
                std::printf(" %s", what.c_str());
            }
            std::printf("\n");
        });
}

static void on_leave(kith_world *world, const kith_notice *notice, void *)
{
    kith::world_ref harbour_world(world);
    std::printf("%s leaves\n", harbour_world.get<label>(notice->entity)->text.c_str());
}

int main()
{
    kith::world world;
    if (!world || !world.add_components<berth, label, hold, captain, sealed, harbour>()) {
        return 1;
    }
    world.set_single(harbour{ "Port Royal" });

    // values are moved into their rows
    kith_entity argo = world.create(berth{ 3 }, label{ "Argo" }, hold{ { "fleece", "oars" } });
    kith_entity dory = world.create(berth{ 1 }, label{ "Dory" }, hold{ { "herring" } });
    world.create(berth{ 2 }, label{ "Calypso" }, hold{ { "wine", "amphorae" } }, sealed{});
    world.set(argo, captain{ std::make_unique<std::string>("Jason") });
    std::printf("%s has %u ships\n", world.single<harbour>()->name.c_str(), world.count<label>());
    print_ships(world);

    // sorting moves rows, and each row is moved by its type's constructor
    world.sort<berth>([](const berth &a, const berth &b) { return a.number < b.number; });
    std::printf("by berth\n");
    print_ships(world);

    // one entity after the other; any change is legal
    world.each<hold, kith::without<sealed>>([](hold &h) { h.goods.push_back("rope"); });
    berth_on_remove(world, on_leave, nullptr);
    for (auto [ship, l] : world.view<const label>()) {
        if (l.text == "Calypso") {
            world.destroy(ship); // its strings stay until the loop is closed
            break;               // closes it
        }
    }

    // plain arrays, and the component that C knows, too
    for (auto [ships, b] : world.chunks<berth>()) {
        for (uint32_t i = 0; i < b.size(); i++) {
            b[i].number += 10;
        }
    }
    std::printf("dory is at berth %d\n", berth_get(world, dory)->number);
    print_ships(world);

    // a captain cannot be copied, so a world with one cannot be cloned
    captain jason = std::move(*world.mut<captain>(argo));
    world.remove<captain>(argo);
    kith::world copy            = world.clone();
    copy.mut<label>(dory)->text = "Dory II";
    std::printf("%s, and in the clone %s; %s stays ashore\n", world.get<label>(dory)->text.c_str(),
                copy.get<label>(dory)->text.c_str(), jason.name->c_str());
    return 0;
}
