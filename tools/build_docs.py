"""Builds the documentation site: ``python tools/build_docs.py``, into build/site.

The pages are README and docs/ as they stand in the repository.  What they link to beside those
(sources, hand scripts, folders) becomes a page too, so that the site is whole without a network.
Then zensical builds it strictly, and every link, anchor and asset of the result is followed.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

ROOT: Final = Path(__file__).resolve().parents[1]
WORK: Final = ROOT / "build"
PAGES: Final = WORK / "pages"
SITE: Final = WORK / "site"
CONFIG: Final = ROOT / "docs" / "zensical.toml"
ROOT_PAGES: Final = {"README.md": "index.md"} | {
    name: name for name in ("CHANGELOG.md", "CONTRIBUTING.md")
}
"""Pages that lie beside docs/, and their names in the site."""
RAW: Final = {".jpg", ".json", ".png", ".svg"}
"""What is copied as it is."""
TO_READ: Final = {".hand", ".md", ".mjs", ".proto", ".toml"}
"""What the list of a folder leads to; the rest it names."""
LANGUAGES: Final = {".py": "python", ".toml": "toml", ".mjs": "javascript", ".c": "c", ".h": "c"}
UNSOUGHT: Final = "---\nsearch: {exclude: true}\n---\n"
"""What pages begin with that are not of the documentation itself."""
FENCE: Final = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(
    r"""(\]\(|\bsrc(?:set)?=")(?!https?:|mailto:|#)([^)#\s"]+)(#[^)\s"]*)?([)"])"""
)
"""Where a page leads: by a link of Markdown, or by a picture of HTML."""


def place(path: str) -> str:
    """Where a file or folder of the repository lies among the pages."""
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    inside = path.removeprefix("docs/") if path.startswith("docs/") else f"source/{path}"
    if (ROOT / path).is_dir():
        return f"{inside}/index.md"
    return inside if Path(path).suffix in RAW | {".md"} else f"{inside}.md"


class Pages:
    """Lays pages out, and all that they lead to."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._done: set[str] = set()
        self._due: list[str] = []

    def add(self, *paths: str) -> None:
        """Add pages with everything that can be reached from them."""
        self._due += paths
        while self._due:
            path = self._due.pop()
            if path not in self._done:
                self._done.add(path)
                self._make(path)

    def _make(self, path: str) -> None:
        source, target = ROOT / path, self._target / place(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            target.write_text(self._listing(path), encoding="utf-8")
        elif source.suffix in RAW:
            shutil.copyfile(source, target)
        elif source.suffix == ".md":
            target.write_text(self._moved(path, source.read_text("utf-8")), encoding="utf-8")
        else:
            target.write_text(self._shown(path), encoding="utf-8")

    def _shown(self, path: str) -> str:
        """A page with the text of a file."""
        text = (ROOT / path).read_text(encoding="utf-8")
        fence = "`" * max(3, *(len(found) + 1 for found in re.findall("`+", text) or [""]))
        language = LANGUAGES.get(Path(path).suffix, "text")
        return f"{UNSOUGHT}# {path}\n\n{fence} {language}\n{text.rstrip()}\n{fence}\n"

    def _listing(self, path: str) -> str:
        """A page with the names of a folder's files."""
        lines = []
        for each in sorted((ROOT / path).iterdir()):
            if each.name.startswith(("_", ".")) or each.suffix in {".pyc", ".so"}:
                continue
            inside = each.iterdir() if each.is_dir() else (each,)
            if any(file.suffix in TO_READ for file in inside):
                lines.append(f"- [{each.name}]({self._lead(path, path, each.name)})\n")
            else:
                lines.append(f"- `{each.name}`\n")
        return f"{UNSOUGHT}# {path}\n\n" + "".join(lines)

    def _moved(self, path: str, text: str) -> str:
        """A page whose links lead to where the site has what they name."""

        def link(found: re.Match[str]) -> str:
            opened, target, at, closed = found.groups()
            lead = self._lead(path, posixpath.dirname(path), target)
            return f"{opened}{lead}{at or ''}{closed}"

        parts, end = [], 0
        for block in FENCE.finditer(text):
            parts += [LINK.sub(link, text[end : block.start()]), block[0]]
            end = block.end()
        return "".join([*parts, LINK.sub(link, text[end:])])

    def _lead(self, page: str, folder: str, target: str) -> str:
        """The way from a page to what lies at ``target`` of a folder; that becomes a page too."""
        path = posixpath.normpath(posixpath.join(folder, target))
        if path.startswith("..") or not (ROOT / path).exists():
            raise SystemExit(f"{page}: no file {target}")
        self._due.append(path)
        return posixpath.relpath(place(path), posixpath.dirname(place(page)))


def named(entry: Any) -> Iterator[str]:
    """The pages of a navigation."""
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from named(each)


class Page(HTMLParser):
    """What a built page leads to, and what can be led to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.assets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Every tag of the page, in order."""
        told = {name: value or "" for name, value in attrs}
        if "mermaid" in told.get("class", "").split():
            self.assets.append("https: (diagrams of Mermaid are drawn by a script from outside)")
        self.ids |= {told[name] for name in ("id", "name") if name in told}
        if tag == "a" and "href" in told:
            self.links.append(told["href"])
        elif tag != "meta" and told.get("rel") != "canonical":
            self.assets += [
                told[name] for name in ("href", "src", "srcset", "data") if name in told
            ]


def faults(site: Path) -> list[str]:
    """What is wrong with a built site: links that lead nowhere, assets from outside."""
    pages = {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if path.name != "404.html"  # it is shown at any address, so its links say nothing
    }
    found = []
    for path, page in pages.items():
        for link in page.links + page.assets:
            parts = urlsplit(link)
            if parts.scheme in {"https", "mailto"} and link in page.links:
                continue
            there = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if there.is_dir():
                there /= "index.html"
            if parts.scheme or parts.netloc or not there.is_file():
                found.append(f"{path.relative_to(site)}: {link}")
            elif parts.fragment and unquote(parts.fragment) not in pages[there].ids:
                found.append(f"{path.relative_to(site)}: {link}: no such place in that page")
    for style in site.rglob("*.css"):
        urls = re.findall(r"url\([\"']?((?:https?:)?//[^)]*)", style.read_text("utf-8"))
        found += [f"{style.relative_to(site)}: {url}" for url in urls]
    return found


def lay_out() -> list[str]:
    """Write build/pages anew; what is wrong with the navigation."""
    shutil.rmtree(PAGES, ignore_errors=True)
    docs = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))]
    Pages(PAGES).add(*ROOT_PAGES, *docs)
    shutil.copyfile(CONFIG, WORK / CONFIG.name)
    there = {place(path) for path in (*ROOT_PAGES, *docs)}
    listed = set(named(tomllib.loads(CONFIG.read_text(encoding="utf-8"))["project"]["nav"]))
    return [
        *(f"{page} is not in the navigation of docs/zensical.toml" for page in there - listed),
        *(f"docs/zensical.toml names {page}, which there is not" for page in listed - there),
    ]


def main() -> int:
    """0 if the site is built and nothing is wrong with it."""
    wrong = lay_out()
    if not wrong:
        shutil.rmtree(SITE, ignore_errors=True)
        command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", CONFIG.name]
        if code := subprocess.run(command, cwd=WORK, check=False).returncode:
            return code
        wrong = faults(SITE.resolve())
    for each in sorted(wrong):
        print(each)
    if not wrong:
        print(f"{SITE / 'index.html'}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
