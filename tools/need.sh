#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs Debian packages that are missing, or says what to install. With KITH_INSTALL=0 in the
# environment it installs nothing.
#
# usage: need.sh THING=PACKAGE ...        THING: a command, a file ("/usr/..."), a header
#                                         ("name.h"), or a flag that clang can link with
#                                         ("-fsanitize=memory")
set -u

# cmocka's header wants the three others before it.
present() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *.h) printf '#include <%s>\n' setjmp.h stdarg.h stddef.h stdint.h "$1" |
        ${CC:-cc} -fsyntax-only -x c - 2>/dev/null ;;
    -*) echo 'int main(void) { return 0; }' | clang "$1" -x c - -o /dev/null 2>/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# Without a compiler no header is found, whatever is installed.
case " $*" in
*" gcc="*) ;;
*) if ! echo 'int main(void) { return 0; }' | ${CC:-cc} -fsyntax-only -x c - 2>/dev/null; then
    echo "The C compiler '${CC:-cc}' is missing or does not work (Debian: gcc)." >&2
    exit 1
fi ;;
esac

list_missing() {
    for need in "$@"; do
        present "${need%=*}" || echo "${need##*=}"
    done | sort -u
}

give_up() {
    echo "Missing packages: $missing" >&2
    echo "$1 Install them with your package manager, for example:" >&2
    echo "    apt-get install $missing" >&2
    exit 1
}

missing=$(list_missing "$@" | tr '\n' ' ')
[ -n "$missing" ] || exit 0
[ "${KITH_INSTALL:-1}" != 0 ] || give_up "KITH_INSTALL=0: nothing is installed."
command -v apt-get >/dev/null || give_up "There is no apt-get here."
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root=sudo
else
    give_up "They can only be installed by root."
fi

echo "Installing Debian packages: $missing(KITH_INSTALL=0 prevents that)"
# Nothing is removed for it: compilers for other machines, for one, drive out gcc-multilib.
install() {
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        --no-remove $missing </dev/null >/dev/null 2>&1
}
# The lists of packages may be old, or there may be none yet.
install || { $as_root apt-get update -qq && install; } || give_up "apt-get could not install them."
missing=$(list_missing "$@" | tr '\n' ' ')
[ -z "$missing" ] || give_up "apt-get installed them, but they are not found."
