"""No code block of the documentation goes unseen: it is run, checked, or says why not."""

from __future__ import annotations

import re

import pytest

from tests.commands import ROOT
from tests.docs.blocks import blocks, matches, pages
from tests.docs.test_pages import RUN

ALL = [block for page in pages() for block in blocks(page)]

NOT_RUN = {
    "docs/clients.md": ["needs the compiler of another language"],
    "docs/auditing.md": ["needs a standby and a Ray cluster of yours"],
    "docs/operating.md": [
        "needs a server of yours; tests/cli/test_own_database.py does the same",
        "takes as long as one likes; tests/cli/test_load.py does the same",
        "takes minutes; tests/cli/test_load_tournament.py does the same with fewer players",
        "needs the firewall of a server of yours",
    ],
    "docs/packaging.md": [
        "needs a container engine and a certificate of yours",
        "installs a service into the system",
    ],
}
"""Every block that nobody runs, with its reason: whoever adds one adds it here, to be seen."""


def test_the_blocks_that_are_not_run_are_these() -> None:
    found: dict[str, list[str]] = {}
    for block in ALL:
        if block.mark.startswith("not run"):
            found.setdefault(block.page, []).append(block.mark.removeprefix("not run: "))
    assert found == NOT_RUN


def test_every_other_block_is_run_or_checked() -> None:
    """A mark that means nothing, a language that nobody reads and a page that nobody runs fail."""
    for block in ALL:
        where = f"{block.page}:{block.line}"
        kind, _, what = block.mark.partition(" ")
        if block.is_run:
            assert block.page in RUN, f"{where}: nobody runs this page"
            assert block.language in {"python", "sh", "toml", "yaml"}, where
        elif block.mark.startswith("checked by "):
            test = ROOT / what.removeprefix("by ")
            name = block.page.rpartition("/")[2].removesuffix(".md")
            assert name in test.read_text(encoding="utf-8"), f"{where}: {test} knows nothing of it"
        elif kind not in {"output", "draw", "not"}:
            end = ROOT.joinpath(block.mark).read_text(encoding="utf-8")
            assert end.endswith(block.text), f"{where} is not the end of {block.mark}"


def test_every_fence_belongs_to_a_block() -> None:
    """Nothing escapes by being indented, or fenced in another way."""
    for page in pages():
        text = ROOT.joinpath(page).read_text(encoding="utf-8")
        inside = "".join(block.text for block in blocks(page))
        fences = len(re.findall(r"^\s*(?:```|~~~)", text, re.MULTILINE))
        fences -= len(re.findall(r"^\s*(?:```|~~~)", inside, re.MULTILINE))
        assert fences == 2 * len(list(blocks(page))), page


@pytest.mark.parametrize(
    ("shown", "told", "alike"),
    [
        ("hand 3\n", "hand 12", True),
        ("1 hand\n", "1 game", False),
        ("palace 0 ?? ?? …\n", "palace 1 ?? ?? ?? ??", True),
        ("palace 0 ??\n", "palace 0 Ac", False),
        ("stay\nfold\n", "stay\nbuy\nfold", False),
        ("stay\n…\n", "stay", True),
        ("stay\n…\n", "stay\nbuy", True),
        ("stay\n…\n", "buy\nstay", False),
        ("stay …\n", "stay or go", True),
        ("stay …\n", "stay", True),
        ("stay …\n", "stays", False),
        ("a.b\n", "acb", False),
    ],
)
def test_what_counts_as_the_same_output(shown: str, told: str, alike: bool) -> None:
    assert matches(shown, told) is alike
