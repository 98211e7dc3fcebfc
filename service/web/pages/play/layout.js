// What a table's page shows: where the game stands, the felt, what one can do, what the house offers.

import { button, el, render } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { action } from "./choices.js";
import { gameOf } from "./games.js";
import { freeSeats, hostPanel, mayStart, rules, seatPanel } from "./house.js";
import { offerBar } from "./offers.js";
import { outcomePanel } from "./outcome.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {import("./games.js").Game} Game */
/** @typedef {import("./seats.js").Scene} Scene */
/** @typedef {import("./table.js").TablePage} TablePage */

/** Show a table as its page knows it. @param {TablePage} page */
export function drawTable(page) {
  const game = gameOf(page.state.view ?? {});
  if (!game) {
    withoutPicture(page);
    return;
  }
  const scene = sceneOf(page, page.state.view[game.family] ?? {});
  const [now, hand] = game.standing(scene);
  const hadFocus =
    page.bar.contains(document.activeElement) || document.activeElement === document.body;
  render(
    page.top,
    el("h1", {}, page.title),
    el("p", { class: "standing" }, el("strong", {}, now), hand ? ` · ${hand}` : ""),
  );
  render(page.board, game.draw(scene));
  render(page.bar, ...bar(page, game, scene));
  render(page.side, ...side(page, scene.view));
  // Whoever plays by keyboard stays where the offers are.
  const isLost = document.activeElement === document.body;
  if (hadFocus && isLost && !page.isBusy && scene.offers.length) page.bar.focus();
}

/** A game that was added from outside. @param {TablePage} page */
function withoutPicture({ top, board, bar, title, state, table }) {
  render(top, el("h1", {}, title));
  render(board, el("pre", { class: "sheet scrolls", tabindex: "0" }, state.text ?? ""));
  const command = el("code", {}, `kartejo play --table ${table.tableId}`);
  render(bar, el("p", {}, "There is no picture of this game. Play it in a terminal: ", command));
}

/** @param {TablePage} page @param {Message} view @returns {Scene} */
function sceneOf(page, view) {
  return {
    table: page.table,
    view,
    me: page.me,
    name: (seat) => page.name(seat),
    acting: list(page.state.decision?.seats).map(int),
    offers: list(page.state.offers),
    choosing: page.choosing,
    gain: (seat) => page.outcome.gain(seat),
  };
}

/** What one can do now, and what was refused. @param {TablePage} page @param {Game} game @param {Scene} scene */
function bar(page, game, scene) {
  const { table, state, isBusy } = page;
  const asides = game.asides?.(scene) ?? [];
  return [
    outcomePanel(page.outcome, page.teller(), table.tableId),
    ...main(page, game, scene),
    asides.length
      ? el(
          "details",
          { key: "asides" },
          el("summary", {}, "The bank: buy or sell"),
          offers(page, game, scene, asides, false),
        )
      : null,
    freeSeats(table, state, page.chips, page.doing(), isBusy),
    el("p", { class: "refused", role: "alert", key: "refused" }, page.refused),
  ];
}

/** @param {TablePage} page @param {Game} game @param {Scene} scene */
function main(page, game, scene) {
  if (scene.offers.length) {
    const all = { offers: scene.offers, hint: "Your turn" };
    const { offers: shown, hint } = game.narrowed?.(scene) ?? all;
    return [el("h2", { key: "turn" }, hint), offers(page, game, scene, shown, true)];
  }
  if (mayStart(page.table, page.state, page.isHost, page.me)) {
    const props = { class: "first", disabled: page.isBusy, "data-action": "start" };
    const start = button(game.startLabel(scene), () => page.start(), props);
    return [el("div", { class: "row", key: "start" }, start)];
  }
  return [el("p", { class: "note", key: "waits" }, waits(page))];
}

/** @param {TablePage} page @param {Game} game @param {Scene} scene @param {Message[]} shown @param {boolean} answers whether they answer the decision */
function offers(page, game, scene, shown, answers) {
  return offerBar(
    shown,
    (offer) => game.tell(offer, scene),
    page.choosing,
    page.isBusy,
    (offer, chosen) => page.act(action(game.family, offer, chosen), { answers }),
  );
}

/** @param {TablePage} page */
function waits({ table, state, me }) {
  if (table.closed) return "The table is closed for good.";
  if (state.decision) return me === null ? "You look on." : "The others are to act.";
  return "The next hand is waited for.";
}

/** Beside the table. @param {TablePage} page @param {Message} view */
function side(page, view) {
  const { table, me, isHost, isBusy } = page;
  const isHere = me !== null;
  const bots = page.hasBots ? page.bots : null;
  const past = el("a", { href: `#/replays/${table.tableId}` }, "Past hands of this table");
  return [
    isHere ? seatPanel(table, view, me, page.more, page.doing(), isBusy) : null,
    isHost || isHere ? hostPanel(table, bots, isHost, page.doing(), isBusy) : null,
    page.share.panel(),
    rules(table),
    el("p", { key: "past" }, past),
  ];
}
