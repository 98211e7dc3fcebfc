"""The largest matching is as large as trying everything finds it."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.pairing.matching import Matching

Graph = dict[int, set[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    size = draw(st.integers(0, 9))
    edges = [pair for pair in combinations(range(size), 2) if draw(st.booleans())]
    graph: Graph = {vertex: set() for vertex in range(size)}
    for a, b in edges:
        graph[a].add(b)
        graph[b].add(a)
    return graph


def largest(graph: Mapping[int, AbstractSet[int]], left: tuple[int, ...]) -> int:
    """The slow, obvious twin."""
    if not left:
        return 0
    first, *rest = left
    alone = largest(graph, tuple(rest))
    return max(
        [alone]
        + [
            1 + largest(graph, tuple(one for one in rest if one != other))
            for other in rest
            if other in graph[first]
        ]
    )


@given(graphs())
@settings(max_examples=50, deadline=None)
def test_as_many_pairs_as_possible(graph: Graph) -> None:
    matching = Matching(graph, graph)
    assert matching.pairs == largest(graph, tuple(graph))
    assert matching.is_perfect == (2 * matching.pairs == len(graph))


@given(graphs(), st.data())
@settings(max_examples=50, deadline=None)
def test_some_go_and_it_is_still_the_largest(graph: Graph, data: st.DataObject) -> None:
    matching = Matching(graph, graph)
    left = tuple(graph)
    while left:
        gone = data.draw(st.sets(st.sampled_from(left), min_size=1, max_size=2))
        matching = matching.without(*gone)
        left = tuple(one for one in left if one not in gone)
        assert matching.pairs == largest(graph, left)


def test_flowers_within_flowers() -> None:
    """Rings of odd length that hang together: only by going round them is everybody paired."""
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (6, 7), (7, 8), (8, 6)]
    edges += [(8, 9), (1, 10), (10, 11)]
    graph: Graph = {vertex: set() for vertex in range(12)}
    for a, b in edges:
        graph[a].add(b)
        graph[b].add(a)
    assert Matching(graph, graph).pairs == largest(graph, tuple(graph))


def test_nobody() -> None:
    nobody: Matching[int] = Matching({}, ())
    assert nobody.is_perfect
    assert nobody.pairs == 0
