// The shell: who is here, whether the service is there, and the pages.

import { button, el, fill, labelled } from "./core/dom.js";
import { line } from "./core/rpc.js";
import { route, show, start } from "./core/router.js";
import { comeBackTo, enter, enterWithToken, forget, rename, session, sessions, whyOut } from "./core/session.js";
import { refusal } from "./core/words.js";
import { createPage } from "./lobby/create.js";
import { filePage } from "./replay/file.js";
import { handsPage, replaysPage } from "./replay/hands.js";
import { replayPage } from "./replay/replay.js";
import { operatorPage } from "./operator/operator.js";
import { newTournamentPage } from "./tournament/create.js";
import { tournamentsPage } from "./tournament/list.js";
import { tournamentPage } from "./tournament/tournament.js";
import { lobby } from "./lobby/lobby.js";
import { tablesPage } from "./lobby/tables.js";
import { tablePage } from "./play/table.js";

const who = /** @type {HTMLElement} */ (document.getElementById("who"));
const told = /** @type {HTMLElement} */ (document.getElementById("line"));

/** A page for those who are somebody; others are asked in first. @param {import("./core/router.js").Page} page */
function inside(page) {
  return (/** @type {import("./core/router.js").Place} */ place) =>
    session() ? page(place) : welcome(place, whyOut());
}

/** @param {import("./core/router.js").Place} place @param {unknown} [why] */
function welcome({ main }, why) {
  const token = /** @type {HTMLTextAreaElement} */ (el("textarea", { spellcheck: "false", autocomplete: "off", required: true }));
  const answer = el("p", { class: "refused", role: "alert" }, why ? refusal(why) : "");
  const come = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await enterWithToken(token.value);
      show();
    } catch (failure) {
      fill(answer, refusal(failure));
    }
  };
  fill(
    main,
    el(
      "section",
      { class: "sheet trouble" },
      el("h1", {}, "Come in"),
      answer,
      el("p", {}, "A link lets you in. Where the service runs, a terminal prints one:"),
      el("p", {}, el("code", {}, "kartejo link"), " for yourself, ", el("code", {}, "kartejo link ann"), " for somebody else."),
      el("p", { class: "note" }, "A link is good for 15 minutes; whoever comes by it stays for 12 hours, in this tab."),
      el("details", {}, el("summary", {}, "I have a token"),
        el("form", { on: { submit: come } },
          labelled("Token", token, "As kartejo token prints it, or an operator's file holds it."),
          el("button", { class: "first" }, "Come in"))),
    ),
  );
}

function showWho() {
  const here = session();
  if (!here) {
    fill(who);
    return;
  }
  fill(
    who,
    el("a", { class: "name", href: "#/you" }, here.name || here.subject),
    button("Log out", () => { forget(); show(); }, { class: "plain" }),
  );
}

/** One's own name, which others see. @param {import("./core/router.js").Place} place */
function you({ main }) {
  const here = session();
  const name = /** @type {HTMLInputElement} */ (
    el("input", { maxlength: "40", autocomplete: "nickname", value: here?.name ?? "" })
  );
  const answer = el("p", { role: "status" });
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await rename(name.value.trim());
      answer.className = "note";
      fill(answer, "Saved.");
    } catch (failure) {
      answer.className = "refused";
      fill(answer, refusal(failure));
    }
  };
  fill(
    main,
    el("section", { class: "sheet trouble" },
      el("h1", {}, "You"),
      el("form", { on: { submit: save } },
        labelled("Your name", name, "Others at your tables see it. Up to 40 characters, or none."),
        el("button", { class: "first" }, "Save")),
      answer,
      el("p", { class: "note" }, "Tables know you by an id only: ", el("code", {}, here?.player ?? ""))),
  );
}

route("/", "Lobby", inside(lobby));
route("/tables", "Tables", inside(tablesPage));
route("/new/:game", "A new table", inside(createPage));
route("/table/:id", "Table", inside(tablePage));
route("/replays", "Replays", inside(replaysPage));
route("/replays/:table", "Replays", inside(handsPage));
route("/replay/:table/:hand", "Replay", inside(replayPage));
route("/verify", "Verify a file", filePage);
route("/operator", "Operator", inside(operatorPage));
route("/tournaments", "Tournaments", inside(tournamentsPage));
route("/new-tournament", "A new tournament", inside(newTournamentPage));
route("/tournament/:id", "Tournament", inside(tournamentPage));
route("/you", "You", inside(you));

sessions.addEventListener("change", showWho);
line.addEventListener("lost", () => fill(told, "The service is away. Trying again…"));
line.addEventListener("back", () => fill(told));

let why = /** @type {unknown} */ (null);
try {
  await enter();
} catch (failure) {
  why = failure;
}
showWho();
// A link that is opened in a tab that is here already: before any page takes it for an address.
addEventListener("hashchange", (event) => {
  if (!location.hash.startsWith("#code=")) return;
  event.stopImmediatePropagation();
  comeBackTo(new URL(event.oldURL).hash);
  location.reload();
});
start((place, reason) => {
  forget();
  welcome(place, reason);
});
if (why && session()) fill(told, refusal(why)); // whoever was here before still is
else if (why) {
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  welcome({ main, params: {}, query: new URLSearchParams(), signal: new AbortController().signal }, why);
}
