// Tournaments in a list.

import { el } from "../core/dom.js";
import { int } from "../core/rpc.js";
import { titleOf } from "./games.js";

/** @typedef {Record<string, any>} Message */

/** Where a tournament stands, in words. */
export const PHASES = /** @type {Record<string, string>} */ ({
  TOURNAMENT_PHASE_REGISTERING: "open for entries",
  TOURNAMENT_PHASE_RUNNING: "being played",
  TOURNAMENT_PHASE_FINISHED: "finished",
  TOURNAMENT_PHASE_CANCELLED: "cancelled",
});

/** @param {Message[]} tournaments @param {Message[]} all the catalogue */
export function tournamentList(tournaments, all) {
  if (!tournaments.length) {
    return el(
      "p",
      { class: "note" },
      "No tournament is on.",
    );
  }
  return el("ul", { class: "tables" }, ...tournaments.map((each) => entry(each, all)));
}

/** @param {Message} each @param {Message[]} all */
function entry(each, all) {
  return el(
    "li",
    { class: "sheet", key: each.tournamentId },
    el("h3", {}, el("a", { href: `#/tournament/${each.tournamentId}` }, each.name || "Tournament")),
    el(
      "p",
      {},
      titleOf(all, each.game),
      " · ",
      PHASES[each.phase] ?? "",
      " · ",
      int(each.entries) === 1 ? "1 entry" : `${int(each.entries)} entries`,
    ),
  );
}
