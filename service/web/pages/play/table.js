// A table: drawn as people know it, followed live, played by what the service offers.

import { el, fill } from "../core/dom.js";
import { learn, nameOf } from "../core/people.js";
import { Failure, call, follow, int, list, requestId, rest } from "../core/rpc.js";
import { me as myself } from "../core/session.js";
import { Teller, refusal } from "../core/words.js";
import { games, titleOf } from "../lobby/games.js";
import { botsOf } from "./bots.js";
import { Clock } from "./clock.js";
import { gameOf } from "./games.js";
import { chipsField, moreChipsField } from "./house.js";
import { drawTable } from "./layout.js";
import { Log } from "./log.js";
import { Choosing } from "./offers.js";
import { Outcome } from "./outcome.js";
import { occupied } from "./seats.js";
import { Share } from "./share.js";
import { followWay } from "./way.js";

/** @typedef {Record<string, any>} Message */

/** How many versions back the log begins. */
const REMEMBERED = 120;
/** How often bots are asked to stay. */
const ASK_MS = 30_000;

/** @param {import("../core/router.js").Place} place */
export async function tablePage({ main, params, query, signal }) {
  const [all, found] = await Promise.all([
    games(),
    call("TableService/GetTable", { tableId: params.id }, { signal }),
  ]);
  const page = new TablePage(
    main,
    found.table,
    found.state,
    titleOf(all, found.table.game),
    signal,
  );
  const tournament = query.get("tournament");
  await Promise.all([
    page.run(),
    tournament ? followWay(page.way, tournament, params.id, signal) : null,
  ]);
}

export class TablePage {
  /** @param {HTMLElement} main @param {Message} table @param {Message} state @param {string} title @param {AbortSignal} signal */
  constructor(main, table, state, title, signal) {
    this.table = table;
    this.state = state;
    this.signal = signal;
    this.title = title;
    this.isBusy = false;
    this.refused = "";
    this.hasBots = true;
    /** @type {Set<number>} */
    this.bots = new Set();
    this.log = new Log();
    this.outcome = new Outcome();
    this.said = el("p", { class: "unseen", role: "status" });
    this.chips = chipsField(table);
    this.more = moreChipsField();
    this.share = new Share(this);
    this.choosing = new Choosing(() => this.draw());
    this.way = el("div", { class: "way", role: "status" });
    this.top = el("div", { class: "spread top" });
    this.board = el("div", { class: "board" });
    this.bar = el("section", {
      class: "sheet bar",
      "aria-label": "What you can do",
      tabindex: "-1",
    });
    this.side = el("div", { class: "sheet" });
    fill(
      main,
      el(
        "div",
        { class: "table-page" },
        this.way,
        this.top,
        this.board,
        this.bar,
        el("aside", {}, this.log.node, this.side),
        this.said,
      ),
    );
    this.clock = new Clock(this.board, (text) => this.say(text), signal);
  }

  /** Show the table until the page is left; throws the Failure that ends it. */
  async run() {
    await learn(
      list(this.table.seats).map(({ player }) => player),
      this.signal,
    );
    await this.countBots();
    this.take(this.state);
    this.share.offer();
    await Promise.all([this.listen(), this.keepCompany()]);
  }

  async listen() {
    const after = Math.max(0, int(this.state.version) - REMEMBERED);
    const news = follow(
      "TableService/WatchTable",
      { tableId: this.table.tableId, afterVersion: String(after) },
      (message, request) => ({ ...request, afterVersion: message.version ?? request.afterVersion }),
      this.signal,
    );
    for await (const message of news) {
      const events = list(message.events);
      // What is stored already was seen with the table.
      if (message.live && events.some((each) => each.event?.common || each.event?.house))
        await this.look();
      const teller = this.teller();
      for (const { event } of this.log.add(events, teller)) this.outcome.take(event ?? {}, teller);
      if (message.live) this.log.speak();
      if (message.state) this.take(message.state);
      else this.draw();
      if (message.live) this.share.offer();
    }
  }

  /** Learn where bots play; asked again and again, since they stay as long as somebody asks. */
  async countBots() {
    if (!this.isHost && this.me === null) return;
    try {
      this.bots = new Set(await botsOf(this.table.tableId, 0));
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      // Where the service is not this person's own there are none.
      this.hasBots = failure.code !== "permission_denied";
      if (this.hasBots && !failure.isPassing) throw failure;
    }
  }

  async keepCompany() {
    while (this.hasBots && !this.table.closed) {
      await rest(ASK_MS, this.signal);
      if (this.signal.aborted) return;
      await this.countBots();
      this.draw();
    }
  }

  /** Somebody came or went, or options have changed: the table is looked at anew. */
  async look() {
    const { table } = await call(
      "TableService/GetTable",
      { tableId: this.table.tableId },
      { signal: this.signal, patienceMs: Infinity },
    );
    this.table = table;
    await learn(
      list(table.seats).map(({ player }) => player),
      this.signal,
    );
  }

  get me() {
    const seats = list(this.state.seats);
    return seats.length ? int(seats[0]) : null;
  }

  get isHost() {
    return this.table.host === myself();
  }

  /** @param {number} seat */
  name(seat) {
    const player = list(this.table.seats).find((each) => int(each.seat) === seat)?.player;
    const name = player ? nameOf(player) : "";
    return name || (this.bots.has(seat) ? `Bot ${seat}` : `Seat ${seat}`);
  }

  teller() {
    const view = this.state.view ?? {};
    const family = gameOf(view)?.family ?? "";
    return new Teller(this.me, (seat) => this.name(seat), family, occupied(view[family] ?? {}));
  }

  /** @param {string} text */
  say(text) {
    fill(this.said, text);
  }

  /** A newer state is shown; an older one, which came late, is not. @param {Message} state */
  take(state) {
    if (int(state.version) < int(this.state.version)) return;
    const wasAsked = list(this.state.offers).length > 0;
    const before = this.choosing.decision;
    this.state = state;
    this.outcome.hears(int(state.decision?.hand));
    this.choosing.at(state.decision);
    if (this.choosing.decision !== before) this.refused = "";
    this.draw();
    const isAsked = list(state.offers).length > 0;
    this.clock.set(state.decision, isAsked);
    if (isAsked && (!wasAsked || this.choosing.decision !== before)) this.say("It is your turn.");
  }

  draw() {
    drawTable(this);
    this.clock.tick();
  }

  /** @returns {import("./house.js").Doing} */
  doing() {
    return {
      act: (common, seat) => this.act({ common }, { seat }),
      start: () => this.start(),
      close: () => this.send("TableService/CloseTable", {}),
      ask: (count) => this.ask(count),
    };
  }

  /** @param {Message} action @param {{seat?: number, answers?: boolean}} [how] */
  act(action, { seat = this.me ?? 0, answers = false } = {}) {
    const { decision } = this.state;
    const at =
      answers && decision ? { hand: decision.hand ?? 0, decision: decision.number ?? 0 } : {};
    return this.send("TableService/SubmitAction", { seat, action, ...at });
  }

  /** Deal; what one adds to the shuffle comes first. */
  async start() {
    await this.share.sending;
    await this.send("TableService/StartHand", {});
  }

  /** @param {number} count */
  ask(count) {
    return this.during(async () => {
      this.bots = new Set(await botsOf(this.table.tableId, count));
      await this.look();
    });
  }

  /** Send a request, again if it must be: its id makes it one.  What is refused is said. @param {string} method @param {Message} request */
  send(method, request) {
    return this.during(async () => {
      const answer = await call(
        method,
        { requestId: requestId(), tableId: this.table.tableId, ...request },
        { signal: this.signal },
      );
      if (answer.state) this.take(answer.state);
    });
  }

  /** @param {() => Promise<void>} work */
  async during(work) {
    if (this.isBusy) return;
    this.isBusy = true;
    this.refused = "";
    this.draw();
    try {
      await work();
    } catch (failure) {
      if (this.signal.aborted) return;
      this.refused = refusal(failure);
      if (!(failure instanceof Failure)) console.error(failure);
    } finally {
      this.isBusy = false;
      if (!this.signal.aborted) this.draw();
    }
  }
}
