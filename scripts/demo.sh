#!/usr/bin/env bash
# Trains a small network for two minutes, measures it against exact play, exports it, and says where things are.
#
#   scripts/demo.sh BUILD/quartozero [OUT]
#
# OUT defaults to runs/demo. A directory that already holds a run is kept; the next free OUT-2, OUT-3, ... is used. A demo
# that was stopped goes on in its directory.
set -euo pipefail

quartozero=${1:?usage: scripts/demo.sh BUILD/quartozero [OUT]}
wanted=${2:-runs/demo}
wanted=${wanted%/}
out=$wanted resume=
stopped=stopped-demo # this file is in OUT after a demo that did not come to its end
for ((n = 2; ; ++n)); do
  [ -e "$out" ] || break
  if [ -e "$out/$stopped" ] && [ -e "$out/checkpoint" ]; then
    resume=--resume
    rm -f "$out/$stopped"
    break
  fi
  out=$wanted-$n
done
finished=
at_exit() { # the status says nothing when a signal ends this script
  if [ -z "$finished" ] && [ -e "$out/checkpoint" ]; then
    : > "$out/$stopped"
    printf '\nThe demo did not come to its end. The same command goes on with %s.\n' "$out" >&2
  fi
}
trap at_exit EXIT

bold= plain=
if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
step() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }

step "1/5  train from self-play alone, two minutes: $out"
if [ -n "$resume" ]; then
  "$quartozero" train --resume --out "$out"
else
  "$quartozero" train configs/demo.yaml --out "$out"
fi

step "2/5  measure the best checkpoint against the exact solver; the tables come at the end"
# Without proofs, which would hide what the network is worth.
"$quartozero" eval "$out/best" --simulations 0,32 --search proof_nodes=0 --json "$out/eval.json" > "$out/eval.txt"

step "3/5  play it against simple players"
"$quartozero" match "net:$out/best@32" random --games 100
"$quartozero" match "net:$out/best@32" oneply --games 200

step "4/5  export, and compare with LibTorch on 1,000 positions"
"$quartozero" export "$out/best" --onnx "$out/model.onnx" --light "$out/model.light"

step "5/5  write the report"
"$quartozero" report "$out" --eval "$out/eval.json" --out "$out/report.html"

finished=1
step "agreement with exact play"
cat "$out/eval.txt"
cat << END

The table: the share of positions in which the chosen move keeps the exact value; docs/tutorial.md#3-read-the-agreement-table.

checkpoint   $out/best            $quartozero play --opponent net:$out/best@64
report       $out/report.html     open it in a browser
export       $out/model.onnx      input "counts", outputs "place", "give", "outcome": docs/export.md
             $out/model.light     plays without LibTorch: $quartozero play --opponent light:$out/model.light@64
curves       $out                 $quartozero serve --runs $out: in a browser
             $out/tensorboard     tensorboard --logdir $out/tensorboard   (pip install tensorboard)
END
