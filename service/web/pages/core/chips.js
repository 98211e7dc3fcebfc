// Chips: an amount drawn as a small stack, as it would lie on a table.

import { el, svg } from "./dom.js";
import { amount } from "./words.js";

/** What chips are worth, the dearest first; CSS gives each a colour. */
const WORTH = [5000, 1000, 500, 100, 25, 5, 1];
const MOST = 5;
const HEIGHT = 4;

/** The chips of a stack, the dearest below: at most five, which is a picture and no sum. @param {number} chips */
export function chipsOf(chips) {
  const found = [];
  let left = chips;
  for (const worth of WORTH) {
    for (; left >= worth && found.length < MOST; left -= worth) found.push(worth);
  }
  return found;
}

/** An amount with its chips. @param {unknown} chips @param {string} [what] said behind the number */
export function chipStack(chips, what = "") {
  const discs = chipsOf(Number(chips ?? 0));
  const tall = 10 + HEIGHT * Math.max(0, discs.length - 1);
  return el("span", { class: "chip-stack" },
    svg("svg", { viewBox: `0 0 22 ${tall + 4}`, width: 22, height: tall + 4, "aria-hidden": "true" },
      ...discs.map((worth, i) => disc(worth, tall - 5 - HEIGHT * i))),
    el("span", {}, amount(chips), what ? el("span", {}, ` ${what}`) : null));
}

/** @param {number} worth @param {number} y */
function disc(worth, y) {
  return svg("g", { class: `worth${worth}` },
    svg("path", { class: "side", d: `M1 ${y}v3a10 5 0 0 0 20 0v-3z` }),
    svg("ellipse", { class: "top", cx: 11, cy: y, rx: 10, ry: 5 }),
    svg("ellipse", { class: "ring", cx: 11, cy: y, rx: 6, ry: 3 }));
}
