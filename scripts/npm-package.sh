#!/usr/bin/env bash
# Packs the npm package `quartozero` from the built page: the engine, its files and types.
#
#   scripts/npm-package.sh PAGE OUT    PAGE: what `make web` built; writes OUT/quartozero-VERSION.tgz and prints its name
set -euo pipefail
page=$(realpath "${1:?usage: scripts/npm-package.sh PAGE OUT}")
out=${2:?usage: scripts/npm-package.sh PAGE OUT}
cd "$(dirname "$0")/.."
version=$(scripts/version.sh)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp web/npm/* LICENSE NOTICES.md "$work/"
cp "$page"/{wasm.js,engine.js,files.js,quartozero.wasm} "$work/"
# Those of this version: the page's folder may hold others of an earlier one.
listed() { sed -n "s/^export const $1 = \[\(.*\)\];.*/\1/p" "$page/files.js" | tr -d "',"; }
for name in $(listed kNetworks); do cp "$page/$name.light" "$work/"; done
for name in $(listed kBooks); do cp "$page/$name.book" "$work/"; done
sed -i "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" "$work/package.json"
(cd "$work" && npm pack --silent --pack-destination "$out")
