#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes one place of src/ at a time and looks whether a test notices.

usage: mutants.py [--only PATH] [--jobs N]
    --only PATH   only the changes in files whose path begins like that, such as src/store
    --jobs N      how many changes are tried at once; default: one a core

The places are fixed by SEED, NUMBER and the sources: all places are listed in the order of the
files, the list is cut into NUMBER slices, and one place of each slice is drawn. A change that does
not compile, or that the compiler makes nothing of, is replaced by another one of its slice.

Changes that no test can notice stand in tests/mutants.txt, each with the reason. The run fails when
another one survives, or when more than SURVIVORS_MOST do.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

SEED = 20260101
NUMBER = 200
SURVIVORS_MOST = NUMBER * 6 // 100

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutants"
KNOWN = ROOT / "tests" / "mutants.txt"

# What is tried at each place: a pattern, and its replacement.
OPERATORS = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r"(?<=[\w)\]]) - ", " + "),
    (r" & ", " | "), (r" << ", " >> "), (r" >> ", " << "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" \|= ", " &= "),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"\b1\b", "2"), (r"\b0\b", "1"),
    (r"(?<=[( ])!(?=[a-z(])", ""),
    (r"^( +)[a-z]\w*(?:->\w+|\.\w+)*\(.*\);$", r"\1;"),      # a call that is left out
    (r"^( +)[a-z][\w>.\[\]-]* [+-]?= .*;$", r"\1;"),         # an assignment that is left out
]

# Lines that state nothing a test could see.
PASSED_OVER = re.compile(r"^\s*#|assert|prefetch|KITH_API |LIKELY|^[a-z]|^\s*//|^\s*case ")

THINNED = {"KITH_THIN": "20", "KITH_STEPS": "20000"}


class Change:
    """One place, and the line that it becomes."""

    def __init__(self, path, number, old, new):
        self.path, self.number, self.old, self.new = path, number, old, new
        self.text = f"{path}: {old.strip()} -> {new.strip()}"

    def order(self):
        return hashlib.sha1(f"{SEED} {self.text}".encode()).digest()


def mask(line):
    """The line with strings, characters and comments blanked, as long as before."""
    blank = lambda m: m.group(0)[0] + " " * (len(m.group(0)) - 2) + m.group(0)[-1]
    line = re.sub(r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'", blank, line)
    return re.sub(r"//.*", lambda m: "~" * len(m.group(0)), line)


def changes_of_line(path, number, line):
    masked = mask(line)
    for pattern, becomes in OPERATORS:
        for match in re.finditer(pattern, masked):
            new = line[:match.start()] + match.expand(becomes) + line[match.end():]
            yield Change(path, number, line, new)


def list_changes():
    """Every change inside of a function, in the order of files and lines."""
    changes = []
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        inside = False
        for number, line in enumerate(path.read_text().split("\n")):
            if re.match(r"[{}]", line):
                inside = line.startswith("{")
            elif inside and not PASSED_OVER.search(line):
                changes += changes_of_line(path.relative_to(ROOT), number, line)
    return changes


def draw_slices():
    """For each slice its changes in the order in which they are to be tried: by a sum of the text,
    so that a change of the sources moves few of the places."""
    changes = list_changes()
    cuts = [len(changes) * i // NUMBER for i in range(NUMBER + 1)]
    return [sorted(changes[a:b], key=Change.order) for a, b in zip(cuts, cuts[1:])]


# --- the build -------------------------------------------------------------------------------


def run_quietly(command, **more):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, **more).returncode


def build_everything():
    jobs = str(os.cpu_count() or 2)
    for command in (["cmake", "--preset", "release", "-B", str(BUILD)],
                    ["cmake", "--build", str(BUILD), "--parallel", jobs]):
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)


def read_library():
    """How each source of the library is compiled, and which sources each file of src/ reaches."""
    commands, users = {}, {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        output = next(w for w in words if w.endswith(".o"))
        if not output.startswith("CMakeFiles/kith.dir/"):
            continue
        source = pathlib.Path(entry["file"]).relative_to(ROOT)
        commands[source] = words
        depends = (pathlib.Path(entry["directory"]) / (output + ".d")).read_text()
        for path in re.findall(re.escape(str(ROOT)) + r"/(src/\S+)", depends):
            users.setdefault(pathlib.Path(path), set()).add(source)
    return commands, users


def read_programs():
    """How each program is linked: its path, then the directory and words of the command."""
    programs = {}
    for link in BUILD.rglob("link.txt"):
        words = shlex.split(link.read_text())
        directory = link.parent.parent.parent
        if "-o" in words and any(w.endswith("libkith.a") for w in words):
            output = directory / words[words.index("-o") + 1]
            programs[str(output.resolve())] = (directory, words)
    return programs


def read_tests(programs):
    """The tests that run a program which has the library in it: name and command."""
    listing = subprocess.run(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"],
                             capture_output=True, text=True, check=True).stdout
    tests = []
    for test in json.loads(listing)["tests"]:
        command = test.get("command", [])
        if any(program in word for word in command for program in programs):
            tests.append((test["name"], command))
    return tests


# --- trying a change -------------------------------------------------------------------------


class Bench:
    """A copy of src/ in which one worker tries its changes."""

    def __init__(self, library, programs):
        self.commands, self.users = library
        self.programs = programs
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="kith-mutants-"))
        shutil.copytree(ROOT / "src", self.home / "src")
        self.objects = []

    def compile(self, source):
        """The object of the source as it is in the copy, or None."""
        output = self.home / (str(source).replace("/", "-") + ".o")
        words = [w.replace(str(ROOT / "src"), str(self.home / "src"))
                 for w in self.commands[source]]
        words[words.index("-o") + 1] = str(output)
        return output if run_quietly(words + ["-w"], cwd=self.home) == 0 else None

    def build(self, change):
        """Whether the change compiles and makes a difference."""
        sources = sorted(self.users.get(change.path, ()))
        before = [self.compile(s).read_bytes() for s in sources]
        lines = (ROOT / change.path).read_text().split("\n")
        lines[change.number] = change.new
        (self.home / change.path).write_text("\n".join(lines))
        self.objects = [self.compile(s) for s in sources]
        (self.home / change.path).write_text((ROOT / change.path).read_text())
        for program in self.home.glob("program-*"):
            program.unlink()
        return None not in self.objects and [o.read_bytes() for o in self.objects] != before

    def link(self, program):
        directory, words = self.programs[program]
        output = self.home / ("program-" + program.replace("/", "-"))
        if output.exists():
            return output
        words = list(words)
        words[words.index("-o") + 1] = str(output)
        # in front of all others, among which the model has some sources of its own
        words[1:1] = [str(o) for o in self.objects] + ["-Wl,--allow-multiple-definition"]
        subprocess.run(words, cwd=directory, check=True, stdout=subprocess.DEVNULL)
        return output

    def passes(self, test, environment):
        """Whether the test passes. One that does not end, or takes all memory, fails."""
        command = list(test[1])
        for i, word in enumerate(command):
            for program in self.programs:
                if program in word:
                    command[i] = word.replace(program, str(self.link(program)))
        scratch = self.home / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        # folders of the build in which a test works: others try their changes at the same time
        command = [str(scratch / pathlib.Path(w).name) if w.startswith(str(BUILD)) else w
                   for w in command]

        def limit():
            seconds = 60 if environment else 600  # of a processor; the longest test takes 20
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        try:
            return run_quietly(command, cwd=scratch, env={**os.environ, **environment},
                               preexec_fn=limit, timeout=3600) == 0
        except subprocess.TimeoutExpired:
            return False

    def end(self):
        shutil.rmtree(self.home, ignore_errors=True)


class Trial:
    def __init__(self, tests):
        self.tests = tests  # those that found something last stand first
        self.lock = threading.Lock()

    def find_killer(self, bench, environments=(THINNED, {})):
        for environment in environments:
            for test in list(self.tests):
                if not bench.passes(test, environment):
                    with self.lock:
                        self.tests.remove(test)
                        self.tests.insert(0, test)
                    return test[0]
        return None

    def try_slice(self, bench, part):
        """The change that counts for the slice, and the test that noticed it."""
        for change in part:
            if bench.build(change):
                return change, self.find_killer(bench)
        return None, None


# --- what is known ---------------------------------------------------------------------------


def read_known():
    """The changes that may survive: lines of tests/mutants.txt that are not indented."""
    if not KNOWN.exists():
        return set()
    return {line for line in KNOWN.read_text().split("\n")
            if line and not line.startswith(("#", " "))}


def report(survivors, whole):
    known = read_known()
    new = [c for c in survivors if c.text not in known]
    for change in new:
        print(f"SURVIVED {change.path}:{change.number + 1}\n{change.text}")
    if whole:
        for text in sorted(known - {c.text for c in survivors}):
            print(f"tests/mutants.txt: no longer survives: {text}")
        if len(survivors) > SURVIVORS_MOST:
            print(f"more than {SURVIVORS_MOST} survive")
    print(f"{len(survivors)} survivors, {len(new)} of them new")
    return not new and len(survivors) <= SURVIVORS_MOST


def main():
    parser = argparse.ArgumentParser(add_help=True)
    parser.add_argument("--only", default="src/")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    arguments = parser.parse_args()

    slices = draw_slices()
    build_everything()
    library, programs = read_library(), read_programs()
    trial = Trial(read_tests(programs))
    survivors = []
    benches = [Bench(library, programs) for _ in range(arguments.jobs)]
    free = list(benches)
    if trial.find_killer(benches[0], [THINNED]) is not None:
        sys.exit("a test fails without any change: " + trial.tests[0][0])

    def work(part):
        bench = free.pop()
        try:
            return trial.try_slice(bench, part)
        finally:
            free.append(bench)

    parts = [p for p in slices if p and str(p[0].path).startswith(arguments.only)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, (change, killer) in enumerate(pool.map(work, parts), 1):
            if change is None:
                continue
            print(f"{number}/{len(parts)} {killer or 'SURVIVED'}: {change.text}", flush=True)
            if killer is None:
                survivors.append(change)
    for bench in benches:
        bench.end()
    sys.exit(0 if report(survivors, len(parts) == NUMBER) else 1)


if __name__ == "__main__":
    main()
