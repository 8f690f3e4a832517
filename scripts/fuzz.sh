#!/usr/bin/env bash
# Runs every fuzz target of a build for so many seconds, so many at a time, and prints a table: executions; the edges of its
# code that were reached, also by the corpus that it began with, and all of them; inputs kept. Fails if a target finds
# something: a crash, an input that takes over a second (two where more than two targets share a core), or one that takes over
# 512 MB.
#
#   scripts/fuzz.sh BUILD SECONDS JOBS
set -uo pipefail
build=$1 seconds=$2 jobs=$3
root=$(cd "$(dirname "$0")/.." && pwd)
# Some targets write files, and flush them.
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm
# The limit is on what a target uses, not on the freed memory that the address sanitizer keeps: 256 MB by default.
export ASAN_OPTIONS=allocator_may_return_null=0:quarantine_size_mb=32 UBSAN_OPTIONS=print_stacktrace=1

slowest=$(( jobs > 2 * $(nproc) ? 2 : 1 ))

# On a busy machine an innocent input may take longer. What took too long, or too much memory, counts if it happens again,
# three times; a crash counts at once.
run() {
  local name=$1 work=$build/corpus/$1 input try
  local limits=(-timeout="$slowest" -rss_limit_mb=512)
  mkdir -p "$work"
  # What an earlier run found stays in the corpus, and does not count as found now.
  for input in "$work"/found-*; do [ ! -e "$input" ] || mv "$input" "${input/found-/earlier-}"; done
  "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" "${limits[@]}" -print_final_stats=1 \
    -artifact_prefix="$work/found-" "$work" "$root/tests/fuzz/corpus/$name" > "$build/corpus/$name.log" 2>&1 && return 0
  for input in "$work"/found-*; do
    [ -e "$input" ] || return 1 # it ended without saying of what
    case $input in *found-crash-*) return 1 ;; esac
    for try in 1 2 3; do
      "$build/tests/fuzz/fuzz_$name" "${limits[@]}" "$input" > /dev/null 2>&1 && continue 2
    done
    return 1
  done
  for input in "$work"/found-*; do mv "$input" "${input/found-/slow-once-}"; done
}
export -f run
export build seconds root slowest
mkdir -p "$build/corpus"
rm -f "$build"/corpus/*.failed # of a run that was interrupted
names=$(cd "$build/tests/fuzz" && ls fuzz_* | sed 's/^fuzz_//')
[ -n "$names" ] || { echo "no fuzz targets in $build/tests/fuzz" && exit 1; }
failed=()
printf '%s\n' $names | xargs -P "$jobs" -I{} bash -c 'run {} || touch "$build/corpus/{}.failed"'
last() { grep -o "$2" "$1" | tail -n 1 | grep -o '[0-9]*'; }
final() { sed -n "s/^stat::$2: *//p" "$1"; }
printf '%-14s %12s %11s %7s %7s %7s %10s  %s\n' target executions 'per second' edges of corpus 'MB at most' found
for name in $names; do
  log=$build/corpus/$name.log
  found=nothing
  [ ! -e "$build/corpus/$name.failed" ] || found=$(sed -n 's/^SUMMARY: *//p' "$log" | head -n 1)
  printf '%-14s %12s %11s %7s %7s %7s %10s  %s\n' "$name" "$(final "$log" number_of_executed_units)" \
    "$(final "$log" average_exec_per_sec)" "$(last "$log" 'cov: [0-9]*')" \
    "$(sed -n 's/.*PC tables (\([0-9]*\) PCs).*/\1/p' "$log" | head -n 1)" "$(last "$log" 'corp: [0-9]*')" \
    "$(final "$log" peak_rss_mb)" "${found:-something}"
  if [ -e "$build/corpus/$name.failed" ]; then
    rm "$build/corpus/$name.failed"
    failed+=("$name")
  fi
done
# After the table, where the end of a long log shows it.
for name in "${failed[@]}"; do
  echo "--- $name found something:"
  grep -E 'ERROR|SUMMARY|Test unit written|^Base64' "$build/corpus/$name.log" | head -n 5
  grep -m 12 -E '^ +#[0-9]+ .* in quarto' "$build/corpus/$name.log"
done
[ ${#failed[@]} -eq 0 ]
