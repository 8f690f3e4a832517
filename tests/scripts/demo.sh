#!/usr/bin/env bash
# scripts/demo.sh with a stand-in for quartozero: every step, the agreement tables once, and where the results are.
#
#   tests/scripts/demo.sh ROOT
set -euo pipefail
root=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat > "$dir/quartozero" << 'END'
#!/usr/bin/env bash
case $1 in
  train) mkdir "${@: -1}" ;;
  eval) echo "mean, all rows" ;;
esac
echo "$1" >> "$(dirname "$0")/called"
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
[ -z "$failed" ]
