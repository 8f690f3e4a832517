"""Training runs from Python: starts the program `quartozero`, follows what it writes, and reads it back as arrays.

    >>> run = quartozero.train("configs/demo.yaml", "runs/demo", on_progress=print)
    >>> run.metrics["loss"]
    >>> quartozero.evaluate(run.best, simulations=(0, 32)).table()

The program trains, in a process of its own with LibTorch, which this module does not need. It is the one that was built or
installed together with this module, else `quartozero` in PATH; QUARTOZERO_PROGRAM names another.
"""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

if TYPE_CHECKING:
    import numpy

from ._data import PROGRAM
from ._quartozero import Player
from ._measuring import Agreement, frame, numbers

PathLike = Union[str, "os.PathLike[str]"]
Line = Dict[str, Any]
_PAUSE = 0.2  # seconds between two looks at the metrics


class TrainingError(RuntimeError):
    """The program ended with an error; the message is its own."""


def program() -> str:
    """The path of the program. Raises FileNotFoundError if there is none."""
    named = os.environ.get("QUARTOZERO_PROGRAM")
    if named:
        if not os.path.isfile(named) or not os.access(named, os.X_OK):
            raise FileNotFoundError(f"QUARTOZERO_PROGRAM names '{named}', which is no program")
        return named
    if PROGRAM and os.path.exists(PROGRAM):
        return PROGRAM
    found = shutil.which("quartozero")
    if found is None:
        raise FileNotFoundError(
            "there is no program quartozero beside this module or in PATH: build it (make quartozero), install the "
            "Debian package, or name it with QUARTOZERO_PROGRAM"
        )
    return found


def _flat(line: Line, before: str = "") -> Iterator[tuple]:
    for key, value in line.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield before + key, float(value)


class Run:
    """A training run on disk, finished or not. Every question reads the files anew."""

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)
        if not os.path.isdir(self.path):
            raise FileNotFoundError(f"'{self.path}' is no folder of a run")

    def __repr__(self) -> str:
        return f"Run({self.path!r})"

    @property
    def lines(self) -> List[Line]:
        """metrics.jsonl, a dict for each iteration. A last line that is being written is left out."""
        path = os.path.join(self.path, "metrics.jsonl")
        if not os.path.exists(path):
            return []
        found = []
        with open(path, "rb") as file:
            for number, text in enumerate(file.read().split(b"\n")[:-1], 1):
                try:
                    line = json.loads(text)
                except ValueError:
                    line = None
                if not isinstance(line, dict):
                    raise ValueError(f"{path}:{number}: not a JSON object")
                found.append(line)
        return found

    @property
    def metrics(self) -> Dict[str, numpy.ndarray]:
        """One array for each figure, float64, with a value for each iteration: nan where it was not measured.

        "iteration", "seconds", "games", "loss", "agreement.deep", ...: the section Metrics of docs/training.md says what they are.
        """
        try:
            import numpy
        except ImportError as error:
            raise ImportError("metrics as arrays need NumPy: pip install numpy") from error
        lines = self.lines
        columns: Dict[str, numpy.ndarray] = {}
        for i, line in enumerate(lines):
            for key, value in _flat(line):
                if key not in columns:
                    columns[key] = numpy.full(len(lines), numpy.nan)
                columns[key][i] = value
        return columns

    def table(self) -> Any:
        """The metrics as a pandas DataFrame, a row for each iteration; without pandas a list of dicts."""
        return frame([dict(_flat(line)) for line in self.lines])

    @property
    def games(self) -> Dict[int, str]:
        """One game of self-play for each iteration, by its number: {1: "0 a1 7 c2 ...", ...}."""
        return {line["iteration"]: line["game"] for line in self.lines if "game" in line}

    @property
    def best(self) -> str:
        """The folder of the best weights so far."""
        return os.path.join(self.path, "best")

    def player(self, simulations: int = 0, *, sims: Optional[int] = None, **options: Any) -> Player:
        """A player with the best weights so far; the options are those of Player.load()."""
        if not os.path.isdir(self.best):
            raise FileNotFoundError(f"'{self.path}' has no best weights yet")
        with tempfile.TemporaryDirectory() as folder:
            light = os.path.join(folder, "model.light")
            _call(["export", self.best, "--light", light, "--no-measure"])
            return Player.load(light, simulations=simulations if sims is None else sims, **options)


def runs(folder: PathLike) -> List[Run]:
    """The runs in a folder, by name: every folder below it that has metrics."""
    found = []
    for root, folders, files in os.walk(os.fspath(folder)):
        if "metrics.jsonl" in files:
            found.append(Run(root))
            folders.clear()
    return sorted(found, key=lambda run: run.path)


def _call(arguments: Sequence[str]) -> str:
    done = subprocess.run([program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", check=False)
    if done.returncode != 0:
        raise TrainingError(done.stderr.strip() or f"quartozero {arguments[0]} ended with status {done.returncode}")
    return done.stdout


def _flat_settings(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat_settings(value, f"{before}{key}.")
        else:
            yield before + key, value


def _setting(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Follower:
    """Hands every line that the program adds to a run's metrics to a function, once."""

    def __init__(self, path: str, resume: bool, tell: Optional[Callable[[Line], Any]]) -> None:
        self._file, self._tell = os.path.join(path, "metrics.jsonl"), tell
        self._iteration, self._offset = 0, 0  # line 0, of the weights that a run begins with, has only what was measured
        self._inode: Optional[int] = None
        # A resumed run goes on from its checkpoint, and first writes the file anew without the lines after it.
        self._old: Optional[int] = None
        if resume:
            try:
                self._old = os.stat(self._file).st_ino
                with open(os.path.join(path, "checkpoint", "state.json"), "rb") as state:
                    self._iteration = int(json.load(state)["iteration"])
            except (OSError, ValueError, KeyError):  # the program says what is wrong with it
                pass

    def look(self) -> bool:
        """False: the function has asked to stop."""
        if self._tell is None:
            return True
        try:
            found = os.stat(self._file)
            if found.st_ino == self._old:
                return True
            if found.st_ino != self._inode:
                self._inode, self._offset = found.st_ino, 0
            if found.st_size <= self._offset:
                return True
            with open(self._file, "rb") as file:
                file.seek(self._offset)
                text = file.read()
        except FileNotFoundError:  # not there yet
            return True
        whole = text.rfind(b"\n") + 1
        self._offset += whole
        for part in text[:whole].splitlines():
            line = json.loads(part)
            if line["iteration"] > self._iteration:
                self._iteration = line["iteration"]
                if self._tell(line) is False:
                    return False
        return True


def train(
    config: Optional[PathLike] = None,
    out: Optional[PathLike] = None,
    *,
    settings: Optional[Mapping[str, Any]] = None,
    seed: Optional[int] = None,
    resume: bool = False,
    on_progress: Optional[Callable[[Line], Any]] = None,
) -> Run:
    """Trains a network by self-play, as `quartozero train` does, and returns the run when it has ended.

    config: a YAML file such as configs/demo.yaml; with `resume` the run's own is the default. out: the folder of the run.
    settings: keys that are to be different, {"limits.minutes": 2, "network.width": 32} or {"limits": {"minutes": 2}}.
    resume: go on from the last checkpoint, if there is one. on_progress: is called with the line of every new iteration in
    the metrics, a dict. When it returns False, the run stops after the iteration that it is in, and can be resumed.

    Ctrl-C stops likewise, and is raised again. Raises TrainingError with the program's message.
    """
    if out is None:
        raise TypeError("train() needs out: the folder of the run")
    if on_progress is not None and not callable(on_progress):
        raise TypeError("on_progress must be a function of one line of the metrics")
    if settings is not None and not isinstance(settings, Mapping):
        raise TypeError('settings must be a dict: {"limits.minutes": 2}')
    if seed is not None and seed < 0:
        raise ValueError("seed must be 0 or more")
    path = os.fspath(out)
    arguments = [program(), "train", "--out", path]
    if config is not None:
        arguments.append(os.fspath(config))
    if resume:
        arguments.append("--resume")
    for key, value in _flat_settings(settings or {}):
        arguments += ["--set", f"{key}={_setting(value)}"]
    if seed is not None:
        arguments += ["--seed", str(seed)]
    stopped = False
    with tempfile.TemporaryFile() as said:
        follower = _Follower(path, resume, on_progress)
        # A session of its own: a terminal's Ctrl-C reaches it through this process only. The pipe ends when this process
        # does, however it ends, and the program then stops.
        process = subprocess.Popen([*arguments, "--quiet", "--stop-with-input"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=said, start_new_session=True)
        try:
            running = True
            while running:
                try:
                    process.wait(_PAUSE)
                    running = False
                except subprocess.TimeoutExpired:
                    pass
                if not stopped and not follower.look():
                    stopped = True
                    process.send_signal(signal.SIGINT)
        except BaseException:
            process.send_signal(signal.SIGINT)
            try:
                process.wait()
            except BaseException:  # a second Ctrl-C does not wait for the iteration
                process.terminate()
                process.wait()
                raise
            raise
        said.seek(0)
        message = said.read().decode(errors="replace").strip()
        # A run that was stopped ends with a status that is not 0, and without a message.
        if process.returncode != 0 and (not stopped or "error:" in message):
            raise TrainingError(message or f"quartozero train ended with status {process.returncode}")
    return Run(path)


def evaluate(
    checkpoint: Union[PathLike, Run],
    simulations: Union[int, Sequence[int]] = (0, 32),
    *,
    sims: Union[int, Sequence[int], None] = None,
    **options: Any,
) -> Agreement:
    """How often a checkpoint keeps the exact value, alone (0 simulations) and with a search, as `quartozero eval` measures it.

    Of a Run its best weights. The options are those of the command, with _ for -: threads=1, limit=20, rules="squares"; of
    those that may be repeated a list, beside=["strangler", "oneply"], or a dict, search={"proof_nodes": 0}. Shares are from
    0 to 1, and in the table in percent.
    """
    if sims is not None:  # the word of the line protocol
        simulations = sims
    if isinstance(checkpoint, Run):
        checkpoint = checkpoint.best
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "eval.json")
        arguments = ["eval", os.fspath(checkpoint), "--simulations", ",".join(str(n) for n in numbers(simulations)), "--json", file]
        for key, value in options.items():
            flag = "--" + key.replace("_", "-")
            if value is True:
                arguments.append(flag)
            elif isinstance(value, Mapping):
                for name, of in value.items():
                    arguments += [flag, f"{name}={_setting(of)}"]
            elif isinstance(value, (list, tuple)):
                for one in value:
                    arguments += [flag, str(one)]
            elif value is not False and value is not None:
                arguments += [flag, str(value)]
        _call(arguments)
        with open(file, encoding="utf-8") as text:
            return Agreement(json.load(text))
