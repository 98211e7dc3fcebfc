"""The site's builder finds what is wrong; `make docs` is the proof that nothing is."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.tools import tool


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    return tool("build_docs")


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<a href="b.html#here">b</a>', None),
        ('<a href="b.html#h%65re">b</a>', None),
        ('<a href="#top">up</a><p id="top">', None),
        ('<a href="folder/">all</a>', None),
        ('<a href="https://example.org/x">out</a>', None),
        ('<img src="one.svg">', None),
        ('<a href="c.html">c</a>', "a.html: c.html"),
        ('<a href="b.html#there">b</a>', "a.html: b.html#there: no such place in that page"),
        ('<a href="#nowhere">up</a>', "a.html: #nowhere: no such place in that page"),
        ('<a href="http://example.org/">out</a>', "a.html: http://example.org/"),
        ('<img src="two.svg">', "a.html: two.svg"),
        ('<script src="https://cdn.example/x.js"></script>', "a.html: https://cdn.example/x.js"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "a.html: //cdn.example/x.css"),
        ('<pre class="mermaid">a</pre>', "a.html: https: (diagrams of Mermaid are drawn by a"),
    ],
)
def test_what_a_page_leads_to(
    builder: ModuleType, tmp_path: Path, html: str, fault: str | None
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").write_text("all")
    (tmp_path / "a.html").write_text(html)
    (tmp_path / "b.html").write_text('<p id="here">')
    (tmp_path / "one.svg").write_text("<svg/>")
    found = builder.faults(tmp_path)
    assert len(found) == (fault is not None)
    assert all(each.startswith(str(fault)) for each in found)


def test_styles_that_fetch_are_found(builder: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text(
        "a{background:url(x.png)} b{background:url('https://f.example/y')}"
    )
    assert builder.faults(tmp_path) == ["a.css: https://f.example/y'"]


def test_everything_that_pages_link_to_is_laid_out(builder: ModuleType, tmp_path: Path) -> None:
    """Sources, folders and pages beside docs/: each link leads to a page that is there."""
    builder.Pages(tmp_path).add("README.md", "docs/architecture.md")
    page = (tmp_path / "architecture.md").read_text(encoding="utf-8")
    assert "](source/engine/kernel.py.md)" in page
    assert (tmp_path / "source/engine/kernel.py.md").is_file()
    start = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "](source/proto/kartejo/v1/index.md)" in start
    assert "](clients.md)" in start
    listing = (tmp_path / "source/proto/kartejo/v1/index.md").read_text(encoding="utf-8")
    assert "[common.proto](common.proto.md)" in listing


def test_a_link_to_nothing_ends_the_build(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("[b](b.md)\n```\n[not a link](c.md)\n```\n")
    with pytest.raises(SystemExit, match=r"docs/a\.md: no file b\.md"):
        builder.Pages(tmp_path / "out").add("docs/a.md")


def test_the_navigation_names_every_page(builder: ModuleType, tmp_path: Path) -> None:
    """So a page that is added is seen, and one that is gone is missed."""
    tree = [{"Start": "index.md"}, {"More": [{"a": "a.md"}, {"Deep": [{"b": "b/c.md"}]}]}]
    assert list(builder.named(tree)) == ["index.md", "a.md", "b/c.md"]
