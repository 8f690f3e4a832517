#!/usr/bin/env bash
# scripts/release/make.sh with stand-ins for make and for what it builds: what is in the folder, that the sums are right, that a
# second release has the same bytes, and that a step that fails leaves no release.
#
#   tests/scripts/release.sh ROOT PYTHON
set -euo pipefail
root=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; exit 1; }

mkdir -p "$dir/bin" "$dir/tree/scripts/python"
ln -s "$2" "$dir/bin/python3"
printf '#!/bin/sh\ncase $* in *Provides*) printf "libc6\\tlibvirtual (= 1)\\n" ;; *) printf 1.2 ;; esac\n' > "$dir/bin/dpkg-query"
cat > "$dir/bin/make" << 'END_MAKE'
#!/usr/bin/env bash
# Writes what a target of the Makefile writes.
shift # --no-print-directory
[ "$1" != "$FAIL" ] || { echo "no $1 today"; exit 1; }
put() { mkdir -p "$(dirname "$1")" && cat > "$1"; }
wheel() { # FILE LIBRARY...
  mkdir -p "$(dirname "$1")"
  python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr(zipfile.ZipInfo("q.dist-info/METADATA"), "Requires-Dist: numpy>=1.21\nRequires-Dist: x; extra == \"x\"\n")
    for library in sys.argv[2:]: wheel.writestr(zipfile.ZipInfo("q.libs/" + library), "")' "$@"
}
case $1 in
  package)
    printf '#!/bin/sh\n[ "$1 $3" = "export --c" ] && basename "$2" > "$4"\n' | put build-package/quartozero
    chmod +x build-package/quartozero
    printf 'Package: q\nVersion: 1\nArchitecture: all\nMaintainer: m\nDescription: d\nDepends: libc6 (>= 2.36), libvirtual\n' | put build-package/q/DEBIAN/control
    dpkg-deb --root-owner-group --build build-package/q build-package/q_1_all.deb
    ;;
  dataset) echo position | put "${3#DATASET_OUT=}/lines/all.tsv" ;;
  npm)
    echo '{}' | put build-npm/package/package.json
    tar -C build-npm --sort=name --mtime=@0 -czf build-npm/q.tgz package
    ;;
  site) echo page | put build-site/index.html ;;
  wheel) wheel build-wheel/q-x86_64.whl libzstd-1.so ;;
  windows) echo program | put build-windows/q-win64.zip ;;
  wheel-aarch64) wheel build-aarch64/wheel/q-aarch64.whl ;;
esac
END_MAKE
chmod +x "$dir"/bin/*
export PATH="$dir/bin:$PATH" FAIL=

(cd "$root" && cp -r --parents -t "$dir/tree" scripts/release scripts/version.sh scripts/python/wheel-tools.txt NOTICES.md CMakeLists.txt \
  .gitignore checkpoints/*/model.light)
cd "$dir/tree"
git init -q
git add -A
git -c user.name=a -c user.email=a@b commit -qm all
name=quartozero-$(scripts/version.sh)
mkdir build-wheel && touch build-wheel/older.whl
release() { scripts/release/make.sh > "$dir/log" 2>&1; }

release || fail "$(cat "$dir/log")"
expected=$(printf '%s\n' SHA256SUMS q_1_all.deb q-{x86_64,aarch64}.whl q-win64.zip "$name"{-{source,dataset,site}.tar.gz,-npm.tgz,.cdx.json}
  for network in checkpoints/*; do printf '%s\n' "$name-${network#*/}".{h,light}; done)
diff <(sort <<< "$expected") <(ls build-release | sort) || fail "other files than these"
(cd build-release && sha256sum --quiet --check SHA256SUMS) || fail "wrong sums"
[ "$(wc -l < build-release/SHA256SUMS)" = $(($(wc -l <<< "$expected") - 1)) ] || fail "sums are missing"
[ "$(cat "build-release/$name-zero.h")" = zero ] || fail "another network's header"
diff <(tar -tf "build-release/$name-source.tar.gz" | sed -n "s,^$name/\(.*[^/]\)$,\1,p" | sort) <(git ls-files | sort) || fail "other sources than the commit's"
for file in dataset/lines/all.tsv site/index.html; do
  tar -tf "build-release/$name-${file%%/*}.tar.gz" | grep -x "$name-$file" > /dev/null || fail "no $file"
done
for file in $(grep -v SHA256SUMS <<< "$expected"); do grep -q "  $file\$" "$dir/log" || fail "the table has no $file"; done
python3 - "build-release/$name.cdx.json" << 'END_PYTHON' || fail "the bill of materials is wrong"
import json, sys
bill = json.load(open(sys.argv[1]))
inside = {file["name"]: {work["name"] for work in file.get("components", [])} for file in bill["components"]}
needs = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
assert "zstd" in inside["q-x86_64.whl"] and "zstd" not in inside["q-aarch64.whl"] and "pybind11" in inside["q-aarch64.whl"], inside
assert needs["q_1_all.deb"] == ["libc6"] and needs["q-x86_64.whl"] == ["numpy"], needs
END_PYTHON

cp -r build-release "$dir/first"
release && diff -r "$dir/first" build-release || fail "a second release differs"

for FAIL in site package; do
  if release; then fail "$FAIL failed and nothing was said"; fi
  grep -q "no $FAIL today" "$dir/log" && grep -q "release: $FAIL failed" "$dir/log" || fail "no reason given: $(cat "$dir/log")"
  [ ! -e build-release ] && [ ! -e build-release.partial ] || fail "left something of a release whose $FAIL failed"
done
FAIL=
touch more
if release; then fail "made a release of what is not committed"; fi
grep -q "commit first" "$dir/log" || fail "no reason given: $(cat "$dir/log")"
