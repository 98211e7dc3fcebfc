"""docs/api says what the contract says, and nothing of it goes without a word."""

from __future__ import annotations

from types import ModuleType

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from tests.tools import tool


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    return tool("api_reference")


@pytest.fixture(scope="module")
def files(reference: ModuleType) -> list[FileDescriptorProto]:
    described = reference.described()
    assert isinstance(described, list)
    return described


def test_the_pages_are_those_of_the_contract(
    reference: ModuleType, files: list[FileDescriptorProto]
) -> None:
    pages = reference.Pages(files).all()
    have = {path.name: path.read_text(encoding="utf-8") for path in reference.TARGET.glob("*.md")}
    assert pages == have
    for file in files:
        page = pages[reference.page_of(file)]
        for service in file.service:
            assert f"## {service.name}\n" in page
            assert all(f"**`{method.name}`** (" in page for method in service.method)
        for message in file.message_type:
            assert f"## {message.name}\n" in page
            assert all(f"| `{field.name}` | " in page for field in message.field)


def test_what_has_no_comment_is_named(
    reference: ModuleType, files: list[FileDescriptorProto]
) -> None:
    bare = FileDescriptorProto()
    bare.CopyFrom(files[0])
    for place in bare.source_code_info.location:
        if list(place.path) == [4, 0, 2, 0]:
            place.leading_comments = " "
    with pytest.raises(SystemExit, match=r"nothing is said of what lies at \(4, 0, 2, 0\)"):
        reference.Pages([bare, *files[1:]]).all()
