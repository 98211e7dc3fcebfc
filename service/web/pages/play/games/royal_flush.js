// Royal Flush: piles side by side, the card on top in full, what was found below them.

import { card, cardRow, pile } from "../../core/cards.js";
import { el } from "../../core/dom.js";
import { int, list } from "../../core/rpc.js";
import { counted, title } from "../../core/words.js";
import { word } from "../seats.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {import("../seats.js").Scene} Scene */

export const family = "royalFlush";

/** @param {Scene} scene */
export function draw({ view }) {
  const piles = list(view.piles).map(({ cards }) => list(cards));
  return el(
    "div",
    { class: "felt flush" },
    el(
      "div",
      { class: "columns", key: "columns" },
      list(view.stock).length
        ? el(
            "div",
            { class: "column" },
            el("p", {}, "Stock"),
            pile(list(view.stock).length, "Stock"),
          )
        : null,
      ...piles.map((cards, index) => column(cards, index + 1, int(view.nextPile))),
    ),
    el("dl", { class: "captions", key: "captions" }, ...captions(view)),
  );
}

/** @param {number[]} cards @param {number} number @param {number} next */
function column(cards, number, next) {
  const isNext = number === next;
  return el(
    "div",
    {
      class: isNext ? "column next" : "column",
      key: `pile${number}`,
      role: "group",
      "aria-label": `Pile ${number}, ${cards.length} cards${isNext ? ", to be searched next" : ""}`,
    },
    el("p", {}, `Pile ${number}`),
    cards.length
      ? el(
          "div",
          { class: "stack" },
          ...cards
            .slice(0, 12)
            .map((each, index) => card(each, { css: { "--n": index }, key: index })),
        )
      : el("span", { class: "card empty" }),
    el("p", { class: "stake" }, cards.length || "empty"),
  );
}

/** @param {Message} view */
function captions(view) {
  /** @type {HTMLElement[]} */
  const rows = [];
  const row = (/** @type {string} */ name, /** @type {any} */ told) =>
    rows.push(el("div", {}, el("dt", {}, name), el("dd", {}, told)));
  if (list(view.claimed).length) row("Found", cardRow(view.claimed, { label: "Found" }));
  if (list(view.fixed).length) row("The hand", cardRow(view.fixed, { label: "The hand" }));
  else if (int(view.gameNo) && int(view.possible) > 1)
    row("The hand", `${int(view.possible)} hands are possible`);
  if (list(view.discard).length) row("Thrown away", counted(list(view.discard).length, "card"));
  if (view.winCertain) row("", "This game can no longer be lost.");
  const [won, lost, abandoned] = [int(view.won), int(view.lost), int(view.abandoned)];
  if (won + lost + abandoned) row("So far", `${won} won, ${lost} lost, ${abandoned} given up`);
  return rows;
}

const ENDS = /** @type {Record<string, string>} */ ({
  WON: "Won: exactly the hand is left",
  LOST: "Lost: more than the hand is left",
  ABANDONED: "Given up",
});
const DOING = /** @type {Record<string, string>} */ ({
  LOBBY: "Ready for the first game",
  DEAL: "Deal the stock",
  GATHER: "Gather the piles",
  CLOSED: "The table is closed",
});

/** @param {Scene} scene */
export function standing({ view }) {
  const phase = word(view.phase, "ROYAL_FLUSH_PHASE");
  const game = int(view.gameNo) ? `Game ${int(view.gameNo)}, round ${int(view.round)} of 5` : "";
  if (phase === "SEARCH") return [`Search pile ${int(view.nextPile)}`, game];
  if (phase === "GAME_OVER") return [ENDS[word(view.result, "ROYAL_FLUSH_RESULT")] ?? "Over", game];
  return [DOING[phase] ?? "", game];
}

/** @param {Message} offer @returns {import("../offers.js").Told} */
export function tell(offer) {
  switch (offer.action) {
    case "deal_piles":
      return { label: "Deal the piles", first: true };
    case "search_pile":
      return { label: "Search the pile", hint: "down to the next card that matters", first: true };
    case "gather_piles":
      return { label: "Gather the piles", first: true };
    case "auto_play":
      return { label: "Play on by itself", hint: "a step, a round, or the whole game" };
    case "abandon_game":
      return { label: "Give up" };
    default:
      return { label: title(offer.action) };
  }
}

export function startLabel() {
  return "Begin a game";
}
