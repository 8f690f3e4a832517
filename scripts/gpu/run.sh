#!/usr/bin/env bash
# Everything on a machine with an NVIDIA GPU, in one command and without questions: build against the LibTorch that
# comes with PyTorch, run the tests, measure the networks, train, evaluate, and leave a few small files. Without a GPU it
# says so and goes through the same on the processor, with a tiny run.
#
#   scripts/gpu/run.sh OUT [MINUTES]                    all of it, within MINUTES (default 9.5; a slow machine needs more)
#   scripts/gpu/run.sh OUT [MINUTES] --stage STAGE      build, test, bench or train alone; the build is kept between calls
#
# OUT   a folder for what is worth keeping, written as it comes: log.txt (everything that was printed), summary.txt (a
#       line for each step), bench.txt, and from training metrics.jsonl, config.yaml, model.safetensors, eval.json,
#       report.html
#
# Needs: PyTorch (for its LibTorch) under `python3`, cmake, ninja, g++; the headers of CUDA's runtime, from a toolkit or
# from the Python package nvidia-cuda-crt. Debian's headers and libraries for the rest are taken from the system or, where
# it has none, from a folder made beforehand on a machine that can install them:
#   scripts/gpu/bundle.sh    writes .gpu/root; carry that folder along
#
# QUARTOZERO_JOBS bounds the processes of compiler and tests; QUARTOZERO_TORCH_DIR names another LibTorch than python3's.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

usage() {
  sed -n 's/^#   \(scripts.gpu.run.*\)/usage: \1/p' "$0" >&2
  exit 2
}
out='' minutes=9.5 stage=all
positional=()
while [ $# -gt 0 ]; do
  case $1 in
    --stage) stage=${2:-}; shift 2 || usage ;;
    --*) usage ;;
    *) positional+=("$1"); shift ;;
  esac
done
case ${#positional[@]} in 1 | 2) ;; *) usage ;; esac
case $stage in all | build | test | bench | train) ;; *) usage ;; esac
out=${positional[0]}
minutes=${positional[1]:-$minutes}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
work=$PWD/build-gpu  # beside .gpu, which may be copied afresh between calls
mkdir -p "$work"
deadline=$(($(date +%s) + $(awk -v m="$minutes" 'BEGIN { printf "%d", 60 * m }')))
# The limits of the steps are meant for ten minutes on a machine with a GPU; with more time they grow.
scale=$(awk -v m="$minutes" 'BEGIN { print (m > 10 ? m / 10 : 1) }')
scaled() { awk -v s="$1" -v k="$scale" 'BEGIN { printf "%d", s * k }'; }
failed=0

log() { printf '%s  %s\n' "$(date +%T)" "$*" | tee -a "$out/summary.txt" "$out/log.txt"; }
remaining() { echo $((deadline - $(date +%s))); }
# step NAME SECONDS COMMAND...: runs it for at most so long (scaled) and never past the deadline, keeps what it prints, and
# goes on whatever happens: a later step may still tell something.
step() {
  local name=$1 limit began=$SECONDS status
  limit=$(scaled "$2")
  shift 2
  [ "$limit" -le "$(remaining)" ] || limit=$(remaining)
  if [ "$limit" -lt 5 ]; then
    log "$name: SKIPPED, no time is left"
    failed=1
    return 124 # as for one that time ran out for
  fi
  printf '\n=== %s: %s\n' "$name" "$*" >> "$out/log.txt"
  timeout --signal=TERM --kill-after=10 "$limit" "$@" > "$work/$name.log" 2>&1
  status=$?
  cat "$work/$name.log" >> "$out/log.txt"
  if [ $status -eq 0 ]; then
    log "$name: ok, $((SECONDS - began)) s"
  else
    log "$name: FAILED with status $status, $((SECONDS - began)) s"
    failed=1
    tail -n 25 "$work/$name.log"
  fi
  return $status
}

# Python's own cmake and ninja, and CUDA's compiler, where they are not on the path.
for folder in "$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2> /dev/null)" /usr/local/cuda/bin; do
  if [ -d "$folder" ]; then PATH=$PATH:$folder; fi
done
build=$work/build
jobs=${QUARTOZERO_JOBS:-$(nproc)}
quartozero=$build/quartozero
# What later calls must know: which device, and whether CUDA graphs work.
settings=$work/settings
device=cpu
# shellcheck disable=SC1090
if [ -f "$settings" ]; then . "$settings"; fi
keep() { printf 'device=%s\nexport QUARTOZERO_CUDA_GRAPHS=%s\n' "$device" "${QUARTOZERO_CUDA_GRAPHS:-1}" > "$settings"; }

torch_folder() {
  if [ -n "${QUARTOZERO_TORCH_DIR:-}" ]; then
    echo "$QUARTOZERO_TORCH_DIR"
  else
    python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))'
  fi
}

build_stage() {
  local torch_dir
  torch_dir=$(torch_folder) || {
    log "PyTorch is missing: python3 cannot import torch"
    return 1
  }
  log "$(nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2> /dev/null || echo 'no nvidia-smi'), $(nproc) cores, $(c++ --version | head -n 1), $(cmake --version | head -n 1)"
  step configure 120 cmake -G Ninja -B "$build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$PWD/.gpu/root/usr" \
    -DQUARTOZERO_WERROR=OFF -DQUARTOZERO_ONNX=OFF -DQUARTOZERO_PYTHON=OFF \
    "-DQUARTOZERO_TORCH_DIR=$torch_dir" || return 1
  { echo; grep -E '^[A-Za-z0-9_-]+_DIR:' "$build/CMakeCache.txt"; } >> "$out/log.txt"
  log "$(grep -E 'Asynchronous evaluation' "$work/configure.log")"
  step build 3600 cmake --build "$build" -j "$jobs" --target quartozero || return 1
  step doctor 60 "$quartozero" doctor
  log "$(grep -E ' (LibTorch|CUDA|GPU kernels) ' "$work/doctor.log" | tr -s ' ')"
  device=cpu
  if grep -qE '^ok +CUDA' "$work/doctor.log"; then device=cuda; else log "no CUDA device: going on with the processor"; fi
  if [ $device = cuda ] && ! grep -q 'batches overlap' "$work/doctor.log"; then
    log "FAILED: batches do not overlap on the GPU, see the warnings of configure in log.txt"
    failed=1
  elif [ $device = cuda ] && ! grep -qE '^ok +GPU kernels' "$work/doctor.log"; then
    log "FAILED: the kernels for the GPU do not work, see doctor in log.txt"
    failed=1
  elif [ $device = cpu ] && nvidia-smi > /dev/null 2>&1; then
    log "FAILED: there is a GPU, but the program does not find it, see doctor in log.txt"
    failed=1
  fi
  keep
}

test_stage() {
  step build_tests 3600 cmake --build "$build" -j "$jobs" --target device_tests || return 1
  # The test of what CUDA's compiler makes of the kernels does not load LibTorch, which brings that compiler.
  local nvrtc
  nvrtc=$(find "$(torch_folder)/.." -path '*nvidia*' -name 'libnvrtc.so.*' 2> /dev/null | head -n 1)
  if [ -n "$nvrtc" ]; then export QUARTOZERO_NVRTC=$nvrtc; fi
  step tests 240 ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" -L '^device$'
  log "$(grep 'tests passed' "$work/tests.log")"
  # Those that compare a GPU with the processor are skipped without one: LibTorch would not see the GPU that doctor saw.
  if [ $device = cuda ] && grep -q 'Skipped' "$work/tests.log"; then
    log "FAILED: the tests on the GPU were skipped"
    failed=1
  fi
}

# On a processor: a run that is small enough for the time limit.
small_run() {
  small=()
  if [ $device = cpu ]; then
    small=(--set network.width=16 --set network.blocks=1 --set limits.games=40 --set selfplay.games_in_flight=32 --set selfplay.simulations=8 --set learner.batch=128
      --set selfplay.threads=2 --set evaluation.simulations=0 --set evaluation.positions=2 --set evaluation.match_games=4)
  fi
}

bench_stage() {
  local name small
  small_run
  if [ $device = cuda ]; then
    step bench_graphs 60 "$quartozero" bench model pairs --device cuda --libtorch
    case $? in
      0 | 124 | 137) ;; # where there was no time, nothing is known against them
      *)
        log "trying without CUDA graphs"
        export QUARTOZERO_CUDA_GRAPHS=0
        keep
        ;;
    esac
  fi
  step bench_model 90 "$quartozero" bench model --device $device
  if [ $device = cuda ]; then
    step bench_kernel 60 "$quartozero" bench kernel --device cuda pairs:32x3 pairs:64x4
    step bench_float32 60 "$quartozero" bench model pairs --device cuda --precision float32
    QUARTOZERO_CUDA_GRAPHS=0 step bench_plain 60 "$quartozero" bench model pairs --device cuda --libtorch
  fi
  step bench_selfplay 150 "$quartozero" bench selfplay configs/gpu.yaml --set device=$device --set limits.games=1000 "${small[@]}"
  for name in bench_graphs bench_model bench_kernel bench_float32 bench_plain bench_selfplay; do
    if [ -f "$work/$name.log" ]; then { echo "== $name"; cat "$work/$name.log"; } >> "$out/bench.txt"; fi
  done
}

copy_results() {
  local file
  for file in metrics.jsonl config.yaml best/model.safetensors; do
    if [ -f "$work/train/$file" ]; then cp "$work/train/$file" "$out/" 2> /dev/null; fi
  done
}

# One run of training that ends by itself before the deadline: evaluation and report need what is left. Its own evaluations do
# not count against its limit: they have a tenth of the time, and the step's 75 seconds.
train_once() {
  local seconds=$(($(remaining) - $(scaled 150)))
  [ $seconds -ge 10 ] || seconds=10
  rm -rf "$work/train"
  step train $((seconds + 75)) "$quartozero" train configs/gpu.yaml --out "$work/train" \
    --set "limits.minutes=$(awk -v s=$seconds 'BEGIN { print 0.9 * s / 60 }')" --set device=$device "$@"
}

train_stage() {
  local limit=() small
  small_run
  if [ $device = cpu ]; then limit=(--limit 3); fi
  rm -f "$work"/train/metrics.jsonl
  while sleep 10; do copy_results; done > /dev/null 2>&1 &
  copier=$!
  trap 'kill "$copier" 2> /dev/null; copy_results' EXIT
  if ! train_once "${small[@]}" && [ $device = cuda ] && [ "${QUARTOZERO_CUDA_GRAPHS:-1}" != 0 ] && [ "$(remaining)" -gt 180 ]; then
    log "trying without CUDA graphs"
    export QUARTOZERO_CUDA_GRAPHS=0
    keep
    train_once "${small[@]}"
  fi
  copy_results
  step eval 75 "$quartozero" eval "$work/train/best" --simulations 0,32 --device $device --no-baselines "${limit[@]}" --json "$out/eval.json"
  step report 20 "$quartozero" report "$work/train" --eval "$out/eval.json" --out "$out/report.html"
}

log "run: stage $stage, $minutes minutes"
case $stage in
  all)
    build_stage || exit 1
    # Training gets what tests and benchmarks leave, half of the time after the build at least.
    whole=$deadline
    deadline=$(($(date +%s) + $(remaining) / 2))
    test_stage
    bench_stage
    deadline=$whole
    train_stage
    ;;
  build) build_stage || exit 1 ;;
  *)
    [ -x "$quartozero" ] || { log "nothing is built yet: --stage build first"; exit 1; }
    "${stage}_stage"
    ;;
esac
log "done; results in $out"
exit $failed
