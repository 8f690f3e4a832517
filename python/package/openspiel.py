"""The game as an OpenSpiel game (https://github.com/google-deepmind/open_spiel). Importing this module registers it:

    >>> import pyspiel
    >>> import quartozero.openspiel
    >>> game = pyspiel.load_game("python_quarto(rules=squares)")     # or rules=lines, the default
    >>> state = game.new_initial_state()
    >>> while not state.is_terminal():
    ...     state.apply_action(state.legal_actions()[0])
    >>> state.returns()

Players: 0, who gives first, and 1. A player that has placed a piece gives one next: it acts twice in a row.
Actions, 32, as in quartozero.environment: 0..15 place on a1, b1, .. d4; 16..31 give piece 0..F. Their strings are moves
as everywhere in this package: 'b3', 'C'. str(state) is the text of its position, and state.position is the Position.

An observation is one tensor `observation`, float32 [36, 4, 4]: the 34 planes that networks see (docs/formats.md), then two
planes that are the same on all squares: 1 if the observing player is to act, 1 if the observing player is player 0. When
the game is over, nobody is to act. An information state has a second tensor, `history`, float32 [32, 32]: row i holds a 1
in the column of the action of ply i, and zeros if this ply was not played in this state's history.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

import numpy

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        f"quartozero.openspiel needs OpenSpiel ({error}): pip install open_spiel, which needs CPython 3.11 or later"
    ) from error

from ._play import ACTIONS, PIECES, SQUARES, Chooser, action_of
from ._quartozero import Position

SHORT_NAME = "python_quarto"  # by OpenSpiel's custom for games in Python
_PLAYERS = 2
_MAX_LENGTH = len(SQUARES) + len(PIECES)
_PLANES = (36, 4, 4)
_TO_ACT, _FIRST = 34, 35  # planes after those of Position.encode()

_GAME_TYPE = pyspiel.GameType(
    short_name=SHORT_NAME,
    long_name="Quarto (quartozero)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=_PLAYERS,
    min_num_players=_PLAYERS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "lines"},
)
_GAME_INFO = pyspiel.GameInfo(
    num_distinct_actions=len(ACTIONS),
    max_chance_outcomes=0,
    num_players=_PLAYERS,
    min_utility=-1.0,
    max_utility=1.0,
    utility_sum=0.0,
    max_game_length=_MAX_LENGTH,
)


class QuartoGame(pyspiel.Game):  # type: ignore[misc]
    """The game under one rule set; the parameter `rules` is 'lines' or 'squares'."""

    def __init__(self, params: Optional[Dict[str, Any]] = None) -> None:
        params = {"rules": "lines", **(params or {})}
        self.rules = str(params["rules"])
        Position(rules=self.rules)  # ValueError for rules that do not exist
        super().__init__(_GAME_TYPE, _GAME_INFO, params)

    def new_initial_state(self, state: Union[None, str, Dict[str, str], pyspiel.StateStruct] = None) -> QuartoState:
        """The empty board, or any other position: its text, or what to_dict() or to_struct() of a state gave."""
        return QuartoState(self, state)

    def make_py_observer(
        self,
        iig_obs_type: Optional[pyspiel.IIGObservationType] = None,
        params: Optional[Dict[str, Any]] = None,
    ) -> QuartoObserver:
        """An observation, or, with perfect recall, an information state."""
        return QuartoObserver(iig_obs_type, params)


class QuartoState(pyspiel.State):  # type: ignore[misc]
    """A position and how it was reached. To be made by QuartoGame.new_initial_state()."""

    # OpenSpiel copies and serializes the attributes of a state together with its history.
    position: Position

    def __init__(self, game: QuartoGame, state: Union[None, str, Dict[str, str], pyspiel.StateStruct] = None) -> None:
        super().__init__(game)
        if state is None:
            self.position = Position(rules=game.rules)
            return
        if isinstance(state, pyspiel.StateStruct):
            state = state.to_dict()
        if isinstance(state, dict):
            if state.get("rules", game.rules) != game.rules:
                raise ValueError(f"the state has the rules '{state['rules']}', the game has '{game.rules}'")
            if "position" not in state:
                raise ValueError(f"a state needs 'position', the text of a position; given: {state}")
            state = state["position"]
        self.position = Position(state, rules=game.rules)

    def current_player(self) -> int:
        return pyspiel.PlayerId.TERMINAL if self.position.is_over else self.position.player_to_act

    def _legal_actions(self, player: int) -> List[int]:
        return [action_of(self.position, move) for move in self.position.legal_moves]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(_move(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return _move(action)

    def is_terminal(self) -> bool:
        return self.position.is_over

    def returns(self) -> List[float]:
        if self.position.winner is None:
            return [0.0] * _PLAYERS
        return [1.0 if player == self.position.winner else -1.0 for player in range(_PLAYERS)]

    def __str__(self) -> str:
        return str(self.position)

    # States and actions as dicts, for to_dict(), to_json() and action_to_struct().

    def _to_struct(self) -> Dict[str, str]:
        return {"rules": self.position.rules, "position": str(self.position)}

    def _to_observation_struct(self, player: int) -> Dict[str, str]:
        return self._to_struct()

    def _action_to_struct(self, player: int, action: int) -> Dict[str, str]:
        return {"move": _move(action)}

    def _struct_to_actions(self, action: Dict[str, str]) -> List[int]:
        move = action.get("move")
        if move not in ACTIONS:
            raise ValueError(f"an action needs 'move', a square or a piece as in 'a1' or 'F'; given: {action}")
        return [ACTIONS.index(move)]


def _move(action: int) -> str:
    if not 0 <= action < len(ACTIONS):
        raise ValueError(f"there is no action {action}: they are numbered 0..{len(ACTIONS) - 1}")
    return ACTIONS[action]


class QuartoObserver:
    """What a player sees: everything. See open_spiel/python/observation.py for the interface."""

    def __init__(
        self, iig_obs_type: Optional[pyspiel.IIGObservationType] = None, params: Optional[Dict[str, Any]] = None
    ) -> None:
        if params:
            raise ValueError(f"the observation has no parameters; given: {params}")
        self._public = iig_obs_type is None or iig_obs_type.public_info
        self._recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        self.tensor: Optional[numpy.ndarray] = None
        self.dict: Dict[str, numpy.ndarray] = {}
        if not self._public:  # nothing is private
            return
        shapes: Dict[str, Tuple[int, ...]] = {"observation": _PLANES}
        if self._recall:
            shapes["history"] = (_MAX_LENGTH, len(ACTIONS))
        sizes = [int(numpy.prod(shape)) for shape in shapes.values()]
        self.tensor = numpy.zeros(sum(sizes), numpy.float32)
        # Views of the one tensor.
        parts = numpy.split(self.tensor, numpy.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts)}

    def set_from(self, state: QuartoState, player: int) -> None:
        """Updates `tensor`, of which the arrays in `dict` are views."""
        if not self._public:
            return
        planes = self.dict["observation"]
        planes[:_TO_ACT] = state.position.encode()
        planes[_TO_ACT] = state.current_player() == player
        planes[_FIRST] = player == 0
        if self._recall:
            history = self.dict["history"]
            actions = state.history()
            before = state.position.ply - len(actions)
            history.fill(0)
            history[range(before, state.position.ply), actions] = 1

    def string_from(self, state: QuartoState, player: int) -> str:
        """The player and the text of the position; with perfect recall also the moves."""
        if not self._public:
            return ""
        text = f"player {player}, {state.position}"
        if self._recall:
            text += ", after " + (" ".join(ACTIONS[action] for action in state.history()) or "no move")
        return text


class PlayerBot(pyspiel.Bot):  # type: ignore[misc]
    """A player of this package (anything with choose(position)) as an OpenSpiel bot."""

    def __init__(self, player: Chooser) -> None:
        super().__init__()
        self.player = player

    def restart_at(self, state: QuartoState) -> None:
        pass

    def step(self, state: QuartoState) -> int:
        return action_of(state.position, self.player.choose(state.position))


pyspiel.register_game(_GAME_TYPE, QuartoGame)
