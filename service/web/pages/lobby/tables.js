// Tables: a list of them, and the page that shows all, filtered.

import { el, fill } from "../core/dom.js";
import { learn, nameOf } from "../core/people.js";
import { int, list } from "../core/rpc.js";
import { me } from "../core/session.js";
import { counted } from "../core/words.js";
import { byName, games, titleOf } from "./games.js";
import { Listing } from "./listing.js";

/** @typedef {Record<string, any>} Message */

/**
 * Tables as a list, with the names of who plays.
 * @param {Message[]} tables
 * @param {Message[]} all the catalogue
 * @param {AbortSignal} signal
 */
export async function tableList(tables, all, signal) {
  await learn(
    tables.flatMap((table) => list(table.seats).map((seat) => seat.player)),
    signal,
  );
  if (!tables.length) return el("p", { class: "note" }, "No table is open here.");
  return el("ul", { class: "tables" }, ...tables.map((table) => tableCard(table, all)));
}

/** @param {Message} table @param {Message[]} all */
function tableCard(table, all) {
  const seats = list(table.seats);
  const isMine = seats.some((seat) => seat.player === me());
  const free = table.closed ? 0 : int(table.seatCount) - seats.length;
  const title = titleOf(all, table.game);
  const does = isMine ? "Go on" : free ? "Take a seat" : table.closed ? "Look" : "Watch";
  return el(
    "li",
    { class: "sheet table", key: table.tableId },
    el(
      "div",
      { class: "spread" },
      el("h3", {}, title),
      el("span", { class: "tag" }, standing(table)),
    ),
    el("p", { class: "who" }, ...who(seats)),
    el("p", { class: "note" }, stakes(table)),
    el(
      "div",
      { class: "spread" },
      el(
        "span",
        { class: "note" },
        table.closed ? "" : free ? `${counted(free, "seat")} free` : "every seat taken",
      ),
      el(
        "a",
        { class: isMine || free ? "button first" : "button", href: `#/table/${table.tableId}` },
        does,
        el("span", { class: "unseen" }, `, ${title}, table ${table.tableId.slice(0, 8)}`),
      ),
    ),
  );
}

/** @param {Message} table */
function standing(table) {
  if (table.closed) return "closed";
  if (table.lab) return "lab";
  return int(table.hand) ? `hand ${int(table.hand)}` : "between hands";
}

/** @param {Message[]} seats */
function who(seats) {
  if (!seats.length) return ["Nobody sits here yet."];
  const named = seats.map(({ player, seat }) =>
    player === me() ? "You" : nameOf(player) || `Seat ${int(seat)}`,
  );
  return [named.join(", ")];
}

/** What is played for, in a line. @param {Message} table */
function stakes(table) {
  const options = byName(table.options);
  const house = byName(table.houseOptions);
  const told = [];
  if (options.small_bet) told.push(`bets ${options.small_bet}/${options.big_bet}`);
  if (options.min_bet) told.push(`stakes ${options.min_bet} to ${options.max_bet}`);
  if (options.target_score) told.push(`to ${options.target_score} points`);
  if (options.target_mode) told.push(options.target_mode.replaceAll("_", " "));
  if (options.shoot === "true") told.push("with a kitty");
  if (house.purse && house.purse !== "free") told.push(`chips from your ${house.purse}`);
  return told.join(" · ");
}

/** All tables. @param {import("../core/router.js").Place} place */
export async function tablesPage({ main, signal }) {
  const all = await games();
  const listing = new Listing("TableService/ListTables", "tables", all);
  const free = listing.check("With a free seat");
  const closed = listing.check("Closed ones too");
  fill(
    main,
    el(
      "div",
      { class: "spread" },
      el("h1", {}, "Tables"),
      el("a", { class: "button first", href: "#/" }, "Open a table"),
    ),
    ...listing.parts(free, closed),
  );
  await listing.keep(
    () => ({ withFreeSeat: free.box.checked, includeClosed: closed.box.checked }),
    (found) => tableList(found, all, signal),
    signal,
  );
}
