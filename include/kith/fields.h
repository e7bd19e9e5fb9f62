// SPDX-License-Identifier: MIT
// Field tables: they say how the values of a component are saved. Part of kith.h.
//
//     typedef struct vec2 { float x, y; } vec2;
//     typedef enum mood { CALM, ANGRY } mood;
//     typedef struct crew { vec2 at; mood mood; kith_entity ship; char name[16]; } crew;
//
//     KITH_FIELDS(vec2, f32(x, "m"), f32(y, "m"));
//     KITH_CHOICES(mood, CALM, ANGRY);
//     KITH_FIELDS(crew, nested(at, vec2), choice(mood, mood), entity(ship), chars(name));
//
//     KITH_COMPONENT_AS(member, crew, MEMBER, fields(crew));  // instead of KITH_COMPONENT
//     KITH_COMPONENT_AS(mass, float, MASS, plain(4));         // numbers of 4 bytes, nothing else
//     KITH_COMPONENT_AS(mesh, mesh *, MESH, transient);       // not saved, absent after a load
//     KITH_COMPONENT_AS(script, script, SCRIPT, through(&script_saver));
//
// A table lists the fields in the order of the struct. The compiler refuses a field that the struct
// does not have, or that has another type. Registering refuses a table that leaves bytes out.
#ifndef KITH_FIELDS_H
#define KITH_FIELDS_H

#if defined(__GNUC__) && !defined(KITH_HEADER_WARNINGS)
    #pragma GCC system_header // see macro.h
#endif

#include "component.h"
#include "macro.h"

// clang-format off

/// Defines the field table of the struct type NAME. In C the table is the object NAME_fields. In
/// C++ it is found by the type, which may be in a namespace: KITH_FIELDS(ns::crew, ...). A table
/// has 1..64 fields, each written as a word and a field:
///     boolean(f) u8(f) u16(f) u32(f) u64(f) i8(f) i16(f) i32(f) i64(f) f32(f) f64(f)
///     entity(f)           a kith_entity; it is mapped when handles change
///     chars(f)            an array of char: a text
///     choice(f, ENUM)     an enum, or an integer with its values, with a table by KITH_CHOICES
///     nested(f, TYPE)     a struct with a table by KITH_FIELDS
///     skip(f)             not saved; 0 after loading
/// All fields except choice and skip may be arrays. Two optional arguments may follow: the unit,
/// for people, and the name of the field in older files. Examples: f32(x, "m"), f32(x, "m",
/// "left"), f32(x, NULL, "left"). kith_skip(f), kith_f32(f) ... are the same words, for programs in
/// which the short ones are macros.
#define KITH_FIELDS(NAME, ...) KITH_FIELDS_(KITH_COUNT_(__VA_ARGS__), NAME, __VA_ARGS__)
#define KITH_FIELDS_(COUNT, NAME, ...) \
    KITH_REFUSE_MANY_(COUNT, KITH_FIELDS_ARE_MANY_, NAME) \
    KITH_MAP_(COUNT, KITH_ROW_CHECK_, NAME, __VA_ARGS__) \
    KITH_FIELDS_TABLE_(NAME, KITH_MAP_(COUNT, KITH_ROW_, NAME, __VA_ARGS__))
#define KITH_FIELDS_ARE_MANY_(NAME) KITH_WRONG_(table NAME has more than 64 fields)

/// Defines the table of the enum type NAME, with 1..64 of its enumerators. In C the table is the
/// object NAME_choices. In C++ an enumerator is saved without its scope, colour::red as "red", so
/// that C reads the same file.
#define KITH_CHOICES(NAME, ...) KITH_CHOICES_(KITH_COUNT_(__VA_ARGS__), NAME, __VA_ARGS__)
#define KITH_CHOICES_(COUNT, NAME, ...) \
    KITH_REFUSE_MANY_(COUNT, KITH_CHOICES_ARE_MANY_, NAME) \
    KITH_CHOICES_TABLE_(NAME, KITH_MAP_(COUNT, KITH_CHOICE_, NAME, __VA_ARGS__))
#define KITH_CHOICES_ARE_MANY_(NAME) KITH_WRONG_(table NAME has more than 64 choices)
#define KITH_CHOICE_(NAME, X)        { KITH_UNSCOPED_(#X), KITH_CAST_(int64_t, X) },

// The tables, and how to find the table of a type. In C++ a name with a scope does not make an
// identifier. So the tables have numbers there, and an overloaded function returns the table for
// the type of its argument. The second argument lets the compiler find the function from any
// namespace. The overloads are extern "C++", even if all other declarations of a header are extern
// "C".
#ifdef __cplusplus
    #define KITH_FIELDS_TABLE_(NAME, ...)  KITH_FIELDS_TABLE2_(NAME, __COUNTER__, __VA_ARGS__)
    #define KITH_FIELDS_TABLE2_(NAME, ID, ...) \
        KITH_FIELDS_TABLE3_(NAME, KITH_JOIN_(kith_field_list, ID, _), \
                            KITH_JOIN_(kith_fields, ID, _), __VA_ARGS__)
    #define KITH_FIELDS_TABLE3_(NAME, LIST, TABLE, ...) \
        static const kith_field LIST[] KITH_UNUSED_ = { __VA_ARGS__ }; \
        static const kith_fields TABLE KITH_UNUSED_ = { \
            KITH_UNSCOPED_(#NAME), sizeof(NAME), KITH_ALIGNOF_(NAME), LIST, \
            sizeof LIST / sizeof LIST[0] }; \
        extern "C++" { \
        KITH_INLINE_ constexpr const kith_fields *kith_fields_of_(const NAME *, kith_everywhere_) \
        { return &TABLE; } \
        } \
        struct kith_fields_end_
    #define KITH_CHOICES_TABLE_(NAME, ...) KITH_CHOICES_TABLE2_(NAME, __COUNTER__, __VA_ARGS__)
    #define KITH_CHOICES_TABLE2_(NAME, ID, ...) \
        KITH_CHOICES_TABLE3_(NAME, KITH_JOIN_(kith_choice_list, ID, _), \
                             KITH_JOIN_(kith_choices, ID, _), __VA_ARGS__)
    #define KITH_CHOICES_TABLE3_(NAME, LIST, TABLE, ...) \
        static const kith_choice LIST[] KITH_UNUSED_ = { __VA_ARGS__ }; \
        static const kith_choices TABLE KITH_UNUSED_ = { \
            KITH_UNSCOPED_(#NAME), LIST, sizeof LIST / sizeof LIST[0] }; \
        extern "C++" { \
        KITH_INLINE_ constexpr const kith_choices *kith_choices_of_(const NAME *, \
                                                                    kith_everywhere_) \
        { return &TABLE; } \
        } \
        struct kith_choices_end_
    #define KITH_FIELDS_OF_(NAME) \
        kith_fields_of_(static_cast<const NAME *>(nullptr), kith_everywhere_())
    #define KITH_CHOICES_OF_(NAME) \
        kith_choices_of_(static_cast<const NAME *>(nullptr), kith_everywhere_())
    #define KITH_UNSCOPED_(TEXT)   kith_unscoped_(TEXT, TEXT)
#else
    #define KITH_FIELDS_TABLE_(NAME, ...) \
        static const kith_field NAME##_field_list_[] KITH_UNUSED_ = { __VA_ARGS__ }; \
        static const kith_fields NAME##_fields KITH_UNUSED_ = { \
            #NAME, sizeof(NAME), KITH_ALIGNOF_(NAME), NAME##_field_list_, \
            sizeof NAME##_field_list_ / sizeof NAME##_field_list_[0] }
    #define KITH_CHOICES_TABLE_(NAME, ...) \
        static const kith_choice NAME##_choice_list_[] KITH_UNUSED_ = { __VA_ARGS__ }; \
        static const kith_choices NAME##_choices KITH_UNUSED_ = { \
            #NAME, NAME##_choice_list_, \
            sizeof NAME##_choice_list_ / sizeof NAME##_choice_list_[0] }
    #define KITH_FIELDS_OF_(NAME)  &NAME##_fields
    #define KITH_CHOICES_OF_(NAME) &NAME##_choices
    #define KITH_UNSCOPED_(TEXT)   TEXT
#endif

/// The form as an initializer for `saved` of kith_traits: .saved = KITH_AS(fields(crew)).
#define KITH_AS(FORM) KITH_AS2_(KITH_AS_##FORM)

// Each form becomes a list: the form, its unit, table and functions, the size that the type must
// have (0: any), the version, and the kith_upgrade for values of other versions.
#define KITH_AS_fields(...)  KITH_AS_FIELDS_(__VA_ARGS__, 0, NULL, ~)
#define KITH_AS_plain(...)   KITH_AS_PLAIN_(__VA_ARGS__, 0, NULL, ~)
#define KITH_AS_through(...) KITH_AS_THROUGH_(__VA_ARGS__, 0, NULL, ~)
#define KITH_AS_text(...)    KITH_AS_TEXT_(__VA_ARGS__, 0, NULL, ~)
#define KITH_AS_transient    KITH_FORM_TRANSIENT, 1, NULL, NULL, 0, 0, NULL
#define KITH_AS_FIELDS_(TABLE, VERSION, UPGRADE, ...) \
    KITH_FORM_FIELDS, 1, KITH_FIELDS_OF_(TABLE), NULL, sizeof(TABLE), (VERSION), (UPGRADE)
#define KITH_AS_PLAIN_(UNIT, VERSION, UPGRADE, ...) \
    KITH_FORM_PLAIN, (UNIT), NULL, NULL, 0, (VERSION), (UPGRADE)
#define KITH_AS_THROUGH_(SAVER, VERSION, UPGRADE, ...) \
    KITH_FORM_FUNCTIONS, 1, NULL, (SAVER), 0, (VERSION), (UPGRADE)
#define KITH_AS_TEXT_(SAVER, VERSION, UPGRADE, ...) \
    KITH_FORM_FUNCTIONS, KITH_UNIT_TEXT, NULL, (SAVER), 0, (VERSION), (UPGRADE)
#define KITH_AS2_(...) KITH_AS3_(__VA_ARGS__)
#define KITH_AS3_(FORM, UNIT, FIELDS, FUNCTIONS, SIZE, VERSION, UPGRADE) \
    { FORM, UNIT, FIELDS, FUNCTIONS, VERSION, UPGRADE }
#define KITH_SAVE_AS_(FORM) \
    const kith_saved saved = KITH_AS2_(KITH_AS_##FORM); \
    desc.traits.saved      = saved;
#define KITH_FORM_CHECK_(TYPE, ...) KITH_FORM_CHECK2_(TYPE, __VA_ARGS__)
#define KITH_FORM_CHECK2_(TYPE, FORM, UNIT, FIELDS, FUNCTIONS, SIZE, ...) \
    KITH_STATIC_ASSERT_((SIZE) == 0 || sizeof(TYPE) == (SIZE), "the table is of another type"); \
    KITH_STATIC_ASSERT_((UNIT) == KITH_UNIT_TEXT || sizeof(TYPE) % (UNIT) == 0, \
                        "the unit must divide the size");

// Each word becomes a list: class, type, element, nested table, choices, field, unit, older name.
#define KITH_F_boolean(...) TYPED, KITH_TYPE_BOOL, bool, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_u8(...)      TYPED, KITH_TYPE_U8, uint8_t, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_u16(...)     TYPED, KITH_TYPE_U16, uint16_t, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_u32(...)     TYPED, KITH_TYPE_U32, uint32_t, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_u64(...)     TYPED, KITH_TYPE_U64, uint64_t, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_i8(...)      TYPED, KITH_TYPE_I8, int8_t, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_i16(...)     TYPED, KITH_TYPE_I16, int16_t, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_i32(...)     TYPED, KITH_TYPE_I32, int32_t, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_i64(...)     TYPED, KITH_TYPE_I64, int64_t, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_f32(...)     TYPED, KITH_TYPE_F32, float, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_f64(...)     TYPED, KITH_TYPE_F64, double, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_entity(...) \
    TYPED, KITH_TYPE_ENTITY, kith_entity, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_chars(...)   TYPED, KITH_TYPE_CHARS, char, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_skip(...)    BYTES, KITH_TYPE_SKIP, char, NULL, NULL, __VA_ARGS__, NULL, NULL, ~
#define KITH_F_nested(...)  KITH_F_NESTED_(__VA_ARGS__, NULL, NULL, ~)
#define KITH_F_choice(...)  KITH_F_CHOICE_(__VA_ARGS__, NULL, NULL, ~)
#define KITH_F_NESTED_(FIELD, TABLE, UNIT, WAS, ...) \
    TYPED, KITH_TYPE_STRUCT, TABLE, KITH_FIELDS_OF_(TABLE), NULL, FIELD, UNIT, WAS, ~
#define KITH_F_CHOICE_(FIELD, TABLE, UNIT, WAS, ...) \
    WHOLE, KITH_TYPE_ENUM, TABLE, NULL, KITH_CHOICES_OF_(TABLE), FIELD, UNIT, WAS, ~

// The same words, for programs in which a short one is a macro.
#define KITH_F_kith_boolean(...) KITH_F_boolean(__VA_ARGS__)
#define KITH_F_kith_u8(...)      KITH_F_u8(__VA_ARGS__)
#define KITH_F_kith_u16(...)     KITH_F_u16(__VA_ARGS__)
#define KITH_F_kith_u32(...)     KITH_F_u32(__VA_ARGS__)
#define KITH_F_kith_u64(...)     KITH_F_u64(__VA_ARGS__)
#define KITH_F_kith_i8(...)      KITH_F_i8(__VA_ARGS__)
#define KITH_F_kith_i16(...)     KITH_F_i16(__VA_ARGS__)
#define KITH_F_kith_i32(...)     KITH_F_i32(__VA_ARGS__)
#define KITH_F_kith_i64(...)     KITH_F_i64(__VA_ARGS__)
#define KITH_F_kith_f32(...)     KITH_F_f32(__VA_ARGS__)
#define KITH_F_kith_f64(...)     KITH_F_f64(__VA_ARGS__)
#define KITH_F_kith_entity(...)  KITH_F_entity(__VA_ARGS__)
#define KITH_F_kith_chars(...)   KITH_F_chars(__VA_ARGS__)
#define KITH_F_kith_skip(...)    KITH_F_skip(__VA_ARGS__)
#define KITH_F_kith_nested(...)  KITH_F_nested(__VA_ARGS__)
#define KITH_F_kith_choice(...)  KITH_F_choice(__VA_ARGS__)

#define KITH_SIZE_(OWNER, FIELD) sizeof(KITH_CAST_(OWNER *, 0)->FIELD)
#define KITH_ROW_(OWNER, WORD)   KITH_ROW2_(OWNER, KITH_F_##WORD)
#define KITH_ROW2_(OWNER, ...)   KITH_ROW3_(OWNER, __VA_ARGS__)
#define KITH_ROW3_(OWNER, CLASS, TYPE, ELEMENT, NESTED, CHOICES, FIELD, UNIT, WAS, ...) \
    { #FIELD, UNIT, WAS, TYPE, offsetof(OWNER, FIELD), \
      KITH_ROW_##CLASS(OWNER, FIELD, ELEMENT), NESTED, CHOICES },
// (+ 0: clang-tidy reports a quotient of two equal sizes as a mistake)
#define KITH_ROW_TYPED(OWNER, FIELD, ELEMENT) \
    sizeof(ELEMENT), KITH_SIZE_(OWNER, FIELD) / (sizeof(ELEMENT) + 0)
#define KITH_ROW_WHOLE(OWNER, FIELD, ELEMENT) KITH_SIZE_(OWNER, FIELD), 1
#define KITH_ROW_BYTES(OWNER, FIELD, ELEMENT) 1, KITH_SIZE_(OWNER, FIELD)

// Checks that the field is an ELEMENT, or an array of them.
#define KITH_ROW_CHECK_(OWNER, WORD) KITH_ROW_CHECK2_(OWNER, KITH_F_##WORD)
#define KITH_ROW_CHECK2_(OWNER, ...) KITH_ROW_CHECK3_(OWNER, __VA_ARGS__)
#define KITH_ROW_CHECK3_(OWNER, CLASS, TYPE, ELEMENT, NESTED, CHOICES, FIELD, ...) \
    KITH_STATIC_ASSERT_(KITH_IS_##CLASS(OWNER, FIELD, ELEMENT), \
                        #OWNER "." #FIELD " is not of the type that the table says");
#define KITH_IS_BYTES(OWNER, FIELD, ELEMENT) (KITH_SIZE_(OWNER, FIELD) != 0)
#define KITH_IS_WHOLE(OWNER, FIELD, ELEMENT) \
    (KITH_SIZE_(OWNER, FIELD) == 1 || KITH_SIZE_(OWNER, FIELD) == 2 || \
     KITH_SIZE_(OWNER, FIELD) == 4 || KITH_SIZE_(OWNER, FIELD) == 8)
#ifdef __cplusplus
    #define KITH_IS_TYPED(OWNER, FIELD, ELEMENT) \
        (kith_same_<decltype(OWNER::FIELD), ELEMENT>::yes_ != 0)
#else
    #define KITH_IS_TYPED(OWNER, FIELD, ELEMENT) \
        _Generic(&((OWNER *)0)->FIELD, \
                 ELEMENT *: 1, \
                 ELEMENT(*)[KITH_SIZE_(OWNER, FIELD) / (sizeof(ELEMENT) + 0) + \
                            (KITH_SIZE_(OWNER, FIELD) < sizeof(ELEMENT))]: 1, \
                 default: 0)
#endif

#if defined(__GNUC__)
    #define KITH_UNUSED_ __attribute__((unused))
#else
    #define KITH_UNUSED_
#endif

// clang-format on

#ifdef __cplusplus
template <typename A, typename B> struct kith_same_ {
    enum { yes_ = 0 };
};
template <typename A> struct kith_same_<A, A> {
    enum { yes_ = 1 };
};
template <typename A, size_t N> struct kith_same_<A[N], A> {
    enum { yes_ = 1 };
};

// An argument of this type makes the compiler search the global namespace for a function, too.
struct kith_everywhere_ {
};

// Returns the text after the last colon or blank, or `from` when there is none.
constexpr const char *kith_unscoped_(const char *text, const char *from)
{
    return *text == '\0' ? from
                         : kith_unscoped_(text + 1, *text == ':' || *text == ' ' ? text + 1 : from);
}
#endif

#endif
