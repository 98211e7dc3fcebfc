// The levels of a tournament as a table that is edited: what is played for, and for how long.

import { button, el, fill } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { title } from "../core/words.js";

/** @typedef {Record<string, any>} Message */

const LASTS = /** @type {[string, string][]} */ ([
  ["minutes", "Minutes"], ["hands", "or hands"], ["breakMinutes", "Break after it, minutes"],
]);

/** Levels to change. @param {Message[]} given */
export function levelsField(given) {
  const names = list(given[0]?.options).map(({ name }) => name);
  /** @type {Record<string, number>[]} */
  const levels = given.map((level) => ({
    ...Object.fromEntries(list(level.options).map(({ name, value }) => [name, int(value)])),
    ...Object.fromEntries(LASTS.map(([key]) => [key, int(level[key])])),
  }));
  const rows = el("tbody", {});
  const columns = [...names.map((name) => [name, title(name)]), ...LASTS];
  const draw = () => fill(rows, ...levels.map((level, i) =>
    el("tr", {}, el("th", { scope: "row" }, i + 1), ...columns.map(([key, label]) =>
      el("td", {}, el("input", {
        type: "number", class: "short", min: 0, step: 1, value: level[key] || "", "aria-label": `${label}, level ${i + 1}`,
        on: { input: (/** @type {Event} */ event) => { level[key] = int(/** @type {HTMLInputElement} */ (event.target).value); } },
      }))))));
  const add = () => {
    const last = levels[levels.length - 1];
    levels.push({ ...last, ...Object.fromEntries(names.map((name) => [name, 2 * last[name]])) });
    draw();
  };
  const remove = () => {
    if (levels.length > 1) levels.pop();
    draw();
  };
  draw();
  const shown = el("fieldset", { class: "sheet levels" },
    el("legend", {}, "Levels"),
    el("p", { class: "note" }, "A level lasts some minutes, or some hands of an average table; the last one lasts to the end."),
    el("div", { class: "scrolls" }, el("table", {},
      el("thead", {}, el("tr", {}, ...[["", "Level"], ...columns].map(([, label]) => el("th", { scope: "col" }, label)))), rows)),
    el("div", { class: "row" }, button("Add a level", add), button("Remove the last", remove)));
  const value = () => levels.map((level) => ({
    ...Object.fromEntries(LASTS.map(([key]) => [key, level[key]])),
    options: names.map((name) => ({ name, value: String(level[name]) })),
  }));
  return { shown, value };
}
