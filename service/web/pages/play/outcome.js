// How the last hand ended: who won and lost how much, and what a table shows of it.

import { el } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { amount, counted, listed } from "../core/words.js";
import { itemTold } from "../core/words/royal_casino.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {import("../core/words.js").Teller} Teller */

/**
 * What is known of a hand.
 * @typedef {object} Known
 * @property {number} hand  its number, as replays know it; 0: not known
 * @property {string} noun  what the game calls it
 * @property {Map<number, number>} gains  chips or points by seat
 * @property {string} unit  what gains are counted in
 * @property {Map<number, string>} notes  what made them, by seat
 * @property {string} title  instead of who won
 * @property {boolean} isOver
 */

/** @param {string} noun @param {unknown} [hand] @param {string} [unit] @returns {Known} */
const begun = (noun, hand, unit = "chip") =>
  ({ hand: int(hand), noun, gains: new Map(), unit, notes: new Map(), title: "", isOver: false });

/** @param {Known} known @param {unknown} seat @param {number} gain */
function add({ gains }, seat, gain) {
  gains.set(int(seat), (gains.get(int(seat)) ?? 0) + gain);
}

/** @typedef {(known: Known, x: any, teller: Teller) => Known | void} Fold */

/** @type {Record<string, Record<string, Fold>>} */
const FOLDS = {
  palacePoker: {
    handStarted: (_, x) => {
      const known = begun("hand", x.hand);
      for (const { seat, chips } of list(x.seats)) add(known, seat, -int(chips));
      return known;
    },
    handEnded: (known, x) => {
      for (const { seat, chips } of list(x.stacks)) add(known, seat, int(chips));
      known.isOver = true;
    },
  },
  pontoon: {
    dealStarted: (_, x) => {
      const known = begun("deal", x.deal);
      for (const seat of [x.banker, ...list(x.punters)]) add(known, seat, 0);
      known.notes.set(int(x.banker), "the bank");
      return known;
    },
    stakeCollected: (known, x) => against(known, x.seat, -int(x.amount)),
    handSettled: (known, x) => against(known, x.seat, int(x.net)),
    shootBetSettled: (known, x) => add(known, x.seat, int(x.net)),
    dealEnded: (known) => {
      known.isOver = true;
    },
  },
  royalCasino: {
    dealStarted: () => begun("deal", 0, "point"),
    dealScored: (known, x, teller) => {
      list(x.after).forEach((after, side, all) => {
        const items = list(x.items).filter((each) => each.side !== undefined && int(each.side) === side);
        for (const seat of teller.seatsOf(side, all.length)) {
          add(known, seat, int(after) - int(list(x.before)[side]));
          known.notes.set(seat, items.map((each) => itemTold(each.item)).join(", "));
        }
      });
      known.isOver = true;
    },
    gameWon: (known, x, teller) => {
      const names = list(x.seats).map((seat, i) => (i ? teller.whom(seat) : teller.name(seat)));
      const isOne = names.length === 1 && names[0] !== "You";
      known.title = `${listed(names)} ${isOne ? "wins" : "win"} the game`;
      known.isOver = true;
    },
    gameDrawn: (known) => {
      known.title = "The game is shared";
      known.isOver = true;
    },
  },
  royalFlush: {
    gameStarted: (_, x) => begun("game", x.gameNo, ""),
    gameWon: (known) => ended(known, "You won: only the royal flush is left", 1),
    gameLost: (known, x) => ended(known, `Lost by ${counted(x.excess, "card")}`, -1),
    gameAbandoned: (known) => ended(known, "Given up", -1),
  },
};

/** A punter's gain is the bank's loss. @param {Known} known @param {unknown} seat @param {number} gain */
function against(known, seat, gain) {
  add(known, seat, gain);
  const [bank] = [...known.notes].find(([, note]) => note === "the bank") ?? [];
  if (bank !== undefined) add(known, bank, -gain);
}

/** @param {Known} known @param {string} title @param {number} gain */
function ended(known, title, gain) {
  known.title = title;
  add(known, 0, gain);
  known.isOver = true;
}

/** Learns from the events of a table how its hands end. */
export class Outcome {
  constructor() {
    /** @type {Known | null} */
    this.running = null;
    /** @type {Known | null} the last hand that is over */
    this.last = null;
  }

  /** @param {Message} event as TableEvent.event has it @param {Teller} teller */
  take(event, teller) {
    const [[family, within] = ["", {}]] = Object.entries(event);
    const [[name, fields] = ["", {}]] = Object.entries(within ?? {});
    const fold = FOLDS[family]?.[name];
    if (!fold) return;
    const known = fold(this.running ?? begun("hand"), fields ?? {}, teller) ?? this.running;
    this.running = known;
    if (known?.isOver) this.last = known;
  }

  /** The number of the hand that runs, as replays know it. @param {number} hand */
  hears(hand) {
    if (this.running && !this.running.isOver && hand) this.running.hand = hand;
  }

  /** The hand that has just ended; null while another one runs. */
  get fresh() {
    return this.running?.isOver ? this.running : null;
  }

  /**
   * What a seat gained in the hand that has just ended, and whether nobody gained more; null:
   * nothing is known.
   * @param {number} seat
   * @returns {{gain: number, isBest: boolean} | null}
   */
  gain(seat) {
    const gain = this.fresh?.unit ? this.fresh.gains.get(seat) : undefined;
    if (!this.fresh || gain === undefined) return null;
    return { gain, isBest: isBest(this.fresh, seat) };
  }
}

/** Whether a seat won: it gained something, and nobody more. @param {Known} known @param {number} seat */
function isBest({ gains }, seat) {
  const gain = gains.get(seat) ?? 0;
  return gain > 0 && gain === Math.max(...gains.values());
}

/** "+30", "−10", "±0". @param {number} gain */
export const signed = (gain) => (gain > 0 ? "+" : gain < 0 ? "−" : "±") + amount(Math.abs(gain));

/** Who won, as a title. @param {Known} known @param {Teller} teller */
function winners({ gains, unit, title, noun }, teller) {
  if (title) return title;
  const most = Math.max(...gains.values());
  if (!(most > 0)) return `Nobody wins this ${noun}`;
  const seats = [...gains].filter(([, gain]) => gain === most).map(([seat]) => seat);
  const names = listed(seats.map((seat, i) => (i ? teller.whom(seat) : teller.name(seat))));
  const verb = seats.length === 1 && seats[0] !== teller.me ? "wins" : "win";
  return `${names} ${verb} ${counted(most, unit)}${seats.length > 1 ? " each" : ""}`;
}

/**
 * What a table shows of the last hand: all of it, or a line while another one runs.
 * @param {Outcome} outcome @param {Teller} teller @param {string} table
 */
export function outcomePanel({ fresh, last }, teller, table) {
  if (!last) return null;
  const isWon = teller.me !== null && isBest(last, teller.me);
  const replay = el("a", { href: last.hand ? `#/replay/${table}/${last.hand}` : `#/replays/${table}` },
    `Replay and verify this ${last.noun}`);
  if (!fresh) {
    return el("p", { class: "note last", key: "outcome" }, `Before: ${winners(last, teller)}. `, replay);
  }
  const rows = last.unit ? [...last.gains].sort((one, other) => other[1] - one[1]) : [];
  return el("section", { class: isWon ? "outcome won" : "outcome", key: "outcome", "aria-label": `How the ${last.noun} ended` },
    el("h2", {}, winners(last, teller)),
    rows.length ? el("ul", {}, ...rows.map(([seat, gain]) =>
      el("li", { class: gain > 0 ? "up" : gain < 0 ? "down" : null },
        el("span", {}, teller.name(seat)), " ", el("strong", {}, signed(gain)),
        last.notes.get(seat) ? el("small", {}, ` ${last.notes.get(seat)}`) : null))) : null,
    el("p", {}, replay));
}
