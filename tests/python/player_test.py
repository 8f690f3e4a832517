"""quartozero.Player: a network file that plays, thinks and evaluates."""
import copy
import os
import pickle
import tempfile
import time
import unittest

import numpy
import quartozero
from support import by_four_threads, small, entries, interrupt_soon, some_positions, steps_beside

MOST_SIMULATIONS = 10**6  # of a search without a number of simulations (kMostSimulations, play/think.h)


class Evaluating(unittest.TestCase):
    def test_a_batch_is_as_each_is(self):
        player, positions = small(), some_positions(600)
        batch = player.evaluate_batch(positions)
        self.assertEqual((batch.priors.dtype, batch.outcomes.dtype), (numpy.float32, numpy.float32))
        numpy.testing.assert_allclose(batch.priors.sum(axis=1), 1, atol=1e-5)
        numpy.testing.assert_allclose(batch.outcomes.sum(axis=1), 1, atol=1e-5)
        for p, priors, outcome in zip(positions, batch.priors, batch.outcomes):
            one, names = player.evaluate(p), quartozero.MOVES[p.phase]
            self.assertEqual([one.win, one.draw, one.loss], outcome.tolist())
            self.assertEqual([one.policy.get(name, 0) for name in names], priors.tolist())

    def test_an_array_is_as_its_positions(self):
        player, array = small(), quartozero.random_positions(600, 2)
        by_array, by_list = player.evaluate_batch(array), player.evaluate_batch(quartozero.from_array(array))
        numpy.testing.assert_array_equal(by_array.priors, by_list.priors)
        numpy.testing.assert_array_equal(by_array.outcomes, by_list.outcomes)

    def test_threads_change_nothing(self):
        player, array = small(), quartozero.random_positions(5000, 3)
        alone, together = player.evaluate_batch(array), player.evaluate_batch(array, threads=3)
        numpy.testing.assert_array_equal(alone.priors, together.priors)
        numpy.testing.assert_array_equal(alone.outcomes, together.outcomes)

    def test_no_positions_have_no_opinions(self):
        batch = small().evaluate_batch(quartozero.random_positions(0))
        self.assertEqual((batch.priors.shape, batch.outcomes.shape), ((0, 16), (0, 3)))


class Choosing(unittest.TestCase):
    def test_without_a_search_it_is_the_networks_choice(self):
        player = small()
        for p in some_positions(100):
            policy = player.evaluate(p).policy  # moves may be equal by symmetry, all but for rounding
            self.assertAlmostEqual(policy[player.choose(p)], max(policy.values()), places=5)

    def test_with_a_search_it_is_the_searchs_choice(self):
        searching, alone = small(simulations=40), small()
        for p in some_positions(60):
            self.assertEqual(searching.choose(p), alone.think(p, simulations=40).best)

    def test_exact_play_keeps_the_value(self):
        player = small(exact_squares=9)
        for e in entries(most_empty=9, n=60):
            self.assertEqual(e.moves[player.choose(e.position)], e.value, e.position)

    def test_sharp_play_wins_soonest_and_loses_last(self):
        with self.assertRaisesRegex(ValueError, "exact_squares"):
            small(sharp=True)
        player, solver = small(exact_squares=8, sharp=True), quartozero.Solver()
        self.assertTrue(player.sharp)
        for e in entries(most_empty=8, n=40):
            if e.value != quartozero.Value.DRAW:
                distances = solver.distances(e.position)
                best = min if e.value == quartozero.Value.WIN else max
                self.assertEqual(distances[player.choose(e.position)].placements,
                                 best(d.placements for d in distances.values() if d.value == e.value), e.position)


class Thinking(unittest.TestCase):
    def test_it_spends_the_simulations(self):
        thought = small().think(quartozero.Position("0.../..../..../...F 1"), simulations=100)
        self.assertEqual(thought.simulations, 100)
        self.assertEqual(sum(m.visits for m in thought.moves), 99)  # one expands the root
        self.assertEqual(thought.line[0], thought.best)
        self.assertEqual(small().think(quartozero.Position("0.../..../..../...F 1"), sims=7).simulations, 7)
        self.assertEqual(small(sims=7).simulations, 7)

    def test_what_it_proves_is_so(self):
        player, proven = small(), 0
        for e in entries(most_empty=9, n=100):
            thought = player.think(e.position, simulations=200)
            if thought.proven is not None:
                proven += 1
                self.assertEqual((thought.proven, thought.value), (e.value, e.value))
            self.assertEqual([m.move for m in thought.moves], e.position.legal_moves)
            for m in thought.moves:
                self.assertTrue(m.at_least <= e.moves[m.move] <= m.at_most)
                self.assertEqual(m.proven, m.at_least if m.at_least == m.at_most else None)
        self.assertGreater(proven, 20)

    def test_without_simulations_a_time_changes_nothing(self):
        position = quartozero.Position("0.../..../..../...F 1")
        thought = small().think(position, simulations=0, seconds=0.2)
        self.assertEqual(thought.simulations, 0)
        self.assertEqual(thought.best, small().choose(position))

    def test_it_ends_when_the_time_is_up(self):
        player, start = small(), time.process_time()
        thought = player.think(quartozero.Position(), seconds=0.2)
        self.assertGreaterEqual(thought.seconds, 0.2)
        self.assertGreater(thought.simulations, 0)
        self.assertLess(thought.simulations, MOST_SIMULATIONS)
        # Of the processor: never more than by the clock, and none while the machine does something else.
        self.assertLess(time.process_time() - start, 2)

    def test_ctrl_c_ends_it(self):
        player, start = small(), time.process_time()
        with self.assertRaises(KeyboardInterrupt):
            interrupt_soon()
            player.think(quartozero.Position(), seconds=60)
        self.assertLess(time.process_time() - start, 5)  # 1,000,000 simulations, the most: 20 s


class Threads(unittest.TestCase):
    def test_others_run_while_it_evaluates(self):
        player, array = small(), quartozero.random_positions(20000)
        self.assertGreaterEqual(steps_beside(lambda: player.evaluate_batch(array), enough=20), 20)

    def test_several_may_share_a_player(self):
        player, positions = small(simulations=20, exact_squares=8), some_positions(80)
        alone = [player.choose(p) for p in positions]
        self.assertEqual(by_four_threads(player.choose, positions), alone)


class Refused(unittest.TestCase):
    def test_copies(self):
        for make in (copy.copy, copy.deepcopy, pickle.dumps):
            self.assertRaises(TypeError, make, small())

    def test_a_finished_game_is_refused_whatever_is_asked(self):
        player, won = small(), quartozero.Position("0123/..../..../.... -")
        for ask in (player.choose, player.evaluate, player.think):
            with self.subTest(ask), self.assertRaisesRegex(ValueError, "the game is over"):
                ask(won)

    def test_a_finished_game_in_a_batch_is_named(self):
        batch = some_positions(5) + [quartozero.Position("0123/..../..../.... -")]
        for many in (batch, quartozero.to_array(batch)):
            with self.assertRaisesRegex(ValueError, "^row 5: the game is over"):
                small().evaluate_batch(many)

    def test_positions_under_other_rules_are_refused(self):
        player, other = small(), quartozero.Position(rules="squares")
        for ask in (player.choose, player.evaluate, player.think, lambda p: player.evaluate_batch([p])):
            with self.subTest(ask), self.assertRaisesRegex(ValueError, "squares"):
                ask(other)

    def test_impossible_options_are_refused(self):
        for options in ({"simulations": -1}, {"simulations": 10**7}, {"exact_squares": 17}, {"table_mb": 0}):
            with self.subTest(options), self.assertRaises(ValueError):
                small(**options)

    def test_impossible_limits_are_refused(self):
        for limits in ({"simulations": -1}, {"seconds": 0}, {"seconds": float("nan")}):
            with self.subTest(limits), self.assertRaises(ValueError):
                small().think(quartozero.Position(), **limits)

    def test_an_impossible_number_of_threads_is_refused(self):
        for threads in (0, -1, 10**6):
            with self.subTest(threads), self.assertRaisesRegex(ValueError, "threads"):
                small().evaluate_batch(quartozero.random_positions(3), threads=threads)


class Files(unittest.TestCase):
    def test_it_tells_what_the_file_says(self):
        info = small().info
        self.assertEqual((info["network"], info["rules"], info["track"]), ("pairs", "lines", "zero"))
        self.assertGreater(info["step"], 0)

    def test_a_file_that_is_not_there_is_an_os_error(self):
        with self.assertRaisesRegex(OSError, "nowhere.light"):
            quartozero.Player.load("nowhere.light")
        with self.assertRaisesRegex(OSError, "there is no file 'zero'.*shipped_network"):
            quartozero.Player.load("zero")

    def test_another_file_is_no_network(self):
        with self.assertRaisesRegex(quartozero.NetworkFileError, "player_test.py"):
            quartozero.Player.load(__file__)

    def test_a_damaged_file_is_refused(self):
        with open(quartozero.shipped_network("small"), "rb") as file:
            good = file.read()
        middle = len(good) // 2
        damaged = {
            "cut short": good[:middle],
            "too long": good + b"\0",
            "changed": good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :],
            "header only": good[:16],
            "empty": b"",
        }
        with tempfile.TemporaryDirectory() as folder:
            for how, content in damaged.items():
                path = os.path.join(folder, "damaged.light")
                with open(path, "wb") as file:
                    file.write(content)
                with self.subTest(how), self.assertRaisesRegex(quartozero.NetworkFileError, "damaged.light"):
                    quartozero.Player.load(path)


if __name__ == "__main__":
    unittest.main()
