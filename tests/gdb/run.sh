#!/bin/sh
# SPDX-License-Identifier: MIT
# Stops a program in gdb and compares what tools/kith_gdb.py prints.
#
# usage: run.sh DIRECTORY C_COMPILER        exit code 77: gdb, or its Python, is not installed
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
gdb --batch -ex 'python print("python")' 2>/dev/null | grep -q python || {
    echo "skipped: gdb with Python is not installed"
    exit 77
}
mkdir -p "$1"
cd "$1"
sh "$root/tools/amalgamate.sh" vendor/kith
"$2" -std=c11 -g -O0 -pthread -Ivendor vendor/kith/kith.c "$here/program.c" -o program

gdb --nx --batch -ex 'set width 0' -ex 'set confirm off' -ex "source $root/tools/kith_gdb.py" \
    -ex 'set disable-randomization off' -ex 'break stop_here' -ex run \
    -ex 'echo @entity\n' -ex 'output first' -ex 'echo \n@none\n' -ex 'output *none' \
    -ex 'echo \n@open\n' -ex 'output *open' -ex 'echo \n@closed\n' -ex 'output *closed' \
    -ex 'echo \n@untyped\n' -ex 'output *untyped' \
    -ex 'echo \n@world\n' -ex 'output *world' -ex 'echo \n' -ex kill \
    ./program >gdb.out 2>&1 </dev/null || true

# what ptrace forbids cannot be tested
if grep -q 'Could not trace\|Operation not permitted\|Cannot PTRACE' gdb.out; then
    echo "skipped: gdb may not trace a program here"
    exit 77
fi
# addresses differ from run to run
sed -n '/^@entity/,$p' gdb.out |
    sed 's/0x[0-9a-f][0-9a-f][0-9a-f]*/ADDRESS/g; /^\[Inferior/d' >printed.txt
diff -u "$here/expected.txt" printed.txt || {
    echo "kith_gdb.py prints something else"
    tail -n 20 gdb.out
    exit 1
}
echo "gdb prints entities, cursors and worlds"
