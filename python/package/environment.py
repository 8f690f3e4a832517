"""The game as a PettingZoo environment (https://pettingzoo.farama.org), for two agents that act in turn.

    >>> import quartozero
    >>> env = quartozero.env()
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, termination, truncation, info = env.last()
    ...     over = termination or truncation
    ...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

Agents: player_0, who gives first, and player_1. An agent that has placed a piece gives one next: it acts twice in a row.
Actions, 32: 0..15 place on a1, b1, .. d4; 16..31 give that piece. An observation holds `observation`, float32 [34, 4, 4], what networks see
(docs/export.md), and `action_mask`, int8 [32], all zero for the agent that is not to act. Rewards come with the last
move: 1 for the winner, -1 for the loser, 0 for a draw. Many games side by side, without Python objects: quartozero.Batch.
"""
from __future__ import annotations

from typing import Any, Dict, Optional

import numpy

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(f"the environment needs PettingZoo ({error}): pip install pettingzoo") from error

from ._board_image import board_image
from ._play import ACTIONS, action_of
from ._quartozero import Position

AGENTS = ("player_0", "player_1")
_PLANES = (34, 4, 4)


def env(rules: str = "lines", render_mode: Optional[str] = None) -> AECEnv:
    """The environment in PettingZoo's usual wrappers: an illegal action ends the game with reward -1 for its agent."""
    wrapped = raw_env(rules=rules, render_mode=render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv):  # type: ignore[misc]  # by PettingZoo's name for it
    """Without wrappers. `rules`: 'lines' or 'squares'; `render_mode`: None, 'human' (prints), 'ansi' or 'rgb_array'. Copies and
    pickles hold the game as it stands."""

    metadata = {
        "render_modes": ["human", "ansi", "rgb_array"],
        "name": "quarto_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, rules: str = "lines", render_mode: Optional[str] = None) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is {render_mode!r}; it can be None, 'human', 'ansi' or 'rgb_array'")
        self.render_mode = render_mode
        self.rules = rules
        self.position = Position(rules=rules)
        self.possible_agents = list(AGENTS)
        self.action_spaces = {a: spaces.Discrete(len(ACTIONS)) for a in AGENTS}
        self.observation_spaces = {
            a: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, _PLANES, numpy.float32),
                    "action_mask": spaces.Box(0, 1, (len(ACTIONS),), numpy.int8),
                }
            )
            for a in AGENTS
        }
        self._begin()

    def _begin(self) -> None:
        self.position = Position(rules=self.rules)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: Dict[str, Dict[str, Any]] = {a: {} for a in AGENTS}
        self.agent_selection = AGENTS[self.position.player_to_act]

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> None:
        """Begins a game. Nothing is drawn at random, so the seed changes nothing."""
        self._begin()

    def observe(self, agent: str) -> Dict[str, numpy.ndarray]:
        mask = numpy.zeros(len(ACTIONS), dtype=numpy.int8)
        if agent == self.agent_selection:
            mask[[action_of(self.position, move) for move in self.position.legal_moves]] = 1
        return {"observation": self.position.encode(), "action_mask": mask}

    def step(self, action: Optional[int]) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        move = ACTIONS[action] if action is not None and 0 <= action < len(ACTIONS) else None
        if move not in self.position.legal_moves:
            raise ValueError(f"action {action} is not legal in '{self.position}'")
        self._cumulative_rewards[agent] = 0
        self.position = self.position.play(move)
        if self.position.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)
            if self.position.winner is not None:
                for number, name in enumerate(AGENTS):
                    self.rewards[name] = 1 if number == self.position.winner else -1
            # The other agent is told first, as PettingZoo's own games do.
            self.agent_selection = AGENTS[1 - AGENTS.index(agent)]
        else:
            self.agent_selection = AGENTS[self.position.player_to_act]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """'human' and 'ansi': the board as text; 'rgb_array': a picture, uint8 [height, width, 3]."""
        if self.render_mode is None:
            import gymnasium

            gymnasium.logger.warn("render() was called without a render_mode")
            return None
        if self.render_mode == "rgb_array":
            return board_image(self.position)
        if self.render_mode == "ansi":
            return self._text()
        print(self._text())
        return None

    def _text(self) -> str:
        pieces, lines = self.position.pieces, []
        for row in "1234":
            lines.append(row + "  " + " ".join(pieces.get(column + row, ".") for column in "abcd"))
        lines.append("   a b c d")
        if not self.position.is_over:
            lines.append(f"in hand: {self.position.hand or '-'}   left: {' '.join(self.position.available)}")
        elif self.position.winner is None:
            lines.append("a draw")
        else:
            lines.append(f"{AGENTS[self.position.winner]} has won")
        return "\n".join(lines)

    def close(self) -> None:
        pass
