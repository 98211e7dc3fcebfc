"""Writes the bill of materials: ``python tools/make_sbom.py [FILE]``, else dist/kartejo.cdx.json.

CycloneDX 1.6 in JSON: every package that requirements/serve.txt installs, with version, hashes and
what needs it.  It follows from that file and pyproject.toml alone, so it is the same everywhere.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
LOCK: Final = ROOT / "requirements" / "serve.txt"
ENTRY: Final = re.compile(r"^([\w.-]+)==(\S+)(?: ; (.*?))?(?: \\)?\n((?:    .*\n)+)", re.MULTILINE)


class Locked(NamedTuple):
    """A package of the lock; ``needed_by``: names of packages, or our own."""

    name: str
    version: str
    marker: str
    hashes: list[str]
    needed_by: list[str]

    @property
    def purl(self) -> str:
        """Its address as a package."""
        return f"pkg:pypi/{self.name}@{self.version}"


def locked(text: str) -> Iterator[Locked]:
    """The packages of a lock, in its order."""
    for name, version, marker, rest in ENTRY.findall(text):
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", rest)
        comments = re.findall(r"^    #(?: via)? +([\w.-]+)", rest, re.MULTILINE)
        needed_by = [each for each in comments if each not in {"-c", "-r", "via"}]
        yield Locked(name, version, marker, hashes, needed_by or ["kartejo"])


def bill(text: str, project: dict[str, Any]) -> dict[str, Any]:
    """The bill of a lock for our package as pyproject.toml has it."""
    packages = list(locked(text))
    ours = f"pkg:pypi/{project['name']}@{project['version']}"
    purls = {each.name: each.purl for each in packages} | {project["name"]: ours}
    needs: dict[str, list[str]] = {purl: [] for purl in purls.values()}
    for each in packages:
        for name in each.needed_by:
            needs[purls[name]].append(each.purl)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ours + text)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": ours,
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": ours,
            }
        },
        "components": [_component(each) for each in packages],
        "dependencies": [{"ref": ref, "dependsOn": sorted(on)} for ref, on in needs.items()],
    }


def _component(package: Locked) -> dict[str, Any]:
    """A package; its files (one for each platform) and their hashes as ways to get it."""
    hashes = [{"alg": "SHA-256", "content": each} for each in package.hashes]
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "purl": package.purl,
        "externalReferences": [{"type": "distribution", "url": package.purl, "hashes": hashes}],
    }
    if package.marker:  # installed where that holds
        component["scope"] = "optional"
        component["properties"] = [{"name": "python:marker", "value": package.marker}]
    return component


def main(arguments: list[str]) -> int:
    """0 once it is written; prints where."""
    target = Path(arguments[0]) if arguments else ROOT / "dist" / "kartejo.cdx.json"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    made = bill(LOCK.read_text(encoding="utf-8"), project)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(f"{target}: {len(made['components'])} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
