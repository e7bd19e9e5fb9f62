// SPDX-License-Identifier: MIT
// What kith's macros are made of: inline functions, compile errors, counting and mapping arguments.
// Not for programs: every name ends in an underscore.
#ifndef KITH_MACRO_H
#define KITH_MACRO_H

// As a system header: gcc then reports a mistake in the argument of a macro at the program's line,
// without all macros in between. The build of kith itself turns on the warnings that this hides.
#if defined(__GNUC__) && !defined(KITH_HEADER_WARNINGS)
    #pragma GCC system_header
#endif

#include "base.h"

#if defined(__GNUC__)
    #define KITH_INLINE_      static inline __attribute__((unused))
    #define KITH_LIKELY_(X)   __builtin_expect(!!(X), 1)
    #define KITH_UNLIKELY_(X) __builtin_expect(!!(X), 0)
    #define KITH_NEVER_(X)    /* X is never true */                                                \
        do {                                                                                       \
            if (X) {                                                                               \
                __builtin_unreachable();                                                           \
            }                                                                                      \
        } while (0)
#else
    #define KITH_INLINE_      static inline
    #define KITH_LIKELY_(X)   (X)
    #define KITH_UNLIKELY_(X) (X)
    #define KITH_NEVER_(X)    ((void)0)
#endif

// Stores a tick where parts of a system on other threads may store the same tick. Where a store of
// 64 bits is no single one, its halves are.
#if defined(__GNUC__) && UINTPTR_MAX > 0xffffffffu
    #define KITH_STORE_TICK_(PLACE, TICK) __atomic_store_n(&(PLACE), TICK, __ATOMIC_RELAXED)
#elif defined(__GNUC__)
    #define KITH_STORE_TICK_(PLACE, TICK) kith_store_halves_(&(PLACE), TICK)
typedef uint32_t __attribute__((may_alias)) kith_half_;

KITH_INLINE_ void kith_store_halves_(uint64_t *place, uint64_t tick)
{
    void       *halves = place;
    const void *stored = &tick;
    for (int i = 0; i < 2; i++) {
        __atomic_store_n(KITH_CAST_(kith_half_ *, halves) + i,
                         KITH_CAST_(const kith_half_ *, stored)[i], __ATOMIC_RELAXED);
    }
}
#else
    #define KITH_STORE_TICK_(PLACE, TICK) ((PLACE) = (TICK))
#endif

// clang-format off: it formats the empty initializers as blocks
#ifdef __cplusplus
    #define KITH_ZERO_                                                                             \
        {                                                                                          \
        }
    #define KITH_ALIGNOF_(TYPE) alignof(TYPE)
    #define KITH_STATIC_ASSERT_ static_assert
#else
    #define KITH_ZERO_                                                                             \
        {                                                                                          \
            0                                                                                      \
        }
    #define KITH_ALIGNOF_(TYPE) _Alignof(TYPE)
    #define KITH_STATIC_ASSERT_ _Static_assert
#endif
// clang-format on

// A compile error with this text, at file scope or in a struct. The pragma shows only the program's
// line. A failed assertion would show all macros in between.
#if defined(__GNUC__)
    #define KITH_WRONG_(...)  KITH_PRAGMA_(GCC error #__VA_ARGS__)
    #define KITH_PRAGMA_(...) _Pragma(#__VA_ARGS__)
#else
    #define KITH_WRONG_(...) KITH_STATIC_ASSERT_(0, #__VA_ARGS__);
#endif

// In C++, a type whose rows are moved as bytes. (The built-in: a header of the standard library
// does not compile where a program includes kith inside of extern "C".)
// clang-format off: it would break the text into words
#ifdef __cplusplus
    #define KITH_IS_BYTES_(NAME, TYPE, REMEDY)                                                     \
        static_assert(__is_trivially_copyable(TYPE),                                               \
                      #NAME ": " #TYPE " is not trivially copyable, and rows move; " REMEDY);
#else
    #define KITH_IS_BYTES_(NAME, TYPE, REMEDY)
#endif
// clang-format on

// Expands to SAYS(NAME) if SIGN is a macro that expands to "~, SAYS"; otherwise to nothing.
#define KITH_REFUSE_(SIGN, NAME) KITH_REFUSE2_(SIGN, KITH_QUIET_, ~)(NAME)
#define KITH_REFUSE2_(...)       KITH_SECOND_(__VA_ARGS__)
#define KITH_QUIET_(NAME)
#define KITH_SECOND_(A, B, ...) B

// clang-format off: it would fold the continuation lines into paragraphs

// The number of arguments: 1..64, or MANY.
#define KITH_COUNT_(...)                                                                           \
    KITH_FITS_(KITH_COUNT_PICK_(__VA_ARGS__, (64), (63), (62), (61), (60), (59), (58), (57), (56), \
                                (55), (54), (53), (52), (51), (50), (49), (48), (47), (46), (45),  \
                                (44), (43), (42), (41), (40), (39), (38), (37), (36), (35), (34),  \
                                (33), (32), (31), (30), (29), (28), (27), (26), (25), (24), (23),  \
                                (22), (21), (20), (19), (18), (17), (16), (15), (14), (13), (12),  \
                                (11), (10), (9), (8), (7), (6), (5), (4), (3), (2), (1), ~))
#define KITH_COUNT_PICK_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,    \
                         a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30,     \
                         a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44,     \
                         a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58,     \
                         a59, a60, a61, a62, a63, a64, N, ...)                                     \
    N

// (N) becomes N. An argument without parentheses means that there are too many: it becomes MANY.
#define KITH_FITS_(N)        KITH_FITS2_(KITH_FITTING_ N, MANY, ~)
#define KITH_FITS2_(...)     KITH_SECOND_(__VA_ARGS__)
#define KITH_FITTING_(N)     ~, N
#define KITH_OPEN_(...)      __VA_ARGS__
#define KITH_JOIN_(A, B, C)  KITH_JOIN2_(A, B, C)
#define KITH_JOIN2_(A, B, C) A##B##C

// Expands to SAYS(NAME) if the count is MANY.
#define KITH_REFUSE_MANY_(COUNT, SAYS, NAME) KITH_REFUSE_(KITH_IF_##COUNT(SAYS), NAME)
#define KITH_IF_MANY(SAYS)                   ~, SAYS

// Expands to M(Q, X) for each of COUNT arguments, nothing between; for MANY only for the first.
#define KITH_MAP_(COUNT, M, Q, ...)        KITH_MAP##COUNT##_(M, Q, __VA_ARGS__)
#define KITH_MAPMANY_(M, Q, A, ...)        M(Q, A)
#define KITH_MAP1_(M, Q, A)                M(Q, A)
#define KITH_MAP2_(M, Q, A, B)             M(Q, A) M(Q, B)
#define KITH_MAP3_(M, Q, A, B, C)          M(Q, A) M(Q, B) M(Q, C)
#define KITH_MAP4_(M, Q, A, B, C, D)       M(Q, A) M(Q, B) M(Q, C) M(Q, D)
#define KITH_MAP5_(M, Q, A, B, C, D, E)    M(Q, A) M(Q, B) M(Q, C) M(Q, D) M(Q, E)
#define KITH_MAP6_(M, Q, A, B, C, D, E, F) M(Q, A) M(Q, B) M(Q, C) M(Q, D) M(Q, E) M(Q, F)
#define KITH_MAP7_(M, Q, A, B, C, D, E, F, G)                                                      \
    M(Q, A) M(Q, B) M(Q, C) M(Q, D) M(Q, E) M(Q, F) M(Q, G)
#define KITH_MAP8_(M, Q, A, B, C, D, E, F, G, H)                                                   \
    M(Q, A) M(Q, B) M(Q, C) M(Q, D) M(Q, E) M(Q, F) M(Q, G) M(Q, H)
#define KITH_MAP9_(M, Q, A, B, C, ...)  M(Q, A) M(Q, B) M(Q, C) KITH_MAP6_(M, Q, __VA_ARGS__)
#define KITH_MAP10_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP7_(M, Q, __VA_ARGS__)
#define KITH_MAP11_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP8_(M, Q, __VA_ARGS__)
#define KITH_MAP12_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP9_(M, Q, __VA_ARGS__)
#define KITH_MAP13_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP10_(M, Q, __VA_ARGS__)
#define KITH_MAP14_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP11_(M, Q, __VA_ARGS__)
#define KITH_MAP15_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP12_(M, Q, __VA_ARGS__)
#define KITH_MAP16_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP13_(M, Q, __VA_ARGS__)
#define KITH_MAP17_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP14_(M, Q, __VA_ARGS__)
#define KITH_MAP18_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP15_(M, Q, __VA_ARGS__)
#define KITH_MAP19_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP16_(M, Q, __VA_ARGS__)
#define KITH_MAP20_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP17_(M, Q, __VA_ARGS__)
#define KITH_MAP21_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP18_(M, Q, __VA_ARGS__)
#define KITH_MAP22_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP19_(M, Q, __VA_ARGS__)
#define KITH_MAP23_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP20_(M, Q, __VA_ARGS__)
#define KITH_MAP24_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP21_(M, Q, __VA_ARGS__)
#define KITH_MAP25_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP22_(M, Q, __VA_ARGS__)
#define KITH_MAP26_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP23_(M, Q, __VA_ARGS__)
#define KITH_MAP27_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP24_(M, Q, __VA_ARGS__)
#define KITH_MAP28_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP25_(M, Q, __VA_ARGS__)
#define KITH_MAP29_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP26_(M, Q, __VA_ARGS__)
#define KITH_MAP30_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP27_(M, Q, __VA_ARGS__)
#define KITH_MAP31_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP28_(M, Q, __VA_ARGS__)
#define KITH_MAP32_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP29_(M, Q, __VA_ARGS__)
#define KITH_MAP33_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP30_(M, Q, __VA_ARGS__)
#define KITH_MAP34_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP31_(M, Q, __VA_ARGS__)
#define KITH_MAP35_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP32_(M, Q, __VA_ARGS__)
#define KITH_MAP36_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP33_(M, Q, __VA_ARGS__)
#define KITH_MAP37_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP34_(M, Q, __VA_ARGS__)
#define KITH_MAP38_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP35_(M, Q, __VA_ARGS__)
#define KITH_MAP39_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP36_(M, Q, __VA_ARGS__)
#define KITH_MAP40_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP37_(M, Q, __VA_ARGS__)
#define KITH_MAP41_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP38_(M, Q, __VA_ARGS__)
#define KITH_MAP42_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP39_(M, Q, __VA_ARGS__)
#define KITH_MAP43_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP40_(M, Q, __VA_ARGS__)
#define KITH_MAP44_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP41_(M, Q, __VA_ARGS__)
#define KITH_MAP45_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP42_(M, Q, __VA_ARGS__)
#define KITH_MAP46_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP43_(M, Q, __VA_ARGS__)
#define KITH_MAP47_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP44_(M, Q, __VA_ARGS__)
#define KITH_MAP48_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP45_(M, Q, __VA_ARGS__)
#define KITH_MAP49_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP46_(M, Q, __VA_ARGS__)
#define KITH_MAP50_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP47_(M, Q, __VA_ARGS__)
#define KITH_MAP51_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP48_(M, Q, __VA_ARGS__)
#define KITH_MAP52_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP49_(M, Q, __VA_ARGS__)
#define KITH_MAP53_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP50_(M, Q, __VA_ARGS__)
#define KITH_MAP54_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP51_(M, Q, __VA_ARGS__)
#define KITH_MAP55_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP52_(M, Q, __VA_ARGS__)
#define KITH_MAP56_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP53_(M, Q, __VA_ARGS__)
#define KITH_MAP57_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP54_(M, Q, __VA_ARGS__)
#define KITH_MAP58_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP55_(M, Q, __VA_ARGS__)
#define KITH_MAP59_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP56_(M, Q, __VA_ARGS__)
#define KITH_MAP60_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP57_(M, Q, __VA_ARGS__)
#define KITH_MAP61_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP58_(M, Q, __VA_ARGS__)
#define KITH_MAP62_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP59_(M, Q, __VA_ARGS__)
#define KITH_MAP63_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP60_(M, Q, __VA_ARGS__)
#define KITH_MAP64_(M, Q, A, B, C, ...) M(Q, A) M(Q, B) M(Q, C) KITH_MAP61_(M, Q, __VA_ARGS__)

// Each id differs from the later ones. `&` is used since clang takes quadratic time for many `&&`.
#define KITH_ID_(Q, A, MAP, ...)                                                                   \
    KITH_STATIC_ASSERT_(1 MAP(KITH_UNLIKE_, A, __VA_ARGS__),                                       \
                        "module " #Q ": " #A " has the same id as another component");
#define KITH_IDSMANY_(Q, A, ...)
#define KITH_IDS1_(Q, A)
#define KITH_IDS2_(Q, A, ...)  KITH_ID_(Q, A, KITH_MAP1_, __VA_ARGS__) KITH_IDS1_(Q, __VA_ARGS__)
#define KITH_IDS3_(Q, A, ...)  KITH_ID_(Q, A, KITH_MAP2_, __VA_ARGS__) KITH_IDS2_(Q, __VA_ARGS__)
#define KITH_IDS4_(Q, A, ...)  KITH_ID_(Q, A, KITH_MAP3_, __VA_ARGS__) KITH_IDS3_(Q, __VA_ARGS__)
#define KITH_IDS5_(Q, A, ...)  KITH_ID_(Q, A, KITH_MAP4_, __VA_ARGS__) KITH_IDS4_(Q, __VA_ARGS__)
#define KITH_IDS6_(Q, A, ...)  KITH_ID_(Q, A, KITH_MAP5_, __VA_ARGS__) KITH_IDS5_(Q, __VA_ARGS__)
#define KITH_IDS7_(Q, A, ...)  KITH_ID_(Q, A, KITH_MAP6_, __VA_ARGS__) KITH_IDS6_(Q, __VA_ARGS__)
#define KITH_IDS8_(Q, A, ...)  KITH_ID_(Q, A, KITH_MAP7_, __VA_ARGS__) KITH_IDS7_(Q, __VA_ARGS__)
#define KITH_IDS9_(Q, A, ...)  KITH_ID_(Q, A, KITH_MAP8_, __VA_ARGS__) KITH_IDS8_(Q, __VA_ARGS__)
#define KITH_IDS10_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP9_, __VA_ARGS__) KITH_IDS9_(Q, __VA_ARGS__)
#define KITH_IDS11_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP10_, __VA_ARGS__) KITH_IDS10_(Q, __VA_ARGS__)
#define KITH_IDS12_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP11_, __VA_ARGS__) KITH_IDS11_(Q, __VA_ARGS__)
#define KITH_IDS13_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP12_, __VA_ARGS__) KITH_IDS12_(Q, __VA_ARGS__)
#define KITH_IDS14_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP13_, __VA_ARGS__) KITH_IDS13_(Q, __VA_ARGS__)
#define KITH_IDS15_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP14_, __VA_ARGS__) KITH_IDS14_(Q, __VA_ARGS__)
#define KITH_IDS16_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP15_, __VA_ARGS__) KITH_IDS15_(Q, __VA_ARGS__)
#define KITH_IDS17_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP16_, __VA_ARGS__) KITH_IDS16_(Q, __VA_ARGS__)
#define KITH_IDS18_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP17_, __VA_ARGS__) KITH_IDS17_(Q, __VA_ARGS__)
#define KITH_IDS19_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP18_, __VA_ARGS__) KITH_IDS18_(Q, __VA_ARGS__)
#define KITH_IDS20_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP19_, __VA_ARGS__) KITH_IDS19_(Q, __VA_ARGS__)
#define KITH_IDS21_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP20_, __VA_ARGS__) KITH_IDS20_(Q, __VA_ARGS__)
#define KITH_IDS22_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP21_, __VA_ARGS__) KITH_IDS21_(Q, __VA_ARGS__)
#define KITH_IDS23_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP22_, __VA_ARGS__) KITH_IDS22_(Q, __VA_ARGS__)
#define KITH_IDS24_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP23_, __VA_ARGS__) KITH_IDS23_(Q, __VA_ARGS__)
#define KITH_IDS25_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP24_, __VA_ARGS__) KITH_IDS24_(Q, __VA_ARGS__)
#define KITH_IDS26_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP25_, __VA_ARGS__) KITH_IDS25_(Q, __VA_ARGS__)
#define KITH_IDS27_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP26_, __VA_ARGS__) KITH_IDS26_(Q, __VA_ARGS__)
#define KITH_IDS28_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP27_, __VA_ARGS__) KITH_IDS27_(Q, __VA_ARGS__)
#define KITH_IDS29_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP28_, __VA_ARGS__) KITH_IDS28_(Q, __VA_ARGS__)
#define KITH_IDS30_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP29_, __VA_ARGS__) KITH_IDS29_(Q, __VA_ARGS__)
#define KITH_IDS31_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP30_, __VA_ARGS__) KITH_IDS30_(Q, __VA_ARGS__)
#define KITH_IDS32_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP31_, __VA_ARGS__) KITH_IDS31_(Q, __VA_ARGS__)
#define KITH_IDS33_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP32_, __VA_ARGS__) KITH_IDS32_(Q, __VA_ARGS__)
#define KITH_IDS34_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP33_, __VA_ARGS__) KITH_IDS33_(Q, __VA_ARGS__)
#define KITH_IDS35_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP34_, __VA_ARGS__) KITH_IDS34_(Q, __VA_ARGS__)
#define KITH_IDS36_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP35_, __VA_ARGS__) KITH_IDS35_(Q, __VA_ARGS__)
#define KITH_IDS37_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP36_, __VA_ARGS__) KITH_IDS36_(Q, __VA_ARGS__)
#define KITH_IDS38_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP37_, __VA_ARGS__) KITH_IDS37_(Q, __VA_ARGS__)
#define KITH_IDS39_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP38_, __VA_ARGS__) KITH_IDS38_(Q, __VA_ARGS__)
#define KITH_IDS40_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP39_, __VA_ARGS__) KITH_IDS39_(Q, __VA_ARGS__)
#define KITH_IDS41_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP40_, __VA_ARGS__) KITH_IDS40_(Q, __VA_ARGS__)
#define KITH_IDS42_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP41_, __VA_ARGS__) KITH_IDS41_(Q, __VA_ARGS__)
#define KITH_IDS43_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP42_, __VA_ARGS__) KITH_IDS42_(Q, __VA_ARGS__)
#define KITH_IDS44_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP43_, __VA_ARGS__) KITH_IDS43_(Q, __VA_ARGS__)
#define KITH_IDS45_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP44_, __VA_ARGS__) KITH_IDS44_(Q, __VA_ARGS__)
#define KITH_IDS46_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP45_, __VA_ARGS__) KITH_IDS45_(Q, __VA_ARGS__)
#define KITH_IDS47_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP46_, __VA_ARGS__) KITH_IDS46_(Q, __VA_ARGS__)
#define KITH_IDS48_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP47_, __VA_ARGS__) KITH_IDS47_(Q, __VA_ARGS__)
#define KITH_IDS49_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP48_, __VA_ARGS__) KITH_IDS48_(Q, __VA_ARGS__)
#define KITH_IDS50_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP49_, __VA_ARGS__) KITH_IDS49_(Q, __VA_ARGS__)
#define KITH_IDS51_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP50_, __VA_ARGS__) KITH_IDS50_(Q, __VA_ARGS__)
#define KITH_IDS52_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP51_, __VA_ARGS__) KITH_IDS51_(Q, __VA_ARGS__)
#define KITH_IDS53_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP52_, __VA_ARGS__) KITH_IDS52_(Q, __VA_ARGS__)
#define KITH_IDS54_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP53_, __VA_ARGS__) KITH_IDS53_(Q, __VA_ARGS__)
#define KITH_IDS55_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP54_, __VA_ARGS__) KITH_IDS54_(Q, __VA_ARGS__)
#define KITH_IDS56_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP55_, __VA_ARGS__) KITH_IDS55_(Q, __VA_ARGS__)
#define KITH_IDS57_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP56_, __VA_ARGS__) KITH_IDS56_(Q, __VA_ARGS__)
#define KITH_IDS58_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP57_, __VA_ARGS__) KITH_IDS57_(Q, __VA_ARGS__)
#define KITH_IDS59_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP58_, __VA_ARGS__) KITH_IDS58_(Q, __VA_ARGS__)
#define KITH_IDS60_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP59_, __VA_ARGS__) KITH_IDS59_(Q, __VA_ARGS__)
#define KITH_IDS61_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP60_, __VA_ARGS__) KITH_IDS60_(Q, __VA_ARGS__)
#define KITH_IDS62_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP61_, __VA_ARGS__) KITH_IDS61_(Q, __VA_ARGS__)
#define KITH_IDS63_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP62_, __VA_ARGS__) KITH_IDS62_(Q, __VA_ARGS__)
#define KITH_IDS64_(Q, A, ...) KITH_ID_(Q, A, KITH_MAP63_, __VA_ARGS__) KITH_IDS63_(Q, __VA_ARGS__)

// clang-format on

#endif
