// Cards: what a number means, a card drawn, a card within a sentence.
//
// Cards are numbers 1..52 = 13 · suit + rank + 1, suits clubs, diamonds, hearts, spades, ranks 2 to
// ace; 0 is a face that is not shown.  Suits differ by shape first and by colour besides.

import { el, svg } from "./dom.js";

const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const LETTERS = "cdhs";
const SIGNS = ["♣", "♦", "♥", "♠"];
const TEXT_STYLE = "\uFE0E"; // else some systems draw suits as emoji, each in a colour of its own
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const NAMES = [
  ..."two three four five six seven eight nine ten jack queen king ace".split(" "),
];

const SHAPES = [
  "M0-9A4.6 4.6 0 0 1 3.7-1.9 4.6 4.6 0 1 1 1.2 5C1.4 7 2 8.3 3.2 9.4H-3.2C-2 8.3-1.4 7-1.2 5A4.6 4.6 0 1 1-3.7-1.9 4.6 4.6 0 0 1 0-9Z",
  "M0-9.6C1.8-5.8 4.3-2.6 7.2 0 4.3 2.6 1.8 5.8 0 9.6-1.8 5.8-4.3 2.6-7.2 0-4.3-2.6-1.8-5.8 0-9.6Z",
  "M0 9C-1.4 6-8.6 1.6-8.6-3.7-8.6-6.8-6.5-8.8-4.1-8.8-2.2-8.8-.7-7.6 0-5.7.7-7.6 2.2-8.8 4.1-8.8 6.5-8.8 8.6-6.8 8.6-3.7 8.6 1.6 1.4 6 0 9Z",
  "M0-9.4C1.5-6 8.4-2 8.4 2.7A4.1 4.1 0 0 1 1.3 5.2C1.5 7 2 8.3 3.2 9.4H-3.2C-2 8.3-1.5 7-1.3 5.2A4.1 4.1 0 0 1-8.4 2.7C-8.4-2-1.5-6 0-9.4Z",
];

const LEFT = 23.5;
const MIDDLE = 32;
const RIGHT = 40.5;
/** Where the pips of 2 to 10 are; those below the middle stand on their heads. */
const PIPS = [
  [[MIDDLE, 20], [MIDDLE, 70]],
  [[MIDDLE, 20], [MIDDLE, 45], [MIDDLE, 70]],
  [[LEFT, 20], [RIGHT, 20], [LEFT, 70], [RIGHT, 70]],
  [[LEFT, 20], [RIGHT, 20], [MIDDLE, 45], [LEFT, 70], [RIGHT, 70]],
  [[LEFT, 20], [RIGHT, 20], [LEFT, 45], [RIGHT, 45], [LEFT, 70], [RIGHT, 70]],
  [[LEFT, 20], [RIGHT, 20], [MIDDLE, 32], [LEFT, 45], [RIGHT, 45], [LEFT, 70], [RIGHT, 70]],
  [[LEFT, 20], [RIGHT, 20], [MIDDLE, 32], [LEFT, 45], [RIGHT, 45], [MIDDLE, 58], [LEFT, 70], [RIGHT, 70]],
  [[LEFT, 20], [RIGHT, 20], [LEFT, 37], [RIGHT, 37], [MIDDLE, 45], [LEFT, 53], [RIGHT, 53], [LEFT, 70], [RIGHT, 70]],
  [[LEFT, 20], [RIGHT, 20], [MIDDLE, 28], [LEFT, 37], [RIGHT, 37], [LEFT, 53], [RIGHT, 53], [MIDDLE, 62], [LEFT, 70], [RIGHT, 70]],
];

/** @param {number} card */
export const suitOf = (card) => Math.floor((card - 1) / 13);
/** 0 (two) to 12 (ace). @param {number} card */
export const rankOf = (card) => (card - 1) % 13;

/** "the queen of hearts", or "a card face down". @param {number} card */
export function cardName(card) {
  return card ? `${NAMES[rankOf(card)]} of ${SUITS[suitOf(card)]}` : "card face down";
}

/** As scripts write it: Qh; ?? for a face that is not shown. @param {number} card */
export function cardText(card) {
  if (!card) return "??";
  const rank = RANKS[rankOf(card)];
  return (rank === "10" ? "T" : rank) + LETTERS[suitOf(card)];
}

/** Q♥, as signs that are read as words. @param {number} card */
export function inlineCard(card) {
  if (!card) return el("span", { class: "pip", role: "img", "aria-label": cardName(0) }, "🂠");
  const red = suitOf(card) === 1 || suitOf(card) === 2;
  return el(
    "span",
    { class: red ? "pip red" : "pip", role: "img", "aria-label": cardName(card) },
    RANKS[rankOf(card)] + SIGNS[suitOf(card)] + TEXT_STYLE,
  );
}

/** Cards one after the other, within a sentence. @param {number[]} cards */
export function inlineCards(cards) {
  return el("span", { class: "pips" }, ...cards.map(inlineCard));
}

/**
 * A card of a size that CSS says.  `as`: "button" for one to choose, with its handlers and
 * attributes in `props`.
 *
 * @param {number} card
 * @param {Record<string, any>} [props]
 * @returns {HTMLElement}
 */
export function card(card, props = {}) {
  const { as = "span", class: more = "", ...rest } = props;
  const classes = ["card", card ? "" : "back", more].filter(Boolean).join(" ");
  const told = as === "button" ? {} : { role: "img" };
  const drawn = card ? face(card) : back();
  return el(as, { class: classes, "aria-label": cardName(card), ...told, ...rest }, drawn);
}

/**
 * A row of cards, read as a list.
 * @param {number[]} cards
 * @param {Record<string, any>} [props]
 */
export function cardRow(cards, props = {}) {
  const { class: more = "", label = "", ...rest } = props;
  return el(
    "span",
    { class: `cards ${more}`.trim(), role: label ? "group" : null, "aria-label": label || null, ...rest },
    ...cards.map((each) => card(each)),
  );
}

/** A pile, face down, with its number of cards. @param {number} count @param {string} name */
export function pile(count, name) {
  return el(
    "span",
    { class: "pile", role: "img", "aria-label": `${name}: ${count} cards` },
    count ? card(0, { "aria-hidden": "true", "aria-label": null, role: null }) : el("span", { class: "card empty" }),
    el("span", { class: "count", "aria-hidden": "true" }, count),
  );
}

/** A suit's shape around (x, y). @param {number} suit @param {number} x @param {number} y @param {number} size @param {boolean} [turned] */
function shape(suit, x, y, size, turned = false) {
  const turn = turned ? " rotate(180)" : "";
  return svg("path", { d: SHAPES[suit], transform: `translate(${x} ${y})${turn} scale(${size})` });
}

/** @param {number} card */
function face(card) {
  const suit = suitOf(card);
  const rank = rankOf(card);
  const red = suit === 1 || suit === 2;
  const corner = (/** @type {boolean} */ turned) =>
    svg(
      "g",
      turned ? { transform: "rotate(180 32 45)" } : {},
      svg("text", { x: 9, y: 15.5, "text-anchor": "middle", class: rank === 8 ? "rank wide" : "rank" }, RANKS[rank]),
      shape(suit, 9, 24, 0.52),
    );
  return svg(
    "svg",
    { viewBox: "0 0 64 90", "aria-hidden": "true", class: red ? "red" : "black" },
    svg("rect", { class: "paper", x: 0.5, y: 0.5, width: 63, height: 89, rx: 6 }),
    corner(false),
    corner(true),
    ...middle(suit, rank),
  );
}

/** @param {number} suit @param {number} rank */
function middle(suit, rank) {
  if (rank === 12) return [shape(suit, MIDDLE, 45, 1.7)];
  if (rank < 9) {
    const pips = PIPS[rank];
    return pips.map(([x, y]) => shape(suit, x, y, 0.58, y > 45));
  }
  return [
    svg("rect", { class: "court", x: 16, y: 12, width: 32, height: 66, rx: 3 }),
    svg("path", { class: "crown", d: CROWNS[rank - 9] }),
    svg("text", { x: MIDDLE, y: 58, "text-anchor": "middle", class: "letter" }, RANKS[rank]),
    shape(suit, MIDDLE, 69, 0.55),
  ];
}

/** What jack, queen and king wear. */
const CROWNS = [
  "M24 33C24 27 28 24 33 24 38 24 41 27 41 31L37 33ZM39 25C42 21 44 20 46 19 45 23 43 27 40 29Z",
  "M22 33L20 22 26 27 32 19 38 27 44 22 42 33Z",
  "M22 33V21L27 26 29 21H30.5V18H28.5V16.5H30.5V14.5H33.5V16.5H35.5V18H33.500V21H35L37 26 42 21V33Z",
];

function back() {
  const lattice = [];
  for (let step = -90; step < 70; step += 8) {
    lattice.push(`M${step} 0L${step + 90} 90M${step + 90} 0L${step} 90`);
  }
  return svg(
    "svg",
    { viewBox: "0 0 64 90", "aria-hidden": "true" },
    svg("rect", { class: "paper", x: 0.5, y: 0.5, width: 63, height: 89, rx: 6 }),
    svg("svg", { x: 5, y: 5, width: 54, height: 80, viewBox: "5 5 54 80" },
      svg("rect", { class: "weave", x: 5, y: 5, width: 54, height: 80, rx: 3 }),
      svg("path", { class: "lattice", d: lattice.join("") })),
  );
}
