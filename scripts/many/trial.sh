#!/usr/bin/env bash
# Five hosts on one machine, as network namespaces on a bridge: a store, a learner, three actors. While training goes on,
# networks are cut and mended, an actor and the learner are killed, the store is restarted. Prints a report in Markdown
# and fails if the run does not end, or a game is missing or there twice.
#
#   scripts/many/trial.sh [BUILD/quartozero] [SECONDS_OF_A_CUT]
#
# Needs root (for the namespaces) and the packages iproute2, redis-server. Everything is removed at the end.
set -euo pipefail
quartozero=$(realpath "${1:-build/quartozero}")
cut_seconds=${2:-60}
if [ "$(id -u)" -ne 0 ]; then
  echo "error: network namespaces need root; run: sudo scripts/many/trial.sh" >&2
  exit 1
fi
for program in ip redis-server python3; do
  command -v "$program" > /dev/null || { echo "error: $program is missing (apt-get install iproute2 redis-server python3)" >&2; exit 1; }
done

# Names of one's own, so that two trials do not meet.
id=$$
bridge=qzb$id
work=$(mktemp -d)
hosts=(store learner actor1 actor2 actor3)
declare -A pids
# Without a word of the shell about it.
crash() {
  kill -9 "${pids[$1]}" 2> /dev/null || true
  wait "${pids[$1]}" 2> /dev/null || true
}
finish() {
  for name in "${!pids[@]}"; do crash "$name"; done
  for host in "${hosts[@]}"; do ip netns del "qz$id-$host" 2> /dev/null || true; done
  ip link del "$bridge" 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT

ip link add name "$bridge" type bridge
ip link set "$bridge" up
number=0
for host in "${hosts[@]}"; do
  number=$((number + 1))
  ip netns add "qz$id-$host"
  ip link add "qv$id-$number" type veth peer name eth0 netns "qz$id-$host"
  ip link set "qv$id-$number" master "$bridge" up
  ip -n "qz$id-$host" addr add "10.99.0.$number/24" dev eth0
  ip -n "qz$id-$host" link set eth0 up
  ip -n "qz$id-$host" link set lo up
done
on() { # on HOST COMMAND...: runs it there in the background
  local host=$1
  shift
  ip netns exec "qz$id-$host" "$@" >> "$work/$host.log" 2>&1 &
  pids[$host]=$!
}
port() { # the bridge's end of a host's cable
  local n=0 host
  for host in "${hosts[@]}"; do
    n=$((n + 1))
    [ "$host" = "$1" ] && echo "qv$id-$n"
  done
}
url=redis://default:trial@10.99.0.1/0
start_store() {
  mkdir -p "$work/store"
  on store redis-server --bind 10.99.0.1 --port 6379 --requirepass trial --dir "$work/store" --appendonly yes --save ''
}
start_learner() { on learner "$quartozero" train "$@" --out "$work/run" --store "$url"; }
start_actor() { on "$1" "$quartozero" actor --store "$url" --threads 1 --device cpu --name "$1"; }

start=$SECONDS
games() { python3 -c '
import json, sys
try: print(json.loads(open(sys.argv[1]).read().strip().split("\n")[-1])["games"])
except Exception: print(0)' "$work/run/metrics.jsonl"; }
echo "| second | event | games learned from |"
echo "|---|---|---|"
event() { echo "| $((SECONDS - start)) | $* | $(games) |"; }
# So that the events fall into the run, not beside it.
until_games() {
  local wanted=$(($(games) + $1))
  for ((i = 0; i < 6000 && $(games) < wanted; ++i)); do
    kill -0 "${pids[learner]}" 2> /dev/null || break
    sleep 0.2
  done
}

cat > "$work/trial.yaml" << 'END'
device: cpu
network: {width: 16, blocks: 1}
selfplay: {simulations: 16, threads: 1, games_in_flight: 16, random_starts: 0.3}
learner: {threads: 1, batch: 128, reuse: 1}
limits: {games: 100, iterations: 1000000, mode: concurrent}
evaluation: {every: 0}
END
start_store
start_learner "$work/trial.yaml"
for actor in actor1 actor2 actor3; do start_actor "$actor"; done
until_games 300
event "five hosts are at work"

ip link set "$(port actor1)" down
event "actor1's network is cut"
sleep "$cut_seconds"
ip link set "$(port actor1)" up
event "actor1's network is mended"
until_games 300

ip link set "$(port store)" down
event "the store's network is cut: nobody reaches it"
sleep "$cut_seconds"
ip link set "$(port store)" up
event "the store's network is mended"
until_games 300

ip link set "$(port learner)" down
event "the learner's network is cut"
sleep "$cut_seconds"
ip link set "$(port learner)" up
event "the learner's network is mended"
until_games 300

crash actor2
event "actor2 is killed"
until_games 200
start_actor actor2
event "actor2 is started again"
until_games 200

crash store
start_store
event "the store is killed and started again"
until_games 300

crash learner
event "the learner is killed"
sleep 5
start_learner --resume
event "the learner resumes"
until_games 500

# The end of the run is now: every number below it must come.
kill "${pids[learner]}"
wait "${pids[learner]}" || true
done_now=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["iteration"])' "$work/run/checkpoint/state.json")
start_learner --resume --set limits.iterations=$((done_now + 5))
status=0
wait "${pids[learner]}" || status=$?
event "the run has ended"
for actor in actor1 actor2 actor3; do
  for ((i = 0; i < 600; ++i)); do
    kill -0 "${pids[$actor]}" 2> /dev/null || break
    sleep 0.1
  done
done
echo
python3 - "$work" << 'END'
import json, sys
work = sys.argv[1]
state = json.load(open(work + "/run/checkpoint/state.json"))
lines = [json.loads(line) for line in open(work + "/run/metrics.jsonl")]
lines = [line for line in lines if "store" in line]
games = state["games"]
taken = state["source"]["taken"]
store = lines[-1]["store"]
print(f"{games} games in {state['iteration']} iterations, {lines[-1]['seconds']:.0f} s; numbers taken: {taken}")
total = {}
for key in ("duplicates", "old", "refused", "expired_leases", "played_again", "outages"):
    # The counts begin anew with each session of the learner.
    last, total[key] = 0, 0
    for line in lines:
        now = line["store"][key]
        total[key] += now - last if now >= last else now
        last = now
print(", ".join(f"{key.replace('_', ' ')} {value}" for key, value in total.items()))
if taken != [[0, games]]:
    sys.exit("error: a number is missing, or there twice")
END
[ "$status" -eq 0 ] || { tail -n 20 "$work"/learner.log; echo "error: the learner ended with $status" >&2; exit 1; }
if grep -l trial@ "$work"/*.log "$work"/run/*.log "$work"/run/config.yaml 2> /dev/null; then
  echo "error: a password is in the files above" >&2
  exit 1
fi
