// A deal of Pontoon.

import { rankOf } from "../cards.js";
import { int, list } from "../rpc.js";
import { amount, counted, listed } from "../words.js";

/** @typedef {import("../words.js").Teller} Teller */

const PAUSES = /** @type {Record<string, string>} */ ({
  NOT_ENOUGH_PLAYERS: "too few players are here",
  NO_ELIGIBLE_BANKER: "nobody can hold the bank",
});
const PASSINGS = /** @type {Record<string, string>} */ ({
  PONTOON: "by a pontoon",
  SALE: "by the sale",
  AUCTION: "by the auction",
  VACATED: "free of charge",
});
const VOIDS = /** @type {Record<string, string>} */ ({
  BANK_PASSED_BY_PONTOON: "a pontoon takes the bank",
  BUYER_NOT_ELIGIBLE: "the buyer cannot hold the bank",
  TABLE_CLOSED: "the table closes",
});

/** The word of an enum's value. @param {string | undefined} value @param {string} prefix */
const word = (value, prefix) => String(value ?? "").replace(`PONTOON_${prefix}_`, "");

/** Both totals of shown cards; empty if one is hidden. @param {number[]} cards @returns {number[]} */
export function totals(cards) {
  if (!cards.length || cards.includes(0)) return [];
  const counts = cards.map((card) => (rankOf(card) === 12 ? 1 : Math.min(rankOf(card) + 2, 10)));
  const low = counts.reduce((sum, count) => sum + count, 0);
  return counts.includes(1) && low + 10 <= 21 ? [low, low + 10] : [low];
}

/** @param {Teller} t @param {any} x */
function settled(t, x) {
  const isWon = word(x.outcome, "OUTCOME") === "WON";
  const verb = isWon ? t.does(x.seat, "win") : t.does(x.seat, "lose");
  const double = x.multiplier === 2 ? ", double" : "";
  return t.line(verb, ` ${counted(Math.abs(int(x.net)), "chip")}${double}.`);
}

/** @type {Record<string, import("../words.js").Tell>} */
export const pontoon = {
  deckShuffled: (t, x) =>
    t.line(x.purpose === "DEAL" ? "The pack is shuffled." : "The pack is shuffled to cut for the bank."),
  satOut: (t, x) => t.line(t.does(x.seat, "sit"), x.when === "DEAL_END" ? " out after this deal." : " out."),
  dealStarted: (t, x) => {
    const against = listed(list(x.punters).map((seat) => t.whom(seat)));
    return t.heading(`Deal ${x.deal}: ${t.does(x.banker, "deal")} to ${against}`);
  },
  cardDealt: (t, x) => (x.card ? t.line(t.does(x.to, "get"), " ", [x.card], ".") : null),
  betPlaced: (t, x) => t.line(t.does(x.seat, "bet"), ` ${amount(x.amount)}.`),
  bankerHandSeen: (t, x) =>
    list(x.cards).includes(0) ? null : t.line(t.does(x.seat, "look"), " at ", list(x.cards), "."),
  bankerPontoonRevealed: (t, x) =>
    t.line("The bank shows ", list(x.cards), ": a pontoon, everybody pays double."),
  pontoonDeclared: (t, x) => t.line(t.does(x.seat, "declare"), " a pontoon with ", [x.ace], "."),
  handSplit: (t, x) =>
    t.line(t.does(x.seat, "split"), " ", list(x.cards), `, ${counted(x.stake, "chip")} on each hand.`),
  cardBought: (t, x) =>
    x.card
      ? t.line(t.does(x.seat, "buy"), " ", [x.card], ` for ${amount(x.amount)}.`)
      : t.line(t.does(x.seat, "buy"), ` a card for ${amount(x.amount)}.`),
  cardTwisted: (t, x) => t.line(t.does(x.seat, "twist"), " ", [x.card], "."),
  handStuck: (t, x) => t.line(t.does(x.seat, "stick"), "."),
  fiveCardTrickMade: (t, x) => t.line(t.does(x.seat, "have", "has"), " a five-card trick."),
  handBusted: (t, x) => t.line(t.does(x.seat, "are", "is"), " bust with ", list(x.cards), "."),
  stakeCollected: (t, x) => t.line(`The bank takes ${counted(x.amount, "chip")}.`),
  cardsReturned: () => null,
  bankerHandRevealed: (t, x) =>
    t.line("The bank shows ", list(x.cards), `: ${totals(list(x.cards)).join(" or ")}.`),
  bankerCardDrawn: (t, x) => t.line("The bank draws ", [x.card], "."),
  bankerStayed: (t, x) =>
    t.line(
      x.paying === undefined
        ? "The bank stays on 21 and pays pontoons and five-card tricks only."
        : `The bank stays on ${x.total} and pays ${x.paying}.`,
    ),
  bankerBusted: (t) => t.line("The bank is bust."),
  bankerFiveCardTrickMade: (t) => t.line("The bank has a five-card trick."),
  handRevealed: (t, x) =>
    t.line(t.does(x.seat, "show"), " ", list(x.cards), `: ${totals(list(x.cards)).at(-1)}.`),
  handSettled: settled,
  bankFellShort: (t, x) =>
    t.line(`The bank has no more: ${amount(x.paid)} of ${amount(x.owed)} are paid to ${t.whom(x.seat)}.`),
  dealEnded: (t) => t.line("The deal is over."),
  tableResumed: (t) => t.line("Play goes on."),
  tablePaused: (t, x) => t.line(`Play pauses: ${PAUSES[word(x.reason, "PAUSE")] ?? "the host is waited for"}.`),
  bankCardCut: (t, x) => t.line(t.does(x.seat, "cut"), " ", [x.card], " for the bank."),
  bankerChosen: (t, x) => t.line(t.does(x.seat, "hold"), " the bank."),
  bankPassed: (t, x) =>
    t.line(`The bank goes to ${t.whom(x.to)} ${PASSINGS[word(x.reason, "PASSING")] ?? ""}.`),
  bankVacated: (t, x) => t.line(t.does(x.from, "give", "gives"), " up the bank; nobody holds it."),
  bankOfferMade: (t, x) =>
    t.line(t.does(x.from, "offer"), ` ${t.whom(x.to)} a trade of the bank for ${amount(x.price)}.`),
  bankOfferWithdrawn: (t, x) => t.line(`Offer ${x.offerId} is withdrawn.`),
  bankOfferDeclined: (t, x) => t.line(`Offer ${x.offerId} is declined.`),
  bankOfferLapsed: (t, x) => t.line(`Offer ${x.offerId} lapses.`),
  bankSaleAgreed: (t, x) =>
    t.line(t.does(x.buyer, "agree"), ` to pay ${t.whom(x.seller)} ${amount(x.price)} for the bank.`),
  bankSold: (t, x) => t.line(t.does(x.seller, "get"), ` ${amount(x.price)} for the bank.`),
  bankSaleVoided: (t, x) =>
    t.line(`The sale is void, ${VOIDS[word(x.reason, "VOID")]}: ${t.whom(x.buyer)} gets ${amount(x.refund)} back.`),
  kittyFormed: (t, x) => t.line(t.does(x.seat, "put"), ` ${amount(x.amount)} into the kitty.`),
  kittyToppedUp: (t, x) => t.line(t.does(x.seat, "add"), ` ${amount(x.amount)} to the kitty: ${amount(x.kitty)}.`),
  kittyReturned: (t, x) => t.line(t.does(x.seat, "take"), ` the kitty of ${counted(x.amount, "chip")} home.`),
  shootBetPlaced: (t, x) => t.line(t.does(x.seat, "shoot"), ` ${amount(x.amount)}.`),
  shootBetPassed: (t, x) =>
    t.line(t.does(x.seat, "do", "does"), x.auto ? " not shoot: nothing is left." : " not shoot."),
  shootBetForfeited: (t, x) =>
    t.line(`The kitty takes the ${amount(x.amount)} that ${t.whom(x.seat)} shot: ${amount(x.kitty)}.`),
  shootBetSettled: (t, x) =>
    int(x.net) > 0
      ? t.line(t.does(x.seat, "get"), ` ${amount(x.net)} from the kitty.`)
      : t.line(t.does(x.seat, "lose"), ` ${amount(-int(x.net))} to the kitty.`),
  auctionOpened: (t, x) => {
    const bidders = listed(list(x.order).map((seat) => t.whom(seat)));
    return t.line(`The bank is auctioned: ${bidders || "nobody"} may bid.`);
  },
  auctionBidPlaced: (t, x) => t.line(t.does(x.seat, "bid"), ` ${amount(x.amount)} for the bank.`),
  auctionPassed: (t, x) => t.line(t.does(x.seat, "bid"), " no more."),
  auctionClosed: (t, x) =>
    x.to === undefined
      ? t.line("The auction is over: nobody bid.")
      : t.line(t.does(x.to, "buy"), ` the bank for ${amount(x.price)}.`),
};
