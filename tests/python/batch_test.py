"""Batch: many games side by side play by the same rules as Position does."""
import copy
import pickle
import unittest

import numpy
import quartozero
from quartozero import PIECES, SQUARES


def some_legal(legal, generator):
    """One legal action of each row."""
    return numpy.array([generator.choice(numpy.flatnonzero(row)) for row in legal])


class Rules(unittest.TestCase):
    def test_games_are_those_of_positions(self):
        for rules in ("lines", "squares"):
            batch = quartozero.Batch(40, rules)
            positions = [quartozero.Position(rules=rules)] * 40
            generator = numpy.random.default_rng(7)
            ended = {None: 0, 0: 0, 1: 0}
            for _ in range(120):
                legal, players = batch.legal(), batch.players()
                for i, p in enumerate(positions):
                    moves = {m for a, m in enumerate(SQUARES + PIECES) if legal[i, a]}
                    self.assertEqual(moves, set(p.legal_moves))
                    self.assertEqual(bool(legal[i, :16].any()), p.phase == "place")
                    self.assertEqual(players[i], p.player_to_act)
                numpy.testing.assert_array_equal(batch.positions(), quartozero.to_array(positions))
                numpy.testing.assert_array_equal(batch.observe(), quartozero.encode(positions))
                actions = some_legal(legal, generator)
                rewards, over = batch.step(actions)
                for i, p in enumerate(positions):
                    after = p.play((SQUARES + PIECES)[actions[i]])
                    self.assertEqual(bool(over[i]), after.is_over)
                    self.assertEqual(rewards[i], 1 if after.is_won else 0)
                    if after.is_over:
                        ended[after.winner] += 1
                        after = quartozero.Position(rules=rules)
                    positions[i] = after
            self.assertTrue(ended[0] and ended[1], ended)

    def test_reset_begins_all_games_again(self):
        batch = quartozero.Batch(3)
        batch.step([16, 17, 31])
        self.assertEqual(list(batch.positions()[:, 16]), [0, 1, 15])
        batch.reset()
        numpy.testing.assert_array_equal(batch.positions(), numpy.full((3, 17), -1))


class Copies(unittest.TestCase):
    def test_copies_and_pickles_are_in_the_same_positions_and_go_on_alone(self):
        batch = quartozero.Batch(2, "squares")
        batch.step([16, 31])
        batch.step([0, 5])
        for other in (copy.copy(batch), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
            self.assertEqual(other.rules, "squares")
            numpy.testing.assert_array_equal(other.positions(), batch.positions())
            other.step([17, 18])
            self.assertFalse(numpy.array_equal(other.positions(), batch.positions()))


class Refused(unittest.TestCase):
    def test_an_illegal_action_is_named_and_nothing_is_played(self):
        for bad in (3, 32, -1, 2**40):
            batch = quartozero.Batch(3)
            with self.assertRaisesRegex(ValueError, rf"game 1: action {bad} is not legal in '..../..../..../.... -'"):
                batch.step([16, bad, 17])
            self.assertTrue((batch.positions() == -1).all())

    def test_another_number_of_actions(self):
        for bad in ([16], [[16, 16]], 16):
            with self.assertRaisesRegex(ValueError, "one action for each of 2 games"):
                quartozero.Batch(2).step(bad)

    def test_actions_that_are_no_whole_numbers_are_a_type_error(self):
        for bad in ([16.9, 17.2], ["16", "17"], [numpy.float32(16), numpy.float32(17)], [True, False], [None, 17]):
            batch = quartozero.Batch(2)
            with self.subTest(bad), self.assertRaisesRegex(TypeError, "whole numbers"):
                batch.step(bad)
            self.assertTrue((batch.positions() == -1).all())

    def test_whole_numbers_of_any_width_are_actions(self):
        for kind in (numpy.uint8, numpy.int32, numpy.uint64):
            quartozero.Batch(2).step(numpy.array([16, 17], kind))

    def test_no_games_and_unknown_rules(self):
        for bad in (0, -1, 10**9):
            with self.assertRaisesRegex(ValueError, "games must be from 1"):
                quartozero.Batch(bad)
        with self.assertRaisesRegex(ValueError, "rules"):
            quartozero.Batch(1, "torus")


if __name__ == "__main__":
    unittest.main()
