#!/usr/bin/env bash
# Line coverage by part, from a build tree made with the `coverage` preset after its tests have run.
set -euo pipefail
build=${1:?usage: scripts/coverage.sh BUILD_DIR}
if ! command -v gcovr > /dev/null; then
  echo "error: gcovr is missing; install it with: apt-get install gcovr" >&2
  exit 1
fi
for part in base env solver mcts model train eval bench app; do
  gcovr --root . --filter "$part/" --gcov-ignore-parse-errors "$build" 2> /dev/null |
    awk -v part="$part" '/^TOTAL/ {printf "%-8s %6d lines  %s covered\n", part, $2, $4}'
done
