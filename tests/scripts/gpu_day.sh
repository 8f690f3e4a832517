#!/usr/bin/env bash
# scripts/gpu/day.sh with stand-ins for all that it calls: what is carried along, which steps the commands take with a GPU and
# without, what they leave, and that they go on and fail when a step fails.
#
#   tests/scripts/gpu_day.sh ROOT
set -euo pipefail
root=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The script works beside itself: a copy.
tree=$dir/tree
mkdir -p "$dir/bin" "$tree/scripts/gpu"
cp "$root/scripts/gpu/day.sh" "$tree/scripts/gpu"
day=$tree/scripts/gpu/day.sh

# stand_in FILE: a program of these lines.
stand_in() { { echo '#!/usr/bin/env bash'; cat; } > "$1" && chmod +x "$1"; }
stand_in "$tree/scripts/install-deps.sh" < /dev/null
stand_in "$tree/scripts/install-torch.sh" << 'END'
mkdir -p "$2" && echo "$PWD/$2/site/torch" > "$2/libtorch"
END
stand_in "$dir/quartozero" << END
echo "\$1 \$(for word; do case \$word in --device|device=*|*proof*=*|*.cache=*|limits.minutes=*) echo "\$word" ;; esac; done | xargs)" | sed 's/ *$//' >> "$dir/called"
case \$1 in
  doctor) if [ -n "\${SEES_GPU:-}" ]; then printf 'ok       CUDA           cuda:0, batches overlap\nok       GPU kernels    on cuda:0\n'; fi ;;
  bench) if [ "\$2" = prover ]; then echo "9 questions together on the GPU: 1 us each; \${WRONG:-0} answers differ from the processor's"; fi ;;
  train) mkdir -p "$tree/.gpu/scratch/\$(basename "\$4")/best" && echo "{}" > "$tree/.gpu/scratch/\$(basename "\$4")/metrics.jsonl" ;;
esac
[ "\${BREAK:-}" != "\$1" ]
END
stand_in "$dir/test_model" << END
echo "test \$*" | sed 's/ *$//' >> "$dir/called"
END
stand_in "$dir/bin/cmake" << END
case \$1 in
  --build)
    mkdir -p "\$2/tests/model"
    cp "$dir/quartozero" "\$2/" && cp "$dir/test_model" "\$2/tests/model/" && echo > "\$2/libquartozero_torch.so"
    [ -z "\${LARGE:-}" ] || truncate -s 70M "\$2/libquartozero_torch.so"
    ;;
esac
END
stand_in "$dir/bin/ctest" << 'END'
printf '7: Test command: %s "--gtest_filter=-*OnAGpu*"\n  Test  #7: model\n' "$PWD/build-torch/day/tests/model/test_model"
printf '8: Test command: %s "--gtest_filter=*OnAGpu*"\n  Test  #8: model.gpu\n' "$PWD/build-torch/day/tests/model/test_model"
END
stand_in "$dir/bin/strip" < /dev/null
echo > "$dir/libfmt.so.9"
stand_in "$dir/bin/ldd" << END
printf '\tlibfmt.so.9 => $dir/libfmt.so.9 (0x1)\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibtorch.so => %s/lib/libtorch.so (0x1)\n' "\$(cat build-torch/*/libtorch)"
END
stand_in "$dir/bin/nvidia-smi" << 'END'
[ -n "${HAS_GPU:-}" ] && echo "a GPU"
END
stand_in "$dir/bin/python3" <<< 'echo /site'
stand_in "$dir/bin/nproc" <<< 'echo 16'
stand_in "$dir/bin/ncu" <<< "echo ncu >> $dir/called"

failed=
check() {
  [ "$2" = "$3" ] && return
  printf '%s:\n%s\n  expected\n%s\n' "$1" "$2" "$3"
  failed=1
}
# attempt NAME STATUS CALLED COMMAND...: the script's exit status, and what it called, in one line.
attempt() {
  local name=$1 status=$2 called=$3 got=0
  shift 3
  rm -rf "$dir/called" "$dir/out"
  touch "$dir/called"
  PATH=$dir/bin:$PATH env "$@" > "$dir/printed" 2>&1 || got=$?
  check "$name: exit status" "$got" "$status"
  # The tests run side by side.
  check "$name: called" "$({ grep -v '^test ' "$dir/called" || true; grep '^test ' "$dir/called" | sort || true; } | tr '\n' ',')" "$called"
}
left() { (cd "$1" && find . -type f | sort | xargs); }

attempt "nothing is prepared" 1 "" "$day" 1 "$dir/out"
attempt "too much to carry" 1 "" LARGE=1 "$day" prepare
attempt "prepare" 0 "" "$day" prepare
check "what is carried" "$(left "$tree/.gpu/day")" "./commit ./lib/libfmt.so.9 ./libquartozero_torch.so ./quartozero ./test_model ./tests"
check "the tests" "$(cat "$tree/.gpu/day/tests")" "model test_model --gtest_filter=-*OnAGpu*
model.gpu test_model --gtest_filter=*OnAGpu*"

tested="test --gtest_filter=*OnAGpu*,test --gtest_filter=-*OnAGpu*,"
# measured DEVICE PROOFS: what is measured after `bench kernel`.
measured() {
  local nodes cache
  printf 'bench,'
  for nodes in 300 100; do
    for cache in 131072 4000000; do printf 'bench device=%s search.proof_nodes=%s selfplay.cache=%s,' "$1" $nodes $cache; done
  done
  printf 'bench device=%s selfplay.cache=131072 selfplay.device_proofs=%s,' "$1" "$2"
}
on_cpu="doctor,bench --device,$(measured cpu false)$tested"
on_gpu="doctor,bench --device,$(measured auto true)ncu,ncu,$tested"
attempt "1 without a GPU" 0 "$on_cpu" "$day" 1 "$dir/out"
check "1: what is left" "$(left "$dir/out")" "./log.txt ./summary.txt"
attempt "1 with a GPU" 0 "$on_gpu" HAS_GPU=1 SEES_GPU=1 "$day" 1 "$dir/out"
attempt "1 with a program that fails" 1 "$on_gpu" HAS_GPU=1 SEES_GPU=1 BREAK=bench "$day" 1 "$dir/out"
attempt "1 with wrong proofs" 1 "$on_gpu" HAS_GPU=1 SEES_GPU=1 WRONG=2 "$day" 1 "$dir/out"
attempt "1 with a GPU that is not seen" 1 "$on_gpu" HAS_GPU=1 "$day" 1 "$dir/out"

run() { echo "train limits.minutes=$2 device=$1${3:+ selfplay.device_proofs=$3},eval --device,report,"; }
attempt "2 without a GPU" 0 "doctor,$(run cpu 0.166667)" "$day" 2 "$dir/out"
check "2: what is left" "$(left "$dir/out")" "./log.txt ./run-64x4.tar.gz ./summary.txt"
check "2: of a run" "$(tar -tzf "$dir/out/run-64x4.tar.gz" | sort | xargs)" "run-64x4/best/ run-64x4/metrics.jsonl"
attempt "2 with a GPU" 0 "doctor,$(run auto 7.2)" HAS_GPU=1 SEES_GPU=1 "$day" 2 "$dir/out"
attempt "2 with a run that fails" 1 "doctor,$(run auto 7.2)" HAS_GPU=1 SEES_GPU=1 BREAK=train "$day" 2 "$dir/out"
attempt "3 without a GPU" 0 "doctor,$(run cpu 0.166667 false)$(run cpu 0.166667 false)" "$day" 3 "$dir/out"
attempt "3 with a GPU" 0 "doctor,$(run auto 1 true)$(run auto 4 true)" HAS_GPU=1 SEES_GPU=1 "$day" 3 "$dir/out"
check "3: what is left" "$(left "$dir/out")" "./log.txt ./run-32x3-1min.tar.gz ./run-32x3-4min.tar.gz ./summary.txt"
attempt "3 with a run that fails" 1 "doctor,$(run auto 1 true)$(run auto 4 false)" HAS_GPU=1 SEES_GPU=1 BREAK=train "$day" 3 "$dir/out"
attempt "no time" 1 "" "$day" 1 "$dir/out" 2

for usage in "" "4 $dir/out" "1" "1 $dir/out soon" "prepare $dir/out" "1 $dir/out 9 9"; do
  # shellcheck disable=SC2086
  attempt "usage: $usage" 2 "" "$day" $usage
done
[ -z "$failed" ]
