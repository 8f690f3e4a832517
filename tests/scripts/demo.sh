#!/usr/bin/env bash
# scripts/demo.sh with a stand-in for quartozero: every step, the agreement tables once, and where the results are; a demo
# that was stopped goes on.
#
#   tests/scripts/demo.sh ROOT
set -euo pipefail
root=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat > "$dir/quartozero" << 'END'
#!/usr/bin/env bash
folder=$(dirname "$0")
case $1 in
  train)
    case $* in *--resume*) echo resumed >> "$folder/called" ;; *) mkdir "${@: -1}" "${@: -1}/checkpoint" ;; esac
    ;;
  eval) echo "mean, all rows" ;;
esac
echo "$1" >> "$folder/called"
[ ! -e "$folder/kill-at-$1" ] || kill $PPID
[ ! -e "$folder/stop-at-$1" ]
END
chmod +x "$dir/quartozero"
"$root/scripts/demo.sh" "$dir/quartozero" "$dir/run" > "$dir/out"

failed=
check() {
  [ "$2" = "$3" ] && return
  printf '%s: %s, expected %s\n' "$1" "$2" "$3"
  failed=1
}
check "subcommands" "$(tr '\n' ' ' < "$dir/called")" "train eval match match export report "
check "times that the tables are printed" "$(grep -c 'mean, all rows' "$dir/out")" 1
check "eval.txt" "$(cat "$dir/run/eval.txt")" "mean, all rows"
for what in checkpoint report export curves; do
  check "lines that say where the $what is" "$(grep -c "^$what .*$dir/run" "$dir/out")" 1
done

ends_with() { # STATUS: a demo does, and says how to go on
  local status=0
  "$root/scripts/demo.sh" "$dir/quartozero" "$dir/run" > "$dir/out" 2>&1 || status=$?
  check "status of a demo that is stopped" $status "$1"
  check "lines that say how to go on" "$(grep -c "same command goes on with $dir/run-2" "$dir/out")" 1
}
: > "$dir/called"
: > "$dir/stop-at-match"
ends_with 1
rm "$dir/stop-at-match"
: > "$dir/kill-at-export"
ends_with 143 # by a signal
rm "$dir/kill-at-export"
"$root/scripts/demo.sh" "$dir/quartozero" "$dir/run" > "$dir/out"
check "subcommands of all three" "$(tr '\n' ' ' < "$dir/called")" \
  "train eval match resumed train eval match match export resumed train eval match match export report "
check "lines that say where its report is" "$(grep -c "^report .*$dir/run-2/" "$dir/out")" 1
: > "$dir/called"
: > "$dir/stop-at-train"
status=0
"$root/scripts/demo.sh" "$dir/quartozero" "$dir/run" > "$dir/out" 2>&1 || status=$?
rm "$dir/stop-at-train"
rmdir "$dir/run-3/checkpoint" # as if it had been stopped before there was one
"$root/scripts/demo.sh" "$dir/quartozero" "$dir/run" > "$dir/out"
check "lines that say where the next one's is" "$(grep -c "^report .*$dir/run-4/" "$dir/out")" 1
check "subcommands of both" "$(tr '\n' ' ' < "$dir/called")" "train train eval match match export report "
[ -z "$failed" ]
