// What WebCrypto does for the verifier: SHA-256, HKDF, AES-GCM, Ed25519.

import { joined } from "./bytes.js";

const subtle = globalThis.crypto?.subtle;

/** No memory here is shared, which types cannot know. @param {Uint8Array} data */
const own = (data) => /** @type {Uint8Array<ArrayBuffer>} */ (data);

/** Why nothing can be verified here; empty if it can. */
export const unavailable = subtle
  ? ""
  : "this browser computes no hashes for pages that came without encryption: use HTTPS, or this machine's own address";

/** @param {...Uint8Array} parts */
export const sha256 = async (...parts) =>
  new Uint8Array(await subtle.digest("SHA-256", joined(...parts)));

/**
 * RFC 5869 with SHA-256.
 * @param {Uint8Array} secret
 * @param {Uint8Array} salt
 * @param {Uint8Array} info
 */
export async function hkdf(secret, salt, info, size = 32) {
  const key = await subtle.importKey("raw", own(secret), "HKDF", false, ["deriveBits"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: own(salt), info: own(info) };
  return new Uint8Array(await subtle.deriveBits(how, key, 8 * size));
}

/** A key for ``opened``. @param {Uint8Array} raw */
export const slotKeyOf = (raw) => subtle.importKey("raw", own(raw), "AES-GCM", false, ["decrypt"]);

/**
 * What AES-256-GCM sealed; null if key, nonce, what it is bound to or the bytes are others.
 * @param {CryptoKey} key
 * @param {Uint8Array} nonce
 * @param {Uint8Array} bound
 * @param {Uint8Array} sealed
 */
export async function opened(key, nonce, bound, sealed) {
  try {
    const how = { name: "AES-GCM", iv: own(nonce), additionalData: own(bound) };
    return new Uint8Array(await subtle.decrypt(how, key, own(sealed)));
  } catch (error) {
    if (error instanceof DOMException) return null; // OperationError: it does not open
    throw error;
  }
}

/**
 * Whether ``key`` signed ``data``; null where this browser has no Ed25519.
 * @param {Uint8Array} key
 * @param {Uint8Array} signature
 * @param {Uint8Array} data
 */
export async function signed(key, signature, data) {
  let imported;
  try {
    imported = await subtle.importKey("raw", own(key), "Ed25519", false, ["verify"]);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") return null;
    if (error instanceof DOMException) return false; // no point of the curve
    throw error;
  }
  return subtle.verify("Ed25519", imported, own(signature), own(data));
}
