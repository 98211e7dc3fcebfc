// What this browser's players added to shuffles: made by WebCrypto, kept here to be checked later.

import { base64, fromHex, hex, utf8 } from "../verify/bytes.js";
import { ofBrowser } from "./storage.js";

/** How many bytes a shuffle takes from a seat at most. */
export const MOST_BYTES = 32;
const KEPT = "kartejo.entropy";
const BY_HAND = "kartejo.entropy.by-hand";
const MOST_KEPT = 500;

/** Fresh random bytes, as hexadecimal digits. */
export const fresh = () => hex(crypto.getRandomValues(new Uint8Array(MOST_BYTES)));

/**
 * What somebody typed as bytes: hexadecimal digits as they are, anything else by its SHA-256; null
 * for nothing.
 * @param {string} typed
 * @returns {Promise<Uint8Array | null>}
 */
export async function bytesOf(typed) {
  const text = typed.trim();
  if (!text) return null;
  const digits = text.toLowerCase();
  if (/^([0-9a-f]{2}){1,32}$/.test(digits)) return fromHex(digits);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
}

/** As a request has it. @param {string} table @param {number} epoch @param {Uint8Array} value */
export function contribution(table, epoch, value) {
  return { tableId: table, action: { house: { contributeEntropy: { epoch: String(epoch), value: base64(value) } } } };
}

/** Keep what was added. @param {string} table @param {number} epoch @param {Uint8Array} value */
export function keep(table, epoch, value) {
  const all = [...kept().filter((each) => each[0] !== table || each[1] !== epoch), [table, epoch, hex(value)]];
  ofBrowser.setItem(KEPT, JSON.stringify(all.slice(-MOST_KEPT)));
}

/** What this browser added at a table, by epoch. @param {string} table @returns {Map<number, Uint8Array>} */
export function givenTo(table) {
  return new Map(kept().filter(([at]) => at === table).map(([, epoch, value]) => [epoch, fromHex(value)]));
}

/** @returns {[string, number, string][]} */
function kept() {
  return JSON.parse(ofBrowser.getItem(KEPT) ?? "[]");
}

/** Whether it is added without being asked for each time. */
export const isByItself = () => ofBrowser.getItem(BY_HAND) === null;

/** @param {boolean} byItself */
export function setByItself(byItself) {
  if (byItself) ofBrowser.removeItem(BY_HAND);
  else ofBrowser.setItem(BY_HAND, "yes");
}
