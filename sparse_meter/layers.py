"""What a model's layers were measured to be: always a ``Layers``, in the order in which the model runs."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from sparse_core import checks

from . import tables
from .counting import ENERGY, RUN, Measurement

__all__ = ["Layers"]

MEANING = (
    f"Active: an output above the size in the column. {RUN} at random, in a row, an image: the share of the neurons "
    f"that some of these inputs use. Dropped at {ENERGY:.0%}: the share of the outputs, the smallest, that may go "
    "with so much energy left."
)
# How the numbers of a column are written; all others are shares.
FORMATS = {"mean active": ".5g", "above": "g", "co-activation": ".3g"}


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
        found = []
        for name, one in self.items():
            row = {
                "layer": name, "neurons": one.s, "inputs": one.inputs, "above": one.threshold,
                "mean active": one.mean_active, "share": one.mean_active / one.s, "at most": one.max_active,
                "dead": one.dead, "always on": one.always_on, "co-activation": one.coactivation,
            }  # fmt: skip
            used = {f"{RUN} at random": one.at_random, f"{RUN} in a row": one.in_a_row, "an image": one.in_an_image}
            row |= {key: None if value is None else value / one.s for key, value in used.items()}
            row[f"dropped at {ENERGY:.0%}"] = one.dropped()[1] if one.largest > 0 else None
            found.append(row)
        return found

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
        """What was assumed, and a line for each layer; of one layer its whole report."""
        if len(self) == 1:
            whole = self.only.document()
            return whole._replace(lines=(*self.notes, *whole.lines))
        rows = self.rows()
        columns = [name for name in (rows or [{}])[0] if any(row[name] is not None for row in rows)]
        body = [[_shown(name, row[name]) for name in columns] for row in rows]
        parts = (tables.Table("Layers", columns, body),) if rows else ()
        return tables.Document((*self.notes, MEANING), parts, "", shown=1)


def _shown(column: str, value: Any) -> str:
    """A number of a column as text."""
    if isinstance(value, float):
        return format(value, FORMATS.get(column, ".1%"))
    return "-" if value is None else tables.printable(str(value))


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
