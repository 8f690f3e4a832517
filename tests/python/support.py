"""What several of the tests need."""
import _thread
import os
import signal
import threading

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


def demo(**options):
    return quartozero.Player.load(quartozero.shipped_network("demo"), **options)


def interrupt_soon():
    """Ctrl-C in a moment. To be called where KeyboardInterrupt is already expected, and followed by something long."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts its background jobs with SIGINT ignored
    threading.Timer(0.3, _thread.interrupt_main).start()
