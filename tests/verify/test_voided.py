"""Epochs whose key was lost: their commits fold unopened, what follows is verified in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from service.identity import Role
from service.transparency.signer import Signing
from service.verify import verify
from tests.service.harness import run, running
from tests.service.scenes import (
    casino_deal,
    flush_game,
    palace_hand,
    pontoon_deal,
)
from tests.service.test_lost_key import another_key
from tests.transparency.growing import KEY
from tests.verify.conftest import complete


@pytest.mark.parametrize(
    "scene",
    [
        casino_deal,
        flush_game,
        pytest.param(palace_hand, marks=pytest.mark.long),
        pytest.param(pontoon_deal, marks=pytest.mark.long),
    ],
)
def test_a_table_with_a_voided_epoch_verifies(dsn: str, tmp_path: Path, scene: Any) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            table, _, _ = await scene(service)
        signing = Signing(KEY, tmp_path)
        async with running(dsn, master=another_key(), signing=signing) as service:
            host = service.client("ann" if scene is flush_game else "host")
            await host.get(table)
            auditor = service.client("auditor", Role.AUDITOR)
            report = verify(await complete(auditor, table))
        assert not report.findings
        assert report.counts["epochs voided"] == 1
        assert report.counts["commits of voided epochs, folded"] > 1
        assert report.counts["commits not opened"] == 0

    run(scenario())
