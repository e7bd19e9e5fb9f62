#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the reference with doxygen and fails when a function has no description or doxygen has
# anything else to say. Fields and constants need one only where their name does not say it.
#
# usage: docs.sh DIRECTORY
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(awk '/#define KITH_VERSION_/ { printf "%s%s", dot, $3; dot = "." }' include/kith/base.h)

{
    cat docs/Doxyfile
    echo "PROJECT_NUMBER = $version"
    echo "OUTPUT_DIRECTORY = $out"
    echo "WARN_LOGFILE = $out/warnings.txt"
} | doxygen -

if grep -vE '\((variable|macro definition|enumeration|typedef)\) of .* is not documented' \
    "$out/warnings.txt"; then
    exit 1
fi
echo "$out/index.html"
