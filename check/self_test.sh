#!/bin/bash
# Tests the walk checker: check/self_test.sh [BUILD]   (default: build; without its programs only the first part runs)
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
checker=$dir/walk_checker
fail() { echo "FAILED: $*" >&2; exit 1; }
status() { local rc=0; "$@" >"$dir/out" 2>"$dir/err" || rc=$?; echo "$rc"; }

g++ -std=c++20 -O2 -Wall -Wextra -Wshadow -Werror -pthread check/walk_checker.cpp -o "$checker"

"$checker" --self-test eval/suites/squares/deep.tsv || fail "the checker's solver or rules"
# One wrong value must be found.
head -n 200 eval/suites/deep.tsv | sed '200s/\t-\?[01]\t/\t7\t/' >"$dir/wrong.tsv"
[ "$(status "$checker" --self-test "$dir/wrong.tsv")" = 1 ] || fail "a wrong value was not found"
[ "$(status "$checker" --sample 5)" = 2 ] || fail "a missing --engine is not wrong usage"

[ -x "$build/quartozero" ] || { echo "no $build/quartozero: nothing to check a record of"; exit 0; }
engine="$build/quartozero-engine checkpoints/squares/model.light"
"$build/quartozero" exploit endgame:12:light:checkpoints/squares/model.light --rules squares --seat places --threads 1 \
  --record "$dir/walk.json" >"$dir/out"
check() { status "$checker" "$1" --seat places --engine "$engine" --state "$dir/state" "${@:2}"; }
[ "$(check "$dir/walk.json")" = 0 ] || fail "a right record: $(cat "$dir/out" "$dir/err")"
# Each kind of number in the record, changed; the state of the walk is kept, so this takes no time.
for change in 's/"positions": 1,/"positions": 3,/' 's/"decisions": 1,/"decisions": 2,/' 's/"moves": "[1-9a-f]/"moves": "0/' \
  's/"losing_lines": 0/"losing_lines": 1/'; do
  sed "$change" "$dir/walk.json" >"$dir/changed.json"
  cmp -s "$dir/walk.json" "$dir/changed.json" && fail "nothing to change: $change"
  [ "$(check "$dir/changed.json")" = 1 ] || fail "not found: $change"
  grep -q DIFFERENT "$dir/out" || fail "$change: $(cat "$dir/err")"
done
printf x | dd of="$dir/state" bs=1 seek=100 conv=notrunc status=none
[ "$(check "$dir/walk.json")" = 1 ] && grep -q damaged "$dir/err" || fail "a damaged state"
rm "$dir/state"
# Another player than that of the record; a player that can be beaten.
[ "$(check "$dir/walk.json" --go "sims 8")" = 1 ] || fail "another player was not found"
[ "$(status "$checker" --sample 20 --engine "$build/quartozero-engine checkpoints/zero/model.light")" = 1 ] &&
  grep -q LOST "$dir/out" || fail "the network alone loses games, and none was found"
echo "all checks of the checker passed"
