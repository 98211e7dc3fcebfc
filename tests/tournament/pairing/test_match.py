"""Best of so many games."""

import pytest

from engine.tournament.pairing.match import Game, Verdict, first_dealer, verdict

GAMES = {
    "w": Game(0, (21, 15)),
    "l": Game(1, (12, 22)),
    "d": Game(None, (10, 10)),
}


@pytest.mark.parametrize(
    ("games", "best_of", "decisive", "expected"),
    [
        ("", 1, False, None),
        ("w", 1, False, Verdict(0, 6)),
        ("l", 1, True, Verdict(1, -10)),
        ("d", 1, False, Verdict(None, 0)),
        ("w", 3, False, None),
        ("ww", 3, False, Verdict(0, 12)),
        ("wl", 3, False, None),
        ("wd", 3, False, None),
        ("wdd", 3, False, Verdict(0, 6)),
        ("wdl", 3, False, Verdict(None, -4)),
        ("wll", 3, False, Verdict(1, -14)),
        ("ll", 3, True, Verdict(1, -20)),
        ("d", 1, True, None),
        ("dd", 1, True, None),
        ("dw", 1, True, Verdict(0, 6)),
        ("ddl", 1, True, Verdict(1, -10)),
        ("ddd", 1, True, Verdict(None, 0)),
        ("wl", 2, False, Verdict(None, -4)),
        ("wl", 2, True, None),
        ("wldd", 2, True, Verdict(1, -4)),
    ],
)
def test_when_a_match_is_over(
    games: str, best_of: int, decisive: bool, expected: Verdict | None
) -> None:
    assert verdict([GAMES[game] for game in games], best_of, decisive=decisive) == expected


def test_first_deals_change_from_game_to_game() -> None:
    assert [first_dealer(game) for game in range(4)] == [0, 1, 0, 1]
