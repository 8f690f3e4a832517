#!/usr/bin/env python3
"""Trains for hours with a resume every few minutes, beside a server under load, and watches memory, descriptors and disk.

    scripts/soak.py build OUT [--hours 6] [--resume-minutes 10] [--clients 4] [--pause 0] [--config FILE --set KEY=VALUE ...]

BUILD has quartozero, its library libquartozero_torch.so and quartozero-serve. OUT is made: the run, the logs, and soak.csv with a line for each process every ten
seconds. Training is ended by SIGINT and by SIGKILL in turn and resumed; the clients ask the server for moves, searches, exact
values and things that are wrong.

Ctrl-C ends a sitting. The same command starts the next one, which resumes the run and starts a new server, until HOURS are
reached in all. A sitting with other programs or settings is refused.

At the end, for the server of each sitting and for each part of training: does the second half need more memory, descriptors or
threads than the first? The memory of training rises for half an hour until the allocator has its blocks, so shorter parts may
need 32 MB more in their second half, and are compared with each other: do the later ones need more than the earlier ones? Is the disk that the run needs still growing once its replay buffer is full?
Did a request fail that should not? Exit status 0: nothing grows and nothing failed.

Needs Linux (/proc) and nothing but Python's standard library.
"""

import argparse
import csv
import hashlib
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Dict, List, Optional

SAMPLE_SECONDS = 10
PROGRAMS = ("quartozero", "quartozero-serve", "libquartozero_torch.so")
COLUMNS = ["seconds", "sitting", "process", "part", "memory", "descriptors", "threads", "disk"]
DEMO = "configs/demo.yaml"
# A small replay buffer is soon full.
SMALL_RUN = ["replay.window=50000", "limits.games=200"]
# What a second half may need more than the first: allocators keep some of what was freed.
MEMORY_SHARE, MEMORY_BYTES = 0.05, 16 << 20
FILLED_SECONDS, FILLING_BYTES = 1800, 32 << 20  # until then training's memory rises; by so much from half to half of ten minutes
DESCRIPTORS = 2

REQUESTS = [  # path, body, the statuses that may come back
    ("/api/v1/move", {"position": "..../2F.A/E9../.8B3 -"}, {200}),
    ("/api/v1/move", {"position": "..../2F.A/E9../.8B3 6", "simulations": 64}, {200}),
    ("/api/v1/move", {"position": "..../..../..../.... -", "simulations": 200}, {200}),
    ("/api/v1/analysis", {"position": "..../2F.A/E9../.8B3 -", "exact": True}, {200}),
    ("/api/v1/analysis", {"position": ".5../2F.A/E9../.8B3 -", "rules": "squares"}, {200}),
    ("/api/v1/evaluation", {"positions": ["..../..../..../.... -", "..../2F.A/E9../.8B3 -"]}, {200}),
    ("/api/v1/play", {"position": "..../..../..../.... -", "move": "0"}, {200}),
    ("/api/v1/move", {"position": "..../2F.A/E9../.8B3 G"}, {400}),
    ("/api/v1/move", {"position": 5}, {400}),
    ("/api/v1/nowhere", {}, {404}),
]
BUSY = 503  # a full queue is an answer, too


class Load(threading.Thread):
    """One client: requests one after the other, over one connection that is opened anew now and then."""

    def __init__(self, port: int, seed: int, pause: float, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.random, self.pause, self.stop = port, random.Random(seed), pause, stop
        self.asked = self.busy = 0
        self.wrong: List[str] = []

    def run(self) -> None:
        connection: Optional[http.client.HTTPConnection] = None
        while not self.stop.is_set():
            path, body, expected = self.random.choice(REQUESTS)
            try:
                if connection is None or self.random.random() < 0.02:
                    if connection:
                        connection.close()
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
                reply = connection.getresponse()
                reply.read()
                self.asked += 1
                if reply.status == BUSY:
                    self.busy += 1
                elif reply.status not in expected:
                    self.wrong.append(f"{path} {body}: {reply.status}")
            except OSError as error:
                if not self.stop.is_set():
                    self.wrong.append(f"{path} {body}: {error}")
                connection = None
            except http.client.HTTPException as error:
                if not self.stop.is_set():
                    self.wrong.append(f"{path} {body}: {error!r}")
                connection = None
            self.stop.wait(self.pause)


def usage(pid: int) -> Optional[Dict[str, int]]:
    """Resident memory in bytes, open descriptors, threads; None if the process has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        memory = re.search(r"VmRSS:\s+(\d+) kB", status)
        threads = re.search(r"Threads:\s+(\d+)", status)
        if not memory or not threads:
            return None  # it is ending
        return {
            "memory": int(memory[1]) << 10,
            "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
            "threads": int(threads[1]),
        }
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None


def disk(directory: Path) -> int:
    total = 0
    for folder, _, files in os.walk(directory):
        for name in files:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except FileNotFoundError:
                pass
    return total


class Soak:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.out = Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.faults: List[str] = self.kept_faults()
        self.samples = self.kept_samples()
        self.sitting = self.part = 0
        before = 0.0
        if self.samples:
            before = max(int(s["seconds"]) for s in self.samples)
            self.sitting = 1 + max(int(s["sitting"]) for s in self.samples)
            self.part = 1 + max(int(s["part"]) for s in self.samples)
        if self.samples and before > 3600 * options.hours - SAMPLE_SECONDS:  # the last sample may be that much before the end
            sys.exit(f"soak: '{self.out}' has had its {options.hours:g} hours: give it more with --hours, or name a new directory")
        self.check_same()
        self.stop = threading.Event()
        self.server: Optional[subprocess.Popen] = None
        self.trainer: Optional[subprocess.Popen] = None
        self.no_more = threading.Event()  # requests
        self.start = time.monotonic() - before
        self.end = self.start + 3600 * options.hours

    def kept_samples(self) -> List[Dict[str, object]]:
        path = self.out / "soak.csv"
        if not path.exists():
            return []
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        # The last line of a sitting that was killed may be cut.
        return [{k: v if k == "process" else int(v) for k, v in row.items()} for row in rows
                if all(row.get(k) for k in COLUMNS) and row["disk"].isdigit()]

    def kept_faults(self) -> List[str]:
        path = self.out / "faults.txt"
        return path.read_text().splitlines() if path.exists() else []

    def check_same(self) -> None:
        """Sittings are of the same programs and settings, or their figures say nothing together."""
        o = self.options
        mine = {"config": o.config, "settings": o.settings, "clients": o.clients, "pause": o.pause}
        for name in PROGRAMS:
            mine[name] = hashlib.sha256(Path(f"{o.build}/{name}").read_bytes()).hexdigest()
        path = self.out / "soak.json"
        if self.samples and json.loads(path.read_text()) != mine:
            sys.exit(f"soak: '{self.out}' was begun with other programs or settings ({path}): name a new directory")
        path.write_text(json.dumps(mine, indent=1) + "\n")

    def fault(self, text: str) -> None:
        """Kept on disk: a later sitting must not forget it."""
        self.faults.append(f"sitting {self.sitting}: {text}")
        with open(self.out / "faults.txt", "a") as file:
            file.write(self.faults[-1] + "\n")

    def seconds(self) -> float:
        """Of all sittings together."""
        return time.monotonic() - self.start

    def serve(self) -> int:
        """Starts the server; its port."""
        name = f"server-{self.sitting}.log"
        # In a session of its own, as training: Ctrl-C is for this script, which then ends them in order.
        with open(self.out / name, "w") as log:
            self.server = subprocess.Popen([f"{self.options.build}/quartozero-serve", "--port", "0", "--threads", "2"], stdout=log,
                                           stderr=subprocess.STDOUT, start_new_session=True)
        for _ in range(600):
            found = re.search(r"http://[^:]+:(\d+)", (self.out / name).read_text())
            if found:
                return int(found[1])
            if self.server.poll() is not None:
                break
            time.sleep(0.1)
        self.server.kill()
        self.server.wait()
        sys.exit(f"soak: the server does not start, see {self.out}/{name}")

    def train(self) -> subprocess.Popen:
        command = [f"{self.options.build}/quartozero", "train", self.options.config, "--out", str(self.out / "run"), "--quiet"]
        for setting in ["limits.minutes=100000", *self.options.settings]:
            command += ["--set", setting]
        if (self.out / "run").exists():
            command.append("--resume")
        return subprocess.Popen(command, stdout=self.train_log, stderr=subprocess.STDOUT, start_new_session=True)

    def sample(self, trainer: subprocess.Popen) -> None:
        run = disk(self.out / "run")
        for what, process, number in (("server", self.server, 0), ("train", trainer, self.part)):
            found = usage(process.pid)
            if found:
                row: Dict[str, object] = {"seconds": round(self.seconds()), "sitting": self.sitting, "process": what, "part": number,
                                          **found, "disk": run}
                self.samples.append(row)
                self.csv.writerow(row)
        self.csv_file.flush()

    def run(self) -> None:
        self.train_log = open(self.out / "train.log", "a")
        self.csv_file = open(self.out / "soak.csv", "a", newline="")
        self.csv = csv.DictWriter(self.csv_file, COLUMNS)
        if self.csv_file.tell() == 0:
            self.csv.writeheader()
        try:
            self.sit()
        finally:  # whatever went wrong, no process is left behind
            self.no_more.set()
            for process in (self.trainer, self.server):
                if process is not None and process.poll() is None:
                    process.kill()
                    process.wait()

    def sit(self) -> None:
        port = self.serve()
        clients = [Load(port, 1000 * self.sitting + n, self.options.pause, self.no_more) for n in range(self.options.clients)]
        for client in clients:
            client.start()
        trainer = self.trainer = self.train()
        while self.live(trainer):
            self.part += 1
            print(f"{self.seconds() / 60:.0f} min: part {self.part} of training ended, {sum(c.asked for c in clients)} requests, "
                  f"{disk(self.out / 'run') >> 20} MB on disk", flush=True)
            trainer = self.trainer = self.train()
        self.no_more.set()
        for client in clients:
            client.join(timeout=70)
        if trainer.poll() is None:
            print("waiting for training to end its iteration", flush=True)
            trainer.send_signal(signal.SIGINT)
            self.waited(trainer)
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
            if (status := self.waited(self.server)) != 0:
                self.fault(f"the server ended with status {status} after SIGTERM")
        wrong = [w for c in clients for w in c.wrong]
        for text in wrong[:10]:
            self.fault(text)
        if len(wrong) > 10:
            self.fault(f"... and {len(wrong) - 10} more requests")
        print(f"{self.seconds() / 3600:.2f} hours in all, {self.part + 1} parts of training; in this sitting "
              f"{sum(c.asked for c in clients)} requests, {sum(c.busy for c in clients)} of them answered by 503, {len(wrong)} wrong")

    def live(self, trainer: subprocess.Popen) -> bool:
        """One part of training; false if it was the last one."""
        part_end = min(self.end, time.monotonic() + 60 * self.options.resume_minutes)
        while time.monotonic() < part_end:
            if self.stop.wait(min(SAMPLE_SECONDS, max(0.0, part_end - time.monotonic()))):
                return False
            self.sample(trainer)
            if trainer.poll() is not None:
                self.fault(f"training ended by itself with status {trainer.returncode}, see train.log")
                return False
            if self.server.poll() is not None:
                self.fault(f"the server ended by itself with status {self.server.returncode}, see server-{self.sitting}.log")
                return False
        if time.monotonic() >= self.end:
            return False
        how = signal.SIGKILL if self.part % 2 else signal.SIGINT
        trainer.send_signal(how)
        status = self.waited(trainer)
        # 1: interrupted, and it said how to go on; -SIGINT: it had hardly begun.
        if how == signal.SIGINT and status not in (0, 1, -signal.SIGINT):
            self.fault(f"training ended with status {status} after SIGINT")
        return not self.stop.is_set()

    def waited(self, process: subprocess.Popen) -> int:
        try:
            return process.wait(timeout=600)
        except subprocess.TimeoutExpired:
            self.fault(f"process {process.pid} does not end")
            process.kill()
            return process.wait()

    def compare(self, what: str, name: str, first: List[int], second: List[int], allowed: float) -> None:
        before, after = max(first), max(second)
        grown = after - before > allowed
        print(f"{what:9} {name:12} first half at most {before:>14,}, second half at most {after:>14,}{'   GROWS' if grown else ''}")
        if grown:
            self.faults.append(f"{what}: {name} grows from {before:,} to {after:,}")

    def halves(self, what: str, rows: List[Dict[str, object]], bytes_more: int = MEMORY_BYTES) -> None:
        rows = rows[len(rows) // 5:]  # it fills its caches first
        half = len(rows) // 2
        if half < 10:
            print(f"{what}: too few samples to say anything")
            return
        self.judged += 1
        for name in ("memory", "descriptors", "threads"):
            first, second = [int(r[name]) for r in rows[:half]], [int(r[name]) for r in rows[half:]]
            self.compare(what, name, first, second, self.more_memory(first, bytes_more) if name == "memory" else DESCRIPTORS)

    @staticmethod
    def more_memory(first: List[int], bytes_more: int = MEMORY_BYTES) -> float:
        return max(MEMORY_SHARE * max(first), bytes_more)

    def judge(self) -> None:
        self.judged = 0
        served = [s for s in self.samples if s["process"] == "server"]
        for sitting in sorted({int(s["sitting"]) for s in served}):  # each has a server of its own
            self.halves(f"server {sitting}", [s for s in served if s["sitting"] == sitting])
        trained = [s for s in self.samples if s["process"] == "train"]
        filled = 0.2 * max((int(s["seconds"]) for s in trained), default=0)
        short: List[int] = []  # most memory of each short part
        for part in sorted({int(s["part"]) for s in trained}):  # each is a process of its own
            rows = [s for s in trained if s["part"] == part]
            if int(rows[-1]["seconds"]) - int(rows[0]["seconds"]) >= FILLED_SECONDS:
                self.halves(f"part {part}", rows)
            elif int(rows[0]["seconds"]) < filled:
                print(f"part {part}: not judged, the replay buffer may still be filling")
            else:
                self.halves(f"part {part}", rows, FILLING_BYTES)
                short.append(max(int(r["memory"]) for r in rows))
        if len(short) >= 4:
            half = len(short) // 2
            self.compare("parts", "memory", short[:half], short[half:], self.more_memory(short[:half]))
        if self.judged < 2:
            self.faults.append("too few samples to say anything: a longer soak is needed")
        rows = trained[len(trained) // 5:]
        half = len(rows) // 2
        if half > 0:
            first, second = [int(r["disk"]) for r in rows[:half]], [int(r["disk"]) for r in rows[half:]]
            self.compare("run", "disk", first, second, max(0.1 * max(first), MEMORY_BYTES))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build tree with the programs and libquartozero_torch.so")
    parser.add_argument("out", help="a directory: a new one, or that of a soak to go on with")
    parser.add_argument("--hours", type=float, default=6, help="of all sittings together")
    parser.add_argument("--resume-minutes", type=float, default=10, help="training is ended and resumed so often")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0, help="seconds that a client waits between two requests")
    parser.add_argument("--config", default=DEMO)
    parser.add_argument("--set", dest="settings", action="append", metavar="KEY=VALUE",
                        help=f"for training, may be repeated; before these, with the default CONFIG: {' '.join(SMALL_RUN)}, so that the "
                             "replay buffer is soon full")
    options = parser.parse_args()
    options.settings = (SMALL_RUN if options.config == DEMO else []) + (options.settings or [])
    out = Path(options.out)
    if out.exists() and any(out.iterdir()) and not (out / "soak.json").exists():
        parser.error(f"'{options.out}' is there already, and no soak: name a new directory")
    for name in PROGRAMS:
        if not os.access(f"{options.build}/{name}", os.X_OK):
            parser.error(f"'{options.build}/{name}' is not there: make build")
    soak = Soak(options)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # no process is left behind
        signal.signal(number, lambda *_: soak.stop.set())
    soak.run()
    ended_early = soak.stop.is_set()
    if ended_early:
        print("to go on: the same command")
    else:
        soak.judge()
    for fault in soak.faults:
        print(f"soak: {fault}", file=sys.stderr)
    sys.exit(1 if soak.faults else 130 if ended_early else 0)


if __name__ == "__main__":
    main()
