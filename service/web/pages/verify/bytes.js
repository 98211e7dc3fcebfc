// Bytes as the record has them: hexadecimal, base64, big-endian numbers, framed parts.

const TEXT = new TextEncoder();

/** What is wrong with a record: what was expected, and what was found. */
export class Bad extends Error {
  /**
   * @param {string} what
   * @param {unknown} [expected]
   * @param {unknown} [found]
   */
  constructor(what, expected = "", found = "") {
    super(what);
    this.what = what;
    this.expected = String(expected);
    this.found = String(found);
  }
}

/** @param {string} text */
export const utf8 = (text) => TEXT.encode(text);

/** @param {Uint8Array} data */
export const hex = (data) => Array.from(data, (each) => each.toString(16).padStart(2, "0")).join("");

/**
 * Hexadecimal digits in small letters as bytes; ``size`` is how many there must be.
 * @param {unknown} text
 * @param {number} [size]
 */
export function fromHex(text, size) {
  if (typeof text !== "string" || !/^([0-9a-f]{2})*$/.test(text)) {
    throw new Bad("not hexadecimal", "", String(text).slice(0, 80));
  }
  const data = Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
  if (size !== undefined && data.length !== size) {
    throw new Bad("bytes of a wrong length", `${size} bytes`, `${data.length} bytes`);
  }
  return data;
}

/** @param {Uint8Array} data */
export function base64(data) {
  let text = "";
  for (let at = 0; at < data.length; at += 8192) {
    text += String.fromCharCode(...data.subarray(at, at + 8192));
  }
  return btoa(text);
}

/** @param {unknown} text */
export function fromBase64(text) {
  const form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  if (typeof text !== "string" || !form.test(text)) {
    throw new Bad("not base64", "", String(text).slice(0, 80));
  }
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}

/** The 16 bytes of an id. @param {unknown} text */
export function fromUuid(text) {
  if (typeof text !== "string" || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) {
    throw new Bad("not an id", "", String(text).slice(0, 80));
  }
  return fromHex(text.replaceAll("-", ""));
}

/** @param {Uint8Array} data */
export const uuid = (data) =>
  hex(data).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** @param {...Uint8Array} parts */
export function joined(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/**
 * A number in so many bytes, big-endian; negative ones in two's complement.
 * @param {number} number
 * @param {1 | 2 | 4 | 8} size
 */
export function big(number, size) {
  const out = new DataView(new ArrayBuffer(8));
  const least = size === 8 ? -Number.MAX_SAFE_INTEGER : 0;
  const most = size === 8 ? Number.MAX_SAFE_INTEGER : 2 ** (8 * size) - 1;
  if (!Number.isSafeInteger(number) || number < least || number > most) {
    throw new Bad(`a number that ${size} bytes cannot hold`, "", number);
  }
  out.setBigInt64(0, BigInt(number));
  return new Uint8Array(out.buffer, 8 - size);
}

/** Parts, each behind its length in four bytes. @param {...(Uint8Array | string)} parts */
export function framed(...parts) {
  return joined(...parts.flatMap((part) => {
    const data = typeof part === "string" ? utf8(part) : part;
    return [big(data.length, 4), data];
  }));
}

/** @param {Uint8Array} one @param {Uint8Array} other */
export const same = (one, other) =>
  one.length === other.length && one.every((each, i) => each === other[i]);
