#!/usr/bin/env bash
# Writes the suites as a data set for other programs: TSV and JSON lines for both rule sets, a card, and checksums.
# Each position is solved again on the way, so a value that differs from the suite's is an error.
#
#   scripts/dataset.sh QUARTOZERO OUT [THREADS]    OUT must not be there yet, or be empty
set -euo pipefail
usage="usage: scripts/dataset.sh QUARTOZERO OUT [THREADS]"
quartozero=$(realpath "${1:?$usage}")
out=$(realpath -m "${2:?$usage}")
[ -x "$quartozero" ] || { echo "dataset: '$quartozero' is no program" >&2; exit 1; }
threads=${3:-$(nproc)}
cd "$(dirname "$0")/.."
if [ -e "$out" ] && [ -n "$(ls -A "$out")" ]; then
  echo "dataset: '$out' is there already and not empty; name another directory (make dataset DATASET_OUT=...)" >&2
  exit 1
fi
mkdir -p "$out"
work=$(mktemp -d "$out/.partial.XXXXXX")
trap 'rm -rf "$work"' EXIT
for rules in lines squares; do
  suites=eval/suites
  [ "$rules" = lines ] || suites=eval/suites/$rules
  mkdir "$work/$rules"
  for suite in decisive deep all; do
    from=$suites/$suite.tsv
    echo "$rules/$suite" >&2
    for format in suite jsonl; do
      "$quartozero" label --from "$from" --rules "$rules" --threads "$threads" --format $format \
        --out "$work/$rules/$suite.$format" > "$work/log" || { cat "$work/log" >&2; exit 1; }
    done
    mv "$work/$rules/$suite.suite" "$work/$rules/$suite.tsv"
    cmp "$from" "$work/$rules/$suite.tsv" || { echo "dataset: $from differs from what the solver finds" >&2; exit 1; }
  done
done
cp eval/suites/dataset/README.md LICENSE "$work/"
rm "$work/log"
(cd "$work" && sha256sum README.md LICENSE */*.tsv */*.jsonl > SHA256SUMS)
mv "$work"/* "$out/"
echo "$out: $(cat "$out"/*/*.tsv | wc -l) positions, $(du -sh "$out" | cut -f1)"
