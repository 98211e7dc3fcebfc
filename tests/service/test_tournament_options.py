"""A tournament whose tables no game would open is not created: which options stand against it."""

from __future__ import annotations

import pytest

from engine.errors import Refused
from engine.games import GAMES
from engine.tournament.structure import Level, Structure
from service.tournaments.checking import check_options
from tests.service.test_tournament_games import CASINO as KNOCK_OUT
from tests.service.test_tournament_games import CHOICE, ROTATING

ELIMINATION = Structure(
    name="Levels",
    game="palace_poker",
    format="elimination",
    table_size=6,
    stack=500,
    levels=(Level((("small_bet", "10"),), hands=4), Level((("small_bet", "20"),))),
)

WRONG = (
    (KNOCK_OUT, {"sweeps": "false", "last_play_sweep": "true"}, "options.last_play_sweep"),
    (KNOCK_OUT, {"sweeps": "maybe"}, "options.sweeps"),
    (KNOCK_OUT, {"endgame_rule": "off", "auto_win_timing": "instant"}, "options.auto_win_timing"),
    (ROTATING, {"min_bet": "50", "max_bet": "20"}, "options.max_bet"),
    (ROTATING, {"first_to_bet": "7"}, "options.first_to_bet"),
    # What a choice seeks must go with what is the same for all.
    (CHOICE, {"search_style": "card_by_card"}, "settings.choice.any.gather_style"),
    (ELIMINATION, {"max_raise": "3"}, "options.max_raise"),
)


@pytest.mark.parametrize(("structure", "options", "field"), WRONG)
def test_options_that_no_table_has_are_refused(
    structure: Structure, options: dict[str, str], field: str
) -> None:
    given = {**dict(structure.options), **options}
    with pytest.raises(Refused) as refused:
        check_options(GAMES[structure.game], structure._replace(options=tuple(given.items())))
    assert refused.value.reason == "INVALID_STRUCTURE"
    assert refused.value.detail["field"] == field
    assert refused.value.detail["expected"]


@pytest.mark.parametrize("structure", [KNOCK_OUT, ROTATING, CHOICE, ELIMINATION])
def test_options_that_go_together_are_taken(structure: Structure) -> None:
    check_options(GAMES[structure.game], structure)
