"""A table, the count of a deal and the end of a game, from the specification (see ``second``)."""

from __future__ import annotations

from typing import Any

from tests.games.royal_casino.second_words import ITEM_CARDS, place, text

__all__ = ["Ends"]


class Ends:
    """What the table holds, and what follows the last card of a round."""

    def __init__(self, options: dict[str, str], chips: int) -> None:
        self.o = options
        self.n = int(options["players"])
        self.target = int(options["target_score"])
        self.step = 1 if options["direction"] == "clockwise" else -1
        self.nsides = 2 if self.n == 4 else self.n
        self.phase = "LOBBY"
        self.stacks: list[int | None] = [chips] * self.n
        self.pot = self.deals = 0
        self.late, self.out, self.left = [0] * self.n, set[int](), set[int]()
        self.dealer: int | None = None
        self.scores = [0] * self.nsides
        self.overtime = False
        self.clear()

    def clear(self) -> None:
        self.hands: list[list[str]] = [[] for _ in range(self.n)]
        self.loose: list[str] = []
        self.builds: dict[int, dict[str, Any]] = {}
        self.piles: list[list[str]] = [[] for _ in range(self.nsides)]
        self.sweeps = [0] * self.nsides
        self.turn = self.last = -1
        self.built = 0
        self.own = False

    # --- small words of the specification ---------------------------------------------------

    def order(self, first: int) -> list[int]:
        return [(first + self.step * i) % self.n for i in range(self.n)]  # 2.3

    def following(self, dealer: int) -> int:
        step = self.step if self.o["dealer_rotation"] == "with_play" else -self.step
        return (dealer + step) % self.n  # 9.1

    def side_order(self, first: int) -> list[int]:
        return list(dict.fromkeys(seat % self.nsides for seat in self.order(first)))

    def gone(self) -> set[int]:
        """Forfeited sides (10.5)."""
        return {s for s in range(self.nsides) if set(range(s, self.n, self.nsides)) <= self.left}

    def lock(self, side: int) -> str | None:
        """7.5.1."""
        if self.overtime or self.o["endgame_rule"] == "off":
            return None
        away = self.target - self.scores[side]
        return {3: "MOST_CARDS", 2: "BIG_CASINO", 1: "LITTLE_CASINO"}.get(away)

    def say(self, event: str, **fields: Any) -> None:
        self.told.append(" ".join([event, *(f"{k}={text(v)}" for k, v in fields.items())]))

    def free(self, seat: int) -> None:
        self.say("SeatLeft", seat=seat, chips=self.stacks[seat])
        self.stacks[seat], self.late[seat] = None, 0
        self.out.discard(seat)
        self.left.discard(seat)

    def hand_out(self) -> None:
        order = self.order((self.dealer or 0) + self.step)
        for seat in order:
            self.hands[seat], self.stock = self.stock[:4], self.stock[4:]
            self.say("HandDealt", seat=seat, count=4, cards=list(self.hands[seat]))
        self.turn = order[0]

    # --- the end of deals and games (7, 8, 9) --------------------------------------------------

    def played(self, seat: int, card: str | None, *, auto: bool) -> None:
        if card is not None:
            self.hands[seat].remove(card)
        if not auto:
            self.own, self.late[seat] = True, 0  # 10.3, 10.6
        self.turn = (seat + self.step) % self.n
        if any(self.hands):
            return
        assert not self.builds, "5.9"
        if self.stock:
            self.hand_out()  # 5.5
        else:
            self.end_deal()

    def at_once(self, seat: int) -> bool:
        """7.6."""
        if self.o["auto_win_timing"] != "instant":
            return False
        sizes = [len(pile) for pile in self.piles]
        for side in self.side_order(seat):
            lock = self.lock(side)
            if lock == "MOST_CARDS":
                rivals = [size for other, size in enumerate(sizes) if other != side]
                has = all(sizes[side] > size + 52 - sum(sizes) for size in rivals)
            else:
                has = lock is not None and any(
                    card in self.piles[side] for item, card, _ in ITEM_CARDS if item == lock
                )
            if has and side not in self.gone():
                self.say("DealStopped", reason="AUTOMATIC")
                self.say("DeckRevealed", deck=self.whole)
                self.scores[side] = self.target
                self.won(side, "AUTOMATIC")
                return True
        return False

    def items(self) -> list[tuple[str, int | None, int]]:
        """7.2."""

        def most(numbers: list[int]) -> int | None:
            best = [side for side, number in enumerate(numbers) if number == max(numbers)]
            return best[0] if len(best) == 1 else None

        found = [("MOST_CARDS", most([len(pile) for pile in self.piles]), 3)]
        found.append(("MOST_SPADES", most(self.spades()), 1))
        for item, card, points in ITEM_CARDS:
            found += [(item, s, points) for s in range(self.nsides) if card in self.piles[s]]
        for side, raw in enumerate(self.sweeps):  # 7.3.3
            net = raw - max(r for other, r in enumerate(self.sweeps) if other != side)
            if net > 0:
                found.append(("SWEEPS", side, net))
        return found

    def spades(self) -> list[int]:
        return [sum(card[1] == "s" for card in pile) for pile in self.piles]

    def end_deal(self) -> None:
        """5.7, 6.1.3, 7.7."""
        if self.loose:
            side = self.last % self.nsides
            cards = sorted(self.loose, key=place)
            self.piles[side] += cards
            self.loose = []
            self.say("ResidueAwarded", seat=self.last, side=side, cards=cards)
            if self.at_once(self.last):
                return
        locks = [self.lock(side) for side in range(self.nsides)]
        before, now, gone = list(self.scores), list(self.scores), self.gone()
        automatic: list[int] = []
        awarded: list[list[Any]] = []
        first = None
        for item, side, full in self.items():
            if side is None:
                awarded.append([item, None, 0])
                continue
            if locks[side] == item:
                points = self.target - now[side]
                automatic.append(side)
            elif locks[side] is not None and self.o["endgame_rule"] == "locked":
                points = 0  # 7.5.2
            elif locks[side] is not None:  # 7.5.3
                late = item == "SWEEPS" and before[side] > self.target - 3
                room = self.target - 1 - now[side]
                points = 0 if late or side in automatic else min(full, room)
            else:
                points = full
            now[side] += points
            awarded.append([item, side, points])
            stops = self.o["count_order"] == "sequential" and side not in gone
            if stops and now[side] >= self.target:
                first = side
                break
        sizes = [len(pile) for pile in self.piles]
        fields = {"counts": sizes, "spades": self.spades(), "raw_sweeps": self.sweeps}
        self.say("DealScored", items=awarded, before=before, after=now, **fields)
        self.say("DeckRevealed", deck=self.whole)
        self.scores = now
        self.decide([side for side in automatic if side not in gone], first)

    def decide(self, automatic: list[int], first: int | None) -> None:
        rivals = [side for side in range(self.nsides) if side not in self.gone()]
        top = max(self.scores[side] for side in rivals)
        best = [side for side in rivals if self.scores[side] == top]
        winner = self.winner(automatic, first, best)
        absent = self.out | self.left == set(range(self.n)) and not self.own
        capped = self.deals == int(self.o["max_deals"])
        if winner is not None:
            self.won(*winner)
        elif not capped and not absent:
            self.dealer = self.following(self.dealer or 0)
            self.phase = "BETWEEN_DEALS"
            self.say("DealEnded", next_dealer=self.dealer)
        elif len(best) == 1:  # 9.4, 10.6
            self.won(best[0], "DEAL_CAP" if capped else "ABANDONED")
        else:
            reason = "DEAL_CAP" if capped else "ABANDONED"
            self.say("GameDrawn", sides=best, reason=reason, scores=self.scores)
            self.pay(best)

    def winner(
        self, automatic: list[int], first: int | None, best: list[int]
    ) -> tuple[int, str] | None:
        """7.7."""
        if self.o["count_order"] == "sequential":
            reason = "AUTOMATIC" if first in automatic else "TARGET"
            return None if first is None else (first, reason)
        if self.overtime:
            return (best[0], "OVERTIME") if len(best) == 1 else None
        if len(automatic) == 1:
            return automatic[0], "AUTOMATIC"
        reached = self.scores[best[0]] >= self.target
        if not automatic and reached and len(best) == 1:
            return best[0], "TARGET"
        if automatic or reached:
            self.overtime = True
            self.say("OvertimeStarted", scores=self.scores)
        return None

    def won(self, side: int, reason: str) -> None:
        seats = list(range(side, self.n, self.nsides))
        self.say("GameWon", side=side, seats=seats, reason=reason, scores=self.scores)
        self.pay([side])

    def pay(self, sides: list[int]) -> None:
        """8.2 to 8.4, 10.4."""
        self.phase = "GAME_OVER"
        first = (self.dealer or 0) + self.step
        sides = [side for side in self.side_order(first) if side in sides]
        due = dict.fromkeys(range(self.n), 0)
        for rank, side in enumerate(sides):
            part = self.pot // len(sides) + (rank < self.pot % len(sides))
            seats = [s for s in self.order(first) if s % self.nsides == side]
            seats = [s for s in seats if s not in self.left]
            for place_, seat in enumerate(seats):
                due[seat] = part // len(seats) + (place_ < part % len(seats))
        for seat in self.order(first):
            if due[seat]:
                self.say("PotPaid", seat=seat, amount=due[seat])
                self.stacks[seat] = (self.stacks[seat] or 0) + due[seat]
        self.pot = 0
        for seat in sorted(self.left):
            self.free(seat)
