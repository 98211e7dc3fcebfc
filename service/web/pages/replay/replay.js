// The replayer: any hand by its link, step by step, with its script beside it.

import { button, el, fill, labelled, render, svg } from "../core/dom.js";
import { Failure, int, list } from "../core/rpc.js";
import { trouble } from "../core/router.js";
import { counted, plain, sentence, spoken, Teller } from "../core/words.js";
import { cardText } from "../core/cards.js";
import { gameOf } from "../play/games.js";
import { games, titleOf } from "../lobby/games.js";
import { drawn } from "./drawing.js";
import { block, heading } from "./script.js";
import { handOf, stepTitle, timeOf } from "./steps.js";
import { areEyes, choices } from "./viewers.js";
import { verifying } from "./verifying.js";

const STEP_MS = 1_300;
const TYPED = "input, select, textarea, button, a, summary, [role=tab]";

/** @typedef {import("./steps.js").Hand} Hand */

/** The page of a hand. @param {import("../core/router.js").Place} place */
export async function replayPage({ main, params, query, signal }) {
  const hand = Number(params.hand);
  const eyes = query.get("as") ?? "self";
  if (!/^[0-9]{1,9}$/.test(params.hand) || !areEyes(eyes)) {
    trouble(main, new Failure("not_found", "this link does not name a hand and whose eyes see it"));
    return;
  }
  fill(main, el("p", { class: "note", role: "status" }, "Fetching the hand…"));
  const [all, found] = await Promise.all([games(), handOf(params.table, hand, eyes, signal)]);
  if (signal.aborted) return;
  if (!found.steps.length) throw new Failure("not_found", "nothing of this hand is told to you yet");
  new Replayer(main, titleOf(all, found.told.game), found, Number(query.get("step") ?? 1), signal).begin();
}

class Replayer {
  /** @param {HTMLElement} main @param {string} game @param {Hand} hand @param {number} at @param {AbortSignal} signal */
  constructor(main, game, hand, at, signal) {
    this.main = main;
    this.game = game;
    this.hand = hand;
    this.signal = signal;
    this.at = this.bounded(at || 1);
    this.playing = 0;
    const mine = list(hand.before.seats).concat(list(hand.steps.at(-1)?.state?.seats));
    const family = gameOf(hand.before.view ?? {})?.family ?? "";
    this.teller = new Teller(mine.length ? int(mine[0]) : null, hand.nameOf, family, hand.seats);
    /** What each step says, in words. */
    this.told = hand.steps.map((step) => this.words(step));
    this.stage = el("section", { "aria-label": "The table" });
    this.bar = el("div", { class: "controls" });
    this.steps = el("ol", { class: "steps" });
    this.script = el("div", { class: "script", tabindex: "0", role: "region", "aria-label": "Hand script" });
    this.spoken = el("p", { class: "unseen", "aria-live": "polite" });
  }

  /** @param {number} at from 1 */
  bounded(at) {
    return Math.min(Math.max(1, Math.floor(at)), this.hand.steps.length);
  }

  begin() {
    const { hand, table } = this.hand;
    document.title = `Hand ${hand} · Kartejo`;
    fill(this.main, this.head(), el("div", { class: "replay" },
      el("div", { class: "left" }, this.stage, this.bar, this.spoken),
      el("div", { class: "right" },
        el("section", { class: "sheet" }, el("h2", {}, "Step by step"), this.steps),
        el("section", { class: "sheet" }, el("h2", {}, "Hand script"), this.script,
          el("p", { class: "note" }, "One that plays: ",
            el("code", {}, `kartejo export ${table} --hand ${hand} --format script`)))),
      verifying(this.hand, this.signal)));
    fill(this.steps, ...this.hand.steps.map((step, i) => this.entry(step, i)));
    fill(this.script, ...this.scriptBlocks());
    document.addEventListener("keydown", (event) => this.key(event), { signal: this.signal });
    this.signal.addEventListener("abort", () => clearInterval(this.playing));
    this.show();
  }

  head() {
    const { table, hand, eyes, told, row, seats, nameOf, hasNext } = this.hand;
    const eyesOf = /** @type {HTMLSelectElement} */ (el("select",
      { on: { change: () => { location.hash = link(table, hand, eyesOf.value, this.at); } } },
      ...choices(seats, nameOf, told.lab ?? false).map(([value, called]) =>
        el("option", { value, selected: value === eyes }, called))));
    const neighbour = (/** @type {number} */ other, /** @type {string} */ called) =>
      el("a", { class: "button", href: `#${link(table, other, eyes, 1)}` }, called);
    const when = new Date(row.startTime).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    return el("header", { class: "spread" },
      el("div", {},
        el("h1", {}, `${this.game}, hand ${hand}`),
        el("p", { class: "note" }, `${when} · ${counted(this.hand.steps.length, "step")} · `,
          el("a", { href: `#/replays/${table}` }, "all hands of this table"),
          row.over ? null : " · this hand is not over")),
      el("div", { class: "row" },
        labelled("Seen with", eyesOf),
        hand > 1 ? neighbour(hand - 1, "Hand before") : null,
        hasNext ? neighbour(hand + 1, "Next hand") : null));
  }

  /** What a step says. @param {Record<string, any>} step */
  words(step) {
    const sentences = list(step.events).map(({ event }) => sentence(event, this.teller));
    return sentences.filter((each) => each !== null);
  }

  /** @param {Record<string, any>} step @param {number} i */
  entry(step, i) {
    const told = this.told[i];
    return el("li", { key: i }, el("button", { type: "button", class: "step", on: { click: () => this.go(i + 1) } },
      el("span", { class: "spread" },
        el("span", { class: "who" }, `${i + 1}. ${stepTitle(this.hand, step)}`),
        el("time", { class: "note" }, timeOf(step))),
      ...told.map((each) => spoken(each, "span"))));
  }

  scriptBlocks() {
    const lines = (/** @type {import("./script.js").Line[]} */ told) =>
      told.map(({ kind, text }) => el("span", { class: kind }, `${text}\n`));
    return [
      el("pre", {}, ...lines(heading(this.hand))),
      ...this.hand.steps.map((step, i) => el("pre", {}, ...lines(block(this.stateAt(i), step)))),
    ];
  }

  /** The state before a step. @param {number} i from 0 */
  stateAt(i) {
    return i === 0 ? this.hand.before : this.hand.steps[i - 1].state;
  }

  /** Go to a step. @param {number} at from 1 */
  go(at) {
    const next = this.bounded(at);
    if (next === this.at) return;
    this.at = next;
    this.show();
  }

  /** Go on by itself, or stop. */
  play() {
    clearInterval(this.playing);
    if (this.playing) this.playing = 0;
    else {
      if (this.at === this.hand.steps.length) this.at = 1;
      this.playing = setInterval(() => {
        if (this.at === this.hand.steps.length) this.play();
        else this.go(this.at + 1);
      }, STEP_MS);
    }
    this.show();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.matches(TYPED) && (event.key === " " || target.matches("input, select, textarea"))) return;
    const last = this.hand.steps.length;
    const goes = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 1, End: last }[event.key];
    if (goes !== undefined) this.go(goes);
    else if (event.key === " ") this.play();
    else return;
    event.preventDefault();
  }

  show() {
    const { hand, at } = this;
    const step = hand.steps[at - 1];
    history.replaceState(null, "", `#${link(hand.table, hand.hand, hand.eyes, at)}`);
    const { board, standing } = drawn(hand, step.state);
    render(this.stage, board, el("p", { class: "note standing", key: "standing" }, standing));
    render(this.bar, ...this.controls(step));
    for (const [list_, offset] of /** @type {const} */ ([[this.steps, 1], [this.script, 0]])) {
      for (const [i, child] of [...list_.children].entries()) mark(list_, child, i + offset === at);
    }
    const what = this.told[at - 1].map((each) => plain(each, (cards) => cards.map(cardText).join(" ")));
    fill(this.spoken, `Step ${at}. ${stepTitle(hand, step)}. ${what.join(" ")}`);
  }

  /** @param {Record<string, any>} step */
  controls(step) {
    const last = this.hand.steps.length;
    const jump = (/** @type {string} */ shape, /** @type {string} */ called, /** @type {number} */ to) =>
      button(icon(shape), () => this.go(to), { key: called, "aria-label": called, title: called, disabled: this.bounded(to) === this.at });
    const slider = el("input", {
      type: "range", min: 1, max: last, value: this.at, key: "slider", "aria-label": "Step",
      "aria-valuetext": `step ${this.at} of ${last}: ${stepTitle(this.hand, step)}`,
      on: { input: (/** @type {any} */ event) => this.go(Number(event.target.value)) },
    });
    const name = this.playing ? "Stop" : "Play";
    return [
      el("div", { class: "row", key: "buttons" },
        jump("first", "First step", 1), jump("back", "Step back", this.at - 1),
        button(icon(this.playing ? "stop" : "play"), () => this.play(), { class: "first", key: "play", "aria-label": name, title: name }),
        jump("next", "Next step", this.at + 1), jump("last", "Last step", last),
        el("span", { class: "where", key: "where" }, el("strong", {}, `Step ${this.at} of ${last}`), ` · ${stepTitle(this.hand, step)} · ${timeOf(step)}`),
        button("Copy link", () => copy(), { key: "copy", class: "plain" })),
      slider,
      el("p", { class: "note keys", key: "keys" }, "Keys: ← → step, Home and End, space plays."),
    ];
  }
}

/** Signs of the buttons, which no font need have. */
const SHAPES = /** @type {Record<string, string>} */ ({
  first: "M3 3h2v14H3zM17 3v14L6 10z",
  back: "M15 3v14L4 10z",
  play: "M5 3l12 7-12 7z",
  stop: "M4 3h4v14H4zM12 3h4v14h-4z",
  next: "M5 3v14l11-7z",
  last: "M15 3h2v14h-2zM3 3v14l11-7z",
});

/** @param {string} shape */
const icon = (shape) =>
  svg("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", fill: "currentColor" }, svg("path", { d: SHAPES[shape] }));

/** Mark what is shown, and bring it into view within its list. @param {Element} within @param {Element} child @param {boolean} isHere */
function mark(within, child, isHere) {
  const target = child.querySelector("button") ?? child;
  if (isHere) target.setAttribute("aria-current", "step");
  else target.removeAttribute("aria-current");
  if (!isHere) return;
  const [box, mine] = [within.getBoundingClientRect(), child.getBoundingClientRect()];
  if (mine.top < box.top || mine.bottom > box.bottom) {
    within.scrollTop += mine.top - box.top - (box.height - mine.height) / 2;
  }
}

/** Where a step is found. @param {string} table @param {number} hand @param {string} eyes @param {number} step */
export function link(table, hand, eyes, step) {
  const query = new URLSearchParams();
  if (eyes !== "self") query.set("as", eyes);
  if (step > 1) query.set("step", String(step));
  return `/replay/${table}/${hand}${query.size ? `?${query}` : ""}`;
}

async function copy() {
  const told = /** @type {HTMLElement} */ (document.getElementById("line"));
  try {
    await navigator.clipboard.writeText(location.href);
    fill(told, "The link to this step is copied.");
  } catch {
    fill(told, `The link: ${location.href}`); // the browser keeps the clipboard to itself
  }
  setTimeout(() => fill(told), 3_000);
}
