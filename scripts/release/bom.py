#!/usr/bin/env python3
"""Prints the bill of materials of a release: CycloneDX 1.5.

    scripts/release/bom.py FOLDER NAME-VERSION

Each file of FOLDER is a component. Inside it are the works of others that it contains, from the table of NOTICES.md; its
dependencies are what it needs where it is installed, as the package itself says. Versions, and the licenses of dependencies,
are those of Debian's packages on this machine, which made the files.
"""
import email
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
AUTHORS = "The quartozero authors"
# Where NOTICES.md says that a work is in, by the end of a file's name.
PLACES = {".deb": ["programs"], ".whl": ["wheels"], "-npm.tgz": ["WebAssembly"], "-site.tar.gz": ["site", "WebAssembly"],
          "-source.tar.gz": ["sources"], "-win64.zip": ["Windows"]}
NOT_RELEASED = {"server image"}
# The package that a work of NOTICES.md is taken from, where the table has no version; pybind11's is pinned.
PACKAGES = {"{fmt}": "libfmt-dev", "JSON for Modern C++": "nlohmann-json3-dev", "spdlog": "libspdlog-dev",
            "Boost.Asio, Boost.Beast and the Boost headers they use": "libboost-dev", "CLI11": "libcli11-dev",
            "zstd": "libzstd1", "musl": "emscripten", "Emscripten's system libraries": "emscripten",
            "libc++, libc++abi, compiler-rt of LLVM": "emscripten", "Sphinx": "sphinx-common",
            "Read the Docs theme": "sphinx-rtd-theme-common", "Roboto Slab": "sphinx-rtd-theme-common",
            "jQuery with jQuery UI": "libjs-jquery", "Underscore": "libjs-underscore", "doxygen's scripts": "doxygen",
            "SmartMenus": "doxygen", "GCC's libraries": "gcc-mingw-w64-base", "mingw-w64's libraries": "mingw-w64-common"}


def asked(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def version_of(package):
    return asked("dpkg-query", "-W", "-f", "${Version}", package)


def real(package):
    """Its name, or that of the package that provides it."""
    for line in asked("dpkg-query", "-W", "-f", "${Package}\t${Provides}\n").splitlines():
        name, _, provided = line.partition("\t")
        if package in re.split(r"[ ,]+", provided):
            return name
    return package


def dependency(package, debian=None):
    """A component that is installed by itself: one of Debian's, or a package whose copyright is that of one of Debian's."""
    text = pathlib.Path(f"/usr/share/doc/{debian or package}/copyright").read_text()
    found = re.search(r"^Files:\s*\*\n(?:.+\n)*?License: *(.+)", text, re.M)
    license = found[1] if found else f"as in Debian's copyright file of {debian or package}"
    component = {"type": "library", "bom-ref": package, "name": package, "licenses": [{"license": {"name": license}}]}
    if debian:
        return component
    version = version_of(package)
    return component | {"version": version, "supplier": {"name": "Debian"}, "purl": f"pkg:deb/debian/{package}@{version}"}


def notices():
    """The works of others: name, version, supplier, license, and where each is."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", (ROOT / "NOTICES.md").read_text(), re.M)[1:]
    known = NOT_RELEASED.union(*PLACES.values())
    works = []
    for code, license, places in rows:
        name, version, holder = re.fullmatch(r"(.+?)(?: (\d[\d.]*))?(?:, copyright [\d, -]*(.+))?", code).groups()
        places = places.split(", ")
        if set(places) - known:
            sys.exit(f"NOTICES.md: {name} is in {places}, which is not among {sorted(known)}")
        if not version and name == "pybind11":
            version = re.search(r"^pybind11==(.+)$", (ROOT / "scripts/python/wheel-tools.txt").read_text(), re.M)[1]
        works.append({"name": name, "version": version or version_of(PACKAGES[name]), "supplier": holder or "Debian",
                      "license": re.sub(r" \(.*", "", license), "places": places})
    return works


def contained(file, works):
    places = [place for end, of_end in PLACES.items() if file.name.endswith(end) for place in of_end]
    inside = [work for work in works if set(work["places"]) & set(places)]
    if file.suffix == ".whl":
        # Libraries that were copied into the wheel: it has those that were there when it was built.
        libraries = set(re.findall(r"\.libs/lib([a-z+]+)", "\n".join(zipfile.ZipFile(file).namelist())))
        if libraries - {work["name"] for work in inside}:
            sys.exit(f"{file.name} has the libraries {sorted(libraries)}: NOTICES.md does not list all")
        inside = [work for work in inside if work["name"] != "zstd" or "zstd" in libraries]
    return [{"type": "library", "bom-ref": f"{file.name}/{work['name']}", "name": work["name"], "version": work["version"],
             "supplier": {"name": work["supplier"]}, "licenses": [{"expression": work["license"]}]} for work in inside]


def needed(file):
    if file.suffix == ".deb":
        said = asked("dpkg-deb", "-f", file, "Depends").strip().split(", ")
        return [dependency(real(re.match(r"[\w.+-]+", name)[0])) for name in said]
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
            said = email.message_from_bytes(wheel.read(metadata)).get_all("Requires-Dist", [])
        names = [re.match(r"[\w.-]+", name)[0] for name in said if "extra ==" not in name]
        return [dependency(name, f"python3-{name}") for name in names]
    if file.name.endswith("-npm.tgz"):
        with tarfile.open(file) as package:
            said = json.load(package.extractfile("package/package.json"))
        if said.get("dependencies"):
            sys.exit(f"{file.name} has dependencies, which scripts/release/bom.py does not know")
    return []


def main():
    folder, (name, version) = pathlib.Path(sys.argv[1]), sys.argv[2].rsplit("-", 1)
    works = notices()
    own = {"version": version, "supplier": {"name": AUTHORS}, "licenses": [{"expression": "MIT"}]}
    files, others, graph = [], {}, []
    for file in sorted(folder.iterdir()):
        files.append({"type": "file", "bom-ref": file.name, "name": file.name} | own |
                     {"hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}],
                      "components": contained(file, works)})
        needs = needed(file)
        others.update({need["bom-ref"]: need for need in needs})
        graph.append({"ref": file.name, "dependsOn": sorted({need["bom-ref"] for need in needs})})
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"timestamp": made, "authors": [{"name": AUTHORS}],
                     "component": {"type": "application", "bom-ref": name, "name": name} | own},
        "components": files + sorted(others.values(), key=lambda other: other["name"]),
        "dependencies": [{"ref": name, "dependsOn": [file["name"] for file in files]}] + graph}, indent=1))


if __name__ == "__main__":
    main()
