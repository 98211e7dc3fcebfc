// "Verify": the record of a table is fetched, and checked here by nothing that the service says of it.

import { Failure, call, int, list } from "../core/rpc.js";
import { ofBrowser } from "../core/storage.js";
import { refusal } from "../core/words.js";
import { Bad, fromBase64 } from "../verify/bytes.js";
import { verify } from "../verify/verify.js";
import { completeExport, seenExport } from "./exporting.js";
import { givenTo } from "../core/entropy.js";
import { cardsOf } from "./script.js";
import { versionOf } from "./steps.js";
import { mayAudit, viewerOf } from "./viewers.js";

const KEPT = "kartejo.log-key";
const UNPROVED = new Set(["EPOCH_OPEN", "CARD_NOT_SEEN", "NO_COMMITMENT"]);

/**
 * @typedef {object} Checked
 * @property {Uint8Array} data  the export that was checked
 * @property {import("../verify/report.js").Report} report
 * @property {string} trust  where the key comes from that signatures were held against, in words
 */

/** Whether it is an auditor's look at what players see, by the complete record. @param {{eyes: string}} hand */
export const isLook = ({ eyes }) =>
  mayAudit() && viewerOf(eyes) !== undefined && eyes !== "observer";

/**
 * Check the table of a hand, as the viewer of its replay sees it; with the eyes of others an
 * auditor checks its complete record.
 * @param {import("./steps.js").Hand} hand
 * @param {AbortSignal} signal
 * @param {(doing: string) => void} tell
 * @returns {Promise<Checked>}
 */
export async function check(hand, signal, tell) {
  const { trusted, trust, isSilent } = await logKey(signal);
  tell("Fetching the record…");
  if (isLook(hand)) {
    const data = await completeExport(hand.table, signal);
    tell("Checking every commit…");
    return { data, report: await verify(data, { trusted }), trust };
  }
  const data = await seenExport(hand.table, hand.eyes, signal);
  tell("Asking for proofs of the cards…");
  const { asked, unproved } = await proofsOf(hand, signal);
  const logged = await placeInLog(hand, trusted, signal);
  tell("Checking…");
  const report = await verify(data, { trusted, asked, logged, mine: givenTo(hand.table) });
  if (isSilent) report.finds("tree", 0, new Bad("the service names no key of its log", trusted, "none"));
  else if (!logged) report.leaves("tree", "the log is not signed as far as this hand");
  for (const [why, times] of unproved) report.leaves("cards", why, times);
  return { data, report, trust };
}

/**
 * The key that signed the log when this browser saw it first: whoever changes it later is noticed,
 * and whoever names none any more (`isSilent`).
 * @param {AbortSignal} signal
 * @returns {Promise<{trusted: string, trust: string, isSilent: boolean}>}
 */
export async function logKey(signal) {
  const now = await namedKey(signal);
  const kept = ofBrowser.getItem(KEPT);
  if (kept) {
    const { key, since } = JSON.parse(kept);
    const trust = `the key that this browser saw first, on ${since}`;
    return { trusted: key, trust, isSilent: !now };
  }
  if (!now) return { trusted: "", trust: "no key: this installation signs nothing", isSilent: false };
  const since = new Date().toISOString().slice(0, 10);
  ofBrowser.setItem(KEPT, JSON.stringify({ key: now, since }));
  const trust = "the key that the service names; this browser keeps it from now on";
  return { trusted: now, trust, isSilent: false };
}

/** The key that the service names; empty: it signs nothing. @param {AbortSignal} signal */
async function namedKey(signal) {
  try {
    return (await call("AuditService/GetLogKey", {}, { signal })).verifierKey ?? "";
  } catch (failure) {
    if (failure instanceof Failure && failure.code === "not_found") return "";
    throw failure;
  }
}

/**
 * Proofs of every card that the viewer saw; of how many in the hand there are none, and why.
 * @param {import("./steps.js").Hand} hand
 * @param {AbortSignal} signal
 */
async function proofsOf({ table, hand, eyes, steps, row }, signal) {
  const seen = steps.flatMap((step) => list(step.events).flatMap(({ event }) => cardsOf(event)));
  const after = int(row.firstVersion);
  /** @type {import("../verify/proofs.js").Asked[]} */
  const asked = [];
  /** @type {Map<string, number>} */
  const unproved = new Map();
  // Proofs of a card, or with 0 of all; none where there can be none.
  const ask = async (/** @type {number} */ card, times = 1) => {
    try {
      const request = { tableId: table, hand: String(hand), card, viewer: viewerOf(eyes) };
      const answer = await call("ReplayService/GetCardProofs", request, { signal });
      return list(answer.proofs).map((proof) => proofOf(table, proof));
    } catch (failure) {
      if (!(failure instanceof Failure) || !UNPROVED.has(failure.reason)) throw failure;
      unproved.set(refusal(failure), (unproved.get(refusal(failure)) ?? 0) + times);
      return null;
    }
  };
  const cards = new Set(seen);
  const all = await ask(0, cards.size);
  for (const card of all ? cards : []) {
    // Whatever is missing is asked for by itself: the service has to say why.
    const mine = all?.filter((proof) => proof.card === card) ?? [];
    const proofs = mine.length ? mine : await ask(card);
    if (proofs) asked.push({ card, after, proofs });
  }
  return { asked, unproved };
}

/** @param {string} table @param {Record<string, any>} told */
const proofOf = (table, told) => ({
  table,
  epoch: int(told.epoch),
  shuffle: int(told.shuffle),
  purpose: told.purpose ?? "",
  version: int(told.version),
  root: fromBase64(told.root),
  count: int(told.count),
  place: int(told.place),
  card: int(told.card),
  salt: fromBase64(told.salt),
  path: list(told.path).map(fromBase64),
});

/**
 * That the last commit of the hand is in the signed log; none where that cannot be had.
 * @param {import("./steps.js").Hand} hand
 * @param {string} key
 * @param {AbortSignal} signal
 * @returns {Promise<import("../verify/verify.js").Logged | undefined>}
 */
async function placeInLog(hand, key, signal) {
  const commit = { tableId: hand.table, version: String(versionOf(hand)) };
  const prove = (/** @type {object} */ how) =>
    call("AuditService/GetInclusionProof", { commit, ...how }, { signal });
  try {
    let told = await prove({}); // waits until the log is signed that far
    const { checkpoint } = await call(
      "AuditService/GetCheckpoint", { leastSize: told.treeSize }, { signal });
    if (checkpoint.treeSize !== told.treeSize) told = await prove({ treeSize: checkpoint.treeSize });
    const path = list(told.hashes).map(fromBase64);
    const place = { index: int(told.leafIndex), hash: fromBase64(told.commitHash), path };
    return { key, checkpoint: checkpoint.note, commits: [place] };
  } catch (failure) {
    if (isMissing(failure)) return undefined;
    throw failure;
  }
}

/** Whether something is not there, or not yet. @param {unknown} failure */
const isMissing = (failure) =>
  failure instanceof Failure && ["not_found", "unavailable"].includes(failure.code);
