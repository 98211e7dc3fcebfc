"""Pontoon and Shoot Pontoon in rounds: so many deals, then the best of each table go on.

Everybody begins a round with the same chips, at a table that the lot gave him.  The bank is an
advantage, so it is the house's, which plays as one whose time is up (pontoon 10.3: it stays from
``stick_min`` on), or everybody's equally often; against the house it also passes on from deal to
deal who bets first.  A round that fits at one table is the last one, its stacks are the places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final, cast

from engine.errors import Refused
from engine.events import Event, Pairs
from engine.options import Kind, Option, parse_value
from engine.tournament import events as e
from engine.tournament.actions import HandEnded
from engine.tournament.chips import check_chips, chips_of
from engine.tournament.format import Deal, House, Standing
from engine.tournament.formats.banks import (
    BankPlay,
    RoundBegan,
    Rules,
    SatOut,
    follow,
    next_table,
    next_turn,
    players_left,
    runs_of,
)
from engine.tournament.formats.finishing import end, go_out, standings_of
from engine.tournament.formats.together import Together, require_options_free
from engine.tournament.persistent import members
from engine.tournament.scoring.rounds import (
    Run,
    advance,
    bankers,
    best_first,
    betting_order,
    final_places,
)
from engine.tournament.state import Duty, EntryStatus, Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import Structure, invalid, read_settings
from engine.tournament.tables import TABLES_AT_ONCE, allow_deal, entered, may_open, open_table

__all__ = ["HOUSE_CHIPS", "Rounds"]

HOUSE_CHIPS: Final = 10**15
"""Of the house's bank at each table: more than all players can win."""

MOST_STACK: Final = 10**9
"""Of an entry, so that no bank of the house is ever broken."""

SHOOT: Final = Option("shoot", Kind.BOOL, False, "the bank is a kitty")
MIN_BET: Final = Option("min_bet", Kind.INT, 10, "the least bet, and the least kitty", low=1)

OWN_OPTIONS: Final = (
    "max_seats",
    "min_players_to_start",
    "min_players_to_continue",
    "first_banker",
    "nominated_seat",
    "cover_mode",
    "bank_sale",
    "bank_passes",
    "shuffle_each_deal",
    "first_to_bet",
    "max_deals",
)


def _play(state: Tournament) -> BankPlay:
    return cast("BankPlay", state.play)


class Rounds(Together):
    """See the module."""

    KEY: ClassVar[str] = "rounds"
    GAMES: ClassVar[Mapping[str, tuple[int, int]]] = {"pontoon": (2, 8)}
    EVENTS: ClassVar[tuple[type[Event], ...]] = (RoundBegan, SatOut)
    SETTINGS: ClassVar[tuple[Option, ...]] = (
        Option(
            "bank",
            Kind.WORD,
            "house",
            "the house's, or everybody's equally often",
            words=("house", "rotating"),
        ),
        Option(
            "deals",
            Kind.INT,
            20,
            "deals of a round; with bank=rotating how often everybody banks in it",
            low=1,
            high=200,
        ),
        Option("top", Kind.INT, 1, "how many of each table go on", low=1, high=3),
        Option("best_losers", Kind.INT, 0, "how many of all others go on", high=5),
        Option(
            "eliminate_every",
            Kind.INT,
            0,
            "after so many deals the lowest stack of a table plays no more; 0: never",
            high=200,
        ),
        Option("unshuffled", Kind.BOOL, False, "the pack is shuffled after a pontoon only"),
        TABLES_AT_ONCE,
    )

    # --- structures -------------------------------------------------------------------------

    def check(self, structure: Structure) -> None:
        """Chips for a bet, and fewer who go on than come."""
        super().check(structure)
        require_options_free(structure, OWN_OPTIONS)
        rules = self._rules(structure)
        if not rules.least <= structure.stack <= MOST_STACK:
            invalid("stack", f"chips, {rules.least} (min_bet, and a kitty) to {MOST_STACK}")
        players = structure.table_size - rules.house
        if structure.min_entrants < 2:
            invalid("min_entrants", "2 or more")
        if players < 2:
            invalid("table_size", "3 or more: the house has a seat too")
        if 2 * rules.top + rules.best_losers > players:
            invalid(
                "settings.top", f"2 · top + best_losers at most {players}, the players of a table"
            )
        if rules.every and not rules.house:
            invalid("settings.eliminate_every", "0 with bank=rotating: all bank equally often")
        if rules.unshuffled and not rules.house:
            invalid("settings.unshuffled", "false with bank=rotating: a new banker shuffles")
        if rules.at_once and rules.best_losers:
            expected = "0 with best_losers: who plays later would know what is to be beaten"
            invalid("settings.tables_at_once", expected)

    def _rules(self, structure: Structure) -> Rules:
        values = read_settings(self.SETTINGS, structure)
        kitty = _asked(SHOOT, structure)
        return Rules(
            house=values["bank"] == "house",
            deals=cast("int", values["deals"]),
            top=cast("int", values["top"]),
            best_losers=cast("int", values["best_losers"]),
            every=cast("int", values["eliminate_every"]),
            least=_asked(MIN_BET, structure) * (1 + kitty),
            unshuffled=bool(values["unshuffled"]),
            at_once=cast("int", values["tables_at_once"]),
        )

    def initial(self, structure: Structure) -> BankPlay:
        """Nothing but the settings."""
        return BankPlay(self._rules(structure))

    def follow(self, before: Tournament, state: Tournament, event: Event) -> BankPlay:
        """See :mod:`~.banks`."""
        return follow(_play(state), before, event)

    # --- rounds -----------------------------------------------------------------------------

    def begin(self, steps: Steps, draw: Draw) -> None:
        """The first round, for everybody."""
        self._round(steps, entered(steps.state), draw)

    def _round(self, steps: Steps, entries: Sequence[int], draw: Draw) -> None:
        order = [entries[at] for at in steps.draw(draw, "seats", len(entries))]
        steps.emit(RoundBegan(_play(steps.state).round + 1, tuple(order)))
        self._open_tables(steps)

    def _open_tables(self, steps: Steps) -> None:
        """Those of this round that are next, as many as may be open at a time."""
        while may_open(steps.state, _play(steps.state).rules.at_once):
            table = next_table(steps.state, _play(steps.state))
            if not table:
                return
            open_table(steps, table, steps.state.structure.table_size)

    def _round_over(self, steps: Steps, draw: Draw) -> None:
        """Who goes on, and what places those have who do not."""
        play = _play(steps.state)
        seated = runs_of(steps.state, play)
        lots = {entry: play.lots[entry] for runs in seated for entry in runs}
        if len(play.seated) == 1:
            end(steps, [place.entrants for place in final_places(seated[0])])
            return
        result = advance(seated, lots, play.rules.top, play.rules.best_losers)
        groups = [place.entrants for place in result.out]
        if len(result.through) < 2:
            end(steps, [group for group in (result.through, *groups) if group])
            return
        for group in reversed(groups):
            go_out(steps, group)
        self._round(steps, result.through, draw)

    # --- deals ------------------------------------------------------------------------------

    def check_report(self, state: Tournament, report: HandEnded) -> None:
        """All who play on were dealt in; without the house no chips are made or lost."""
        play = _play(state)
        if [result.seat for result in report.results] != list(state.tables[report.table].taken()):
            raise Refused("BAD_REPORT", field="results", expected="all seats of entries")
        if not play.rules.house:
            check_chips(state, report)
        for result in report.results:
            seat = state.tables[report.table].seats[result.seat]
            if result.before != seat.chips or not 0 <= result.after <= HOUSE_CHIPS:
                raise Refused("BAD_REPORT", field="results", seat=result.seat, expected="its stack")

    def hand_ended(self, steps: Steps, report: HandEnded, draw: Draw) -> None:
        """Who has too little sits out, and now and then who has the least; then the next deal."""
        del draw
        rules = _play(steps.state).rules
        for result in report.results:
            entry = steps.state.tables[report.table].seats[result.seat].entry
            if result.after < rules.least and not _play(steps.state).runs[entry].out:
                steps.emit(SatOut(entry))
        play = _play(steps.state)
        left = players_left(play, report.table)
        due = rules.every and report.hand % rules.every == 0 and report.hand < rules.deals
        if due and len(left) > max(2, rules.top):
            runs = {entry: play.runs[entry] for entry in left}
            steps.emit(SatOut(best_first(runs, {entry: play.lots[entry] for entry in left})[-1]))
        self._at_rest(steps, report.table)

    def table_rests(self, steps: Steps, tables: int, draw: Draw) -> None:
        """See off who sits out, deal, or close the table."""
        del draw
        for table in members(tables):
            self._at_rest(steps, table)

    def _at_rest(self, steps: Steps, table: int) -> None:
        play = _play(steps.state)
        left = players_left(play, table)
        if len(left) < 2 or next_turn(play, table) is None:
            if not steps.state.busy >> table & 1:
                steps.emit(e.TableBroken(table))
            return
        for seat in steps.state.tables[table].seats:
            if seat.entry >= 0 and seat.entry not in left and seat.duty is Duty.NONE:
                steps.emit(e.RemovalOrdered(seat.entry))
        allow_deal(steps, table)

    def table_done(self, steps: Steps, table: int, draw: Draw) -> None:
        """Its place is the next one's; when the last table is closed the round is over."""
        del table
        self._open_tables(steps)
        if not steps.state.standing:
            self._round_over(steps, draw)

    def disqualified(self, steps: Steps, entry: int, draw: Draw) -> None:
        """It is out; the deal that runs is played to its end."""
        del draw
        go_out(steps, [entry])
        table = steps.state.entries[entry].table
        if table >= 0 and steps.state.resting >> table & 1:
            self._at_rest(steps, table)

    def deal(self, state: Tournament, table: int) -> Deal:
        """The seat that banks and, against the house, the one that bets first.

        If nobody plays at the latter any more, the next one clockwise bets first.
        """
        play = _play(state)
        banked = play.tables[table]
        size = state.structure.table_size
        first: Pairs = ()
        if play.rules.house:
            banker = size - 1
            begins = betting_order(banked.players, banked.turn + 1)[0]
            first = (("first_to_bet", str(banked.players.index(begins))),)
        else:
            turns = bankers(banked.players, play.rules.deals)
            banker = banked.players.index(turns[min(banked.turn, len(turns) - 1)])
        options = (*_own_options(size, banker, play.rules), *first)
        house = House(banker, HOUSE_CHIPS - banked.lost) if play.rules.house else None
        return Deal(options, house=house)

    def openings(self, structure: Structure) -> Iterator[tuple[str, Pairs]]:
        """The last seat banks; whose turn it is makes no difference."""
        size = structure.table_size
        yield "options", (*structure.options, *_own_options(size, size - 1, self._rules(structure)))

    # --- standings --------------------------------------------------------------------------

    def settlement(self, state: Tournament) -> Iterator[tuple[int, int]]:
        """Everybody there, by chips."""
        return iter(self._inside(state))

    def standings(self, state: Tournament) -> Iterator[Standing]:
        """By chips, or what was there at the end of a round; the last chips of who is out."""
        inside = sorted(self._inside(state), key=lambda item: (-item[1], item[0]))
        return standings_of(state, inside, [sum(run.stacks[-1:]) for run in _play(state).runs])

    @staticmethod
    def _inside(state: Tournament) -> list[tuple[int, int]]:
        runs, stack = _play(state).runs, _play(state).round and state.structure.stack

        def had(run: Run) -> int:
            """At the end of his round; who has not played in it yet, or will not, has his stack."""
            return run.stacks[-1] if run.stacks else stack

        return [
            (number, chips_of(state, number) if entry.table >= 0 else had(runs[number]))
            for number, entry in enumerate(state.entries)
            if entry.status in {EntryStatus.ENTERED, EntryStatus.PLAYING}
        ]


def _own_options(size: int, banker: int, rules: Rules) -> Pairs:
    return (
        ("max_seats", str(size)),
        ("min_players_to_start", "2"),
        ("min_players_to_continue", "2"),
        ("first_banker", "nominated"),
        ("nominated_seat", str(banker)),
        ("cover_mode", "table_stakes"),
        ("bank_sale", "off"),
        ("bank_passes", "never"),
        ("shuffle_each_deal", "false" if rules.unshuffled else "true"),
    )


def _asked(option: Option, structure: Structure) -> int:
    """What the structure says of an option of the game, read as the game reads it."""
    texts = dict(structure.options)
    if option.name not in texts:
        return cast("int", option.default)
    try:
        return cast("int", parse_value(option, texts[option.name]))
    except (KeyError, ValueError):
        invalid(f"options.{option.name}", option.expected)
