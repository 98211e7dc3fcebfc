// Proofs of single cards (ReplayService.GetCardProofs): where a card lay when it was shuffled.

import { Bad, hex, same } from "./bytes.js";
import { rootFromPath } from "./merkle.js";
import { cardName, placeText } from "./shuffles.js";

/**
 * @typedef {object} Proof
 * @property {string} table
 * @property {number} epoch
 * @property {number} shuffle
 * @property {string} purpose
 * @property {number} version  at which the root was published
 * @property {Uint8Array} root
 * @property {number} count
 * @property {number} place
 * @property {number} card
 * @property {Uint8Array} salt
 * @property {Uint8Array[]} path
 */

/**
 * A card that somebody saw in a hand, with what came when proofs of it were asked for.  `after`: the
 * version before the hand.
 * @typedef {{card: number, after: number, proofs: Proof[]}} Asked
 */

/** Throws unless proofs came, and are of that card and of the hand's epoch. @param {Asked} asked @param {number} epoch */
export function requireAnswer({ card, proofs }, epoch) {
  if (!proofs.length) throw new Bad(`no proof came of ${cardName(card)}, which was shown`);
  for (const proof of proofs) {
    if (proof.card !== card) {
      throw new Bad("a proof of another card came", cardName(card), cardName(proof.card));
    }
    if (proof.epoch !== epoch) {
      throw new Bad(`the proof of ${cardName(card)} is of another epoch than the hand`, epoch, proof.epoch);
    }
  }
}

/** Throws unless a proof leads to the root that it names. @param {Proof} proof */
export async function requireProof(proof) {
  if (proof.salt.length !== 16) throw new Bad("a salt of a wrong length", 16, proof.salt.length);
  const text = placeText(proof, proof.place, proof.card, proof.salt);
  const found = await rootFromPath(text, proof.place, proof.count, proof.path);
  if (!same(found, proof.root)) throw new Bad("the proof does not lead to its root");
}

/**
 * Throws unless a proof leads to the root that the record published before the card.
 * @param {Proof} proof
 * @param {Map<number, import("./seen.js").Root>} roots
 */
export async function requirePublished(proof, roots) {
  await requireProof(proof);
  const root = roots.get(proof.version);
  if (root === undefined) throw new Bad(`no root was published at version ${proof.version}`);
  const fits = same(root.root, proof.root) && root.shuffle === proof.shuffle &&
    root.purpose === proof.purpose && root.epoch === proof.epoch;
  if (!fits) {
    throw new Bad(`${cardName(proof.card)} was proved against another root than was published`,
      hex(root.root), hex(proof.root));
  }
}
