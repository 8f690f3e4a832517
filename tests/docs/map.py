#!/usr/bin/env python3
"""The map of the tree in docs/architecture.md agrees with the tree.

    tests/docs/map.py ROOT

The parts stand in the map in the order of cmake/layers.cmake, each with the parts that it uses beside base and env; every
folder in the map exists and has one sentence; every folder of the tree is in the map. One header of each part opens with that sentence, with the parts that it uses, which must
be those of its CMakeLists.txt, and with what it promises:

    // part: SENTENCE
    // Uses: part, part.
    // Promises: ...
"""
import pathlib
import re
import sys


def uses_in_cmake(root, part):
    """What the build lets the part include."""
    for file in (root / part / "CMakeLists.txt", root / "CMakeLists.txt"):
        if not file.exists():
            continue
        text = re.sub(r"#.*", "", file.read_text())
        found = (re.search(rf"quartozero_part\({part}\b(?:(?!\n[a-z]).)*?\bUSES\s+([a-z\s]+)", text, re.S) or
                 re.search(rf"quartozero_layers\({part}\s+\w+\s+([a-z\s]+)\)", text))
        if found:
            return found[1].split()
        if f"quartozero_part({part}" in text:
            return []
    return None


def check_header(root, part, sentence):
    """What is wrong with the part's first header."""
    first = [f for f in sorted((root / part).glob("*.h")) if f.read_text().startswith(f"// {part}: ")]
    if len(first) != 1:
        return [f"{part}/: {len(first)} headers open with '// {part}: ', expected one"]
    comment = []
    for line in first[0].read_text().split("\n"):
        if not line.startswith("// "):
            break
        comment.append(line[3:])
    text = " ".join(comment)
    name = f"{part}/{first[0].name}"
    said = re.match(rf"{part}: (.*?) Uses: (.*?)\. Promises: (.+)$", text)
    if not said:
        return [f"{name}: expected '{part}: SENTENCE', 'Uses: ...' and 'Promises: ...'"]
    wrong = []
    if said[1] != sentence:
        wrong.append(f"{name} says '{said[1]}', the map in docs/architecture.md '{sentence}'")
    used = [] if said[2] == "nothing" else said[2].split(", ")
    built = uses_in_cmake(root, part)
    if used != built:
        wrong.append(f"{name} uses {used}, its CMakeLists.txt {built}")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    page = (root / "docs/architecture.md").read_text()
    section = re.search(r"^## Map of the tree.*?$(.*?)(?=^## |\Z)", page, re.M | re.S)
    if not section:
        print("docs/architecture.md has no section 'Map of the tree'")
        return 1
    rows = re.findall(r"^\| `([\w.-]+)/` \| ([^|]*) \|(?: ([^|]*)\|)?$", section[1], re.M)
    listed = [name for name, _, _ in rows]
    parts = re.search(r"set\(parts ([^)]*)\)", (root / "cmake/layers.cmake").read_text())[1].split()
    failures = []

    for name, text, _ in rows:
        if not (root / name).is_dir():
            failures.append(f"{name}/ is in the map and not in the tree")
        if not text.strip():
            failures.append(f"{name}/ has no sentence")
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        failures.append(f"{name}/ is in the map twice")
    in_map = [name for name in listed if name in parts]
    for name in parts:
        if name not in in_map:
            failures.append(f"the part {name} is not in the map")
    if in_map != [name for name in parts if name in in_map]:
        failures.append(f"the parts stand in the order {' '.join(in_map)}; cmake/layers.cmake has {' '.join(parts)}")
    for name, text, uses in rows:
        if name in parts:
            failures += check_header(root, name, text)
            built = [part for part in uses_in_cmake(root, name) or [] if part not in ("base", "env")]
            if uses.strip() != ", ".join(built):
                failures.append(f"the map says that {name} uses '{uses.strip()}', its CMakeLists.txt '{', '.join(built)}'")
    for folder in sorted(root.iterdir()):
        built = re.match(r"^(build.*|runs|node_modules|__pycache__|install)$", folder.name)
        if folder.is_dir() and not folder.name.startswith(".") and not built and folder.name not in listed:
            failures.append(f"{folder.name}/ is in the tree and not in the map")

    for failure in failures:
        print(failure)
    print(f"{len(rows)} folders in the map, {len(in_map)} of them parts")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
