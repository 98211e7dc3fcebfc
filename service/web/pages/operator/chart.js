// A small chart: some lines over the last minutes, what they are now, and the same in words.

import { el, svg } from "../core/dom.js";

const [WIDTH, HEIGHT, TOP] = [300, 90, 6];

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {(number | null)[]} values  oldest first; null: nothing to measure then
 */

/**
 * @param {string} title
 * @param {string} hint  what it says, for who does not know
 * @param {(value: number) => string} told  a value in words
 * @param {Line[]} lines
 */
export function chart(title, hint, told, lines) {
  const known = lines.flatMap(({ values }) => values.filter((each) => each !== null));
  const top = ceiling(Math.max(0, ...known));
  const last = (/** @type {Line} */ { values }) => values.findLast((each) => each !== null) ?? null;
  const words = lines.map((line) => `${line.name} ${text(last(line), told)}`).join(", ");
  return el("section", { class: "sheet chart", key: title },
    el("h2", {}, title),
    el("p", { class: "note" }, hint),
    el("ul", { class: "legend" }, ...lines.map((line, i) => el("li", { class: `line${i}`, key: line.name },
      el("strong", {}, text(last(line), told)), ` ${line.name}`))),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 14}`, role: "img", "aria-label": `${title}: now ${words}; the scale ends at ${told(top)}` },
      svg("line", { class: "grid", x1: 0, x2: WIDTH, y1: TOP, y2: TOP }),
      svg("line", { class: "grid", x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }),
      svg("text", { class: "scale", x: 0, y: TOP + 10 }, told(top)),
      ...lines.map(({ values }, i) => svg("path", { class: `line${i}`, d: path(values, top) }))));
}

/** @param {number | null} value @param {(value: number) => string} told */
const text = (value, told) => (value === null ? "–" : told(value));

/** The next round number, so that the scale does not dance. @param {number} most */
function ceiling(most) {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return power * /** @type {number} */ ([1, 2, 5, 10].find((each) => each * power >= most));
}

/** @param {(number | null)[]} values @param {number} top */
function path(values, top) {
  const step = WIDTH / Math.max(1, values.length - 1);
  let isOn = false;
  return values.map((value, i) => {
    if (value === null) {
      isOn = false;
      return "";
    }
    const [x, y] = [i * step, HEIGHT - (value / top) * (HEIGHT - TOP)];
    const move = `${isOn ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    // A point alone is a line that is as long as it is wide.
    const alone = !isOn && (values[i + 1] ?? null) === null ? "h0.1" : "";
    isOn = true;
    return move + alone;
  }).join("");
}
