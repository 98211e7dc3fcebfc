"""Plays any game by its offers: ``bot.py TABLE SEAT CHIPS HANDS``.

KARTEJO_ADDRESS: where the service is, 127.0.0.1:50100 unless said.  KARTEJO_TOKEN: a token of the
role player.  It may be killed and started again at any time: it goes on in the seat that it has.
"""

import os
import sys
from random import Random

from kartejo_client import Client, Conflict, Refused, action, is_asked, random_action

GIVES_UP = {"abandon_game", "resign_bank"}


def play(kartejo: Client, table_id: str, seat: int, chips: int, hands: int) -> int:
    """Hold a seat until so many hands are over; how many decisions were answered."""
    found = kartejo.get_table(table_id)
    state, alone = found.state, found.table.seat_count == 1
    if seat not in state.seats:
        state = kartejo.take_seat(table_id, seat, chips).state
    last, answered, chance = state.decision.hand, 0, Random()
    for news in kartejo.watch_table(table_id, after_version=state.version):
        if not news.HasField("state"):
            continue
        state = news.state
        if state.decision.hand > last:
            last, hands = state.decision.hand, hands - 1
        between = not state.decision.hand
        try:
            if between and hands <= 0:
                kartejo.act(state, seat, action("common", "leave_seat"))
                break
            if is_asked(state, seat):
                kartejo.act(state, seat, random_action(state, chance, GIVES_UP))
                answered += 1
            elif between and alone:
                kartejo.start_hand(table_id)
        except (Conflict, Refused) as error:  # somebody was faster: the news of it are on their way
            print(f"seat {seat}: {error.reason}", file=sys.stderr)
    return answered


if __name__ == "__main__":
    address = os.getenv("KARTEJO_ADDRESS", "127.0.0.1:50100")
    with Client(address, os.environ["KARTEJO_TOKEN"]) as client:
        table, *numbers = sys.argv[1:]
        print(play(client, table, *map(int, numbers)), "decisions answered")
