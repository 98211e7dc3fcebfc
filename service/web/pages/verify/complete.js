// A complete export: every commit of a table, or of the whole store, as it is stored.

import { Bad, base64, big, hex, joined, same, utf8, uuid, fromUuid } from "./bytes.js";
import { sha256 } from "./crypto.js";
import { requireWritten } from "./lines.js";
import { requireIn, rootOf } from "./merkle.js";
import { parseCheckpoint, parseKey, verifiedText } from "./notes.js";
import { accessesOf, genesis, groupOf, hashOf, lineOf, recordOf, TABLE } from "./records.js";
import { Table } from "./tables.js";

/**
 * @typedef {import("./records.js").Record} Record
 * @typedef {import("./report.js").Report} Report
 * @typedef {{version: number, hash: Uint8Array, position: number, recordedAt: number, kind: number,
 *   table: Table | null}} Stream
 */

const CALLERS = [1, 2, 5]; // players, hosts and auditors have an id; the service's own steps none

export class Complete {
  /** @param {Report} report @param {string} trusted  the key that must have signed it; empty: any */
  constructor(report, trusted) {
    this.report = report;
    this.trusted = trusted;
    /** @type {import("./notes.js").Key | null} */
    this.key = null;
    /** @type {{size: number, root: Uint8Array} | null} */
    this.tree = null;
    /** @type {Set<string> | null} streams that the export is of; null: all */
    this.streams = null;
    /** @type {Map<string, Stream>} */
    this.found = new Map();
    /** @type {Uint8Array[]} */
    this.hashes = [];
    /** @type {Uint8Array[]} */
    this.digest = [utf8("kartejo.export.1")];
    this.commits = 0;
    this.position = 0;
    /** @type {Record[]} */
    this.group = [];
    this.groupLine = 0;
  }

  /** The first line. @param {any} line @param {string} text */
  async begin(line, text) {
    const { scope, key, checkpoint } = line;
    if (typeof scope !== "string") throw new Bad("the export does not say what it is of");
    if (scope !== "store") {
      const table = scopeOf(scope);
      this.streams = new Set([table, await accessesOf(table)]);
    }
    this.report.scope = scope;
    if (typeof key !== "string" || typeof checkpoint !== "string") {
      throw new Bad("the export does not name its key and its checkpoint");
    }
    requireWritten(text, { type: "export", format: 1, kind: "complete", scope, key, checkpoint });
    await this.report.attempt("tree", 1, async () => {
      this.key = await parseKey(key);
      this.report.signer = this.key.text;
      if (this.trusted && (await parseKey(this.trusted)).text !== this.key.text) {
        throw new Bad("signed by another key than the one that is trusted", this.trusted, key);
      }
      if (checkpoint) this.tree = await parseCheckpoint(checkpoint, this.key);
    });
  }

  /** The line of a commit. @param {number} number @param {any} line @param {string} text */
  async commit(number, line, text) {
    const { report } = this;
    const record = recordOf(line);
    requireWritten(text, lineOf(record));
    this.commits += 1;
    this.digest.push(big(record.position, 8), record.hash);
    const stream = this.found.get(record.stream) ?? (await this.meet(record));
    const held = [
      await report.attempt("chain", number, () => this.continues(record, stream)),
      await report.attempt("tree", number, () => this.inTree(record)),
    ];
    const { version, hash, position, recordedAt } = record;
    Object.assign(stream, { version, hash, position, recordedAt });
    if (this.streams === null) await this.collect(number, record);
    if (held.includes(false)) stream.table?.giveUp();
    else await stream.table?.take(number, record);
    report.holds("lines");
  }

  /** A stream's first commit. @param {Record} record */
  async meet(record) {
    const stream = {
      version: 0, hash: await genesis(record.stream), position: 0, recordedAt: 0, kind: record.kind,
      table: record.kind === TABLE ? new Table(record.stream, this.report) : null,
    };
    this.found.set(record.stream, stream);
    return stream;
  }

  /** Nothing left out, nothing twice, nothing out of turn. @param {Record} record @param {Stream} stream */
  async continues(record, stream) {
    const { position, version, count, facts } = record;
    if (this.streams === null) {
      const due = this.position + 1;
      this.position = position;
      if (position !== due) throw new Bad("positions have a gap", due, position);
    } else if (!this.streams.has(record.stream)) {
      throw new Bad("a commit of a stream that the export is not of", this.report.scope);
    } else if (position <= stream.position) {
      throw new Bad("positions go back", `more than ${stream.position}`, position);
    }
    if (facts === null) throw new Bad("the body is not a list of events");
    if (count < 1 || count !== facts.length) {
      throw new Bad("the number of events is not the one told", count, facts.length);
    }
    if (version - count !== stream.version) {
      throw new Bad("versions have a gap", stream.version + count, version);
    }
    if (record.kind !== stream.kind) throw new Bad("a stream changes its kind", stream.kind, record.kind);
    if (record.kind === TABLE && record.recordedAt < stream.recordedAt) {
      throw new Bad("times of a table run backwards", stream.recordedAt, record.recordedAt);
    }
    if (CALLERS.includes(record.actorKind) !== (record.actor !== null)) {
      throw new Bad("an actor that cannot be", "", record.actor);
    }
    const right = await hashOf(stream.hash, record);
    if (!same(right, record.hash)) {
      throw new Bad("the hash does not follow", hex(right), hex(record.hash));
    }
    this.report.holds("chain");
  }

  /** The commit is in the tree that was signed, if that is as large. @param {Record} record */
  async inTree(record) {
    const { tree } = this;
    if (this.streams === null) {
      if (record.inclusion.length) throw new Bad("a proof of its own, though the whole log is here");
      this.hashes.push(record.hash);
      if (tree !== null && this.hashes.length === tree.size) {
        const root = await rootOf(this.hashes);
        if (!same(root, tree.root)) {
          throw new Bad("the commits so far are not those of the checkpoint", hex(tree.root), hex(root));
        }
        this.report.holds("tree", tree.size);
      }
    } else if (tree !== null && record.position <= tree.size) {
      await requireIn(tree.root, record.hash, record.position - 1, tree.size, record.inclusion);
      this.report.holds("tree");
    } else if (record.inclusion.length) {
      throw new Bad("a proof for a commit that no checkpoint covers");
    } else {
      this.report.leaves("tree", "commits newer than the signed checkpoint");
    }
  }

  /** Commits that were stored together name each other. @param {number} line @param {Record} record */
  async collect(line, record) {
    if (this.group.length && !same(this.group[0].group, record.group)) await this.closeGroup();
    if (!this.group.length) this.groupLine = line;
    this.group.push(record);
  }

  async closeGroup() {
    const members = this.group;
    this.group = [];
    if (!members.length) return;
    await this.report.attempt("chain", this.groupLine, async () => {
      const found = await groupOf(members);
      if (!same(found, members[0].group)) {
        const what = "commits that were stored together are not all here";
        throw new Bad(what, hex(members[0].group), hex(found));
      }
    });
  }

  /** The last line. @param {number} number @param {any} line @param {string} text */
  async end(number, line, text) {
    const { note } = line;
    if (typeof note !== "string") throw new Bad("the end holds no note");
    requireWritten(text, { type: "end", note });
    const { tree } = this;
    await this.report.attempt("tree", number, () => {
      if (tree !== null && this.streams === null && this.hashes.length < tree.size) {
        throw new Bad("commits of the checkpoint are missing", tree.size, this.hashes.length);
      }
    });
    await this.report.attempt("note", number, async () => {
      if (this.key === null) throw new Bad("the export names no key that could have signed it");
      const signed = await verifiedText(note, this.key);
      const made = /\nmade ([0-9]+)\n$/.exec(signed)?.[1] ?? "";
      const expected = [
        "kartejo/export/1", `scope ${this.report.scope}`, `commits ${this.commits}`,
        `digest ${base64(await sha256(joined(...this.digest)))}`, `made ${made}`, "",
      ];
      const lines = signed.split("\n");
      const wrong = expected.findIndex((each, i) => each !== lines[i]);
      if (wrong >= 0 || lines.length !== expected.length) {
        throw new Bad("the commits are not those that were signed", expected[wrong], lines[wrong]);
      }
      this.report.holds("note", this.commits);
    });
  }

  /** Nothing more comes. */
  async over() {
    await this.closeGroup();
    for (const { table } of this.found.values()) await table?.ended();
  }
}

/** The table of a scope that is not the store. @param {string} scope */
function scopeOf(scope) {
  const name = scope.replace(/^table /, "");
  if (name === scope || name !== uuid(fromUuid(name))) {
    throw new Bad("the scope is neither the store nor a table", "", scope.slice(0, 80));
  }
  return name;
}
