// A tournament as it goes on: how it stands, its tables, what happened, how everybody stands.

import { learn, nameOf } from "../core/people.js";
import { Failure, call, follow, int, list, rest } from "../core/rpc.js";
import { me } from "../core/session.js";
import { told } from "./news.js";

const PAGE = 200;
const MOST_NEWS = 200;
/** How many versions back what happened begins. */
const REMEMBERED = 300;
const STANDINGS_MS = 1_500;

/** @typedef {Record<string, any>} Message */

export class Following {
  /** @param {string} id @param {() => void} changed  is called when there is something new @param {AbortSignal} signal */
  constructor(id, changed, signal) {
    this.id = id;
    this.changed = changed;
    this.signal = signal;
    /** @type {Message} */
    this.tournament = {};
    /** @type {Message} */
    this.state = {};
    /** @type {Message | null} how I stand */
    this.mine = null;
    /** @type {Map<number, Message>} */
    this.tables = new Map();
    /** @type {Message[]} */
    this.standings = [];
    this.hasMore = false;
    /** So many of the standings are wanted. */
    this.wanted = 50;
    /** @type {{version: number, text: string, time: string}[]} newest first */
    this.news = [];
    /** @type {Map<number, string>} players by entry */
    this.players = new Map();
    this.heardAt = 0;
    this.isStale = false;
  }

  /** Fetch it as it stands; throws a Failure. */
  async begin() {
    const { tournament, mine } = await this.ask("GetTournament");
    this.tournament = tournament;
    this.mine = mine ?? null;
    this.hear(tournament.state ?? {});
    await this.fetchTables();
    await this.fetchStandings();
  }

  /** @param {string} method @param {Message} [more] */
  ask(method, more = {}) {
    const request = { tournamentId: this.id, ...more };
    return call(`TournamentService/${method}`, request, { signal: this.signal });
  }

  /** Follow it until its page is left.  A tab that slept catches up from the version it has. */
  async goOn() {
    this.refresh();
    const after = Math.max(0, int(this.state.version) - REMEMBERED);
    const request = { tournamentId: this.id, afterVersion: String(after) };
    const resume = (/** @type {Message} */ message, /** @type {Message} */ asked) =>
      message.version ? { ...asked, afterVersion: message.version } : asked;
    const messages = follow("TournamentService/WatchTournament", request, resume, this.signal);
    for await (const message of messages) await this.take(message);
  }

  /** @param {Message} message */
  async take(message) {
    if (message.state) this.hear(message.state);
    if (message.mine) this.mine = message.mine;
    for (const table of list(message.tables)) this.tables.set(int(table.number), table);
    for (const { version, event } of list(message.news)) {
      if (event) await this.tell(int(version), event, message.recordTime);
    }
    this.isStale ||= list(message.news).length > 0;
    this.changed();
  }

  /** @param {Message} state */
  hear(state) {
    this.state = state;
    this.heardAt = Date.now();
  }

  /** @param {number} version @param {Message} event @param {string} time */
  async tell(version, event, time) {
    if (event.entryMade) {
      this.players.set(int(event.entryMade.entry), event.entryMade.player);
      await learn([event.entryMade.player], this.signal);
    }
    const { structure } = this.tournament;
    const text = told(event, { state: this.state, structure, called: (entry) => this.called(entry) });
    if (!text) return;
    this.news.unshift({ version, text, time });
    this.news.length = Math.min(this.news.length, MOST_NEWS);
  }

  /** Whom an entry is of. @param {number} entry */
  called(entry) {
    const player = this.players.get(entry) ?? "";
    if (player && player === me()) return "You";
    return nameOf(player) || `Entry ${entry + 1}`;
  }

  /** Milliseconds that the clock has left by now; null: none runs. */
  left() {
    const { clock, paused } = this.state;
    if (!clock) return null;
    return Math.max(0, int(clock.leftMs) - (paused ? 0 : Date.now() - this.heardAt));
  }

  async fetchTables() {
    for (let pageToken = ""; ;) {
      const answer = await this.ask("ListTournamentTables", { pageSize: PAGE, pageToken });
      for (const table of list(answer.tables)) this.tables.set(int(table.number), table);
      pageToken = answer.nextPageToken ?? "";
      if (!pageToken) return;
    }
  }

  async fetchStandings() {
    const found = [];
    let pageToken = "";
    do {
      const pageSize = Math.min(PAGE, this.wanted - found.length);
      const answer = await this.ask("GetStandings", { pageSize, pageToken });
      found.push(...list(answer.standings));
      pageToken = answer.nextPageToken ?? "";
    } while (pageToken && found.length < this.wanted);
    for (const { entry, player } of found) this.players.set(int(entry), player);
    await learn(this.players.values(), this.signal);
    this.standings = found;
    this.hasMore = Boolean(pageToken);
  }

  /** Standings are asked for anew when something happened, and not more often than people read. */
  async refresh() {
    while (!this.signal.aborted) {
      await rest(STANDINGS_MS, this.signal);
      if (!this.isStale || this.signal.aborted || document.hidden) continue;
      this.isStale = false;
      try {
        await this.fetchStandings();
        this.changed();
      } catch (failure) {
        if (!this.signal.aborted && !(failure instanceof Failure)) throw failure;
        this.isStale = true; // the service is away, which the page's head says
      }
    }
  }
}
