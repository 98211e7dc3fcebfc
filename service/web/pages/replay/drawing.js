// A table as a viewer saw it then: drawn as it is at the table, with nothing to do.

import { el } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { gameOf } from "../play/games.js";
import { Choosing } from "../play/offers.js";

const NOTHING = new Choosing(() => {});

/**
 * The drawing of a state, and where the game stands, in words.
 * @param {import("./steps.js").Hand} hand
 * @param {Record<string, any>} state
 */
export function drawn({ told, nameOf }, state) {
  const game = gameOf(state.view ?? {});
  if (!game) return { board: el("pre", { class: "scrolls" }, state.text ?? ""), standing: "" };
  const seats = list(state.seats);
  /** @type {import("../play/seats.js").Scene} */
  const scene = {
    table: told,
    view: state.view[game.family] ?? {},
    me: seats.length ? int(seats[0]) : null,
    name: nameOf,
    acting: list(state.decision?.seats).map(int),
    offers: [],
    choosing: NOTHING,
    gain: () => null,
  };
  const [standing] = game.standing(scene);
  return { board: game.draw(scene), standing };
}
