// A deal of Royal Casino.

import { int, list } from "../rpc.js";
import { amount, counted, listed } from "../words.js";

/** @typedef {import("../words.js").Teller} Teller */

const ITEMS = /** @type {Record<string, string>} */ ({
  MOST_CARDS: "most cards",
  MOST_SPADES: "most spades",
  BIG_CASINO: "the ten of diamonds",
  LITTLE_CASINO: "the two of spades",
  ACE_S: "the ace of spades",
  ACE_C: "the ace of clubs",
  ACE_H: "the ace of hearts",
  ACE_D: "the ace of diamonds",
  SWEEPS: "sweeps",
});
const REASONS = /** @type {Record<string, string>} */ ({
  TARGET: "with the higher score",
  AUTOMATIC: "by the item that was asked for",
  OVERTIME: "in overtime",
  FORFEIT: "because nobody else is left",
  DEAL_CAP: "after the last deal",
  ABANDONED: "since everybody has gone",
});

/** An item in words; empty for none. @param {string | undefined} item */
export function itemTold(item) {
  return ITEMS[String(item ?? "").replace("ROYAL_CASINO_ITEM_", "")] ?? "";
}

/** @param {boolean | undefined} auto */
const byHouse = (auto) => (auto ? " (the house played)" : "");
/** @param {string | undefined} reason */
const why = (reason) => REASONS[String(reason ?? "").replace("ROYAL_CASINO_REASON_", "")] ?? "";
/** @param {any[] | undefined} groups */
const inGroups = (groups) => list(groups).flatMap(({ cards }, index) => (index ? [", ", cards] : [cards]));

/** @param {Teller} t @param {any} x */
function captured(t, x) {
  const taken = [
    ...list(x.groups).map(({ cards }) => [cards]),
    ...list(x.builds).map((build) => [`the build of ${build.value} (`, list(build.cards), ")"]),
  ].flatMap((parts, index) => (index ? [", ", ...parts] : parts));
  return t.line(t.does(x.seat, "take"), " ", ...taken, " with ", [x.card], `.${byHouse(x.auto)}`);
}

/** @param {Teller} t @param {any} x */
function scored(t, x) {
  const sides = list(x.after).map((after, side) => {
    const items = list(x.items)
      .filter((each) => each.side !== undefined && int(each.side) === side)
      .map((each) => `${itemTold(each.item)} ${int(each.points)}`);
    const gained = items.length ? ` (${items.join(", ")})` : "";
    const { told, isOne } = t.side(side, list(x.after).length);
    return `${told} ${isOne ? "has" : "have"} ${int(after)}${gained}`;
  });
  return t.line(`The cards are counted. ${sides.join(". ")}.`);
}

/** @type {Record<string, import("../words.js").Tell>} */
export const royalCasino = {
  satOut: (t, x) => t.line(t.does(x.seat, "sit"), " out: the house plays meanwhile."),
  satIn: (t, x) => t.line(t.does(x.seat, "are", "is"), " back."),
  seatLeaving: (t, x) => t.line(t.does(x.seat, "leave"), " the game; the house plays on."),
  gameStarted: (t, x) => t.line(`A game begins; ${t.does(x.firstDealer, "deal").replace(/^You/, "you")} first.`),
  stakePosted: (t, x) => t.line(t.does(x.seat, "pay"), ` ${counted(x.amount, "chip")} into the pot.`),
  dealStarted: (t, x) => {
    const locks = list(x.locks)
      .map((lock, side, all) => {
        const { told, isOne } = t.side(side, all.length);
        return itemTold(lock) ? ` ${told} ${isOne ? "wins" : "win"} by ${itemTold(lock)} only.` : "";
      })
      .join("");
    return t.heading(`Deal ${x.dealNo}: ${t.does(x.dealer, "deal")}.${locks}`);
  },
  handDealt: (t, x) =>
    list(x.cards).includes(0) ? null : t.line(t.does(x.seat, "get"), " ", list(x.cards), "."),
  tableDealt: (t, x) => t.line("On the table: ", list(x.cards), "."),
  cardTrailed: (t, x) => t.line(t.does(x.seat, "leave"), " ", [x.card], ` on the table.${byHouse(x.auto)}`),
  cardsCaptured: captured,
  buildCreated: (t, x) =>
    t.line(t.does(x.seat, "build"), ` ${x.value} with `, [x.card], ": ", ...inGroups(x.groups), "."),
  buildExtended: (t, x) =>
    t.line(t.does(x.seat, "add"), " ", ...inGroups(x.addedGroups), ` to the build of ${x.value}.`),
  buildRaised: (t, x) =>
    t.line(t.does(x.seat, "raise"), ` the build of ${x.oldValue} to ${x.value} with `, [x.card], "."),
  sweepMade: (t, x) => t.line(t.does(x.seat, "sweep"), " the table."),
  residueAwarded: (t, x) =>
    t.line("What is left, ", list(x.cards), `, goes to ${t.whom(x.seat)}, who took last.`),
  dealStopped: (t) => t.line("The deal is stopped: the game is decided."),
  dealScored: scored,
  deckRevealed: () => null,
  overtimeStarted: (t) => t.line("A tie: they play on until one side is ahead."),
  dealEnded: (t, x) => t.line(t.does(x.nextDealer, "deal"), " next."),
  sideForfeited: (t, x) => t.line(`Side ${int(x.side)} has left the game.`),
  gameWon: (t, x) => {
    const seats = list(x.seats);
    const names = listed(seats.map((seat, index) => (index ? t.whom(seat) : t.name(seat))));
    const verb = seats.length === 1 && int(seats[0]) !== t.me ? "wins" : "win";
    return t.line(`${names} ${verb} ${why(x.reason)}, ${list(x.scores).map(int).join(" to ")}.`);
  },
  gameDrawn: (t, x) =>
    t.line(
      `${listed(list(x.sides).map((side) => t.side(side, list(x.scores).length).told))} share the pot ${why(x.reason)}.`,
    ),
  potPaid: (t, x) => t.line(t.does(x.seat, "get"), ` ${amount(x.amount)} from the pot.`),
};
