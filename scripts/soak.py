#!/usr/bin/env python3
"""Trains for hours with a resume every few minutes, beside a server under load, and watches memory, descriptors and disk.

    scripts/soak.py build OUT [--hours 6] [--resume-minutes 10] [--clients 4] [--pause 0] [--config FILE --set KEY=VALUE ...]

BUILD has quartozero and quartozero-serve. OUT is made: the run, the logs, and soak.csv with a line for each process every ten
seconds. Training is ended by SIGINT and by SIGKILL in turn and resumed; the clients ask the server for moves, searches, exact
values and things that are wrong.

Ctrl-C ends a sitting. The same command goes on with the next one, up to HOURS in all: the same run, another server.

At the end, for the server of each sitting and for each part of training: does the second half need more memory, descriptors or
threads than the first? Is the disk that the run needs still growing once its replay buffer is full?
Did a request fail that should not? Exit status 0: nothing grows and nothing failed.

Needs Linux (/proc) and nothing but Python's standard library.
"""

import argparse
import csv
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
COLUMNS = ["seconds", "sitting", "process", "part", "memory", "descriptors", "threads", "disk"]
# A small replay buffer is soon full.
SMALL_RUN = ["replay.window=50000", "limits.games=200"]
# What a second half may need more than the first: allocators keep some of what was freed.
MEMORY_SHARE, MEMORY_BYTES = 0.05, 16 << 20
DESCRIPTORS = 2

REQUESTS = [  # path, body, the statuses that may come back
    ("/api/v1/move", {"position": "..../2F.A/E9../.8B3 -"}, {200}),
    ("/api/v1/move", {"position": "..../2F.A/E9../.8B3 6", "simulations": 64}, {200}),
    ("/api/v1/move", {"position": "..../..../..../.... -", "simulations": 200}, {200}),
    ("/api/v1/analysis", {"position": "..../2F.A/E9../.8B3 -", "exact": True}, {200}),
    ("/api/v1/analysis", {"position": ".5../2F.A/E9../.8B3 -", "rules": "squares"}, {200, 400}),
    ("/api/v1/evaluation", {"positions": ["..../..../..../.... -", "..../2F.A/E9../.8B3 -"]}, {200}),
    ("/api/v1/play", {"position": "..../..../..../.... -", "moves": ["0", "a1"]}, {200, 400}),
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
        self.samples: List[Dict[str, object]] = []
        self.faults: List[str] = []
        self.sitting = self.part = 0
        before = 0.0
        if (self.out / "soak.csv").exists():
            with open(self.out / "soak.csv", newline="") as file:
                self.samples = [{k: v if k == "process" else int(v) for k, v in row.items()} for row in csv.DictReader(file)]
        if self.samples:
            before = max(int(s["seconds"]) for s in self.samples)
            self.sitting = 1 + max(int(s["sitting"]) for s in self.samples)
            self.part = 1 + max(int(s["part"]) for s in self.samples)
        self.start = time.monotonic() - before
        self.end = self.start + 3600 * options.hours

    def seconds(self) -> float:
        """Of all sittings together."""
        return time.monotonic() - self.start

    def serve(self) -> int:
        """Starts the server; its port."""
        name = f"server-{self.sitting}.log"
        self.server_log = open(self.out / name, "w+")
        self.server = subprocess.Popen(
            [f"{self.options.build}/quartozero-serve", "--port", "0", "--threads", "2"], stdout=self.server_log, stderr=subprocess.STDOUT
        )
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
        return subprocess.Popen(command, stdout=self.train_log, stderr=subprocess.STDOUT)

    def sample(self, part: int, trainer: subprocess.Popen) -> None:
        run = disk(self.out / "run")
        for what, process, number in (("server", self.server, 0), ("train", trainer, part)):
            found = usage(process.pid)
            if found:
                row: Dict[str, object] = {"seconds": round(self.seconds()), "sitting": self.sitting, "process": what, "part": number,
                                          **found, "disk": run}
                self.samples.append(row)
                self.csv.writerow(row)
        self.csv_file.flush()

    def run(self) -> None:
        port = self.serve()
        stop = threading.Event()
        clients = [Load(port, 1000 * self.sitting + n, self.options.pause, stop) for n in range(self.options.clients)]
        self.train_log = open(self.out / "train.log", "a")
        self.csv_file = open(self.out / "soak.csv", "a", newline="")
        self.csv = csv.DictWriter(self.csv_file, COLUMNS)
        if not self.samples:
            self.csv.writeheader()
        for client in clients:
            client.start()
        trainer = self.train()
        try:
            while time.monotonic() < self.end:
                part_end = min(self.end, time.monotonic() + 60 * self.options.resume_minutes)
                while time.monotonic() < part_end:
                    time.sleep(min(SAMPLE_SECONDS, max(0.0, part_end - time.monotonic())))
                    self.sample(self.part, trainer)
                    if trainer.poll() is not None:
                        self.faults.append(f"training ended by itself with status {trainer.returncode}, see train.log")
                        return
                    if self.server.poll() is not None:
                        self.faults.append(f"the server ended by itself with status {self.server.returncode}, see server-{self.sitting}.log")
                        return
                how = signal.SIGKILL if self.part % 2 else signal.SIGINT
                trainer.send_signal(how)
                status = self.waited(trainer)
                # 1: interrupted, and it said how to go on; -SIGINT: it had hardly begun.
                if how == signal.SIGINT and status not in (0, 1, -signal.SIGINT):
                    self.faults.append(f"training ended with status {status} after SIGINT")
                self.part += 1
                print(f"{self.seconds() / 60:.0f} min: part {self.part} of training ended by {how.name}, "
                      f"{sum(c.asked for c in clients)} requests, {disk(self.out / 'run') >> 20} MB on disk", flush=True)
                if time.monotonic() < self.end:
                    trainer = self.train()
        except KeyboardInterrupt:
            print(f"\nthe sitting ends after {self.seconds() / 3600:.2f} hours in all; the same command goes on", flush=True)
        finally:
            if trainer.poll() is None:
                trainer.send_signal(signal.SIGINT)
                self.waited(trainer)
            stop.set()
            for client in clients:
                client.join(timeout=70)
            self.server.send_signal(signal.SIGTERM)
            status = self.waited(self.server)
            if status != 0:
                self.faults.append(f"the server ended with status {status} after SIGTERM")
            wrong = [w for c in clients for w in c.wrong]
            self.faults += wrong[:10]
            if len(wrong) > 10:
                self.faults.append(f"... and {len(wrong) - 10} more requests")
            print(f"{self.part} parts of training, {sum(c.asked for c in clients)} requests, {sum(c.busy for c in clients)} of them "
                  f"answered by 503, {len(wrong)} wrong")

    def waited(self, process: subprocess.Popen) -> int:
        try:
            return process.wait(timeout=600)
        except subprocess.TimeoutExpired:
            self.faults.append(f"process {process.pid} does not end")
            process.kill()
            return process.wait()

    def compare(self, what: str, name: str, first: List[int], second: List[int], allowed: float) -> None:
        before, after = max(first), max(second)
        grown = after - before > allowed
        print(f"{what:9} {name:12} first half at most {before:>14,}, second half at most {after:>14,}{'   GROWS' if grown else ''}")
        if grown:
            self.faults.append(f"{what}: {name} grows from {before:,} to {after:,}")

    def halves(self, what: str, rows: List[Dict[str, object]]) -> None:
        rows = rows[len(rows) // 5:]  # it fills its caches first
        half = len(rows) // 2
        if half < 3:
            print(f"{what}: too few samples to say anything")
            return
        self.judged += 1
        for name in ("memory", "descriptors", "threads"):
            first, second = [int(r[name]) for r in rows[:half]], [int(r[name]) for r in rows[half:]]
            allowed = max(MEMORY_SHARE * max(first), MEMORY_BYTES) if name == "memory" else DESCRIPTORS
            self.compare(what, name, first, second, allowed)

    def judge(self) -> None:
        self.judged = 0
        served = [s for s in self.samples if s["process"] == "server"]
        for sitting in sorted({int(s["sitting"]) for s in served}):  # each has a server of its own
            self.halves(f"server {sitting}", [s for s in served if s["sitting"] == sitting])
        trained = [s for s in self.samples if s["process"] == "train"]
        for part in sorted({int(s["part"]) for s in trained}):  # each is a process of its own
            self.halves(f"part {part}", [s for s in trained if s["part"] == part])
        if self.judged < 2:
            self.faults.append("too few samples to say anything: a longer soak is needed")
        rows = trained[len(trained) // 5:]
        half = len(rows) // 2
        if half > 0:
            first, second = [int(r["disk"]) for r in rows[:half]], [int(r["disk"]) for r in rows[half:]]
            self.compare("run", "disk", first, second, max(0.1 * max(first), MEMORY_BYTES))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build tree with quartozero and quartozero-serve")
    parser.add_argument("out", help="a directory: a new one, or that of a soak to go on with")
    parser.add_argument("--hours", type=float, default=6, help="of all sittings together")
    parser.add_argument("--resume-minutes", type=float, default=10, help="training is ended and resumed so often")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0, help="seconds that a client waits between two requests")
    parser.add_argument("--config", default="configs/demo.yaml")
    parser.add_argument("--set", dest="settings", action="append", metavar="KEY=VALUE",
                        help=f"for training; without any: {' '.join(SMALL_RUN)}, so that the replay buffer is soon full")
    options = parser.parse_args()
    options.settings = options.settings or SMALL_RUN
    out = Path(options.out)
    if out.exists() and any(out.iterdir()) and not (out / "soak.csv").exists():
        parser.error(f"'{options.out}' is there already, and no soak: name a new directory")
    for name in ("quartozero", "quartozero-serve"):
        if not os.access(f"{options.build}/{name}", os.X_OK):
            parser.error(f"'{options.build}/{name}' is not there: make build")
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # no process is left behind
        signal.signal(number, interrupt)
    soak = Soak(options)
    soak.run()
    soak.judge()
    for fault in soak.faults:
        print(f"soak: {fault}", file=sys.stderr)
    sys.exit(1 if soak.faults else 0)


if __name__ == "__main__":
    main()
