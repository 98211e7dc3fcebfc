// What a player and a host may do in a tournament: buttons, and why something was refused.

import { button, el, labelled } from "../core/dom.js";
import { Failure, int, list, requestId } from "../core/rpc.js";
import { me } from "../core/session.js";
import { amount, counted, refusal, words } from "../core/words.js";
import { botsIn } from "../play/bots.js";
import { placeAt } from "../play/way.js";
import { short } from "./news.js";

const CHOICE = "choice.";
const MOST_BOTS = 36;

export class Deeds {
  /** @param {import("./following.js").Following} following @param {() => void} changed */
  constructor(following, changed) {
    this.following = following;
    this.changed = changed;
    this.said = "";
    this.isRefused = false;
    this.isBusy = false;
    this.isCancelling = false;
    this.isInviting = false;
    this.hasBots = true;
  }

  /** Ask once, and say how it ended. @param {string} method @param {string} done @param {object} [more] */
  async ask(method, done, more = {}) {
    const { following } = this;
    this.isBusy = true;
    this.changed();
    try {
      const answer = await following.ask(method, { requestId: requestId(), ...more });
      if (answer.mine) following.mine = answer.mine;
      if (answer.state) following.hear(answer.state);
      this.isCancelling = false;
      [this.said, this.isRefused] = [done, false];
    } catch (failure) {
      [this.said, this.isRefused] = [refusal(failure), true];
    }
    this.isBusy = false;
    this.changed();
  }

  /** @param {string} called @param {string} method @param {string} done @param {object} [props] @param {object} [more] */
  act(called, method, done, props = {}, more = {}) {
    const press = () => this.ask(method, done, more);
    return button(called, press, { key: called, disabled: this.isBusy, ...props });
  }

  get isIn() {
    return ["WAITING", "ENTERED", "PLAYING"].includes(short(this.following.mine?.status));
  }

  buttons() {
    return [...this.players(), ...this.hosts()].filter((each) => each !== null);
  }

  players() {
    const { state, mine, tournament: { structure } } = this.following;
    const [status, phase] = [short(mine?.status), short(state.phase)];
    const cost = int(structure.buyIn) + int(structure.fee);
    const price = cost ? ` for ${amount(cost)}` : "";
    const first = { class: "first" };
    const register = status === "OUT"
      ? () => this.act(`Enter again${price}`, "ReEnter", "You are in again.", first)
      : () => this.act(`Register${price}`, "Register", "Good luck.", first);
    const { addOn } = structure;
    const adds = addOn && status === "PLAYING" && state.onBreak && !mine?.addOn;
    return [
      state.acceptsEntries && !this.isIn ? register() : null,
      this.isIn && phase === "REGISTERING" ? this.act("Unregister", "Unregister", "Your entry is taken back, and all it cost.") : null,
      adds ? this.act(`${amount(addOn.chips)} chips for ${amount(int(addOn.cost) + int(addOn.fee))}`, "TakeAddOn", "The chips are on their way to your table.") : null,
      ...(this.isIn ? choicesOf(structure).map((choice) =>
        this.act(`Commit to ${words(choice)}`, "CommitToChoice", `You committed to ${words(choice)}.`, {}, { choice })) : []),
      status === "PLAYING" && mine?.tableId ? el("a", { class: "button first", key: "table", href: `#${placeAt(mine.tableId, this.following.id)}` }, "To your table") : null,
    ];
  }

  hosts() {
    const { state, tournament } = this.following;
    const phase = short(state.phase);
    if (tournament.host !== me() || phase === "FINISHED" || phase === "CANCELLED") return [];
    const cancel = () => {
      this.isCancelling = !this.isCancelling;
      this.changed();
    };
    const first = { class: "first" };
    const { structure } = tournament;
    const isFree = !int(structure.buyIn) && !int(structure.fee);
    return [
      isFree && state.acceptsEntries && this.hasBots ? button("Let bots enter…", () => {
        this.isInviting = !this.isInviting;
        this.changed();
      }, { key: "bots", "aria-expanded": String(this.isInviting) }) : null,
      phase === "REGISTERING" ? this.act("Start", "StartTournament", "Seats are drawn.", first) : null,
      phase === "RUNNING" && !state.paused ? this.act("Pause", "PauseTournament", "No hand begins until you go on.") : null,
      phase === "RUNNING" && state.paused ? this.act("Go on", "ResumeTournament", "Play goes on.", first) : null,
      button("Cancel…", cancel, { key: "cancel", class: "danger", "aria-expanded": String(this.isCancelling) }),
    ];
  }

  /** How I stand, and how what I asked for ended. */
  answer() {
    return el("div", { key: "answer" },
      this.isCancelling ? this.cancelling() : null,
      this.isInviting ? this.inviting() : null,
      el("p", { key: "said", class: this.isRefused ? "refused" : "note", role: "status" },
        this.said, this.said && !this.isRefused ? " " : "", this.isRefused ? "" : standing(this.following)));
  }

  /** How many bots shall play in it. */
  inviting() {
    const { id, tournament: { structure } } = this.following;
    const most = Math.min(MOST_BOTS, int(structure.maxEntrants) || MOST_BOTS);
    const count = el("input", { id: "bots", type: "number", min: 1, max: most, step: 1, value: Math.min(5, most), required: true });
    const send = async (/** @type {Event} */ event) => {
      event.preventDefault();
      this.isBusy = true;
      this.changed();
      try {
        const entries = await botsIn(id, int(/** @type {HTMLInputElement} */ (document.getElementById("bots")).value));
        [this.said, this.isRefused, this.isInviting] = [`${counted(entries, "bot")} will play.`, false, false];
      } catch (failure) {
        [this.said, this.isRefused] = [refusal(failure), true];
        if (failure instanceof Failure && failure.code === "permission_denied") this.hasBots = this.isInviting = false;
      }
      this.isBusy = false;
      this.changed();
    };
    return el("form", { key: "inviting", class: "sheet", on: { submit: send } },
      labelled("How many bots in all?", count, `1 to ${most}. They enter and play as people do.`),
      el("button", { class: "first", disabled: this.isBusy }, "Let them enter"));
  }

  cancelling() {
    const why = el("input", { id: "why", maxlength: "200", required: true, autocomplete: "off" });
    const send = (/** @type {Event} */ event) => {
      event.preventDefault();
      const reason = /** @type {HTMLInputElement} */ (document.getElementById("why")).value.trim();
      if (reason) this.ask("CancelTournament", "It is cancelled; what everybody gets is on its way.", { reason });
    };
    return el("form", { key: "cancelling", class: "sheet", on: { submit: send } },
      labelled("Why?", why, "Everybody reads it. It ends for good: hands that run do not count, and the money is settled by the written rule."),
      el("button", { class: "danger", disabled: this.isBusy }, "Cancel the tournament"));
  }
}

/** How I stand, in words. @param {import("./following.js").Following} following */
function standing({ mine, state }) {
  const told = /** @type {Record<string, string>} */ ({
    WAITING: "You wait for a place.",
    ENTERED: "You have entered; seats are drawn when it starts.",
    PLAYING: `You play, with ${amount(mine?.chips)} chips.`,
    OUT: "You are out.",
    WITHDRAWN: "You took your entry back.",
  });
  if (mine?.disqualified) return "You were excluded.";
  const isIn = ["ENTERED", "PLAYING"].includes(short(mine?.status));
  const waits = isIn && short(state.phase) === "RUNNING" && !mine?.tableId;
  const words_ = waits ? "No table of yours is open now; it is told here when one is." : told[short(mine?.status)] ?? (state.acceptsEntries ? "You have not entered." : "You look on.");
  return int(mine?.prize) ? `${words_} You won ${amount(mine?.prize)}.` : words_;
}

/** The choices that one may commit to, in the format "choice". @param {Record<string, any>} structure @returns {string[]} */
const choicesOf = (structure) =>
  list(structure.settings).map(({ name }) => name)
    .filter((name) => name.startsWith(CHOICE)).map((name) => name.slice(CHOICE.length));
