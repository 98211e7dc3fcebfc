// One's own part of the shuffle: added by itself as soon as a shuffle takes it, or by hand.

import { bytesOf, contribution, fresh, givenTo, isByItself, keep, setByItself } from "../core/entropy.js";
import { button, el, labelled } from "../core/dom.js";
import { Failure, call, int, list, requestId } from "../core/rpc.js";
import { refusal } from "../core/words.js";
import { hex } from "../verify/bytes.js";

/** @typedef {import("./table.js").TablePage} TablePage */

/** Reasons for which it is too late, which is nobody's mistake. */
const LATE = new Set(["ALREADY_CONTRIBUTED", "ENTROPY_CLOSED", "NOT_SEATED"]);

export class Share {
  /** @param {TablePage} page */
  constructor(page) {
    this.page = page;
    this.refused = "";
    /** The epoch that something was sent to last. */
    this.sentTo = 0;
    /** What is on its way. */
    this.sending = Promise.resolve();
    /** What is added next, as its field has it. */
    this.next = fresh();
  }

  /** Whether the coming shuffle takes something of this seat. */
  get isOpen() {
    const { table: { epoch }, me } = this.page;
    if (me === null || !epoch?.takesEntropy) return false;
    return !list(epoch.contributed).map(int).includes(me) && int(epoch.epoch) !== this.sentTo;
  }

  /** Add what is there for the coming shuffle, where that is to happen by itself. */
  offer() {
    if (this.isOpen && isByItself()) this.give();
  }

  /** Add it now. */
  give() {
    if (!this.isOpen) return;
    this.sentTo = int(this.page.table.epoch.epoch);
    this.sending = this.send(this.sentTo);
  }

  /** @param {number} epoch */
  async send(epoch) {
    const { page } = this;
    const { tableId } = page.table;
    const typed = this.next;
    const value = await bytesOf(typed);
    if (!value) {
      this.sentTo = 0;
      this.refused = "Type something, or let fresh randomness be made.";
      page.draw();
      return;
    }
    try {
      const request = { requestId: requestId(), seat: page.me ?? 0, ...contribution(tableId, epoch, value) };
      await call("TableService/SubmitAction", request, { signal: page.signal });
      keep(tableId, epoch, value);
      this.refused = "";
      if (this.next === typed) this.next = fresh();
    } catch (failure) {
      if (page.signal.aborted) return;
      if (!(failure instanceof Failure)) throw failure;
      this.refused = LATE.has(failure.reason) ? "" : refusal(failure);
    }
    page.draw();
  }

  /** Who sits here sees what was added, and what will be. */
  panel() {
    const { table, me } = this.page;
    const epoch = int(table.epoch?.epoch);
    if (me === null || !epoch || table.closed) return null;
    const given = givenTo(table.tableId).get(epoch);
    const others = list(table.epoch.contributed).length - (given ? 1 : 0);
    const choose = (/** @type {Event} */ event) => {
      setByItself(/** @type {HTMLInputElement} */ (event.target).checked);
      this.offer();
      this.page.draw();
    };
    const field = el("input", {
      id: "share", type: "text", spellcheck: "false", autocomplete: "off", maxlength: "200", value: this.next,
      on: { input: (/** @type {Event} */ event) => { this.next = /** @type {HTMLInputElement} */ (event.target).value; } },
    });
    return el("details", { key: "share" },
      el("summary", {}, "Your part of the shuffle"),
      el("p", { class: "note" }, "The cards come from a secret that the house has fixed already, and from what players add: so nobody alone decides them."),
      el("p", { class: "given" }, given ? el("span", {}, "To these cards you added ", el("code", {}, hex(given)), ".")
        : this.isOpen ? "You have added nothing to the coming shuffle yet." : "You added nothing to these cards.",
        others > 0 ? ` So did ${others === 1 ? "one other player" : `${others} others`}.` : ""),
      labelled(this.isOpen ? "For the coming shuffle" : "For the next shuffle", field,
        "Made by your browser; or type what you like. Up to 64 hexadecimal digits are taken as they are, other text by its SHA-256."),
      el("div", { class: "row" },
        button("Make another", () => { this.next = fresh(); this.page.draw(); }),
        this.isOpen ? button("Add it", () => this.give(), { class: "first", "data-action": "share" }) : null),
      el("label", { class: "check" },
        el("input", { type: "checkbox", checked: isByItself(), on: { change: choose } }),
        "Add it by itself to every shuffle"),
      this.refused ? el("p", { class: "refused", role: "alert" }, this.refused) : null);
  }
}
