// What happened, in words: a log that is read aloud as it grows.

import { el } from "../core/dom.js";
import { int } from "../core/rpc.js";
import { sentence, spoken } from "../core/words.js";

const MOST = 400;

/** @typedef {Record<string, any>} Message */

/** The log of one table. */
export class Log {
  constructor() {
    this.version = 0;
    this.node = el("div", {
      class: "log",
      role: "log",
      "aria-label": "What happened",
      tabindex: "0",
    });
    this.node.setAttribute("aria-live", "off");
  }

  /** From now on what comes is read aloud. */
  speak() {
    this.node.setAttribute("aria-live", "polite");
  }

  /**
   * Tell events that were not told yet, and answer which.
   * @param {Message[]} events
   * @param {import("../core/words.js").Teller} teller
   */
  add(events, teller) {
    const isAtEnd = this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < 40;
    const fresh = events.filter((each) => int(each.version) > this.version);
    for (const { version, event } of fresh) {
      this.version = Math.max(this.version, int(version));
      const told = sentence(event ?? {}, teller);
      if (told) this.node.append(spoken(told));
    }
    while (this.node.childElementCount > MOST) this.node.firstElementChild?.remove();
    if (isAtEnd) this.node.scrollTop = this.node.scrollHeight;
    return fresh;
  }
}
