#!/usr/bin/env python3
"""Builds for two processors give the same answers.

    same_answers.py ROOT ANSWERS_HERE ANSWERS_THERE
    same_answers.py ROOT ANSWERS_HERE ANSWERS_THERE --c COMPILER_HERE COMPILER_THERE [EMULATOR...]

ANSWERS_HERE and ANSWERS_THERE are the program `answers` (answers.cpp), one of each build. What is exact (values, numbers of
nodes, bounds, searches without a network, outputs of networks in integers, C source) must be equal. A floating-point number may differ by a share of its size
(TOLERANCE): the processors round differently where one of them multiplies and adds in one instruction. Moves of networks must
be equal up to symmetry, but for those of the raw network between which its logits do not decide. With --c the C player,
compiled for both, is compared in the place of the engine.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# The logits of distilled reach 50,000 on boards with few pieces, where single precision itself decides the rest
# (docs/networks.md).
TOLERANCE = {"zero": 1e-4, "distilled": 1e-3, "small": 1e-4, "squares": 1e-4}
FLAGS = "-std=c99 -pedantic -Wall -Wextra -Werror -O2".split()


def output(*command, stdin=None):
    return subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True, check=True).stdout


class Comparison:
    def __init__(self):
        self.wrong = []
        self.largest = 0.0  # difference, as a share of 1 + size
        self.numbers = self.undecided = self.lines = 0
        self.where = "none"

    def fail(self, what):
        self.wrong.append(what)

    def number(self, here, there, what):
        """`what` begins with the network's name."""
        self.numbers += 1
        difference = abs(here - there) / (1 + abs(here))
        if not difference <= self.largest:  # also what is no number
            self.largest, self.where = difference, what
        if not difference <= TOLERANCE[what.split()[0]]:
            self.fail(f"{what}: {here} here, {there} there")

    def chosen(self, here, there, logits, what):
        """The moves that a raw network chose, by its logits of every move."""
        if here == there:
            return
        self.undecided += 1
        if not abs(logits[here] - logits[there]) <= TOLERANCE[what.split()[0]] * (1 + abs(logits[here])):
            self.fail(f"{what}: move {here} with {logits[here]} here, {there} with {logits[there]} there")

    def end(self, what):
        print(f"{what}: {self.lines} lines, {self.numbers} numbers; largest difference {self.largest:.1e} ({self.where}); "
              f"{self.undecided} moves differ where logits do not")
        if self.numbers == 0:
            self.fail("nothing was compared")
        for text in self.wrong[:20]:
            print("DIFFERENT", text)
        if self.wrong:
            sys.exit(f"{len(self.wrong)} answers differ")


def pairs_of_lines(comparison, here, there):
    here, there = here.splitlines(), there.splitlines()
    if len(here) != len(there):
        comparison.fail(f"{len(here)} lines here, {len(there)} there")
    comparison.lines += len(here)
    return zip(here, there)


def compare_engine(comparison, root, here, there):
    networks = [root / "checkpoints" / name / "model.light" for name in TOLERANCE]
    for ours, theirs in pairs_of_lines(comparison, output(here, "play", *networks), output(there, "play", *networks)):
        if not ours.startswith("network ") or not theirs.startswith("network "):
            if ours != theirs:
                comparison.fail(f"{ours}\n      and {theirs}")
            continue
        ours, theirs = ours.split(), theirs.split()
        what = " ".join(ours[1:3])
        if ours[:3] != theirs[:3] or ours[4:-3:2] != theirs[4:-3:2]:  # the position and its legal moves
            comparison.fail(f"{what} here, {' '.join(theirs[1:3])} there, or other moves")
            continue
        logits = dict(zip(map(int, ours[4:-3:2]), map(float, ours[5:-3:2])))
        for a, b in zip(ours[5:-3:2] + ours[-3:], theirs[5:-3:2] + theirs[-3:]):
            comparison.number(float(a), float(b), what)
        comparison.chosen(int(ours[3]), int(theirs[3]), logits, what)


def compare_integers(comparison, root, here, there):
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / f"{name}.light" for name in TOLERANCE]
        for name, file in zip(TOLERANCE, files):
            output(here, "round", root / "checkpoints" / name / "model.light", file)
        for ours, theirs in pairs_of_lines(comparison, output(here, "digest", *files), output(there, "digest", *files)):
            print(ours)
            if ours != theirs:
                comparison.fail(f"{ours}\n      and {theirs}")


def compare_c_player(comparison, root, here, there, compiler_here, compiler_there, *emulator):
    main = (root / "tests/support/c_player_main.c").read_text()
    for name, rules in (("zero", "lines"), ("squares", "squares")):
        network = root / "checkpoints" / name / "model.light"
        positions = output(here, "positions", rules, 1000)
        header = output(here, "header", network)
        if header != output(there, "header", network):
            comparison.fail(f"{name}: the headers differ")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "player.h").write_text(header)
            (folder / "main.c").write_text(main)
            output(compiler_here, *FLAGS, "-o", folder / "here", folder / "main.c")
            output(compiler_there, *FLAGS, "-o", folder / "there", folder / "main.c")
            ours = output(folder / "here", stdin=positions)
            theirs = output(*emulator, folder / "there", stdin=positions)
        for position, (a, b) in zip(positions.splitlines(), pairs_of_lines(comparison, ours, theirs)):
            what = f"{name} {position}"
            if not re.fullmatch(r"\d+( \S+){19}", a):
                comparison.fail(f"{what}: {a}")
                continue
            a, b = a.split(), b.split()
            for x, y in zip(map(float, a[1:]), map(float, b[1:])):
                comparison.number(x, y, what)
            comparison.chosen(int(a[0]), int(b[0]), list(map(float, a[1:17])), what)


def main():
    root, here, there = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    comparison = Comparison()
    try:
        if sys.argv[4:5] == ["--c"]:
            compare_c_player(comparison, root, here, there, *sys.argv[5:])
        else:
            compare_engine(comparison, root, here, there)
            compare_integers(comparison, root, here, there)
    except subprocess.CalledProcessError as e:
        sys.exit(f"{' '.join(e.cmd)}: status {e.returncode}\n{e.stderr}")
    comparison.end("the C player" if sys.argv[4:5] == ["--c"] else "the engine")


if __name__ == "__main__":
    main()
