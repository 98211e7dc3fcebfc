"""The tree over all commits, kept as a projection in tiles of 256 hashes, and proofs from it.

Tile ``number`` of ``level`` holds the hashes at height ``8 * level`` of the tree, from index
``256 * number`` on; seven heights of eight are computed again when they are wanted.  Only hashes
of complete subtrees are kept, so that what is written once never changes: tiles fill up, from the
left to the right, and a full one gives its root to the level above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from engine.errors import Corrupt, Unavailable
from service.projections.projection import Follower
from service.store import log_tiles
from service.store.commit import Commit
from service.store.connection import Connection, Pool
from service.store.log_tiles import TileId
from service.transparency.merkle import (
    HASH_SIZE,
    Range,
    Subtree,
    complete,
    consistency_ranges,
    fold,
    inclusion_ranges,
    leaf_hash,
    perfect,
)

__all__ = ["LogTiles", "Tree", "edge", "grown"]

HEIGHT: Final = 8
WIDTH: Final = 1 << HEIGHT
FULL: Final = WIDTH * HASH_SIZE


def edge(size: int) -> dict[TileId, int]:
    """The tiles of a tree that are not full, and how many bytes each has.

    >>> edge(256 + 3)
    {TileId(level=0, number=1): 96, TileId(level=1, number=0): 32}
    """
    found: dict[TileId, int] = {}
    level = 0
    while size:
        if width := size % WIDTH:
            found[TileId(level, size // WIDTH)] = width * HASH_SIZE
        size //= WIDTH
        level += 1
    return found


def grown(tiles: Mapping[TileId, bytes], size: int, leaves: Iterable[bytes]) -> dict[TileId, bytes]:
    """The tiles that have changed when leaves follow on a tree of ``size``, whose edge is given."""
    changed: dict[TileId, bytes] = {}
    hashes = [leaf_hash(leaf) for leaf in leaves]
    level, index = 0, size
    while hashes:
        full: list[bytes] = []
        while hashes:
            tile = TileId(level, index // WIDTH)
            room = WIDTH - index % WIDTH
            row = tiles.get(tile, b"") + b"".join(hashes[:room])
            changed[tile] = row
            if len(row) == FULL:
                full.append(perfect(_split(row)))
            index += len(hashes[:room])
            hashes = hashes[room:]
        size //= WIDTH
        level, index, hashes = level + 1, size, full
    return changed


class LogTiles(Follower):
    """The projection: for ``service.projections.runner``."""

    NAME = log_tiles.NAME
    REVISION = 1

    async def advance(self, db: Connection, build: int, commits: Sequence[Commit]) -> None:
        """Add the commits as leaves; raises ``Corrupt`` where the tiles are not those before."""
        size = commits[0].position - 1
        wanted = edge(size)
        tiles = await log_tiles.tiles_of(db, build, wanted) if wanted else {}
        if {tile: len(row) for tile, row in tiles.items()} != wanted:
            raise Corrupt(f"the tiles of the log do not hold {size} leaves: `kartejo rebuild log`")
        leaves = [commit.hash for commit in commits]
        await log_tiles.put(db, build, grown(tiles, size, leaves))

    async def clear(self, db: Connection, build: int, limit: int) -> int:
        return await log_tiles.clear(db, build, limit)


class Tree:
    """The tree that readers see.

    Methods raise ``Unavailable``, also while it has fewer leaves than they ask about, ``Corrupt``
    when the tiles contradict themselves, and ``ValueError`` for what no tree can show.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def size(self) -> int:
        """How many leaves it has by now."""
        return await self._pool.ask(log_tiles.serving_size)

    async def root(self, size: int) -> bytes:
        """The root of its first ``size`` leaves, at least one."""
        (root,) = await self._hashes([(0, size)], size)
        return root

    async def inclusion(self, index: int, size: int) -> list[bytes]:
        """The proof that leaf ``index`` is in the tree of the first ``size``."""
        return await self._hashes(inclusion_ranges(index, size), size)

    async def consistency(self, old: int, size: int) -> list[bytes]:
        """The proof that the tree of the first ``old`` leaves begins that of the first ``size``."""
        return await self._hashes(consistency_ranges(old, size), size)

    async def _hashes(self, ranges: Sequence[Range], size: int) -> list[bytes]:
        """The hash over each of these ranges of leaves."""
        if not ranges:
            return []
        parts = [complete(*each) for each in ranges]
        wanted = {_place(subtree)[0] for subtrees in parts for subtree in subtrees}
        tiles = await self._pool.ask(lambda db: log_tiles.serving_tiles(db, wanted))
        try:
            return [fold([_hash(tiles, subtree) for subtree in subtrees]) for subtrees in parts]
        except LookupError:
            if (there := await self.size()) < size:
                raise Unavailable(f"the tree has {there} leaves so far, not {size}") from None
            raise Corrupt("tiles of the log are missing: `kartejo rebuild log`") from None


def _place(subtree: Subtree) -> tuple[TileId, int, int]:
    """In which tile the hashes lie that a subtree is made of, the first one's place, how many."""
    level, height = divmod(subtree.level, HEIGHT)
    number, place = divmod(subtree.number << height, WIDTH)
    return TileId(level, number), place, 1 << height


def _hash(tiles: Mapping[TileId, bytes], subtree: Subtree) -> bytes:
    """The hash of a complete subtree; raises ``LookupError`` where the tiles do not have it."""
    tile, place, count = _place(subtree)
    row = tiles[tile][place * HASH_SIZE : (place + count) * HASH_SIZE]
    if len(row) != count * HASH_SIZE:
        raise IndexError(subtree)
    return perfect(_split(row))


def _split(row: bytes) -> list[bytes]:
    return [row[start : start + HASH_SIZE] for start in range(0, len(row), HASH_SIZE)]
