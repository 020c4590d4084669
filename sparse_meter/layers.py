"""What a model's layers were measured to be: always a ``Layers``, in the order in which the model runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import tables
from .counting import ENERGY, RUN, Measurement

__all__ = ["Layers"]

MEANING = (
    f"Active: an output above the size in the column. {RUN} at random, in a row, an image: the share of the neurons "
    f"that some of these inputs use. Dropped at {ENERGY:.0%}: the share of the outputs, the smallest, that may go "
    "with so much energy left."
)


class Layers(tables.Shown, Mapping[str, Measurement]):
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
        self._found = dict(found)
        self.notes = notes

    def __getitem__(self, name: str) -> Measurement:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

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
        found = {name: self[name] + other[name] if name in self and name in other else one
                 for name, one in (dict(other) | dict(self)).items()}  # fmt: skip
        order = [*self, *(name for name in other if name not in self)]
        return Layers({name: found[name] for name in order}, tuple(dict.fromkeys((*self.notes, *other.notes))))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each layer, in numbers: what the table and the frame show."""
        return [
            {
                "layer": name, "neurons": one.s, "inputs": one.inputs, "above": one.threshold,
                "mean active": one.mean_active, "share": one.mean_active / one.s, "at most": one.max_active,
                "dead": one.dead, "always on": one.always_on, "co-activation": one.coactivation,
                f"{RUN} at random": one.union(RUN) / one.s if one.inputs >= RUN else None,
                f"{RUN} in a row": _share(one.in_a_row, one.s), "an image": _share(one.in_an_image, one.s),
                f"dropped at {ENERGY:.0%}": one.dropped()[1] if one.largest > 0 else None,
            }
            for name, one in self.items()
        ]  # fmt: skip

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
        report = self.document()
        return report.text() if len(self) != 1 else "\n".join(map(tables.printable, report.lines))

    def document(self) -> tables.Document:
        """What was assumed, and a line for each layer; of one layer its whole report."""
        if len(self) == 1:
            whole = self.only.document()
            return whole._replace(lines=(*self.notes, *whole.lines))
        rows = self.rows()
        columns = [name for name in (rows or [{}])[0] if any(row[name] is not None for row in rows)]
        body = [[_shown(name, row[name]) for name in columns] for row in rows]
        lines = (*self.notes, MEANING) if rows else self.notes
        return tables.Document(lines, (tables.Table("Layers", columns, body),) if rows else (), "", shown=1)


def _share(used: float | None, s: int) -> float | None:
    return None if used is None else used / s


def _shown(column: str, value: Any) -> str:
    """A number of a column as text: those up to 1 are shares, but for the threshold and the co-activation."""
    if not isinstance(value, float):
        return "-" if value is None else tables.printable(str(value))
    return format(value, {"mean active": ".5g", "above": "g", "co-activation": ".3g"}.get(column, ".1%"))
