"""The PettingZoo environment: PettingZoo's own tests, and the rules. `make test` installs PettingZoo for it."""
import copy
import importlib.util
import pickle
import sys
import unittest
import warnings

if importlib.util.find_spec("pettingzoo") is None:
    print("PettingZoo is not installed: make test does it, or PYTHONPATH names a folder with it")
    sys.exit(77)

import cloudpickle
import numpy
import quartozero
from pettingzoo.test import api_test, render_test, seed_test
from quartozero import environment


def play(env, moves):
    """Plays moves by their text; returns what the last step left."""
    env.reset()
    for move in moves:
        raw = env.unwrapped
        env.step(environment.action_of(raw.position, move))
    return env


class PettingZoosOwnTests(unittest.TestCase):
    def test_api(self):
        for rules in ("lines", "squares"):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                # Every environment with an action mask gets these: its observation is a Dict.
                warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
                warnings.filterwarnings("ignore", "Observation is not a NumPy array")
                api_test(quartozero.env(rules=rules), num_cycles=300, verbose_progress=False)

    def test_seed(self):
        seed_test(quartozero.env, num_cycles=300)

    def test_render(self):
        render_test(lambda **options: quartozero.env(rules="squares", **options))


class Copies(unittest.TestCase):
    def test_copies_and_pickles_hold_the_game_as_it_stands_and_go_on_alone(self):
        env = play(quartozero.env(rules="squares"), ["5", "a1", "C"])
        for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), cloudpickle.loads(cloudpickle.dumps(env))):
            self.assertEqual(other.unwrapped.position, env.unwrapped.position)
            self.assertEqual(other.agent_selection, env.agent_selection)
            other.step(1)  # b1
            self.assertEqual(other.unwrapped.position, env.unwrapped.position.play("b1"))
            self.assertEqual(env.unwrapped.position.ply, 3)

    def test_a_finished_game_keeps_its_rewards(self):
        env = play(quartozero.env(), "0 a1 1 b1 2 c1 3 d1".split())
        self.assertEqual(copy.deepcopy(env).unwrapped.rewards, {"player_0": 1, "player_1": -1})


class Game(unittest.TestCase):
    def test_who_places_gives_next(self):
        env = play(quartozero.env(), [])
        order = []
        for move in ("5", "a1", "C", "b2", "0"):
            order.append(env.agent_selection)
            env.step(environment.action_of(env.unwrapped.position, move))
        self.assertEqual(order, ["player_0", "player_1", "player_1", "player_0", "player_0"])

    def test_the_mask_is_that_of_the_legal_moves_for_who_acts(self):
        env = play(quartozero.env(), ["5", "a1"])
        mask = env.observe("player_1")["action_mask"]
        self.assertEqual(set(numpy.flatnonzero(mask)), set(range(16, 32)) - {16 + 5})
        self.assertFalse(env.observe("player_0")["action_mask"].any())

    def test_the_winner_is_rewarded_and_the_loser_punished(self):
        env = play(quartozero.env(), "0 a1 1 b1 2 c1 3 d1".split())
        self.assertEqual(env.unwrapped.rewards, {"player_0": 1, "player_1": -1})
        self.assertTrue(all(env.unwrapped.terminations.values()))
        self.assertEqual([env.last()[1], env.agent_selection], [-1, "player_1"])

    def test_an_illegal_action_loses(self):
        env = play(quartozero.env(), ["5", "a1", "C"])
        self.assertEqual(env.agent_selection, "player_0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env.step(0)
        self.assertEqual(env.unwrapped.rewards["player_0"], -1)
        self.assertTrue(env.unwrapped.terminations["player_0"])

    def test_the_picture_changes_with_each_piece(self):
        env = play(quartozero.env(render_mode="rgb_array"), [])
        seen = set()
        for move in "5 a1 C b2 0 c3".split():
            env.step(environment.action_of(env.unwrapped.position, move))
            picture = env.render()
            self.assertEqual((picture.dtype, picture.ndim, picture.shape[2]), (numpy.uint8, 3, 3))
            seen.add(picture.tobytes())
        self.assertEqual(len(seen), 6)

    def test_unknown_options_are_refused(self):
        with self.assertRaisesRegex(ValueError, "render_mode is 'video'"):
            quartozero.env(render_mode="video")
        with self.assertRaisesRegex(ValueError, "rules"):
            quartozero.env(rules="torus")


if __name__ == "__main__":
    unittest.main()
