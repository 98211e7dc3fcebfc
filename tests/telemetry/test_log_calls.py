"""Every log call of the service: a constant event, and fields that can hold nothing secret."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

SERVICE: Final = Path(__file__).parents[2] / "service"
LOGGER: Final = re.compile(r"(_?log|told|structlog|self\._?log)\b")
LEVELS: Final = {"debug", "info", "warning", "error", "exception", "critical"}

HARMLESS: Final = {
    "absent", "away_seconds", "build", "call", "commands", "entry", "epochs", "error", "exc_info",
    "exit_code", "groups", "hand", "home", "key_id", "limit", "most", "number", "open", "order",
    "pid", "player", "position", "projection", "reason", "refused", "said", "seat", "seconds",
    "sqlstate", "stored", "stream", "task", "unknown", "used_id", "version", "where", "who", "why",
    "worker",
}  # fmt: skip
"""Ids, numbers, places and words of the program.  Of an ``exc_info`` the places are kept alone;
``where`` is the text of a ``Corrupt``, which names where bytes lie and never what they say."""


def log_calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls of a logger's methods, and of ``report``, which takes one."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("report"), args=[logger, *_]):
                pass
            case ast.Call(func=ast.Attribute(logger, name)) if name in {*LEVELS, "bind"}:
                pass
            case _:
                continue
        if LOGGER.match(ast.unparse(logger)):
            yield node


def faults(call: ast.Call) -> list[str]:
    """What is wrong with a log call."""
    found = [f"field {field.arg}" for field in call.keywords if field.arg not in HARMLESS]
    match call:
        case ast.Call(func=ast.Attribute(attr="bind"), args=[]):
            return found
        case ast.Call(func=ast.Name(), args=[_, ast.Constant(str(event)), _]):
            pass
        case ast.Call(func=ast.Attribute(), args=[ast.Constant(str(event))]):
            pass
        case _:
            event = ""
    return found if re.fullmatch("[a-z][a-z_]+", event) else [f"event {event!r}", *found]


def calls_of(path: Path) -> list[ast.Call]:
    return list(log_calls(ast.parse(path.read_text(encoding="utf-8"))))


FILES: Final = sorted(path for path in SERVICE.rglob("*.py") if "pb" not in path.parts)
WRAPPERS: Final = {"faults.py"}
"""``report`` itself passes on its event and the places of an error."""


def test_every_log_call_has_a_constant_event_and_harmless_fields() -> None:
    seen = 0
    for path in FILES:
        if path.name in WRAPPERS:
            continue
        for call in calls_of(path):
            assert faults(call) == [], f"{path}:{call.lineno}"
            seen += 1
    assert seen > 40


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("log.info('dealt', card=card)", "field card"),
        ("log.info(f'dealt {card}')", "event "),
        ("log.warning('dealt %s', card)", "event "),
        ("_log.error('lost', **fields)", "field None"),
        ("report(log.bind(token=token), 'lost', error)", "field token"),
        ("report(log, f'lost {card}', error)", "event "),
        ("log.debug(text)", "event "),
    ],
)
def test_a_log_call_that_could_tell_a_card_is_found(code: str, wrong: str) -> None:
    told = [fault for call in log_calls(ast.parse(code)) for fault in faults(call)]
    assert any(fault.startswith(wrong) for fault in told)
