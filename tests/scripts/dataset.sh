#!/usr/bin/env bash
# scripts/dataset.sh on short suites: every position is in both forms, the checksums are right, a directory with something in it is
# left alone, and a suite with a wrong value gives no data set.
#
#   tests/scripts/dataset.sh ROOT QUARTOZERO
set -euo pipefail
root=$1
quartozero=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; exit 1; }

mkdir -p "$dir/scripts" "$dir/eval/suites/squares"
cp "$root/scripts/dataset.sh" "$dir/scripts/"
cp "$root/LICENSE" "$dir/"
cp -r "$root/eval/suites/dataset" "$dir/eval/suites/"
for suite in decisive deep all squares/decisive squares/deep squares/all; do
  tail -n 12 "$root/eval/suites/$suite.tsv" > "$dir/eval/suites/$suite.tsv"
done

"$dir/scripts/dataset.sh" "$quartozero" "$dir/out" 1 > "$dir/log" 2>&1 || fail "$(cat "$dir/log")"
grep -q "out: 72 positions" "$dir/log" || fail "not all positions: $(cat "$dir/log")"
for file in lines/{decisive,deep,all} squares/{decisive,deep,all}; do
  [ "$(wc -l < "$dir/out/$file.jsonl")" = 12 ] || fail "$file.jsonl is incomplete"
  grep -q "^{\"rules\":\"${file%/*}\"" "$dir/out/$file.jsonl" || fail "$file.jsonl has other rules"
done
[ -s "$dir/out/LICENSE" ] || fail "no license"
(cd "$dir/out" && sha256sum --quiet --check SHA256SUMS) || fail "wrong checksums"

before=$(ls -R "$dir/out")
if "$dir/scripts/dataset.sh" "$quartozero" "$dir/out" 1 > "$dir/log" 2>&1; then fail "wrote into a directory with something in it"; fi
grep -q "is there already and not empty" "$dir/log" || fail "no reason given: $(cat "$dir/log")"
[ "$(ls -R "$dir/out")" = "$before" ] || fail "changed the directory"

sed -i '1s/:0/:-1/' "$dir/eval/suites/deep.tsv"
if "$dir/scripts/dataset.sh" "$quartozero" "$dir/wrong" 1 > "$dir/log" 2>&1; then fail "a wrong value was not noticed"; fi
grep -q "deep.tsv differs from what the solver finds" "$dir/log" || fail "no reason given: $(cat "$dir/log")"
[ -z "$(ls -A "$dir/wrong")" ] || fail "left something of a wrong data set"
