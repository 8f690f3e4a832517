#!/usr/bin/env bash
# scripts/gpu/run.sh with stand-ins for all that it calls: which steps it takes with a GPU and without, what it leaves,
# and that it fails when a step does.
#
#   tests/scripts/gpu_run.sh ROOT
set -euo pipefail
root=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The script builds beside itself: a copy.
mkdir -p "$dir/bin" "$dir/tree/scripts/gpu"
cp "$root/scripts/gpu/run.sh" "$dir/tree/scripts/gpu"
run=$dir/tree/scripts/gpu/run.sh

stand_in() { { echo '#!/usr/bin/env bash'; cat; } > "$dir/bin/$1" && chmod +x "$dir/bin/$1"; }
stand_in python3 << 'END'
case $2 in *torch*) echo /torch ;; *) exit 1 ;; esac
END
stand_in c++ < /dev/null
stand_in nvidia-smi << 'END'
[ -n "${HAS_GPU:-}" ] && echo "a GPU"
END
stand_in cmake << END
case \$1 in
  --version) echo "cmake 3" ;;
  --build)
    echo "build \${*: -1}" >> "$dir/called"
    [ "\${BREAK:-}" != "\${*: -1}" ] || exit 1
    cp "$dir/quartozero" "\$2/quartozero"
    ;;
  *)
    echo "configure \$(printf '%s\n' "\$@" | grep TORCH_DIR)" >> "$dir/called"
    mkdir -p "$dir/tree/build-gpu/build" && touch "$dir/tree/build-gpu/build/CMakeCache.txt"
    ;;
esac
END
stand_in ctest << END
echo "ctest \${*: -1}" >> "$dir/called"
echo "100% tests passed, 0 tests failed out of 9"
END
cat > "$dir/quartozero" << END
#!/usr/bin/env bash
echo "\$1 \${QUARTOZERO_CUDA_GRAPHS:-}" | sed 's/ *$//' >> "$dir/called"
[ -z "\${BREAK_GRAPHS:-}" ] || [ "\$1 \${QUARTOZERO_CUDA_GRAPHS:-}" != "bench " ] || exit 1
case \$1 in
  doctor)
    echo "ok       LibTorch       2.11"
    if [ -n "\${SEES_GPU:-}" ]; then printf 'ok       CUDA           cuda:0, batches overlap\nok       GPU kernels    on cuda:0\n'; fi
    ;;
  train) mkdir -p "$dir/tree/build-gpu/train/best" && echo "{}" > "$dir/tree/build-gpu/train/metrics.jsonl" ;;
esac
END
chmod +x "$dir/quartozero"

failed=
check() {
  [ "$2" = "$3" ] && return
  printf '%s: %s\n  expected %s\n' "$1" "$2" "$3"
  failed=1
}
# attempt NAME STATUS CALLED COMMAND...: the script's exit status, and what it called, in one line.
attempt() {
  local name=$1 status=$2 called=$3 got=0
  shift 3
  rm -rf "$dir/called" "$dir/out" "$dir/tree/build-gpu"
  touch "$dir/called"
  PATH=$dir/bin:$PATH env "$@" > "$dir/printed" 2>&1 || got=$?
  check "$name: exit status" "$got" "$status"
  check "$name: called" "$(tr '\n' ',' < "$dir/called")" "$called"
}

built="configure -DQUARTOZERO_TORCH_DIR=/torch,build quartozero,doctor,"
tested="build device_tests,ctest ^device$,"
attempt "without a GPU" 0 "$built${tested}bench,bench,train,eval,report," "$run" "$dir/out"
check "what is left" "$(cd "$dir/out" && echo *)" "bench.txt log.txt metrics.jsonl summary.txt"
attempt "with a GPU" 0 "$built${tested}bench,bench,bench,bench,bench 0,bench,train,eval,report," \
  HAS_GPU=1 SEES_GPU=1 "$run" "$dir/out" 9.5
attempt "CUDA graphs that fail" 1 "$built${tested}bench,bench 0,bench 0,bench 0,bench 0,bench 0,train 0,eval 0,report 0," \
  HAS_GPU=1 SEES_GPU=1 BREAK_GRAPHS=1 "$run" "$dir/out"
attempt "a GPU that is not seen" 1 "$built" HAS_GPU=1 "$run" "$dir/out" --stage build
attempt "tests that do not compile" 1 "${built}build device_tests,bench,bench,train,eval,report," \
  BREAK=device_tests "$run" "$dir/out"
attempt "a program that does not compile" 1 "configure -DQUARTOZERO_TORCH_DIR=/torch,build quartozero," \
  BREAK=quartozero "$run" "$dir/out"
attempt "a stage before the build" 1 "" "$run" "$dir/out" --stage test
attempt "no folder" 2 "" "$run"
attempt "an unknown stage" 2 "" "$run" "$dir/out" --stage rest
attempt "an unknown option" 2 "" "$run" "$dir/out" --fast
[ -z "$failed" ]
