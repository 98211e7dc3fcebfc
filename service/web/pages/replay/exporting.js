// Exports made in the browser, byte for byte as `kartejo export` writes them.

import { call, list, streamBytes } from "../core/rpc.js";
import { base64, hex, joined, utf8, uuid } from "../verify/bytes.js";
import { sha256 } from "../verify/crypto.js";
import { written } from "../verify/lines.js";
import { decode, encode } from "../verify/protobuf.js";
import { lineOf, unpacked } from "../verify/records.js";
import { wordsOf } from "../verify/seen.js";
import { viewerOf } from "./viewers.js";

/**
 * @typedef {import("../verify/protobuf.js").Message} Message
 * @typedef {(share: number) => void} Progress
 */

/** @param {unknown} value */
const line = (value) => utf8(`${written(value)}\n`);

/**
 * Every stored byte of a table, with what proves it.  For auditors; that they asked is recorded.
 * @param {string} table
 * @param {AbortSignal} signal
 */
export async function completeExport(table, signal) {
  const lines = [];
  const request = encode("ExportCommitsRequest", { table_id: table });
  for await (const data of streamBytes("ExportService/ExportCommits", request, signal)) {
    const message = decode("ExportCommitsResponse", data);
    const [key, note] = [message.text("key"), message.text("note")];
    if (key) {
      const head = { type: "export", format: 1, kind: "complete", scope: `table ${table}` };
      lines.push(line({ ...head, key, checkpoint: message.text("checkpoint") }));
    }
    for (const commit of message.list("commits")) lines.push(line(lineOf(recordOf(commit))));
    if (note) lines.push(line({ type: "end", note }));
  }
  return joined(...lines);
}

/** @param {Message} commit @returns {import("../verify/records.js").Record} */
function recordOf(commit) {
  const body = commit.bytes("body");
  const inside = unpacked(body);
  const actor = commit.bytes("actor");
  return {
    position: commit.number("position"),
    stream: uuid(commit.bytes("stream")),
    kind: commit.number("kind"),
    version: commit.number("version"),
    count: commit.number("count"),
    command: commit.bytes("command"),
    group: commit.bytes("group"),
    digest: commit.bytes("digest"),
    actorKind: commit.number("actor_kind"),
    actor: actor.length ? uuid(actor) : null,
    seat: commit.number("seat"),
    action: commit.bytes("action"),
    receivedAt: commit.number("received_at"),
    recordedAt: commit.number("recorded_at"),
    hand: commit.number("hand"),
    epoch: commit.number("epoch"),
    rules: commit.number("rules"),
    salt: inside?.salt ?? new Uint8Array(),
    facts: inside?.facts ?? null,
    body,
    hash: commit.bytes("hash"),
    inclusion: commit.list("inclusion"),
  };
}

/**
 * What a viewer saw of a table.
 * @param {string} table
 * @param {string} eyes
 * @param {AbortSignal} signal
 */
export async function seenExport(table, eyes, signal) {
  const { table: told } = await call("TableService/GetTable", { tableId: table }, { signal });
  const named = (/** @type {any[] | undefined} */ options) =>
    Object.fromEntries(list(options).map(({ name, value }) => [name, value ?? ""]));
  const lines = [line({
    type: "export", format: 1, kind: "seen", viewer: eyes, table, game: told.game,
    options: named(told.options), house_options: named(told.houseOptions), lab: told.lab ?? false,
  })];
  const request = encode("ReplayTableRequest", { table_id: table, viewer: viewerOf(eyes) });
  for await (const data of streamBytes("ReplayService/ReplayTable", request, signal)) {
    lines.push(line(commitOf(decode("ReplayTableResponse", data))));
  }
  const commits = lines.length - 1;
  const sha = hex(await sha256(joined(...lines)));
  return joined(...lines, line({ type: "end", commits, sha256: sha }));
}

/** @param {Message} step */
const commitOf = (step) => ({
  type: "commit",
  version: step.number("version"),
  hand: step.number("hand"),
  seat: step.number("seat"),
  action: step.text("action"),
  recorded_at: microseconds(step.values.record_time),
  seats: step.list("seats"),
  sees_all: step.values.sees_all ?? false,
  events: step.list("events").map((/** @type {Message} */ each) => {
    const wire = base64(each.values.event.raw);
    const { kind, words } = wordsOf(wire);
    return { version: each.number("version"), name: kind.kind.split(".").at(-1), wire, fields: words };
  }),
});

/** @param {Message | undefined} time */
const microseconds = (time) =>
  time ? 1_000_000 * time.number("seconds") + Math.floor(time.number("nanos") / 1_000) : 0;
