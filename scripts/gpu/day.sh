#!/usr/bin/env bash
# Tests, measurements and training on a machine with an NVIDIA GPU that can install nothing and builds nothing: three
# commands of less than nine minutes, whose results are kept as they come.
#
#   scripts/gpu/day.sh prepare             here, without a GPU: builds, and fills .gpu/day, to be carried along with the tree
#   scripts/gpu/day.sh 1 OUT [SECONDS]     there: the program, the tests, the kernels, proofs, self-play
#   scripts/gpu/day.sh 2 OUT [SECONDS]     a training run of seven minutes, evaluated
#   scripts/gpu/day.sh 3 OUT [SECONDS]     runs of one and of four minutes, proofs on the device, evaluated
#
# OUT      summary.txt: what each step found; log.txt: all that was printed; and for each training run NAME.tar.gz, one file
#          because some ways back take few: metrics, configuration, log, weights, eval.json, report.html
# SECONDS  when to stop, whatever remains (535); in a quarter of an hour: 300 for the first, then 500 for the second
#
# There: CUDA's driver, and PyTorch of the release that was built against, under python3. Without a GPU the commands say so
# and take the same steps on the processor, with tiny settings.
#
# prepare takes PyTorch from PyPI, as `make torch` does. QUARTOZERO_MARCH names the other machine's processor (x86-64-v4),
# QUARTOZERO_JOBS bounds the compiler's processes.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
day=.gpu/day
work=.gpu/scratch

usage() {
  sed -n 's/^#   \(scripts.gpu.day.*\)/usage: \1/p' "$0" >&2
  exit 2
}

prepare() {
  set -e
  local torch=2.11.0 build=build-torch/day most=$((64 << 20)) libtorch venv programs name library size
  venv=build-torch/venv-$torch
  QUARTOZERO_LIBTORCH=own scripts/install-deps.sh
  scripts/install-torch.sh $torch $venv
  libtorch=$(cat $venv/libtorch)
  cmake --preset release -B $build "-DQUARTOZERO_TORCH_DIR=$libtorch" -DQUARTOZERO_ONNX=OFF -DQUARTOZERO_PYTHON=OFF \
    "-DQUARTOZERO_PROCESSOR=${QUARTOZERO_MARCH:-x86-64-v4}" -DQUARTOZERO_TEST_TREE=.
  cmake --build $build -j "${QUARTOZERO_JOBS:-$(nproc)}" --target quartozero device_tests

  rm -rf $day
  mkdir -p $day/lib
  # A line for each test: its name, its program, the program's arguments.
  ctest --test-dir $build -N -V -L '^device$' |
    awk '/Test command:/ { sub(/.*Test command: [^ ]*\//, ""); gsub(/"/, ""); command = $0 } / Test +#/ && $NF != "gpu_compile" { print $NF, command }' > $day/tests
  [ -s $day/tests ] || { echo "no test has the label device"; exit 1; }
  programs=$({ printf '%s\n' quartozero libquartozero_torch.so; cut -d ' ' -f 2 $day/tests; } | sort -u |
    while read -r name; do find $build -type f -name "$name"; done)
  # shellcheck disable=SC2086
  cp $programs $day/
  find $day -maxdepth 1 -type f ! -name tests -exec strip --strip-unneeded {} +
  # Debian's libraries, but not those of compiler and C library: the other machine's may be newer, and its CUDA driver and
  # PyTorch need them.
  # shellcheck disable=SC2086
  ldd $programs | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -v -e "^$(dirname "$(realpath "$libtorch")")/" -e "^$(dirname "$libtorch")/" |
    grep -vE '/(ld-linux|lib(c|m|dl|rt|util|pthread|resolv|stdc\+\+|gcc_s)\.so)' |
    while read -r library; do cp -L "$library" $day/lib/; done
  git describe --always --dirty > $day/commit 2> /dev/null || echo unknown > $day/commit
  size=$(du -sb $day | cut -f 1)
  echo "$day: $(cat $day/commit), $(wc -l < $day/tests) tests, $((size >> 20)) MiB"
  [ "$size" -le $most ] || { echo "$day is larger than $((most >> 20)) MiB"; exit 1; }
}

case "$#,${1:-}" in
  1,prepare) prepare; exit ;;
  [23],[123]) ;;
  *) usage ;;
esac
case ${3:-535} in *[!0-9]*) usage ;; esac
[ -x $day/quartozero ] || { echo "there is no $day/quartozero: make it with scripts/gpu/day.sh prepare, and carry $day along" >&2; exit 1; }
command=$1
deadline=$(($(date +%s) + ${3:-535}))
mkdir -p "$2" || exit 1
out=$(cd "$2" && pwd)
rm -rf $work
mkdir -p $work

log() { printf '%s  %s\n' "$(date +%T)" "$*" | tee -a "$out/summary.txt" "$out/log.txt"; }
fail() {
  log "FAILED: $*"
  touch $work/failed  # steps may run in subshells
}
remaining() { echo $((deadline - $(date +%s))); }
at_most() { echo $(($1 < $2 ? $1 : $2)); }
# step NAME SECONDS LINES COMMAND...: runs it for at most so long and never past the deadline, keeps what it prints, the lines
# with the pattern LINES also in the summary, and goes on whatever happens: a later step may still tell something.
step() {
  local name=$1 lines=$3 began=$SECONDS limit status=0
  limit=$(at_most "$2" "$(remaining)")
  shift 3
  if [ "$limit" -lt 5 ]; then
    fail "$name: no time is left"
    return 1
  fi
  printf '\n=== %s: %s\n' "$name" "$*" > "$work/$name.log"
  timeout --signal=TERM --kill-after=15 "$limit" "$@" >> "$work/$name.log" 2>&1 < /dev/null || status=$?
  cat "$work/$name.log" >> "$out/log.txt"
  if [ $status -eq 0 ]; then log "$name: ok, $((SECONDS - began)) s"; else fail "$name: status $status, $((SECONDS - began)) s"; fi
  sed 1,2d "$work/$name.log" | { if [ $status -eq 0 ]; then grep -E -- "$lines"; else tail -n 5; fi; } | sed 's/^/    /' | tee -a "$out/summary.txt"
  return $status
}

quartozero=$day/quartozero
cores=$(nproc)
# LibTorch is found beside python3's modules, without importing it, and CUDA's libraries beside LibTorch. NVRTC also for tests
# that do not load LibTorch.
site=$(python3 -c 'import importlib.util as u, os; print(os.path.dirname(u.find_spec("torch").submodule_search_locations[0]))') ||
  fail "python3 has no PyTorch"
LD_LIBRARY_PATH=$site/torch/lib$(printf ':%s' "$site"/nvidia/*/lib):$PWD/$day/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
QUARTOZERO_NVRTC=$(find "$site/nvidia" -name 'libnvrtc.so.*' 2> /dev/null | head -n 1)
export LD_LIBRARY_PATH QUARTOZERO_NVRTC

# Sets `device` and `tiny`, the settings with which a processor takes the same steps in seconds.
find_device() {
  local gpu
  device=cpu tiny=()
  gpu=$(nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2> /dev/null) || gpu=
  log "command $command, $(cat $day/commit), $cores cores, ${gpu:-no nvidia-smi}, $(remaining) s"
  step doctor 60 '^[A-Za-z]+ +(processor|LibTorch|CUDA|GPU kernels) ' $quartozero doctor
  if [ -n "$gpu" ] || grep -sqE '^ok +CUDA' $work/doctor.log; then
    device=cuda
    grep -sq 'batches overlap' $work/doctor.log || fail "batches do not overlap on the GPU"
    grep -sqE '^ok +GPU kernels' $work/doctor.log || fail "the kernels do not work on the GPU"
  else
    log "no GPU: the processor, with tiny settings"
    tiny=(--set network.width=16 --set network.blocks=1 --set limits.games=40 --set selfplay.games_in_flight=32 --set selfplay.simulations=8
      --set learner.batch=128)
  fi
}

device_tests() {
  local name program arguments
  # Side by side, with one thread each as under ctest. In a pattern of GoogleTest's there is nothing for the shell.
  export OMP_NUM_THREADS=1
  set -f
  while read -r name program arguments; do
    # shellcheck disable=SC2086
    step "test.$name" 120 '^\[ +(PASSED|SKIPPED|FAILED) +\]' $day/"$program" $arguments &
  done < $day/tests
  wait
  set +f
  unset OMP_NUM_THREADS
  if [ $device = cuda ] && grep -sqE 'no CUDA device|compiler at run time cannot be used' $work/test.*.log; then
    fail "tests were skipped for want of a GPU or its compiler"
  fi
}

# auto: kernels that fail there leave the rest of the day to the processor's, and say so.
# Half of it goes into compiling the kernels and the first games.
bench_selfplay() {
  step "selfplay.$1" 45 '^(network|games|simulations|evaluations|answered|batch|self-play|the |proofs)' \
    $quartozero bench selfplay configs/gpu.yaml --no-learning --no-compare --seconds "$seconds" --set device=${device/cuda/auto} \
    --set limits.games=1000 "${tiny[@]}" "${@:2}"
}

measure() {
  local seconds=8 networks=(pairs:64x4 pairs:32x3) prover=(--games 500 --repeats 3 --gpu 0) proofs=true ncu nodes cache kernel
  if [ $device = cpu ]; then seconds=1 networks=(pairs:16x1) prover=(--games 2) proofs=false; fi
  device_tests
  step kernel 90 . $quartozero bench kernel --device $device "${networks[@]}"
  step prover 60 '^\| all |questions together' $quartozero bench prover "${prover[@]}"
  grep -sq ' [1-9][0-9]* answers differ' $work/prover.log && fail "proofs on the GPU differ from the processor's"
  for nodes in 300 100; do
    for cache in 131072 4000000; do
      bench_selfplay "$nodes.$cache" --set search.proof_nodes=$nodes --set selfplay.cache=$cache
    done
  done
  bench_selfplay device_proofs --set selfplay.cache=131072 --set selfplay.device_proofs=$proofs
  ncu=$(PATH=$PATH:/usr/local/cuda/bin type -P ncu)
  if [ $device = cuda ] && [ -n "$ncu" ]; then
    # bench kernel begins with boards of eleven empty squares.
    for kernel in forward gradient; do
      step "ncu.$kernel" 60 'Duration|Registers Per|Occupancy|Throughput|Local|Spill' "$ncu" --clock-control none --set full \
        -k $kernel --launch-skip 2 --launch-count 1 --kill yes $quartozero bench kernel --device cuda pairs:64x4
      grep -sq 'No kernels were profiled' "$work/ncu.$kernel.log" && fail "ncu found no kernel $kernel"
    done
  else
    log "ncu: not here"
  fi
}

# keep NAME: what there is of a run, in one file. The weights that it ends with are `best`; until then the archive's are newer.
keep() {
  (
    cd $work || exit
    mapfile -t files < <(ls -d "$1"/{metrics.jsonl,config.yaml,train.log,archive,best,eval.json,report.html} 2> /dev/null)
    [ ${#files[@]} -gt 0 ] || exit
    tar -czf "$1.$BASHPID" "${files[@]}" 2> /dev/null  # some change meanwhile
    mv "$1.$BASHPID" "$out/$1.tar.gz"
  )
}

# train NAME SECONDS SETTING...: a run that ends by itself, at the latest 90 seconds before the deadline: for its start and its
# last iteration, evaluation and report.
train() {
  local name=$1 seconds limit=() settings=() setting status=0
  seconds=$(at_most "$2" $(($(remaining) - 90)))
  if [ $device = cpu ]; then seconds=10 limit=(--limit 1); fi
  for setting in "${@:3}"; do settings+=(--set "$setting"); done
  while sleep 10 && kill -0 $$; do keep "$name"; done > /dev/null 2>&1 &
  keeper=$!
  trap 'kill $keeper 2> /dev/null' EXIT
  step "$name" $(($(remaining) - 60)) '^(training|self-play|finished)|100% done' \
    $quartozero train configs/gpu.yaml --out "$work/$name" \
    --set "limits.minutes=$(awk -v s="$seconds" 'BEGIN { print s / 60 }')" --set device=${device/cuda/auto} \
    --set evaluation.every=0 "${settings[@]}" "${tiny[@]}" || status=$?
  kill $keeper 2> /dev/null
  wait $keeper 2> /dev/null
  keep "$name"
  step "$name.eval" 75 '^(Suite|phase|mean|suite|decisive|deep)' $quartozero eval "$work/$name/best" --simulations 0,32 --device $device \
    --no-baselines "${limit[@]}" --json "$work/$name/eval.json"
  step "$name.report" 20 . $quartozero report "$work/$name" --eval "$work/$name/eval.json" --out "$work/$name/report.html"
  keep "$name"
  return $status
}

find_device
case $command in
  1) measure ;;
  2) train run-64x4 432 ;;
  3)
    open=(network.width=32 network.blocks=3)
    proofs=$([ $device = cuda ] && echo true || echo false)
    # Where the device cannot prove, the longer run still tells about the network.
    train run-32x3-1min 60 "${open[@]}" selfplay.device_proofs=$proofs || proofs=false
    train run-32x3-4min 240 "${open[@]}" selfplay.device_proofs=$proofs
    ;;
esac
log "command $command: done, $(remaining) s left; results in $out"
[ ! -e $work/failed ]
