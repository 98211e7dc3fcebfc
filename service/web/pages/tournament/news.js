// What happens in a tournament, as sentences; and its words.

import { int, list } from "../core/rpc.js";
import { amount, listed, ordinal, words } from "../core/words.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {{state: Message, structure: Message, called: (entry: number) => string}} Known */

export const PHASES = /** @type {Record<string, string>} */ ({
  REGISTERING: "open for entries",
  RUNNING: "being played",
  FINISHED: "finished",
  CANCELLED: "cancelled",
});

export const TABLES = /** @type {Record<string, string>} */ ({
  OPENING: "is being opened",
  RESTING: "between hands",
  DEALING: "plays",
  BREAKING: "breaks up",
  DONE: "closed",
});

const MONEY = /** @type {Record<string, string>} */ ({
  PRIZE: "prize",
  REFUND: "money back",
  SETTLEMENT: "settlement",
});

/** The last word of an enum: "TOURNAMENT_PHASE_RUNNING" is "RUNNING". @param {string} [name] */
export const short = (name = "") => name.slice(name.lastIndexOf("_") + 1);

/** @type {Record<string, (k: Known, x: Message) => string>} */
const TELLS = {
  tournamentCreated: () => "Players may enter.",
  entryMade: (k, x) => `${does(k, x, "enter")}${x.waits ? ", and must wait for a place" : ""}.`,
  entryAdmitted: (k, x) => `${does(k, x, "have", "has")} a place now.`,
  entryWithdrawn: (k, x) => `${does(k, x, "take")} the entry back.`,
  tournamentStarted: (k) => `Play begins, with ${amount(k.state.entries)} in it.`,
  entriesClosed: (_, x) => `Nobody enters any more: ${amount(x.entries)} are in it.`,
  addOnBought: (k, x) => `${does(k, x, "buy")} ${amount(x.chips)} chips more.`,
  tableDrawn: (k, x) => `${tableName(x.table)} is drawn: ${listed(sitting(k, x))}.`,
  moveOrdered: (k, x) => `${does(k, x, "move")} to ${tableName(x.table).toLowerCase()}.`,
  tableBroken: (_, x) => `${tableName(x.table)} deals no more.`,
  levelBegan: (k, x) => levelTold(int(x.level), k.structure),
  breakCalled: () => "A break begins when all hands are over.",
  breakEnded: () => "The break is over.",
  tournamentPaused: () => "The host pauses: no hand begins.",
  tournamentResumed: () => "Play goes on.",
  entryOut: (k, x) => `${does(k, x, "are", "is")} out${placeOut(k, x)}.`,
  entryDisqualified: (k, x) => `${does(k, x, "are", "is")} excluded: ${x.reason}.`,
  prizesSet: (_, x) => (list(x.prizes).length ? `The prizes are known: ${prizesTold(list(x.prizes))}.` : ""),
  moneyAwarded: (k, x) => `${does(k, x, "get")} ${amount(x.amount)} (${MONEY[short(x.why)] ?? "money"}).`,
  tournamentCancelled: (_, x) => `Cancelled: ${x.reason}.`,
  tournamentFinished: () => "Every place is known.",
  roundBegan: (_, x) => `Round ${int(x.round)} begins.`,
  roundPaired: (_, x) => `Round ${int(x.round)} is drawn.`,
  matchEnded: (_, x) => `Match ${int(x.match) + 1} is over.`,
  satOut: (k, x) => `${does(k, x, "sit")} out the rest of the round.`,
  choiceMade: (k, x) => `${does(k, x, "commit")} to ${words(x.choice)}.`,
  gameScored: (k, x) => `${does(k, x, "score")} ${amount(x.points)}.`,
};

/** What an event says; empty: nothing that somebody who looks on waits for. @param {Message} event @param {Known} known */
export function told(event, known) {
  const [[name, fields] = ["", {}]] = Object.entries(event);
  return TELLS[name]?.(known, fields) ?? "";
}

/** Tables are counted from 1 by people. @param {unknown} number */
export const tableName = (number) => `Table ${int(number) + 1}`;

/** What is played for. @param {Message[] | undefined} options */
export const stakes = (options) => list(options).map(({ name, value }) => `${words(name)} ${value}`).join(", ");

/** @param {Known} k @param {Message} x @param {string} verb @param {string} [others] */
function does(k, x, verb, others = `${verb}s`) {
  const who = k.called(int(x.entry));
  return `${who} ${who === "You" ? verb : others}`;
}

/** @param {Known} k @param {Message} x */
const sitting = (k, x) => list(x.entries).map(int).filter((entry) => entry >= 0).map(k.called);

/** @param {Known} k @param {Message} x */
function placeOut(k, x) {
  const place = int(k.state.entries) - int(x.worse) - int(x.equal) + 1;
  return place > 0 ? `, in ${ordinal(place)} place` : "";
}

/** @param {number} level from 0 @param {Message} structure */
function levelTold(level, structure) {
  const options = stakes(list(structure.levels)[level]?.options);
  return `Level ${level + 1}${options ? `: ${options}` : ""}.`;
}

/** @param {string[]} prizes */
const prizesTold = (prizes) =>
  prizes.length > 3 ? `${prizes.slice(0, 3).map(amount).join(", ")}, …` : listed(prizes.map(amount));
