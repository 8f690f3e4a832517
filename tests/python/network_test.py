"""A network of one's own: quartozero.Evaluator, Search and measure()."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy
import quartozero
from support import nothing, small, some_positions


def as_small(rows):
    """The shipped network through Python: logits of its probabilities."""
    evaluations = small().evaluate_batch(rows)
    return numpy.log(numpy.maximum(evaluations.priors, 1e-30)), numpy.log(numpy.maximum(evaluations.outcomes, 1e-30))


def stopping(function, asked, most):
    """An Evaluator by this function of positions; Ctrl-C comes at a later batch."""

    def evaluate(rows):
        asked.append(len(rows))
        if len(asked) > most:
            raise KeyboardInterrupt
        return function(rows)

    return quartozero.Evaluator(evaluate, "positions")


class Functions(unittest.TestCase):
    def test_they_get_planes_or_positions(self):
        rows = quartozero.random_positions(50, 1)
        seen = []

        def keep(inputs):
            seen.append(inputs)
            return nothing(inputs)

        quartozero.Search(keep, 1, settings={"canonical": False}).run(rows)
        quartozero.Search(quartozero.Evaluator(keep, "positions"), 1, settings={"canonical": False}).run(rows)
        planes, positions = seen
        self.assertEqual((planes.dtype, positions.dtype), (numpy.float32, numpy.int8))
        numpy.testing.assert_array_equal(planes, quartozero.encode(positions))
        self.assertLess({tuple(row) for row in positions.tolist()}, {tuple(row) for row in rows.tolist()})

    def test_the_forms_of_a_result_mean_the_same(self):
        rows = quartozero.random_positions(200, 2)

        def wide(inputs):
            policy, outcome = as_small(inputs)
            actions = numpy.full((len(inputs), 32), numpy.nan, numpy.float64)
            for row, giving in enumerate(inputs[:, 16] < 0):
                actions[row, 16 * giving : 16 * giving + 16] = policy[row]
            return actions, outcome

        def values(inputs):
            policy, outcome = as_small(inputs)
            p = numpy.exp(outcome)
            return [policy, (p[:, 0] - p[:, 2])[:, None]]

        narrow = quartozero.Search(quartozero.Evaluator(as_small, "positions"), 16).run(rows)
        for other in (wide, values):
            found = quartozero.Search(quartozero.Evaluator(other, "positions"), 16).run(rows)
            numpy.testing.assert_allclose(found.values, narrow.values, atol=1e-3)
            self.assertGreater((found.best == narrow.best).mean(), 0.9)

    def test_what_is_no_evaluation_is_refused_with_its_row_and_reason(self):
        rows = quartozero.random_positions(5, 3)
        zeros, f = numpy.zeros, numpy.float32
        position = quartozero.Position()

        def with_nan(inputs):
            policy, outcome = nothing(inputs)
            policy[-1] = numpy.nan
            return policy, outcome

        def with_infinity(inputs):
            policy, outcome = nothing(inputs)
            outcome[0, 1] = numpy.inf
            return policy, outcome

        for evaluate, message in (
            (lambda x: zeros((len(x), 16), f), "must be a pair"),
            (lambda x: None, "must be a pair"),
            (lambda x: (zeros((len(x) + 1, 16), f), zeros((len(x), 3), f)), r"the policy has the shape \(\d, 16\) for"),
            (lambda x: (zeros((len(x), 17), f), zeros((len(x), 3), f)), r"not \(\d, 17\)"),
            (lambda x: (zeros((len(x), 16), f), zeros((len(x), 2), f)), r"not \(\d, 2\)"),
            (lambda x: (zeros((len(x), 16), int), zeros((len(x), 3), f)), "floating-point numbers, not int64"),
            (with_nan, r"row \d, '.*': the logit of the move \w+ is nan"),
            (with_infinity, r"row 0, '.*': the outcome's logit 1 is inf"),
            (lambda x: (zeros((len(x), 16), f), numpy.full(len(x), 2, f)), r"row 0, '.*': the value.* is 2"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                quartozero.Search(evaluate).run(rows)
        for thing in (None, 3, "small", position):
            with self.assertRaisesRegex(TypeError, "a network is a function"):
                quartozero.Search(thing)
        with self.assertRaisesRegex(ValueError, "planes"):
            quartozero.Evaluator(nothing, "boards")

    def test_what_they_raise_goes_through(self):
        def fails(inputs):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            quartozero.Search(fails).run([quartozero.Position()])
        with self.assertRaisesRegex(KeyError, "mine"):
            quartozero.measure(fails, ["deep"], 0, limit=1)


class Searching(unittest.TestCase):
    def test_it_finds_what_the_rules_decide(self):
        entries = [e for e in quartozero.suite("deep") if len(e.position.pieces) >= 12][:200]
        found = quartozero.Search(nothing, 200).run([e.position for e in entries])
        for row, entry in enumerate(entries):
            best = quartozero.MOVES[entry.position.phase][found.best[row]]
            self.assertLessEqual(found.at_least[row], entry.value)
            self.assertGreaterEqual(found.at_most[row], entry.value)
            if found.at_least[row] == found.at_most[row]:
                self.assertEqual(entry.moves[best], entry.value)
                self.assertEqual(found.values[row], entry.value)
        self.assertGreater((found.at_least == found.at_most).mean(), 0.9)

    def test_proofs_need_no_network(self):
        entries = [e for e in quartozero.suite("deep") if len(e.position.pieces) >= 9][:300]
        positions = [e.position for e in entries]

        def right(found):
            moves = [quartozero.MOVES[p.phase][b] for p, b in zip(positions, found.best)]
            return sum(e.moves[m] == e.value for e, m in zip(entries, moves)) / len(entries)

        without, proving = (right(quartozero.Search(nothing, 16, n).run(positions)) for n in (0, 2000))
        self.assertGreater(proving, 0.97)
        self.assertLess(without, proving)

    def test_the_same_seed_gives_the_same_answers_however_they_are_computed(self):
        rows = quartozero.random_positions(100, 4)
        evaluator = quartozero.Evaluator(as_small, "positions")
        first = quartozero.Search(evaluator).run(rows, seed=5, noise=True)
        again = quartozero.Search(evaluator, side_by_side=7).run(rows, seed=5, noise=True)
        other = quartozero.Search(evaluator).run(rows, seed=6, noise=True)
        for a, b in zip(first, again):
            numpy.testing.assert_array_equal(a, b)
        self.assertTrue((first.best != other.best).any())

    def test_its_arrays_fit_together(self):
        found = quartozero.Search(small(), 20, root="puct").run(some_positions(100))
        self.assertTrue((found.visits.sum(axis=1) <= found.simulations).all())
        self.assertTrue((found.simulations <= 20).all())
        numpy.testing.assert_allclose(found.policy.sum(axis=1), 1, atol=1e-5)
        self.assertEqual(len(quartozero.Search(small()).run([]).best), 0)

    def test_what_cannot_be_searched_is_an_error(self):
        for settings in ({"simulations": 0}, {"proof_nodes": -1}, {"root": "best"}, {"side_by_side": 0},
                         {"settings": {"c_putc": 1}}, {"settings": {"oracle_squares": 3}}):
            with self.assertRaises(ValueError, msg=settings):
                quartozero.Search(nothing, **settings)
        over = quartozero.Position("0123/4567/89AB/CDEF -")
        with self.assertRaisesRegex(ValueError, "row 1: the game is over"):
            quartozero.Search(nothing).run([quartozero.Position(), over])
        with self.assertRaisesRegex(ValueError, "squares"):
            quartozero.Search(nothing).run([quartozero.Position(rules="squares")])
        for_squares = quartozero.Search(quartozero.Evaluator(nothing, rules="squares"), 2)
        self.assertEqual(len(for_squares.run([quartozero.Position(rules="squares")]).best), 1)


class Measuring(unittest.TestCase):
    def test_a_function_is_measured_as_the_network_that_it_asks(self):
        evaluator = quartozero.Evaluator(as_small, "positions")
        told = []
        found = quartozero.measure(evaluator, ["deep"], (0, 4), limit=4, beside={"small": small()},
                                   on_progress=lambda *now: told.append(now))
        mine = {m["sims"]: m["agreement"] for m in found["means"]}
        ours = {m["sims"]: m["agreement"] for m in found["baseline_means"] if m["player"] == "small"}
        self.assertEqual(mine[0], ours[0])
        self.assertAlmostEqual(mine[4], ours[4], delta=0.03)  # a rounding of a logit may turn a choice
        self.assertTrue(told)
        lines = str(found).splitlines()
        self.assertRegex(lines[0], r"^player +simulations +deep$")
        self.assertTrue(any(line.startswith("small") and "[" in line for line in lines), lines)

    def test_new_positions_are_of_their_kind_and_seed(self):
        def suites(*names):
            return quartozero.measure(small(), names, 0, beside={"again": small()})

        found = suites("deep", "deep:1", "decisive:1", "deep:2")
        self.assertEqual([(s["suite"], s["positions"]) for s in found["suites"]],
                         [("deep", 2422), ("deep:1", 2100), ("decisive:1", 2400), ("deep:2", 2100)])
        own = {m["suite"]: m["agreement"] for m in found["means"]}
        beside = {m["suite"]: m["agreement"] for m in found["baseline_means"] if m["player"] == "again"}
        self.assertEqual(own, beside)
        self.assertNotEqual(own["deep:1"], own["deep:2"])
        self.assertEqual(own["deep:1"], suites("deep:1")["means"][0]["agreement"])
        one_ply = {m["suite"]: m["agreement"] for m in found["baseline_means"] if m["player"] == "oneply"}
        for name in ("deep", "deep:1", "deep:2"):  # what the shipped suites have on the same numbers of pieces
            self.assertAlmostEqual(one_ply[name], 0.49, delta=0.04)
            self.assertAlmostEqual(own[name], 0.88, delta=0.04)
        with self.assertRaisesRegex(FileNotFoundError, "'all:1'"):
            suites("all:1")

    def test_a_row_of_the_leaderboard(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "mine.py"), "w") as file:
                file.write("import numpy\ndef evaluate(p):\n    return numpy.zeros((len(p), 16)), numpy.zeros((len(p), 3))\n")
            command = [sys.executable, "-m", "quartozero.leaderboard", "--limit", "2", "--baselines"]
            path = os.pathsep.join(p for p in sys.path if p)
            done = subprocess.run([*command, "mine:evaluate", "small"], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": path})
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()][2:]
            self.assertEqual([row[0] for row in rows], ["mine:evaluate", "random moves", "one-ply rule", "the search alone", "small"])
            self.assertEqual([rows[0][2], rows[0][4]], [rows[3][2], rows[3][4]])  # it knows nothing
            self.assertRegex(rows[4][1], r"^\d\d\.\d / \d\d\.\d$")
            failed = subprocess.run([*command, "minus"], cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
            self.assertEqual(failed.returncode, 1)
            self.assertIn("quartozero.leaderboard: minus: ValueError: neither MODULE:FUNCTION", failed.stderr)

    def test_what_cannot_be_measured_is_an_error(self):
        with self.assertRaisesRegex(FileNotFoundError, "no suite called 'depe'"):
            quartozero.measure(nothing, ["depe"])
        with self.assertRaises(ValueError):
            quartozero.measure(nothing, ["deep"], simulations=-1)
        with self.assertRaisesRegex(TypeError, "by name"):
            quartozero.measure(nothing, ["deep"], 0, beside=nothing)
        self.assertEqual([s["suite"] for s in quartozero.measure(nothing, "deep", 0, limit=1)["suites"]], ["deep"])


class Playing(unittest.TestCase):
    def test_a_match_is_played_as_the_program_plays_it(self):
        found = quartozero.match(quartozero.Evaluator(as_small, "positions"), "random", games=20, simulations=4)
        self.assertEqual((found["games"], found["wins"] + found["draws"] + found["losses"]), (20, 20))
        self.assertGreater(found["score"], 0.8)
        again = quartozero.match("net:mine@4:0", "random", 20, networks={"mine": small()})
        self.assertAlmostEqual(again["score"], found["score"], delta=0.15)
        with self.assertRaisesRegex(ValueError, "no network of this name"):
            quartozero.match("net:yours", "random", 2, networks={"mine": small()})
        with self.assertRaisesRegex(ValueError, "randon"):
            quartozero.match(nothing, "randon", 2)

    def test_a_network_that_ships_is_found_by_its_name(self):
        self.assertEqual(quartozero.match("light:small", "random", 4)["games"], 4)

    def test_a_walk_finds_the_same_of_a_function_as_of_the_network_that_it_asks(self):
        mine = quartozero.exploit(quartozero.Evaluator(as_small, "positions"), 12)
        ours = quartozero.exploit(small(), 12)
        self.assertEqual(mine, ours)
        self.assertTrue(ours["complete"] and ours["unbeatable"])
        beaten = quartozero.exploit(nothing, 9, solve_squares=10, seconds=1)
        self.assertGreater(beaten["losing_lines"], 0)

    def test_a_walk_that_is_kept_is_gone_on_with(self):
        def fails(*now):
            raise KeyError("mine")

        def walk(fingerprint="small 1", **more):
            return quartozero.exploit(quartozero.Evaluator(as_small, "positions"), 12, out=folder, fingerprint=fingerprint, **more)

        with tempfile.TemporaryDirectory() as folder:
            asked, before, told = [], [], []
            with self.assertRaises(KeyboardInterrupt):
                quartozero.exploit(stopping(as_small, asked, 80), 12, out=folder, fingerprint="small 1", side_by_side=64,
                                   on_progress=lambda *now: before.append(now[2]))
            with self.assertRaisesRegex(KeyError, "mine"):
                walk(on_progress=fails)
            found = walk(on_progress=lambda *now: told.append(now[2]))
            self.assertGreater(told[0], before[-1])  # nothing is walked twice
            self.assertGreater(before[-1], 5)
            self.assertEqual(found, quartozero.exploit(small(), 12))
            told = []
            self.assertEqual(walk(on_progress=lambda *now: told.append(now)), found)
            with self.assertRaisesRegex(ValueError, "small 2"):
                walk("small 2")
            with self.assertRaisesRegex(ValueError, "fingerprint"):
                walk("")
            with self.assertRaisesRegex(ValueError, "must be a text, not 3"):
                walk(3)

    def test_a_walk_that_is_kept_is_of_one_network_and_alone_in_its_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            light, out = os.path.join(folder, "mine.light"), os.path.join(folder, "walk")
            shutil.copy(quartozero.shipped_network("small"), light)
            name = f"endgame:12:light:{light}"
            found = quartozero.exploit(name, out=out)
            self.assertEqual(quartozero.exploit(name, out=out), found)
            shutil.copy(quartozero.shipped_network("zero"), light)
            with self.assertRaises(ValueError):
                quartozero.exploit(name, out=out)

            def other(rows):
                policy, outcome = as_small(rows)
                return -policy, outcome

            walk = {"exact_squares": 12, "out": os.path.join(folder, "another"), "fingerprint": "mine"}
            quartozero.exploit(quartozero.Evaluator(as_small, "positions"), **walk)
            with self.assertRaises(ValueError):  # the same fingerprint, other moves
                quartozero.exploit(quartozero.Evaluator(other, "positions"), **walk)
            with self.assertRaisesRegex(OSError, "walk"):
                quartozero.exploit(name, out=folder)

    def test_a_function_that_changes_its_mind_is_refused(self):
        def moody(inputs):
            policy, outcome = nothing(inputs)
            return policy, outcome + numpy.array([0, 0, len(inputs) % 5], numpy.float32)

        with self.assertRaisesRegex(ValueError, "does not answer alike twice: in '"):
            quartozero.exploit(moody)


class Engine(unittest.TestCase):
    def talk(self, name, lines, folder):
        return subprocess.run([sys.executable, "-m", "quartozero.engine", name], input=lines, capture_output=True, text=True,
                              cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, timeout=60)

    def test_a_network_of_ones_own_speaks_the_line_protocol(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "mine.py"), "w") as file:
                file.write("import numpy\nprint('noise')\n"
                           "def evaluate(planes):\n    print('more noise')\n"
                           "    policy = numpy.zeros((len(planes), 16), 'f4')\n    policy[:, 5] = 9\n"
                           "    return policy, numpy.zeros((len(planes), 3), 'f4')\n"
                           "def broken(planes):\n    raise RuntimeError('not today')\n")
            done = self.talk("mine:evaluate", "uqi\nposition start\ngo sims 0\nposition start moves 5\ngo sims 20\nquit\n", folder)
            lines = done.stdout.splitlines()
            self.assertEqual((done.returncode, lines[0]), (0, "id name quartozero with mine:evaluate"), done.stderr)
            self.assertIn("bestmove 5", lines)
            self.assertEqual(sum(line.startswith("bestmove") for line in lines), 2)
            self.assertNotIn("noise", done.stdout)
            self.assertIn("noise", done.stderr)
            self.assertIn("not today", self.talk("mine:broken", "go sims 0\nquit\n", folder).stdout)
            for name, message in (("mine", "MODULE:FUNCTION"), ("mine:other", "other"), ("nowhere:f", "nowhere"),
                                  ("mine:__name__", "a network is a function")):
                done = self.talk(name, "quit\n", folder)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
