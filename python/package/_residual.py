"""A network of one's own as a checkpoint, if it has the shape of the project's `residual` network."""
from __future__ import annotations

import json
import os
import re
import struct
from typing import TYPE_CHECKING, Any, Dict, Mapping, Union

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


def _array(value: Any) -> NDArray[numpy.float32]:
    import numpy

    if hasattr(value, "detach"):  # a tensor of PyTorch, wherever it is
        value = value.detach().cpu().float().numpy()
    return numpy.ascontiguousarray(value, "<f4")


def save_residual(
    state: Mapping[str, Any],
    folder: Union[str, os.PathLike[str]],
    *,
    rules: str = "lines",
    track: str = "zero",
    step: int = 0,
    notes: Mapping[str, str] = {},
) -> None:
    """Writes a checkpoint of a residual network that was trained elsewhere: `folder`/model.safetensors, which every command
    takes as it takes one of its own.

    state: its arrays by name, as state_dict() of the class Residual in examples/pytorch/networks.py gives them; ValueError
    names one that is missing, too many or of another shape. track: "zero" if it learned from games against itself alone,
    "distilled" if exact values had a part. step: of learning. notes: other texts that the file shall hold.
    """
    import numpy

    if track not in ("zero", "distilled"):
        raise ValueError(f"track must be 'zero' or 'distilled', not '{track}'")
    given = {name: _array(value) for name, value in state.items() if not name.endswith("num_batches_tracked")}
    if "stem_conv.weight" not in given or given["stem_conv.weight"].ndim != 4:
        raise ValueError("save_residual: there is no 'stem_conv.weight' of shape (width, 34, 3, 3)")
    width = len(given["stem_conv.weight"])
    blocks = 1 + max((int(m[1]) for m in map(re.compile(r"block(\d+)_").match, given) if m), default=-1)
    head = len(given.get("give_hidden.weight", ()))
    shapes: Dict[str, tuple] = {"place.weight": (1, width, 1, 1), "place.bias": (1,)}
    for name in ("give", "outcome"):
        outputs = 16 if name == "give" else 3
        shapes.update({f"{name}_hidden.weight": (head, 2 * width), f"{name}_hidden.bias": (head,)})
        shapes.update({f"{name}.weight": (outputs, head), f"{name}.bias": (outputs,)})
    convolutions = ["stem"] + [f"block{i}_{which}" for i in range(blocks) for which in ("first", "second")]
    for name in convolutions:
        shapes[f"{name}_conv.weight"] = (width, 34 if name == "stem" else width, 3, 3)
        shapes.update({f"{name}_norm.{part}": (width,) for part in ("weight", "bias", "running_mean", "running_var")})
    for name in sorted(set(shapes) | set(given)):
        if name not in given:
            raise ValueError(f"save_residual: '{name}' of shape {shapes[name]} is missing")
        if name not in shapes:
            raise ValueError(f"save_residual: a residual network has no '{name}'")
        if given[name].shape != shapes[name]:
            raise ValueError(f"save_residual: '{name}' has the shape {given[name].shape}, not {shapes[name]}")
        if not numpy.isfinite(given[name]).all():
            raise ValueError(f"save_residual: a number in '{name}' is not finite")

    tensors: Dict[str, NDArray[Any]] = {}
    for name, array in given.items():
        dense = re.fullmatch(r"((?:give|outcome)(?:_hidden)?)\.(weight|bias)", name)
        if dense:  # there x @ weight + bias
            tensors[f"{dense[1]}_{dense[2]}"] = numpy.ascontiguousarray(array.T)
        else:
            tensors[name] = array
    tensors.update({f"{name}_norm.num_batches_tracked": numpy.array(step, "<i8") for name in convolutions})
    network = {"kind": "residual", "rules": rules, "width": width, "blocks": blocks, "head_width": head}
    metadata = {**notes, "format": "quarto-network/1", "network": json.dumps(network), "rules": rules, "track": track, "step": str(step)}
    header: Dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, array in tensors.items():
        header[name] = {
            "dtype": "I64" if array.dtype.kind == "i" else "F32",
            "shape": list(array.shape),
            "data_offsets": [end, end + array.nbytes],
        }
        end += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    os.makedirs(folder, exist_ok=True)
    for other in ("checksums.txt", "model.light"):
        if os.path.exists(os.path.join(folder, other)):
            raise FileExistsError(f"save_residual: '{os.fspath(folder)}' has a {other} of another network: name another folder")
    file = os.path.join(folder, "model.safetensors")
    with open(file + ".new", "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            out.write(array.tobytes())
    os.replace(file + ".new", file)
