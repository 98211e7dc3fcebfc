// Seats: who sits where, with chips, clock and standing.

import { el } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { amount } from "../core/words.js";
import { chipStack } from "../core/chips.js";
import { clockFace } from "./clock.js";
import { signed } from "./outcome.js";

/** @typedef {Record<string, any>} Message */

/**
 * What a drawing knows beside the view: the table, whose eyes, names, who is to act, and what is
 * being chosen.
 * @typedef {object} Scene
 * @property {Message} table
 * @property {Message} view
 * @property {number | null} me
 * @property {(seat: number) => string} name
 * @property {number[]} acting
 * @property {Message[]} offers
 * @property {import("./offers.js").Choosing} choosing
 * @property {(seat: number) => {gain: number, isBest: boolean} | null} gain what a seat won or lost in the hand that has just ended
 */

/**
 * A seat's box.  `bet`: chips that lie before it, with a word; `deals`: whether it has the button.
 * @param {Scene} scene
 * @param {number} seat
 * @param {{tags?: (string | false | null | undefined)[], chips?: unknown, faded?: boolean,
 *   deals?: boolean, bet?: [number, string]}} told
 * @param {...(import("../core/dom.js").Child)} inside
 */
export function seatBox(scene, seat, { tags = [], chips, faded = false, deals = false, bet }, ...inside) {
  const isActing = scene.acting.includes(seat);
  const isMe = seat === scene.me;
  const end = scene.gain(seat);
  const classes = ["seat", isActing && "acting", isMe && "mine", faded && "faded", end?.isBest && "winner"].filter(Boolean);
  return el(
    "section",
    { class: classes.join(" "), key: `seat${seat}`, "aria-label": isMe ? "You" : scene.name(seat) },
    el(
      "header",
      {},
      el("span", { class: "face", "aria-hidden": "true", css: { "--hue": (seat * 67 + 20) % 360 } }, isMe ? "★" : initial(scene.name(seat))),
      el("span", { class: "name" }, isMe ? "You" : scene.name(seat)),
      deals ? el("span", { class: "button-disc", title: "Dealer" }, el("span", { "aria-hidden": "true" }, "D"), el("span", { class: "unseen" }, " dealer")) : null,
      chips === undefined
        ? null
        : el("span", { class: "chips" }, amount(chips), el("span", { class: "unseen" }, " chips")),
    ),
    ...inside,
    el(
      "footer",
      {},
      isActing
        ? el("span", { class: "unseen", key: "act" }, isMe ? "You are to act. " : "To act. ")
        : null,
      isActing ? clockFace() : null,
      end && el("span", { class: end.gain > 0 ? "gain up" : "gain", key: "gain" }, signed(end.gain)),
      bet?.[0] ? el("span", { class: "bet", key: "bet" }, chipStack(...bet)) : null,
      ...tags.filter(Boolean).map((tag) => el("span", { class: "mark" }, tag)),
    ),
  );
}

/** What stands for a name: "Ann" A, "Bot 2" 2. @param {string} name */
const initial = (name) => /\d+$/.exec(name)?.[0] ?? [...name][0]?.toUpperCase() ?? "";

/** Seats that somebody holds. @param {Message} view @returns {number[]} */
export function occupied(view) {
  return list(view.players).flatMap((player, seat) => (player ? [seat] : []));
}

/** Seats clockwise, one's own last: as they are seen from it. @param {number[]} seats @param {number | null} me */
export function clockwise(seats, me) {
  const start = me === null ? -1 : seats.indexOf(me);
  return [...seats.slice(start + 1), ...seats.slice(0, start + 1)];
}

/** Whether a list of seats, which may be left out, has one. @param {unknown[] | undefined} seats @param {number} seat */
export function has(seats, seat) {
  return list(seats).some((each) => int(each) === seat);
}

/** The word of an enum's value, such as IDLE. @param {string | undefined} value @param {string} prefix */
export function word(value, prefix) {
  return String(value ?? "").replace(`${prefix}_`, "");
}
