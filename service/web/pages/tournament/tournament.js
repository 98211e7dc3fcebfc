// The page of a tournament.

import { el, fill, render } from "../core/dom.js";
import { games, titleOf } from "../lobby/games.js";
import { go } from "../core/router.js";
import { placeAt } from "../play/way.js";
import { words } from "../core/words.js";
import { Deeds } from "./deeds.js";
import { Following } from "./following.js";
import { PHASES, short } from "./news.js";
import { facts, levels, news, prizes, standings, tables } from "./parts.js";

const TICK_MS = 1_000;

/** @param {import("../core/router.js").Place} place */
export async function tournamentPage({ main, params, signal }) {
  fill(main, el("p", { class: "note", role: "status" }, "Fetching the tournament…"));
  const page = el("div", { class: "tournament" });
  const following = new Following(params.id, () => show(), signal);
  const deeds = new Deeds(following, () => show());
  const [all] = await Promise.all([games(), following.begin()]);
  if (signal.aborted) return;
  const { structure } = following.tournament;
  const title = structure.name || "Tournament";
  let waited = false;
  const show = () => {
    if (signal.aborted) return;
    const { mine } = following;
    // Who waited for a seat is led to it.
    if (waited && mine?.tableId) {
      go(placeAt(mine.tableId, params.id));
      return;
    }
    waited ||= ["WAITING", "ENTERED"].includes(short(mine?.status));
    const standing = following.state.paused ? "paused" : PHASES[short(following.state.phase)];
    render(page,
      el("header", { class: "spread", key: "head" },
        el("div", {},
          el("h1", {}, title),
          el("p", { class: "note" }, `${titleOf(all, structure.game)} · ${words(structure.format)} `,
            el("span", { class: "tag" }, standing))),
        el("div", { class: "row" }, ...deeds.buttons())),
      deeds.answer(),
      facts(following),
      el("div", { class: "halves", key: "halves" },
        el("div", { class: "pieces" }, standings(following, more), tables(following)),
        el("div", { class: "pieces" }, news(following), prizes(following), levels(following))));
  };
  const more = async () => {
    following.wanted += 150;
    await following.fetchStandings();
    show();
  };
  document.title = `${title} · Kartejo`;
  fill(main, page);
  show();
  const tick = setInterval(() => { if (following.left() !== null) show(); }, TICK_MS);
  signal.addEventListener("abort", () => clearInterval(tick));
  await following.goOn();
}
