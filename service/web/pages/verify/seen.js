// An export of what a viewer saw: whole, without gaps, saying the same twice.  Nobody signed it; but
// what it tells of secrets and roots is checked against the cards.

import { Bad, fromBase64, hex, joined, same } from "./bytes.js";
import { sha256 } from "./crypto.js";
import { requireWritten } from "./lines.js";
import { decode, Message, told } from "./protobuf.js";
import { commitment, entropyHash, order, PACK, rootOfPlaces, shuffleKey } from "./shuffles.js";
import { utf8 } from "./bytes.js";

/**
 * @typedef {import("./report.js").Report} Report
 * @typedef {{epoch: number, shuffle: number, purpose: string, root: Uint8Array, entropy: Uint8Array,
 *   line: number, count: number}} Root  a published root, and how many places it is over
 */

const ENDS = "\n";

export class Seen {
  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    /** @type {Uint8Array[]} */
    this.texts = [];
    this.version = 0;
    this.commits = 0;
    this.table = "";
    this.lab = false;
    this.epoch = 0;
    this.pile = 0;
    /** @type {Map<number, {commitment: Uint8Array, entropy: Uint8Array[], secret: Uint8Array | null, since: number}>} */
    this.epochs = new Map();
    /** Roots by the version at which they were published. @type {Map<number, Root>} */
    this.roots = new Map();
  }

  /** The first line. @param {any} line @param {string} text */
  begin(line, text) {
    this.report.scope = `table ${line.table} as ${line.viewer} sees it`;
    this.table = String(line.table);
    this.lab = line.lab === true;
    this.texts.push(utf8(text + ENDS));
    requireWritten(text, line);
  }

  /** A commit: it continues the one before, and its words fit its bytes. */
  async commit(/** @type {number} */ number, /** @type {any} */ line, /** @type {string} */ text) {
    const before = this.version;
    this.version = Number.isSafeInteger(line.version) ? line.version : 0;
    this.texts.push(utf8(text + ENDS));
    this.commits += 1;
    requireWritten(text, line);
    const { events } = line;
    if (!Array.isArray(events) || !events.length) throw new Bad("a commit without events");
    for (const [i, event] of events.entries()) {
      const due = before + 1 + i;
      if (event?.version !== due) throw new Bad("versions have a gap", due, event?.version);
      const { kind, words } = wordsOf(event.wire);
      if (JSON.stringify(event.fields) !== JSON.stringify(words)) {
        throw new Bad("an event is not what its bytes say", JSON.stringify(words),
          JSON.stringify(event.fields));
      }
      await this.report.attempt("secrets", number, () => this.event(number, due, kind));
    }
    if (this.version !== before + events.length) {
      throw new Bad("versions have a gap", before + events.length, this.version);
    }
    this.report.holds("lines");
  }

  /** @param {number} line @param {number} version @param {Message} event */
  async event(line, version, event) {
    const running = this.epochs.get(this.epoch);
    switch (event.kind) {
      case "HouseEvent.EpochOpened":
        this.epoch = event.number("epoch");
        this.epochs.set(this.epoch,
          { commitment: event.bytes("commitment"), entropy: [], secret: null, since: version });
        break;
      case "HouseEvent.EntropyContributed":
        running?.entropy.push(event.bytes("value"));
        break;
      case "CommonEvent.DeckShuffled":
        this.pile = event.list("order").length;
        break;
      case "HouseEvent.ShuffleCommitted":
        this.roots.set(version, {
          epoch: this.epoch, shuffle: event.number("shuffle"), purpose: event.text("purpose"),
          root: event.bytes("root"), entropy: event.bytes("entropy"), line, count: this.pile,
        });
        break;
      case "HouseEvent.EpochClosed":
        await this.closed(event.number("epoch"), event.bytes("secret"));
        break;
    }
  }

  /** @param {number} number @param {Uint8Array} secret */
  async closed(number, secret) {
    const epoch = this.epochs.get(number);
    if (epoch === undefined) throw new Bad(`epoch ${number}, which was not open, is told`);
    if (!secret.some(Boolean)) {
      this.report.leaves("secrets", "epochs whose secret is told to auditors only");
      return;
    }
    const found = await commitment({ table: this.table, epoch: number, secret });
    if (!same(found, epoch.commitment)) {
      const what = `the secret of epoch ${number} is not the one committed to`;
      throw new Bad(what, hex(epoch.commitment), hex(found));
    }
    epoch.secret = secret;
    this.report.holds("secrets");
  }

  /** The epoch that was open at a version; 0: none was. @param {number} version */
  epochAt(version) {
    return Math.max(0, ...[...this.epochs].filter(([, { since }]) => since <= version).map(([number]) => number));
  }

  /** The last line. @param {any} _ @param {string} text */
  async end(/** @type {number} */ number, _, text) {
    const sha = hex(await sha256(joined(...this.texts)));
    await this.report.attempt("note", number, () => {
      requireWritten(text, { type: "end", commits: this.commits, sha256: sha });
      this.report.holds("note", this.commits);
    });
  }

  /** The record has what the viewer added. @param {Map<number, Uint8Array>} mine  by epoch */
  async added(mine) {
    for (const [epoch, value] of mine) {
      await this.report.attempt("entropy", 0, () => this.hasTaken(epoch, value));
    }
  }

  /**
   * Nothing more comes: what players added went in, and shuffles of the whole pack follow from
   * secrets that were told.
   */
  async over() {
    for (const root of this.roots.values()) {
      const epoch = this.epochs.get(root.epoch);
      await this.report.attempt("entropy", root.line, () => this.wentIn(root, epoch?.entropy ?? []));
      if (!epoch?.secret) {
        this.report.leaves("shuffles", "their secret was not told to this viewer");
      } else if (this.lab || root.count !== PACK.length) {
        this.report.leaves("shuffles", "which cards were in the pile is not known to this viewer");
      } else {
        const whole = { table: this.table, epoch: root.epoch, secret: epoch.secret, entropy: epoch.entropy };
        await this.report.attempt("shuffles", root.line, () => this.follows(root, whole));
      }
    }
  }

  /** What somebody added is on record as he added it. @param {number} number @param {Uint8Array} value */
  hasTaken(number, value) {
    const epoch = this.epochs.get(number);
    if (epoch === undefined) return; // the record ends before it
    if (!epoch.entropy.some((each) => same(each, value))) {
      const what = `what you added to epoch ${number} is not in the record`;
      throw new Bad(what, hex(value), epoch.entropy.map(hex).join(", ") || "nothing");
    }
    this.report.mine += 1;
  }

  /** @param {Root} root @param {Uint8Array[]} added */
  async wentIn(root, added) {
    const expected = await entropyHash(added);
    if (!same(expected, root.entropy)) {
      const what = `what went into shuffle ${root.shuffle} of epoch ${root.epoch} is not what players added`;
      throw new Bad(what, hex(expected), hex(root.entropy));
    }
    this.report.holds("entropy");
  }

  /** @param {Root} root @param {import("./shuffles.js").Epoch} epoch */
  async follows(root, epoch) {
    const cards = order(await shuffleKey(epoch, root), PACK);
    const found = await rootOfPlaces(epoch, root, cards);
    if (!same(found, root.root)) {
      const what = `shuffle ${root.shuffle} of epoch ${root.epoch} is not what its secret gives`;
      throw new Bad(what, hex(found), hex(root.root));
    }
    this.report.holds("shuffles");
    this.report.holds("cards", cards.length);
  }
}

/** An event of a game, of whatever family, from its bytes. @param {unknown} wire */
export function wordsOf(wire) {
  const outer = decode("Event", fromBase64(wire));
  const [family] = Object.values(outer.values);
  if (!(family instanceof Message)) throw new Bad("an event of no family");
  const [inner] = Object.values(family.values);
  const kind = inner instanceof Message ? inner : family;
  return { kind, words: told(kind) };
}
