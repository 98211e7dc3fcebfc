// Clocks of decisions: shown where somebody is to act, and said aloud when one's own runs out.

import { el } from "../core/dom.js";
import { int } from "../core/rpc.js";

const SOON_MS = 10_000;
const TICK_MS = 250;

/** @typedef {Record<string, any>} Message */

/** Shows the time that is left wherever the table has a `.clock`. */
export class Clock {
  /** @param {HTMLElement} within @param {(text: string) => void} say @param {AbortSignal} signal */
  constructor(within, say, signal) {
    this.within = within;
    this.say = say;
    this.until = 0;
    this.whole = 1;
    this.decision = "";
    this.isMine = false;
    this.isSaid = false;
    const timer = setInterval(() => this.tick(), TICK_MS);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  /** The decision that is awaited, as of now. @param {Message | undefined} decision @param {boolean} isMine */
  set(decision, isMine) {
    const left = int(decision?.remainingMs);
    const key = decision ? `${decision.hand ?? 0}.${decision.number ?? 0}` : "";
    if (key !== this.decision) {
      this.decision = key;
      this.whole = Math.max(left, 1);
      this.isSaid = false;
    }
    this.until = left ? performance.now() + left : 0;
    this.isMine = isMine;
    this.tick();
  }

  tick() {
    const left = Math.max(0, this.until - performance.now());
    for (const node of this.within.querySelectorAll(".clock")) {
      const clock = /** @type {HTMLElement} */ (node);
      clock.hidden = !this.until;
      clock.style.setProperty("--left", `${(100 * left) / this.whole}%`);
      clock.classList.toggle("soon", left < SOON_MS);
      const shown = /** @type {HTMLElement} */ (clock.firstElementChild);
      const text = `${Math.ceil(left / 1000)} s`;
      if (shown.textContent !== text) shown.textContent = text;
    }
    if (this.isMine && this.until && left < SOON_MS && !this.isSaid) {
      this.isSaid = true;
      this.say("Ten seconds left.");
    }
  }
}

/** Where a clock is shown. */
export function clockFace() {
  return el(
    "span",
    { class: "clock", role: "timer", "aria-label": "time left", key: "clock" },
    el("span", {}),
  );
}
