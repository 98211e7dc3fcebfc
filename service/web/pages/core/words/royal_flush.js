// A game of Royal Flush.

import { list } from "../rpc.js";
import { counted } from "../words.js";

const WHY = /** @type {Record<string, string>} */ ({
  PLAYER: "",
  TIME_OUT: ": the time was over",
  LEFT: ": its player has left",
});

/** @type {Record<string, import("../words.js").Tell>} */
export const royalFlush = {
  gameStarted: (t, x) => t.heading(`Game ${x.gameNo}`),
  targetFixed: (t, x) => t.line("One hand is left possible: ", list(x.cards), "."),
  pilesDealt: (t, x) => t.line(`Round ${x.round}: the stock is dealt into ${counted(list(x.sizes).length, "pile")}.`),
  pileTurnedUp: (t, x) => t.line(`Pile ${x.pile}, ${counted(x.size, "card")}, is turned up.`),
  cardsDiscarded: (t, x) => t.line("Thrown away: ", list(x.cards), "."),
  cardFound: (t, x) => t.line("Found: ", [x.card], `, with ${counted(x.cardsUnder, "card")} below it.`),
  cardClaimed: (t, x) => t.line([x.card], " is claimed for the hand."),
  pileEmptied: (t, x) => t.line(`Nothing is left of pile ${x.pile}.`),
  pilesGathered: (t, x) => t.line(`The piles are gathered: ${counted(x.stockSize, "card")} in the stock.`),
  gameWon: (t, x) => t.line("Won: exactly the hand is left, ", list(x.hand), "."),
  gameLost: (t, x) => t.line(`Lost: ${counted(x.excess, "card")} too many, `, list(x.remaining), "."),
  gameAbandoned: (t, x) => t.line(`Given up${WHY[String(x.reason).replace("ROYAL_FLUSH_WHY_", "")] ?? ""}.`),
  deckRevealed: () => null,
};
