#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that the checks can fail: plants one breach after the other into a copy of the repository
# and expects the check to find it.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failures=0
count=0

# breach FILE TEXT CHECK FRAGMENT: with TEXT at the top of FILE the check fails and says FRAGMENT
breach() {
    cp "$copy/$1" "$copy/original"
    { printf '%b\n' "$2" && cat "$copy/original"; } >"$copy/$1"
    expect_failure "$@"
}

# change FILE SCRIPT CHECK FRAGMENT: the same with FILE changed by sed
change() {
    cp "$copy/$1" "$copy/original"
    sed "$2" "$copy/original" >"$copy/$1"
    expect_failure "$@"
}

expect_failure() {
    count=$((count + 1))
    output=$("$copy/tools/$3.sh" 2>&1)
    status=$?
    mv "$copy/original" "$copy/$1"
    if [ $status -eq 77 ]; then
        echo "$3: $output"
    elif [ $status -eq 0 ] || ! echo "$output" | grep -qF -- "$4"; then
        echo "$3 does not report \"$4\" (exit code $status): $output"
        failures=$((failures + 1))
    fi
}

cp "$root/README.md" "$root/CMakeLists.txt" "$root/Makefile" "$copy"
for part in include src tools tests examples docs bench; do
    mkdir -p "$copy/$part"
    cp -R "$root/$part/." "$copy/$part"
done

breach src/base/alloc.c '#include "store/pool.h"' check_layers \
    'src/base/alloc.c includes store/pool.h: store is to the right of base'
breach src/base/alloc.c '#include "other.h"' check_layers 'no file of src/ itself can be used'
breach src/base/base.h '#include "base/alloc.h"' check_layers 'headers include each other'
breach include/kith/base.h '#include "world.h"' check_layers 'headers include each other'
breach src/CMakeLists.txt '    other.c' check_layers '> other.c'

licence='// SPDX-License-Identifier: MIT'
wide=$(printf '%0101d' 0)
breach src/base/alloc.c '\n\n' check_repository 'no licence line'
breach tests/kith_test.c "$licence\nint a;" check_repository 'no first sentence'
breach src/base/alloc.c "$licence\n// caf\303\251" check_repository 'not ASCII'
breach src/base/alloc.c "$licence\n// $wide" check_repository 'longer than 100 columns'
breach src/base/alloc.c "$licence\n\tint a;" check_repository '(tab)'
breach src/base/alloc.c "$licence\nint a; " check_repository 'space at the end'
breach src/base/alloc.c "$licence\n// TO""DO" check_repository 'loose end'
breach src/base/alloc.c "$licence\n// /ho""me/me/kith" check_repository 'path of a machine'
breach src/base/alloc.c "$licence\n// ht""tp://example.invalid" check_repository 'unknown place'
breach src/base/alloc.c "$licence\n// GCOVR_EXCL_LINE" check_repository 'exclusion without a reason'
breach src/base/alloc.c "$licence\n// somebo""dy allocates" check_repository 'about a person'
breach tests/kith_test.c "$licence\n// nobo""dy tests" check_repository 'about a person'
breach docs/design.md 'kith_no_such_call' check_repository 'no such function'
breach docs/choosing.md 'kith_no_such_call' check_repository 'not in the public headers'
breach docs/coming-from.md 'views.c, `show_nothing`' check_repository 'not in this example'
change README.md "s/^| add a component | ../&9/" check_repository "writes another figure"
change docs/design.md 's/query_cache/other/g' check_repository 'not in docs/design.md'
breach docs/guide.md '[a](design.md) [b](nowhere.md)' check_repository 'nowhere.md'
breach include/kith/base.h "$licence\n#include <stdio.h>" check_repository 'do with less'
unnamed='typedef enum kith_mood {\n    KITH_MOOD_CALM = 0\n} kith_mood;'
breach include/kith/base.h "$licence\n$unnamed" check_repository \
    'kith_mood    (has no name function'
change include/kith/base.h 's/^    KITH_OK .*/&\n    KITH_ERROR_NEW = 18,/' check_repository \
    'kith_error_code: KITH_ERROR_NEW'

change include/kith/group.h 's/^\/\/ Threads /\/\/ Others /' check_threads \
    'include/kith/group.h does not say which threads'
breach include/kith/json.h 'KITH_API void kith_x(void);' check_threads \
    'include/kith/json.h does not say which threads' # above the paragraph

# once: hierarchy.h includes kith.h too
header=include/kith/kith.h
once='#pragma once\n'
plain="${once}typedef struct kith_x { int a;"
breach $header "$plain union { int b; } c; } kith_x;" check_bindings 'union'
breach $header "$plain struct { int b; }; } kith_x;" check_bindings 'anonymous struct'
breach $header "$plain int b : 3; } kith_x;" check_bindings 'bit-field'
breach $header "$once"'typedef struct { int a; } kith_x;' check_bindings 'anonymous struct'
breach $header "$once"'void kith_x(int a, ...);' check_bindings 'variadic'
breach $header "$once"'enum kith_x { KITH_X = 1 + 1 };' check_bindings 'no literal'
breach $header "$once"'enum kith_x { KITH_X };' check_bindings 'value not written'
inline='static inline int kith_x(void) { return 1; }'
breach $header "$once$inline" check_bindings 'only inline'

# run_page.sh finds an output that differs, a command that fails, and a page without output.
# expect_page TEXT FRAGMENT
expect_page() {
    count=$((count + 1))
    printf '%b' "$1" >"$copy/page.md"
    if said=$(sh "$root/tools/run_page.sh" "$copy/page.md" "$copy/page" 2>&1) ||
        ! echo "$said" | grep -qF -- "$2"; then
        echo "run_page.sh does not report \"$2\": $said"
        failures=$((failures + 1))
    fi
}
written='```c a.c\nint a;\n```\n'
expect_page "$written"'```sh\nls kith/src\ncat a.c\n```\n```output\nint b;\n```\n' '+int a;'
expect_page '```sh\nfalse\necho a\n```\n```output\na\n```\n' 'this failed'
expect_page '```sh\ntrue\n```\n' 'shows no output'

# in the copy, the limits of now are those of the commit before
git_in_copy() {
    git -C "$copy" -c user.name=kith -c user.email=kith@example.invalid "$@" >/dev/null 2>&1
}
if git_in_copy init && git_in_copy add tools && git_in_copy commit -m limits; then
    change tools/limits.txt 's/^files  */&9/' check_limits 'the limit of files rose'
    change tools/limits.txt 's/^src\/base  */&9/' check_limits 'the limit of src rose'
fi
change tools/limits.txt 's/^files .*/files 9/' check_limits 'files grew beyond its limit'
change tools/limits.txt '/^src /d' check_limits 'src has no line'
breach src/base/alloc.c "$(yes 'int a;' | head -9999)" check_limits 'src/base grew beyond its limit'

# need.sh says what it installs before it does, and installs nothing with KITH_INSTALL=0: a stand-in
# for apt-get writes down what it is asked for.
mkdir "$copy/bin"
printf '#!/bin/sh\necho "apt-get $*" >>"%s/asked"\nexit 1\n' "$copy" >"$copy/bin/apt-get"
chmod +x "$copy/bin/apt-get"
# expect_need WORDS ASKED: what need.sh says, and whether it asks apt-get
expect_need() {
    count=$((count + 1))
    rm -f "$copy/asked"
    said=$(PATH="$copy/bin:$PATH" sh "$root/tools/need.sh" no_such_header.h=no-such-package 2>&1)
    status=$?
    asked=no
    [ ! -e "$copy/asked" ] || asked=yes
    if [ $status -eq 0 ] || [ $asked != "$2" ] || ! echo "$said" | grep -qF -- "$1"; then
        echo "need.sh, status $status, asks apt-get: $asked, says: $said"
        failures=$((failures + 1))
    fi
}
KITH_INSTALL=0 expect_need 'apt-get install no-such-package' no
if [ "$(id -u)" -eq 0 ]; then
    KITH_INSTALL=1 expect_need 'Installing Debian packages: no-such-package' yes
fi

echo "$count planted breaches and refusals, $failures not found"
[ $failures -eq 0 ]
