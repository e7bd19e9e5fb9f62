# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of kith for bash.

_kith() {
    local word=${COMP_WORDS[COMP_CWORD]}
    local options="--help --memory"
    if [ "$COMP_CWORD" -eq 1 ]; then
        options="info verify diff json load-json hash help"
        [ "${word#-}" = "$word" ] || options="-h --help --version"
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        return
    fi
    case ${COMP_WORDS[1]} in
    info) options="$options --chunks" ;;
    verify) options="$options --quiet" ;;
    diff) options="$options --all --quiet" ;;
    json) options="$options --entity --query --component --pretty" ;;
    load-json) options="$options --like" ;;
    hash) options="$options --components" ;;
    help)
        mapfile -t COMPREPLY < <(compgen -W "info verify diff json load-json hash help" -- "$word")
        return
        ;;
    esac
    # FILE@FRAME is three words for bash; frames are not completed
    if [ "$word" = @ ] || [ "${COMP_WORDS[COMP_CWORD - 1]}" = @ ]; then
        COMPREPLY=()
    elif [ "${word#-}" = "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    fi
}

complete -o filenames -F _kith kith
