# For those who make wheels, sourced: makes the folder $out; run COMMAND keeps what it says in $out/log.txt, and ends the script
# with the last of it if it fails.
mkdir -p "$out"
out=$(cd "$out" && pwd)
log=$out/log.txt
: > "$log"
run() {
  printf '\n== %s\n' "$*" >> "$log"
  "$@" >> "$log" 2>&1 || {
    tail -n 30 "$log" >&2
    echo "failed: $*; all of it in $log" >&2
    exit 1
  }
}
