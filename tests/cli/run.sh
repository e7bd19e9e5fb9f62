#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line tool: each command, each exit code, each message; and that the manual and the
# completions know every option.
#
# usage: run.sh KITH MAKE_SAMPLES DIRECTORY
set -u
kith=$1
samples=$2
sources=$(cd "$(dirname "$0")/../../cli" && pwd)
rm -rf "$3"
mkdir -p "$3" && cd "$3" || exit 1
failures=0
checks=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# run CODE ARGUMENT ...: runs kith, which is to end with that code; output in out and err
run() {
    code=$1
    shift
    checks=$((checks + 1))
    "$kith" "$@" >out 2>err
    got=$?
    [ $got -eq "$code" ] || {
        cat err
        fail "kith $*: exit code $got, not $code"
    }
    what="kith $*"
}

# says FILE TEXT: one of its lines is this; has FILE TEXT: one of them contains it
says() {
    grep -qxF -- "$2" "$1" || {
        cat "$1"
        fail "$what: $1 does not say: $2"
    }
}

has() {
    grep -qF -- "$2" "$1" || {
        cat "$1"
        fail "$what: $1 has no: $2"
    }
}

silent() {
    [ ! -s "$1" ] || {
        cat "$1"
        fail "$what: $1 is not empty"
    }
}

# fails CODE TEXT ARGUMENT ...: a complaint of one line and nothing else
fails() {
    code=$1
    text=$2
    shift 2
    run "$code" "$@"
    says err "kith: $text"
    silent out
    [ "$(wc -l <err)" -eq 1 ] || fail "$what: it complains more than once"
}

# Prints what a shell command prints to a terminal, both streams. Fails where none can be made.
if script --version 2>/dev/null | grep -q util-linux; then
    on_terminal() {
        script -qec "$1" /dev/null </dev/null | tr -d '\r'
    }
elif command -v python3 >/dev/null && python3 -c 'import pty' 2>/dev/null; then
    on_terminal() {
        python3 -c 'import pty, sys; pty.spawn(["sh", "-c", sys.argv[1]])' "$1" </dev/null |
            tr -d '\r'
    }
else
    on_terminal() {
        return 1
    }
fi
escape=$(printf '\033')

# damage FILE FROM OFFSET: a copy in which the byte at an offset is another
damage() {
    cp "$2" "$1"
    byte=$(od -An -tu1 -j "$3" -N 1 "$2" | tr -d ' ')
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf '%03o' $((byte ^ 1)))" |
        dd of="$1" bs=1 seek="$3" conv=notrunc 2>/dev/null
}

mkdir flips
"$samples" . || {
    echo "no samples"
    exit 1
}

# --- the program itself ---

run 0 --help
says out "usage: kith COMMAND [OPTION]... FILE..."
cp out help
run 0 -h
cmp -s out help || fail "kith -h is not kith --help"
run 0 help
cmp -s out help || fail "kith help is not kith --help"
run 0 help diff
says out "usage: kith diff [--all] [--quiet] FILE FILE"
cp out help_diff
run 0 diff --help
cmp -s out help_diff || fail "kith help diff is not kith diff --help"
run 0 help help
says out "usage: kith help [COMMAND]"
fails 2 "there is no command inform: see kith --help" help inform
fails 2 "usage: kith help [COMMAND]" help info diff
run 0 --version
grep -qxE 'kith [0-9]+\.[0-9]+\.[0-9]+' out || fail "kith --version"
fails 2 "a command is missing: see kith --help"
fails 2 "there is no command inform: see kith --help" inform
fails 2 "there is no command --verbose: see kith --help" --verbose
fails 2 "diff has no option --chunks: see kith diff --help" diff --chunks town.kith moved.kith
fails 2 "info has no option --chunk: see kith info --help" info --chunk town.kith
fails 2 "usage: kith info [--chunks] FILE" info
fails 2 "usage: kith info [--chunks] FILE" info town.kith moved.kith
fails 2 "usage: kith verify [--quiet] FILE..." verify
fails 2 "usage: kith diff [--all] [--quiet] FILE FILE" diff town.kith
fails 2 "usage: kith json [--entity ENTITY | --query QUERY] [--component NAME]...\
 [--pretty] FILE" json
fails 2 "usage: kith load-json --like FILE IN.json OUT.kith" load-json --like town.kith town.json
fails 2 "usage: kith hash [--components] FILE" hash --components
cp town.kith ./--all
run 0 verify -- --all
says out "--all: ok"
if [ -c /dev/full ]; then
    "$kith" json town.kith >/dev/full 2>err
    [ $? -eq 2 ] || fail "a full disk goes unnoticed"
    what="kith json >/dev/full"
    says err "kith: cannot write: No space left on device"
    "$kith" json large.kith >/dev/full 2>err
    [ $? -eq 2 ] || fail "a full disk goes unnoticed in the middle"
    what="kith json large.kith >/dev/full"
    has err "kith: cannot write"
    grep -q Success err && fail "$what: it calls that a success"
fi

# --- files that are no snapshots, for every command ---

: >nothing
echo "some text" >text
head -c 5 town.kith >beginning
head -c 20 town.kith >half_head
printf '\211kith\n\032 the rest of it is there' >converted
damage bad_head town.kith 12
mkdir directory
for command in info verify json hash; do
    fails 2 "absent: No such file or directory" $command absent
    fails 2 "directory: Is a directory" $command directory
    fails 1 "nothing: it is empty" $command nothing
    fails 1 "text: not a kith snapshot" $command text
    fails 1 "beginning: it is cut off in its head" $command beginning
    fails 1 "half_head: it is cut off in its head" $command half_head
    fails 1 "converted: it was copied as text: its line ends changed" $command converted
    fails 1 "bad_head: its head is damaged" $command bad_head
    fails 1 "newer.kith: it was made by a newer version of kith" $command newer.kith
done
fails 2 "absent: No such file or directory" diff town.kith absent
fails 2 "text: not a kith snapshot" diff text town.kith
fails 2 "standard input: it can be read only once" diff - -

# --- files that are damaged ---

end=$(($(wc -c <town.kith) - 48)) # where the last chunk begins
head -c 1000 town.kith >cut_off
head -c $((end + 4)) town.kith >cut_late
damage bad_chunk town.kith 70
damage bad_end town.kith $((end + 45))
for command in verify json hash; do
    run 1 $command cut_off
    has err "kith: cut_off: the file ends in the middle of a chunk, at byte "
    silent out
    run 1 $command bad_chunk
    says err "kith: bad_chunk: the checksum of a chunk is wrong, at byte 24"
done
fails 1 "bad_end: the checksum of a chunk is wrong, at byte $end" verify bad_end
fails 1 "cut_late: the file ends too early, at byte $end" verify cut_late
run 1 verify town.kith cut_off moved.kith
says out "town.kith: ok"
says out "moved.kith: ok"
run 2 verify cut_off absent
run 1 verify --quiet town.kith cut_off
silent out

# --- files that ask for more memory than they may have ---

over="the limit is 100000 (kith_load_desc.bytes), at byte "
for command in info verify json hash; do
    run 2 $command --memory 100000 large.kith
    has err "kith: large.kith: the file asks for at least "
    has err "$over"
    has err ": see --memory"
    run 0 $command large.kith --memory 100000000
    silent err
    run 0 $command --memory 0 large.kith
    run 0 $command --memory 99999999999999999999999999 large.kith
    fails 2 "--memory needs a number of bytes" $command large.kith --memory
    fails 2 "--memory needs a number of bytes" $command --memory 1G large.kith
    fails 2 "--memory needs a number of bytes" $command --memory -1 large.kith
done
run 2 diff --memory 100000 large.kith town.kith
has err "$over"

# --- info ---

run 0 info town.kith
silent err
says out "format      0"
says out "size        $(($(wc -c <town.kith))) bytes"
says out "tick        2"
says out "entities    7 living, 1 free, 0 retired"
says out "handles     first index 0, versions up to 4294967295, free indices newest first"
says out "components  8"
tr -s ' ' <out >words
has words " spot value swap fields 7 0 "
has words " crew value swap fields 1 0 "
has words " mass value swap plain(4) 7 0 "
has words " note value swap functions 1 0 "
has words " loud tag swap - 1 0 "
has words " asleep flag - - 1 0 "
has words " season singleton - fields 1 0 "
grep -qE "^ pin value stable plain\(8\) 8 2 [0-9]+ \(version 3\)$" words || fail "no pin"
says out "        x: f32, in m"
says out "        floor: i16"
says out "        at: struct"
says out "            y: f32, in m"
says out "        mood: enum CALM = 0, ANGRY = 7"
says out "        ship: entity"
says out "        seats[3]: u8"
says out "        name[8]: chars"
says out "        day: u32, in days"
chunks=$(sed -n 's/^chunks  *//p' out)
grep -qE '^ COMP 8 [0-9]+ bytes$' words || fail "kith info does not sum up the chunks COMP"
run 0 info --chunks town.kith
tr -s ' ' <out >words
says words " 24 WRLD 52"
says words " $end ENDS 8"
[ "$(sed -n '/^ *OFFSET/,$p' out | wc -l)" -eq $((chunks + 1)) ] ||
    fail "kith info --chunks does not list all $chunks"
run 0 info empty.kith
says out "entities    0 living, 0 free, 0 retired"
run 0 info large.kith
tr -s ' ' <out >words
grep -qE "^ VALU [2-9] 4[0-9]{5} bytes$" words || fail "kith info large.kith has other values"
says out "entities    100001 living, 0 free, 0 retired"
run 0 info rude.kith
has out "ru?[31mde"
run 1 info cut_off
says out "entities    at least 0 living, 1 free, 0 retired"
says out "components  5"
has out "the file is cut off in it"
has err "kith: cut_off: the file ends in the middle of a chunk, at byte "
run 1 info cut_late
has out "the file is cut off in its head"
run 1 info bad_chunk
tr -s ' ' <out >words
says words " 24 WRLD 52 its checksum is wrong"
says out "components  8"
damage bad_chunk_head town.kith 28
run 1 info bad_chunk_head
tr -s ' ' <out >words
says words " 24 ? 0 its head is damaged"
says err "kith: bad_chunk_head: the checksum of a chunk's head is wrong, at byte 24"

run 1 info hostile.kith
says out "components  8"
tr -s ' ' <out >words
has words " crew value swap fields 1 0 "
has err "kith: hostile.kith: "

run 0 info exact.kith
says out "tick        2, with exact state"
says out "components  8"

# --- diff ---

run 0 diff town.kith town.kith
silent out
silent err
run 1 diff town.kith moved.kith
says out 'entity 0v1: "spot".x is 0 in the first world and 2.25 in the second'
says out "1 difference"
silent err
run 1 diff town.kith noted.kith
says out 'entity 3v1: "note": byte 3 is 0x64 in the first world and 0x62 in the second'
run 1 diff town.kith sorted.kith
has out 'the group of "spot" without "asleep": member 0 is 0v1 in the first world and 5v1 in the '
run 1 diff town.kith many.kith
says out "... and 11 more: see --all"
says out "31 differences"
[ "$(wc -l <out)" -eq 22 ] || fail "kith diff shows others than the first 20"
run 1 diff --all town.kith many.kith
says out 'only the second world has entity 36v1'
[ "$(wc -l <out)" -eq 32 ] || fail "kith diff --all does not show all"
run 1 diff --quiet town.kith many.kith
silent out
run 0 diff --quiet town.kith town.kith
run 1 diff - moved.kith <town.kith
says out "1 difference"

# --- json, hash ---

run 0 json town.kith
cp out town.json
has out '{"entity": "1:1", "components": {"spot": {"x": 0.5, "y": 1, "floor": -1}, "crew": '
has out '"mood": "ANGRY", "ship": "2:1", "seats": [0, 0, 0], "name": "ada"}'
has out '"note": "746f20646f"'
has out '"singletons": {"season": {"day": 42}}'
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; json.load(sys.stdin)' <town.json || fail "that is no JSON"
fi
run 0 json - <town.kith
cmp -s out town.json || fail "kith json - is another"
run 0 json --query "with crew" town.kith
silent err
has out '{"entity": "1:1", "components": {"spot": {"x": 0.5, "y": 1, "floor": -1}, "crew": '
has out '"name": "ada"}, "mass": [10], "pin": [5]}}'
[ "$(wc -l <out)" -eq 1 ] || fail "$what prints other entities"
# matches COUNT QUERY: so many entities of town.kith match
matches() {
    run 0 json --query "$2" town.kith
    [ "$(wc -l <out)" -eq "$1" ] || fail "$what prints other entities"
    python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <out ||
        fail "$what: a line is no JSON"
}
if command -v python3 >/dev/null; then
    matches 7 ""
    matches 6 "write(spot), !asleep, ?note"
    matches 1 "with asleep"
    matches 2 "any(note, loud)"
    matches 6 "read mass"
    matches 7 "read mass, disabled mass"
    matches 0 "with crew, with note"
    matches 1 'read "note"'
    matches 7 "changed spot"
fi
run 0 json town.kith --query "with crew" # of two the last one counts
run 0 json --query "x" --query "with crew" town.kith
run 0 json --query "with crew" game.kith@2
fails 2 "--query needs a query, such as \"with crew\"" json town.kith --query
fails 2 "info has no option --query: see kith info --help" info --query "with crew" town.kith
fails 2 '--query: no component of this world has this name: "cache" at column 6' \
    json --query "read cache" town.kith
fails 2 '--query: a tag has no value to read or write: take `with`: "loud" at column 17' \
    json --query "with spot, read loud" town.kith
fails 2 '--query: added needs a component with row ticks: "spot" at column 7' \
    json --query "added spot" town.kith

# --- json: chosen entities and components, indented ---

run 0 json --entity 3v1 town.kith
has out '{"entity": "3:1", "components": {"spot": {"x": 1.5, "y": 1, "floor": -1}, "mass": '
has out ', "mass": [30], "note": "746f20646f", "pin": [5]}}'
[ "$(wc -l <out)" -eq 1 ] || fail "$what prints other entities"
run 0 json --entity 5v1 --component mass town.kith
says out '{"entity": "5:1", "components": {"mass": [50]}, "disabled": ["mass"]}'
run 0 json --component note --component loud town.kith
printf '%s\n' '{"kith": 0, "entities": [' \
    '{"entity": "2:1", "components": {"loud": true}},' \
    '{"entity": "3:1", "components": {"note": "746f20646f"}}' \
    '], "singletons": {}}' >expected
cmp -s out expected || fail "$what prints others"
run 0 json --component season town.kith
printf '%s\n' '{"kith": 0, "entities": [' '], "singletons": {"season": {"day": 42}}}' >expected
cmp -s out expected || fail "$what prints others"
run 0 json --query "with crew" --component loud town.kith
says out '{"entity": "1:1", "components": {}}' # chosen by the query, though it has none of them
run 0 json --query "with loud" --component spot --pretty town.kith
printf '%s\n' '{' '  "entity": "2:1",' '  "components": {' '    "spot": {' '      "x": 1,' \
    '      "y": 1,' '      "floor": -1' '    }' '  }' '}' >expected
cmp -s out expected || fail "$what is another"
run 0 json --entity 1v1 --component crew --pretty town.kith
says out '      "seats": [0, 0, 0],'
run 0 json --pretty empty.kith
printf '%s\n' '{' '  "kith": 0,' '  "entities": [],' '  "singletons": {}' '}' >expected
cmp -s out expected || fail "$what is another"
run 0 json --pretty town.kith
cp out pretty.json
tr -d ' \n' <town.json >expected
tr -d ' \n' <pretty.json >out
cmp -s out expected || fail "$what has other values"
fails 2 "town.kith: entity 7v1 is not alive" json --entity 7v1 town.kith
fails 2 "town.kith: entity 3v2 is not alive: index 3 is 3v1 now" json --entity 3v2 town.kith
fails 2 "town.kith: entity 4294967295v4294967295 is not alive" \
    json --entity 4294967295v4294967295 town.kith
for word in 3 v1 3v 3:1 3v1x " 3v1" 3v-1 99999999999v1 1v4294967296 ""; do
    fails 2 "--entity: $word is no entity, such as 12v3" json --entity "$word" town.kith
done
fails 2 "--entity needs an entity, such as 12v3" json town.kith --entity
fails 2 "--component needs the name of a component" json town.kith --component
fails 2 "town.kith: it has no component ghost" json --component spot --component ghost town.kith
fails 2 "--entity and --query exclude each other" json --entity 3v1 --query "with spot" town.kith

# names: texts that functions wrote, in a program that does not know them
tail -c +2 "$sources/../fuzz/corpus/snapshot/names" >names.kith
run 0 info names.kith
grep -Eq '^  label +value +swap +text ' out || fail "$what does not say that names are text"
run 0 json names.kith
has out '"label": "a name that takes more bytes than a row of the component has room for"'
run 0 json --entity 2v1 names.kith
has out '"label": "ann"'

# --- load-json ---

for file in town moved noted many sorted excluding empty rude large exact; do
    run 0 json $file.kith
    cp out $file.json
    run 0 load-json --like $file.kith $file.json made.kith
    silent out
    silent err
    run 0 verify made.kith
    run 0 diff $file.kith made.kith
    silent out
    run 0 hash $file.kith
    cp out before
    run 0 hash made.kith
    cmp -s out before || fail "the hash of $file.json is another"
done
run 0 load-json --like town.kith pretty.json made.kith
run 0 diff town.kith made.kith
run 0 load-json --like game.kith@2 town.json made.kith
run 0 json made.kith
cmp -s out town.json || fail "a frame as --like makes other values"
run 0 load-json --like town.kith - made.kith <moved.json
run 0 diff made.kith moved.kith
"$kith" load-json --like town.kith moved.json - >made.kith || fail "standard output"
run 0 diff made.kith moved.kith
# by hand: a value, another component, a tag less, an entity less, one more, a singleton less
new='{"entity": "7:2", "components": {"mass": [4], "asleep": true}, "disabled": ["mass"]}'
sed -e 's/"note": "746f20646f"/"note": "61"/' -e 's/"loud": true, //' -e 's/"day": 42/"day": 7/' \
    -e "/\"entity\": \"6:1\"/s/.*/$new/" \
    -e 's/, "disabled": \["mass"\]}\(,*\)$/}\1/' town.json >edited.json
run 0 load-json --like town.kith edited.json made.kith
run 0 json made.kith
cmp -s out edited.json || fail "the edited JSON comes back as another"
run 1 diff --all town.kith made.kith
says out 'entity 2v1 has "loud" only in the first world'
says out 'entity 5v1: "mass" is disabled in the first world and enabled in the second'
says out '"season".day is 42 in the first world and 7 in the second'
says out 'only the first world has entity 6v1'
says out 'only the second world has entity 7v2'
sed 's/"season": {"day": 42}//' town.json >less.json
run 0 load-json --like town.kith less.json made.kith
run 1 diff town.kith made.kith
says out 'only the first world has "season"'
run 0 load-json --like empty.kith town.json made.kith # only what describes the components
run 0 json made.kith
cmp -s out town.json || fail "an empty snapshot as --like makes other values"
fails 2 "load-json needs --like FILE: JSON does not describe components, a snapshot does" \
    load-json town.json made.kith
fails 2 "--like needs a snapshot" load-json town.json made.kith --like
fails 2 "standard input: it can be read only once" load-json --like - - made.kith
fails 2 "absent: No such file or directory" load-json --like absent town.json made.kith
fails 2 "absent: No such file or directory" load-json --like town.kith absent made.kith
fails 1 "text: not a kith snapshot" load-json --like text town.json made.kith
fails 2 "town.json@1: JSON has no frames: leave out the @" \
    load-json --like town.kith town.json@1 made.kith
sed 's/"floor"/"flour"/' town.json >wrong.json
fails 1 'wrong.json: there is no such field ("flour") at byte 84' \
    load-json --like town.kith wrong.json made.kith
rm made.kith
fails 1 'wrong.json: there is no such field ("flour") at byte 84' \
    load-json --like town.kith wrong.json made.kith
[ ! -e made.kith ] || fail "a failed load-json leaves a file"
head -c 300 town.json >short.json
run 1 load-json --like town.kith short.json made.kith
has err "kith: short.json: "
[ "$(wc -l <err)" -eq 1 ] || fail "$what: it complains more than once"
sed 's/"7:2"/"7:1"/' edited.json >old.json
fails 1 "old.json: entity 7v1 cannot be created: see --like in kith help load-json" \
    load-json --like town.kith old.json made.kith
run 1 load-json --like empty.kith large.json made.kith
has err 'kith: large.json: the component is not registered or not saved ("ru?[31mde") at byte '
run 2 load-json --like town.kith town.json absent/made.kith
has err "kith: absent/made.kith: "

# --- hash ---

run 0 hash town.kith
cmp -s out hash || fail "kith hash is not what the program says"
run 0 hash - <town.kith
cmp -s out hash || fail "kith hash - is another"
run 0 hash excluding.kith
cmp -s out excluding_hash || fail "kith hash of excluding.kith is another"
run 0 hash --components town.kith
[ "$(cut -c 19- out | tr '\n' ' ')" = "asleep crew loud mass note pin season spot " ] ||
    fail "kith hash --components names others"
cp out before
run 0 hash --components moved.kith
[ "$(diff before out | grep -c '^>')" -eq 1 ] || fail "more than one component has another hash"
run 0 info - <town.kith
says out "components  8"
run 0 verify - <town.kith
says out "-: ok"

# --- other forms of the same world ---

run 0 diff town.kith exact.kith
run 0 hash exact.kith
cmp -s out hash || fail "kith hash of exact.kith is another"
if [ -f packed.kith ]; then
    run 0 info packed.kith
    says out "components  8"
    says out "        mood: enum CALM = 0, ANGRY = 7"
    run 0 info --chunks packed.kith
    grep -qE 'COMP +[0-9]+  packed, [0-9]+ unpacked$' out || fail "no chunk is packed"
    run 0 diff town.kith packed.kith
    run 0 hash packed.kith
    cmp -s out hash || fail "kith hash of packed.kith is another"
    run 2 info --memory 100 packed.kith
    has out "it asks for too much memory: see --memory"
    damage bad_packed small.kith 80
    run 1 info bad_packed
    has out "the checksum of its packed bytes is wrong"
    says err "kith: bad_packed: the checksum of a chunk's packed bytes is wrong, at byte 24"
    run 0 verify small.kith
    run 1 verify flips/*.kith # each is small.kith with another bit flipped
    silent out
    [ "$(wc -l <err)" -eq $(($(wc -c <small.kith) * 8)) ] || fail "a flipped bit goes unnoticed"
    rm -r flips
fi

# --- recordings ---

run 0 info game.kith
silent err
says out "size        $(($(wc -c <game.kith))) bytes"
tr -s ' ' <out >words
grep -qxE ' 1 24 [0-9]+ whole 7 living, 8 components' words || fail "$what: frame 1 is another"
grep -qxE ' 2 [0-9]+ [0-9]+ delta season: 1 changed; spot: 1 changed' words ||
    fail "$what: frame 2 is another"
grep -qxE ' 3 [0-9]+ [0-9]+ delta -' words || fail "$what: frame 3 is another"
has words " delta 2 created, 1 destroyed; crew: 1 removed; loud: 1 added; "
grep -qxE ' 5 [0-9]+ [0-9]+ delta 1 other difference' words || fail "$what: frame 5 is another"
[ "$(grep -cE '^ [0-9]+ [0-9]+ [0-9]+ (whole|delta) ' words)" -eq 6 ] ||
    fail "$what does not list six frames"
run 0 info --chunks game.kith
tr -s ' ' <out >words
has words " 24 WHOL "
run 0 info game.kith@2
says out "tick        4, with exact state"
says out "components  8"
run 0 verify game.kith
says out "game.kith: ok, 6 frames, 1 to 6"
run 0 verify --quiet game.kith
silent out
run 0 verify game.kith@3 frame1.kith
says out "game.kith@3: ok"
run 1 diff game.kith@1 game.kith@2
says out 'entity 0v1: "spot".x is 0 in the first world and 2.25 in the second'
says out "3 differences"
run 0 diff game.kith@2 frame2.kith
run 0 diff game.kith game.kith@6 # the newest
run 1 diff game.kith game.kith@4
run 0 hash frame1.kith
cp out before
run 0 hash game.kith@1
cmp -s out before || fail "$what is another"
run 0 hash -@1 <game.kith
cmp -s out before || fail "$what is another"
run 0 hash -- -@1 <game.kith
cmp -s out before || fail "$what is another"
run 0 json frame2.kith
cp out before
run 0 json game.kith@2
cmp -s out before || fail "$what is another"
run 0 json game.kith
has out '"season": {"day": 43}'
fails 2 "standard input: it can be read only once" diff -@1 -@2
fails 2 "game.kith@7: the recording has no frame 7; it has frames from 1 to 6" json game.kith@7
fails 2 "game.kith@0: the recording has no frame 0; it has frames from 1 to 6" info game.kith@0
fails 2 "town.kith@1: a snapshot has no frames: leave out the @" hash town.kith@1
fails 2 "town.kith@1: a snapshot has no frames: leave out the @" verify town.kith@1
fails 2 "absent@1: No such file or directory" verify absent@1
fails 2 "game.kith@1x: No such file or directory" verify game.kith@1x
fails 2 "game.kith@: No such file or directory" verify game.kith@
fails 2 "game.kith@-1: No such file or directory" verify game.kith@-1
cp frame1.kith frame1.kith@2
run 0 verify frame1.kith@2
says out "frame1.kith@2: ok"
cp game.kith game@1.kith
run 0 verify game@1.kith@4
for command in info verify json hash; do
    fails 1 "delta.kith: it is a delta, which is nothing without a snapshot" $command delta.kith
    run 2 $command --memory 1 game.kith@2
    has err ": see --memory"
done

# Cut off at every 97th byte: the frames that are whole are read.
whole=0
size=$(($(wc -c <game.kith)))
cut=24
while [ $cut -lt $size ]; do
    head -c $cut game.kith >cut_game
    run 1 verify cut_game
    [ "$(wc -l <err)" -eq 1 ] || fail "$what: it complains more than once"
    if grep -qxF "kith: cut_game: the recording has no whole frame" err; then
        fails 1 "cut_game: the recording has no whole frame" json cut_game
    else
        frame=$(sed -n 's/.*the recording is cut off: [0-9]* bytes of a frame follow frame //p' err)
        [ "$frame" -ge "$whole" ] || fail "$what: frame $frame of $cut bytes"
        whole=$frame
        run 0 diff cut_game game.kith@"$frame"
        run 1 info cut_game
        has out " whole  7 living"
    fi
    cut=$((cut + 97))
done
[ "$whole" -eq 5 ] || fail "the last frame that is whole is $whole"
printf rest | cat game.kith - >long_game
fails 1 "long_game: the recording is cut off: 4 bytes of a frame follow frame 6" verify long_game
head -c $((size - 1)) game.kith >cut_game
run 1 verify town.kith cut_game moved.kith
says out "moved.kith: ok"
frame=$("$kith" info game.kith | awk '$1 == 3 { print $2 }')
damage bad_game game.kith $((frame + 60))
fails 1 "bad_game: the recording is damaged behind frame 2: its checksum is wrong, at byte $frame" \
    verify bad_game
fails 2 "bad_game@3: the recording has no frame 3; it has frames from 1 to 2" json bad_game@3
run 0 diff bad_game frame2.kith
if [ -s packed_game.kith ]; then
    run 0 verify packed_game.kith
    run 0 diff packed_game.kith@4 game.kith@4
fi

# --- a terminal: colours and progress ---

uncoloured() {
    sed "s/$escape\\[[0-9]*m//g" "$1"
}

# coloured FILE; plain FILE: whether it has colours
coloured() {
    grep -qF "${escape}[" "$1" || fail "$what has no colours"
}

plain() {
    ! grep -qF "$escape" "$1" || fail "$what has colours"
}

dd if=/dev/zero of=huge bs=1 count=0 seek=60000000 2>/dev/null # most of it is no block of the disk
export TERM=xterm
unset NO_COLOR
for command in "json town.kith" "diff town.kith moved.kith" "info bad_chunk" "help" \
    "verify town.kith"; do
    # shellcheck disable=SC2086 # words
    "$kith" $command >out 2>&1
    what="kith $command"
    plain out
done
if on_terminal true >/dev/null; then
    for command in "json town.kith" "json --pretty town.kith" "diff town.kith many.kith" \
        "info bad_chunk" "help" "verify town.kith" "info absent"; do
        what="kith $command on a terminal"
        # shellcheck disable=SC2086 # words
        "$kith" $command >before 2>err
        cat err >>before
        on_terminal "'$kith' $command" >out
        coloured out
        uncoloured out >words
        sort before >expected # the order of the two streams is another
        sort words | cmp -s - expected || fail "$what prints another text"
        NO_COLOR='' on_terminal "'$kith' $command" >out
        coloured out
        NO_COLOR=1 on_terminal "'$kith' $command" >out
        plain out
        TERM=dumb on_terminal "'$kith' $command" >out
        plain out
    done
    on_terminal "'$kith' diff town.kith many.kith" >out
    has out "${escape}[32monly the second world has entity 7v2${escape}[0m"
    on_terminal "'$kith' json --entity 5v1 --component mass town.kith" >out
    key="${escape}[34m\"" text="${escape}[32m\"" number="${escape}[33m" end="${escape}[0m"
    has out "{${key}entity\"$end: ${text}5:1\"$end, ${key}components\"$end: "
    has out "{${key}mass\"$end: [${number}50$end]}, ${key}disabled\"$end: [${text}mass\"$end]}"
    on_terminal "'$kith' info huge >out" >err
    what="kith info huge on a terminal"
    has err "kith: huge: reading, 99 %"
    uncoloured err >words
    grep -q ' kith: huge: not a kith snapshot$' words ||
        fail "$what: the complaint is not behind the progress"
    on_terminal "'$kith' info - <huge >out" >err
    has err "kith: standard input: reading, 51 MB"
    on_terminal "'$kith' hash large.kith >out" >err
    what="kith hash large.kith on a terminal"
    silent err
else
    echo "a terminal is skipped: neither script of util-linux nor python3 with pty is there"
fi
fails 1 "huge: not a kith snapshot" info huge
rm huge

# --- the manual and the completions ---

sed -n 's/^  \([a-z-]*\)  .*/\1/p' help | grep -v '^-' >commands
while read -r command; do
    run 0 "$command" --help
    has out "usage: kith $command "
    cp out before
    run 0 "$command" -h
    cmp -s out before || fail "kith $command -h is another"
    for file in kith.1 kith.bash _kith; do
        sed 's/\\-/-/g' "$sources/$file" | grep -qw -- "$command" ||
            fail "$file does not know $command"
        for option in $(grep -oE -- '--[a-z]+' out help | sed 's/.*:--/--/' | sort -u) -h; do
            sed 's/\\-/-/g' "$sources/$file" | grep -qw -- "${option#--}" ||
                fail "$file does not know $option"
        done
    done
done <commands
[ "$(wc -l <commands)" -eq 7 ] || fail "kith --help lists others than the 7 commands"
what="kith.1"
if command -v groff >/dev/null; then
    groff -man -Tascii -ww -z "$sources/kith.1" >out 2>&1
    silent out
fi
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$sources/kith.1" >out 2>&1
    silent out
fi

# complete WORD ...: what bash would offer for the last of them
complete_words() {
    # shellcheck disable=SC2016 # bash expands it
    bash -c '
        . "$0"
        COMP_WORDS=(kith "$@")
        COMP_CWORD=$#
        _kith
        printf "%s\n" "${COMPREPLY[@]}"' "$sources/kith.bash" "$@" | sort | tr '\n' ' '
}

# offers LIST WORD ...
offers() {
    list=$1
    shift
    got=$(complete_words "$@")
    [ "$got" = "$list" ] || fail "for \"kith $*\" bash offers: $got"
}

if command -v bash >/dev/null; then
    offers "diff hash help info json load-json verify " ""
    offers "info " help i
    offers "--component --entity --help --memory --pretty --query " json --
    offers "--help --version " --
    offers "verify " v
    offers "--all --help --memory --quiet " diff --
    offers "--components " hash --c
    offers "--query " json --q
    offers "--like " load-json --l
    offers "--chunks " info --ch
    offers "moved.json moved.kith " diff town.kith mov
    offers " " json game.kith @
    offers " " json game.kith @ 1
fi
if command -v zsh >/dev/null; then
    zsh -n "$sources/_kith" || fail "zsh does not understand _kith"
fi

echo "$checks runs, $failures failures"
[ $failures -eq 0 ]
