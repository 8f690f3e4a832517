#!/usr/bin/env python3
"""The version and the license are the same wherever they are repeated.

    tests/docs/version.py ROOT

project(VERSION) in CMakeLists.txt is the version; programs, packages and pyproject.toml take it from there. What cannot is
compared with it: CITATION.cff, CHANGELOG.md, and the names of packages and replies that the pages quote. The license is
LICENSE; CITATION.cff, pyproject.toml and the npm package name it.
"""
import json
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1]).resolve()

    def text(name):
        return (root / name).read_text()

    version = re.search(r"^project\(quartozero VERSION ([0-9.]+)", text("CMakeLists.txt"), re.M)[1]
    found = [("CITATION.cff", re.search(r"^version: (\S+)$", text("CITATION.cff"), re.M)),
             ("CHANGELOG.md", re.search(r"^## .*?([0-9]+\.[0-9]+\.[0-9]+)", text("CHANGELOG.md"), re.M))]
    failures = [f"{name} names no version" for name, match in found if not match]
    found = [(name, match[1]) for name, match in found if match]
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        found += [(str(page.relative_to(root)), named) for named in
                  re.findall(r'(?:\bquartozero[-_ ]|"version":")(\d+\.\d+\.\d+)\b', page.read_text())]
    failures += [f"{name} says {named}, CMakeLists.txt {version}" for name, named in found if named != version]

    if not text("LICENSE").startswith("MIT License\n"):
        failures.append("LICENSE is not the MIT license")
    named = {"CITATION.cff": re.search(r"^license: (\S+)$", text("CITATION.cff"), re.M),
             "pyproject.toml": re.search(r'^license = "(.*)"$', text("pyproject.toml"), re.M)}
    licenses = {name: match and match[1] for name, match in named.items()}
    licenses["web/npm/package.json"] = json.loads(text("web/npm/package.json")).get("license")
    failures += [f"{name} names the license {license}, expected MIT" for name, license in licenses.items() if license != "MIT"]

    for failure in failures:
        print(failure)
    print(f"version {version}: compared with {len(found)} places")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
