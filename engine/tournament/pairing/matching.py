"""The largest matching of a graph: as many pairs as can be formed, nobody in two of them.

Edmonds' algorithm.  A matching is largest when no *augmenting path* is left, one that leads from
somebody single to another over edges outside and inside of it by turns.  A search grows a tree of
such paths; where two of its paths close a ring of odd length, the whole ring is treated as one
vertex, its *base*.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

__all__ = ["Matching"]

V = TypeVar("V")

Graph = Mapping[V, AbstractSet[V]]


class Matching(Generic[V]):
    """A largest matching among some vertices of a graph.

    ``graph`` gives the neighbours of each vertex, in both directions; it may hold more vertices
    than are to be matched.  The same vertices in the same order give the same matching.
    """

    def __init__(self, graph: Graph[V], vertices: Iterable[V]) -> None:
        self._graph = graph
        self._vertices = tuple(vertices)
        self._mates: dict[V, V] = {}
        self._augment(self._vertices)

    @property
    def pairs(self) -> int:
        """How many pairs it has."""
        return len(self._mates) // 2

    @property
    def is_perfect(self) -> bool:
        """Whether nobody is single."""
        return len(self._mates) == len(self._vertices)

    def without(self, *gone: V) -> Matching[V]:
        """A largest matching of those who stay.

        Only who has lost his partner can begin a path that was not there before, so this costs
        one search at most for each vertex that goes, and mostly none.
        """
        rest = Matching(self._graph, ())
        rest._vertices = tuple(vertex for vertex in self._vertices if vertex not in gone)
        rest._mates = self._mates.copy()
        widowed = [rest._mates.pop(vertex) for vertex in gone if vertex in self._mates]
        for vertex in widowed:
            if vertex not in gone:
                del rest._mates[vertex]
        rest._augment(vertex for vertex in widowed if vertex not in gone)
        return rest

    def _augment(self, singles: Iterable[V]) -> None:
        """Look for a path from each of these who is still single, and turn it over."""
        for vertex in singles:
            if vertex not in self._mates:
                path = self._direct(vertex)
                path = path or _Search(self._graph, self._vertices, self._mates, vertex).path()
                for a, b in path:
                    self._mates[a], self._mates[b] = b, a

    def _direct(self, vertex: V) -> list[tuple[V, V]]:
        """The shortest path of all: somebody else who is single."""
        neighbours = self._graph[vertex]
        for other in self._vertices:
            if other in neighbours and other not in self._mates:
                return [(vertex, other)]
        return []


class _Search(Generic[V]):
    """One search for an augmenting path from ``root``."""

    def __init__(
        self, graph: Graph[V], vertices: tuple[V, ...], mates: Mapping[V, V], root: V
    ) -> None:
        self._graph = graph
        self._vertices = vertices
        self._mates = mates
        self._root = root
        self._base = {vertex: vertex for vertex in vertices}
        self._from: dict[V, V] = {}
        """Over which edge outside of the matching a vertex was reached."""
        self._outer = {root}
        """Vertices that paths of even length lead to."""
        self._waiting = deque([root])

    def path(self) -> list[tuple[V, V]]:
        """The pairs that take the place of the path's; empty when there is no path."""
        while self._waiting:
            vertex = self._waiting.popleft()
            neighbours = self._graph[vertex]
            for other in self._vertices:
                if other not in neighbours or self._base[vertex] == self._base[other]:
                    continue
                if other in self._outer:
                    self._close_ring(vertex, other)
                elif other not in self._from:
                    self._from[other] = vertex
                    if other not in self._mates:
                        return list(self._turned(other))
                    self._reach(self._mates[other])
        return []

    def _reach(self, vertex: V) -> None:
        self._outer.add(vertex)
        self._waiting.append(vertex)

    def _turned(self, end: V) -> Iterator[tuple[V, V]]:
        while True:
            before = self._from[end]
            yield before, end
            if before == self._root:
                return
            end = self._mates[before]

    def _stem(self, vertex: V) -> list[V]:
        """The bases from ``vertex`` to the root."""
        bases = [self._base[vertex]]
        while bases[-1] != self._base[self._root]:
            bases.append(self._base[self._from[self._mates[bases[-1]]]])
        return bases

    def _close_ring(self, vertex: V, other: V) -> None:
        """Two outer vertices are neighbours: what leads to them from the same base is a ring."""
        shared = set(self._stem(other))
        top = next(base for base in self._stem(vertex) if base in shared)
        ring: set[V] = set()
        self._line_ring(vertex, other, top, ring)
        self._line_ring(other, vertex, top, ring)
        for member in self._vertices:
            if self._base[member] in ring:
                self._base[member] = top
                if member not in self._outer:
                    self._reach(member)

    def _line_ring(self, vertex: V, child: V, top: V, ring: set[V]) -> None:
        """Note the bases on one side of a ring, and how its vertices are reached the other way."""
        while self._base[vertex] != top:
            mate = self._mates[vertex]
            ring.update((self._base[vertex], self._base[mate]))
            self._from[vertex] = child
            child, vertex = mate, self._from[mate]
