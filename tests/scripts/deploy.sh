#!/usr/bin/env bash
# deploy/one-box.sh and deploy/slurm-learner.sbatch with stand-ins for redis-server and quartozero: a signal stops the
# learner, then the store, and the learner's exit status is the script's.
#
#   tests/scripts/deploy.sh ROOT
set -euo pipefail
root=$1
dir=$(mktemp -d)
script=
finish() {
  [ -n "$script" ] && kill -9 "$script" 2> /dev/null
  for pid in "$dir"/*.pid; do [ -e "$pid" ] && kill -9 "$(cat "$pid")" 2> /dev/null; done
  rm -rf "$dir"
}
trap finish EXIT

mkdir "$dir/bin"
# Both wait for a signal, without a child that would outlive them. The store is named by its group, too.
cat > "$dir/bin/redis-server" << 'END'
#!/usr/bin/env bash
trap 'echo store >> "$TRIAL/ended"; exit 0' TERM
ps -o pgid= $$ | tr -d ' ' > "$TRIAL/store.group"
echo $$ > "$TRIAL/store.pid"
mkfifo "$TRIAL/store.never"
while true; do read -r -t 1 _ <> "$TRIAL/store.never" || true; done
END
cat > "$dir/bin/quartozero" << 'END'
#!/usr/bin/env bash
case $1 in
  store) exit 0 ;;
  actor) name=actor status=0 ;;
  train) name=learner status=$LEARNER_STATUS ;;
esac
trap 'echo "$name" >> "$TRIAL/ended"; exit "$status"' TERM
echo $$ > "$TRIAL/$name.pid"
mkfifo "$TRIAL/$name.never"
while true; do read -r -t 1 _ <> "$TRIAL/$name.never" || true; done
END
printf '#!/bin/sh\n' > "$dir/bin/nvidia-smi" # no GPU
chmod +x "$dir"/bin/*
export PATH="$dir/bin:$PATH" QUARTOZERO="$dir/bin/quartozero"

failed=
check() {
  [ "$2" = "$3" ] && return
  printf '%s: %s, expected %s\n' "$1" "$2" "$3"
  failed=1
}
# on_term NAME PROCESSES LEARNER_STATUS SCRIPT...: what the script returns for SIGTERM when its processes are at work.
on_term() {
  export TRIAL="$dir/$1" LEARNER_STATUS=$3
  local processes=$2
  mkdir "$TRIAL"
  shift 3
  "$@" > "$TRIAL/out" 2>&1 &
  script=$!
  for ((i = 0; i < 3000; ++i)); do
    [ "$(cat "$TRIAL"/*.pid 2> /dev/null | wc -l)" -eq "$processes" ] && break
    kill -0 "$script" || { cat "$TRIAL/out" && return 1; }
    sleep 0.1
  done
  kill "$script"
  status=0
  wait "$script" || status=$?
  group=$(ps -o pgid= $$ | tr -d ' ')
  script=
}

for wanted in 0 1; do
  on_term "slurm$wanted" 2 "$wanted" bash "$root/deploy/slurm-learner.sbatch" config.yaml "$dir/slurm$wanted/run"
  check "status of slurm-learner.sbatch" "$status" "$wanted"
  check "order of the ends" "$(tr '\n' ' ' < "$TRIAL/ended")" "learner store "
done
on_term one-box 3 1 bash "$root/deploy/one-box.sh" config.yaml "$dir/one-box/run"
check "status of one-box.sh" "$status" 1
check "order of the ends" "$(tr '\n' ' ' < "$TRIAL/ended")" "learner actor store "
check "whether the store is in the terminal's group" "$([ "$(cat "$TRIAL/store.group")" = "$group" ] && echo yes)" ""
[ -z "$failed" ]
