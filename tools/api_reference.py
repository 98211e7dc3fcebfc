"""Writes docs/api from the comments of proto/: ``python tools/api_reference.py [--check]``.

A page for each proto file, and an index.  ``--check`` writes nothing and fails if the committed
pages differ from what would be written, or if something has no comment.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc
from make_proto import PROTO, ROOT, google_rpc, well_known

TARGET: Final = ROOT / "docs" / "api"
PACKAGE: Final = ".kartejo.v1."
MARK: Final = "<!-- Written by tools/api_reference.py from proto/; do not edit. -->\n"
INDEX: Final = """\
# API reference

Every service and message of the contract, package `kartejo.v1`, from the comments of
[proto/kartejo/v1](../../proto/kartejo/v1). How they are used: [Writing a client](../clients.md).
"""

# Numbers of fields in descriptor.proto: what paths to a comment are made of.
_PACKAGE, _MESSAGE, _ENUM, _SERVICE = 2, 4, 5, 6
_FIELD, _NESTED, _NESTED_ENUM = 2, 3, 4
_ONEOF, _VALUE, _METHOD = 8, 2, 2

Place = tuple[int, ...]


def described() -> list[FileDescriptorProto]:
    """The files of proto/ with their comments, by name."""
    names = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        includes = [f"-I{path}" for path in (PROTO, well_known(), google_rpc())]
        arguments = ["protoc", *includes, "--include_source_info", f"--descriptor_set_out={out}"]
        if code := protoc.main([*arguments, *names]):
            raise SystemExit(f"the protocol compiler failed with {code}")
        return list(FileDescriptorSet.FromString(out.read_bytes()).file)


def page_of(file: FileDescriptorProto) -> str:
    """The name of the page of a proto file."""
    return Path(file.name).stem + ".md"


def escaped(text: str) -> str:
    """Text that Markdown leaves as it is, in a table too."""
    return re.sub(r"([|<*\[\]])", r"\\\1", text)


class Pages:
    """Makes the pages of a set of files that name each other's types."""

    def __init__(self, files: list[FileDescriptorProto]) -> None:
        self._files = files
        self._where: dict[str, str] = {}
        self._maps: dict[str, DescriptorProto] = {}
        for file in files:
            for enum in file.enum_type:
                self._where[PACKAGE + enum.name] = page_of(file)
            for message in file.message_type:
                self._place(PACKAGE + message.name, message, page_of(file))

    def _place(self, name: str, message: DescriptorProto, page: str) -> None:
        if message.options.map_entry:
            self._maps[name] = message
            return
        self._where[name] = page
        for enum in message.enum_type:
            self._where[f"{name}.{enum.name}"] = page
        for nested in message.nested_type:
            self._place(f"{name}.{nested.name}", nested, page)

    def link(self, name: str, page: str) -> str:
        """A link to a type of ours; the name of another's."""
        if name not in self._where:
            return f"`{name.removeprefix('.')}`"
        short = name.removeprefix(PACKAGE)
        there = "" if self._where[name] == page else self._where[name]
        return f"[{short}]({there}#{short.replace('.', '').lower()})"

    def type_of(self, field: FieldDescriptorProto, page: str) -> str:
        """The type of a field, as one reads it."""
        if entry := self._maps.get(field.type_name):
            key, value = (self.type_of(each, page) for each in entry.field)
            return f"map of {key} to {value}"
        if field.type_name:
            kind = self.link(field.type_name, page)
        else:
            kind = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
        if field.label == FieldDescriptorProto.LABEL_REPEATED:
            return f"repeated {kind}"
        return f"optional {kind}" if field.proto3_optional else kind

    def all(self) -> dict[str, str]:
        """Name of a page → its text."""
        made = {page_of(file): _Page(self, file).text() for file in self._files}
        entries = []
        for file in sorted(self._files, key=lambda file: (not file.service, file.name)):
            services = ", ".join(f"`{service.name}`" for service in file.service)
            title = re.search("^# (.*)$", made[page_of(file)], re.MULTILINE)
            assert title is not None
            entries.append(
                f"- [{title[1]}]({page_of(file)})" + (f": {services}" if services else "")
            )
        return {"index.md": MARK + INDEX + "\n" + "\n".join(entries) + "\n"} | made


class _Page:
    """One proto file as Markdown."""

    def __init__(self, pages: Pages, file: FileDescriptorProto) -> None:
        self._pages = pages
        self._file = file
        self._name = page_of(file)
        self._comments = {
            tuple(place.path): place.leading_comments or place.trailing_comments
            for place in file.source_code_info.location
        }

    def text(self) -> str:
        """The whole page."""
        first, _, rest = self._comment((_PACKAGE,)).partition(". ")
        parts = [f"{MARK}# {escaped(first.rstrip('.:'))}\n\n`{self._file.name}`\n"]
        if rest:
            parts.append(f"{escaped(rest)}\n")
        for number, service in enumerate(self._file.service):
            parts += self._service(service, (_SERVICE, number))
        for number, message in enumerate(self._file.message_type):
            parts += self._message(message, message.name, (_MESSAGE, number))
        for number, enum in enumerate(self._file.enum_type):
            parts += self._enum(enum, enum.name, (_ENUM, number))
        return "\n".join(parts)

    def _paragraphs(self, place: Place) -> list[str]:
        """A comment's paragraphs, each one line; raises ``SystemExit`` where there is none."""
        text = self._comments.get(place, "")
        if not text.strip():
            raise SystemExit(f"{self._file.name}: nothing is said of what lies at {place}")
        return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip())]

    def _comment(self, place: Place) -> str:
        return " ".join(self._paragraphs(place))

    def _body(self, place: Place) -> str:
        return "\n\n".join(map(escaped, self._paragraphs(place))) + "\n"

    def _service(self, service: ServiceDescriptorProto, place: Place) -> Iterator[str]:
        yield f"## {service.name}\n"
        yield self._body(place)
        for number, method in enumerate(service.method):
            asked, told = (
                ("stream of " if stream else "") + self._pages.link(kind, self._name)
                for kind, stream in (
                    (method.input_type, method.client_streaming),
                    (method.output_type, method.server_streaming),
                )
            )
            yield f"**`{method.name}`** ({asked}) → {told}\n"
            yield self._body((*place, _METHOD, number))

    def _message(self, message: DescriptorProto, name: str, place: Place) -> Iterator[str]:
        if message.options.map_entry:
            return
        yield f"## {name}\n"
        yield self._body(place)
        if message.field:
            yield _table(("field", "type", "meaning"), self._fields(message, place))
        for number, nested in enumerate(message.nested_type):
            yield from self._message(nested, f"{name}.{nested.name}", (*place, _NESTED, number))
        for number, enum in enumerate(message.enum_type):
            yield from self._enum(enum, f"{name}.{enum.name}", (*place, _NESTED_ENUM, number))

    def _fields(self, message: DescriptorProto, place: Place) -> Iterator[tuple[str, str, str]]:
        for number, field in enumerate(message.field):
            meaning = escaped(self._comment((*place, _FIELD, number)))
            if field.HasField("oneof_index") and not field.proto3_optional:
                meaning = f"*one of {message.oneof_decl[field.oneof_index].name}:* {meaning}"
            yield f"`{field.name}`", self._pages.type_of(field, self._name), meaning

    def _enum(self, enum: EnumDescriptorProto, name: str, place: Place) -> Iterator[str]:
        yield f"## {name}\n"
        yield self._body(place)
        rows = (
            (f"`{value.name}`", str(value.number), escaped(self._comment((*place, _VALUE, number))))
            for number, value in enumerate(enum.value)
        )
        yield _table(("value", "number", "meaning"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def main(arguments: list[str]) -> int:
    """0 if all pages are, or now are, what they should be."""
    pages = Pages(described()).all()
    if arguments == ["--check"]:
        have = {path.name: path.read_text(encoding="utf-8") for path in TARGET.glob("*.md")}
        names = sorted(pages.keys() | have.keys())
        wrong = [name for name in names if pages.get(name) != have.get(name)]
        for name in wrong:
            print(f"docs/api/{name} is not what proto/ says; run tools/api_reference.py")
        return int(bool(wrong))
    TARGET.mkdir(exist_ok=True)
    for old in TARGET.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (TARGET / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
