#!/usr/bin/env bash
# Writes the static pages into build-site/: documentation, references of Python and C++, the player, a recorded run.
#
#   scripts/site.sh BUILD WEB
#
# BUILD is configured and has the Python module; WEB is the player's page.
set -euo pipefail
build=$(realpath "$1") web=$(realpath "$2")
cd "$(dirname "$0")/.."
out=$PWD/build-site
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"

# The whole tree: pages link to any file of it, and what is no page itself becomes a download.
git ls-files -z | xargs -0 cp --parents -t "$work"
mv "$work"/docs/site/*.rst "$work"
PYTHONPATH=$build/python /usr/bin/python3 -m sphinx -q -W --keep-going -c docs/site -d "$work/.doctrees" "$work" "$out"

cmake --install "$build" --component headers --prefix "$work/installed" > /dev/null
{ cat docs/site/Doxyfile && echo "OUTPUT_DIRECTORY = $out" && echo "HTML_OUTPUT = cpp"; } > "$work/Doxyfile"
(cd "$work/installed/include/quartozero" && doxygen "$work/Doxyfile")
cp "$out/cpp/files.html" "$out/cpp/index.html" # which is empty

# The dashboard lies where the server has it, with replies in the place of a server.
cp -r "$web" "$out/player"
mkdir "$out/player/runs"
grep -oE 'web/[a-zA-Z./-]+' watch/CMakeLists.txt | xargs cp -t "$out/player/runs" docs/site/*.json
cp docs/site/recorded.js "$out/player/runs/source.js"
