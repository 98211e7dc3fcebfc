// A list that is live: filtered, a page longer whenever somebody asks for more.

import { button, el, labelled, render } from "../core/dom.js";
import { call, list, rest } from "../core/rpc.js";

const POLL_MS = 3_000;
const PAGE = 30;

/** @typedef {Record<string, any>} Message */

export class Listing {
  /**
   * @param {string} method  that lists, such as "TableService/ListTables"
   * @param {string} field  of its answers, which holds what is listed
   * @param {Message[]} all  the catalogue of games
   */
  constructor(method, field, all) {
    this.method = method;
    this.field = field;
    this.pages = 1;
    this.wake = () => {};
    this.again = () => this.wake();
    this.game = /** @type {HTMLSelectElement} */ (
      el(
        "select",
        { on: { change: this.again } },
        el("option", { value: "" }, "All games"),
        ...all.map((each) => el("option", { value: each.game }, each.title)),
      )
    );
    this.found = el("div", { "aria-live": "off" });
    this.more = button(
      "Show more",
      () => {
        this.pages += 1;
        this.again();
      },
      { hidden: true },
    );
  }

  /** A filter to switch on, and how it is shown. @param {string} label */
  check(label) {
    const box = /** @type {HTMLInputElement} */ (
      el("input", { type: "checkbox", on: { change: this.again } })
    );
    return { box, shown: el("label", { class: "row" }, box, label) };
  }

  /** What a page shows of it, with its own filters. @param {...{shown: HTMLElement}} checks */
  parts(...checks) {
    return [
      el(
        "div",
        { class: "filters row" },
        labelled("Game", this.game),
        ...checks.map(({ shown }) => shown),
      ),
      el("h2", { class: "unseen" }, "The list"),
      this.found,
      this.more,
    ];
  }

  /**
   * Keep it up to date until the page is left.
   * @param {() => Message} wanted  the filters, as the request has them
   * @param {(found: Message[]) => Node | Promise<Node>} shown
   * @param {AbortSignal} signal
   */
  async keep(wanted, shown, signal) {
    while (!signal.aborted) {
      const found = [];
      let pageToken = "";
      for (let page = 0; page < this.pages; page += 1) {
        const request = { game: this.game.value, ...wanted(), pageSize: PAGE, pageToken };
        const answer = await call(this.method, request, { signal, patienceMs: Infinity });
        found.push(...list(answer[this.field]));
        pageToken = answer.nextPageToken ?? "";
        if (!pageToken) break;
      }
      if (signal.aborted) return;
      this.more.hidden = !pageToken;
      render(this.found, await shown(found));
      const asked = new Promise((resolve) => {
        this.wake = () => resolve(null);
      });
      await Promise.race([rest(POLL_MS, signal), asked]);
    }
  }
}
