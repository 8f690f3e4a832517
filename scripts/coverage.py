#!/usr/bin/env python3
"""Coverage by part and by parser, from a build tree made with the `coverage` preset after its tests have run. Fails if the
branches of one of the parts or parsers that are listed here are covered less than LIMIT.

    scripts/coverage.py BUILD_DIR [--missing FILE|PART ...]

With --missing: the lines of these files that have a branch which was never taken, or that were never run.

A branch is one way out of a condition, a loop or a switch. Not counted are the ways that no statement of the source stands
for: out of a call by an exception, past a handler of another type, around the initialization of a static variable, at the
end of a scope, and through functions that the compiler writes itself. Assertions are compiled out. Instances of a template count once, as do
the copies of an inline function.
"""
import json
import pathlib
import re
import subprocess
import sys
from collections import defaultdict

LIMIT = 95  # percent of the branches
PARTS = ["base", "env", "solver", "mcts", "light", "gpu", "data", "store", "selfplay", "play", "cli", "engine", "serve", "model", "train", "eval",
         "report", "watch", "bench", "app"]
LIMITED_PARTS = ["env", "solver", "mcts"]
# What comes from outside, and the files that read it. Each has a fuzz target (tests/fuzz).
PARSERS = {
    "positions, moves, games": ["env/notation.cpp"],
    "stored positions": ["env/stored_position.cpp", "data/position_bytes.cpp", "data/sample.cpp"],
    "opening books": ["solver/book.cpp"],
    "suites": ["data/suite.cpp"],
    "label files and shares": ["data/label_file.cpp", "data/label_share.cpp"],
    "replay shards": ["data/replay.cpp"],
    "light files": ["light/network_file.cpp"],
    "safetensors headers": ["model/safetensors_header.cpp"],
    "weights": ["model/stored_weights.cpp"],
    "checksum lists": ["base/manifest.cpp"],
    "JSON": ["base/json.h", "base/json_library.h", "base/json_message.h"],
    "configurations": ["base/config.cpp", "base/assign.cpp"],
    "names of players, clocks": ["play/player_table.cpp", "play/clock_text.cpp"],
    "played games": ["eval/game_text.cpp"],
    "ladders": ["eval/round_robin_text.cpp"],
    "walks and their shares": ["eval/exploit_state.cpp", "eval/exploit_store.cpp", "eval/exploit_share.cpp"],
    "store": ["store/wire.cpp", "store/ranges.cpp", "store/url.cpp"],
    "engine protocol": ["engine/engine.cpp", "engine/options.cpp"],
    "HTTP": ["serve/head.cpp", "serve/connection.cpp"],
    "requests": ["serve/request.cpp", "serve/api.cpp", "serve/service.cpp"],
}
# Lines whose branches the compiler makes.
NOT_OF_THE_SOURCE = re.compile(r"^\s*(}\s*catch\b|static\b|thread_local\b|struct\b|class\b|[\w:<>]+ \w+ = [\w:]+;)|=\s*default;")
# A line of these says nothing: what the compiler does at the end of a scope.
ONLY_BRACKETS = re.compile(r"^[\s{}();]*$")

root = pathlib.Path(__file__).resolve().parent.parent


class Way:
    """One way out of a block: how often it was taken, and whether it is one out of a condition."""

    def __init__(self):
        self.count = 0
        self.throws = self.exceptional = False


def conditions(ways):
    """The counts of those that are ways out of a condition. A call that may throw has one that throws and one beside it."""
    kept = []
    at = 0
    while at < len(ways):
        if any(way.throws for way in ways[at:at + 2]):
            at += 2
        else:
            kept += [] if ways[at].exceptional else [ways[at].count]
            at += 1
    return kept


class File:
    def __init__(self, name):
        self.source = (root / name).read_text().splitlines()
        self.lines = {}
        self.functions = defaultdict(dict)  # line -> (function, number of ways) -> ways

    def add(self, number, run, function, ways):
        line = self.source[number - 1]
        if ONLY_BRACKETS.match(line):
            return
        self.lines[number] = self.lines.get(number, False) or run
        if not ways or NOT_OF_THE_SOURCE.search(line):
            return
        known = self.functions[number].setdefault((function, len(ways)), [Way() for _ in ways])
        for into, (count, throws, exceptional) in zip(known, ways):
            into.count += count
            into.throws |= throws
            into.exceptional |= exceptional

    def branches(self, number):
        """Counts of a line's branches. Instances of a template that have as many of them are one."""
        by_number = {}
        for ways in self.functions.get(number, {}).values():
            counts = conditions(ways)
            known = by_number.setdefault(len(counts), [0] * len(counts))
            for i, count in enumerate(counts):
                known[i] += count
        return [count for counts in by_number.values() for count in counts]

    def sums(self):
        branches = [count for number in self.functions for count in self.branches(number)]
        return [sum(self.lines.values()), len(self.lines), sum(map(bool, branches)), len(branches)]

    def missing(self):
        for number in sorted(self.lines):
            branches = self.branches(number)
            if not self.lines[number] or not all(branches):
                yield number, self.lines[number], branches


LINE = re.compile(r"^ *([^: ]+): *(\d+)(?:(-block) +\d+)?(?::|$)")
BRANCH = re.compile(r"^branch +\d+ (?:never executed|taken (\d+))")


def exceptional_ways(text):
    """By file, line and counts: which ways leave blocks that exceptions alone lead to. Only gcov's text says that ($$$$$)."""
    found = {}
    file = ""
    number, counts, flags, exceptional = 0, [], [], False

    def end_line():
        if counts:
            known = found.setdefault((file, number, tuple(counts)), [False] * len(flags))
            known[:] = [a or b for a, b in zip(known, flags)]

    for line in text.splitlines():
        if branch := BRANCH.match(line):
            counts.append(int(branch[1] or 0))
            flags.append(exceptional)
        elif at := LINE.match(line):
            if at[3]:
                exceptional = at[1] == "$$$$$"
                continue
            end_line()
            number, counts, flags, exceptional = int(at[2]), [], [], False
            if ":Source:" in line and number == 0:
                file = line.split(":Source:", 1)[1]
    end_line()
    return found


def gcov(counter, *options):
    return subprocess.run(["gcov", "--stdout", "--branch-probabilities", "--relative-only", "--source-prefix", str(root), *options,
                           str(counter)], capture_output=True, text=True, check=True).stdout


def name_of(path):
    path = root / path
    return str(path.relative_to(root)) if path.is_relative_to(root) else ""


def files_of(build):
    files = {}
    # Counters of objects that were compiled again since their tests ran do not fit any more.
    counters = [c for c in sorted(build.rglob("*.gcda")) if c.with_suffix(".gcno").stat().st_mtime <= c.stat().st_mtime]
    # The sources once more, with other numbers of instances on a line: other tests run the same branches.
    counters = [c for c in counters if "third_rules" not in c.parts]
    if not counters:
        sys.exit(f"error: no counters in '{build}': build it with the preset `coverage`, and run its tests")
    for counter in counters:
        exceptional = {(name_of(file), number, counts): flags for (file, number, counts), flags in
                       exceptional_ways(gcov(counter, "--all-blocks", "--branch-counts")).items()}
        for file in json.loads(gcov(counter, "--json-format"))["files"]:
            name = name_of(file["file"])
            if name.split("/")[0] not in PARTS:
                continue
            into = files.setdefault(name, File(name))
            for line in file["lines"]:
                ways = line["branches"]
                counts = tuple(way["count"] for way in ways)
                flags = exceptional.get((name, line["line_number"], counts), [False] * len(ways))
                into.add(line["line_number"], line["count"] > 0, line.get("function_name", ""),
                         [(way["count"], way["throw"], flag) for way, flag in zip(ways, flags)])
    return files


def share(covered, total):
    return 100 * covered / total if total else 100.0


def row(name, sums, limited):
    lines, all_lines, branches, all_branches = sums
    low = limited and share(branches, all_branches) < LIMIT
    print(f"{name:<34} {all_lines:>7} {share(lines, all_lines):>7.1f} % {all_branches:>9} {share(branches, all_branches):>7.1f} %"
          + (f"  below {LIMIT} %" if low else ""))
    return low


def table(title, rows):
    print(f"{title:<34} {'lines':>7} {'run':>9} {'branches':>9} {'taken':>9}")
    low = [row(*each) for each in rows]
    print()
    return any(low)


def total(files):
    return [sum(column) for column in zip(*(file.sums() for file in files))]


def main():
    build, *rest = sys.argv[1:] or sys.exit(__doc__)
    files = files_of(pathlib.Path(build).resolve())
    if rest:
        for name, file in sorted(files.items()):
            if not any(name == wanted or name.startswith(wanted + "/") for wanted in rest[1:]):
                continue
            for number, count, branches in file.missing():
                print(f"{name}:{number}: {'never run' if not count else 'taken ' + ' '.join(map(str, branches))}: "
                      f"{file.source[number - 1].strip()}")
        return
    parts = [(part, [file for name, file in files.items() if name.startswith(part + "/")]) for part in PARTS]
    low = table("part", [(part, total(of), part in LIMITED_PARTS) for part, of in parts if of])
    rows, not_measured = [], []
    for names in PARSERS.values():
        for name in names:
            if name in files:
                rows.append((f"{name}", files[name].sums(), True))
            else:
                not_measured.append(name)
    low = table("parser", rows) or low
    if not_measured:
        print("not in this build:", ", ".join(not_measured))
    if low:
        sys.exit(f"error: branches of a limited part or of a parser are taken less than {LIMIT} %")


main()
