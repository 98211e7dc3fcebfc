// Palace Poker: seats around the felt; a banner before a palace, soldiers below.

import { card, cardRow, pile } from "../../core/cards.js";
import { chipStack } from "../../core/chips.js";
import { el } from "../../core/dom.js";
import { int, list } from "../../core/rpc.js";
import { amount, counted, ordinal } from "../../core/words.js";
import { clockwise, has, occupied, seatBox, word } from "../seats.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {import("../seats.js").Scene} Scene */

export const family = "palacePoker";

/** @param {Scene} scene */
export function draw(scene) {
  const { view } = scene;
  const seats = clockwise(occupied(view), scene.me);
  const others = seats.length - 1;
  const isMany = others >= MANY;
  return el(
    "div",
    { class: isMany ? "felt round many" : "felt round" },
    el("div", { class: "middle", key: "middle" }, ...middle(scene)),
    ...seats.map((seat, index) =>
      el(
        "div",
        {
          class: "place",
          key: `place${seat}`,
          css: isMany ? alongside(index + 1, others) : around(index + 1, others + 1),
        },
        box(scene, seat),
      ),
    ),
  );
}

/** So many others do not fit around an ellipse: they sit along the sides and the top. */
const MANY = 6;

/** Where the nth of some seats is, clockwise from the bottom. @param {number} n @param {number} of */
function around(n, of) {
  const angle = Math.PI / 2 + (2 * Math.PI * n) / of;
  return { "--x": Math.cos(angle).toFixed(4), "--y": Math.sin(angle).toFixed(4) };
}

/** Column (1 to 5) and row (1 to 3) of the nth of 6 to 9 others, clockwise from the bottom. @param {number} n @param {number} others */
function alongside(n, others) {
  const side = others >= 8 ? 3 : 2;
  const top = others - 2 * side;
  if (n <= side) return { "--column": 1, "--row": side - n + 1 };
  if (n <= side + top)
    return { "--column": (top === 2 ? [2, 4] : [2, 3, 4])[n - side - 1], "--row": 1 };
  return { "--column": 5, "--row": n - side - top };
}

/** @param {Scene} scene */
function middle({ view, me, name }) {
  if (!list(view.order).length) return [el("p", { class: "motto", "aria-hidden": "true" }, "Palace Poker")];
  const { battle } = view;
  const attacker = int(view.turn);
  const told = battle
    ? `${attacker === me ? "You attack" : `${name(attacker)} attacks`} ${int(battle.defender) === me ? "you" : name(int(battle.defender))}: ${amount(battle.toCall)} to call`
    : "";
  return [
    el("div", { class: "piles" }, pile(list(view.draw).length, "Draw pile"), discards(view)),
    el("p", { class: "pot" }, "Pot ", chipStack(view.pot)),
    told ? el("p", { class: "battle" }, told) : null,
  ];
}

/** @param {Message} view */
function discards(view) {
  const count = list(view.discard).length;
  return el(
    "span",
    { class: "pile", role: "img", "aria-label": `Discards: ${count} cards` },
    el("span", { class: "card empty" }),
    el("span", { class: "count", "aria-hidden": "true" }, count),
  );
}

/** @param {Scene} scene @param {number} seat */
function box(scene, seat) {
  const { view } = scene;
  const isRunning = list(view.order).length > 0;
  const isIn = has(view.inHand, seat);
  const paid = int(list(view.paid)[seat]);
  const exit = int(list(view.exits)[seat]);
  const tags = [
    isIn && `price ${amount(list(view.prices)[seat])}`,
    isRunning && has(view.capped, seat) && "all in",
    has(view.quiet, seat) && "quiet",
    isRunning && !isIn && exit > 0 && `${ordinal(exit)} to go`,
    isRunning && !isIn && !exit && !has(view.out, seat) && "not dealt in",
    has(view.leaving, seat) ? "leaving" : has(view.out, seat) && "sits out",
  ];
  const banner = list(view.banners)[seat];
  const soldiers = list(list(view.soldiers)[seat]?.cards);
  const palace = list(list(view.palaces)[seat]?.cards);
  return seatBox(
    scene,
    seat,
    {
      tags,
      chips: list(view.stacks)[seat],
      faded: isRunning && !isIn,
      deals: int(view.dealer ?? -1) === seat,
      bet: [isRunning ? paid : 0, "in pot"],
    },
    banner
      ? el(
          "div",
          { class: "hand" },
          card(banner, { class: "banner" }),
          cardRow(palace.length ? palace : [0, 0, 0], { class: "fan", label: "Palace" }),
        )
      : null,
    soldiers.length ? cardRow(soldiers, { class: "soldiers", label: "Soldiers" }) : null,
  );
}

const IDLE = /** @type {Record<string, string>} */ ({
  IDLE: "Between hands",
  SETUP: "The cards are being dealt",
  CLOSED: "The table is closed",
});

/** Where the game stands, in a line. @param {Scene} scene */
export function standing({ view, me, name }) {
  const hand = int(view.handNo) ? `Hand ${int(view.handNo)}` : "";
  const idle = IDLE[word(view.phase, "PALACE_POKER_PHASE")];
  if (idle || view.actor === undefined) return [idle ?? "", hand];
  const actor = int(view.actor);
  const does = view.forced ? "must bet or fold" : view.battle ? "to answer" : "to act";
  return [
    actor === me
      ? `You are ${does}`.replace("are must", "must")
      : `${name(actor)} ${view.forced ? does : `is ${does}`}`,
    hand,
  ];
}

/** @param {Message} offer @param {Scene} scene @returns {import("../offers.js").Told} */
export function tell(offer, { view, me, name }) {
  const seat = me ?? 0;
  const soldiers = list(list(view.soldiers)[seat]?.cards).length;
  const price = int(list(view.prices)[seat]);
  const range = (/** @type {string} */ field) =>
    list(offer.limits).find((limit) => limit.field === field)?.range ?? {};
  const owed = view.battle ? Math.min(int(view.battle.toCall), int(list(view.stacks)[seat])) : 0;
  switch (offer.action) {
    case "stay":
      return { label: "Stay", hint: "do nothing" };
    case "discard":
      return { label: "Discard", hint: "throw soldiers away, for nothing" };
    case "buy":
      return {
        label: "Buy a soldier",
        hint: `${counted(price / (soldiers + 1), "chip")} for the top card`,
        first: true,
      };
    case "muster":
      return {
        label: "Muster",
        hint: "Choose the soldiers that you throw away; at most five stay.",
        first: true,
        confirm: ({ discard }) =>
          discard.length ? `Throw ${discard.length} away, keep the others` : "Keep them all",
      };
    case "bet": {
      const target = int(range("target").low);
      const least = int(range("amount").low);
      const theirs = int(list(view.prices)[target]);
      const answer = least >= price ? theirs : Math.min(theirs, least);
      return {
        label: `Attack ${name(target)}`,
        hint: `for ${amount(least)}, ${amount(answer)} to call`,
      };
    }
    case "call":
      return { label: `Call ${amount(owed)}`, hint: "the hands decide", first: true };
    case "raise":
      return {
        label: "Raise",
        hint: `call ${amount(owed)}, and at least ${amount(range("amount").low)} more`,
      };
    case "fold":
      return { label: "Fold", hint: view.battle ? "give up the battle" : "give up the hand" };
    default:
      return { label: offer.action };
  }
}

/** What the host's button says. */
export function startLabel() {
  return "Deal a hand";
}
