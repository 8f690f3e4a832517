#!/usr/bin/env bash
# Every relative link in the documentation leads somewhere.
#
#   tests/docs/links.sh ROOT
set -euo pipefail
cd "$1"
bad=0 seen=0
while IFS= read -r page; do
  # Code is no text: fenced blocks are left out.
  while IFS= read -r target; do
    [[ $target =~ ^[a-z]+: || $target == '#'* ]] && continue
    seen=$((seen + 1))
    [ -e "$(dirname "$page")/${target%%#*}" ] || { echo "$page: $target leads nowhere"; bad=1; }
  done < <(awk '/^ *```/ {code = !code} !code' "$page" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\((.*)\)$/\1/' || true)
done < <(find README.md docs checkpoints eval -name '*.md')
echo "$seen links looked at"
[ "$seen" -gt 20 ] && exit "$bad"
