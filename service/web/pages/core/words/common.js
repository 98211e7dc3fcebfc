// Events that every game knows.

import { counted } from "../words.js";

/** @type {Record<string, import("../words.js").Tell>} */
export const common = {
  tableOpened: (t) => t.line("The table is open."),
  seatTaken: (t, x) => t.line(t.does(x.seat, "sit"), ` down with ${counted(x.chips, "chip")}.`),
  chipsAdded: (t, x) => t.line(t.does(x.seat, "add"), ` ${counted(x.amount, "chip")}.`),
  satOut: (t, x) => t.line(t.does(x.seat, "sit"), " out from the next hand on."),
  satIn: (t, x) => t.line(t.does(x.seat, "take"), " part again from the next hand on."),
  seatLeaving: (t, x) => t.line(t.does(x.seat, "leave"), " when the hand is over."),
  seatLeft: (t, x) => t.line(t.does(x.seat, "leave"), ` with ${counted(x.chips, "chip")}.`),
  turnTimedOut: (t, x) => t.line(t.does(x.seat, "run", "runs"), " out of time."),
  tableClosed: (t) => t.line("The table is closed."),
  deckShuffled: (t) => t.line("The cards are shuffled."),
  entropyContributed: (t, x) => t.line(t.does(x.seat, "add"), " randomness to the next shuffle."),
  epochVoided: (t) => t.line("The hand is void: its cards are lost, and every chip is back."),
  handsHeld: (t) => t.line("The tournament pauses: no hand begins."),
  handsReleased: () => null,
  optionsChanged: (t) => t.line("The stakes change from the next hand on."),
};
