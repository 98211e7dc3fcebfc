// The names that players gave themselves.  Tables know players by opaque ids only.

import { Failure, call, list } from "./rpc.js";

const FRESH_MS = 60_000;
const MOST = 200;

/** @type {Map<string, {name: string, until: number}>} */
const known = new Map();

/** Letters that are written from right to left, and all that is put in order among them. */
const LEFTWARD = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** The name of a player, if it was learnt and he has one; else empty. @param {string} player */
export function nameOf(player) {
  const name = known.get(player)?.name ?? "";
  // Set apart, it does not change the order of what stands beside it.
  return LEFTWARD.test(name) ? `\u2068${name}\u2069` : name;
}

/**
 * Learn the names of some players; whether any is new.
 * @param {Iterable<string>} players
 * @param {AbortSignal} [signal]
 */
export async function learn(players, signal) {
  const now = Date.now();
  const unknown = [...new Set(players)].filter(
    (player) => player && (known.get(player)?.until ?? 0) < now,
  );
  let isNews = false;
  for (let from = 0; from < unknown.length; from += MOST) {
    const asked = unknown.slice(from, from + MOST);
    const names = await namesOf(asked, signal);
    for (const player of asked) {
      const name = names.get(player) ?? "";
      isNews ||= (known.get(player)?.name ?? "") !== name;
      known.set(player, { name, until: now + FRESH_MS });
    }
  }
  return isNews;
}

/** @param {string[]} players @param {AbortSignal} [signal] @returns {Promise<Map<string, string>>} */
async function namesOf(players, signal) {
  try {
    const answer = await call("PersonService/ListNames", { players }, { signal, patienceMs: Infinity });
    return new Map(list(answer.names).map(({ player, name }) => [player, name]));
  } catch (failure) {
    // A token for one table is told of nothing else.
    if (failure instanceof Failure && failure.code === "permission_denied") return new Map();
    throw failure;
  }
}
