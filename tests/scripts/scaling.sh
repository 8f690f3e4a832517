#!/usr/bin/env bash
# The study of docs/experiments/scaling.md: its picture and its exponents are those of its data, what is measured is passed over, and
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
grep -o '[-+]0\.[0-9]* \[[^]]*\]' docs/experiments/scaling.md | tr -d ' ' | sort > "$dir/page"
grep -o '; [-+]0\.[0-9]* \[[^]]*\]' "$dir/told" | tr -d ' ;' | sort > "$dir/data"
[ "$(wc -l < "$dir/page")" -gt 10 ] || fail "the page has no exponents"
diff "$dir/page" "$dir/data" || fail "the page's exponents (<) are not those of the data (>)"

# A program that cannot run: nothing may be left to run.
"$python" scripts/scaling/measure.py --quartozero /no/such/program --tracks selfplay --seeds 1 --sizes 16x1 --out "$dir/runs" --data $data ||
  fail "measure.py runs again what is measured"
