"""Hidden layers in the graph of an .onnx file: a linear map, Relu, perhaps a square or a gate, a linear map.

The graph is read and not run. Weights in a file beside it, as PyTorch writes them, are mapped if that file is named
without a path. Needs ``pip install "sparse-activations[onnx]"``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import naming
from .layer import Layer, Unit, of_block
from .stored import MAX_ARRAY_BYTES, Stored, limited, regular

__all__ = ["onnx_blocks", "read_onnx"]


@dataclass(frozen=True)
class _Linear:
    """y = x W^T + bias, from the value ``source``; W and bias are names of stored arrays."""

    source: str
    weight: str
    bias: str
    note: str


def read_onnx(path: Path, layer: str | None = None) -> Layer:
    """The ``Layer`` of an .onnx file.

    >>> read_onnx(Path("net.txt"))
    Traceback (most recent call last):
    ValueError: net.txt is not a .onnx file.
    """
    graph = _Graph(path)
    found = graph.blocks()
    if not found:
        raise ValueError(f"{path} has no linear map that is followed by Relu.")
    block = naming.select([block for block, _ in found], layer)
    unit = next(unit for one, unit in found if one is block)
    known = of_block(block, graph.arrays)
    return replace(known, unit=unit, notes=(*known.notes, f"The graph applies {unit!r}."))


def onnx_blocks(path: Path) -> list[tuple[str, int, int]]:
    """The names of the hidden layers, with their numbers of neurons and inputs.

    >>> onnx_blocks(Path("net.txt"))
    Traceback (most recent call last):
    ValueError: net.txt is not a .onnx file.
    """
    return [(block.name, block.s, block.n) for block, _ in _Graph(path).blocks()]


class _Graph:
    """The nodes of a graph by their outputs, who uses them, and the stored arrays."""

    def __init__(self, path: Path) -> None:
        if path.suffix != ".onnx":
            raise ValueError(f"{path} is not a .onnx file.")
        regular(path)
        if path.stat().st_size > MAX_ARRAY_BYTES:
            raise ValueError(f"{path} is larger than {MAX_ARRAY_BYTES / 1e9:.3g} GB.")
        try:
            import onnx
        except ImportError:
            raise ValueError(f"To read {path} needs onnx: pip install 'sparse-activations[onnx]'") from None
        try:
            graph = onnx.load_model(path, load_external_data=False).graph
        except Exception as error:  # the decoder has an error of its own, which is not public
            raise ValueError(f"{path} is not a .onnx file: {type(error).__name__}.") from None
        self.arrays: dict[str, Stored] = {}
        for tensor in graph.initializer:
            self._store(path, tensor.name, tensor)
        self.producer = {}
        self.users: dict[str, list[Any]] = {}
        for node in graph.node:
            for name in node.output:
                self.producer[name] = node
            for name in node.input:
                self.users.setdefault(name, []).append(node)
            constant = next((a.t for a in node.attribute if a.name == "value"), None)
            if node.op_type == "Constant" and constant is not None and node.output:
                self._store(path, node.output[0], constant)

    def _store(self, path: Path, name: str, tensor: Any) -> None:
        shape = tuple(int(length) for length in tensor.dims)
        self.arrays[name] = Stored(name, shape, str(tensor.data_type), lambda: _numbers(path, tensor))

    def blocks(self) -> list[tuple[naming.Block, Unit]]:
        """The hidden layers, in the order of the graph."""
        found = []
        for node in self.producer.values():
            inner = self._linear(node.input[0]) if node.op_type == "Relu" and node.input else None
            if inner is None:
                continue
            value, unit, up = self._activation(node.output[0], inner)
            s, n = self.arrays[inner.weight].shape
            fitting = [linear for linear in self._linears_from(value) if self.arrays[linear.weight].shape[1] == s]
            outer = fitting[0] if fitting else None
            notes = [inner.note]
            notes.append(f"{inner.bias} is added: b of Definition 1 is its negative." if inner.bias else "No bias.")
            if up is not None:
                notes.append(f"Gated: Relu of the product with {inner.weight} is multiplied by that with {up.weight}.")
            name = inner.weight.removesuffix("^T").removesuffix(".weight")
            names = (inner.weight, inner.bias, outer.weight if outer else "", up.weight if up else "", "")
            constant = outer.bias if outer else ""
            found.append((naming.Block(name, s, n, *names, constant, False, tuple(notes)), unit))
        return found

    def _activation(self, value: str, inner: _Linear) -> tuple[str, Unit, _Linear | None]:
        """What follows Relu: its square, a product with another linear map of the same input, or nothing."""
        for node in self.users.get(value, []):
            inputs = list(node.input)
            if node.op_type == "Mul" and inputs == [value, value]:
                return node.output[0], Unit("relu2"), None
            if node.op_type == "Pow" and inputs[0] == value and self._is_two(inputs[1]):
                return node.output[0], Unit("relu2"), None
            if node.op_type == "Mul":
                up = self._linear(next(name for name in inputs if name != value))
                if up is not None and up.source == inner.source:
                    return node.output[0], Unit(), up
        return value, Unit(), None

    def _is_two(self, name: str) -> bool:
        array = self.arrays.get(name)
        return array is not None and math.prod(array.shape) == 1 and float(np.asarray(array).reshape(-1)[0]) == 2.0

    def _linears_from(self, value: str) -> list[_Linear]:
        """The linear maps of a value, with the bias that is added to them."""
        found = []
        for node in self.users.get(value, []):
            if node.op_type in ("MatMul", "Gemm"):
                sums = [user.output[0] for user in self.users.get(node.output[0], []) if user.op_type == "Add"]
                found += [self._linear(name) for name in (*sums, node.output[0])]
        return [linear for linear in found if linear is not None and linear.source == value]

    def _linear(self, value: str) -> _Linear | None:
        """The linear map with constant weights that gives a value."""
        node = self.producer.get(value)
        if node is None:
            return None
        inputs = list(node.input)
        if node.op_type == "Add":
            for product, bias in (inputs, inputs[::-1]):
                linear = self._linear(product) if self._vector(bias) else None
                if linear is not None and not linear.bias:
                    return replace(linear, bias=bias)
            return None
        if node.op_type not in ("MatMul", "Gemm"):
            return None
        options = {a.name: (a.i, a.f) for a in node.attribute}
        rows = bool(options.get("transB", (0, 0.0))[0])
        plain = all(options.get(name, (0, 1.0))[1] == 1.0 for name in ("alpha", "beta"))
        weight = self._matrix(inputs[1], transposed=not rows)
        if weight is None or not plain or options.get("transA", (0, 0.0))[0]:
            return None
        bias = inputs[2] if len(inputs) > 2 else ""
        if bias and not self._vector(bias):
            return None
        where = "row" if rows else "column, and is transposed"
        return _Linear(inputs[0], weight, bias, f"{node.op_type} with {inputs[1]}: one neuron in each {where}.")

    def _vector(self, name: str) -> bool:
        return name in self.arrays and len(self.arrays[name].shape) == 1

    def _matrix(self, name: str, transposed: bool) -> str | None:
        """The name of a stored matrix with one neuron in each row, also where the graph transposes it."""
        node = self.producer.get(name)
        if name not in self.arrays and node is not None and node.op_type in ("Transpose", "Identity"):
            return self._matrix(node.input[0], transposed != (node.op_type == "Transpose"))
        if name not in self.arrays or len(self.arrays[name].shape) != 2:
            return None
        if not transposed:
            return name
        turned = f"{name}^T"
        array = self.arrays[name]
        self.arrays[turned] = Stored(turned, array.shape[::-1], array.kind, lambda: np.asarray(array).T)
        return turned


def _numbers(path: Path, tensor: Any) -> NDArray[Any]:
    """The numbers of a tensor, in the file or in one beside it."""
    from onnx import TensorProto, helper, numpy_helper

    where = f"{path}: array {tensor.name!r}"
    shape = tuple(int(length) for length in tensor.dims)
    try:
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type))
    except KeyError:
        raise ValueError(f"{where} has an unknown type.") from None
    if min(shape, default=0) < 0:
        raise ValueError(f"{where} has a negative length.")
    limited(where, shape, dtype.itemsize)
    if tensor.data_location != TensorProto.EXTERNAL:
        try:
            return np.asarray(numpy_helper.to_array(tensor))
        except (ValueError, TypeError):
            raise ValueError(f"{where} has not as many numbers as its shape says.") from None
    place = {entry.key: entry.value for entry in tensor.external_data}
    name = place.get("location", "")
    beside = path.parent / name
    if name in ("", ".", "..") or Path(name).name != name or "\\" in name or beside.is_symlink():
        raise ValueError(f"{where} lies in {name!r}; read are files beside {path.name}, named without a path.")
    regular(beside)
    try:
        offset = int(place.get("offset", "0"))
        if offset < 0 or offset + math.prod(shape) * dtype.itemsize > beside.stat().st_size:
            raise ValueError
        return np.asarray(np.memmap(beside, dtype, "r", offset, shape))
    except ValueError:
        raise ValueError(f"{where} does not lie within {beside}.") from None
