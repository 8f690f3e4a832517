#!/usr/bin/env bash
# The scripts of deploy/ with stand-ins for redis-server and quartozero: a signal stops the learner, then the store, and
# the learner's exit status is the script's; a port in use is another's; actors follow the learner's address.
#
#   tests/scripts/deploy.sh ROOT
set -euo pipefail
root=$1
dir=$(mktemp -d)
script=
finish() {
  [ -z "$script" ] || kill -9 "$script" 2> /dev/null || true
  for pid in "$dir"/*.pid "$dir"/*/*.pid; do [ -e "$pid" ] && kill -9 "$(cat "$pid")" 2> /dev/null || true; done
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
echo "$3" >> "$TRIAL/$name.store"
echo $$ > "$TRIAL/$name.pid"
mkfifo "$TRIAL/$name.never" 2> /dev/null
while true; do read -r -t 1 _ <> "$TRIAL/$name.never" || true; done
END
printf '#!/bin/sh\n' > "$dir/bin/nvidia-smi" # no GPU
chmod +x "$dir"/bin/*
export PATH="$dir/bin:$PATH" QUARTOZERO="$dir/bin/quartozero"
# Listens on a free port and writes its number, until it is killed.
listener() {
  exec python3 -c '
import os, socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
open(sys.argv[1] + ".part", "w").write(str(s.getsockname()[1])); os.rename(sys.argv[1] + ".part", sys.argv[1])
time.sleep(600)' "$1"
}
until_true() {
  for ((i = 0; i < 3000; ++i)); do
    "$@" && return
    sleep 0.1
  done
  echo "not within five minutes: $*"
  return 1
}
# A port that was free a moment ago.
REDIS_PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export REDIS_PORT

failed=
check() {
  [ "$2" = "$3" ] && return
  printf '%s: %s, expected %s\n' "$1" "$2" "$3"
  failed=1
}
# on_signal SIGNAL NAME PROCESSES LEARNER_STATUS SCRIPT...: what the script returns for it when its processes are at work.
# Slurm tells TERM to the other processes itself; a second one would end the learner without a checkpoint.
on_signal() {
  export TRIAL="$dir/$2" LEARNER_STATUS=$4
  local signal=$1 name=$2 processes=$3
  mkdir "$TRIAL"
  shift 4
  "$@" > "$TRIAL/out" 2>&1 &
  script=$!
  for ((i = 0; i < 3000; ++i)); do
    [ "$(cat "$TRIAL"/*.pid 2> /dev/null | wc -l)" -eq "$processes" ] && break
    kill -0 "$script" || { cat "$TRIAL/out" && return 1; }
    sleep 0.1
  done
  kill -s "$signal" "$script"
  if [ "$name" = cancelled ]; then
    sleep 0.5
    check "whether the learner was told twice" "$(cat "$TRIAL/ended" 2> /dev/null)" ""
    kill "$(cat "$TRIAL/learner.pid")" "$(cat "$TRIAL/store.pid")"
  fi
  status=0
  wait "$script" || status=$?
  group=$(ps -o pgid= $$ | tr -d ' ')
  script=
}

for wanted in 0 1; do
  on_signal USR1 "slurm$wanted" 2 "$wanted" bash "$root/deploy/slurm-learner.sbatch" config.yaml "$dir/slurm$wanted/run"
  check "status of slurm-learner.sbatch" "$status" "$wanted"
  check "order of the ends" "$(tr '\n' ' ' < "$TRIAL/ended")" "learner store "
done
on_signal TERM cancelled 2 1 bash "$root/deploy/slurm-learner.sbatch" config.yaml "$dir/cancelled/run"
check "status of a cancelled slurm-learner.sbatch" "$status" 1
on_signal TERM one-box 3 1 bash "$root/deploy/one-box.sh" config.yaml "$dir/one-box/run"
check "status of one-box.sh" "$status" 1
check "order of the ends" "$(tr '\n' ' ' < "$TRIAL/ended")" "learner actor store "
check "whether the store is in the terminal's group" "$([ "$(cat "$TRIAL/store.group")" = "$group" ] && echo yes)" ""

# A port on which something listens already.
listener "$dir/port" &
echo $! > "$dir/listener.pid"
until_true test -e "$dir/port"
status=0
said=$(REDIS_PORT=$(cat "$dir/port") bash "$root/deploy/one-box.sh" config.yaml "$dir/taken/run" 2>&1) || status=$?
check "status with a port in use" "$status" 1
check "what is said of a port in use" "$(grep -o 'in use.*REDIS_PORT' <<< "$said" | cut -c1-6)" "in use"
check "whether a store was begun" "$(ls "$dir/taken" 2> /dev/null)" ""
REDIS_PORT=$(cat "$dir/port") on_signal USR1 other-port 2 1 bash "$root/deploy/slurm-learner.sbatch" c.yaml "$dir/other-port/run"
check "whether the next port is taken" "$(grep -c ":$(cat "$dir/port")$" "$dir/other-port/run.store/address")" 0

mkdir "$dir/twice.store"
status=0
said=$(PATIENCE_SECONDS=0 flock "$dir/twice.store/lock" bash "$root/deploy/slurm-learner.sbatch" c.yaml "$dir/twice" 2>&1) ||
  status=$?
check "status of a second learner" "$status" 1
check "what is said of a second learner" "$said" "error: another learner of $dir/twice is running"

status=0
said=$(LOOK_SECONDS=0.1 PATIENCE_SECONDS=0 timeout 300 bash "$root/deploy/slurm-actors.sbatch" "$dir/mistyped" 2>&1) || status=$?
check "status without a learner" "$status" 1
check "what is said without a learner" "$(grep -c "no learner wrote $dir/mistyped.store/address" <<< "$said")" 1

# Actors that started before the learner, whose job then runs on another node.
export TRIAL="$dir/actors"
mkdir -p "$TRIAL/run.store"
echo secret > "$TRIAL/run.store/password"
LOOK_SECONDS=0.1 bash "$root/deploy/slurm-actors.sbatch" "$TRIAL/run" > "$TRIAL/out" 2>&1 &
script=$!
for node in one two; do
  echo "redis://$node:1" > "$TRIAL/run.store/address.new"
  mv "$TRIAL/run.store/address.new" "$TRIAL/run.store/address"
  until_true grep -q "redis://$node:1" "$TRIAL/actor.store" 2> /dev/null
done
kill "$script"
status=0
wait "$script" || status=$?
script=
check "status of slurm-actors.sbatch" "$status" 143
check "stores of the actors" "$(tr '\n' ' ' < "$TRIAL/actor.store")" "redis://one:1 redis://two:1 "
check "ends of the actors" "$(tr '\n' ' ' < "$TRIAL/ended")" "actor actor "
[ -z "$failed" ]
