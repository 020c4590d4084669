"""What a model's layers were measured to be: always a ``Layers``, in the order in which the model runs."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from sparse_core import checks

from . import tables
from .counting import COLUMNS, MEANING, MORE, Measurement, shown

__all__ = ["Layers"]


class Layers(tables.Shown, dict[str, Measurement]):
    """The measurements of the layers of one model, by their names; printed, a line for each.

    notes : what was measured, and what stands in the model and was not recognised.

    >>> from sparse_meter import measure
    >>> found = measure(([1, -1], [[1, 1], [-1, -1]], [1, 1]), [[1, 1], [1, -1], [-1, -1], [-1, 1]])
    >>> list(found), found.only.mean_active
    (['0'], 0.5)
    """

    def __init__(self, found: Mapping[str, Measurement], notes: tuple[str, ...] = ()) -> None:
        if not isinstance(found, Mapping):
            raise TypeError(f"Argument 'found' must be a mapping from names to measurements, not {found!r}.")
        super().__init__(found)
        self.notes = notes

    @property
    def only(self) -> Measurement:
        """The measurement of the layer, if there is one only."""
        if len(self) != 1:
            raise ValueError(f"There must be one layer, not {len(self)}: {', '.join(self)}.")
        return next(iter(self.values()))

    def __add__(self, other: Layers) -> Layers:
        """The measurements of both samples of the same model; a layer that only one of them saw is as it was there."""
        if not isinstance(other, Layers):
            return NotImplemented
        both = {name: self[name] + other[name] for name in self if name in other}
        return Layers({**self, **other, **both}, tuple(dict.fromkeys(self.notes + other.notes)))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each layer, in numbers: what the table and the frame show."""
        return [{"layer": name, **one.numbers()} for name, one in self.items()]

    def to_frame(self) -> Any:
        """The rows as a ``pandas.DataFrame``, with the names of the layers as its index."""
        import pandas

        return pandas.DataFrame(self.rows()).set_index("layer")

    def to_dict(self) -> dict[str, Any]:
        """Dictionaries for JSON, by the names of the layers."""
        return {"notes": [*self.notes], "layers": {name: found.to_dict() for name, found in self.items()}}

    def to_html(self) -> str:
        """The report as HTML."""
        return self._repr_html_()

    def plot(self) -> Any:
        """A figure of Matplotlib: the share of active neurons by layer, and how many a batch uses of them."""
        from . import plots

        return plots.layers(self)

    def __repr__(self) -> str:
        return self.document().text(folded=False)

    def document(self) -> tables.Document:
        """The finding, a line for each layer, and what was assumed; of one layer its whole report."""
        if len(self) == 1:
            whole = self.only.document()
            return whole._replace(remarks=(*self.notes, *whole.remarks))
        rows = [one.numbers() for one in self.values()]
        columns = [name for name in COLUMNS if any(row[name] is not None for row in rows)]
        body = [[tables.printable(name), *(shown(column, row[column]) for column in columns)]
                for name, row in zip(self, rows, strict=True)]  # fmt: skip
        table = tables.Table("Layers", ["layer", *(name.replace("_", " ") for name in columns)], body)
        return tables.Document((self._finding(),), (table,), MORE, shown=1, remarks=(*self.notes, *MEANING))

    def _finding(self) -> str:
        """How many neurons are active in all layers, and in which the fewest and the most."""
        share = {name: one.share for name, one in self.items()}
        if not share:
            return ""
        s = sum(one.s for one in self.values())
        mean = sum(one.mean_active for one in self.values()) / s
        dead = sum(one.dead for one in self.values())
        least, most = sorted(share, key=share.__getitem__)[:: len(share) - 1]
        ends = f"from {share[least]:.1%} in {least} to {share[most]:.1%} in {most}"
        seen = f"Active at an input: on average {mean:.1%} of {s} neurons in {len(share)} layers, {ends}."
        return f"{seen} {dead or 'None'} {'is' if dead < 2 else 'are'} dead."


def selection(layer: Any, above: Any) -> tuple[str | None, float | None]:
    """The arguments ``layer`` and ``above``, checked.

    >>> selection("fc1", None)
    ('fc1', None)
    """
    if layer is not None and not isinstance(layer, str):
        raise TypeError(f"Argument 'layer' must be a name, as {str(layer)!r}, not {layer!r}.")
    return layer, None if above is None else checks.real("above", above, 0)


def chosen(layer: str | None, name: str) -> bool:
    """Whether ``layer`` is this name, a pattern of it, or a part of it between dots; None is all.

    >>> chosen("1", "layers.1.act"), chosen("*.fc2", "layers.1.act")
    (True, False)
    """
    return layer is None or (name != "" and (fnmatchcase(name, layer) or f".{layer}." in f".{name}."))
