#!/usr/bin/env bash
# One machine: a store on this machine alone, the learner on the first GPU (or the processor), an actor for each GPU, or
# one for all cores. Ctrl-C stops everything; the same command goes on.
#
#   deploy/one-box.sh CONFIG OUT [--set key=value ...]
#
# QUARTOZERO=build/quartozero   REDIS_PORT=6379   ACTOR_THREADS=...   ACTORS=... (without a GPU)
set -euo pipefail
config=${1:?usage: deploy/one-box.sh CONFIG OUT [--set key=value ...]}
out=${2:?usage: deploy/one-box.sh CONFIG OUT [--set key=value ...]}
shift 2
quartozero=${QUARTOZERO:-build/quartozero}
port=${REDIS_PORT:-6379}
if ! command -v redis-server > /dev/null; then
  echo "error: redis-server is missing: apt-get install redis-server" >&2
  exit 1
fi

# Debian's redis-server package starts a server of its own on 6379, which has neither this run's data nor its settings.
if (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then
  echo "error: port $port of this machine is in use, perhaps by another Redis server or another run: name a free one with" \
    "REDIS_PORT=..." >&2
  exit 1
fi

mkdir -p "$out.store"
children=()
stop() {
  trap - EXIT INT TERM
  # The learner first: it writes a checkpoint and tells the store. The store last.
  for ((i = ${#children[@]} - 1; i >= 0; --i)); do
    kill "${children[i]}" 2> /dev/null || true
    wait "${children[i]}" 2> /dev/null || true
  done
}
trap stop EXIT
trap 'exit 1' INT TERM

# Not in the terminal's group: Ctrl-C would end it before the learner has told it that it stops.
setsid redis-server --bind 127.0.0.1 --port "$port" --dir "$(realpath "$out.store")" --appendonly yes --save '' \
  --maxmemory-policy noeviction --logfile redis.log &
children+=($!)
store=redis://127.0.0.1:$port
answers=
for ((i = 0; i < 100; ++i)); do
  kill -0 "${children[0]}" 2> /dev/null || break
  "$quartozero" store "$store" > /dev/null 2>&1 && answers=yes && break
  sleep 0.1
done
if [ -z "$answers" ]; then
  echo "error: redis-server does not answer on port $port; its log is $out.store/redis.log" >&2
  exit 1
fi

# Where the driver does not work, it says so on standard output.
gpus=$(nvidia-smi --list-gpus 2> /dev/null | grep -c '^GPU ' || true)
if [ "$gpus" -gt 0 ]; then
  for ((gpu = 0; gpu < gpus; ++gpu)); do
    "$quartozero" actor --store "$store" --device "cuda:$gpu" --threads "${ACTOR_THREADS:-$(($(nproc) / gpus))}" \
      --name "gpu$gpu" >> "$out.store/actor-$gpu.log" 2>&1 &
    children+=($!)
  done
else
  for ((i = 0; i < ${ACTORS:-1}; ++i)); do
    "$quartozero" actor --store "$store" --threads "${ACTOR_THREADS:-0}" --name "actor$i" \
      >> "$out.store/actor-$i.log" 2>&1 &
    children+=($!)
  done
fi

resume=()
[ -e "$out/checkpoint" ] && resume=(--resume)
"$quartozero" train "$config" --out "$out" "${resume[@]}" --store "$store" --set limits.mode=concurrent "$@" &
children+=($!)
wait "$!"
