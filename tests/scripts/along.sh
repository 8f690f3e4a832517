#!/usr/bin/env bash
# scripts/scaling/along.py: its figures are those of `eval` and `exploit`, the same command goes on with what is missing, and what
# cannot be measured or does not belong together is refused with a reason.
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
along() { "$python" scripts/scaling/along.py "$dir/${run:-run}" --quartozero "$quartozero" --data "$dir/curve.jsonl" --sims 0 --exact 11 "$@"; }
refuses() {
  local reason=$1
  shift
  if along "$@" > "$dir/log" 2>&1; then fail "taken, though: $reason"; fi
  grep -q "^error: .*$reason" "$dir/log" || fail "$(cat "$dir/log")"
}
train() {
  "$quartozero" train configs/demo.yaml --out "$dir/run" --resume --quiet --seed 1 --set limits.minutes=0 --set limits.iterations="$1" \
    --set limits.games=20 --set limits.archive_every="$2" --set network.width=16 --set network.blocks=1 --set selfplay.threads=1 \
    --set learner.threads=1 --set evaluation.every=2 --set evaluation.positions=1 --set evaluation.match_games=0 --set device=cpu > "$dir/log" 2>&1 || fail "$(cat "$dir/log")"
}

run=none refuses 'does not exist: name the directory'
train 1 0
refuses 'limits.archive_every'
rm -r "$dir/run"

train 2 1
along > "$dir/told"
grep -q '^2 of 2: iteration-000002' "$dir/told" || fail "$(cat "$dir/told")"
last="$dir/run/archive/iteration-000002"
said=$("$quartozero" eval "$last" --sims 0 --no-baselines --threads 1 | awk '/^mean, all rows/ {print $4}' | tr '\n' ' ')
read -r decisive deep <<< "$said"
"$quartozero" exploit "endgame:11:net:$last" --threads 1 --json "$dir/walk.json" > "$dir/log"
lines=$(sed -n 's/^ "losing_lines": \([0-9]*\),$/\1/p' "$dir/walk.json")
[ "$lines" -gt 0 ] || fail "two iterations taught it too much for this test"
tail -1 "$dir/told" | grep -q "decisive@0 $decisive, deep@0 $deep, losing lines E=11 $lines\$" || fail "$(cat "$dir/told"); eval: $said, exploit: $lines"

train 3 1
printf '{"half a line' >> "$dir/run/metrics.jsonl" # of a run in progress
along > "$dir/told"
grep -q '^1 of 1: iteration-000003' "$dir/told" || fail "what is measured is not passed over: $(cat "$dir/told")"
[ "$(wc -l < "$dir/curve.jsonl")" = 3 ] || fail "not a line for each checkpoint: $(cat "$dir/curve.jsonl")"
run=none along --draw-only > "$dir/told"
[ "$(grep -c 'thousand games' "$dir/told")" = 3 ] || fail "$(cat "$dir/told")"
if "$python" -c 'import matplotlib' 2> /dev/null; then
  along --draw-only --svg "$dir/curve.svg" --against games hours > /dev/null
  grep -q '</svg>' "$dir/curve.svg" || fail "nothing is drawn"
  for label in 'games of self-play, thousand' 'hours of the run'; do grep -q "$label" "$dir/curve.svg" || fail "no plot against $label"; done
fi

# Points on a line but for the first.
mv "$dir/curve.jsonl" "$dir/measured.jsonl"
for point in 1:90 2:90 3:93 4:96; do
  printf '{"iteration": %s, "checkpoint": "", "games": %s000000, "seconds": 0, "losing_lines": {"11": 0}, "agreement": [{"suite": "deep", "sims": 0, "agreement": %s, "half_interval": 1}]}\n' \
    "${point%:*}" "${point%:*}" "${point#*:}" >> "$dir/curve.jsonl"
done
run=none along --draw-only --trend-from 2000000 > "$dir/told"
grep -q '^from 2000 thousand games on, 3 checkpoints, ' "$dir/told" && grep -q 'deep@0 +3.00 (0.00), 90.0 to 96.0$' "$dir/told" || fail "$(cat "$dir/told")"
run=none along --draw-only --trend-from 0 > "$dir/told"
grep -q 'deep@0 +2.10 (0.52), 90.0 to 96.0$' "$dir/told" || fail "$(cat "$dir/told")"
run=none refuses 'a trend needs three' --draw-only --trend-from 3000000
mv "$dir/measured.jsonl" "$dir/curve.jsonl"

refuses 'another --simulations or --exact' --sims 0,8
rm -r "$dir/run/archive/iteration-000003"
cp -r "$last" "$dir/run/archive/iteration-000003"
refuses 'has other weights for iteration-000003'
echo '{"half a line' >> "$dir/curve.jsonl"
refuses 'curve.jsonl:4: no line of this script'
mv "$dir/curve.jsonl" "$dir/elsewhere.jsonl"
refuses 'cannot be started' --quartozero "$dir/no-program"
: > "$last/model.safetensors"
refuses "failed: "
