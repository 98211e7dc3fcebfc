// Royal Casino: the others above, loose cards and builds on the felt, one's own hand below.

import { card, cardName, cardRow, pile } from "../../core/cards.js";
import { el } from "../../core/dom.js";
import { int, list } from "../../core/rpc.js";
import { counted, listed } from "../../core/words.js";
import { itemTold } from "../../core/words/royal_casino.js";
import { byCard, fixed } from "../choices.js";
import { clockwise, has, occupied, seatBox, word } from "../seats.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {import("../seats.js").Scene} Scene */

export const family = "royalCasino";

/** @param {Scene} scene */
export function draw(scene) {
  const { view, me } = scene;
  const seats = clockwise(occupied(view), me);
  return el(
    "div",
    { class: "felt rows casino" },
    el(
      "div",
      { class: "punters", key: "others" },
      ...seats.filter((seat) => seat !== me).map((seat) => box(scene, seat)),
    ),
    el(
      "div",
      { class: "layout", key: "layout", role: "group", "aria-label": "On the table" },
      pile(list(view.stock).length, "Stock"),
      list(view.loose).length
        ? cardRow(list(view.loose), { class: "loose", label: "Loose cards" })
        : el(
            "p",
            { class: "note" },
            word(view.phase, "ROYAL_CASINO_PHASE") === "PLAYING" ? "no loose card" : "",
          ),
      ...list(view.builds).map((build) => buildBox(scene, build)),
    ),
    me === null || !seats.includes(me)
      ? null
      : el("div", { class: "punters own", key: "own" }, box(scene, me)),
  );
}

/** @param {Scene} scene @param {Message} build */
function buildBox({ me, name }, build) {
  const owner = int(build.owner) === me ? "yours" : `of ${name(int(build.owner))}`;
  return el(
    "div",
    {
      class: "build",
      key: build.id,
      role: "group",
      "aria-label": `Build ${build.id.slice(1)} of value ${build.value}, ${owner}`,
    },
    el("p", {}, el("strong", {}, build.value), ` build ${build.id.slice(1)}, ${owner}`),
    el(
      "div",
      { class: "stacks" },
      ...list(build.groups).map(({ cards }) => cardRow(list(cards), { class: "fan" })),
    ),
  );
}

/** @param {Scene} scene @param {number} seat */
function box(scene, seat) {
  const { view, me } = scene;
  const sides = list(view.scores).length || 1;
  const side = seat % sides;
  const isPlaying = word(view.phase, "ROYAL_CASINO_PHASE") === "PLAYING";
  const lock = itemTold(list(view.locks)[side]);
  const sweeps = int(list(view.sweeps)[side]);
  const tags = [
    me !== null && seat !== me && me % sides === side && "your partner",
    counted(list(view.scores)[side], "point"),
    isPlaying && `pile ${list(list(view.piles)[side]?.cards).length}`,
    isPlaying && sweeps > 0 && counted(sweeps, "sweep"),
    lock && `wins by ${lock} only`,
    has(view.leaving, seat) ? "has left" : has(view.out, seat) && "sits out",
  ];
  const cards = list(list(view.hands)[seat]?.cards);
  const isMine = seat === me && scene.offers.length > 0;
  return seatBox(
    scene,
    seat,
    {
      tags,
      chips: int(list(view.stacks)[seat]) || undefined,
      deals: view.dealer !== undefined && int(view.dealer) === seat,
    },
    isMine
      ? ownHand(scene, cards)
      : cards.length
        ? cardRow(cards, { class: seat === me ? "" : "fan", label: "Hand" })
        : null,
  );
}

/** One's hand, to choose the card that is played. @param {Scene} scene @param {number[]} cards */
function ownHand({ choosing }, cards) {
  return el(
    "div",
    { class: "cards", role: "group", "aria-label": "Your hand: choose a card to play" },
    ...cards.map((each) =>
      card(each, {
        as: "button",
        type: "button",
        key: each,
        "aria-pressed": String(choosing.card === each),
        on: { click: () => choosing.take(each) },
      }),
    ),
  );
}

/** The offers with the card that was chosen. @param {Scene} scene */
export function narrowed({ offers, choosing }) {
  if (!choosing.card) return { offers: [], hint: "Choose a card of your hand." };
  const found = byCard(offers).filter((offer) => cardOf(offer) === choosing.card);
  return { offers: found, hint: `With the ${cardName(choosing.card)}:` };
}

/** @param {Message} offer */
function cardOf(offer) {
  const limit = list(offer.limits).find(({ field }) => field === "card");
  return limit ? fixed(limit) : undefined;
}

const IDLE = /** @type {Record<string, string>} */ ({
  LOBBY: "Before the first game",
  BETWEEN_DEALS: "Between deals",
  GAME_OVER: "The game is over",
  CLOSED: "The table is closed",
});

/** @param {Scene} scene */
export function standing({ view, me, name }) {
  const deal = int(view.dealNo)
    ? `Deal ${int(view.dealNo)}${view.overtime ? ", overtime" : ""}`
    : "";
  const idle = IDLE[word(view.phase, "ROYAL_CASINO_PHASE")];
  if (view.result) {
    const count = list(view.scores).length || 1;
    const seats = occupied(view).filter((seat) =>
      list(view.result.sides)
        .map(int)
        .includes(seat % count),
    );
    const names = listed(seats.map((seat) => (seat === me ? "you" : name(seat))));
    return [
      `${idle ?? "Over"}: ${list(view.result.sides).length > 1 ? "shared by" : "won by"} ${names}`,
      deal,
    ];
  }
  if (idle || view.turn === undefined) return [idle ?? "", deal];
  const turn = int(view.turn);
  return [`${turn === me ? "You are" : `${name(turn)} is`} to act`, deal];
}

/** @param {Message} offer @param {Scene} scene @returns {import("../offers.js").Told} */
export function tell(offer, { view }) {
  const limit = (/** @type {string} */ field) =>
    list(offer.limits).find((each) => each.field === field);
  const value = int(limit("value")?.range?.low);
  switch (offer.action) {
    case "trail_card":
      return { label: "Leave it on the table", hint: "to be taken by anybody" };
    case "capture_cards": {
      const builds = list(limit("builds")?.names?.words).map((id) => id.slice(1));
      return {
        label: "Take",
        hint: builds.length ? `loose cards, and build ${listed(builds)}` : "loose cards",
        first: true,
      };
    }
    default: {
      const bases = list(limit("base")?.words?.words);
      const builds = list(view.builds).filter((build) => bases.includes(build.id));
      if (!builds.length)
        return { label: `Build ${value}`, hint: "to be taken by a card of that value" };
      const isSame = builds.every((build) => int(build.value) === value);
      const names = listed(builds.map((build) => build.id.slice(1)));
      return { label: isSame ? `Add to build ${names}` : `Raise build ${names} to ${value}` };
    }
  }
}

/** @param {Scene} scene */
export function startLabel({ view }) {
  return word(view.phase, "ROYAL_CASINO_PHASE") === "BETWEEN_DEALS" ? "Deal" : "Begin a game";
}
