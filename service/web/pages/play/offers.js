// What one may do now: a button for each offer, fields for what it leaves open, and what was refused.

import { button, el } from "../core/dom.js";
import { words } from "../core/words.js";
import { beginning, keyOf, obstacle, open } from "./choices.js";
import { choiceField } from "./fields.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {import("./choices.js").Chosen} Chosen */
/**
 * What is said of an offer: on its button, beside it, and on the button that sends what was chosen.
 * @typedef {{label: string, hint?: string, first?: boolean, confirm?: (chosen: Chosen) => string}} Told
 */

/** What somebody is choosing, for as long as a decision lasts. */
export class Choosing {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.decision = "";
    /** @type {Map<string, Chosen>} */
    this.chosen = new Map();
    this.opened = "";
    /** The card of one's hand that is to be played, in games in which a card is chosen first. */
    this.card = 0;
  }

  /** Forget what was chosen for another decision. @param {Message | undefined} decision */
  at(decision) {
    const now = decision ? `${decision.hand ?? 0}.${decision.number ?? 0}` : "";
    if (now === this.decision) return;
    this.decision = now;
    this.chosen.clear();
    this.opened = "";
    this.card = 0;
  }

  /** @param {Message} offer @returns {Chosen} */
  of(offer) {
    return this.chosen.get(keyOf(offer)) ?? beginning(offer);
  }

  /** @param {Message} offer @param {string} field @param {any} value */
  set(offer, field, value) {
    this.chosen.set(keyOf(offer), { ...this.of(offer), [field]: value });
    this.changed();
  }

  /** Open the fields of an offer, or close them. @param {Message} offer */
  toggle(offer) {
    this.opened = this.opened === keyOf(offer) ? "" : keyOf(offer);
    this.changed();
  }

  /** @param {number} card */
  take(card) {
    this.card = this.card === card ? 0 : card;
    this.opened = "";
    this.changed();
  }
}

/**
 * Offers as buttons.
 * @param {Message[]} offers
 * @param {(offer: Message) => Told} tell
 * @param {Choosing} choosing
 * @param {boolean} isBusy whether an action is under way
 * @param {(offer: Message, chosen: Chosen) => void} act
 */
export function offerBar(offers, tell, choosing, isBusy, act) {
  return el(
    "div",
    { class: "offers" },
    ...offers.map((offer) => one(offer, tell(offer), choosing, isBusy, act, offers.length === 1)),
  );
}

/** @param {Message} offer @param {Told} told @param {Choosing} choosing @param {boolean} isBusy @param {(offer: Message, chosen: Chosen) => void} act @param {boolean} isOnly */
function one(offer, told, choosing, isBusy, act, isOnly) {
  const key = keyOf(offer);
  const fields = open(offer);
  const chosen = choosing.of(offer);
  if (!fields.length) {
    return el(
      "div",
      { class: "offer", key },
      button(told.label, () => act(offer, chosen), {
        class: told.first ? "first" : null,
        disabled: isBusy,
        "data-action": offer.action,
      }),
      told.hint ? el("small", {}, told.hint) : null,
    );
  }
  const isOpen = isOnly || choosing.opened === key;
  const why = obstacle(offer, chosen);
  const id = `c${hash(key)}`;
  return el(
    "div",
    { class: isOpen ? "offer opened" : "offer", key },
    isOnly
      ? null
      : button(`${told.label} …`, () => choosing.toggle(offer), {
          class: told.first && !isOpen ? "first" : null,
          "aria-expanded": String(isOpen),
          "aria-controls": isOpen ? id : null,
          disabled: isBusy,
          "data-action": offer.action,
        }),
    told.hint ? el("small", {}, told.hint) : null,
    isOpen
      ? el(
          "form",
          {
            id,
            class: "fields",
            "aria-label": told.label,
            on: {
              submit: (/** @type {Event} */ event) => {
                event.preventDefault();
                if (!why) act(offer, chosen);
              },
            },
          },
          ...fields.map((limit, index) =>
            choiceField(
              limit,
              chosen[limit.field],
              (value) => choosing.set(offer, limit.field, value),
              `${id}-${index}`,
            ),
          ),
          el(
            "div",
            { class: "row" },
            el(
              "button",
              { class: "first", disabled: isBusy || Boolean(why), "data-confirm": offer.action },
              summary(offer, told, chosen),
            ),
            el("small", { role: "status" }, why),
          ),
        )
      : null,
  );
}

/** What the button that sends an offer says. @param {Message} offer @param {Told} told @param {Chosen} chosen */
function summary(offer, told, chosen) {
  if (told.confirm) return told.confirm(chosen);
  let text = told.label;
  for (const { field, range } of open(offer)) {
    if (!range || !chosen[field]) continue;
    text += field === "amount" ? `: ${chosen[field]}` : `, ${words(field)} ${chosen[field]}`;
  }
  return text;
}

/** A short name for a long one. @param {string} text */
function hash(text) {
  let sum = 0;
  for (const char of text) sum = (Math.imul(sum, 31) + char.charCodeAt(0)) >>> 0;
  return sum.toString(36);
}
