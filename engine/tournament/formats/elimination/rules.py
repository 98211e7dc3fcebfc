"""Elimination over many tables, for Palace Poker: who has no chips is out, the last one in wins.

A table that rests deals again as soon as nothing stands against it (:mod:`~.dealing`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, cast

from engine.errors import Refused
from engine.events import Event, Pairs
from engine.options import Kind, Option
from engine.tournament import events as e
from engine.tournament.actions import HandEnded, PlayerAsks, TakeAddOn
from engine.tournament.chips import busted, buy_add_on, by_chips, check_chips, chips_of
from engine.tournament.format import Deal, Format, Standing
from engine.tournament.formats.elimination.balancing import breaks_now, roomy
from engine.tournament.formats.elimination.bets import BETS, bets_of, check_bets
from engine.tournament.formats.elimination.dealing import (
    deal,
    is_together,
    last_ones,
    rearrange,
)
from engine.tournament.formats.elimination.sizes import Play, longest, play_of, resized
from engine.tournament.levels import (
    begin_level,
    end_break,
    end_level,
    is_level_played,
    start_break_when_all_rest,
)
from engine.tournament.persistent import members
from engine.tournament.standings import close_entries, finish, rank_out
from engine.tournament.state import EntryStatus, Phase, Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import Structure, invalid, read_settings
from engine.tournament.tables import TABLES_AT_ONCE, draw_tables, entered, open_table

__all__ = ["Elimination"]


class Elimination(Format):
    """See the module."""

    KEY: ClassVar[str] = "elimination"
    GAMES: ClassVar[Mapping[str, tuple[int, int]]] = {"palace_poker": (2, 10)}
    SETTINGS: ClassVar[tuple[Option, ...]] = (
        Option(
            "hand_for_hand",
            Kind.INT,
            1,
            "so many places before the money all tables deal at the same time; 0: never",
            high=1_000,
        ),
    )
    EVENTS: ClassVar[tuple[type[Event], ...]] = ()

    def check(self, structure: Structure) -> None:
        """Levels with an even small bet each, chips to play for, and somebody to play against."""
        if structure.min_entrants < 2:
            invalid("min_entrants", "2 or more")
        if not structure.stack:
            invalid("stack", "1 or more chips")
        if not structure.levels:
            invalid("levels", "one or more")
        for number, level in enumerate(structure.levels):
            check_bets(f"levels[{number}].options", level.options)
        for name, _ in structure.options:
            if name in BETS:
                invalid("options", f"{name} left to the levels")
            if name == "max_seats":
                invalid("options", f"{name} left to table_size")
        if TABLES_AT_ONCE.name in dict(structure.settings):
            expected = "left out: all tables play against each other, at the same time"
            invalid(f"settings.{TABLES_AT_ONCE.name}", expected)
        read_settings(self.SETTINGS, structure)

    def initial(self, structure: Structure) -> Play:
        """Nothing yet, but the setting."""
        settings = read_settings(self.SETTINGS, structure)
        return Play(hand_for_hand=cast("int", settings["hand_for_hand"]))

    def follow(self, before: Tournament, state: Tournament, event: Event) -> Play:
        """Count the tables anew that the event named, and who lost all his chips."""
        play = play_of(state)
        match event:
            case e.TableDrawn(table) | e.TableBroken(table) | e.EntryPlaced(_, table):
                return play._replace(sizes=resized(play.sizes, state, [table]))
            case e.MoveOrdered(entry, table):
                tables = [state.entries[entry].table, table]
                return play._replace(sizes=resized(play.sizes, state, tables))
            case e.EntryOut(entry):
                tables = [state.entries[entry].table, state.entries[entry].to_table]
                return play._replace(
                    sizes=resized(play.sizes, state, tables),
                    busted=tuple(item for item in play.busted if item[0] != entry),
                )
            case e.DealPlayed():
                return play._replace(busted=play.busted + busted(before, event))
            case e.LevelBegan():
                return play._replace(deals=state.deals)
            case _:
                return play

    def begin(self, steps: Steps, draw: Draw) -> None:
        """Seats are drawn; the first level begins when all tables are open."""
        draw_tables(steps, draw, "seats", entered(steps.state), steps.state.structure.table_size)

    def entered(self, steps: Steps, entry: int, draw: Draw) -> None:
        """A late entry draws a seat at the shortest table, or opens another one."""
        state = steps.state
        _, table = next(roomy(state, play_of(state).sizes, state.standing), (0, -1))
        if table < 0:
            open_table(steps, [entry], state.structure.table_size)
            return
        seats = state.tables[table].open_seats()
        seat = seats[steps.draw(draw, "late_seat", len(seats))[0]]
        steps.emit(e.EntryPlaced(entry, table, seat))

    def asked(self, steps: Steps, entry: int, action: PlayerAsks) -> None:
        """The add-on."""
        if not isinstance(action, TakeAddOn):
            raise Refused("UNKNOWN_ACTION", action=type(action).__name__)
        buy_add_on(steps, entry)

    def check_report(self, state: Tournament, report: HandEnded) -> None:
        """Chips come from the stacks that are known, and none are made or lost."""
        check_chips(state, report)

    def hand_ended(self, steps: Steps, report: HandEnded, draw: Draw) -> None:
        """Who lost all is out: hand for hand once the hands of all tables are over."""
        waiting = longest(play_of(steps.state).sizes)
        together = is_together(steps.state, report.table)
        if together and steps.state.dealing:
            return
        self._rank(steps)
        if steps.state.phase is not Phase.RUNNING:
            return
        if is_level_played(steps.state, play_of(steps.state).deals):
            end_level(steps)
        start_break_when_all_rest(steps)
        tables = steps.state.resting if together else 1 << report.table
        self._go_on(steps, tables, waiting, draw)

    def table_rests(self, steps: Steps, tables: int, draw: Draw) -> None:
        """Let resting tables go on."""
        if steps.state.level < 0 and not steps.state.opening:
            begin_level(steps, 0)
            tables = steps.state.resting
        self._go_on(steps, tables, longest(play_of(steps.state).sizes), draw)

    def table_done(self, steps: Steps, table: int, draw: Draw) -> None:
        """Nobody sat there any more."""

    def clock_ran_out(self, steps: Steps, draw: Draw) -> None:
        """A level or a break is over."""
        if steps.state.on_break:
            end_break(steps)
            self.table_rests(steps, steps.state.resting, draw)
        else:
            end_level(steps)

    def disqualified(self, steps: Steps, entry: int, draw: Draw) -> None:
        """It is out behind all others who have no place yet."""
        waiting, together = longest(play_of(steps.state).sizes), is_together(steps.state)
        rank_out(steps, [(entry, 0)])
        if steps.state.left == 1 or not is_together(steps.state):  # so no round is waited for
            self._rank(steps)
        table = steps.state.entries[entry].table
        one = 1 << table if table >= 0 else 0
        tables = steps.state.resting if together else one
        self._go_on(steps, tables, waiting, draw)

    def deal(self, state: Tournament, table: int) -> Deal:
        """The bets of the level: the ante is half the small bet."""
        return Deal(bets_of(state.structure.levels[state.tables[table].level].options))

    def openings(self, structure: Structure) -> Iterator[tuple[str, Pairs]]:
        """The bets of each level."""
        for number, level in enumerate(structure.levels):
            yield f"levels[{number}].options", (*structure.options, *bets_of(level.options))

    def settlement(self, state: Tournament) -> Iterator[tuple[int, int]]:
        """Those still in, by chips."""
        for number, entry in enumerate(state.entries):
            if entry.status is EntryStatus.PLAYING:
                yield number, chips_of(state, number)

    def standings(self, state: Tournament) -> Iterator[Standing]:
        """Those still in by chips, then those who are out by place."""
        return by_chips(state)

    @staticmethod
    def _rank(steps: Steps) -> None:
        """Give places to those who lost all; when one is left it is over.

        None is left where the last ones lost all to a stack that was excluded.
        """
        rank_out(steps, play_of(steps.state).busted)
        if steps.state.left > 1:
            return
        if steps.state.accepts:
            close_entries(steps)
        rank_out(steps, [(entry, 0) for entry in last_ones(steps.state)])
        finish(steps)

    def _go_on(self, steps: Steps, tables: int, waiting: int, draw: Draw) -> None:
        """Let resting tables go on, and those that waited for what follows from it.

        ``waiting``: players at the longest table before: a table that was too short for that one
        may deal once it is shorter itself.
        """
        if play_of(steps.state).busted:
            return  # a round hand for hand: until it is ranked, some have nothing to move with
        while steps.state.phase is Phase.RUNNING and steps.state.level >= 0:
            if is_together(steps.state) and not (steps.state.dealing or steps.state.busy):
                tables = steps.state.resting  # seats have opened since they were looked at
            for table in members(tables & steps.state.resting):
                rearrange(steps, table, draw)
            while (broken := breaks_now(steps.state, play_of(steps.state).sizes)) is not None:
                rearrange(steps, broken, draw)
            deal(steps, tables)
            now = longest(play_of(steps.state).sizes)
            if now >= waiting:
                return
            tables, waiting = steps.state.resting & ~steps.state.busy, now
