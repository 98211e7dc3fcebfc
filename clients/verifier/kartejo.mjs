// Kartejo's shuffles, recomputed from docs/shuffle-vectors.md: nothing but node:crypto is used, and
// no line is shared with the service.

import { createCipheriv, createHash, hkdfSync, timingSafeEqual } from "node:crypto";

const RANKS = "23456789TJQKA";
const SUITS = "cdhs";

/** "Qd" → 24: 13 · suit + rank + 1. */
export function cardNumber(name) {
  const rank = RANKS.indexOf(name[0]);
  const suit = SUITS.indexOf(name[1]);
  if (name.length !== 2 || rank < 0 || suit < 0) throw new Error(`no card: ${name}`);
  return 13 * suit + rank + 1;
}

/** 24 → "Qd". */
export function cardName(number) {
  return RANKS[(number - 1) % 13] + SUITS[Math.floor((number - 1) / 13)];
}

/** The whole pack in canonical order. */
export const PACK = Array.from({ length: 52 }, (_, i) => i + 1);

/** Hex digits as bytes; anything else is an error, not half of it. */
export function bytes(hex) {
  if (typeof hex !== "string" || !/^([0-9a-f]{2})*$/.test(hex)) throw new Error("not hex");
  return Buffer.from(hex, "hex");
}

function u32(number) {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(number);
  return out;
}

function u64(number) {
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`no count: ${number}`);
  const out = Buffer.alloc(8);
  out.writeBigUInt64BE(BigInt(number));
  return out;
}

/** Parts, each behind its length. */
function framed(...parts) {
  return Buffer.concat(parts.flatMap((part) => {
    const raw = Buffer.from(part);
    return [u32(raw.length), raw];
  }));
}

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();

const hkdf = (secret, salt, info, length = 32) =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, length));

const streamOf = (table) => {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(table)) throw new Error("no table id");
  return bytes(table.replaceAll("-", ""));
};

/** What an epoch's secret is committed to by. */
export function commitment(table, epoch, secret) {
  return sha256(framed("kartejo/v1/epoch-commitment", streamOf(table), u64(epoch), secret));
}

/** SHA-256 over the players' contributions, in recorded order. */
export function entropyHash(entropy) {
  return sha256(framed("kartejo/v1/epoch-entropy", ...entropy));
}

const infoOf = (label, table, epoch, shuffle, purpose) =>
  framed(label, streamOf(table), u64(epoch), u64(shuffle), purpose);

/** The key of a shuffle. */
export function shuffleKey({ table, epoch, secret, entropy, shuffle, purpose }) {
  const info = infoOf("kartejo/v1/shuffle", table, epoch, shuffle, purpose);
  return hkdf(secret, entropyHash(entropy), info);
}

/** The order that a key gives a pile; the first is the top. */
export function order(key, pile) {
  // Counter and nonce are zero.  Far fewer than 4096 draws are needed for 255 items or fewer.
  const draws = createCipheriv("chacha20", key, Buffer.alloc(16)).update(Buffer.alloc(8192));
  const items = [...pile];
  let at = 0;
  for (let i = items.length - 1; i > 0; i -= 1) {
    const bound = i + 1;
    const end = Math.floor(65536 / bound) * bound;
    let draw;
    do {
      draw = draws.readUInt16LE(at);
      at += 2;
    } while (draw >= end);
    const j = draw % bound;
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items;
}

/** The salts of the commitments to the places of a shuffled pile, top first. */
export function placeSalts({ table, epoch, secret, entropy, shuffle, purpose }, count) {
  const info = infoOf("kartejo/v1/place-salts", table, epoch, shuffle, purpose);
  const all = hkdf(secret, entropyHash(entropy), info, 16 * count);
  return Array.from({ length: count }, (_, i) => all.subarray(16 * i, 16 * i + 16));
}

/** The commitment to one place. */
export function leaf({ table, epoch, shuffle, purpose }, place, card, salt) {
  const label = "kartejo/v1/place";
  const where = [streamOf(table), u64(epoch), u64(shuffle), purpose];
  return sha256(Buffer.of(0), framed(label, ...where, u64(place), u64(card), salt));
}

const node = (left, right) => sha256(Buffer.of(1), left, right);

/** The Merkle root over the places of a shuffled pile of card numbers. */
export function rootOfPlaces(where, cards) {
  const salts = placeSalts(where, cards.length);
  let level = cards.map((card, place) => leaf(where, place, card, salts[place]));
  while (level.length > 1) {
    const above = [];
    for (let i = 0; i < level.length; i += 2) {
      above.push(i + 1 < level.length ? node(level[i], level[i + 1]) : level[i]);
    }
    level = above;
  }
  return level[0];
}

/** The root that a proof leads to; null if its path does not fit its place. */
export function rootOfProof(proof) {
  const { place, count, card, salt } = proof;
  const fits = Number.isSafeInteger(count) && place >= 0 && place < count && salt.length === 16;
  if (!fits) return null;
  const path = [...proof.path];
  let here = leaf(proof, place, card, salt);
  let [i, last] = [place, count - 1];
  while (last > 0) {
    if (i % 2 === 1 || i < last) {
      const beside = path.shift();
      if (beside === undefined) return null;
      here = i % 2 === 1 ? node(beside, here) : node(here, beside);
    }
    [i, last] = [Math.floor(i / 2), Math.floor(last / 2)];
  }
  return path.length === 0 ? here : null;
}

export const same = (one, other) => one.length === other.length && timingSafeEqual(one, other);

/** The key of the private values of one commit. */
export function slotKey({ table, epoch, secret }, salt) {
  return hkdf(secret, "", framed("kartejo/v1/slot", streamOf(table), u64(epoch), salt));
}

/** A sealed slot of a commit, with its tag. */
export function sealSlot(where, base, salt, { version, field, audience }, plain) {
  const nonce = Buffer.concat([u64(version - base), u32(field)]);
  const bound = [framed("kartejo/v1/sealed-slot", streamOf(where.table)), u64(version)];
  const cipher = createCipheriv("aes-256-gcm", slotKey(where, salt), nonce);
  cipher.setAAD(Buffer.concat([...bound, u32(field), u32(audience)]));
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}
