#!/usr/bin/env bash
# Makes the exact labels that `distilled` was trained on, 2.68 million positions with one piece to fifteen.
#
#   checkpoints/distilled/labels.sh OUT [VALIDATION.tsv...]
#
# No position is an image of one of the suites or of the validation positions, which were those of `label --keep deep
# --pieces 6-13 --seed 2031` and `label --keep decisive --pieces 5-13 --seed 2032`.
set -euo pipefail
out=${1:?usage: checkpoints/distilled/labels.sh OUT [VALIDATION.tsv...]}
shift
mkdir -p "$out"
suites=(eval/suites/deep.tsv eval/suites/decisive.tsv eval/suites/all.tsv)
label() { build/quartozero label --threads 1 --exclude "${suites[@]}" "${validation[@]}" --out "$out/$1" "${@:2}"; }
validation=("$@")
label a1-4.labels --pieces 1-4 --per-stratum 1000 --seed 31
label a5.labels --pieces 5 --per-stratum 500 --seed 31
label a6.labels --pieces 6 --per-stratum 30000 --seed 31
label d6.labels --keep deep --pieces 6 --per-stratum 10000 --seed 32
label a7.labels --pieces 7 --per-stratum 150000 --seed 31
label a8.labels --pieces 8 --per-stratum 150000 --seed 31
label d7-11.labels --keep deep --pieces 7-11 --per-stratum 60000 --seed 32
label a9-15.labels --pieces 9-15 --per-stratum 100000 --seed 31
