"""What several of the tests need."""
import _thread
import contextlib
import importlib
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
import traceback

import numpy
import quartozero

SOURCE = os.environ["QUARTOZERO_SOURCE_DIR"]
SUITE = os.path.join(SOURCE, "eval", "suites", "decisive.tsv")


def some_positions(n=200, seed=1, rules="lines"):
    """Of random games, none of them over; with pieces in hand and without."""
    positions = quartozero.from_array(quartozero.random_positions(n, seed, rules), rules)
    assert {p.phase for p in positions} == {"place", "give"}
    return positions


def entries(most_empty, n):
    """Positions of the suite that are quickly solved, from all over the file."""
    late = [e for e in quartozero.read_suite(SUITE) if len(e.position.empty_squares) <= most_empty]
    chosen = late[:: len(late) // n][:n]
    assert len(chosen) == n
    return chosen


def small(**options):
    return quartozero.Player.load(quartozero.shipped_network("small"), **options)


def nothing(inputs):
    """All moves alike, all outcomes alike."""
    return numpy.zeros((len(inputs), 16), numpy.float32), numpy.zeros((len(inputs), 3), numpy.float32)


def by_four_threads(function, items):
    """Its results, one for each item; each of the threads has every fourth."""
    found = [None] * len(items)

    def every_fourth(first):
        for i in range(first, len(items), 4):
            found[i] = function(items[i])

    threads = [threading.Thread(target=every_fourth, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return found


@contextlib.contextmanager
def lock_kept():
    """Inside, nothing asks a thread for the interpreter's lock. Others run only where it gives the lock up by itself:
    it waits for something, or computes in a function that releases the lock."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # seconds
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def interrupt_soon():
    """Ctrl-C in a moment. To be called where KeyboardInterrupt is already expected, and followed by something long that
    releases the interpreter's lock: however busy the machine is, Ctrl-C comes in the midst of it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts its background jobs with SIGINT ignored
    kept, followed = contextlib.ExitStack(), False

    def interrupt():
        while not followed:
            time.sleep(0.01)
        time.sleep(0.3)
        kept.close()
        _thread.interrupt_main()

    kept.enter_context(lock_kept())
    threading.Thread(target=interrupt).start()
    followed = True  # the thread sees it when this one next gives the lock up


def steps_beside(compute, enough=20, patience=60):
    """Calls compute() until another thread of Python has taken `enough` steps meanwhile, but for about `patience`
    seconds at most; how many it took. They were all taken inside compute(), none between two calls."""
    steps, ended = 0, False

    def take_steps():
        nonlocal steps
        while not ended:
            time.sleep(0.001)  # gives the lock up, and needs it for the next step
            steps += 1

    with lock_kept():
        other = threading.Thread(target=take_steps)
        other.start()
        try:
            before, end = steps, time.monotonic() + patience
            while steps < before + enough and time.monotonic() < end:
                compute()
            return steps - before
        finally:
            ended = True
            other.join()


def in_own_process(function):
    """Calls a function of a test's file in a process of its own, which ends with it, whatever other threads compute
    there. QUARTOZERO_EMULATOR is the command that runs this Python, if the processor does not.
    AssertionError if it raises; TimeoutExpired if it hangs."""
    module = os.path.splitext(os.path.basename(inspect.getfile(function)))[0]
    command = [*os.environ.get("QUARTOZERO_EMULATOR", "").split(), sys.executable, __file__, module, function.__name__]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":  # in_own_process()
    status = 0
    try:
        getattr(importlib.import_module(sys.argv[1]), sys.argv[2])()
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stderr.flush()
    os._exit(status)  # not by way of the end of the interpreter, which takes away what the threads compute with
