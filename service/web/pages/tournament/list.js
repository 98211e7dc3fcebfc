// All tournaments: what may be entered, what is played, and what is over.

import { el, fill } from "../core/dom.js";
import { games } from "../lobby/games.js";
import { Listing } from "../lobby/listing.js";
import { PHASES, tournamentList } from "../lobby/tournaments.js";
import { mayHold } from "./create.js";

/** @param {import("../core/router.js").Place} place */
export async function tournamentsPage({ main, signal }) {
  const all = await games();
  const listing = new Listing("TournamentService/ListTournaments", "tournaments", all);
  const past = listing.check("Those that are over too");
  fill(
    main,
    el(
      "div",
      { class: "spread" },
      el("h1", {}, "Tournaments"),
      mayHold()
        ? el("a", { class: "button first", href: "#/new-tournament" }, "Hold a tournament")
        : null,
    ),
    ...listing.parts(past),
  );
  await listing.keep(
    () => ({ phases: past.box.checked ? Object.keys(PHASES) : [] }),
    (found) => tournamentList(found, all),
    signal,
  );
}
