// ChaCha20 (RFC 8439), which WebCrypto does not have, as the source of a shuffle's draws.

const WORDS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];
const ROUNDS = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
];

/** @param {number} word @param {number} by */
const turned = (word, by) => (word << by) | (word >>> (32 - by));

/**
 * Block ``counter`` of the key stream under a key of 32 bytes and a nonce of zeros.
 * @param {Uint8Array} key
 * @param {number} counter
 */
export function block(key, counter) {
  const view = new DataView(key.buffer, key.byteOffset, 32);
  const words = Uint32Array.from({ length: 16 }, (_, i) => {
    if (i < 4) return WORDS[i];
    if (i < 12) return view.getUint32(4 * (i - 4), true);
    return i === 12 ? counter : 0;
  });
  const s = Uint32Array.from(words);
  for (let round = 0; round < 10; round += 1) {
    for (const [a, b, c, d] of ROUNDS) {
      s[a] += s[b]; s[d] = turned(s[d] ^ s[a], 16);
      s[c] += s[d]; s[b] = turned(s[b] ^ s[c], 12);
      s[a] += s[b]; s[d] = turned(s[d] ^ s[a], 8);
      s[c] += s[d]; s[b] = turned(s[b] ^ s[c], 7);
    }
  }
  const out = new DataView(new ArrayBuffer(64));
  words.forEach((word, i) => out.setUint32(4 * i, word + s[i], true));
  return out;
}

/** The key stream as numbers of 16 bits, little-endian. */
export class Draws {
  /** @param {Uint8Array} key */
  constructor(key) {
    this.key = key;
    this.at = 0;
  }

  next() {
    const within = this.at % 64;
    if (within === 0) this.block = block(this.key, this.at / 64);
    this.at += 2;
    return /** @type {DataView} */ (this.block).getUint16(within, true);
  }

  /** A number below ``bound``, each as likely: draws that would favour some are passed over. */
  below(/** @type {number} */ bound) {
    const limit = Math.floor(65536 / bound) * bound;
    let draw = this.next();
    while (draw >= limit) draw = this.next();
    return draw % bound;
  }
}
