// An export, checked from its first line to its last, by nothing but what it holds and WebCrypto.
//
// What this does not check is whether the rules of the games made every event; `kartejo verify` does.

import { Bad } from "./bytes.js";
import { Complete } from "./complete.js";
import { parse, split } from "./lines.js";
import { requireIn } from "./merkle.js";
import { parseCheckpoint, parseKey } from "./notes.js";
import { requireAnswer, requirePublished } from "./proofs.js";
import { Report } from "./report.js";
import { Seen } from "./seen.js";

/**
 * Beside an export of what a viewer saw, which holds no hashes: that commits of it are in the log.
 * @typedef {object} Logged
 * @property {string} key
 * @property {string} checkpoint  a signed note
 * @property {{index: number, hash: Uint8Array, path: Uint8Array[]}[]} commits
 */

/**
 * What is wrong with an export.
 * @param {Uint8Array} data  the file
 * @param {{trusted?: string, asked?: import("./proofs.js").Asked[], logged?: Logged,
 *   mine?: Map<number, Uint8Array>, progress?: (share: number) => void}} [how]  ``trusted``: the key
 *   that must have signed it; empty: the one that it names itself.  ``asked``: proofs of cards that a
 *   viewer saw, to hold against its roots; ``mine``: what he added to the shuffles, by epoch
 */
export async function verify(
  data, { trusted = "", asked = [], logged, mine = new Map(), progress = () => {} } = {}) {
  const report = new Report();
  const reading = new Reading(report, trusted);
  let [number, read] = [0, 0];
  for (const bytes of split(data)) {
    number += 1;
    await report.attempt("lines", number, () => reading.take(number, bytes));
    read += bytes.length;
    progress(read / data.length);
  }
  if (!reading.isOver) {
    report.finds("lines", number + 1,
      new Bad("the export ends in the middle", "a line of the type end", "nothing"));
  }
  if (reading.of instanceof Seen) await reading.of.added(mine);
  await reading.of?.over();
  if (reading.of instanceof Seen) {
    for (const each of asked) await proved(report, reading.of, each);
    if (logged) await report.attempt("tree", 0, () => inLog(report, logged, trusted));
  }
  return report.end();
}

/** Where a reader stands: before the first line, within an export of a kind, behind its end. */
class Reading {
  /** @param {Report} report @param {string} trusted */
  constructor(report, trusted) {
    this.report = report;
    this.trusted = trusted;
    /** @type {Complete | Seen | null} */
    this.of = null;
    this.isBegun = false;
    this.isOver = false;
  }

  /** @param {number} number @param {Uint8Array} bytes */
  async take(number, bytes) {
    const isFirst = !this.isBegun;
    this.isBegun = true;
    if (this.isOver) throw new Bad("something follows the end of the export");
    const { line, text } = parse(bytes);
    if (isFirst) {
      this.of = kindOf(line, this.report, this.trusted);
      await this.of.begin(line, text);
    } else if (line.type === "commit") {
      await this.of?.commit(number, line, text);
    } else if (line.type === "end") {
      this.isOver = true;
      await this.of?.end(number, line, text);
    } else {
      throw new Bad("a line of an unknown type", "commit or end", line.type.slice(0, 80));
    }
  }
}

/** @param {any} line @param {Report} report @param {string} trusted */
function kindOf(line, report, trusted) {
  if (line.type !== "export" || line.format !== 1) {
    throw new Bad("not the first line of an export of format 1");
  }
  report.kind = String(line.kind);
  if (line.kind === "complete") return new Complete(report, trusted);
  if (line.kind === "seen") return new Seen(report);
  throw new Bad("an export of an unknown kind", "complete or seen", line.kind);
}

/** @param {Report} report @param {Seen} seen @param {import("./proofs.js").Asked} asked */
async function proved(report, seen, asked) {
  if (!await report.attempt("cards", 0, () => requireAnswer(asked, seen.epochAt(asked.after)))) return;
  for (const proof of asked.proofs) {
    const line = seen.roots.get(proof.version)?.line ?? 0;
    await report.attempt("cards", line, async () => {
      await requirePublished(proof, seen.roots);
      report.holds("cards");
    });
  }
}

/** @param {Report} report @param {Logged} logged @param {string} trusted */
async function inLog(report, { key, checkpoint, commits }, trusted) {
  const signer = await parseKey(key);
  report.signer = signer.text;
  if (trusted && (await parseKey(trusted)).text !== signer.text) {
    throw new Bad("signed by another key than the one that is trusted", trusted, key);
  }
  const tree = await parseCheckpoint(checkpoint, signer);
  for (const { index, hash, path } of commits) {
    await requireIn(tree.root, hash, index, tree.size, path);
    report.holds("tree");
  }
}
