"""Tiles: whatever the portions they grow in, the tree in them is the defined one."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from engine.errors import Corrupt, Unavailable
from service.projections.runner import Runner
from service.transparency.merkle import Frontier, verify_consistency, verify_inclusion
from service.transparency.tiles import LogTiles, TileId, Tree, edge, grown
from service.world import RealWorld
from tests.store.lines import run
from tests.transparency.growing import alter, grown_log
from tests.transparency.naive import mth, path, subproof


def test_tiles_grow_alike_in_any_portions() -> None:
    """Up to the third level, which begins at 65,536 leaves."""
    leaves = [sha256(number.to_bytes(4, "big")).digest() for number in range(66_200)]
    whole = grown({}, 0, leaves)
    assert {tile.level for tile in whole} == {0, 1, 2}
    assert all(len(row) == 8192 for tile, row in whole.items() if tile not in edge(len(leaves)))
    assert {tile: len(whole[tile]) for tile in edge(len(leaves))} == edge(len(leaves))
    random_ = random.Random(8)
    tiles: dict[TileId, bytes] = {}
    size = 0
    while size < len(leaves):
        more = leaves[size : size + random_.choice([1, 2, 255, 256, 257, 1_000, 4_096])]
        known = {tile: tiles[tile] for tile in edge(size)}
        tiles |= grown(known, size, more)
        size += len(more)
    assert tiles == whole
    assert whole[TileId(2, 0)] == mth(leaves[:65_536])
    assert whole[TileId(1, 0)][:32] == mth(leaves[:256])


def test_a_tree_answers_as_the_definition_does(dsn: str) -> None:
    async def scenario() -> None:
        async with grown_log(dsn, 600) as log:
            tree, leaves = Tree(log.store.pool), log.leaves
            assert await tree.size() == 600
            random_ = random.Random(1)
            for size in (1, 2, 255, 256, 257, 511, 512, 513, 600):
                assert await tree.root(size) == mth(leaves[:size])
                for index in {0, size // 2, size - 1, random_.randrange(size)}:
                    proof = await tree.inclusion(index, size)
                    assert proof == path(index, leaves[:size])
                    verify_inclusion(leaves[index], index, size, proof, mth(leaves[:size]))
                for old in {1, size // 2 or 1, max(1, size - 1), size, random_.randint(1, size)}:
                    proof = await tree.consistency(old, size)
                    assert proof == subproof(old, leaves[:size])
                    roots = mth(leaves[:old]), mth(leaves[:size])
                    verify_consistency(old, size, proof, *roots)
            for asked in (tree.root(601), tree.inclusion(0, 601), tree.consistency(5, 2_000)):
                with pytest.raises(Unavailable, match="600 leaves so far"):
                    await asked

    run(scenario())


def test_tiles_that_do_not_hold_what_they_should_are_told(dsn: str, admin_dsn: str) -> None:
    """They are made anew, and no leaf is ever put in another's place."""

    async def scenario() -> None:
        async with grown_log(dsn, 600) as log:
            tree = Tree(log.store.pool)
            alter(admin_dsn, "DELETE FROM kartejo.log_tile WHERE level = 0 AND number = 1")
            with pytest.raises(Corrupt, match="kartejo rebuild log"):
                await tree.root(511)
            alter(
                admin_dsn,
                "UPDATE kartejo.log_tile SET hashes = substr(hashes, 33) WHERE number = 2",
            )
            await log.grow(1)
            with pytest.raises(Corrupt, match="do not hold 600 leaves"):
                await Runner(RealWorld(), log.store, LogTiles()).run()
            await log.follow()
            assert await tree.root(601) == mth(log.leaves)

    run(scenario())


def test_no_leaves_are_no_tree(dsn: str) -> None:
    async def scenario() -> None:
        async with grown_log(dsn, 0) as log:
            tree = Tree(log.store.pool)
            assert await tree.size() == 0
            for asked in (tree.root(0), tree.inclusion(0, 0), tree.consistency(0, 0)):
                with pytest.raises(ValueError, match=r"no hash|no leaf|no beginning"):
                    await asked
            assert Frontier().root() == mth([])

    run(scenario())
