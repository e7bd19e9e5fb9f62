// SPDX-License-Identifier: MIT
// kith in C++17: worlds that end by themselves, loops over types, components that own memory.
//
//     struct position { float x, y; };
//     struct label { std::string text; };
//     template <> struct kith::component<position> {
//         static constexpr kith_component id   = 1;            // the program's own constant
//         static constexpr const char    *name = "position";
//     };
//     ...                                      // the same for velocity, label and the tag frozen
//
//     kith::world world;
//     if (!world || !world.add_components<position, velocity, label, frozen>()) return 1;
//     kith_entity ship = world.create(position{ 0, 0 }, velocity{ 1, 0 }, label{ "Argo" });
//
//     world.each<position, const velocity>([](position &p, const velocity &v) { p.x += v.x; });
//     world.each<const label, kith::without<frozen>>([&](kith_entity ship, const label &name) {});
//     for (auto [ship, p, v] : world.view<position, const velocity>()) { ... }
//     for (auto [ships, p, v] : world.chunks<position, const velocity>()) {  // plain arrays
//         for (uint32_t i = 0; i < p.size(); i++) p[i].x += v[i].x;          // handle: ships[i]
//     }
//
// Rows move     The hooks of a component (component.h) are made of its type, so std::string and
//               std::unique_ptr are moved and destructed where rows are. A type must be movable
//               without exceptions. A type that cannot be copied is set by moving. What would copy
//               it (cloning, commands, arrays of values) is refused: KITH_ERROR_ARGUMENT.
// Exceptions    None is needed, nor RTTI. If a constructor throws inside a hook, the hook returns
//               false (KITH_ERROR_HOOK). The body of a loop may throw: its loop is closed. The
//               functions of `patch` and `sort` must not throw.
// C             A world converts to kith_world *, so every call of kith.h works on it. Macros of
//               typed.h work on the same component: KITH_COMPONENT(position, position, 1), and
//               KITH_COMPONENT_WITH(label, label, 3, kith::traits<label>()) for one with hooks.
// Cost          `each` and `view` are typed_query.h's `next`, `chunks` is its `next_chunk`, in the
//               same instructions. Setting a value with hooks costs one more move. A type with
//               default member initializers has a construct hook: adding it is not inline.
// Threads       Each call follows the rule of the call that it wraps. A const world has only calls
//               that read: any number of threads may make them while no thread changes the world.
#ifndef KITH_KITH_HPP
#define KITH_KITH_HPP

#include "query.hpp"

#include "snapshot.h"

namespace kith
{

/// A world of another owner: what listeners, systems and C code get. All calls of a world but its
/// end. Calls that change it need one that is not const.
class world_ref
{
  public:
    world_ref(kith_world *world) : world_(world)
    {
    } // so that a kith_world * can be passed

    /// The world for the calls of C. NULL: there is none.
    operator kith_world *()
    {
        return world_;
    }
    /// The same, to read.
    operator const kith_world *() const
    {
        return world_;
    }

    /// Registers components, all or none. O(components x registered).
    template <class... T> bool add_components()
    {
        const kith_component_desc descs[] = { describe<T>()... };
        return kith_component_register_many(world_, descs, sizeof...(T));
    }

    // --- entities ----------------------------------------------------------------------------

    /// Creates an entity with these components. Returns KITH_NULL, and leaves no entity, when one
    /// of them cannot be set. O(components).
    template <class... T> kith_entity create(T... values)
    {
        kith_entity entity = kith_entity_create(world_);
        if (entity != KITH_NULL && !(true && ... && put(entity, values))) {
            kith_entity_destroy(world_, entity);
            return KITH_NULL;
        }
        return entity;
    }
    /// As kith_entity_destroy.
    bool destroy(kith_entity entity)
    {
        return kith_entity_destroy(world_, entity);
    }
    /// As kith_entity_alive.
    bool alive(kith_entity entity) const
    {
        return kith_entity_alive(world_, entity);
    }

    // --- components of an entity: as NAME_set, NAME_get ... of KITH_COMPONENT ----------------

    /// Adds or replaces the value, which is moved in. Returns the stored value, or NULL. If it can
    /// only be moved, the components that it requires are added before and stay when this fails.
    template <class T> KITH_ALWAYS_INLINE_ T *set(kith_entity entity, T value)
    {
        using info = internal::info<T>;
        static_assert(info::kind == KITH_KIND_VALUE,
                      "kith: only a component with values can be set; a tag or a flag is added by "
                      "add<T>(entity), a singleton is set by set_single<T>(value)");
        if constexpr (internal::hooks_of<T>::plain) {
            bool  added;
            void *place = kith_place_(world_, entity, info::id, sizeof(T), info::shift, &added);
            if (KITH_LIKELY_(place != nullptr)) {
                ::new (place) T(std::move(value));
                return static_cast<T *>(
                    kith_announce_(world_, entity, info::id, sizeof(T), info::shift, place, added));
            }
            T copy(std::move(value)); // taking the address of `value` would put it on the stack
            return static_cast<T *>(kith_component_set(world_, entity, info::id, &copy));
        } else {
            if constexpr (!internal::copies<T>::value && internal::traits_of<T>::exist) {
                if (!add_required(entity, internal::traits_of<T>::get())) {
                    return nullptr;
                }
            }
            return static_cast<T *>(move_in(value, [&](const void *from) {
                return kith_component_set(world_, entity, info::id, from);
            }));
        }
    }

    /// Adds the default value, a tag or a flag; keeps a value that is there. Returns the value or
    /// NULL, of a tag or flag whether the entity has it.
    template <class T> auto add(kith_entity entity)
    {
        using info = internal::info<T>;
        if constexpr (info::kind == KITH_KIND_FLAG) {
            return kith_flag_add_(world_, entity, info::id);
        } else if constexpr (info::kind == KITH_KIND_TAG) {
            return kith_component_add(world_, entity, info::id, nullptr) != nullptr;
        } else {
            static_assert(std::is_default_constructible_v<T>,
                          "kith: this type has no default value; use set(entity, value)");
            return static_cast<T *>(kith_component_add(world_, entity, info::id, nullptr));
        }
    }

    /// The value to read; NULL when the entity lacks it.
    template <class T> const T *get(kith_entity entity) const
    {
        using info = internal::term<const T>; // refuses tags
        return static_cast<const T *>(
            kith_get_(world_, entity, info::shared::id, sizeof(T), info::shared::shift));
    }
    /// The value to change; NULL when the entity lacks it. Stamps the value.
    template <class T> T *mut(kith_entity entity)
    {
        using info = internal::term<T>;
        return static_cast<T *>(
            kith_mut_(world_, entity, info::shared::id, sizeof(T), info::shared::shift));
    }

    /// Calls change(T &), and announces the value as set. Returns the value, or NULL.
    template <class T, class F> T *patch(kith_entity entity, F change)
    {
        const auto call = [](void *value, void *context) noexcept {
            (*static_cast<F *>(context))(*static_cast<T *>(value));
        };
        return static_cast<T *>(
            kith_component_patch(world_, entity, internal::term<T>::shared::id, call, &change));
    }
    /// Whether the entity has the component.
    template <class T> bool has(kith_entity entity) const
    {
        if constexpr (internal::info<T>::kind == KITH_KIND_FLAG) {
            return kith_flag_has_(world_, entity, internal::info<T>::id);
        } else {
            return kith_has_(world_, entity, internal::info<T>::id);
        }
    }
    /// Removes the component. Returns whether the entity had it.
    template <class T> bool remove(kith_entity entity)
    {
        if constexpr (internal::info<T>::kind == KITH_KIND_FLAG) {
            return kith_flag_remove_(world_, entity, internal::info<T>::id);
        } else {
            return kith_component_remove(world_, entity, internal::info<T>::id);
        }
    }

    /// Hides the entity's row from loops, or shows it again.
    template <class T> bool enable(kith_entity entity, bool shown = true)
    {
        return kith_component_enable(world_, entity, internal::info<T>::id, shown);
    }

    // --- all values of a component -----------------------------------------------------------

    /// The number of entities that have the component.
    template <class T> uint32_t count() const
    {
        return kith_component_count(world_, internal::info<T>::id);
    }

    /// Sorts the rows: before(a, b) says whether `a` comes before `b`. O(rows log rows).
    template <class T, class F> bool sort(F before)
    {
        const auto compare = [](const void *a, const void *b, void *context) noexcept {
            F       &call  = *static_cast<F *>(context);
            const T &left  = *static_cast<const T *>(a);
            const T &right = *static_cast<const T *>(b);
            return call(left, right) ? -1 : call(right, left) ? 1 : 0;
        };
        kith_sort_desc desc{};
        desc.compare = compare;
        desc.context = &before;
        return kith_component_sort(world_, internal::term<T>::shared::id, &desc);
    }

    // --- singletons: as kith_singleton_set, _get, _mut ---------------------------------------

    /// Adds or replaces the value, which is moved in. Returns the stored value, or NULL.
    template <class T> T *set_single(T value)
    {
        constexpr kith_component id = single_id<T>();
        if constexpr (internal::hooks_of<T>::plain) {
            return static_cast<T *>(kith_singleton_set(world_, id, &value));
        } else {
            return static_cast<T *>(move_in(
                value, [&](const void *from) { return kith_singleton_set(world_, id, from); }));
        }
    }
    /// The value to read, or NULL.
    template <class T> const T *single() const
    {
        return static_cast<const T *>(kith_singleton_get(world_, single_id<T>()));
    }
    /// The value to change, or NULL. Stamps the value.
    template <class T> T *mut_single()
    {
        return static_cast<T *>(kith_singleton_mut(world_, single_id<T>()));
    }

    // --- loops: see query.hpp ----------------------------------------------------------------

    /// A view of this world.
    template <class... Terms> kith::view<Terms...> view()
    {
        return kith::view<Terms...>(world_);
    }
    /// A view that reads.
    template <class... Terms> kith::view<Terms...> view() const
    {
        return kith::view<Terms...>(static_cast<const kith_world *>(world_));
    }

    /// A view of the world's stored query with these terms (kith_query_of), which remembers rows.
    template <class... Terms> kith::view<Terms...> stored()
    {
        return kith::view<Terms...>(world_, kith_query_of(world_, kith::view<Terms...>::desc()));
    }
    /// Calls the body for each entity: view::each.
    template <class... Terms, class F> void each(F &&body)
    {
        view<Terms...>().each(body);
    }
    /// The same, to read.
    template <class... Terms, class F> void each(F &&body) const
    {
        view<Terms...>().each(body);
    }
    /// The arrays of a view, for range-for: view::chunks.
    template <class... Terms> auto chunks()
    {
        return view<Terms...>().chunks();
    }
    /// The same, to read.
    template <class... Terms> auto chunks() const
    {
        return view<Terms...>().chunks();
    }

  protected:
    kith_world *world_;

  private:
    template <class T> static constexpr kith_component single_id()
    {
        static_assert(internal::info<T>::single, "kith: this component is no singleton; its "
                                                 "kith::component has no kind, or another one");
        return internal::info<T>::id;
    }

    // Calls `store` with the address of a value that can be copied, or with NULL: the copy hook, or
    // the construct hook, moves the value.
    template <class T, class F> static void *move_in(T &value, F store)
    {
        T    *outer  = std::exchange(internal::moving<T>, &value);
        void *stored = store(internal::copies<T>::value ? &value : nullptr);
        bool  taken  = std::exchange(internal::moving<T>, outer) != &value;
        if (!internal::copies<T>::value && !taken && stored != nullptr) {
            internal::hooks_of<T>::destruct(stored, nullptr); // hooks of another shared library,
            ::new (stored) T(std::move(value));               // which has its own `moving`
        }
        return stored;
    }

    // Their listeners must not add the value that is on its way.
    bool add_required(kith_entity entity, const kith_traits &traits)
    {
        bool added = true;
        for (uint32_t i = 0; i < traits.required_count && added; i++) {
            added = kith_component_add(world_, entity, traits.required[i], nullptr) != nullptr;
        }
        return added;
    }
    template <class T> bool put(kith_entity entity, T &value)
    {
        if constexpr (internal::info<T>::kind == KITH_KIND_VALUE) {
            return set(entity, std::move(value)) != nullptr;
        } else {
            return add<T>(entity);
        }
    }
};

/// A world with an owner: it ends with this object, unless a loop is open or a listener runs then
/// (see kith_world_destroy). It can be moved, not copied. A world that could not be created, and
/// one that was moved away, converts to NULL.
class world : public world_ref
{
  public:
    world() : world_ref(kith_world_create(nullptr))
    {
    }
    /// A world with options.
    explicit world(const kith_world_desc &desc) : world_ref(kith_world_create(&desc))
    {
    }
    /// Takes a world that the caller owns; NULL: none.
    explicit world(kith_world *owned) : world_ref(owned)
    {
    }
    /// Takes the world of `other`, which then has none.
    world(world &&other) noexcept : world_ref(other.release())
    {
    }
    /// Destroys its world and takes that of `other`.
    world &operator=(world &&other) noexcept
    {
        kith_world *taken = other.release();
        kith_world_destroy(world_);
        world_ = taken;
        return *this;
    }
    ~world()
    {
        kith_world_destroy(world_);
    }

    /// The owner is the caller now.
    kith_world *release()
    {
        return std::exchange(world_, nullptr);
    }

    /// A clone, as kith_world_clone makes it; NULL when that fails, for example
    /// when values can only be moved. O(bytes).
    world clone() const
    {
        return world(kith_world_clone(world_, nullptr));
    }
};

} // namespace kith

#endif
