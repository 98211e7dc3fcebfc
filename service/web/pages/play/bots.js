// Bots at a table: the service seats them where it runs on the player's own machine.

import { int, list, once } from "../core/rpc.js";

/**
 * Have so many bots at a table in all, and learn where they sit; 0: just learn.  Throws a Failure.
 * @param {string} table
 * @param {number} bots
 * @param {number} [ponderMs]
 * @returns {Promise<number[]>}
 */
export async function botsOf(table, bots, ponderMs) {
  return list((await once("/bots", { table, bots, ponderMs })).seats);
}

/**
 * Have so many bots in a tournament in all, and learn how many there are.  Throws a Failure.
 * @param {string} tournament
 * @param {number} bots
 */
export async function botsIn(tournament, bots) {
  return int((await once("/bots", { tournament, bots })).entries);
}
