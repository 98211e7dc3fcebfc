// A new table: every option of the game, explained as the game's own catalogue explains it.

import { el, fill, labelled } from "../core/dom.js";
import { Failure, int, list } from "../core/rpc.js";
import { go } from "../core/router.js";
import { refusal } from "../core/words.js";
import { games, open, quick } from "./games.js";
import { chosen, field, group, more, optionField } from "./options.js";

/** @typedef {import("./options.js").Field} Field */

const PACES = [
  [0, "at once"],
  [700, "briskly"],
  [1800, "with thought"],
];
/** Options that most people change, by game: the others wait behind a summary. */
const FIRST = new Set([
  "small_bet",
  "betting_structure",
  "max_seats",
  "turn_seconds",
  "min_bet",
  "max_bet",
  "shoot",
  "players",
  "min_players_to_start",
  "target_score",
  "target_mode",
  "target_suit",
  "target_rank",
  "sweeps",
]);

/** @param {import("../core/router.js").Place} place */
export async function createPage({ main, params }) {
  const game = (await games()).find((each) => each.game === params.game);
  if (!game) throw new Failure("not_found", `no game is called ${params.game}`);
  const wish = quick(game.game);
  const isAlone = game.game === "royal_flush";
  const bots = field("number", { min: 0, max: 9, value: wish.bots, required: true });
  const pace = el(
    "select",
    {},
    ...PACES.map(([ms, label]) => el("option", { value: ms, selected: ms === 700 }, label)),
  );
  const chips = field("number", { min: 0, value: wish.chips, required: true });
  const fields = list(game.options).map((spec) => optionField(spec, wish.options?.[spec.name]));
  const house = list(game.houseOptions).map((spec) => optionField(spec));
  const start = list(game.startFacts).map((spec) => optionField(spec));
  const answer = el("p", { class: "refused", role: "alert" });
  const send = el("button", { class: "first" }, "Open the table");

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    send.setAttribute("disabled", "");
    fill(answer);
    try {
      const id = await open(game.game, {
        options: chosen(fields),
        houseOptions: chosen(house),
        start: chosen(start),
        bots: isAlone ? 0 : int(bots.value),
        ponderMs: int(/** @type {HTMLSelectElement} */ (pace).value),
        chips: isAlone ? 0 : int(chips.value),
      });
      go(`/table/${id}`);
    } catch (failure) {
      fill(answer, refusal(failure));
      answer.scrollIntoView({ block: "nearest" });
      send.removeAttribute("disabled");
    }
  };

  const isFirst = (/** @type {Field} */ each) => FIRST.has(each.spec.name);
  fill(
    main,
    el(
      "form",
      { class: "create", on: { submit } },
      el("h1", {}, `A table of ${game.title}`),
      el("p", { class: "note" }, game.summary),
      isAlone
        ? null
        : el(
            "fieldset",
            { class: "sheet" },
            el("legend", {}, "Company"),
            labelled(
              "Bots",
              bots,
              "0 to 9. They sit down with you; the other seats are for people.",
            ),
            labelled("They play", pace),
            labelled("Your chips", chips, "What you sit down with."),
          ),
      group("The game", fields.filter(isFirst)),
      more("More rules of the game", [...fields.filter((each) => !isFirst(each)), ...start]),
      more("Rules of the house", house),
      answer,
      el("div", { class: "row" }, send, el("a", { class: "button", href: "#/" }, "Back")),
    ),
  );
}
