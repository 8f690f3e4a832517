#!/usr/bin/env bash
# Uses each file of build-release/ once, as its page says, each kind in a new Debian 12 system. Needs root and debootstrap;
# downloads a gigabyte, most of it LibTorch, twice. The wheel for aarch64 and the engine for Windows were tried when they were made.
#
#   scripts/release/try.sh [wheel|npm|headers|source_archive|package ...]    these; without, all
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/package/root.sh
out=$PWD/build-release
name=quartozero-$(scripts/version.sh)
(cd "$out" && sha256sum --check --quiet SHA256SUMS)
work=$(mktemp -d)
trap 'umount "$work"/*/proc 2> /dev/null || true; rm -rf --one-file-system "$work"' EXIT

# The first block of this language on a page.
block() { awk -v begin="\`\`\`$1" '$0 == "```" && on { exit } on; $0 == begin { on = 1 }' "$2"; }
# start PACKAGE...: a new system with these packages and the release, for run.
start() {
  root=$work/$kind
  new_root "$root"
  mount -t proc proc "$root/proc"
  cp -r "$out" "$root/release"
  run "apt-get -qq update && apt-get -qq install -y --no-install-recommends $* > /apt.log 2>&1 || { tail -n 20 /apt.log; exit 1; }"
}
run() {
  echo "+ $1"
  in_root "$root" bash -euc "cd /root; $1" < /dev/null
}

# With the light files, the data set and the pages: they need Python or a browser.
wheel() {
  start python3-venv ca-certificates
  run "python3 -m venv v && v/bin/pip install --quiet /release/$name-cp311-*_x86_64.whl"
  block python docs/python.md > "$root/root/first.py"
  block python eval/suites/dataset/README.md > "$root/root/card.py"
  cp tests/site/links.py "$root/root/"
  run "(cat first.py; echo 'print(player.choose(position))') | v/bin/python -"
  run "v/bin/python -c 'import glob, quartozero
for file in glob.glob(\"/release/*.light\"):
    player = quartozero.Player.load(file)
    print(file, player.choose(quartozero.Position(rules=player.info[\"rules\"])))'"
  run "tar -xf /release/$name-dataset.tar.gz && cd $name-dataset && sha256sum --check --quiet SHA256SUMS &&
    python3 -c 'my_player = lambda board, hand: 0
exec(open(\"/root/card.py\").read())'"
  run "tar -xf /release/$name-site.tar.gz && python3 links.py $name-site"
}
npm() {
  start nodejs npm
  block js web/npm/README.md > "$root/root/first.mjs"
  run "npm install --silent /release/$name-npm.tgz && node first.mjs"
}
headers() {
  start gcc libc6-dev
  block c docs/export.md > "$root/root/first.c"
  run "for header in /release/*.h; do cp \$header player.h; gcc -std=c99 -Wall -Wextra -Werror -O2 first.c; ./a.out; echo \$header; done"
}
source_archive() {
  start make git
  run "tar -xf /release/$name-source.tar.gz && cd $name && make configure && tail -n 3 build/configure.log"
}
package() { scripts/package/try.sh "$out"/*.deb; }

[ -n "${QUARTOZERO_DEBIAN_ROOT:-}" ] || { new_root "$work/new"; export QUARTOZERO_DEBIAN_ROOT=$work/new; }
[ $# -gt 0 ] || set -- wheel npm headers source_archive package
for kind in "$@"; do
  echo "== $kind"
  "$kind"
done
echo "tried: $*"
