"""The game in OpenSpiel: OpenSpiel's own tests, and the rules. `make test` installs OpenSpiel for it."""
import importlib.util
import pickle
import platform
import random
import sys
import types
import unittest

if importlib.util.find_spec("pyspiel") is None:
    print(f"OpenSpiel is not installed for {platform.python_implementation()} {platform.python_version()}.")
    print("make test does it if there is a wheel: tests/python/requirements.txt says for which versions of Python.")
    sys.exit(77)

# OpenSpiel's tests import its example games, of which some need SciPy (35 MB). None of them is tested here.
for name in ("open_spiel.python.games", "open_spiel.python.mfg.games"):
    sys.modules[name] = types.ModuleType(name)

import numpy
import pyspiel
import quartozero
from open_spiel.integration_tests import api_test
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import evaluate_bots, generate_playthrough, mcts
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation
from open_spiel.python.tests import games_sim_test
from quartozero import openspiel

RULES = ("lines", "squares")


def load(rules):
    return pyspiel.load_game(f"python_quarto(rules={rules})")


def played(moves, rules="lines"):
    """The state after moves by their text."""
    state = load(rules).new_initial_state()
    for move in moves.split():
        state.apply_action(state.string_to_action(move))
    return state


def random_game(rules, seed):
    """Yields each state of a random game, the last one included."""
    choice, state = random.Random(seed), load(rules).new_initial_state()
    yield state
    while not state.is_terminal():
        state.apply_action(choice.choice(state.legal_actions()))
        yield state


def mcts_bot(game, simulations, seed):
    chance = numpy.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=chance)
    return mcts.MCTSBot(game, uct_c=2, max_simulations=simulations, evaluator=evaluator, random_state=chance)


class OpenSpielsApiTestLines(api_test.EnforceAPIOnPartialTreeBase):
    @classmethod
    def setUpClass(cls):
        random.seed(1)
        cls.game_name = f"python_quarto(rules={cls.rules})"
        cls.game = load(cls.rules)
        super().setUpClass()

    rules = "lines"


class OpenSpielsApiTestSquares(OpenSpielsApiTestLines):
    rules = "squares"


class OpenSpielsOwnTests(unittest.TestCase):
    def test_random_simulations(self):
        for rules in RULES:
            with self.subTest(rules):
                pyspiel.random_sim_test(load(rules), num_sims=10, serialize=True, verbose=False)

    def test_simulations_with_copies_and_pickles(self):
        for rules in RULES:
            with self.subTest(rules):
                numpy.random.seed(1)
                for _ in range(10):
                    games_sim_test.GamesSimTest().sim_game(load(rules))

    def test_a_playthrough_can_be_repeated_from_its_action_strings(self):
        for rules in RULES:
            game = f"python_quarto(rules={rules})"
            first = generate_playthrough.playthrough(game, [], seed=1)
            prefix = '# Apply action "'
            moves = [line[len(prefix) : -1] for line in first.splitlines() if line.startswith(prefix)]
            self.assertEqual(generate_playthrough.playthrough(game, moves, seed=2), first)
            self.assertTrue(quartozero.positions_of(moves, rules)[-1].is_over)

    def test_an_agent_in_the_reinforcement_learning_environment(self):
        environment, choice = rl_environment.Environment(load("squares")), random.Random(1)
        step = environment.reset()
        while not step.last():
            actor = step.observations["current_player"]
            step = environment.step([choice.choice(step.observations["legal_actions"][actor])])
        self.assertEqual(list(step.rewards), environment.get_state.returns())


class Game(unittest.TestCase):
    def test_200_random_games_follow_the_rules(self):
        results = set()
        for rules in RULES:
            for seed in range(200):
                position = quartozero.Position(rules=rules)
                for state in random_game(rules, seed):
                    history = state.history()
                    if history:
                        last = history[-1]
                        position = position.play(
                            quartozero.SQUARES[last] if last < 16 else quartozero.PIECES[last - 16]
                        )
                    legal = [state.action_to_string(a) for a in state.legal_actions()]
                    self.assertEqual(legal, position.legal_moves)
                    self.assertEqual(state.is_terminal(), position.is_over)
                    self.assertEqual(str(state), str(position))
                    if not position.is_over:
                        self.assertEqual(state.current_player(), position.player_to_act)
                        self.assertEqual(state.returns(), [0, 0])
                signs = {None: [0, 0], 0: [1, -1], 1: [-1, 1]}
                self.assertEqual(state.returns(), signs[position.winner])
                results.add((rules, position.winner))
        # Draws are rare, and rarer when squares win too.
        self.assertEqual({("lines", None)} | {(r, w) for r in RULES for w in (0, 1)}, results)

    def test_lines_are_the_default(self):
        self.assertEqual(str(pyspiel.load_game("python_quarto")), str(load("lines")))
        self.assertEqual(str(openspiel.QuartoGame()), str(load("lines")))

    def test_illegal_actions_are_refused(self):
        state = played("5 a1 C")
        for action, reason in [(0, "taken"), (16, "not a place"), (32, "no action 32"), (-2, "no action -2")]:
            with self.subTest(action), self.assertRaisesRegex(ValueError, reason):
                state.clone().apply_action(action)

    def test_unknown_rules_and_parameters_are_refused(self):
        with self.assertRaisesRegex(ValueError, "rules 'torus'"):
            load("torus")
        with self.assertRaisesRegex(pyspiel.SpielError, "size"):
            pyspiel.load_game("python_quarto(size=5)")


class States(unittest.TestCase):
    POSITION = "..../2F.A/E9../.8B3 -"

    def test_a_state_may_begin_anywhere(self):
        game = load("squares")
        state = game.new_initial_state(self.POSITION)
        self.assertEqual(state.position, quartozero.Position(self.POSITION, rules="squares"))
        state.apply_action(state.string_to_action("C"))
        self.assertEqual([state.history(), state.current_player()], [[16 + 12], 1])
        for copy in (state.clone(), pickle.loads(pickle.dumps(state)), game.deserialize_state(state.serialize())):
            self.assertEqual(copy.position, state.position)
            self.assertEqual(copy.history(), state.history())
            self.assertEqual(copy.information_state_tensor(0), state.information_state_tensor(0))

    def test_states_and_actions_as_dicts(self):
        state = played("5 a1 C", "squares")
        self.assertEqual(state.to_dict(), {"rules": "squares", "position": str(state)})
        for given in (state.to_dict(), state.to_struct()):
            self.assertEqual(load("squares").new_initial_state(given).position, state.position)
            with self.assertRaisesRegex(ValueError, "'squares', the game has 'lines'"):
                load("lines").new_initial_state(given)
        with self.assertRaisesRegex(ValueError, "needs 'position'"):
            load("lines").new_initial_state({"board": ""})
        action = state.string_to_action("b3")
        as_struct = state.action_to_struct(state.current_player(), action)
        self.assertEqual(as_struct.to_dict(), {"move": "b3"})
        self.assertEqual(state.struct_to_actions(as_struct), [action])


class Observations(unittest.TestCase):
    def test_planes_of_the_position_and_of_the_player(self):
        for seed in range(20):
            for state in random_game("lines", seed):
                for player in (0, 1):
                    planes = numpy.reshape(state.observation_tensor(player), (36, 4, 4))
                    numpy.testing.assert_array_equal(planes[:34], state.position.encode())
                    self.assertEqual(set(planes[34].flat), {float(player == state.current_player())})
                    self.assertEqual(set(planes[35].flat), {float(player == 0)})

    def test_an_information_state_tells_the_moves_in_order(self):
        # Two ways to one position.
        ways = [played("5 a1 C b2 7"), played("C b2 5 a1 7")]
        self.assertEqual(*[str(state) for state in ways])
        self.assertEqual(*[state.observation_string(0) for state in ways])
        self.assertNotEqual(*[state.information_state_string(0) for state in ways])
        for state in ways:
            tensor = numpy.array(state.information_state_tensor(0))
            history = tensor[36 * 16 :].reshape(32, 32)
            self.assertEqual(list(history[:5].argmax(axis=1)), state.history())
            self.assertEqual(history.sum(), 5)

    def test_observers_in_python_agree_with_the_state(self):
        game = load("squares")
        observation, information = make_observation(game), make_observation(game, INFO_STATE_OBS_TYPE)
        for state in random_game("squares", 3):
            for player in (0, 1):
                observation.set_from(state, player)
                information.set_from(state, player)
                self.assertEqual(list(observation.tensor), state.observation_tensor(player))
                self.assertEqual(list(information.tensor), state.information_state_tensor(player))
                self.assertEqual(observation.string_from(state, player), state.observation_string(player))
                numpy.testing.assert_array_equal(information.dict["observation"], observation.dict["observation"])

    def test_an_observer_forgets_what_it_saw_before(self):
        observer, fresh = [make_observation(load("lines"), INFO_STATE_OBS_TYPE) for _ in range(2)]
        for moves in ("5 a1 C", "7"):
            observer.set_from(played(moves), 0)
        fresh.set_from(played("7"), 0)
        numpy.testing.assert_array_equal(observer.tensor, fresh.tensor)

    def test_parameters_are_refused(self):
        with self.assertRaisesRegex(ValueError, "no parameters"):
            make_observation(load("lines"), params={"size": 5})


class Bots(unittest.TestCase):
    def test_a_player_against_the_search_of_openspiel(self):
        game = load("lines")
        state = game.new_initial_state()
        player = quartozero.Player.load(quartozero.shipped_network("small"))
        returns = evaluate_bots.evaluate_bots(
            state, [mcts_bot(game, simulations=10, seed=1), openspiel.PlayerBot(player)], numpy.random.RandomState(1)
        )
        self.assertTrue(state.position.is_over)
        moves = [state.action_to_string(action) for action in state.history()]
        positions = quartozero.positions_of(moves)
        self.assertEqual(positions[-1], state.position)
        self.assertEqual(returns, state.returns())
        for position, move in zip(positions, moves):
            if position.player_to_act == 1:
                self.assertEqual(move, player.choose(position))

    def test_openspiel_calls_a_player_from_its_own_loop(self):
        state = load("squares").new_initial_state()
        bots = [openspiel.PlayerBot(quartozero.RandomPlayer(seed)) for seed in (1, 2)]
        pyspiel.evaluate_bots(state, bots, 1)
        game = quartozero.play_game(
            quartozero.RandomPlayer(1), quartozero.RandomPlayer(2), quartozero.Position(rules="squares")
        )
        self.assertEqual(state.position, game.final)


if __name__ == "__main__":
    unittest.main()
