// What the table's people do beside playing: sit down, bring chips, sit out, leave, deal, ask bots, close.

import { button, el } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { amount } from "../core/words.js";
import { byName } from "../lobby/games.js";
import { has } from "./seats.js";

/** @typedef {Record<string, any>} Message */
/**
 * @typedef {object} Doing
 * @property {(action: Message, seat?: number) => void} act an action of every game
 * @property {() => void} start
 * @property {() => void} close
 * @property {(count: number) => void} ask bots
 */

const USUAL = 1000;
const FAR = 1e15;

/** Whether somebody may begin the next hand now. @param {Message} table @param {Message} state @param {boolean} isHost @param {number | null} me */
export function mayStart(table, state, isHost, me) {
  const startsItself = byName(table.houseOptions).auto_start === "true";
  const mayBegin = isHost || (int(table.seatCount) === 1 && me !== null);
  return mayBegin && !startsItself && !state.decision && !table.closed && !isManaged(table);
}

/** Whether a tournament leads the table. @param {Message} table */
function isManaged(table) {
  return byName(table.houseOptions).purse === "tournament";
}

/** Free seats, each with a button. @param {Message} table @param {Message} state @param {HTMLInputElement} chips @param {Doing} doing @param {boolean} isBusy */
export function freeSeats(table, state, chips, doing, isBusy) {
  if (table.closed || isManaged(table) || list(state.seats).length) return null;
  const taken = new Set(list(table.seats).map(({ seat }) => int(seat)));
  const free = Array.from({ length: int(table.seatCount) }, (_, seat) => seat).filter(
    (seat) => !taken.has(seat),
  );
  if (!free.length)
    return el("p", { class: "note", key: "free" }, "Every seat is taken: you look on.");
  const bring = () => ({ takeSeat: { chips: chips.value === "" ? undefined : chips.value } });
  return el(
    "div",
    { class: "free", key: "free" },
    el("div", { class: "field" }, el("label", { for: chips.id }, "Chips to bring"), chips),
    el(
      "div",
      { class: "row" },
      ...free.map((seat, index) =>
        button(`Take seat ${seat}`, () => doing.act(bring(), seat), {
          class: index ? null : "first",
          disabled: isBusy,
          key: `seat${seat}`,
        }),
      ),
    ),
  );
}

/** The field of chips to sit down with, with what the house takes. @param {Message} table */
export function chipsField(table) {
  const house = byName(table.houseOptions);
  const low = int(house.min_buy_in);
  const high = int(house.max_buy_in);
  const usual = int(table.seatCount) === 1 ? 0 : USUAL;
  return /** @type {HTMLInputElement} */ (
    el("input", {
      id: "bring",
      type: "number",
      min: low,
      max: high > FAR ? null : high,
      step: 1,
      inputmode: "numeric",
      value: Math.max(low, Math.min(usual, high)),
    })
  );
}

/**
 * The panel of a seat.
 * @param {Message} table @param {Message} view @param {number} me @param {HTMLInputElement} more @param {Doing} doing @param {boolean} isBusy
 */
export function seatPanel(table, view, me, more, doing, isBusy) {
  const isOut = has(view.out, me) || has(view.outNext, me);
  const isAlone = int(table.seatCount) === 1;
  const off = { disabled: isBusy };
  return el(
    "div",
    { class: "panel", key: "seat" },
    isAlone || isManaged(table)
      ? null
      : el(
          "form",
          {
            class: "row",
            on: {
              submit: (/** @type {Event} */ event) => {
                event.preventDefault();
                doing.act({ addChips: { amount: more.value } });
              },
            },
          },
          el("label", { for: more.id }, "More chips"),
          more,
          el("button", off, "Add"),
        ),
    el(
      "div",
      { class: "row" },
      isAlone
        ? null
        : isOut
          ? button("Sit in", () => doing.act({ sitIn: {} }), off)
          : button("Sit out", () => doing.act({ sitOut: {} }), off),
      isManaged(table)
        ? null
        : button("Leave the table", () => doing.act({ leaveSeat: {} }), {
            ...off,
            class: "danger",
          }),
    ),
  );
}

/** @param {number} [value] */
export function moreChipsField(value = USUAL) {
  return /** @type {HTMLInputElement} */ (
    el("input", {
      id: "more",
      class: "short",
      type: "number",
      min: 1,
      step: 1,
      inputmode: "numeric",
      value,
    })
  );
}

/**
 * The panel of the host, and of who sits here: bots, and the end of the table.
 * @param {Message} table @param {Set<number> | null} bots where they play; null: none may be asked @param {boolean} isHost @param {Doing} doing @param {boolean} isBusy
 */
export function hostPanel(table, bots, isHost, doing, isBusy) {
  const free = int(table.seatCount) - list(table.seats).length;
  const mayAsk =
    free > 0 && int(table.seatCount) > 1 && byName(table.houseOptions).purse === "free";
  return el(
    "div",
    { class: "panel row", key: "host" },
    bots && mayAsk
      ? button("Ask a bot to sit down", () => doing.ask(bots.size + 1), { disabled: isBusy })
      : null,
    isHost && !isManaged(table)
      ? button("Close the table", doing.close, { disabled: isBusy, class: "danger" })
      : null,
  );
}

/** What the table is like. @param {Message} table */
export function rules(table) {
  const shown = [...list(table.options), ...list(table.houseOptions)].filter(
    ({ value }) => int(value) < FAR || Number.isNaN(int(value)),
  );
  return el(
    "details",
    { key: "rules" },
    el("summary", {}, "Rules of this table"),
    el(
      "dl",
      { class: "rules" },
      ...shown.map(({ name, value }) =>
        el(
          "div",
          {},
          el("dt", {}, name.replaceAll("_", " ")),
          el("dd", {}, /^\d+$/.test(value) ? amount(value) : String(value).replaceAll("_", " ")),
        ),
      ),
    ),
  );
}
