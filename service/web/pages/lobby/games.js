// The games that are played here, and how a table of each is opened.

import { cardRow } from "../core/cards.js";
import { call, list, requestId } from "../core/rpc.js";
import { botsOf } from "../play/bots.js";

/** @typedef {Record<string, any>} Message */
/**
 * What a table is to be like; `bots` and `ponderMs` are for company, `chips` what to sit down with.
 * @typedef {{options?: Record<string, string>, houseOptions?: Record<string, string>,
 *   start?: Record<string, string>, bots: number, ponderMs?: number, chips: number}} Wish
 */

/** Cards that a game is known by. */
const EMBLEMS = /** @type {Record<string, number[]>} */ ({
  palace_poker: [51, 0, 0, 0],
  pontoon: [52, 10],
  royal_casino: [22, 40],
  royal_flush: [35, 36, 37, 38, 39],
});

/** Against bots there is no secret to keep: once a hand is over, its shuffle can be checked in full. */
const TOLD = { reveal: "public" };

/** A table for whoever wants to play at once. */
const QUICK = /** @type {Record<string, Wish>} */ ({
  palace_poker: { options: { max_seats: "6", turn_seconds: "60" }, houseOptions: TOLD, bots: 3, chips: 1000 },
  pontoon: { options: { max_seats: "6", turn_seconds: "60" }, houseOptions: TOLD, bots: 4, chips: 1000 },
  royal_casino: { options: { turn_seconds: "120" }, houseOptions: TOLD, bots: 1, chips: 1000 },
  royal_flush: { options: { turn_seconds: "600" }, houseOptions: TOLD, bots: 0, chips: 0 },
});

/** @type {Promise<Message[]> | null} */
let catalogue = null;

/** All games; asked for once. @returns {Promise<Message[]>} */
export function games() {
  catalogue ??= call("GameService/ListGames")
    .then((answer) => list(answer.games))
    .catch((failure) => {
      catalogue = null;
      throw failure;
    });
  return catalogue;
}

/** The title of a game, as far as the catalogue knows it. @param {Message[]} all @param {string} game */
export function titleOf(all, game) {
  return all.find((each) => each.game === game)?.title ?? game;
}

/** @param {string} game */
export function emblem(game) {
  return cardRow(EMBLEMS[game] ?? [0, 0, 0], { class: "fan emblem", "aria-hidden": "true" });
}

/** How a game is played at once, with bots where several play. @param {string} game @returns {Wish} */
export function quick(game) {
  return QUICK[game] ?? { bots: 0, chips: 1000 };
}

/**
 * Open a table, sit down at it and ask bots to it; its id.  Throws a Failure, and then leaves none.
 * @param {string} game
 * @param {Wish} wish
 */
export async function open(game, { options, houseOptions, start, bots, ponderMs, chips }) {
  const made = await call("TableService/CreateTable", {
    requestId: requestId(),
    game,
    options: options ?? {},
    houseOptions: houseOptions ?? {},
    start: start ?? {},
  });
  const tableId = made.table.tableId;
  try {
    await sitDown(tableId, 0, chips);
    if (bots) await botsOf(tableId, bots, ponderMs);
  } catch (failure) {
    // Nobody came to play: no list shall show it.
    await call("TableService/CloseTable", { requestId: requestId(), tableId });
    throw failure;
  }
  return tableId;
}

/** Sit down; throws a Failure. @param {string} tableId @param {number} seat @param {number} chips */
export function sitDown(tableId, seat, chips) {
  const action = { common: { takeSeat: { chips: String(chips) } } };
  return call("TableService/SubmitAction", { requestId: requestId(), tableId, seat, action });
}

/** Options of a table or of its house by name. @param {Message[] | undefined} options */
export function byName(options) {
  return Object.fromEntries(list(options).map(({ name, value }) => [name, value ?? ""]));
}
