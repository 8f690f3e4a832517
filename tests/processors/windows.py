#!/usr/bin/env python3
"""quartozero-engine as it comes for Windows, under wine, against the one of this machine.

    windows.py ROOT ANSWERS_HERE ZIP EMULATOR...

ANSWERS_HERE is the program `answers` of a build that has quartozero-engine, too.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# Options, what is asked for, and of how many positions.
SETTINGS = [
    ([], "go sims 0", 200),
    (["ProofNodes value 0"], "go sims 128", 30),
    (["ProofNodes value 2000"], "go sims 128", 30),
    (["ExactSquares value 8", "Sharp value true"], "go sims 32", 30),
]


def run(command, text="", **options):
    return subprocess.run([str(word) for word in command], input=text.encode(), capture_output=True, timeout=600, **options)


def thoughts(command, text, **options):
    """All that is said of moves: their priors, visits and values, and those chosen. What depends on the time is left out."""
    done = run(command, text, **options)
    assert done.returncode == 0, done
    lines = done.stdout.decode().split("\n")
    assert not [line for line in lines if "error" in line or "\r" in line], lines
    return [re.sub(" time [0-9]+", "", line) for line in lines if not line.startswith("info sims")]


def session(answers, rules):
    lines = [f"setoption name Rules value {rules}"]
    positions = run([answers, "positions", rules, 1000]).stdout.decode().splitlines()
    for options, go, count in SETTINGS:
        lines += [f"setoption name {option}" for option in options]
        for position in positions[:: len(positions) // count]:
            lines += [f"position board {position}", go]
    return lines


def main():
    root, answers, archive, emulator = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    here = [answers.parents[2] / "quartozero-engine"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / "Jürgen 漢"  # no system code page has all of it
        zipfile.ZipFile(archive).extractall(folder)
        there = [*emulator, *folder.rglob("quartozero-engine.exe")]
        elsewhere = {"cwd": folder.parent, "env": {**os.environ, "LC_ALL": "C.UTF-8"}}

        for rules in ("lines", "squares"):
            lines = session(answers, rules)
            said, expected = thoughts(there, "\r\n".join(lines), **elsewhere), thoughts(here, "\n".join(lines))
            moves = sum(line.startswith("bestmove") for line in expected)
            different = [pair for pair in zip(said, expected) if pair[0] != pair[1]]
            print(f"{rules}: {moves} moves, {len(expected)} lines, {len(different)} differ", *different[:5], sep="\n")
            assert said == expected and moves == sum("go" in line.split() for line in lines)

        done = run([*there, "--fast"], **elsewhere)
        assert done.returncode == 2 and b"'--fast' is not an option" in done.stderr, done
        damaged = folder / "ä.light"
        weights = bytearray((root / "checkpoints/zero/model.light").read_bytes())
        weights[len(weights) // 2] ^= 1
        damaged.write_bytes(weights)
        done = run([*there, damaged], **elsewhere)
        assert done.returncode == 1 and "ä.light" in done.stderr.decode() and b"damaged" in done.stderr, done
        print(done.stderr.decode().strip())


if __name__ == "__main__":
    main()
