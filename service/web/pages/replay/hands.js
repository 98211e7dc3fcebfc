// The hands that may be replayed: one's own, and those of a table.

import { el, fill, labelled } from "../core/dom.js";
import { learn, nameOf } from "../core/people.js";
import { call, int, list } from "../core/rpc.js";
import { go } from "../core/router.js";
import { me } from "../core/session.js";
import { capital, listed } from "../core/words.js";
import { games, titleOf } from "../lobby/games.js";
import { handsOf } from "./steps.js";

/** @typedef {Record<string, any>} Message */

const PAGE = 50;

/** Hands that I was dealt in, newest first. @param {import("../core/router.js").Place} place */
export async function replaysPage({ main, signal }) {
  const rows = el("div", {});
  const address = /** @type {HTMLInputElement} */ (el("input", { type: "text", spellcheck: "false", autocomplete: "off", required: true }));
  const open = (/** @type {Event} */ event) => {
    event.preventDefault();
    go(`/replays/${encodeURIComponent(address.value.trim())}`);
  };
  fill(main,
    el("h1", {}, "Replays"),
    el("div", { class: "halves" },
      el("section", { class: "sheet" }, el("h2", {}, "Your hands"), rows),
      el("section", { class: "sheet" },
        el("h2", {}, "Another table"),
        el("form", { on: { submit: open } },
          labelled("Table", address, "Its id, as the address of its page ends."),
          el("button", {}, "Show its hands")),
        el("h2", {}, "A file"),
        el("p", {}, el("a", { href: "#/verify" }, "Verify a saved record"), ", without the service."))));
  const answer = await call("ReplayService/ListPlayedHands", { pageSize: PAGE }, { signal });
  const hands = list(answer.hands).map(({ tableId, hand }) => ({ ...hand, tableId }));
  fill(rows, await table(hands, signal, "You have played no hand yet: sit down at a table."));
}

/** The hands of a table. @param {import("../core/router.js").Place} place */
export async function handsPage({ main, params, signal }) {
  const hands = await handsOf(params.table, signal);
  const rows = hands.reverse().map((hand) => ({ ...hand, tableId: params.table }));
  fill(main,
    el("h1", {}, "Hands of a table"),
    el("p", { class: "note" }, el("a", { href: `#/table/${params.table}` }, `Table ${params.table}`)),
    el("section", { class: "sheet" }, await table(rows, signal, "No hand was played at this table.")));
}

/** @param {Message[]} hands @param {AbortSignal} signal @param {string} none */
async function table(hands, signal, none) {
  if (!hands.length) return el("p", { class: "note" }, none);
  const all = await games();
  await learn(hands.flatMap((hand) => list(hand.dealtIn).map(({ player }) => player)), signal);
  return el("div", { class: "scrolls" }, el("table", {},
    el("thead", {}, el("tr", {}, ...["Hand", "When", "Who played"].map((each) => el("th", { scope: "col" }, each)))),
    el("tbody", {}, ...hands.map((hand) => row(hand, all)))));
}

/** @param {Message} hand @param {Message[]} all the games */
function row(hand, all) {
  const when = new Date(hand.startTime).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const who = list(hand.dealtIn).map(({ seat, player }) =>
    player === me() ? "you" : nameOf(player) || `seat ${int(seat)}`);
  const name = `${titleOf(all, hand.game)}, hand ${int(hand.hand)}`;
  return el("tr", {},
    el("td", {}, el("a", { href: `#/replay/${hand.tableId}/${int(hand.hand)}` }, name), hand.over ? "" : " (not over)"),
    el("td", {}, when),
    el("td", {}, capital(listed(who))));
}
