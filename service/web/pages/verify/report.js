// What a verification found: a result for every check, and what is wrong, with its line.

import { Bad } from "./bytes.js";
import { NoEd25519 } from "./notes.js";

/** The checks, in the order in which they are told: what each one asks. */
export const CHECKS = {
  lines: "Every line is written in the one way its bytes ask for",
  chain: "Each commit continues the one before it: the hash chain",
  tree: "The commits are in the log that was signed",
  note: "What stands at the end covers all of it: nothing was cut off",
  secrets: "Told secrets are those that were committed to before the cards",
  sealed: "Sealed cards and actions open under those secrets",
  entropy: "What players added went into the shuffles",
  shuffles: "Every shuffle is the one that secret and players gave",
  cards: "Cards lay where the published roots say",
};

/** @typedef {keyof typeof CHECKS} Check */

/**
 * @typedef {object} Finding
 * @property {Check} check
 * @property {number} line  from 1; 0: of none
 * @property {string} what
 * @property {string} expected
 * @property {string} found
 */

const MOST = 100;

export class Report {
  constructor() {
    this.kind = "";
    this.scope = "";
    /** The key that signed it. */
    this.signer = "";
    /** @type {Finding[]} */
    this.findings = [];
    this.more = 0;
    /** How many epochs hold what the caller added to them. */
    this.mine = 0;
    /** @type {Record<Check, {done: number, open: Map<string, number>}>} */
    this.counts = /** @type {any} */ (Object.fromEntries(
      Object.keys(CHECKS).map((each) => [each, { done: 0, open: new Map() }])));
  }

  /** Something held. @param {Check} check */
  holds(check, times = 1) {
    this.counts[check].done += times;
  }

  /** Something could not be checked. @param {Check} check @param {string} why */
  leaves(check, why, times = 1) {
    const { open } = this.counts[check];
    if (times) open.set(why, (open.get(why) ?? 0) + times);
  }

  /** Something does not hold. @param {Check} check @param {number} line @param {Bad} bad */
  finds(check, line, { what, expected, found }) {
    if (this.findings.length < MOST) this.findings.push({ check, line, what, expected, found });
    else this.more += 1;
  }

  /**
   * Do some work that a check is about, and say how it ended; false if it found something.
   * @param {Check} check
   * @param {number} line
   * @param {() => Promise<void> | void} work
   */
  async attempt(check, line, work) {
    try {
      await work();
    } catch (error) {
      if (error instanceof NoEd25519) {
        this.leaves(check, "signatures: this browser has no Ed25519");
        return true;
      }
      if (!(error instanceof Bad)) throw error;
      this.finds(check, line, error);
      return false;
    }
    return true;
  }

  /** Whether nothing is wrong. */
  get ok() {
    return this.findings.length === 0;
  }

  /** All is looked at: the first thing that is wrong comes first. */
  end() {
    this.findings.sort((one, other) => one.line - other.line);
    return this;
  }

  /** Why there was nothing to check. */
  get nothing() {
    if (!this.ok) return "not looked at: something else is wrong";
    return this.kind === "seen" ? "only the complete record, which auditors get, holds that" : "nothing of it is here";
  }

  /**
   * Every check with its result.
   * @returns {{check: Check, asks: string, state: "broken" | "holds" | "open" | "none", says: string}[]}
   */
  results() {
    return Object.entries(CHECKS).map(([name, asks]) => {
      const check = /** @type {Check} */ (name);
      const { done, open } = this.counts[check];
      const wrong = this.findings.filter((each) => each.check === check);
      const left = [...open].map(([why, times]) => `${times} not checked: ${why}`);
      if (wrong.length) return { check, asks, state: "broken", says: sentence(wrong[0]) };
      const says = [...(done ? [`${done} checked`] : []), ...left].join("; ");
      const state = done ? "holds" : left.length ? "open" : "none";
      return { check, asks, state, says: says || this.nothing };
    });
  }
}

/** A finding in words. @param {Finding} finding */
export function sentence({ line, what, expected, found }) {
  const sides = [expected && `expected ${expected}`, found && `found ${found}`].filter(Boolean);
  const where = line ? `Line ${line}: ` : "";
  return where + what + (sides.length ? ` (${sides.join(", ")})` : "");
}
