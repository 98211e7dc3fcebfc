// A commit: from the line of an export, or from the service; its bytes, its hash, its line again.
// docs/auditing.md has every member and every byte.

import {
  Bad, base64, big, framed, fromBase64, fromHex, fromUuid, hex, joined, utf8, uuid,
} from "./bytes.js";
import { sha256 } from "./crypto.js";
import { eventOf, nameOf, told } from "./protobuf.js";

/**
 * @typedef {{field: number, audience: number, sealed: Uint8Array}} Slot
 * @typedef {{type: number, revision: number, public: Uint8Array, slots: Slot[]}} Fact
 *
 * @typedef {object} Record  a commit; ``facts`` is null where its body is not a list of events
 * @property {number} position
 * @property {string} stream
 * @property {number} kind
 * @property {number} version
 * @property {number} count
 * @property {Uint8Array} command
 * @property {Uint8Array} group
 * @property {Uint8Array} digest
 * @property {number} actorKind
 * @property {string | null} actor
 * @property {number} seat
 * @property {Uint8Array} action
 * @property {number} receivedAt
 * @property {number} recordedAt
 * @property {number} hand
 * @property {number} epoch
 * @property {number} rules
 * @property {Uint8Array} salt
 * @property {Fact[] | null} facts
 * @property {Uint8Array} body
 * @property {Uint8Array} hash
 * @property {Uint8Array[]} inclusion
 */

const KINDS = ["", "table", "account", "tournament", "access"];
const ACTORS = ["", "player", "host", "service", "process", "auditor"];
export const TABLE = 1;

/** The commit of a line; throws ``Bad`` where it is none. @param {any} line @returns {Record} */
export function recordOf(line) {
  const isBody = "body" in line;
  return {
    position: integer(line, "position"),
    stream: uuid(fromUuid(line.stream)),
    kind: word(line, "kind", KINDS),
    version: integer(line, "version"),
    count: integer(line, "count"),
    command: fromHex(line.command, 16),
    group: fromHex(line.group, 16),
    digest: fromHex(line.digest, 32),
    actorKind: word(line, "actor_kind", ACTORS),
    actor: line.actor === null ? null : uuid(fromUuid(line.actor)),
    seat: integer(line, "seat"),
    action: fromBase64(line.action),
    receivedAt: integer(line, "received_at"),
    recordedAt: integer(line, "recorded_at"),
    hand: integer(line, "hand"),
    epoch: integer(line, "epoch"),
    rules: integer(line, "rules"),
    salt: isBody ? new Uint8Array() : fromHex(line.salt, 16),
    facts: isBody ? null : list(line, "events").map(factOf),
    body: isBody ? fromBase64(line.body) : new Uint8Array(),
    hash: fromHex(line.hash, 32),
    inclusion: list(line, "inclusion").map(fromBase64),
  };
}

/** @param {any} value @returns {Fact} */
const factOf = (value) => ({
  type: integer(value, "type"),
  revision: integer(value, "revision"),
  public: fromBase64(value.public),
  slots: list(value, "slots").map((slot) => ({
    field: integer(slot, "field"),
    audience: integer(slot, "audience"),
    sealed: fromBase64(slot?.sealed),
  })),
});

/** A commit as its line must tell it. @param {Record} record */
export function lineOf(record) {
  const base = record.version - record.count;
  const inside = record.facts === null
    ? { body: base64(record.body) }
    : { salt: hex(record.salt), events: record.facts.map((fact, i) => eventLine(base + 1 + i, fact)) };
  return {
    type: "commit",
    position: record.position,
    stream: record.stream,
    kind: KINDS[record.kind],
    version: record.version,
    count: record.count,
    command: hex(record.command),
    group: hex(record.group),
    digest: hex(record.digest),
    actor_kind: ACTORS[record.actorKind],
    actor: record.actor,
    seat: record.seat,
    action: base64(record.action),
    received_at: record.receivedAt,
    recorded_at: record.recordedAt,
    hand: record.hand,
    epoch: record.epoch,
    rules: record.rules,
    ...inside,
    hash: hex(record.hash),
    inclusion: record.inclusion.map(base64),
  };
}

/** @param {number} version @param {Fact} fact */
function eventLine(version, fact) {
  const event = eventOf(fact);
  return {
    version,
    type: fact.type,
    revision: fact.revision,
    name: nameOf(fact.type),
    public: base64(fact.public),
    fields: event === null ? {} : told(event),
    slots: fact.slots.map(({ field, audience, sealed }) =>
      ({ field, audience, sealed: base64(sealed) })),
  };
}

/** The stored body. @param {Record} record */
export function bodyOf({ facts, salt, body }) {
  if (facts === null) return body;
  const parts = [Uint8Array.of(1), salt, big(facts.length, 4)];
  for (const fact of facts) {
    parts.push(big(fact.type, 2), big(fact.revision, 2), framed(fact.public));
    parts.push(big(fact.slots.length, 2));
    for (const slot of fact.slots) {
      parts.push(big(slot.field, 2), big(slot.audience, 4), framed(slot.sealed));
    }
  }
  return joined(...parts);
}

/** Salt and events of a stored body; null where it is no list of events. @param {Uint8Array} body */
export function unpacked(body) {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  let at = 21;
  const number = (/** @type {2 | 4} */ size) => {
    at += size;
    return size === 2 ? view.getUint16(at - 2) : view.getUint32(at - 4);
  };
  const bytes = () => {
    const size = number(4);
    if (size > body.length - at) throw new RangeError();
    at += size;
    return body.slice(at - size, at);
  };
  try {
    if (view.getUint8(0) !== 1) return null;
    const facts = Array.from({ length: view.getUint32(17) }, () => ({
      type: number(2),
      revision: number(2),
      public: bytes(),
      slots: Array.from({ length: number(2) }, () =>
        ({ field: number(2), audience: number(4), sealed: bytes() })),
    }));
    return at === body.length ? { salt: body.slice(1, 17), facts } : null;
  } catch (error) {
    if (error instanceof RangeError) return null; // it ends in the middle
    throw error;
  }
}

/** What stands for the hash before a stream's first commit. @param {string} stream */
export const genesis = (stream) => sha256(utf8("kartejo.stream.1"), fromUuid(stream));

/** The hash that a commit must have after another. @param {Uint8Array} previous @param {Record} record */
export function hashOf(previous, record) {
  const number = (/** @type {number} */ value) => big(value, 8);
  return sha256(utf8("kartejo.commit.1"), previous, framed(
    fromUuid(record.stream), number(record.kind), number(record.version), number(record.count),
    record.command, record.group, record.digest,
    number(record.actorKind), record.actor === null ? new Uint8Array() : fromUuid(record.actor),
    number(record.seat), number(record.receivedAt), number(record.recordedAt),
    number(record.hand), number(record.epoch), number(record.rules),
    record.action, bodyOf(record)));
}

/** The id of commits that were stored together. @param {Record[]} members */
export async function groupOf(members) {
  const named = members.flatMap((each) => [fromUuid(each.stream), big(each.version, 8)]);
  return (await sha256(utf8("kartejo.group.1"), ...named)).subarray(0, 16);
}

/** The stream of the accesses to a table: a UUID, version 8, that derives from it. @param {string} table */
export async function accessesOf(table) {
  const data = (await sha256(framed("kartejo/v1/access", fromUuid(table)))).subarray(0, 16);
  data[6] = (data[6] & 0x0f) | 0x80;
  data[8] = (data[8] & 0x3f) | 0x80;
  return uuid(data);
}

/** @param {any} line @param {string} name @returns {number} */
function integer(line, name) {
  const value = line?.[name];
  if (!Number.isSafeInteger(value)) {
    throw new Bad(`${name} is no whole number`, "", String(value).slice(0, 80));
  }
  return value;
}

/** @param {any} line @param {string} name @returns {any[]} */
function list(line, name) {
  const value = line?.[name];
  if (!Array.isArray(value)) throw new Bad(`${name} is no list`, "", String(value).slice(0, 80));
  return value;
}

/** @param {any} line @param {string} name @param {string[]} words */
function word(line, name, words) {
  const found = words.indexOf(line[name], 1);
  if (found < 1) {
    throw new Bad(`${name} is no word that is known`, words.slice(1).join(", "),
      String(line[name]).slice(0, 80));
  }
  return found;
}
