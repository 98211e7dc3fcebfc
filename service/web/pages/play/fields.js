// Fields for what an offer leaves open: amounts, words, cards, groups of cards, builds.

import { card as drawCard, cardRow } from "../core/cards.js";
import { button, el } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { amount, title, words } from "../core/words.js";
import { groups } from "./choices.js";

/** @typedef {Record<string, any>} Message */

/**
 * The field of one open parameter.
 * @param {Message} limit
 * @param {any} value what is chosen now
 * @param {(value: any) => void} choose
 * @param {string} id different for each field on the page
 * @returns {HTMLElement}
 */
export function choiceField(limit, value, choose, id) {
  if (limit.range) return amountField(limit, value, choose, id);
  if (limit.words) return wordField(limit, value, choose, id);
  if (limit.cards) return cardField(limit, value, choose, id);
  if (limit.names) return nameField(limit, value, choose, id);
  return groupField(limit, value, choose, id);
}

/** A slider, a number beside it, and the ends of the range. @type {typeof choiceField} */
function amountField(limit, value, choose, id) {
  const low = int(limit.range.low);
  const high = int(limit.range.high);
  const read = (/** @type {Event} */ event) => {
    const { value: text } = /** @type {HTMLInputElement} */ (event.target);
    choose(text === "" ? NaN : Number(text));
  };
  const shown = Number.isFinite(value) ? value : low;
  const label = title(limit.field);
  return el(
    "div",
    { class: "amount", key: limit.field },
    el("label", { for: id }, label),
    el("input", {
      type: "range",
      min: low,
      max: high,
      step: 1,
      value: shown,
      "aria-label": `${label}, slider`,
      on: { input: read },
    }),
    el("input", {
      id,
      type: "number",
      min: low,
      max: high,
      step: 1,
      inputmode: "numeric",
      value: Number.isFinite(value) ? value : "",
      on: { input: read },
    }),
    button(`Least, ${amount(low)}`, () => choose(low), { class: "plain" }),
    button(`Most, ${amount(high)}`, () => choose(high), { class: "plain" }),
  );
}

/** @type {typeof choiceField} */
function wordField(limit, value, choose) {
  return el(
    "fieldset",
    { class: "row", key: limit.field },
    el("legend", {}, title(limit.field)),
    ...list(limit.words.words).map((word) =>
      button(words(word), () => choose(word), {
        class: "choice",
        "aria-pressed": String(word === value),
        key: word,
      }),
    ),
  );
}

/** @type {typeof choiceField} */
function cardField(limit, value, choose) {
  const isOne = limit.field === "card";
  const held = isOne ? [value] : value;
  const most = int(limit.cards.high);
  return el(
    "fieldset",
    { class: "pick", key: limit.field },
    el(
      "legend",
      {},
      isOne
        ? "Which card"
        : most === list(limit.cards.cards).length
          ? "Which cards"
          : `Which cards, ${most} at most`,
    ),
    ...list(limit.cards.cards).map((each) => {
      const isHeld = held.includes(each);
      const press = () => {
        if (isOne) choose(each);
        else
          choose(
            isHeld ? held.filter((/** @type {number} */ other) => other !== each) : [...held, each],
          );
      };
      return drawCard(each, {
        as: "button",
        type: "button",
        "aria-pressed": String(isHeld),
        key: each,
        on: { click: press },
      });
    }),
  );
}

/** @type {typeof choiceField} */
function nameField(limit, value, choose) {
  const must = list(limit.names.must);
  return el(
    "fieldset",
    { class: "row", key: limit.field },
    el("legend", {}, title(limit.field)),
    ...list(limit.names.words).map((word) => {
      const isHeld = value.includes(word);
      const press = () =>
        choose(
          isHeld ? value.filter((/** @type {string} */ other) => other !== word) : [...value, word],
        );
      return button(`Build ${word.slice(1)}`, press, {
        class: "choice",
        "aria-pressed": String(isHeld),
        disabled: must.includes(word),
        key: word,
      });
    }),
  );
}

/**
 * Groups of cards that may be taken together, as long as no card is taken twice: one of the first,
 * where there are any, and as many of the others as one likes.
 * @type {typeof choiceField}
 */
function groupField(limit, value, choose) {
  const first = groups(limit.groups.first);
  const more = groups(limit.groups.more);
  const has = (/** @type {number[]} */ group) =>
    group.length > 0 && group.every((card) => value.includes(card));
  const start = first.filter(has).toSorted((a, b) => b.length - a.length)[0] ?? [];
  const rest = more.filter(has);
  const toggle = (/** @type {number[]} */ group, /** @type {boolean} */ isFirst) => {
    if (isFirst) return choose(group);
    if (has(group))
      return choose(value.filter((/** @type {number} */ card) => !group.includes(card)));
    // What shares a card with it gives way.
    const away = rest.filter((other) => other.some((card) => group.includes(card))).flat();
    const kept = value.filter(
      (/** @type {number} */ card) => !away.includes(card) && !group.includes(card),
    );
    return choose([...kept, ...group]);
  };
  const shown = (/** @type {number[]} */ group, /** @type {boolean} */ isFirst) => {
    const isHeld = isFirst ? group.join() === start.join() : has(group);
    const label = group.length ? cardRow(group) : "nothing";
    return el(
      "button",
      {
        type: "button",
        class: "choice group",
        "aria-pressed": String(isHeld),
        key: `${isFirst}${group}`,
        disabled: !isFirst && group.some((card) => start.includes(card)),
        on: { click: () => toggle(group, isFirst) },
      },
      label,
    );
  };
  return el(
    "div",
    { class: "groups", key: limit.field },
    first.length > 1
      ? el(
          "fieldset",
          { class: "row" },
          el("legend", {}, "With one of"),
          ...first.map((group) => shown(group, true)),
        )
      : null,
    more.length
      ? el(
          "fieldset",
          { class: "row" },
          el("legend", {}, first.length ? "And any of" : "Take"),
          ...more.map((group) => shown(group, false)),
        )
      : null,
  );
}
