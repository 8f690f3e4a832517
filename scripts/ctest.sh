#!/usr/bin/env bash
# Runs the tests of a build tree. Their temporary files are in a folder of their own, in memory where that is possible
# (scripts/test-tmpdir.sh), which is removed afterwards; what tests have left in it is named.
#
#   scripts/ctest.sh JOBS BUILD [options of ctest]
set -uo pipefail
jobs=$1 build=$2
shift 2
parent=$("$(dirname "$0")/test-tmpdir.sh") || exit 1
folder=$(mktemp -d "$parent/quartozero-tests-XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
# One more than asked for: a quarter of the time they wait for clocks, sockets and disks.
TMPDIR=$folder ctest -j $((jobs + 1)) --output-on-failure --test-dir "$build" "$@"
status=$?
left=$(ls -A "$folder")
[ -z "$left" ] || printf 'note: tests have left in their temporary folder:\n%s\n' "$left"
exit "$status"
