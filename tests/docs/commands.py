#!/usr/bin/env python3
"""Every command in the documentation works, or at least exists.

    tests/docs/commands.py ROOT PROGRAM [--page TEXT] [--check-only] [--jobs N]

ROOT is the source tree, PROGRAM the built `quartozero`. Pages: README.md, CONTRIBUTING.md, docs/**/*.md and the cards of
the checkpoints.

Blocks that begin with ```sh run are run by bash, in the order of the page, in a scratch directory with the folders of the
source tree as links, so that relative paths work and outputs stay there. The blocks of one page share one directory.
A block that needs a program under build/ that was not built, or a tool that is not installed, is passed over.

In all blocks, and in inline code, every `quartozero SUBCOMMAND --option` is compared with the program's help, every
`--set KEY=VALUE` with the keys of `train --print-config`, every `make TARGET` with the Makefile, and every file of the
tree that a command reads (configs/, scripts/, checkpoints/, eval/suites/) must exist.

Prints how many commands were run and checked. Fails when there are none, and names FILE:LINE of each failure.
"""
import argparse
import concurrent.futures
import functools
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

# Only what hangs reaches these: a quiet machine needs less than a minute for a block. ctest allows an hour for all of
# them (tests/CMakeLists.txt).
LIMIT_SECONDS = 1200  # of one block
HELP_SECONDS = 300  # of one question to the program
NAMES = ("quartozero", "build/quartozero", "build-gpu/quartozero")
LEFT_OUT = {"build", "runs", "node_modules"}  # and hidden folders, and build-*
TOOLS = ("curl",)  # that the build does not need
OPERATORS = re.compile(r"^[|&;()<>]+$")
PLACEHOLDER = re.compile(r"^[A-Z_]+$|[<>*$]|\.\.\.")


def pages(root):
    found = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md")),
             *sorted((root / "checkpoints").glob("*/README.md"))]
    return [page for page in found if page.exists()]


def blocks_of(page):
    """Yields (info, first line number, text) of fenced blocks, and ('inline', line, text) of inline code."""
    lines = page.read_text().split("\n")
    prose, info, start, body = [], None, 0, []
    for number, line in enumerate(lines, 1):
        fence = re.match(r"^( *)```(.*)$", line)
        if fence and info is None:
            info, start, body, indent = fence[2].strip(), number + 1, [], len(fence[1])
            prose.append("")
        elif fence:
            yield info, start, "\n".join(body)
            info = None
            prose.append("")
        elif info is not None:
            body.append(line[indent:] if line[:indent].isspace() else line)
        else:
            prose.append(line)
    if info is not None:
        raise SystemExit(f"{page}:{start}: a code block without an end")
    text = "\n".join(prose)
    for match in re.finditer(r"`([^`]+)`", text):
        yield "inline", text.count("\n", 0, match.start()) + 1, " ".join(match[1].split())


def commands_of(text):
    """Yields (line offset, words) of each simple command of a block."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        first, line = at, lines[at]
        while line.rstrip().endswith("\\") and at + 1 < len(lines):
            at += 1
            line = line.rstrip()[:-1] + " " + lines[at]
        at += 1
        line = re.sub(r"^\s*\$ ", "", line)
        # Comments of shell and YAML; the '#' of a word is none.
        try:
            lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
            lexer.commenters = ""
            lexer.whitespace_split = True
            words = list(lexer)
        except ValueError:
            continue  # prose or output with an apostrophe
        command = []
        for word in words + [";"]:
            if word.startswith("#") or OPERATORS.match(word):
                if command:
                    yield first, command
                command = []
                if word.startswith("#"):
                    break
            else:
                command.append(word)


class Program:
    def __init__(self, path):
        self.path = path

    @functools.lru_cache(maxsize=None)
    def help(self, words):
        """The options and subcommands of `quartozero words...`."""
        done = subprocess.run([self.path, *words, "--help"], capture_output=True, text=True, timeout=HELP_SECONDS)
        text = done.stdout
        options = set()
        for line in text.split("\n"):
            if re.match(r"^  -", line):
                for word in line.split():
                    if not word.startswith("-"):
                        break
                    options.update(re.findall(r"--?[a-z][\w-]*", word))
        section = re.search(r"\nSubcommands:\n((?:  .*\n)+)", text + "\n")
        subcommands = set(re.findall(r"^  (\w+)", section[1], re.M)) if section else set()
        return options, subcommands

    @functools.lru_cache(maxsize=None)
    def keys(self, config):
        done = subprocess.run([self.path, "train", config, "--print-config"], capture_output=True, text=True,
                              timeout=HELP_SECONDS)
        keys, section = set(), ""
        for line in done.stdout.split("\n"):
            match = re.match(r"^( *)([a-z_]+):(.*)$", line)
            if not match:
                continue
            if not match[1]:
                section = match[2]
                keys.add(section)
            else:
                keys.add(f"{section}.{match[2]}")
        return keys


def check_program(words, program, config):
    """What is wrong with `quartozero` and these words, or ''."""
    words = list(words)
    path = ()
    options, subcommands = program.help(path)
    while words and re.match(r"^[a-z]+$", words[0]) and subcommands:
        if words[0] not in subcommands:
            return f"no subcommand '{' '.join([*path, words[0]])}'"
        path += (words.pop(0),)
        options, subcommands = program.help(path)
    keys = program.keys(config)
    for at, word in enumerate(words):
        option = word.split("=")[0]
        if re.match(r"^--[a-z]", word) and option not in options:
            return f"'quartozero {' '.join(path)}' has no option {option}"
        if word == "--set" or word == "--search":
            for value in words[at + 1:]:
                key = value.split("=")[0]
                if "=" not in value or not re.match(r"^[a-z_.]+$", key):
                    break
                full = f"search.{key}" if word == "--search" else key
                if full not in keys:
                    return f"no configuration key {full}"
    return ""


def check_command(words, root, program, targets, inline=False):
    if inline and words[0] in program.help(())[1] and len(words) > 1:
        words = ["quartozero", *words]  # a table of subcommands
    while words and re.match(r"^[A-Za-z_]+=", words[0]):
        words = words[1:]
    if not words:
        return None
    if words[0] in NAMES:
        if len(words) == 1:
            return None
        if not re.match(r"^[a-z]+$|^-", words[1]):
            return None
        wrong = check_program(words[1:], program, str(root / "configs/demo.yaml"))
    elif words[0] == "make" and len(words) > 1:
        named = list(itertools.takewhile(re.compile(r"^[a-z][\w-]*$").match, words[1:]))
        wrong = ", ".join(f"no target '{w}' in the Makefile" for w in named if w not in targets)
    else:
        named = [w for w in words if re.match(r"^(scripts|tests|python)/\S+\.(sh|py|js)$", w)]
        wrong = ", ".join(f"there is no {w}" for w in named if not (root / w).exists())
        if not named:
            return None
        return wrong
    for word in words[1:]:
        match = re.match(r"^(?:[a-z0-9:]*:|NAME=|[a-z]+=)?((?:configs|scripts|checkpoints|eval/suites)/[^@]+)", word)
        if match and not PLACEHOLDER.search(match[1]) and not (root / match[1]).exists():
            wrong = wrong or f"there is no {match[1]}"
    return wrong


def scratch(root, program, folder):
    for entry in root.iterdir():
        if entry.name.startswith(".") or entry.name in LEFT_OUT or entry.name.startswith("build-"):
            continue
        (folder / entry.name).symlink_to(entry)
    build = folder / "build"
    build.mkdir()
    (build / "quartozero").symlink_to(program)
    for name in ("quartozero-engine", "quartozero-serve", "python"):
        beside = program.parent / name
        if beside.exists():
            (build / name).symlink_to(beside)
    (folder / "runs").mkdir()


def run_page(page, blocks, root, program):
    """Runs the blocks of a page in order; the failures, and the seconds each took."""
    failures, times, passed_over = [], [], []
    folder = pathlib.Path(tempfile.mkdtemp(prefix="quartozero-docs-"))
    try:
        scratch(root, program, folder)
        for line, text in blocks:
            where = f"{page.relative_to(root)}:{line}"
            missing = [f"{b} is not built" for b in set(re.findall(r"\bbuild/[\w-]+", text))
                       if not (folder / b).exists()]
            missing += [f"{t} is not installed" for t in TOOLS if re.search(rf"\b{t} ", text) and not shutil.which(t)]
            if missing:
                passed_over.append(f"{where}: passed over, {', '.join(missing)}")
                continue
            start = time.monotonic()
            # A group of its own, so that nothing that it started outlives the limit.
            process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", text], cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
            try:
                output, _ = process.communicate(timeout=LIMIT_SECONDS)
                status = f"exit status {process.returncode}" if process.returncode else ""
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                output, _ = process.communicate()
                status = f"not finished after {LIMIT_SECONDS} s"
            times.append((time.monotonic() - start, where))
            if status:
                tail = "\n".join("    " + l for l in output.strip().split("\n")[-15:])
                failures.append(f"{where}: {status}\n{tail}")
                break  # what follows builds on it
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return failures, times, passed_over


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--page", default="", help="only pages whose path contains this")
    parser.add_argument("--check-only", action="store_true", help="run nothing")
    parser.add_argument("--jobs", type=int, default=2, help="pages at the same time")
    options = parser.parse_args()
    root, program = options.root.resolve(), options.program.absolute()
    targets = set(re.findall(r"^([\w-]+):", (root / "Makefile").read_text(), re.M))
    asked = Program(str(program))

    failures, checked, to_run = [], 0, []
    for page in pages(root):
        name = str(page.relative_to(root))
        if options.page not in name:
            continue
        blocks = []
        for info, start, text in blocks_of(page):
            if info.split()[:2] == ["sh", "run"]:
                blocks.append((start, text))
            for offset, words in commands_of(text):
                wrong = check_command(words, root, asked, targets, info == "inline")
                if wrong is None:
                    continue
                checked += 1
                if wrong:
                    failures.append(f"{name}:{start + offset}: {wrong}\n    {' '.join(words)}")
        if blocks:
            to_run.append((page, blocks))

    times, passed_over = [], []
    if not options.check_only:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            # The pages that take longest first would be better; their number of blocks is a good guess.
            to_run.sort(key=lambda item: -len(item[1]))
            for result in pool.map(lambda item: run_page(*item, root, program), to_run):
                failures += result[0]
                times += result[1]
                passed_over += result[2]

    for line in passed_over + failures:
        print(line)
    for seconds, where in sorted(times, reverse=True)[:5]:
        print(f"{seconds:6.1f} s  {where}")
    print(f"{len(times)} blocks run, {checked} commands checked against the program, {len(failures)} failures")
    if checked == 0 or (not times and not options.check_only and not options.page):
        print("nothing was run or nothing was checked: is this the right tree?")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
