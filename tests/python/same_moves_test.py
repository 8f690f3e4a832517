"""The same positions, network, simulations and exact limit get the same moves from every program.

The Python module, the engine protocol, the HTTP server and, where it was built, the terminal are asked. Matches and the
exploitability walk are compared with the same rule in tests/eval/common_rule_test.cpp, the page in tests/web.
"""
import json
import os
import re
import subprocess
import unittest
import urllib.request

import quartozero
from support import SOURCE, some_positions

BUILD = os.environ["QUARTOZERO_BUILD_DIR"]
NETWORK = os.path.join(SOURCE, "checkpoints", "small", "model.light")
SIMULATIONS, EXACT_SQUARES = 24, 8


def positions():
    chosen = [p for p in some_positions(400, seed=3) if len(p.empty_squares) <= 14]
    late = [p for p in chosen if len(p.empty_squares) <= EXACT_SQUARES][:20]
    early = [p for p in chosen if len(p.empty_squares) > EXACT_SQUARES][:20]
    assert len(late) == len(early) == 20
    return early + late


def from_python(asked, simulations):
    player = quartozero.Player.load(NETWORK, simulations=simulations, exact_squares=EXACT_SQUARES)
    return [player.choose(p) for p in asked]


def from_engine(asked, simulations):
    lines = [f"setoption name ExactSquares value {EXACT_SQUARES}", f"setoption name Simulations value {simulations}"]
    for p in asked:
        lines += [f"position board {p}", "go"]
    ran = subprocess.run(
        [os.path.join(BUILD, "quartozero-engine"), NETWORK], input="\n".join(lines), capture_output=True, text=True,
        check=True)
    assert "error" not in ran.stdout, ran.stdout
    return re.findall(r"^bestmove (\w+)$", ran.stdout, re.M)


def from_http(asked, simulations):
    server = subprocess.Popen(
        [os.path.join(BUILD, "quartozero-serve"), "--net", f"it={NETWORK}", "--port", "0"], stdout=subprocess.PIPE,
        text=True)
    try:
        url = re.search(r"http://\S+?:\d+", server.stdout.readline()).group()
        moves = []
        for p in asked:
            body = {"position": str(p), "simulations": simulations, "exact_squares": EXACT_SQUARES}
            request = urllib.request.Request(
                url + "/api/v1/move", json.dumps(body).encode(), {"Content-Type": "application/json"})
            moves.append(json.load(urllib.request.urlopen(request, timeout=60))["move"])
        return moves
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def from_terminal(asked, simulations):
    """The opponent answers each position that is put up."""
    name = f"endgame:{EXACT_SQUARES}:light:{NETWORK}" + (f"@{simulations}" if simulations else "")
    commands = "".join(f"position {p}\n" for p in asked) + "quit\n"
    ran = subprocess.run(
        [os.path.join(BUILD, "quartozero"), "play", "--opponent", name, "--first", "opponent", "--ascii"],
        input="new\n" + commands, capture_output=True, text=True, check=True)
    # The opponent's first act after each prompt; it may go on with a give after a place.
    answers = re.split(r"> ", ran.stdout)
    moves = []
    for answer in answers:
        act = re.search(r"(?:places \S+ on (\w\d)|gives you (\w))", answer)
        if act:
            moves.append(act.group(1) or act.group(2))
    return moves[-len(asked):]


class SameMoves(unittest.TestCase):
    def test_all_programs_choose_alike(self):
        asked = positions()
        for simulations in (0, SIMULATIONS):
            expected = from_python(asked, simulations)
            self.assertEqual(from_engine(asked, simulations), expected)
            self.assertEqual(from_http(asked, simulations), expected)
            if os.path.exists(os.path.join(BUILD, "quartozero")):
                self.assertEqual(from_terminal(asked, simulations), expected)

    def test_the_comparison_sees_another_player(self):
        asked = positions()
        self.assertNotEqual(from_python(asked, 0), from_python(asked, SIMULATIONS))


if __name__ == "__main__":
    unittest.main()
