// RFC 6962 trees: roots, and proofs that a leaf is in one.

import { Bad, same } from "./bytes.js";
import { sha256 } from "./crypto.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** @param {Uint8Array} leaf */
export const leafHash = (leaf) => sha256(LEAF, leaf);

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha256(NODE, left, right);

/** The root of some leaves. @param {Uint8Array[]} leaves */
export async function rootOf(leaves) {
  if (leaves.length === 0) return sha256();
  let level = await Promise.all(leaves.map(leafHash));
  while (level.length > 1) {
    const above = [];
    for (let i = 0; i < level.length; i += 2) {
      above.push(i + 1 < level.length ? node(level[i], level[i + 1]) : level[i]);
    }
    level = await Promise.all(above);
  }
  return level[0];
}

/**
 * The root of ``size`` leaves that ``path`` leads to from leaf ``index``.  RFC 9162, 2.1.3.2: a path
 * of another length than the place asks for is refused.
 * @param {Uint8Array} leaf
 * @param {number} index
 * @param {number} size
 * @param {Uint8Array[]} path
 */
export async function rootFromPath(leaf, index, size, path) {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new Bad("a proof for a leaf that is not in the tree", `less than ${size}`, index);
  }
  if (path.some((each) => each.length !== 32)) {
    throw new Bad("a proof with hashes of another length than 32 bytes");
  }
  let here = await leafHash(leaf);
  let [place, last] = [index, size - 1];
  const beside = [...path];
  while (last > 0) {
    if (place % 2 === 1 || place < last) {
      const next = beside.shift();
      if (next === undefined) throw new Bad("a proof is too short", "", path.length);
      here = place % 2 === 1 ? await node(next, here) : await node(here, next);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  if (beside.length) throw new Bad("a proof is too long", "", path.length);
  return here;
}

/**
 * Throws unless ``path`` leads from a leaf to ``root``.
 * @param {Uint8Array} root
 * @param {[leaf: Uint8Array, index: number, size: number, path: Uint8Array[]]} proof
 */
export async function requireIn(root, ...proof) {
  const found = await rootFromPath(...proof);
  if (!same(found, root)) throw new Bad("the proof leads to another root");
}
