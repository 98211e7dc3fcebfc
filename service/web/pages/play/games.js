// The games that have a drawing, by the field of their view.

import * as palacePoker from "./games/palace_poker.js";
import * as pontoon from "./games/pontoon.js";
import * as royalCasino from "./games/royal_casino.js";
import * as royalFlush from "./games/royal_flush.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {import("./seats.js").Scene} Scene */

/**
 * How a game is shown.  `standing` says where it stands and which hand it is; `narrowed` picks the
 * offers to show where something is chosen on the table first; `asides` may come at any time.
 * @typedef {object} Game
 * @property {string} family
 * @property {(scene: Scene) => HTMLElement} draw
 * @property {(scene: Scene) => string[]} standing
 * @property {(offer: Message, scene: Scene) => import("./offers.js").Told} tell
 * @property {(scene: Scene) => string} startLabel
 * @property {(scene: Scene) => {offers: Message[], hint: string}} [narrowed]
 * @property {(scene: Scene) => Message[]} [asides]
 */

/** @type {Game[]} */
const GAMES = [palacePoker, pontoon, royalCasino, royalFlush];

/** The game of a view; undefined for one that was added from outside. @param {Message} view as TableState.view has it */
export function gameOf(view) {
  return GAMES.find((game) => game.family in view);
}
