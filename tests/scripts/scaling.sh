#!/usr/bin/env bash
# The study of docs/experiments/scaling.md: its picture and the range of its exponents are those of its data, what is measured is passed over, and
# data of other networks is refused. Skipped (77) where this Python has no matplotlib.
#
#   tests/scripts/scaling.sh ROOT PYTHON
set -euo pipefail
root=$1
python=$2
"$python" -c 'import matplotlib' 2> /dev/null || { echo "skipped: no matplotlib for $python"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; exit 1; }
cd "$root"
data=docs/experiments/scaling.jsonl

"$python" scripts/scaling/plot.py $data --svg "$dir/plot.svg" > "$dir/told"
grep -q '</svg>' "$dir/plot.svg" || fail "plot.py drew nothing"
# By track, in the order of what plot.py prints: the smallest and the largest exponent, as the page has them.
awk '/exact labels/ {track = "labels"} /self-play/ {track = "self-play"}
     match($0, /; [-+]0\.[0-9]+/) {b = -substr($0, RSTART + 2, RLENGTH - 2); seen[track]++
       if (!(track in least) || b < least[track]) least[track] = b
       if (b > most[track]) most[track] = b}
     END {for (track in seen) printf "%s %d -%.2f to -%.2f\n", track, seen[track], least[track], most[track]}' "$dir/told" | sort > "$dir/data"
read -r _ labels_seen labels < "$dir/data"
read -r _ games_seen games < <(tail -1 "$dir/data")
[ "$labels_seen" -ge 6 ] && [ "$games_seen" -ge 8 ] || fail "plot.py printed too few exponents: $(cat "$dir/data")"
tr '\n' ' ' < docs/experiments/scaling.md | grep -qF "b is $labels on labels and $games by self-play" ||
  fail "the page does not say 'b is $labels on labels and $games by self-play'"

# A program that cannot run: nothing may be left to run.
"$python" scripts/scaling/measure.py --quartozero /no/such/program --tracks selfplay --seeds 1 --sizes 16x1 --out "$dir/runs" --data $data ||
  fail "measure.py runs again what is measured"
