#!/usr/bin/env bash
# The figures on the pages are those of docs/figures; one that is changed in the data or on a page is found.
#
#   tests/docs/figures.sh ROOT PYTHON
set -euo pipefail
root=$1
python=$2
"$python" "$root/scripts/figures.py" --check

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/scripts/scaling" "$copy/docs/figures"
cp "$root/scripts/figures.py" "$copy/scripts"
cp "$root/scripts/scaling/shared.py" "$copy/scripts/scaling"
about='"what": "t", "command": "t", "commit": "t", "machine": "t", "date": "t"'
echo "{$about, \"columns\": [\"a\", \"b\"], \"rows\": [[\"x\", 94.7]]}" > "$copy/docs/figures/one.json"
echo "{$about, \"quoted\": {\"README.md\": [\"it takes 28 KB\"]}}" > "$copy/docs/figures/two.json"
printf '# T\n\n<!-- figures one -->\n| a | b |\n|---|---|\n| x | 94.7 |\n<!-- end figures -->\n\nAnd it\ntakes 28 KB.\n' > "$copy/README.md"
check() { "$python" "$copy/scripts/figures.py" --check > "$copy/said" 2>&1; }
check || { cat "$copy/said"; exit 1; }
finds() {
  if check; then echo "not found: $1"; exit 1; fi
  grep -q "$1" "$copy/said" || { cat "$copy/said"; exit 1; }
}
sed -i 's/| x | 94.7 |/| x | 94.8 |/' "$copy/README.md"
finds "README.md: the table 'one'"
"$python" "$copy/scripts/figures.py" --write > "$copy/said"
grep -q '| x | 94.7 |' "$copy/README.md"
check
sed -i 's/28 KB/29 KB/' "$copy/docs/figures/two.json"
finds "README.md does not say 'it takes 29 KB'"
sed -i 's/"date"/"day"/' "$copy/docs/figures/two.json"
finds 'no text for date'
rm "$copy/docs/figures/two.json"
sed -i 's/figures one/figures other/' "$copy/README.md"
finds 'docs/figures/other.json has no table'
