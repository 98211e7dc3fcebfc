// Signed notes (c2sp.org/signed-note) with Ed25519, and checkpoints of a log, read strictly.

import { Bad, base64, fromBase64, hex, same, utf8 } from "./bytes.js";
import { sha256, signed } from "./crypto.js";

/**
 * @typedef {object} Key
 * @property {string} name
 * @property {Uint8Array} id  its first four bytes of a hash of name and key
 * @property {Uint8Array} public
 * @property {string} text
 */

/** This browser cannot check signatures: neither true nor false can be said. */
export class NoEd25519 extends Error {}

/** The key of ``name+id+base64``. @param {string} text @returns {Promise<Key>} */
export async function parseKey(text) {
  const [, name, told, rest] = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(text.trim()) ?? [];
  if (name === undefined) throw new Bad("not the text of a key", "name+id+base64", text.slice(0, 80));
  const data = fromBase64(rest);
  if (data.length !== 33 || data[0] !== 1) {
    throw new Bad("not an Ed25519 key", "33 bytes that begin with 1", `${data.length} bytes`);
  }
  const id = (await sha256(utf8(`${name}\n`), data)).subarray(0, 4);
  if (hex(id) !== told) {
    throw new Bad("a key does not have the id that follows from it", hex(id), told);
  }
  return { name, id, public: data.subarray(1), text: `${name}+${hex(id)}+${base64(data)}` };
}

/** The text of a note that ``key`` signed. @param {string} note @param {Key} key */
export async function verifiedText(note, key) {
  const at = note.lastIndexOf("\n\n");
  if (at < 0 || !note.endsWith("\n")) throw new Bad("not a signed note");
  const text = note.slice(0, at + 1);
  for (const line of note.slice(at + 2, -1).split("\n")) {
    const [mark, name, told] = partsOf(line);
    if (mark !== "—") {
      throw new Bad("not a line of a signature", "— NAME SIGNATURE", line.slice(0, 80));
    }
    if (name !== key.name) continue;
    const signature = fromBase64(told);
    if (!same(signature.subarray(0, 4), key.id)) continue;
    const holds = await signed(key.public, signature.subarray(4), utf8(text));
    if (holds === null) throw new NoEd25519();
    if (!holds) throw new Bad("the signature of the note is false");
    return text;
  }
  throw new Bad("the note is not signed by this key", key.text, "other signatures");
}

/** @param {string} line */
function partsOf(line) {
  const [mark, name = "", ...rest] = line.split(" ");
  return [mark, name, rest.join(" ")];
}

/**
 * What was signed of the log: its first ``size`` commits have this root.
 * @param {string} note
 * @param {Key} key
 */
export async function parseCheckpoint(note, key) {
  const lines = (await verifiedText(note, key)).split("\n");
  if (lines.length !== 4 || lines[0] !== key.name) {
    throw new Bad("not a checkpoint of this log", key.name, lines[0].slice(0, 80));
  }
  const root = fromBase64(lines[2]);
  if (!/^[0-9]{1,15}$/.test(lines[1]) || root.length !== 32) {
    throw new Bad("a checkpoint without a size and a root");
  }
  return { size: Number(lines[1]), root };
}
