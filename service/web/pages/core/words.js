// What happened, and what was refused, as sentences a person understands.

import { inlineCards } from "./cards.js";
import { el } from "./dom.js";
import { Failure, int } from "./rpc.js";
import { REFUSALS } from "./words/refusals.js";
import { common } from "./words/common.js";
import { palacePoker } from "./words/palace_poker.js";
import { pontoon } from "./words/pontoon.js";
import { royalCasino } from "./words/royal_casino.js";
import { royalFlush } from "./words/royal_flush.js";

/**
 * A sentence: texts, and cards in between.  `heading`: the line begins a new hand or deal.
 * @typedef {{parts: (string | number[])[], heading?: boolean}} Sentence
 * @typedef {Record<string, any>} Message
 * @typedef {(teller: Teller, event: any) => Sentence | null} Tell
 */

/** @type {Record<string, Record<string, Tell>>} */
const TELLS = { common, palacePoker, pontoon, royalCasino, royalFlush };

/** Tells events to whoever sits at `me`. */
export class Teller {
  /**
   * @param {number | null} me
   * @param {(seat: number) => string} nameOf
   * @param {string} family of the game, whose words for what all games have go before the usual ones
   * @param {number[]} seats that are taken
   */
  constructor(me, nameOf, family, seats) {
    this.me = me;
    this.nameOf = nameOf;
    this.family = family;
    this.seats = seats;
  }

  /** Somebody at the beginning of a sentence. @param {unknown} seat */
  name(seat) {
    return int(seat) === this.me ? "You" : this.nameOf(int(seat));
  }

  /** Somebody within a sentence. @param {unknown} seat */
  whom(seat) {
    return int(seat) === this.me ? "you" : this.nameOf(int(seat));
  }

  /** Name and verb: You take, Seat 2 takes. @param {unknown} seat @param {string} verb @param {string} [others] */
  does(seat, verb, others = `${verb}s`) {
    return `${this.name(seat)} ${int(seat) === this.me ? verb : others}`;
  }

  /** The seats of a side, where there are so many. @param {unknown} side @param {number} sides */
  seatsOf(side, sides) {
    return this.seats.filter((seat) => seat % sides === int(side));
  }

  /** A side at the beginning of a sentence: its players. @param {unknown} side @param {number} sides */
  side(side, sides) {
    const seats = this.seatsOf(side, sides);
    const told = listed(seats.map((seat, i) => (i ? this.whom(seat) : this.name(seat))));
    return { told: told || `Side ${int(side)}`, isOne: seats.length < 2 && seats[0] !== this.me };
  }

  /** @param {...(string | number[])} parts @returns {Sentence} */
  line(...parts) {
    return { parts: parts.filter((part) => part.length) };
  }

  /** @param {...(string | number[])} parts @returns {Sentence} */
  heading(...parts) {
    return { ...this.line(...parts), heading: true };
  }
}

/**
 * What an event says; null: nothing that a person at the table would miss.
 * @param {Message} event as TableEvent.event has it
 * @param {Teller} teller
 * @returns {Sentence | null}
 */
export function sentence(event, teller) {
  const [family, within] = /** @type {[string, Message]} */ (Object.entries(event)[0] ?? ["", {}]);
  const [name, fields] = Object.entries(within ?? {})[0] ?? ["", {}];
  const tell = TELLS[family === "common" ? teller.family : family]?.[name] ?? TELLS.common[name];
  return tell ? tell(teller, fields ?? {}) : null;
}

/** A sentence as one line of text. @param {Sentence} told @param {(cards: number[]) => string} asText */
export function plain(told, asText) {
  return told.parts.map((part) => (typeof part === "string" ? part : asText(part))).join("");
}

/** A sentence as a node. @param {Sentence} told @param {string} [tag] */
export function spoken(told, tag = "p") {
  return el(
    tag,
    { class: told.heading ? "heading" : null },
    ...told.parts.map((part) => (typeof part === "string" ? part : inlineCards(part))),
  );
}

/** Why something did not happen, as a sentence; any error. @param {unknown} error */
export function refusal(error) {
  if (!(error instanceof Failure)) return "Something went wrong in this page. Load it again.";
  const known = REFUSALS[error.reason];
  if (known) {
    const told = Object.entries(error.metadata).map(([name, value]) => `${words(name)} ${value}`);
    return known + (told.length ? ` (${told.join(", ")})` : "") + ".";
  }
  if (error.fields.length) {
    return error.fields.map(({ field, description }) => `${words(field)}: ${description}`).join("; ");
  }
  const text = capital(error.message || error.reason);
  return text + (/[.!?]$/.test(text) ? "" : ".");
}

/** "small_bet" as people write it. @param {string} name */
export function words(name) {
  return name.replaceAll("_", " ");
}

/** The same at the beginning of a line. @param {string} name */
export function title(name) {
  return capital(words(name));
}

/** A text, as a line begins with it. @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "1 card", "2 cards". @param {unknown} count @param {string} noun */
export function counted(count, noun) {
  return int(count) === 1 ? `1 ${noun}` : `${amount(count)} ${noun}s`;
}

/** A number of chips with thin gaps between thousands. @param {unknown} chips */
export function amount(chips) {
  return int(chips).toLocaleString("en").replaceAll(",", "\u202F");
}

/** "a", "a and b", "a, b and c". @param {string[]} things */
export function listed(things) {
  const most = things.slice(0, -1);
  return most.length ? `${most.join(", ")} and ${things.at(-1)}` : (things[0] ?? "");
}

/** "1st", "2nd", … @param {number} number */
export function ordinal(number) {
  const isTeen = Math.floor(number / 10) % 10 === 1;
  return number + (isTeen ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[number % 10] ?? "th"));
}
