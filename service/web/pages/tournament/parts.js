// What the page of a tournament is made of.

import { button, el } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { me } from "../core/session.js";
import { amount, counted, ordinal } from "../core/words.js";
import { placeAt } from "../play/way.js";
import { short, stakes, tableName, TABLES } from "./news.js";

/** @typedef {import("./following.js").Following} Following */
/** @typedef {Record<string, any>} Message */

const MOST_TABLES = 60;

/** @param {string} title @param {...any} children */
const sheet = (title, ...children) =>
  el("section", { class: "sheet", key: title, "aria-label": title }, el("h2", {}, title), ...children);

/** What is longer than its place can be scrolled, by keys too. @param {string} name @param {...any} children */
const scrolling = (name, ...children) =>
  el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": name }, ...children);

/** How it stands, in figures. @param {Following} f */
export function facts(f) {
  const { state, tournament: { structure } } = f;
  const left = f.left();
  const cost = int(structure.buyIn) + int(structure.fee);
  const isBreak = short(state.clock?.kind) === "BREAK";
  /** @type {[string, string, string][]} */
  const told = [
    ["Entries", amount(state.entries), int(state.waiting) ? `${amount(state.waiting)} wait` : `of ${amount(structure.maxEntrants)}`],
    ["Prize pool", amount(state.prizePool), cost ? `an entry costs ${amount(cost)}` : "entries are free"],
  ];
  const atOnce = list(structure.settings).find(({ name }) => name === "tables_at_once")?.value ?? "0";
  if (int(state.left)) {
    const flights = int(atOnce) ? `, ${amount(atOnce)} at a time` : "";
    told.push(["Still in", amount(state.left), `at ${counted(state.tables, "table")}${flights}`]);
  }
  if (int(state.level)) told.push(["Level", amount(state.level), stakes(state.levelOptions)]);
  if (left !== null) {
    told.push([isBreak ? "The break ends in" : "Next level in", clock(left), state.paused ? "the clock stands" : ""]);
  } else if (state.onBreak) told.push(["Break", "soon", "when all hands are over"]);
  if (int(state.deals)) told.push(["Hands", amount(state.deals), "at all tables"]);
  return el("dl", { class: "facts", key: "facts" }, ...told.map(([name, value, more]) =>
    el("div", { key: name }, el("dt", {}, name), el("dd", {}, value), el("dd", { class: "note" }, more))));
}

/** @param {number} ms */
function clock(ms) {
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param {Following} f @param {() => void} more */
export function standings(f, more) {
  if (!f.standings.length) return sheet("Standings", el("p", { class: "note" }, "Nobody has entered yet."));
  const head = (/** @type {string} */ name, isNumber = false) =>
    el("th", { scope: "col", class: isNumber ? "number" : null }, name);
  return sheet("Standings",
    scrolling("Standings, the best first", el("table", {},
      el("thead", {}, el("tr", {}, head("Place"), head("Player"), head("Score", true), head("Prize", true))),
      el("tbody", {}, ...f.standings.map((each) =>
        el("tr", { key: `e${int(each.entry)}`, class: each.player === me() ? "mine" : null },
          el("td", {}, int(each.place) ? ordinal(int(each.place)) : "in"),
          el("td", {}, f.called(int(each.entry))),
          el("td", { class: "number" }, amount(each.score)),
          el("td", { class: "number" }, int(each.prize) ? amount(each.prize) : "")))))),
    f.hasMore ? button("Show more", more, { class: "plain" }) : null);
}

/** A map of the tables: who sits where, with how much. @param {Following} f */
export function tables(f) {
  const open = [...f.tables.values()].filter((each) => short(each.status) !== "DONE");
  if (!open.length) return sheet("Tables", el("p", { class: "note" }, "No table is open."));
  open.sort((one, other) => int(one.number) - int(other.number));
  const most = Math.max(1, ...open.flatMap((each) => list(each.seats).map((seat) => int(seat.chips))));
  return sheet("Tables",
    el("ul", { class: "map" }, ...open.slice(0, MOST_TABLES).map((table) => tableOf(f, table, most))),
    open.length > MOST_TABLES ? el("p", { class: "note" }, `And ${open.length - MOST_TABLES} more.`) : null);
}

/** @param {Following} f @param {Message} table @param {number} most */
function tableOf(f, table, most) {
  const name = tableName(table.number);
  const standing = TABLES[short(table.status)] ?? "";
  return el("li", { key: name },
    el("h3", {}, table.tableId ? el("a", { href: `#${placeAt(table.tableId, f.id)}` }, name) : name),
    el("p", { class: "note" }, standing + (int(table.hand) ? ` · hand ${int(table.hand)}` : "")),
    el("ul", { class: "sitting" }, ...list(table.seats).map((seat) =>
      el("li", { key: `s${int(seat.seat)}`, css: { "--share": int(seat.chips) / most } },
        el("span", { class: "name" }, f.called(int(seat.entry))),
        el("span", { class: "number" }, seat.awaited ? "on the way" : amount(seat.chips))))));
}

/** @param {Following} f */
export function news(f) {
  return sheet("What happens",
    f.news.length ? null : el("p", { class: "note" }, "It is told here as it happens."),
    scrolling("What happens, the newest first", el("ol", { class: "news", "aria-live": "polite" },
      ...f.news.map(({ version, text, time }) => el("li", { key: `n${version}` },
        el("time", { datetime: time }, new Date(time).toLocaleTimeString("en-GB")), " ", text)))));
}

/** @param {Following} f */
export function prizes(f) {
  const won = list(f.state.prizes);
  if (!won.length) {
    const why = int(f.state.prizePool) ? "Known once nobody can enter any more." : "It is played for the honour.";
    return sheet("Prizes", el("p", { class: "note" }, why));
  }
  return sheet("Prizes", scrolling("Prizes, the first first", el("ol", { class: "lines" }, ...won.map((each, i) =>
    el("li", { key: `p${i}` }, el("span", {}, ordinal(i + 1)), el("span", { class: "number" }, amount(each)))))));
}

/** @param {Following} f */
export function levels(f) {
  const all = list(f.tournament.structure.levels);
  if (!all.length) return null;
  const now = int(f.state.level) - 1;
  return sheet("Levels", scrolling("Levels, one by one", el("ol", { class: "lines" }, ...all.map((level, i) =>
    el("li", { key: `l${i}`, "aria-current": i === now ? "step" : null },
      el("span", {}, `${i + 1}. ${stakes(level.options) || "as the table has it"}`),
      el("span", { class: "note" }, lasts(level)))))));
}

/** @param {Message} level */
function lasts(level) {
  const told = [];
  if (int(level.minutes)) told.push(`${level.minutes} min`);
  if (int(level.hands)) told.push(counted(level.hands, "hand"));
  if (int(level.breakMinutes)) told.push(`${level.breakMinutes} min break`);
  return told.join(", then ");
}
