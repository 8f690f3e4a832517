#!/usr/bin/env python3
"""Builds for two processors give the same answers, to the last bit.

    same_answers.py ROOT ANSWERS                    the digests of expected.txt
    same_answers.py ROOT ANSWERS_HERE ANSWERS_THERE
    same_answers.py ROOT ANSWERS_HERE ANSWERS_THERE --c COMPILER_HERE COMPILER_THERE [EMULATOR...]

ANSWERS, ANSWERS_HERE and ANSWERS_THERE are the program `answers` (answers.cpp) of a build. With --c the C player, compiled for
both, is compared in the place of the engine.
"""
import pathlib
import subprocess
import sys
import tempfile

NETWORKS = {"zero": "lines", "distilled": "lines", "small": "lines", "squares": "squares"}
FLAGS = "-std=c99 -pedantic -Wall -Wextra -Werror -O2".split()


def output(*command, stdin=None):
    return subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True, check=True).stdout


def require_equal(what, here, there):
    here, there = here.splitlines(), there.splitlines()
    different = [f"DIFFERENT {a}\n      and {b}" for a, b in zip(here, there) if a != b]
    if not here or len(here) != len(there):
        different.append(f"{len(here)} lines here, {len(there)} there")
    print(f"{what}: {len(here)} lines, {len(different)} differ", *different[:20], sep="\n")
    if different:
        sys.exit(1)


def networks(root):
    return [root / "checkpoints" / name / "model.light" for name in NETWORKS]


def compare_digests(root, here):
    require_equal("digests", (root / "tests/processors/expected.txt").read_text(), output(here, "digest", *networks(root)))


def compare_engine(root, here, there):
    require_equal("play", output(here, "play", *networks(root)), output(there, "play", *networks(root)))


def compare_c_player(root, here, there, compiler_here, compiler_there, *emulator):
    for name in ("zero", "squares"):
        network = root / "checkpoints" / name / "model.light"
        positions = output(here, "positions", NETWORKS[name], 1000)
        header = output(here, "header", network)
        require_equal(f"header of {name}", header, output(there, "header", network))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "player.h").write_text(header)
            (folder / "main.c").write_text((root / "tests/support/c_player_main.c").read_text())
            output(compiler_here, *FLAGS, "-o", folder / "here", folder / "main.c")
            there_c = folder / "there.exe"  # the ending is for Windows
            output(compiler_there, *FLAGS, "-o", there_c, folder / "main.c")
            require_equal(f"C player of {name}", output(folder / "here", stdin=positions),
                          output(*emulator, there_c, stdin=positions))


def main():
    root, here, there = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:4]
    try:
        if sys.argv[4:5] == ["--c"]:
            compare_c_player(root, here, *there, *sys.argv[5:])
        elif there:
            compare_engine(root, here, *there)
        else:
            compare_digests(root, here)
    except subprocess.CalledProcessError as e:
        sys.exit(f"{' '.join(e.cmd)}: status {e.returncode}\n{e.stderr}")


if __name__ == "__main__":
    main()
