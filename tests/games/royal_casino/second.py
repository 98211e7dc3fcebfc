"""Royal Casino once more, written from the specification alone, to be compared event by event.

Cards are names, events are the lines of a script, everything is tried out rather than searched.
Nothing of the game's own code is used.  Comments name the clauses of royal_casino.
"""

from __future__ import annotations

from typing import Any

from tests.games.royal_casino.second_ends import Ends
from tests.games.royal_casino.second_words import PACK, No, divided, high, low, place

__all__ = ["Second"]

BIGGEST = 2**63 - 1


class Second(Ends):
    """A table with players in the lobby; ``act`` returns events, or the reason of a refusal."""

    # --- what is done ---------------------------------------------------------------------------

    def act(self, actor: int, name: str, deck: list[str], **fields: Any) -> list[str] | str:
        self.told: list[str] = []
        self.deck = deck
        try:
            getattr(self, name)(actor, **fields)
        except No as no:
            assert not self.told, "a refusal changes nothing"
            return str(no)
        while self.phase == "PLAYING" and self.turn in self.out | self.left:  # 10.3
            self.automatic()
        return self.told

    def wants(self, *phases: str) -> None:
        if self.phase not in phases:
            raise No("TABLE_CLOSED" if self.phase == "CLOSED" else "WRONG_PHASE")  # 6.1.1

    def member(self, seat: int) -> None:
        if self.phase == "CLOSED":
            raise No("TABLE_CLOSED")
        if not 0 <= seat < self.n or self.stacks[seat] is None:
            raise No("NOT_SEATED")
        if seat in self.left:
            raise No("ALREADY_LEAVING")

    def chips(self) -> int:
        return self.pot + sum(chips or 0 for chips in self.stacks)

    def take_seat(self, seat: int, player: str, chips: int) -> None:
        if not 0 <= chips <= BIGGEST:  # 6.2.1
            raise No("BAD_PARAMETER")
        self.wants("LOBBY", "GAME_OVER")
        if not 0 <= seat < self.n:
            raise No("SEAT_OUT_OF_RANGE")
        if self.stacks[seat] is not None:
            raise No("SEAT_TAKEN")
        if chips < int(self.o["stake"]):
            raise No("INSUFFICIENT_CHIPS")
        if self.chips() + chips > BIGGEST:
            raise No("BAD_PARAMETER")
        self.stacks[seat] = chips
        self.say("SeatTaken", seat=seat, player=player, chips=chips)

    def add_chips(self, seat: int, amount: int) -> None:
        if not 1 <= amount <= BIGGEST:
            raise No("BAD_PARAMETER")
        self.member(seat)
        if self.phase == "PLAYING":
            raise No("IN_HAND")
        if self.chips() + amount > BIGGEST:
            raise No("BAD_PARAMETER")
        self.stacks[seat] = (self.stacks[seat] or 0) + amount
        self.say("ChipsAdded", seat=seat, amount=amount)

    def sit_out(self, seat: int) -> None:
        self.member(seat)
        if seat in self.out:
            raise No("ALREADY_OUT")
        self.out.add(seat)
        self.say("SatOut", seat=seat)

    def sit_in(self, seat: int) -> None:
        self.member(seat)
        if seat not in self.out:
            raise No("NOT_OUT")
        self.out.remove(seat)
        self.say("SatIn", seat=seat)

    def leave_seat(self, seat: int) -> None:
        self.member(seat)
        if self.phase not in {"BETWEEN_DEALS", "PLAYING"}:  # 10.4
            self.free(seat)
            return
        self.left.add(seat)
        self.say("SeatLeaving", seat=seat)
        if seat % self.nsides in self.gone():  # 10.5
            self.say("SideForfeited", side=seat % self.nsides)
            (*rivals,) = set(range(self.nsides)) - self.gone()
            if len(rivals) == 1:
                if self.phase == "PLAYING":
                    self.say("DealStopped", reason="FORFEIT")
                    self.say("DeckRevealed", deck=self.whole)
                self.won(rivals[0], "FORFEIT")

    def close_table(self, actor: int) -> None:
        self.wants("LOBBY", "GAME_OVER")
        for seat in range(self.n):
            if self.stacks[seat] is not None:
                self.free(seat)
        self.say("TableClosed", reason="HOST")
        self.phase = "CLOSED"

    def start_game(self, actor: int, first_dealer: int | None = None) -> None:
        if first_dealer is not None and not 0 <= first_dealer < self.n:  # 6.2.2
            raise No("BAD_PARAMETER")
        self.wants("LOBBY", "GAME_OVER")
        stake = int(self.o["stake"])
        stacks = [chips for chips in self.stacks if chips is not None]
        if len(stacks) < self.n:
            raise No("SEATS_NOT_FULL")
        if self.out:
            raise No("SEATS_NOT_READY")
        if min(stacks) < stake:
            raise No("INSUFFICIENT_CHIPS")
        first = first_dealer if self.dealer is None else self.following(self.dealer)
        if self.o["first_dealer"] != "none":
            first = int(self.o["first_dealer"])
        if first is None:
            raise No("BAD_PARAMETER")
        self.dealer, self.phase = first, "BETWEEN_DEALS"
        self.scores, self.overtime, self.deals = [0] * self.nsides, False, 0
        self.say("GameStarted", first_dealer=first)
        if stake:
            self.pot = stake * self.n
            self.stacks = [chips - stake for chips in stacks]
            for seat in range(self.n):
                self.say("StakePosted", seat=seat, amount=stake)

    def start_deal(self, actor: int) -> None:
        self.wants("BETWEEN_DEALS")  # 6.3
        self.deals += 1
        self.clear()
        locks = [self.lock(side) for side in range(self.nsides)]
        first = {"deal_no": self.deals, "dealer": self.dealer, "locks": locks}
        self.say("DealStarted", **first, overtime=self.overtime)
        self.say("DeckShuffled", purpose="DEAL", order=self.deck)
        self.whole, self.stock = list(self.deck), list(self.deck)
        self.phase = "PLAYING"
        self.hand_out()
        self.loose, self.stock = self.stock[:4], self.stock[4:]
        self.say("TableDealt", cards=self.loose)

    def time_out(self, actor: int) -> None:
        self.wants("PLAYING")  # 10.1, 10.3
        seat = self.turn
        self.late[seat] += 1
        self.say("TurnTimedOut", seat=seat)
        if self.late[seat] >= int(self.o["max_timeouts"]):
            self.out.add(seat)
            self.say("SatOut", seat=seat)
        self.automatic()

    def automatic(self) -> None:
        """10.2."""
        seat = self.turn
        hand = sorted(self.hands[seat], key=lambda card: (high(card), card[1]))
        for card in hand:
            if not self.refusal("trail_card", seat, card):
                return self.trail(seat, card, auto=True)
        for card in hand:
            twins = [other for other in self.loose if other[0] == card[0]]
            taken = [n for n, b in self.builds.items() if b["value"] == high(card)]
            if not self.refusal("capture_cards", seat, card, twins, taken):
                return self.capture(seat, card, twins, taken, auto=True)
        raise AssertionError("5.8")

    # --- plays ------------------------------------------------------------------------------

    def refusal(self, kind: str, *fields: Any) -> str:
        try:
            getattr(self, "check_" + kind)(*fields)
        except No as no:
            return str(no)
        return ""

    def common(self, seat: int, card: Any, loose: list[str], builds: list[Any], value: Any) -> None:
        """6.1.2."""
        for listed in (loose, builds):
            if card is None or len(set(listed)) < len(listed) or value not in range(2, 15):
                raise No("BAD_PARAMETER")
        if not {card, *loose} <= set(PACK):
            raise No("INVALID_CARD")
        self.wants("PLAYING")
        if not 0 <= seat < self.n:
            raise No("NOT_SEATED")
        if seat != self.turn:
            raise No("NOT_YOUR_TURN")
        if card not in self.hands[seat]:
            raise No("CARD_NOT_IN_HAND")
        built = [c for build in self.builds.values() for group in build["groups"] for c in group]
        for wanted in loose:
            if wanted not in self.loose:
                raise No("CARD_IN_BUILD" if wanted in built else "CARD_NOT_ON_TABLE")
        if not set(builds) <= set(self.builds):
            raise No("BUILD_NOT_ON_TABLE")

    def keeps(self, seat: int, card: str, without: list[int]) -> bool:
        """6.5.7."""
        held = {high(other) for other in self.hands[seat] if other != card}
        own = [n for n, b in self.builds.items() if b["owner"] == seat and n not in without]
        return all(self.builds[n]["value"] in held for n in own)

    def check_trail_card(self, seat: int, card: Any) -> None:
        self.common(seat, card, [], [], 2)
        if any(build["owner"] == seat for build in self.builds.values()):  # 6.6.1
            raise No("OWNS_BUILD")
        if any(other[0] == card[0] for other in self.loose):
            raise No("MATCHING_LOOSE_CARD")

    def check_capture_cards(
        self, seat: int, card: Any, loose: list[str], builds: list[int]
    ) -> None:
        self.common(seat, card, loose, builds, 2)
        if not loose and not builds:  # 6.4.2 to 6.4.6
            raise No("NOTHING_CAPTURED")
        if any(self.builds[number]["value"] != high(card) for number in builds):
            raise No("BUILD_VALUE_MISMATCH")
        if divided(loose, high(card)) is None:
            raise No("SET_SUM_MISMATCH")
        twins = {other for other in self.loose if other[0] == card[0]}
        if self.o["equal_card_rule"] == "must_take_equal" and twins and not twins & set(loose):
            raise No("MUST_TAKE_EQUAL_CARD")
        if not self.keeps(seat, card, builds):
            raise No("MUST_KEEP_CAPTURE_CARD")

    def check_build_cards(
        self, seat: int, card: Any, value: Any, loose: list[str], base: int | None
    ) -> None:
        self.common(seat, card, loose, [] if base is None else [base], value)
        build = self.builds[base] if base is not None else {"value": value, "owner": -1}
        partner = (seat + 2) % 4 if self.n == 4 else -2
        if build["owner"] == partner and self.o["partner_builds"] == "forbidden":  # 6.5.3
            raise No("PARTNER_BUILD")
        raises = build["value"] != value
        if raises:  # 6.5.4
            if len(build["groups"]) > 1:
                raise No("MULTIPLE_BUILD_FIXED")
            if build["owner"] == seat and self.o["raise_own_build"] == "false":
                raise No("OWN_BUILD_RAISE")
            if build["value"] + low(card) != value:
                raise No("BUILD_SUM_MISMATCH")
        if divided(loose if raises else [*loose, card], value) is None:  # 6.5.5
            raise No("BUILD_SUM_MISMATCH")
        if base is None and not loose:
            raise No("BUILD_TOO_SMALL")
        if value not in [high(other) for other in self.hands[seat] if other != card]:  # 6.5.6
            raise No("NO_CAPTURE_CARD")
        if not self.keeps(seat, card, [] if base is None else [base]):
            raise No("MUST_KEEP_CAPTURE_CARD")

    def trail_card(self, seat: int, card: Any = None) -> None:
        self.check_trail_card(seat, card)
        self.trail(seat, card, auto=False)

    def capture_cards(self, seat: int, card: Any, loose: list[str], builds: list[int]) -> None:
        self.check_capture_cards(seat, card, loose, builds)
        self.capture(seat, card, loose, builds, auto=False)

    def build_cards(self, seat: int, card: Any, value: Any, loose: list[str], base: Any) -> None:
        self.check_build_cards(seat, card, value, loose, base)
        raises = base is not None and self.builds[base]["value"] != value
        groups = divided(loose if raises else [*loose, card], value) or []
        event: dict[str, Any] = {"seat": seat, "card": card}
        if base is None:  # 6.5.8
            self.built += 1
            self.builds[self.built] = {"value": value, "owner": seat, "groups": groups}
            kind = "SINGLE" if len(groups) == 1 else "MULTIPLE"
            event |= {"id": f"b{self.built}", "value": value, "kind": kind, "groups": groups}
            self.say("BuildCreated", **event)
        else:
            build = self.builds[base]
            owner = build["owner"]
            if raises:
                first = sorted([*build["groups"][0], card], key=place)
                kind = "MULTIPLE" if groups else "SINGLE"
                event |= {"id": f"b{base}", "old_value": build["value"], "value": value}
                event |= {"kind": kind, "added_groups": groups, "previous_owner": owner}
                self.say("BuildRaised", **event)
                build |= {"value": value, "owner": seat, "groups": [first, *groups]}
            else:
                event |= {"id": f"b{base}", "value": value}
                self.say("BuildExtended", **event, added_groups=groups, previous_owner=owner)
                build |= {"owner": seat, "groups": build["groups"] + groups}
        self.loose = [other for other in self.loose if other not in loose]
        self.played(seat, card, auto=False)

    def trail(self, seat: int, card: str, *, auto: bool) -> None:
        self.say("CardTrailed", seat=seat, card=card, auto=auto)
        self.loose.append(card)
        self.played(seat, card, auto=auto)

    def capture(
        self, seat: int, card: str, loose: list[str], builds: list[int], *, auto: bool
    ) -> None:
        side = seat % self.nsides
        told, pile = [], self.piles[side]
        for number in sorted(builds):
            build = self.builds.pop(number)
            cards = [each for group in build["groups"] for each in group]
            told.append([f"b{number}", f"{build['value']}/{build['owner']}", *cards])
            pile += cards
        groups = divided(loose, high(card)) or []
        fields = {"card": card, "groups": groups, "builds": told, "auto": auto}
        self.say("CardsCaptured", seat=seat, **fields)  # 6.4.7
        pile += [card, *loose]
        self.loose = [other for other in self.loose if other not in loose]
        self.last = seat
        self.hands[seat].remove(card)
        is_last = not self.stock and not any(self.hands)
        counts = self.o["sweeps"] == "true" and (not is_last or self.o["last_play_sweep"] == "true")
        if counts and not self.loose and not self.builds:  # 7.3
            self.sweeps[side] += 1
            self.say("SweepMade", seat=seat, side=side)
        if not self.at_once(seat):
            self.played(seat, None, auto=auto)
        elif not auto:
            self.late[seat] = 0
