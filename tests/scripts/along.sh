#!/usr/bin/env bash
# scripts/scaling/along.py: its agreement is that of `eval`, the same command goes on with what is missing, and it says what it needs.
#
#   tests/scripts/along.sh ROOT PYTHON QUARTOZERO
set -euo pipefail
root=$1
python=$2
quartozero=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; exit 1; }
cd "$root"
along() { "$python" scripts/scaling/along.py "$dir/run" --quartozero "$quartozero" --data "$dir/curve.jsonl" --sims 0 --exact 13 "$@"; }
train() {
  "$quartozero" train configs/demo.yaml --out "$dir/run" --resume --quiet --seed 1 --set limits.minutes=0 --set limits.iterations="$1" \
    --set limits.games=20 --set limits.archive_every="$2" --set network.width=8 --set network.blocks=1 --set selfplay.threads=1 \
    --set learner.threads=1 --set evaluation.every=0 --set device=cpu > "$dir/log" 2>&1 || fail "$(cat "$dir/log")"
}

train 1 0
if along > "$dir/log" 2>&1; then fail "a run without archived checkpoints is taken"; fi
grep -q 'limits.archive_every' "$dir/log" || fail "$(cat "$dir/log")"
rm -r "$dir/run"

train 2 1
along > "$dir/told"
grep -q '^2 of 2: iteration-000002' "$dir/told" || fail "$(cat "$dir/told")"
said=$("$quartozero" eval "$dir/run/archive/iteration-000002" --sims 0 --no-baselines --threads 1 | awk '/^mean, all rows/ {print $4}' | tr '\n' ' ')
read -r decisive deep <<< "$said"
tail -1 "$dir/told" | grep -q "decisive@0 $decisive, deep@0 $deep, losing lines E=13 0" || fail "$(cat "$dir/told") and eval says $said"

train 3 1
along > "$dir/told"
grep -q '^1 of 1: iteration-000003' "$dir/told" || fail "what is measured is not passed over: $(cat "$dir/told")"
[ "$(wc -l < "$dir/curve.jsonl")" = 3 ] || fail "not a line for each checkpoint: $(cat "$dir/curve.jsonl")"
along --draw-only > "$dir/told"
[ "$(grep -c 'thousand games' "$dir/told")" = 3 ] || fail "$(cat "$dir/told")"
if "$python" -c 'import matplotlib' 2> /dev/null; then
  along --draw-only --svg "$dir/curve.svg" > /dev/null
  grep -q '</svg>' "$dir/curve.svg" || fail "nothing is drawn"
fi
