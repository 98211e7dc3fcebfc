// The epochs of a table: their secrets, what is sealed under them, the shuffles they give.
//
// A commit opens once its epoch's secret was told, which is in a later commit.  So what waits is
// looked at in the end; of epochs that were not told it is counted.

import { Bad, hex, same } from "./bytes.js";
import { eventOf, nameOf } from "./protobuf.js";
import {
  cardName, commitment, entropyHash, nextOfPacks, order, rootOfPlaces, shuffleKey, Slots,
} from "./shuffles.js";

/**
 * @typedef {import("./records.js").Record} Record
 * @typedef {import("./records.js").Fact} Fact
 * @typedef {import("./shuffles.js").Epoch} Epoch
 * @typedef {import("./report.js").Report} Report
 * @typedef {{line: number, record: Record, shuffles: number}} Waiting
 */

export class Table {
  /** @param {string} stream @param {Report} report */
  constructor(stream, report) {
    this.stream = stream;
    this.report = report;
    this.lab = false;
    this.packs = "";
    /** The epoch that runs; shuffles and lots drawn from it. */
    this.running = 0;
    this.shuffles = 0;
    /** @type {Map<number, Uint8Array>} commitments of all epochs */
    this.commitments = new Map();
    /** @type {Set<number>} those that nobody has told yet */
    this.secret = new Set();
    /** @type {Map<number, Epoch>} those that were told */
    this.told = new Map();
    /** @type {Map<number, Uint8Array[]>} */
    this.entropy = new Map();
    /** @type {Waiting[]} */
    this.waiting = [];
    this.lost = false;
  }

  /** What is public of the next commit. @param {number} line @param {Record} record */
  async take(line, record) {
    if (this.lost) return;
    this.waiting.push({ line, record, shuffles: this.shuffles });
    const held = await this.report.attempt("secrets", line, async () => {
      for (const fact of record.facts ?? []) await this.fact(fact);
    });
    if (!held) this.giveUp();
  }

  /** Nothing can be said about what follows, nor about what waits. */
  giveUp() {
    this.lost = true;
    this.report.leaves("sealed", "something before them is wrong", this.waiting.length);
    this.waiting = [];
  }

  /** @param {Fact} fact */
  async fact(fact) {
    const event = eventOf(fact);
    if (event === null) return;
    switch (nameOf(fact.type)) {
      case "HouseOpened":
        this.lab = event.values.lab === true;
        break;
      case "PacksShared":
        this.packs = event.text("packs");
        break;
      case "EpochOpened":
        this.opened(event.number("epoch"), event.bytes("commitment"));
        break;
      case "EntropyContributed":
        this.entropy.get(this.running)?.push(event.bytes("value"));
        break;
      case "EpochClosed":
        await this.closed(event.number("epoch"), event.bytes("secret"));
        break;
      case "EpochVoided":
        this.end(event.number("epoch"), "is voided");
        break;
      case "DeckShuffled":
      case "LotDrawn":
        this.shuffles += 1;
        break;
    }
  }

  /** @param {number} epoch @param {Uint8Array} committed */
  opened(epoch, committed) {
    if (epoch !== this.running + 1) throw new Bad("an epoch out of turn", this.running + 1, epoch);
    if (committed.length !== 32) {
      throw new Bad("a commitment of a wrong length", 32, committed.length);
    }
    this.running = epoch;
    this.shuffles = 0;
    this.commitments.set(epoch, committed);
    this.secret.add(epoch);
    this.entropy.set(epoch, []);
  }

  /** @param {number} epoch @param {string} what */
  end(epoch, what) {
    if (!this.secret.delete(epoch)) throw new Bad(`epoch ${epoch}, which was not open, ${what}`);
  }

  /** @param {number} number @param {Uint8Array} secret */
  async closed(number, secret) {
    this.end(number, "is told");
    const epoch = { table: this.stream, epoch: number, secret, entropy: this.entropyOf(number) };
    const committed = /** @type {Uint8Array} */ (this.commitments.get(number));
    const found = await commitment(epoch);
    if (!same(found, committed)) {
      const what = `the secret of epoch ${number} is not the one committed to`;
      throw new Bad(what, hex(committed), hex(found));
    }
    this.told.set(number, this.packs ? { ...epoch, packs: this.packs } : epoch);
    this.report.holds("secrets");
  }

  /** @param {number} epoch */
  entropyOf(epoch) {
    return this.entropy.get(epoch) ?? [];
  }

  /** Nothing more comes: whatever can be opened is. */
  async ended() {
    const { report } = this;
    if (this.lost) return;
    report.leaves("secrets", "epochs whose secret was not told yet", this.secret.size);
    if (!(await this.packsFollow())) return;
    for (const { line, record, shuffles } of this.waiting) {
      const epoch = this.told.get(record.epoch);
      if (epoch === undefined) {
        report.leaves("sealed", "commits of epochs that were not told", 1);
        continue;
      }
      if (!(await this.open(line, record, epoch, shuffles))) return;
    }
  }

  /** Where tables share their packs a secret is not drawn: it follows from the one before. */
  async packsFollow() {
    for (const epoch of this.packs ? this.told.values() : []) {
      const next = this.commitments.get(epoch.epoch + 1);
      if (next !== undefined && !same(await commitment(await nextOfPacks(epoch)), next)) {
        const what = `epoch ${epoch.epoch + 1} does not follow from the one before`;
        this.report.finds("secrets", 0, new Bad(what));
        return false;
      }
    }
    return true;
  }

  /**
   * @param {number} line
   * @param {Record} record
   * @param {Epoch} epoch
   * @param {number} shuffles  drawn from the epoch before this commit
   */
  async open(line, record, epoch, shuffles) {
    const facts = record.facts ?? [];
    /** @type {Map<number, Uint8Array>[]} */
    const values = [];
    const opens = await this.report.attempt("sealed", line, async () => {
      const base = record.version - record.count;
      const slots = await Slots.of(epoch, record.salt, base);
      for (const [i, fact] of facts.entries()) {
        const found = new Map();
        for (const { field, audience, sealed } of fact.slots) {
          if (sealed.length) {
            found.set(field, await slots.open(base + 1 + i, field, audience, sealed));
          }
        }
        this.report.holds("sealed", found.size);
        values.push(found);
      }
      await slots.openAction(record.action);
      this.report.holds("sealed");
    });
    if (!opens || this.lab) {
      if (opens) this.report.leaves("shuffles", "tables of the laboratory are stacked", shuffled(facts));
      return opens;
    }
    return this.report.attempt("shuffles", line, () => this.follow(facts, values, epoch, shuffles));
  }

  /**
   * Every shuffle and lot of a commit; behind each shuffle stands what commits to its places.
   * @param {Fact[]} facts
   * @param {Map<number, Uint8Array>[]} values
   * @param {Epoch} epoch
   * @param {number} shuffle
   */
  async follow(facts, values, epoch, shuffle) {
    let due = null;
    for (const [i, fact] of facts.entries()) {
      const [event, name] = [eventOf(fact), nameOf(fact.type)];
      if (event === null) continue;
      const purpose = event.text("purpose");
      if ((due !== null) !== (name === "ShuffleCommitted")) {
        throw new Bad(due ? "the commitment to a shuffle is not behind it"
          : "a commitment to a shuffle that there is not");
      }
      if (due !== null) {
        const right = { ...due, entropy: hex(await entropyHash(epoch.entropy)) };
        const [expected, found] = [right, {
          shuffle: event.number("shuffle"), purpose, root: hex(event.bytes("root")),
          entropy: hex(event.bytes("entropy")),
        }].map((each) => JSON.stringify(each, ["shuffle", "purpose", "entropy", "root"]));
        if (expected !== found) {
          throw new Bad("the commitment to a shuffle is not behind it", expected, found);
        }
        this.report.holds("entropy");
        due = null;
      } else if (name === "LotDrawn") {
        await requireOrder(epoch, { shuffle, purpose }, event.list("order"), String);
        this.report.holds("shuffles");
        shuffle += 1;
      } else if (name === "DeckShuffled") {
        const cards = [...(values[i].get(2) ?? event.list("order"))];
        await requireOrder(epoch, { shuffle, purpose }, cards, cardName);
        const root = await rootOfPlaces(epoch, { shuffle, purpose }, cards);
        due = { shuffle, purpose, root: hex(root) };
        this.report.holds("shuffles");
        this.report.holds("cards", cards.length);
        shuffle += 1;
      }
    }
    if (due !== null) throw new Bad("the commitment to a shuffle is not behind it");
  }
}

/** @param {Fact[]} facts */
const shuffled = (facts) => facts.filter((fact) => nameOf(fact.type) === "DeckShuffled").length;

/**
 * Throws unless a shuffle gave this order.
 * @param {Epoch} epoch
 * @param {import("./shuffles.js").Shuffle} which
 * @param {number[]} found
 * @param {(item: number) => string} called
 */
async function requireOrder(epoch, which, found, called) {
  const pile = [...found].sort((one, other) => one - other);
  const right = order(await shuffleKey(epoch, which), pile);
  const wrong = right.findIndex((item, place) => item !== found[place]);
  if (wrong >= 0) {
    throw new Bad(`shuffle ${which.shuffle} of epoch ${epoch.epoch} is not what its secret gives`,
      `${called(right[wrong])} at place ${wrong + 1}`, called(found[wrong]));
  }
}
