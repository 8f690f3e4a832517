#!/usr/bin/env bash
# Every relative link in the documentation leads to a file, and to a heading of it if it names one.
#
#   tests/docs/links.sh ROOT
set -euo pipefail
cd "$1"

# Code is no text: fenced blocks are left out.
text_of() { awk '/^ *```/ {code = !code} !code' "$1"; }

# The anchors of a page, as GitHub makes them: lower case, punctuation left out, blanks become hyphens.
anchors_of() {
  text_of "$1" | sed -nE 's/^#+ +//p' | sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' | tr '[:upper:]' '[:lower:]' |
    sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

bad=0 seen=0
while IFS= read -r page; do
  while IFS= read -r target; do
    [[ $target =~ ^[a-z]+: ]] && continue
    seen=$((seen + 1))
    file=${target%%#*}
    file=${file:+$(dirname "$page")/$file}
    file=${file:-$page}
    if [ ! -e "$file" ]; then
      echo "$page: $target leads nowhere"
      bad=1
    elif [[ $target == *'#'* && $file == *.md ]] && ! anchors_of "$file" | grep -qxF -- "${target#*#}"; then
      echo "$page: $target: no such heading"
      bad=1
    fi
  done < <(text_of "$page" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\((.*)\)$/\1/' || true)
done < <(find README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md NOTICES.md web/npm docs checkpoints eval -name '*.md')
echo "$seen links looked at"
[ "$seen" -gt 20 ] && exit "$bad"
