// A hand of Palace Poker.

import { int, list } from "../rpc.js";
import { amount, listed, ordinal } from "../words.js";

/** @typedef {import("../words.js").Teller} Teller */

const RANKS = "two three four five six seven eight nine ten jack queen king ace".split(" ");

const SHUFFLES = /** @type {Record<string, string>} */ ({
  DEALER_DRAW: "The pack is shuffled to draw for the deal.",
  BANNER: "The pack is shuffled for the banners.",
  BANNER_RESHUFFLE: "The rejected banners are shuffled again.",
  PALACE: "The cards are shuffled for the palaces.",
  DRAW_RESHUFFLE: "The discards are shuffled and become the draw pile.",
});

const ENDS = /** @type {Record<string, string>} */ ({
  LAST_STANDING: "one player is left",
  SAME_SUIT_SHARE: "all who are left have the same banner suit",
  SPLIT_FINAL_TIE: "a total tie of the last two",
  SHOWDOWN: "a showdown",
});

/** @param {number} rank 2 to 14 */
const one = (rank) => RANKS[rank - 2];
/** @param {number} rank 2 to 14 */
const many = (rank) => (rank === 6 ? "sixes" : `${one(rank)}s`);

/** A hand's value as people say it; empty where it is hidden. @param {number[]} value */
export function valueTold([category, first, second]) {
  if (!first) return "";
  switch (category) {
    case 0:
      return `${one(first)} high`;
    case 1:
      return `a pair of ${many(first)}`;
    case 2:
      return `two pair, ${many(first)} and ${many(second)}`;
    case 3:
      return `three ${many(first)}`;
    case 4:
      return `a straight to the ${one(first)}`;
    case 5:
      return `a flush, ${one(first)} high`;
    case 6:
      return `a full house, ${many(first)} over ${many(second)}`;
    case 7:
      return `four ${many(first)}`;
    default:
      return first === 14 ? "a royal flush" : `a straight flush to the ${one(first)}`;
  }
}

/** @param {boolean | undefined} auto */
const byHouse = (auto) => (auto ? " (the house acted)" : "");
/** @param {boolean | undefined} short */
const all = (short) => (short ? ", all there was" : "");

/** @param {Teller} t @param {unknown} seat @param {number[]} value @param {boolean} isFirst */
function has(t, seat, value, isFirst) {
  const name = isFirst ? t.name(seat) : t.whom(seat);
  return `${name} ${int(seat) === t.me ? "have" : "has"} ${valueTold(value)}`;
}

/** @param {Teller} t @param {any} x */
function resolved(t, x) {
  const known = [
    [x.attacker, list(x.attackerValue)],
    [x.defender, list(x.defenderValue)],
  ].filter(([, value]) => valueTold(value));
  const sides = known.map(([seat, value], index) => has(t, seat, value, index === 0));
  const told = sides.length ? `${listed(sides)}. ` : "";
  if (x.winner === undefined) return t.line(`${told}A total tie: both are out.`);
  const by = String(x.decidedBy).endsWith("OWN_SUIT_COUNT") ? " by more cards of the own suit" : "";
  return t.line(`${told}${t.does(x.winner, "win")} the battle${by}.`);
}

/** @param {Teller} t @param {any} x */
function revealed(t, x) {
  const seats = list(x.to);
  const to = seats[0] === "all" ? "everybody" : listed(seats.map((seat) => t.whom(seat)));
  const cards = list(x.cards);
  if (cards.includes(0)) return t.line(t.does(x.owner, "show"), ` ${to} the palace.`);
  return t.line(t.does(x.owner, "show"), ` ${to} `, cards, ".");
}

/** @type {Record<string, import("../words.js").Tell>} */
export const palacePoker = {
  deckShuffled: (t, x) => t.line(SHUFFLES[x.purpose] ?? "The cards are shuffled."),
  handStarted: (t, x) =>
    t.heading(`Hand ${x.hand}: ${listed(list(x.seats).map(({ seat }) => t.name(seat)))}`),
  dealerCardDrawn: (t, x) => t.line(t.does(x.seat, "draw"), " ", [x.card], " for the deal."),
  dealerChosen: (t, x) => t.line(t.does(x.seat, "deal"), "."),
  antePosted: (t, x) =>
    int(x.amount) || x.short
      ? t.line(t.does(x.seat, "pay"), ` an ante of ${amount(x.amount)}${all(x.short)}.`)
      : null,
  bannerRejected: (t, x) => t.line([x.card], ` is no banner for ${t.whom(x.seat)}: the suit is taken.`),
  bannerDealt: (t, x) =>
    t.line(int(x.seat) === t.me ? "Your banner" : `The banner of ${t.name(x.seat)}`, " is ", [x.card], "."),
  palaceCardDealt: (t, x) => (x.card ? t.line([x.card], " goes to your palace.") : null),
  turnStarted: (t, x) => (x.forced ? t.line(t.does(x.seat, "have", "has"), " to bet or to fold.") : null),
  stayed: (t, x) => t.line(t.does(x.seat, "stay"), `.${byHouse(x.auto)}`),
  folded: (t, x) => t.line(t.does(x.seat, "fold"), `.${byHouse(x.auto)}`),
  soldierBought: (t, x) => t.line(t.does(x.seat, "buy"), " ", [x.card], ` for ${amount(x.paid)}.`),
  soldiersDiscarded: (t, x) => t.line(t.does(x.seat, "discard"), " ", list(x.cards), "."),
  musterCompleted: (t, x) =>
    list(x.soldiers).length
      ? t.line(t.does(x.seat, "keep"), " ", list(x.soldiers), `.${byHouse(x.auto)}`)
      : x.auto ? t.line(t.does(x.seat, "keep"), " no soldiers. (the house acted)") : null,
  battleDeclared: (t, x) => {
    const extra = int(x.excess) ? `, ${amount(x.excess)} beyond the price` : "";
    const told = ` ${t.whom(x.defender)} for ${amount(x.paid)}${extra}${all(x.short)};`;
    return t.line(t.does(x.attacker, "attack"), `${told} ${amount(x.toCall)} to call.`);
  },
  battleCalled: (t, x) =>
    t.line(t.does(x.seat, "call"), ` with ${amount(x.paid)}${all(x.short)}.${byHouse(x.auto)}`),
  battleRaised: (t, x) =>
    t.line(
      t.does(x.seat, "call"),
      ` ${amount(x.called)} and ${int(x.seat) === t.me ? "raise" : "raises"} by ${amount(x.raised)}.`,
    ),
  battleFolded: (t, x) => t.line(t.does(x.seat, "give", "gives"), ` up the battle.${byHouse(x.auto)}`),
  uncalledReturned: (t, x) => t.line(t.does(x.seat, "get"), ` back ${amount(x.amount)} that nobody called.`),
  palaceRevealed: revealed,
  battleResolved: resolved,
  playerEliminated: (t, x) =>
    t.line(t.does(x.seat, "are", "is"), ` out of the hand, ${ordinal(int(x.exit))} to go.`),
  cardsCaptured: (t, x) => t.line(t.does(x.winner, "capture"), " ", list(x.cards), ` from ${t.whom(x.loser)}.`),
  handShown: (t, x) => t.line(t.does(x.seat, "show"), " ", list(x.palace), `: ${valueTold(list(x.value))}.`),
  potAwarded: (t, x) => {
    const shares = list(x.shares).map(({ seat, chips }) => `${t.whom(seat)} ${amount(chips)}`);
    const layer = x.cap === undefined ? "The pot" : `The layer up to ${amount(x.cap)}`;
    return t.line(`${layer}, ${amount(x.amount)}, goes to: ${listed(shares)}.`);
  },
  handEnded: (t, x) => {
    const end = String(x.end).replace("PALACE_POKER_END_", "");
    return t.line(`The hand is over: ${ENDS[end] ?? "its cards are counted"}.`);
  },
};
