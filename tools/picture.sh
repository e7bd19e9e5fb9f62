#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws docs/pools.svg, the picture of README.md, from a run of the library.
#
# usage: picture.sh        the test "picture" says whether the file is up to date
set -eu
cd "$(dirname "$0")/.."
build=build/picture
sh tools/quiet.sh 'Configuring' $build/configure.log cmake -S . -B $build -DKITH_ZSTD=OFF \
    -DKITH_TESTS=OFF -DKITH_CLI=OFF -DKITH_EXAMPLES=OFF
sh tools/quiet.sh 'Building the library' $build/build.log cmake --build $build --parallel 2
"${CC:-cc}" -std=c11 -Iinclude tools/pools_picture.c $build/src/libkith.a -pthread -o $build/pools
$build/pools >$build/pools.svg
mv $build/pools.svg docs/pools.svg
echo docs/pools.svg
