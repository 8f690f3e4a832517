#!/usr/bin/env bash
# Everything on a machine with an NVIDIA GPU, in one command and without questions: build against the LibTorch that
# comes with PyTorch, run the tests, measure the networks, train, evaluate, and leave a few small files. Without a GPU it
# says so and goes through the same on the processor, with a tiny run.
#
#   scripts/gpu/run.sh OUT [MINUTES]                    all of it, within MINUTES (default 9.5)
#   scripts/gpu/run.sh OUT [MINUTES] --stage STAGE      build, test, bench or train alone; the build is kept between calls
#
# OUT   a folder for what is worth keeping, written as it comes: log.txt (everything that was printed), summary.txt (a
#       line for each step), bench.txt, and from training metrics.jsonl, config.yaml, model.safetensors, eval.json,
#       report.html
#
# Needs: PyTorch (for its LibTorch) under `python3`, CUDA, cmake, ninja, g++. Debian's headers and libraries for the rest
# are taken from the system or, where it has none, from a folder made beforehand on a machine that can install them:
#   scripts/gpu/bundle.sh    writes .gpu/root; carry that folder along
#
# QUARTOZERO_JOBS bounds the compiler's processes; QUARTOZERO_TORCH_DIR skips LibTorch's own CMake files (cmake/torch.cmake).
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
failed=0

log() { printf '%s  %s\n' "$(date +%T)" "$*" | tee -a "$out/summary.txt" "$out/log.txt"; }
remaining() { echo $((deadline - $(date +%s))); }
# step NAME SECONDS COMMAND...: runs it for at most so long and never past the deadline, keeps what it prints, and goes on
# whatever happens: a later step may still tell something.
step() {
  local name=$1 limit=$2 began=$SECONDS status
  shift 2
  [ "$limit" -le "$(remaining)" ] || limit=$(remaining)
  if [ "$limit" -lt 5 ]; then
    log "$name: SKIPPED, no time is left"
    failed=1
    return 1
  fi
  printf '\n=== %s: %s\n' "$name" "$*" >> "$out/log.txt"
  timeout --signal=INT --kill-after=10 "$limit" "$@" > "$work/$name.log" 2>&1
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
quartozero=$build/quartozero
# What later calls must know: which device, and whether CUDA graphs work.
settings=$work/settings
device=cpu
# shellcheck disable=SC1090
if [ -f "$settings" ]; then . "$settings"; fi
keep() { printf 'device=%s\nexport QUARTOZERO_CUDA_GRAPHS=%s\n' "$device" "${QUARTOZERO_CUDA_GRAPHS:-1}" > "$settings"; }

build_stage() {
  local torch_dir jobs prefix configure
  jobs=${QUARTOZERO_JOBS:-$(nproc)}
  prefix=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)') || { log "PyTorch is missing"; return 1; }
  torch_dir=${QUARTOZERO_TORCH_DIR:-$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')}
  log "$(python3 -c 'import torch; print("PyTorch", torch.__version__, "CUDA", torch.version.cuda, "C++11 ABI", int(torch.compiled_with_cxx11_abi()))')"
  log "$(nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2> /dev/null || echo 'no nvidia-smi'), $(nproc) cores, $(c++ --version | head -n 1), $(cmake --version | head -n 1)"
  if [ -d .gpu/root ]; then prefix="$PWD/.gpu/root/usr;$prefix"; fi
  configure=(cmake -G Ninja -B "$build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$prefix"
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DQUARTOZERO_WERROR=OFF -DQUARTOZERO_ONNX=OFF -DQUARTOZERO_PYTHON=OFF)
  # No kernel of ours is compiled; this only keeps LibTorch's CMake files from asking the device.
  export TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-9.0}
  if [ -n "${QUARTOZERO_TORCH_DIR:-}" ]; then
    step configure 120 "${configure[@]}" -DQUARTOZERO_TORCH_DIR="$torch_dir" || return 1
  elif ! step configure 120 "${configure[@]}"; then
    log "LibTorch's own CMake files do not work here; trying without them"
    rm -rf "$build"
    step configure_plain 120 "${configure[@]}" -DQUARTOZERO_TORCH_DIR="$torch_dir" || return 1
  fi
  { echo; grep -E '^[A-Za-z0-9_-]+_DIR:' "$build/CMakeCache.txt"; } >> "$out/log.txt"
  if ! step build 3600 cmake --build "$build" -j "$jobs" --target quartozero; then
    log "trying without the asynchronous way through the GPU"
    step configure_synchronous 120 "${configure[@]}" -DQUARTOZERO_GPU_BATCHES=OFF || return 1
    step build_synchronous 3600 cmake --build "$build" -j "$jobs" --target quartozero || return 1
  fi
  step doctor 60 "$quartozero" doctor
  device=cpu
  if grep -qE '^ok +CUDA' "$work/doctor.log"; then device=cuda; else log "no CUDA device: going on with the processor"; fi
  keep
}

test_stage() {
  step build_tests 3600 cmake --build "$build" -j "${QUARTOZERO_JOBS:-$(nproc)}" \
    --target test_env test_light test_light_parity test_model test_model_layers test_train test_train_loop
  step tests 240 ctest --test-dir "$build" --output-on-failure --no-tests=error -j 4 \
    -R '^(env\.Encoding.*|model|model_layers|train|train_loop)$'
  # Which tests were skipped for want of a GPU is worth knowing.
  step gpu_tests 120 "$build/tests/model/test_model" '--gtest_filter=*OnTheGpu*'
}

bench_stage() {
  local name
  if [ $device = cuda ] && ! step bench_graphs 60 "$quartozero" bench model pairs --device cuda; then
    log "trying without CUDA graphs"
    export QUARTOZERO_CUDA_GRAPHS=0
    keep
  fi
  step bench_model 90 "$quartozero" bench model --device $device
  if [ $device = cuda ]; then
    step bench_float32 60 "$quartozero" bench model pairs --device cuda --precision float32
    QUARTOZERO_CUDA_GRAPHS=0 step bench_plain 60 "$quartozero" bench model pairs --device cuda
  fi
  step bench_selfplay 90 "$quartozero" bench selfplay configs/gpu.yaml --set device=$device
  for name in bench_graphs bench_model bench_float32 bench_plain bench_selfplay; do
    if [ -f "$work/$name.log" ]; then { echo "== $name"; cat "$work/$name.log"; } >> "$out/bench.txt"; fi
  done
}

copy_results() {
  local file
  for file in metrics.jsonl config.yaml best/model.safetensors; do
    if [ -f "$work/train/$file" ]; then cp "$work/train/$file" "$out/" 2> /dev/null; fi
  done
}

# One run of training that ends by itself `reserve` seconds before the deadline.
train_once() {
  local reserve=$1 seconds
  shift
  seconds=$(($(remaining) - reserve))
  [ $seconds -ge 10 ] || seconds=10
  rm -rf "$work/train"
  step train $((seconds + 75)) "$quartozero" train configs/gpu.yaml --out "$work/train" \
    --set "limits.minutes=$(awk -v s=$seconds 'BEGIN { print s / 60 }')" --set device=$device "$@"
}

train_stage() {
  local small=() limit=()
  if [ $device = cpu ]; then
    small=(--set limits.games=40 --set selfplay.games_in_flight=32 --set selfplay.simulations=8 --set learner.batch=128
      --set selfplay.threads=2 --set evaluation.simulations=0 --set evaluation.positions=2 --set evaluation.match_games=4)
    limit=(--limit 3)
  fi
  rm -f "$work"/train/metrics.jsonl
  while sleep 10; do copy_results; done > /dev/null 2>&1 &
  copier=$!
  trap 'kill "$copier" 2> /dev/null; copy_results' EXIT
  if ! train_once 150 "${small[@]}" && [ $device = cuda ] && [ "${QUARTOZERO_CUDA_GRAPHS:-1}" != 0 ] && [ "$(remaining)" -gt 180 ]; then
    log "trying without CUDA graphs"
    export QUARTOZERO_CUDA_GRAPHS=0
    keep
    train_once 150 "${small[@]}"
  fi
  copy_results
  step eval 75 "$quartozero" eval "$work/train/best" --sims 0,32 --device $device --no-baselines "${limit[@]}" --json "$out/eval.json"
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
