// SPDX-License-Identifier: MIT
// <kith/kith.hpp>: components that own memory stay whole wherever rows move, and every form of a
// loop visits what the C cursor visits. Without cmocka, whose jumps would pass by destructors.
#include "kith/kith.hpp"

#include "kith/frames.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#if defined(__cpp_exceptions)
    #include <stdexcept>
#endif

#define CHECK(X)                                                                                   \
    do {                                                                                           \
        if (!(X)) {                                                                                \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #X);                           \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

// --- components ------------------------------------------------------------------------------

struct position {
    float x, y;
};
struct velocity {
    float x, y;
};
struct health {
    int points = 100; // a construct hook
};
struct label {
    std::string text;
};
struct engine { // move only; its string points into itself while it is short
    std::unique_ptr<int> power;
    std::string          make;
};
struct frozen {
};
struct hidden {
};
struct sealed { // no default value
    explicit sealed(int number_) : number(number_)
    {
    }
    std::string text = "sealed";
    int         number;
};
struct motto {
    std::string text;
};
struct turbine { // move only, requires engine
    std::unique_ptr<int> blades;
};

// Copying and constructing it fails while `broken`.
struct brittle {
    brittle()
    {
        fail();
    }
    explicit brittle(std::string text_) : text(std::move(text_))
    {
    }
    brittle(const brittle &other) : text(other.text)
    {
        fail();
    }
    brittle(brittle &&) noexcept   = default;
    brittle &operator=(brittle &&) = delete;
    ~brittle()                     = default;
    static void fail()
    {
#if defined(__cpp_exceptions)
        if (broken) {
            throw std::runtime_error("brittle");
        }
#endif
    }
    static inline bool broken = false;
    std::string        text;
};

// Knows where it is: rows that move as bytes break it.
struct tracked {
    tracked() : self(this)
    {
        alive++;
    }
    explicit tracked(int number_) : self(this), number(number_)
    {
        alive++;
    }
    tracked(const tracked &other) : self(this), number(other.number)
    {
        alive++;
        copied++;
    }
    tracked(tracked &&other) noexcept : self(this), number(other.number)
    {
        alive++;
    }
    tracked &operator=(const tracked &) = delete;
    ~tracked()
    {
        CHECK(self == this);
        self = nullptr;
        alive--;
    }
    bool whole() const
    {
        return self == this;
    }
    static inline long alive = 0, copied = 0;
    const tracked     *self;
    int                number = 0;
};

#define COMPONENT(TYPE, ID)                                                                        \
    template <> struct kith::component<TYPE> {                                                     \
        static constexpr kith_component id   = ID;                                                 \
        static constexpr const char    *name = #TYPE;                                              \
    }
COMPONENT(position, 1);
COMPONENT(velocity, 2);
COMPONENT(label, 3);
COMPONENT(engine, 4);
COMPONENT(frozen, 5);
COMPONENT(health, 8);
COMPONENT(sealed, 9);
COMPONENT(brittle, 10);
COMPONENT(tracked, 11);

template <> struct kith::component<hidden> {
    static constexpr kith_component id   = 6;
    static constexpr const char    *name = "hidden";
    static constexpr kith_kind      kind = KITH_KIND_FLAG;
};
static size_t write_motto(const void *value, void *bytes, size_t room, void *)
{
    const std::string &text = static_cast<const motto *>(value)->text;
    if (text.size() <= room) {
        std::memcpy(bytes, text.data(), text.size());
    }
    return text.size();
}
static bool read_motto(void *value, const void *bytes, size_t size, void *)
{
    static_cast<motto *>(value)->text.assign(static_cast<const char *>(bytes), size);
    return true;
}
static const kith_saver motto_saver = { write_motto, read_motto, nullptr };

template <> struct kith::component<motto> {
    static constexpr kith_component id   = 12;
    static constexpr const char    *name = "motto";
    static kith_traits              traits()
    {
        kith_traits traits{};
        traits.row_ticks       = true;
        traits.page_rows       = 16;
        traits.saved.form      = KITH_FORM_FUNCTIONS;
        traits.saved.functions = &motto_saver;
        return traits;
    }
};
static const kith_component turbine_needs[] = { 4 };
template <> struct kith::component<turbine> {
    static constexpr kith_component id   = 13;
    static constexpr const char    *name = "turbine";
    static kith_traits              traits()
    {
        kith_traits traits{};
        traits.required       = turbine_needs;
        traits.required_count = 1;
        return traits;
    }
};
struct sail { // can be copied, requires engine
    std::string colour;
};
template <> struct kith::component<sail> {
    static constexpr kith_component id   = 14;
    static constexpr const char    *name = "sail";
    static kith_traits              traits()
    {
        return kith::component<turbine>::traits();
    }
};
struct title {
    std::string text;
};
template <> struct kith::component<title> {
    static constexpr kith_component id   = 7;
    static constexpr const char    *name = "title";
    static constexpr kith_kind      kind = KITH_KIND_SINGLETON;
};

// The same components by the macros of C.
KITH_COMPONENT(position, position, 1);
KITH_COMPONENT_WITH(label, label, 3, kith::traits<label>());
KITH_TAG(frozen, 5);
KITH_FLAG(hidden, 6);
KITH_QUERY(movers_c, write(position), read(label), without(frozen));
KITH_GROUP(bodies, own(position), own(label));

// --- a world that counts ---------------------------------------------------------------------

struct memory {
    long       live = 0, calls = 0, fail_at = 0;
    kith_error error{}; // the latest one
};
static void keep_error(const kith_world *, const kith_error *error, void *context)
{
    static_cast<memory *>(context)->error = *error;
}
static void *allocate(void *context, size_t size, size_t alignment)
{
    memory *used = static_cast<memory *>(context);
    if (++used->calls == used->fail_at) {
        return nullptr;
    }
    used->live++;
    alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static void release(void *context, void *memory_, size_t, size_t)
{
    static_cast<memory *>(context)->live -= memory_ != nullptr;
    std::free(memory_);
}
static kith_world_desc describe_world(memory *used)
{
    kith_world_desc desc{};
    desc.allocator = { allocate, release, used };
    desc.on_error  = keep_error;

    desc.error_context = used;
    return desc;
}
static bool add_all(kith::world_ref world)
{
    return world.add_components<position, velocity, label, engine, frozen, hidden, title, health,
                                sealed, brittle, tracked, motto, turbine, sail>();
}

// Longer than what a std::string keeps in itself, and shorter.
static std::string text_of(int i)
{
    return (i % 2 == 0 ? "" : "a text that is too long for the string itself, number ") +
           std::to_string(i);
}

static bool is_valid(const kith_world *world)
{
    const char *reason = nullptr;
    bool        valid  = kith_world_validate(world, &reason);
    if (!valid) {
        std::fprintf(stderr, "%s\n", reason);
    }
    return valid;
}

struct fixture {
    memory      used;
    kith::world world;
    fixture() : world(describe_world(&used))
    {
        CHECK(world && add_all(world));
    }
    ~fixture()
    {
        CHECK(is_valid(world));
        world = kith::world(nullptr);
        CHECK(used.live == 0);
        CHECK(tracked::alive == 0);
    }
    fixture(const fixture &)            = delete;
    fixture &operator=(const fixture &) = delete;

    kith_entity ship(int i)
    {
        kith_entity made = world.create(position{ static_cast<float>(i), 0 }, label{ text_of(i) },
                                        engine{ std::make_unique<int>(i), text_of(i) }, tracked(i));
        CHECK(made != KITH_NULL);
        return made;
    }
    // Every ship has the values that ship(i) gave it.
    uint32_t whole()
    {
        uint32_t seen = 0;
        world.each<const position, const label, const engine, const tracked>(
            [&](const position &p, const label &l, const engine &e, const tracked &t) {
                int i = static_cast<int>(p.x);
                CHECK(l.text == text_of(i) && e.make == text_of(i) && *e.power == i);
                CHECK(t.whole() && t.number == i);
                seen++;
            });
        return seen;
    }
};

// --- values ----------------------------------------------------------------------------------

static void set_moves_the_value_into_its_row()
{
    fixture     f;
    kith_entity ship   = f.ship(1);
    int        *power  = f.world.get<engine>(ship)->power.get();
    long        copied = tracked::copied;

    engine second{ std::make_unique<int>(2), "two" };
    int   *other = second.power.get();
    CHECK(f.world.set(ship, std::move(second))->power.get() == other && other != power);
    CHECK(f.world.set(ship, tracked(5))->number == 5);
    CHECK(f.world.set<position>(ship, { 3, 4 })->y == 4);

    CHECK(f.world.get<tracked>(ship)->whole() && tracked::copied == copied);
    CHECK(f.world.get<engine>(ship)->make == "two");
    CHECK(f.world.set(ship, label{ "copy" }) && f.world.get<label>(ship)->text == "copy");
    label mine{ "mine" };
    CHECK(f.world.set(ship, mine)->text == "mine" && mine.text == "mine");
}

// As the hook that another shared library made of the same type: it does not see what is moving.
static bool construct_foreign(void *value, void *)
{
    ::new (value) engine();
    return true;
}

static void hooks_of_another_library_lose_no_value()
{
    fixture             f;
    kith_component_desc desc    = kith::describe<engine>();
    desc.traits.hooks.construct = construct_foreign;
    kith_entity ship            = kith_entity_create(f.world);
    CHECK(kith_component_register(f.world, &desc) == desc.id);

    CHECK(*f.world.set(ship, engine{ std::make_unique<int>(4), "four" })->power == 4);
    CHECK(f.world.set(ship, engine{ std::make_unique<int>(5), "five" })->make == "five");
}

static void default_values_are_those_of_the_type()
{
    fixture     f;
    kith_entity ship = kith_entity_create(f.world);

    CHECK(f.world.add<health>(ship)->points == 100);
    CHECK(f.world.add<position>(ship)->x == 0);
    CHECK(f.world.add<label>(ship)->text.empty() && !f.world.add<engine>(ship)->power);
    CHECK(f.world.add<frozen>(ship) && f.world.add<hidden>(ship));

    CHECK(f.world.has<frozen>(ship) && f.world.has<hidden>(ship) && !f.world.has<velocity>(ship));
    CHECK(f.world.remove<hidden>(ship) && !f.world.has<hidden>(ship));
    CHECK(f.world.set(ship, sealed(7))->number == 7);
    kith_entity other = kith_entity_create(f.world);
    CHECK(kith_component_add(f.world, other, kith::component<sealed>::id, nullptr) == nullptr);
    CHECK(kith_world_error(f.world).code == KITH_ERROR_HOOK && !f.world.has<sealed>(other));
}

static void a_listener_sees_the_whole_value()
{
    fixture     f;
    std::string seen;
    const auto  look = [](kith_world *world, const kith_notice *notice, void *context) {
        kith::world_ref ref(world);
        *static_cast<std::string *>(context) = ref.get<label>(notice->entity)->text;
        if (kith_entity_count(world) < 5) { // another one, while the first is being set
            ref.create(label{ text_of(9) });
        }
    };
    CHECK(label_on_add(f.world, look, &seen) != 0);
    CHECK(f.world.create(label{ text_of(3) }) != KITH_NULL);
    CHECK(seen == text_of(3) || seen == text_of(9));
    uint32_t nines = 0;
    for (auto [entity, l] : f.world.view<const label>()) {
        nines += l.text == text_of(9);
        CHECK(!l.text.empty());
    }
    CHECK(nines == f.world.count<label>() - 1 && nines > 0);
}

static kith_listener connected = 0;

// Adds the default of the component that is being set, to another entity; once.
template <class T> static void add_another(kith_world *world, const kith_notice *, void *context)
{
    CHECK(kith_listener_disconnect(world, connected));
    kith_entity other                    = kith_entity_create(world);
    *static_cast<kith_entity *>(context) = other;
    CHECK(kith::world_ref(world).add<T>(other) != nullptr);
}

static void a_listener_to_a_required_component_cannot_take_the_value()
{
    fixture            f;
    kith_entity        other = KITH_NULL;
    kith_listener_desc desc{};
    desc.event     = KITH_EVENT_ADD;
    desc.component = kith::component<engine>::id;
    desc.call      = add_another<turbine>;
    desc.context   = &other;
    connected      = kith_listener_connect(f.world, &desc);
    CHECK(connected != 0);

    kith_entity plane = kith_entity_create(f.world);
    CHECK(f.world.set(plane, turbine{ std::make_unique<int>(8) }) != nullptr);

    CHECK(*f.world.get<turbine>(plane)->blades == 8 && f.world.has<engine>(plane));
    CHECK(other != KITH_NULL && f.world.get<turbine>(other)->blades == nullptr);

    desc.call        = add_another<sail>;
    connected        = kith_listener_connect(f.world, &desc);
    kith_entity boat = kith_entity_create(f.world);
    CHECK(f.world.set(boat, sail{ "white" })->colour == "white");
    CHECK(f.world.get<sail>(other)->colour.empty());
}

static void rows_move_with_what_they_own()
{
    fixture     f;
    kith_entity ships[100];
    for (int i = 0; i < 100; i++) {
        ships[i] = f.ship(i);
    }
    CHECK(f.whole() == 100);

    CHECK(f.world.destroy(ships[0]) && f.world.destroy(ships[50])); // the last rows move
    CHECK(f.whole() == 98);
    CHECK(f.world.sort<label>([](const label &a, const label &b) { return a.text > b.text; }));
    CHECK(f.world.sort<tracked>(
        [](const tracked &a, const tracked &b) { return a.number % 7 > b.number % 7; }));
    CHECK(
        f.world.sort<engine>([](const engine &a, const engine &b) { return *a.power > *b.power; }));
    CHECK(f.whole() == 98);
    CHECK(label_value(f.world, 0)->text >= label_value(f.world, 1)->text);
    CHECK(kith_component_swap(f.world, kith::component<engine>::id, ships[1], ships[90]));
    CHECK(kith_component_sort(f.world, 11, nullptr) == false); // refused, and nothing moved
    CHECK(f.whole() == 98);

    kith_group *group = bodies_group(f.world); // moves the rows of two pools to the front
    CHECK(group != nullptr);
    CHECK(label_remove(f.world, ships[2]) && f.world.remove<position>(ships[3]));
    CHECK(f.whole() == 96);
    const auto by_text = [](const label *a, const label *b, void *) {
        return a->text.compare(b->text);
    };
    CHECK(bodies_sort_label(group, by_text, nullptr));
    CHECK(f.whole() == 96 && kith_group_count(group) == 96);
    CHECK(label_set(f.world, ships[2], label{ text_of(2) }) != nullptr);
    CHECK(f.whole() == 97);
    kith_world_clear(f.world);
    CHECK(tracked::alive == 0);
}

static void a_loop_may_change_everything()
{
    fixture f;
    for (int i = 0; i < 100; i++) {
        f.ship(i);
    }
    uint32_t visited = 0;
    f.world.each<const position, label>([&](kith_entity ship, const position &p, label &l) {
        int i = static_cast<int>(p.x);
        CHECK(l.text == text_of(i));
        visited++;
        if (i % 3 == 0) {
            CHECK(f.world.destroy(ship)); // the value stays until the loop is closed
            CHECK(l.text == text_of(i));
        } else if (i % 3 == 1) {
            f.world.remove<label>(ship);
            f.world.set(ship, label{ text_of(i) });
        }
        if (i == 10) {
            f.ship(200);
        }
    });
    CHECK(visited >= 100 && f.whole() == 67);
    for (auto [ship, e] : f.world.view<engine>()) {
        f.world.destroy(ship);
        if (f.world.count<engine>() < 20) {
            break;
        }
    }
    CHECK(kith_world_advance(f.world) != 0); // the loop is closed
    CHECK(f.whole() == f.world.count<engine>());
}

static void batches_and_commands_copy()
{
    fixture     f;
    kith_entity ships[40];
    label       labels[40];
    tracked     numbers[40];
    for (int i = 0; i < 40; i++) {
        labels[i].text    = text_of(i);
        numbers[i].number = i;
    }
    const kith_values sets[] = { kith::values(labels), kith::values(numbers) };
    CHECK(kith_entity_create_many(f.world, ships, 40, sets, 2));
    CHECK(f.world.get<label>(ships[39])->text == labels[39].text && labels[0].text == text_of(0));
    CHECK(f.world.get<tracked>(ships[7])->number == 7);

    kith_commands *commands = kith_commands_create(f.world, nullptr);
    CHECK(commands != nullptr);
    CHECK(label_set_later(commands, ships[1], label{ "later" }));
    CHECK(!kith_component_set_later(commands, ships[1], kith::component<engine>::id, &labels[0]));
    CHECK(kith_commands_apply(commands, f.world));
    CHECK(f.world.get<label>(ships[1])->text == "later");
    kith_commands_destroy(commands);

    kith_entity copies[3];
    CHECK(kith_entity_clone_many(f.world, ships[1], copies, 3));
    CHECK(f.world.get<label>(copies[2])->text == "later" && f.world.count<label>() == 43);
    f.world.set(ships[1], engine{ std::make_unique<int>(1), "one" });
    CHECK(!kith_entity_clone_many(f.world, ships[1], copies, 1)); // cannot be copied
    CHECK(kith_world_error(f.world).code == KITH_ERROR_ARGUMENT);
    const kith_component id = kith::component<label>::id;
    CHECK(kith_entity_remove_many(f.world, kith_entities_of(ships, 20), &id, 1));
    CHECK(kith_entity_destroy_many(f.world, kith_entities_of(ships, 10)));
}

static void worlds_are_moved_and_cloned()
{
    fixture     f;
    kith_entity ship = f.world.create(label{ text_of(1) }, tracked(1), motto{ text_of(3) });
    f.world.set_single(title{ text_of(5) });

    kith::world copy = f.world.clone();
    CHECK(copy && copy.get<label>(ship)->text == text_of(1) && copy.get<tracked>(ship)->whole());
    CHECK(copy.single<title>()->text == text_of(5));
    copy.mut_single<title>()->text = "changed";
    CHECK(f.world.single<title>()->text == text_of(5) && is_valid(copy));
    kith::world moved = std::move(copy);
    CHECK(!copy && moved.alive(ship));
    copy = std::move(moved);
    CHECK(copy && !moved);

    f.world.set(ship, engine{ std::make_unique<int>(1), "one" });
    kith::world none = f.world.clone();
    CHECK(!none && f.used.error.code == KITH_ERROR_ARGUMENT);
    CHECK(f.used.error.component == kith::component<engine>::id);
}

static void savers_and_frames_copy_what_is_owned()
{
    fixture     f;
    kith::world other(kith_world_create(nullptr));
    CHECK(other.add_components<motto>());
    kith_entity last = KITH_NULL;
    for (int i = 0; i < 50; i++) { // several pages
        last = f.world.create(motto{ text_of(i) });
    }
    kith_bytes bytes{};
    CHECK(kith_world_save_memory(f.world, nullptr, &bytes).code == KITH_OK);
    kith_load_desc load{};
    load.unknown = KITH_UNKNOWN_SKIP;
    CHECK(other.create(motto{ "goes" }) != KITH_NULL);
    CHECK(kith_world_load(other, &load, bytes.data, bytes.size).code == KITH_OK);
    kith_bytes_free(&bytes);
    CHECK(other.count<motto>() == 50 && other.get<motto>(last)->text == text_of(49));

    kith_frames *frames = kith_frames_create(f.world, nullptr);
    CHECK(frames != nullptr);
    uint64_t saved = kith_frames_save(frames);
    CHECK(saved != 0);
    for (auto [entity, m] : f.world.view<motto>()) {
        m.text = "changed";
    }
    CHECK(f.world.destroy(last));
    CHECK(kith_frames_restore(frames, saved));
    CHECK(f.world.get<motto>(last)->text == text_of(49));
    kith_frames_destroy(frames);
    CHECK(f.world.count<motto>() == 50);
}

static void singletons_move_too()
{
    fixture f;
    CHECK(f.world.single<title>() == nullptr);
    CHECK(f.world.set_single(title{ text_of(1) })->text == text_of(1));
    CHECK(f.world.set_single<title>({ "short" })->text == "short");
    CHECK(f.world.single<title>()->text == "short");
}

// --- loops -----------------------------------------------------------------------------------

static void each_form_of_a_loop_visits_the_same()
{
    fixture f;
    for (int i = 0; i < 1000; i++) {
        kith_entity made =
            f.world.create(position{ static_cast<float>(i), 0 }, label{ text_of(i) });
        if (i % 3 == 0) {
            f.world.add<frozen>(made);
        }
        if (i % 5 == 0) {
            f.world.set(made, velocity{ 1, 2 });
        }
        if (i % 4 == 0) {
            f.world.set(made, motto{ text_of(i) });
        }
    }
    for (int order = 0; order < 2; order++) { // in one order, then gathered
        double   sum = 0, other = 0;
        uint32_t count = 0;
        KITH_EACH(movers_c, m, f.world)
        {
            sum += m.position->x;
            count++;
        }
        auto movers = f.world.view<position, const label, kith::without<frozen>>();
        movers.each([&](position &p, const label &) { other += p.x; });
        CHECK(other == sum && movers.count() == count);
        other = 0;
        movers.each([&](kith_entity entity, position &p, const label &l) {
            other += p.x;
            CHECK(f.world.get<position>(entity) == &p && f.world.get<label>(entity) == &l);
        });
        CHECK(other == sum);
        other = 0;
        for (auto [entity, p, l] : f.world.stored<position, const label, kith::without<frozen>>()) {
            other += p.x;
            CHECK(f.world.get<label>(entity) == &l);
        }
        CHECK(other == sum);
        other = 0;
        for (auto [entities, p, l] : movers.chunks()) {
            CHECK(entities.size() == p.size() && p.size() == l.size() && p.size() > 0);
            for (uint32_t i = 0; i < p.size(); i++) {
                other += p[i].x;
                CHECK(f.world.get<position>(entities[i]) == &p[i]);
            }
        }
        CHECK(other == sum);
        other                   = 0;
        const kith::world &read = f.world;
        read.each<const position, kith::with<label>, kith::without<frozen>>(
            [&](const position &p) { other += p.x; });
        CHECK(other == sum);

        uint32_t both = 0, without = 0;
        f.world.each<position, kith::optional<velocity>>([&](position &, velocity *v) {
            both += v != nullptr;
            without += v == nullptr;
        });
        CHECK(both == 200 && without == 800);
        both = without = 0;
        for (auto [entities, p, v] :
             f.world.chunks<const position, kith::optional<const velocity>>()) {
            both += v.size();
            without += v.data() == nullptr ? p.size() : 0;
        }
        CHECK(both == 200 && without == 800);
        CHECK(f.world.sort<label>([](const label &a, const label &b) { return a.text < b.text; }));
    }
    uint32_t none = 0;
    f.world.each<kith::with<frozen>, kith::without<velocity>>(
        [&](kith_entity e) { none += e != 0; });
    CHECK(none == 334 - 67);
    CHECK(f.world.view<label>().contains(f.world.view<label>().first()));
}

static void writing_stamps_and_changed_finds_it()
{
    fixture     f;
    kith_entity ships[40];
    for (int i = 0; i < 40; i++) {
        ships[i] = f.world.create(motto{ text_of(i) }, label{ text_of(i) });
    }
    CHECK(f.world.sort<label>([](const label &a, const label &b) { return a.text < b.text; }));
    for (int form = 0; form < 3; form++) { // motto has row ticks
        uint64_t now = kith_world_advance(f.world);
        auto     all = f.world.view<motto, const label>();
        if (form == 0) {
            f.world.each<motto>([](motto &) {});
        } else if (form == 1) {
            all.each([](motto &, const label &) {});
        } else {
            for (auto [entities, m, l] : all.chunks()) {
                CHECK(m.size() == l.size());
            }
        }
        auto changes = f.world.view<kith::changed<motto>>();
        CHECK(changes.since(now).count() == 40 && changes.since(now + 1).count() == 0);
    }
    uint64_t now                       = kith_world_advance(f.world);
    f.world.mut<motto>(ships[3])->text = "new";
    f.world.patch<motto>(ships[4], [](motto &m) { m.text = "newer"; });
    uint32_t seen = 0;
    f.world.view<const motto, kith::changed<motto>>().since(now).each([&](const motto &m) {
        seen++;
        CHECK(m.text == "new" || m.text == "newer");
    });
    CHECK(seen == 2);
    CHECK(f.world.enable<motto>(ships[3], false) && f.world.view<motto>().count() == 39);
    CHECK((f.world.view<motto, kith::disabled<motto>, kith::lead<motto>>().count() == 40));
}

static void a_part_of_a_system_is_a_view()
{
    fixture f;
    for (int i = 0; i < 5000; i++) {
        CHECK(f.world.create(position{ 0, 0 }, velocity{ 1, 0 }) != KITH_NULL);
    }
    using movers                  = kith::view<position, const velocity>;
    const kith_component writes[] = { kith::component<position>::id };
    const kith_component reads[]  = { kith::component<velocity>::id };
    kith_system_desc     desc{};
    desc.name        = "move";
    desc.query       = movers::desc();
    desc.writes      = writes;
    desc.write_count = 1;
    desc.reads       = reads;
    desc.read_count  = 1;
    desc.part        = [](const kith_part *part) {
        movers(part).each([](position &p, const velocity &v) { p.x += v.x; });
    };
    CHECK(kith_system_create(f.world, &desc) != nullptr);
    CHECK(kith_schedule_run(f.world, 1) && kith_schedule_run(f.world, 1));
    f.world.each<const position>([](const position &p) { CHECK(p.x == 2); });
}

static void a_loop_that_fails_to_begin_visits_nothing()
{
    fixture f;
    f.ship(1);
    uint32_t    seen = 0;
    memory      used;
    kith::world empty(describe_world(&used));
    empty.each<position>([&](position &) { seen++; });
    for (auto [entities, p] : empty.chunks<position>()) {
        seen += p.size();
    }
    for (auto [entity, p] : empty.stored<position>()) {
        seen += entity != 0;
    }
    CHECK(seen == 0 && kith_world_error(empty).code == KITH_ERROR_UNREGISTERED);
}

// --- exceptions and memory -------------------------------------------------------------------

static void exceptions_do_not_leave_hooks()
{
#if defined(__cpp_exceptions)
    fixture     f;
    kith_entity ship = f.world.create(brittle("one"));
    CHECK(ship != KITH_NULL);
    const brittle other("two");
    brittle::broken = true;
    CHECK(kith_component_set(f.world, ship, kith::component<brittle>::id, &other) == nullptr);
    CHECK(kith_world_error(f.world).code == KITH_ERROR_HOOK);
    CHECK(f.world.get<brittle>(ship)->text == "one");
    kith_entity second = kith_entity_create(f.world);
    CHECK(f.world.add<brittle>(second) == nullptr && !f.world.has<brittle>(second));
    CHECK(f.world.set(second, brittle("moved"))->text == "moved"); // moving does not throw
    CHECK(!f.world.clone());
    brittle::broken = false;

    bool caught = false; // the body of a loop may throw
    try {
        f.world.each<brittle>([](brittle &) { throw std::runtime_error("body"); });
    } catch (const std::runtime_error &) {
        caught = true;
    }
    CHECK(caught && kith_world_advance(f.world) != 0);
#endif
}

static bool live_through(kith::world &world)
{
    kith_entity ships[8];
    for (int i = 0; i < 8; i++) {
        ships[i] =
            world.create(position{ 1, 2 }, label{ text_of(i) }, tracked(i),
                         engine{ std::make_unique<int>(i), text_of(i) }, motto{ text_of(i) });
        if (ships[i] == KITH_NULL) {
            return false;
        }
    }
    uint32_t seen = 0;
    world.each<label, const engine>([&](label &, const engine &e) { seen += e.power != nullptr; });
    return seen == 8 && world.set_single(title{ text_of(1) }) != nullptr &&
           world.set(ships[1], label{ text_of(2) }) != nullptr &&
           world.sort<label>([](const label &a, const label &b) { return a.text > b.text; }) &&
           bodies_group(world) != nullptr && world.destroy(ships[2]);
}

static void survives_each_failed_allocation()
{
    bool finished = false;
    long fail_at  = 1;
    for (; !finished; fail_at++) {
        memory used;
        used.fail_at = fail_at;
        {
            kith::world world(describe_world(&used));
            if (world && add_all(world)) {
                finished = live_through(world) && used.calls < used.fail_at;
            }
            if (world) {
                CHECK(is_valid(world));
                CHECK(finished || kith_world_error(world).code == KITH_ERROR_MEMORY);
            }
        }
        CHECK(used.live == 0 && tracked::alive == 0);
    }
    CHECK(fail_at > 20);
}

int main()
{
    set_moves_the_value_into_its_row();
    hooks_of_another_library_lose_no_value();
    default_values_are_those_of_the_type();
    a_listener_sees_the_whole_value();
    a_listener_to_a_required_component_cannot_take_the_value();
    rows_move_with_what_they_own();
    a_loop_may_change_everything();
    batches_and_commands_copy();
    worlds_are_moved_and_cloned();
    savers_and_frames_copy_what_is_owned();
    singletons_move_too();
    each_form_of_a_loop_visits_the_same();
    writing_stamps_and_changed_finds_it();
    a_part_of_a_system_is_a_view();
    a_loop_that_fails_to_begin_visits_nothing();
    exceptions_do_not_leave_hooks();
    survives_each_failed_allocation();
    std::puts("17 tests of kith.hpp passed");
    return 0;
}
