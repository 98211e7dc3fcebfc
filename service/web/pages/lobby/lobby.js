// The lobby: play at once, or see where others play.

import { button, el, fill, render } from "../core/dom.js";
import { call, list, rest } from "../core/rpc.js";
import { go } from "../core/router.js";
import { refusal } from "../core/words.js";
import { emblem, games, open, quick } from "./games.js";
import { tableList } from "./tables.js";
import { tournamentList } from "./tournaments.js";

const SHOWN = 6;
const POLL_MS = 3_000;

/** @typedef {Record<string, any>} Message */

/** @param {import("../core/router.js").Place} place */
export async function lobby({ main, signal }) {
  const all = await games();
  const answer = el("p", { class: "refused", role: "alert" });
  const tables = el("div");
  const tournaments = el("div");
  fill(
    main,
    el("h1", {}, "What shall we play?"),
    answer,
    el("ul", { class: "games" }, ...all.map((game) => gameCard(game, answer))),
    el(
      "section",
      {},
      el(
        "div",
        { class: "spread" },
        el("h2", {}, "Tables"),
        el("a", { href: "#/tables" }, "All tables"),
      ),
      tables,
    ),
    el(
      "section",
      {},
      el(
        "div",
        { class: "spread" },
        el("h2", {}, "Tournaments"),
        el("a", { href: "#/tournaments" }, "All tournaments"),
      ),
      tournaments,
    ),
  );
  const patient = { signal, patienceMs: Infinity };
  while (!signal.aborted) {
    const [open, running] = await Promise.all([
      call("TableService/ListTables", { pageSize: SHOWN }, patient),
      call("TournamentService/ListTournaments", { pageSize: SHOWN }, patient),
    ]);
    if (signal.aborted) return;
    render(tables, await tableList(list(open.tables), all, signal));
    render(tournaments, tournamentList(list(running.tournaments), all));
    await rest(POLL_MS, signal);
  }
}

/** @param {Message} game @param {HTMLElement} answer */
function gameCard(game, answer) {
  const wish = quick(game.game);
  const isAlone = !wish.bots;
  const play = button(
    isAlone ? "Play" : `Play against ${wish.bots === 1 ? "a bot" : `${wish.bots} bots`}`,
    async () => {
      play.setAttribute("disabled", "");
      try {
        go(`/table/${await open(game.game, wish)}`);
      } catch (failure) {
        fill(answer, refusal(failure));
        play.removeAttribute("disabled");
      }
    },
    { class: "first" },
  );
  return el(
    "li",
    { class: "sheet game" },
    emblem(game.game),
    el("h2", {}, game.title),
    el("p", {}, game.summary),
    el(
      "div",
      { class: "row" },
      play,
      el(
        "a",
        { class: "button", href: `#/new/${game.game}` },
        "Options",
        el("span", { class: "unseen" }, ` of ${game.title}`),
      ),
    ),
  );
}
