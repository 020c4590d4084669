"""What rests on what: the dependency graph of the claims in layers, and its drawing as SVG. Pure functions."""

from __future__ import annotations

import html
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from itertools import pairwise
from math import fsum
from typing import Any

Graph = dict[str, set[str]]  # a claim -> the claims that it rests on

NUMBERED = re.compile(r"(Definition|Theorem|Lemma|Claim|Remark|Conjecture) [\d.]+( \([^()]*\))?")
WIDTH, GAP, BEND, LINE, ROW = 86, 20, 12, 13, 9  # of a box, between columns, of a curve, of a line, between boxes


def nodes(claims: list[dict[str, Any]], limit: int = 60) -> list[str]:
    """The paper's numbered statements, and of our results as many as fit, those with most connections first."""
    below = closure({c["id"]: c.get("uses", []) for c in claims})
    above = Counter(name for others in below.values() for name in others)
    paper = [c["id"] for c in claims if c["source"] == "paper" and NUMBERED.fullmatch(c["label"])]
    ours = [c["id"] for c in claims if c["source"] == "ours" and c["kind"] != "erratum"]
    ours.sort(key=lambda name: -len(below[name]) - above[name])
    chosen = {*paper, *ours[: max(0, limit - len(paper))]}
    return [c["id"] for c in claims if c["id"] in chosen]


def closure(graph: Mapping[str, Iterable[str]]) -> Graph:
    """All that can be reached from each node by at least one edge."""
    found: Graph = {}
    for name in TopologicalSorter(graph).static_order():
        found[name] = set(graph[name]).union(*(found[below] for below in graph[name]))
    return found


def contract(uses: Mapping[str, Iterable[str]], chosen: Iterable[str]) -> Graph:
    """The graph on the chosen nodes: an edge for each path through others, none that a longer path implies."""
    chosen = set(chosen)
    first: Graph = {}  # the chosen nodes that are met first on the way down
    for name in TopologicalSorter(uses).static_order():
        first[name] = {x for below in uses[name] for x in ({below} if below in chosen else first[below])}
    edges = {name: first[name] for name in sorted(chosen)}
    below = closure(edges)
    return {name: ends.difference(*(below[end] for end in ends)) for name, ends in edges.items()}


def ranks(edges: Graph, order: list[str]) -> dict[str, int]:
    """The column of each node: to the right of all that it rests on, and as near as that allows to what rests on it."""
    rank: dict[str, int] = {}
    for name in TopologicalSorter(edges).static_order():
        rank[name] = 1 + max((rank[below] for below in edges[name]), default=-1)
    for name in sorted(order, key=lambda name: -rank[name]):
        above = [rank[x] for x in order if name in edges[x]]
        if above and edges[name]:
            rank[name] = min(above) - 1
    return rank


def routed(edges: Graph, rank: Mapping[str, int]) -> Graph:
    """The same graph with a waypoint ``name|column`` wherever an edge passes a column."""
    routes: Graph = {name: set() for name in edges}
    for name in sorted(edges):
        for below in sorted(edges[name]):
            last = below
            for r in range(rank[below] + 1, rank[name]):
                routes.setdefault(f"{below}|{r}", set()).add(last)
                last = f"{below}|{r}"
            routes[name].add(last)
    return routes


def columns_of(routes: Graph, rank: Mapping[str, int], order: list[str], sweeps: int = 24) -> list[list[str]]:
    """Nodes and waypoints in columns, neighbours near each other: each sweep sorts by the mean height of neighbours."""
    waypoints = {name: int(name.split("|")[1]) for name in routes if "|" in name}
    place = {**{name: rank[name] for name in order}, **waypoints}
    columns = [[name for name in place if place[name] == r] for r in range(max(place.values(), default=-1) + 1)]
    above: Graph = {name: set() for name in routes}
    for name, below in routes.items():
        for x in below:
            above[x].add(name)
    for sweep in range(sweeps):
        height = {name: (i + 0.5) / len(column) for column in columns for i, name in enumerate(column)}
        neighbours = above if sweep % 2 else routes
        for column in columns[::-1] if sweep % 2 else columns:
            mean = {x: fsum(height[y] for y in neighbours[x]) / len(neighbours[x]) for x in column if neighbours[x]}
            column.sort(key=lambda name: (mean.get(name, height[name]), name))
            height |= {name: (i + 0.5) / len(column) for i, name in enumerate(column)}
    return columns


def svg(claims: list[dict[str, Any]], limit: int = 60) -> str:
    """The graph as one SVG element: a box for each node, a link to its row; a line leads right to what rests on it."""
    known, order = {c["id"]: c for c in claims}, nodes(claims, limit)
    edges = contract({c["id"]: c.get("uses", []) for c in claims}, order)
    rank = ranks(edges, order)
    routes = routed(edges, rank)
    columns = columns_of(routes, rank, order)
    text = {
        name: textwrap.wrap(known[name]["label"].removesuffix(" (ours)").replace("part ", "part\u00a0"), 13)
        for name in order
    }
    tall = {name: LINE * len(text[name]) + 12 if name in text else 0 for name in routes}
    total = max((sum(tall[x] + ROW for x in column) for column in columns), default=0)
    left: dict[str, int] = {}
    middle: dict[str, float] = {}
    for i, column in enumerate(columns):
        space = (total - sum(tall[x] for x in column)) / len(column)
        y = 2 + space / 2
        for name in column:
            left[name], middle[name] = 2 + i * (WIDTH + GAP), y + tall[name] / 2
            y += tall[name] + space
    lines = []
    for name in order:
        for below in sorted(edges[name]):
            stops = [below, *(f"{below}|{r}" for r in range(rank[below] + 1, rank[name])), name]
            path = f"M{left[below] + WIDTH} {middle[below]:.1f}"
            for x, y in pairwise(stops):
                rise = middle[y] - middle[x]
                path += f"c{BEND} 0 {GAP - BEND} {rise:.1f} {GAP} {rise:.1f}" + (f"h{WIDTH}" if y != name else "")
            lines.append(f'<path d="{path}" data-ends="{below} {name}"/>')
    width, height = 4 + len(columns) * (WIDTH + GAP) - GAP, round(total + 4)
    boxes = "".join(node(known[x], text[x], left[x], middle[x] - tall[x] / 2, tall[x]) for x in order)
    return (
        f'<svg class="graph" role="group" aria-label="What rests on what: {len(order)} statements" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<g class="edges">{"".join(lines)}</g>{boxes}</svg>'
    )


def node(claim: dict[str, Any], lines: list[str], x: int, y: float, tall: int) -> str:
    """One box; its class names the source and, where the printed form fails, that."""
    kind = claim["source"] + (" false" if claim["verdict"] == "false as printed" else "")
    words = "".join(
        f'<tspan x="{x + WIDTH // 2}" y="{y + 17 + LINE * i:.1f}">{html.escape(line)} </tspan>'
        for i, line in enumerate(lines)
    )
    return (
        f'<a href="#{claim["id"]}" class="{kind}"><rect x="{x}" y="{y:.1f}" width="{WIDTH}" height="{tall}" '
        f'rx="{10 if claim["source"] == "ours" else 1}"/><text>{words}</text></a>'
    )
