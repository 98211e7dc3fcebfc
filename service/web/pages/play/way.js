// A tournament's table: where one stands in it, and the next table when one is moved.

import { el, render } from "../core/dom.js";
import { Failure, call, follow, int } from "../core/rpc.js";
import { go } from "../core/router.js";
import { amount, ordinal } from "../core/words.js";

/** @typedef {Record<string, any>} Message */

/** The address of a table that is played at in a tournament. @param {string} table @param {string} tournament */
export const placeAt = (table, tournament) => `/table/${table}?tournament=${tournament}`;

const OVER = new Set(["TOURNAMENT_PHASE_FINISHED", "TOURNAMENT_PHASE_CANCELLED"]);

/**
 * Show above a table how one's tournament goes, and go to the next table when there is one.
 * @param {HTMLElement} shown @param {string} tournament @param {string} table @param {AbortSignal} signal
 */
export async function followWay(shown, tournament, table, signal) {
  const found = await call("TournamentService/GetTournament", { tournamentId: tournament }, { signal });
  const { name } = found.tournament.structure;
  const show = (/** @type {Message} */ state, /** @type {Message | undefined} */ mine) =>
    render(shown, el("p", {}, el("a", { href: `#/tournament/${tournament}` }, name || "The tournament"), ` · ${standing(state, mine)}`));
  show(found.tournament.state ?? {}, found.mine);
  let wasHere = found.mine?.tableId === table;
  const request = { tournamentId: tournament, mine: true };
  try {
    for await (const { state, mine } of follow("TournamentService/WatchTournament", request, (_, asked) => asked, signal)) {
      if (state) show(state, mine ?? undefined);
      const next = mine?.tableId ?? "";
      if (wasHere && next && next !== table) {
        go(placeAt(next, tournament));
        return;
      }
      wasHere ||= next === table;
    }
  } catch (failure) {
    if (signal.aborted) return;
    if (!(failure instanceof Failure)) throw failure;
    render(shown, el("p", {}, el("a", { href: `#/tournament/${tournament}` }, name || "The tournament")));
  }
}

/** @param {Message} state @param {Message | undefined} mine */
function standing(state, mine) {
  const left = int(state.left) ? `${amount(state.left)} of ${amount(state.entries)} are in` : "";
  const level = int(state.level) ? `level ${int(state.level)}` : "";
  const place = int(mine?.place);
  const prize = int(mine?.prize) ? ` and won ${amount(mine?.prize)}` : "";
  const me = place ? `you came ${ordinal(place)}${prize}` : state.onBreak ? "a break" : state.paused ? "paused" : "";
  const over = OVER.has(state.phase) ? "it is over" : "";
  return [level, left, me, over].filter(Boolean).join(" · ");
}
