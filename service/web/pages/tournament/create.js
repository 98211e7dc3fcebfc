// A new tournament: one of the known kinds to begin with, and every field of it explained.

import { el, fill, labelled } from "../core/dom.js";
import { call, int, list, requestId } from "../core/rpc.js";
import { go } from "../core/router.js";
import { roles } from "../core/session.js";
import { refusal, title, words } from "../core/words.js";
import { games, titleOf } from "../lobby/games.js";
import { chosen, field, group, more, optionField } from "../lobby/options.js";
import { levelsField } from "./levels.js";
import { SEATS, SETTINGS, STRUCTURES } from "./structures.js";

/** @typedef {Record<string, any>} Message */

const HOSTS = new Set(["host", "admin"]);
const CHOICE = "choice.";

/** What a structure says in numbers: its field, what it is, what it may be left at. */
const NUMBERS = /** @type {[string, string, string, number][]} */ ([
  ["stack", "Chips", "What everybody begins with; chips are worth nothing outside.", 0],
  ["minEntrants", "Fewest players", "With fewer it does not begin.", 2],
  ["maxEntrants", "Most players", "Who comes later finds no place.", 1000],
  ["waiting", "Waiting list", "So many may wait for a place.", 0],
  ["lateLevels", "Late levels", "Players may enter to the end of that level; 0: until it starts.", 0],
  ["reEntries", "Re-entries", "How often who is out may enter again, while entries are open.", 0],
  ["buyIn", "Buy-in", "From each player's account to the prize pool. 0: it is free, and bots may enter.", 0],
  ["fee", "Fee", "From each player's account to the house.", 0],
  ["guarantee", "Guarantee", "The least prize pool: the house adds what is missing.", 0],
]);
const MONEY = new Set(["buyIn", "fee", "guarantee"]);

/** Whether somebody may hold tournaments. */
export const mayHold = () => roles().some((role) => HOSTS.has(role));

/** @param {import("../core/router.js").Place} place */
export async function newTournamentPage({ main }) {
  if (!mayHold()) {
    fill(main, el("section", { class: "sheet trouble" },
      el("h1", {}, "For hosts"),
      el("p", {}, "Tournaments are held by hosts. The link that a service prints when it starts makes you one, and so does ", el("code", {}, "kartejo link NAME --host"), ".")));
    return;
  }
  const all = await games();
  const form = el("div", {});
  const kinds = STRUCTURES.map(({ about, structure }, i) =>
    el("label", { class: "kind" },
      el("input", { type: "radio", name: "kind", value: i, checked: i === 0, on: { change: () => show(i) } }),
      el("span", {}, el("strong", {}, `${titleOf(all, structure.game)}, ${words(structure.format)}`), el("br"), about)));
  const show = (/** @type {number} */ i) => fill(form, ...fieldsOf(STRUCTURES[i].structure, all));
  fill(main,
    el("h1", {}, "A new tournament"),
    el("fieldset", { class: "sheet kinds" }, el("legend", {}, "What shall be played?"), ...kinds),
    form);
  show(0);
}

/** The form of a structure. @param {Message} given @param {Message[]} all the catalogue */
function fieldsOf(given, all) {
  const game = all.find((each) => each.game === given.game) ?? {};
  const [fewest, most] = SEATS[given.format][given.game];
  const name = field("text", { value: given.name, maxlength: 100, required: true });
  const seats = field("number", { min: fewest, max: most, value: given.tableSize ?? most, required: true });
  const start = /** @type {HTMLSelectElement} */ (el("select", {},
    el("option", { value: "host" }, "when I say so"), el("option", { value: "full" }, "by itself, when it is full")));
  const numbers = NUMBERS.filter(([key]) => key !== "stack" || given.stack).map(([key, label, meaning, usual]) => {
    const value = MONEY.has(key) ? 0 : int(given[key] ?? usual);
    const box = field("number", { min: 0, step: 1, value, required: true });
    return { key, shown: labelled(label, box, meaning), value: () => box.value };
  });
  const choices = list(given.settings).filter((/** @type {Message} */ each) => each.name.startsWith(CHOICE));
  const settings = SETTINGS[given.format].map((spec) => optionField(spec, valueIn(given.settings, spec)));
  // Seats are said above, and what changes from level to level with the levels.
  const elsewhere = new Set(["max_seats", ...list(given.levels?.[0].options).map((/** @type {Message} */ { name }) => name)]);
  const options = list(game.options).filter((spec) => !elsewhere.has(spec.name)).map((spec) => optionField(spec, valueIn(given.options, spec)));
  const levels = given.levels ? levelsField(given.levels) : null;
  const answer = el("p", { class: "refused", role: "alert" });
  const send = el("button", { class: "first" }, "Open it for entries");
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    send.setAttribute("disabled", "");
    fill(answer);
    const structure = {
      game: given.game, format: given.format, name: name.value.trim(), tableSize: int(seats.value), start: start.value,
      ...Object.fromEntries(numbers.map(({ key, value }) => [key, value() || "0"])),
      settings: [...pairs(chosen(settings)), ...choices],
      options: pairs(chosen(options)),
      levels: levels?.value() ?? [],
    };
    try {
      const { tournament } = await call("TournamentService/CreateTournament", { requestId: requestId(), structure });
      go(`/tournament/${tournament.tournamentId}`);
    } catch (failure) {
      fill(answer, refusal(failure));
      send.removeAttribute("disabled");
    }
  };
  const [first, rest] = [numbers.slice(0, -6), numbers.slice(-6)];
  return [el("form", { class: "create", on: { submit } },
    el("fieldset", { class: "sheet" }, el("legend", {}, "The tournament"),
      labelled("Name", name, "What others see in the list."),
      labelled("Seats of a table", seats, fewest === most ? `Always ${most}.` : `${fewest} to ${most}.`),
      labelled("It starts", start), ...first.map(({ shown }) => shown)),
    group(`How it goes: ${words(given.format)}`, settings),
    choices.length ? el("p", { class: "note" }, `Hands to choose from: ${choices.map((/** @type {Message} */ each) => title(each.name.slice(CHOICE.length))).join(", ")}.`) : null,
    levels?.shown ?? null,
    el("details", { class: "sheet" }, el("summary", {}, "Entries and money"),
      el("div", { class: "options" }, ...rest.map(({ shown }) => shown))),
    more(`Rules of ${game.title}`, options),
    answer,
    el("div", { class: "row" }, send, el("a", { class: "button", href: "#/tournaments" }, "Back")))];
}

/** The value that a structure has for an option; else the default. @param {Message[] | undefined} given @param {Message} spec */
const valueIn = (given, spec) =>
  list(given).find((each) => each.name === spec.name)?.value ?? spec.defaultValue ?? "";

/** @param {Record<string, string>} values */
const pairs = (values) => Object.entries(values).map(([name, value]) => ({ name, value }));
