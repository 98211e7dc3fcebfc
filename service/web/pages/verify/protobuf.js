// Messages from their bytes, by the schema; and as protobuf writes them in JSON.

import { Bad, base64, joined, utf8 } from "./bytes.js";
import { ENUMS, EVENTS, MESSAGES } from "./schema.js";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const DEEPEST = 100;

/** A message: its fields by name (those with a value), and its own bytes. */
export class Message {
  /** @param {string} kind @param {Uint8Array} raw */
  constructor(kind, raw) {
    this.kind = kind;
    this.raw = raw;
    /** @type {Record<string, any>} */
    this.values = {};
  }

  /** A number; 0 where it is not said. @param {string} name */
  number(name) {
    return Number(this.values[name] ?? 0);
  }

  /** A text. @param {string} name @returns {string} */
  text(name) {
    return this.values[name] ?? "";
  }

  /** Bytes. @param {string} name @returns {Uint8Array} */
  bytes(name) {
    return this.values[name] ?? new Uint8Array();
  }

  /** A list. @param {string} name @returns {any[]} */
  list(name) {
    return this.values[name] ?? [];
  }
}

class Reader {
  /** @param {Uint8Array} data */
  constructor(data) {
    this.data = data;
    this.at = 0;
  }

  get over() {
    return this.at >= this.data.length;
  }

  varint() {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.data[this.at];
      if (byte === undefined) break;
      this.at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new Bad("a number of a message cannot be read");
  }

  /** @param {number} size */
  take(size) {
    if (size > this.data.length - this.at) throw new Bad("a message ends in the middle");
    this.at += size;
    return this.data.subarray(this.at - size, this.at);
  }

  /** What stands behind a tag. @param {number} wire @returns {bigint | Uint8Array} */
  value(wire) {
    if (wire === 0) return this.varint();
    if (wire === 1) return this.take(8);
    if (wire === 2) return this.take(Number(this.varint()));
    if (wire === 5) return this.take(4);
    throw new Bad("a field of a form that there is not");
  }
}

const NUMBERS = {
  bool: (/** @type {bigint} */ value) => value !== 0n,
  int32: (/** @type {bigint} */ value) => Number(BigInt.asIntN(32, value)),
  int64: (/** @type {bigint} */ value) => BigInt.asIntN(64, value),
  uint32: (/** @type {bigint} */ value) => Number(BigInt.asUintN(32, value)),
  uint64: (/** @type {bigint} */ value) => value,
  value: (/** @type {bigint} */ value) => Number(BigInt.asUintN(32, value)),
};

/**
 * The message of some bytes; throws ``Bad``.
 * @param {string} kind
 * @param {Uint8Array} data
 */
export function decode(kind, data, depth = DEEPEST) {
  if (!depth) throw new Bad("messages are nested too deeply");
  const message = new Message(kind, data);
  const fields = new Map(MESSAGES[kind].map((field) => [field[0], field]));
  const reader = new Reader(data);
  while (!reader.over) {
    const tag = Number(reader.varint());
    const value = reader.value(tag & 7);
    const field = fields.get(Math.floor(tag / 8));
    if (field !== undefined) put(message, field, value, depth);
  }
  return message;
}

/**
 * @param {Message} message
 * @param {[number, string, string]} field
 * @param {bigint | Uint8Array} value
 * @param {number} depth
 */
function put(message, [, name, told], value, depth) {
  const type = told.replace(/^(\?|\[\])/, "");
  if (!told.startsWith("[]")) {
    const found = single(type, value, depth);
    if (found !== undefined) message.values[name] = found;
    return;
  }
  const list = (message.values[name] ??= []);
  if (isNumber(type) && typeof value !== "bigint") {
    for (const packed = new Reader(value); !packed.over;) {
      list.push(single(type, packed.varint(), depth));
    }
  } else {
    const found = single(type, value, depth);
    if (found !== undefined) list.push(found);
  }
}

/** @param {string} type */
const isNumber = (type) => type in NUMBERS || type.startsWith("enum ");

/** @param {string} type @param {bigint | Uint8Array} value @param {number} depth */
function single(type, value, depth) {
  const read = NUMBERS[/** @type {keyof typeof NUMBERS} */ (type.startsWith("enum ") ? "int32" : type)];
  if (read) return typeof value === "bigint" ? read(value) : undefined;
  if (typeof value === "bigint") return undefined; // another form than the schema's: unknown
  if (type === "bytes") return value;
  if (type === "string") return textOf(value);
  return decode(type, value, depth - 1);
}

/** @param {Uint8Array} data */
function textOf(data) {
  try {
    return UTF8.decode(data);
  } catch {
    throw new Bad("a text of a message is not UTF-8");
  }
}

/** A message as protobuf writes it in JSON, zeros included. @param {Message} message */
export function told(message) {
  const fields = [...MESSAGES[message.kind]];
  const byNumber = [...fields].sort((one, other) => one[0] - other[0]);
  /** @type {Record<string, any>} */
  const out = {};
  for (const [, name, type] of byNumber) {
    const value = message.values[name];
    if (value !== undefined && (type.startsWith("?") || !isDefault(value))) {
      out[name] = jsonOf(type, value);
    }
  }
  for (const [, name, type] of fields) {
    if (!type.startsWith("?") && !(name in out)) out[name] = jsonOf(type, defaultOf(type));
  }
  return out;
}

/** @param {any} value */
const isDefault = (value) =>
  value === 0 || value === 0n || value === false || value === "" || value.length === 0;

/** @param {string} type */
function defaultOf(type) {
  if (type.startsWith("[]")) return [];
  if (type === "string") return "";
  if (type === "bytes") return new Uint8Array();
  return type === "bool" ? false : 0;
}

/** @param {string} told_ @param {any} value @returns {any} */
function jsonOf(told_, value) {
  const type = told_.replace(/^(\?|\[\])/, "");
  if (told_.startsWith("[]")) return value.map((/** @type {any} */ each) => jsonOf(type, each));
  if (type === "int64" || type === "uint64") return String(value);
  if (type === "bytes") return base64(value);
  if (type.startsWith("enum ")) return ENUMS[type.slice(5)][value] ?? value;
  return value instanceof Message ? told(value) : value;
}

/**
 * The bytes of a message, such as a request; fields of numbers, texts and messages, none negative.
 * @param {string} kind
 * @param {Record<string, any>} values
 * @returns {Uint8Array}
 */
export function encode(kind, values) {
  const parts = [];
  for (const [number, name, type] of MESSAGES[kind]) {
    const value = values[name];
    if (value === undefined) continue;
    if (typeof value === "number" || typeof value === "boolean") {
      parts.push(varint(8 * number), varint(Number(value)));
    } else {
      const data = typeof value === "string" ? utf8(value) : encode(type.replace("?", ""), value);
      parts.push(varint(8 * number + 2), varint(data.length), data);
    }
  }
  return joined(...parts);
}

/** @param {number} value */
function varint(value) {
  const out = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push((value % 128) + 128);
  return Uint8Array.of(...out, value);
}

/**
 * An event from its stored bytes; null where it is of no form that is known here.
 * @param {{type: number, revision: number, public: Uint8Array}} fact
 */
export function eventOf(fact) {
  const known = EVENTS[fact.type];
  if (known === undefined || fact.revision !== 1) return null;
  try {
    return decode(known[1], fact.public);
  } catch (error) {
    if (error instanceof Bad) return null;
    throw error;
  }
}

/** The name of a stored event type; empty where it is not known. @param {number} type */
export const nameOf = (type) => EVENTS[type]?.[0] ?? "";
