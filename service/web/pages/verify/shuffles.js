// What derives from the secret of an epoch, by docs/shuffle-vectors.md: its commitment, the orders
// of its shuffles, the commitments to every place, the keys of sealed values.

import { big, Bad, framed, fromUuid, joined } from "./bytes.js";
import { hkdf, opened, sha256, slotKeyOf } from "./crypto.js";
import { Draws } from "./chacha.js";
import { rootOf } from "./merkle.js";

/**
 * @typedef {object} Epoch  the secret of an epoch, and what players added to it
 * @property {string} table
 * @property {number} epoch
 * @property {Uint8Array} secret
 * @property {Uint8Array[]} entropy
 * @property {string} [packs]  stands for the table where others deal the same
 *
 * @typedef {object} Shuffle  one of its shuffles: its number in the epoch, and what it is for
 * @property {number} shuffle
 * @property {string} purpose
 */

const RANKS = "23456789TJQKA";
const SUITS = "cdhs";
const NOTHING = new Uint8Array();
const SALT = 16;

/** The whole pack in canonical order. */
export const PACK = Array.from({ length: 52 }, (_, i) => i + 1);

/** "Qd" → 24: 13 · suit + rank + 1. @param {string} name */
export function cardNumber(name) {
  const [rank, suit] = [RANKS.indexOf(name[0]), SUITS.indexOf(name[1])];
  if (name.length !== 2 || rank < 0 || suit < 0) throw new Bad("no card", "", name);
  return 13 * suit + rank + 1;
}

/** 24 → "Qd". @param {number} number */
export const cardName = (number) =>
  RANKS[(number - 1) % 13] + SUITS[Math.floor((number - 1) / 13)];

/** What an epoch's secret is committed to by. @param {Pick<Epoch, "table" | "epoch" | "secret">} of */
export const commitment = ({ table, epoch, secret }) =>
  sha256(framed("kartejo/v1/epoch-commitment", fromUuid(table), big(epoch, 8), secret));

/** What the contributions to an epoch come to. @param {Uint8Array[]} entropy */
export const entropyHash = (entropy) => sha256(framed("kartejo/v1/epoch-entropy", ...entropy));

/** @param {Pick<Epoch, "table" | "epoch">} epoch @param {Shuffle} which */
const named = (epoch, which) =>
  [fromUuid(epoch.table), big(epoch.epoch, 8), big(which.shuffle, 8), which.purpose];

/** The key of a shuffle. @param {Epoch} epoch @param {Shuffle} which */
export async function shuffleKey(epoch, which) {
  const [table, ...rest] = named(epoch, which);
  const info = framed("kartejo/v1/shuffle", epoch.packs ? fromUuid(epoch.packs) : table, ...rest);
  return hkdf(epoch.secret, await entropyHash(epoch.entropy), info);
}

/** The order that a key gives a pile, the top first. @param {Uint8Array} key @param {number[]} pile */
export function order(key, pile) {
  const draws = new Draws(key);
  const items = [...pile];
  for (let last = items.length - 1; last > 0; last -= 1) {
    const j = draws.below(last + 1);
    [items[last], items[j]] = [items[j], items[last]];
  }
  return items;
}

/** The salts of the commitments to the places. @param {Epoch} epoch @param {Shuffle} which */
export async function placeSalts(epoch, which, /** @type {number} */ count) {
  const info = framed("kartejo/v1/place-salts", ...named(epoch, which));
  const size = Math.max(1, SALT * count);
  const all = await hkdf(epoch.secret, await entropyHash(epoch.entropy), info, size);
  return Array.from({ length: count }, (_, i) => all.subarray(SALT * i, SALT * (i + 1)));
}

/**
 * What is hashed for one place.
 * @param {Pick<Epoch, "table" | "epoch"> & Shuffle} where
 * @param {number} place
 * @param {number} card
 * @param {Uint8Array} salt
 */
export const placeText = (where, place, card, salt) =>
  framed("kartejo/v1/place", ...named(where, where), big(place, 8), big(card, 8), salt);

/** The root over the places of a shuffled pile. @param {Epoch} epoch @param {Shuffle} which */
export async function rootOfPlaces(epoch, which, /** @type {number[]} */ cards) {
  const salts = await placeSalts(epoch, which, cards.length);
  const where = { ...epoch, ...which };
  return rootOf(cards.map((card, place) => placeText(where, place, card, salts[place])));
}

/** The epoch that follows where other tables deal the same packs. @param {Epoch} epoch */
export async function nextOfPacks(epoch) {
  const number = epoch.epoch + 1;
  const info = framed("kartejo/v1/next-packs", fromUuid(epoch.packs), big(number, 8));
  return { ...epoch, epoch: number, secret: await hkdf(epoch.secret, NOTHING, info), entropy: [] };
}

/** The key of the private values of one commit, raw. @param {Epoch} epoch @param {Uint8Array} salt */
export const slotKey = ({ table, epoch, secret }, salt) =>
  hkdf(secret, NOTHING, framed("kartejo/v1/slot", fromUuid(table), big(epoch, 8), salt));

/** Opens the private values of one commit, which continues version ``base``. */
export class Slots {
  /** @param {CryptoKey} key @param {string} table @param {number} base */
  constructor(key, table, base) {
    this.key = key;
    this.bound = framed("kartejo/v1/sealed-slot", fromUuid(table));
    this.base = base;
  }

  /** @param {Epoch} epoch @param {Uint8Array} salt @param {number} base */
  static async of(epoch, salt, base) {
    return new Slots(await slotKeyOf(await slotKey(epoch, salt)), epoch.table, base);
  }

  /**
   * A value; ``field`` 0 is the action of the commit.
   * @param {number} version
   * @param {number} field
   * @param {number} audience
   * @param {Uint8Array} sealed
   */
  async open(version, field, audience, sealed) {
    const nonce = joined(big(version - this.base, 8), big(field, 4));
    const place = joined(big(version, 8), big(field, 4), big(audience, 4));
    const value = await opened(this.key, nonce, joined(this.bound, place), sealed);
    if (value === null) {
      const what = field ? `slot ${field} of event ${version}` : "the action";
      throw new Bad(`${what} does not open under the secret of its epoch`);
    }
    return value;
  }

  /** The action. @param {Uint8Array} sealed */
  openAction(sealed) {
    return this.open(this.base, 0, 2 ** 31, sealed);
  }
}
