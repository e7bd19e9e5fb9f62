#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs kith into a directory and uses it from there as others do: by find_package, by pkg-config
# (where that is installed), and by add_subdirectory, which must bring the library and nothing else;
# the command line tool runs from there.
#
# usage: run.sh DIRECTORY static|shared
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
cd "$1"
rm -rf prefix library consumer embedded
case $2 in
shared) shared=ON ;;
*) shared=OFF ;;
esac

quiet() {
    "$@" >log 2>&1 || {
        echo "failed: $*"
        cat log
        exit 1
    }
}

# With zstd, where it is installed: a static library must say that it needs it.
zstd=OFF
if echo '#include <zstd.h>' | "${CC:-cc}" -fsyntax-only -x c - 2>/dev/null; then
    zstd=ON
fi

quiet cmake -S "$root" -B library -DCMAKE_INSTALL_PREFIX="$PWD/prefix" -DBUILD_SHARED_LIBS=$shared \
    -DCMAKE_INSTALL_LIBDIR=lib -DKITH_TESTS=OFF -DKITH_EXAMPLES=OFF -DKITH_ZSTD=$zstd
quiet cmake --build library
quiet cmake --install library

echo "command line: $(prefix/bin/kith --version)"
for file in man/man1/kith.1 bash-completion/completions/kith zsh/site-functions/_kith; do
    quiet test -s "prefix/share/$file"
done

quiet cmake -S "$here" -B consumer -DCMAKE_PREFIX_PATH="$PWD/prefix"
quiet cmake --build consumer
echo "find_package: $(./consumer/consumer)"

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$PWD/prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046 # the flags are words
    quiet "${CC:-cc}" -std=c11 "$here/main.c" $(pkg-config --cflags --libs kith) -o by_pkg_config
    echo "pkg-config: $(LD_LIBRARY_PATH=$PWD/prefix/lib ./by_pkg_config)"
    [ "$(pkg-config --modversion kith)" = "$(./consumer/consumer | sed 's/kith \(.*\),.*/\1/')" ]
else
    echo "pkg-config: skipped, it is not installed"
fi

if command -v "${CXX:-c++}" >/dev/null; then
    quiet "${CXX:-c++}" -std=c++17 -Iprefix/include -fsyntax-only "$root/examples/cpp.cpp"
    echo "kith.hpp: compiles where it is installed"
fi

mkdir embedded
cat >embedded/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.21)
project(embedder LANGUAGES C)
add_subdirectory("$root" kith)
add_executable(embedder "$here/main.c")
target_link_libraries(embedder PRIVATE kith::kith)
get_property(targets DIRECTORY "$root" PROPERTY BUILDSYSTEM_TARGETS)
get_property(cache DIRECTORY PROPERTY CACHE_VARIABLES)
list(FILTER cache INCLUDE REGEX "^KITH_")
message(STATUS "options: \${cache}")
if(targets OR NOT cache STREQUAL
        "KITH_DEBUG;KITH_ENABLE_ASSERT;KITH_INSTALL;KITH_THREADS;KITH_ZSTD")
    message(FATAL_ERROR "kith brings more than its library: \${targets} \${cache}")
endif()
END
quiet cmake -S embedded -B embedded/build -DBUILD_SHARED_LIBS=$shared -DCMAKE_BUILD_TYPE=Debug
quiet cmake --build embedded/build
echo "add_subdirectory: $(./embedded/build/embedder)"
