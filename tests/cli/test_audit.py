"""``kartejo audit`` on the data of a running service, and of one that is stopped."""

from __future__ import annotations

from tests.cli.conftest import Commands


def test_beside_a_running_service(kartejo: Commands) -> None:
    """With its master key, its checkpoints, and the newest of them beside the key."""
    kartejo("account", "credit", "olga", "50").ok()
    told = kartejo("audit", "--json").ok().json
    assert told["ok"]
    assert told["count"]["commits"] == told["head"] > 0
    assert told["count"]["accounts"] > 0
    assert told["count"]["sealed"] == told["count"]["unchecked"] == 0
