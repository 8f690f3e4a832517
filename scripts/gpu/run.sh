#!/usr/bin/env bash
# Everything on a machine with an NVIDIA GPU, in one command and without questions: build against the LibTorch that
# comes with PyTorch, run the tests, measure the networks, train for a while, evaluate, and leave small results.
#
#   scripts/gpu/run.sh OUT [MINUTES]
#
# OUT      a folder for what is worth keeping: logs, tables, the report, the best weights
# MINUTES  of training; default 6
#
# Needs: CUDA, PyTorch (for its LibTorch), cmake, ninja, g++. Debian's headers and libraries for the rest are taken from
# the system or, where it has none, from a folder made beforehand on a machine that can install them:
#   scripts/gpu/bundle.sh    writes .gpu/root; carry the folder .gpu along
set -uo pipefail
cd "$(dirname "$0")/../.."

out=${1:?usage: scripts/gpu/run.sh OUT [MINUTES]}
minutes=${2:-6}
mkdir -p "$out"
work=.gpu/run
mkdir -p "$work"

log() { printf '%s  %s\n' "$(date +%T)" "$*" | tee -a "$out/steps.log"; }
# Runs a step, keeps its output, and goes on whatever happens: a later step may still tell something.
step() {
  local name=$1
  shift
  local began=$SECONDS
  if "$@" > "$out/$name.log" 2>&1; then
    log "$name: ok, $((SECONDS - began)) s"
  else
    log "$name: FAILED with status $?, $((SECONDS - began)) s"
    tail -n 30 "$out/$name.log"
    return 1
  fi
}

prefix=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)') || { log "PyTorch is missing"; exit 1; }
abi=$(python3 -c 'import torch; print(int(torch._C._GLIBCXX_USE_CXX11_ABI))')
log "LibTorch in $prefix, C++11 ABI $abi; $(nvidia-smi --query-gpu=name,memory.total --format=csv,noheader | head -n 1)"

root=$PWD/.gpu/root
if [ -d "$root" ]; then
  prefix="$prefix;$root/usr;$root/usr/lib/x86_64-linux-gnu"
  export CMAKE_INCLUDE_PATH=$root/usr/include CMAKE_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
  export CPLUS_INCLUDE_PATH=$root/usr/include:$root/usr/include/x86_64-linux-gnu
  export LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
  export LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

step configure cmake -G Ninja -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
  -DQUARTO_WERROR=OFF -DQUARTO_ONNX=OFF || exit 1
step build cmake --build "$work/build" -j "$(nproc)" || exit 1
quarto=$work/build/quarto
step doctor "$quarto" doctor
step tests ctest --test-dir "$work/build" --output-on-failure -j "$(nproc)"
step bench_model "$work/build/quarto" bench model
step bench_mcts "$work/build/quarto" bench mcts
step train "$quarto" train configs/gpu.yaml --out "$work/train" --set run.minutes="$minutes"
step eval "$quarto" eval "$work/train/best" --sims 0,32,128 --device cuda --json "$out/eval.json"
step report "$quarto" report "$work/train" --eval "$out/eval.json" --out "$out/report.html"
cp -r "$work/train/best/model.safetensors" "$work/train/metrics.jsonl" "$work/train/config.yaml" "$out/" 2> /dev/null
nvidia-smi > "$out/nvidia-smi.txt" 2>&1
log "done; results in $out"
grep -q FAILED "$out/steps.log" && exit 1
exit 0
