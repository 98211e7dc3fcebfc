// What the service does: load, latency, lag, from the figures that it counts.  For administrators.

import { button, el, fill, render } from "../core/dom.js";
import { Failure, rest, text } from "../core/rpc.js";
import { roles } from "../core/session.js";
import { counted, words } from "../core/words.js";
import { chart } from "./chart.js";
import { isSame, least, most, quantile, rate, read, samples, sum } from "./samples.js";

/** @typedef {import("./samples.js").Reading} Reading */

const EVERY_MS = 2_000;
const KEPT = 150;

const count = (/** @type {number} */ value) =>
  value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString("en") : value.toFixed(1);
const perSecond = (/** @type {number} */ value) => `${count(value)}/s`;
const time = (/** @type {number} */ seconds) =>
  seconds >= 1 ? `${seconds.toFixed(1)} s` : `${(1_000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
const size = (/** @type {number} */ bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;
const share = (/** @type {number} */ value) => `${Math.round(100 * value)} %`;

/** @param {import("../core/router.js").Place} place */
export async function operatorPage({ main, signal }) {
  if (!roles().includes("admin")) {
    fill(main, noEntry());
    return;
  }
  /** @type {Reading[]} */
  const kept = [];
  let isStopped = false;
  const page = el("div", {});
  const stop = () => {
    isStopped = !isStopped;
    show();
  };
  const show = () => {
    const now = kept.at(-1);
    if (!now || signal.aborted) return;
    render(page,
      el("header", { class: "spread", key: "head" },
        el("div", {}, el("h1", {}, "The service"), el("p", { class: "note" }, standing(now))),
        button(isStopped ? "Go on" : "Hold still", stop, { key: "stop", "aria-pressed": String(isStopped) })),
      el("div", { class: "charts", key: "charts" }, ...charts(kept)),
      limits(now));
  };
  fill(main, page);
  while (!signal.aborted) {
    if (!isStopped) {
      await look(kept, signal);
      show();
    }
    await rest(EVERY_MS, signal);
  }
}

/** One more reading; what cannot be had is left out.  Throws a Failure that waiting does not mend. @param {Reading[]} kept @param {AbortSignal} signal */
async function look(kept, signal) {
  try {
    kept.push(read(await text("/metrics", signal), Date.now() / 1_000));
    if (kept.length > KEPT) kept.shift();
  } catch (failure) {
    if (signal.aborted) return;
    if (!(failure instanceof Failure) || !failure.isPassing) throw failure;
  }
}

/** @param {Reading} now */
function standing(now) {
  const hours = (now.at - (least(now, "process_start_time_seconds") ?? now.at)) / 3_600;
  const since = hours < 1 ? counted(Math.max(0, Math.round(60 * hours)), "minute") : `${hours.toFixed(1)} hours`;
  const database = least(now, "kartejo_database_up") ? "The database answers." : "THE DATABASE DOES NOT ANSWER.";
  return [`It has run for ${since}.`, database, ...workers(now)].join(" ");
}

/** How many processes serve, and of which these figures are. @param {Reading} now */
function workers(now) {
  const all = samples(now, "kartejo_worker_up");
  const away = all.filter(({ value }) => !value).map(({ labels }) => labels.worker);
  const processes = most(now, "kartejo_processes") ?? 0;
  const here = Math.max(1, all.length - away.length);
  return [
    all.length > 1 ? `These figures are those of ${all.length - away.length} of ${all.length} workers.` : "",
    away.length ? `WORKER ${away.join(", ")} DOES NOT ANSWER.` : "",
    processes > here ? `${processes} processes serve on this database.` : "",
  ].filter(Boolean);
}

/** @param {Reading[]} kept */
function charts(kept) {
  const each = (/** @type {(now: Reading) => number | null} */ measure) => kept.map(measure);
  /** Between each reading and the one before it, of the same process. */
  const between = (/** @type {(before: Reading, now: Reading) => number | null} */ measure) =>
    kept.slice(1).map((now, i) => (isSame(kept[i], now) ? measure(kept[i], now) : null));
  const quantiles = (/** @type {string} */ name) => [
    { name: "half are below", values: between((before, now) => quantile(before, now, name, 0.5)) },
    { name: "99 of 100 are below", values: between((before, now) => quantile(before, now, name, 0.99)) },
  ];
  const ended = "kartejo_calls_total";
  return [
    chart("Calls", "answered in a second, and those that were refused", perSecond, [
      { name: "in all", values: between((before, now) => rate(before, now, ended)) },
      { name: "not OK", values: between((before, now) => (rate(before, now, ended) ?? 0) - (rate(before, now, ended, { reason: "OK" }) ?? 0)) },
    ]),
    chart("Latency", "of calls, in the service", time, quantiles("kartejo_call_seconds")),
    chart("Commits", "from decided to on disk", time, quantiles("kartejo_commit_seconds")),
    chart("Events", "stored in a second", perSecond, [
      { name: "events", values: between((before, now) => rate(before, now, "kartejo_batch_events_sum")) },
      { name: "transactions", values: between((before, now) => rate(before, now, "kartejo_batch_seconds_count")) },
    ]),
    chart("Lag", "stored, and not yet followed or in lists", count, [
      { name: "commits to follow", values: each((now) => most(now, "kartejo_follower_lag_commits")) },
      { name: "behind in lists", values: each((now) => most(now, "kartejo_projection_lag_commits")) },
    ]),
    chart("Event loop", "how late it is: above 50 ms players feel it", time, quantiles("kartejo_loop_late_seconds")),
    chart("People", "tables in memory, and who looks at them", count, [
      { name: "tables", values: each((now) => sum(now, "kartejo_tables")) },
      { name: "watchers", values: each((now) => sum(now, "kartejo_watchers")) },
    ]),
    chart("Processor", "of one core; several workers may take more", share, [
      { name: "busy", values: between((before, now) => rate(before, now, "process_cpu_seconds_total")) },
    ]),
    chart("Memory", "of the service's processes", size, [
      { name: "resident", values: each((now) => sum(now, "process_resident_memory_bytes")) },
    ]),
  ];
}

/** @param {Reading} now */
function limits(now) {
  const all = new Set(samples(now, "kartejo_limit_refusals_total").map(({ labels }) => labels.limit));
  if (!all.size) return null;
  const of = (/** @type {string} */ name, /** @type {string} */ limit) =>
    samples(now, name, { limit }).length ? count(sum(now, name, { limit })) : "";
  const head = ["Limit", "Taken", "Of", "Refused so far"];
  return el("section", { class: "sheet", key: "limits" },
    el("h2", {}, "Limits"),
    el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Limits" }, el("table", {},
      el("thead", {}, el("tr", {}, ...head.map((name, i) => el("th", { scope: "col", class: i ? "number" : null }, name)))),
      el("tbody", {}, ...[...all].map((limit) => el("tr", { key: limit },
        el("td", {}, words(limit)),
        el("td", { class: "number" }, of("kartejo_limit_taken", limit)),
        el("td", { class: "number" }, of("kartejo_limit_most", limit)),
        el("td", { class: sum(now, "kartejo_limit_refusals_total", { limit }) ? "number reached" : "number" },
          of("kartejo_limit_refusals_total", limit))))))));
}

function noEntry() {
  return el("section", { class: "sheet trouble" },
    el("h1", {}, "For the operator"),
    el("p", {}, "Load, latency and lag of this service are shown to administrators. A link of ", el("code", {}, "kartejo link"), " makes nobody one."),
    el("p", {}, "Log out, and come in with a token: the file that ", el("code", {}, "kartejo serve"), " names as its admin token, or what ",
      el("code", {}, "kartejo token NAME --role admin"), " prints."));
}
