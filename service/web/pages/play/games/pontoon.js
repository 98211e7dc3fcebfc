// Pontoon: the bank above, the punters below it in turn order, each hand with its total and stake.

import { cardRow, pile } from "../../core/cards.js";
import { chipStack } from "../../core/chips.js";
import { el } from "../../core/dom.js";
import { int, list } from "../../core/rpc.js";
import { amount, title } from "../../core/words.js";
import { totals } from "../../core/words/pontoon.js";
import { clockwise, has, occupied, seatBox, word } from "../seats.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {import("../seats.js").Scene} Scene */

export const family = "pontoon";

/** @param {Scene} scene */
export function draw(scene) {
  const { view } = scene;
  const banker = view.banker === undefined ? null : int(view.banker);
  const others = clockwise(occupied(view), banker).filter((seat) => seat !== banker);
  return el(
    "div",
    { class: "felt rows" },
    el(
      "div",
      { class: "bank", key: "bank" },
      banker === null ? null : bank(scene, banker),
      el(
        "div",
        { class: "piles" },
        pile(list(view.stock).length, "Pack"),
        int(view.kitty)
          ? el("p", { class: "pot" }, "Kitty ", chipStack(view.kitty))
          : null,
      ),
      ...trade(scene),
    ),
    el("div", { class: "punters", key: "punters" }, ...others.map((seat) => punter(scene, seat))),
  );
}

/** @param {Scene} scene @param {number} seat */
function bank(scene, seat) {
  const cards = list(scene.view.bankHand);
  return seatBox(
    scene,
    seat,
    { tags: ["bank", ...absence(scene.view, seat)], chips: list(scene.view.stacks)[seat] },
    cards.length ? hand(cards, "The bank's cards") : null,
  );
}

/** @param {Scene} scene @param {number} seat */
function punter(scene, seat) {
  const { view } = scene;
  const hands = list(view.hands).flatMap((each, index) =>
    int(each.seat) === seat ? [{ ...each, cards: list(list(view.cards)[index]?.cards) }] : [],
  );
  const bids = word(view.phase, "PONTOON_PHASE") === "AUCTION" && has(view.bidders, seat);
  const isFaded = list(view.punters).length > 0 && !has(view.punters, seat);
  return seatBox(
    scene,
    seat,
    {
      tags: [...absence(view, seat), bids && "bids", isFaded && "not dealt in"],
      chips: list(view.stacks)[seat],
      faded: isFaded,
    },
    ...hands.map((each) =>
      el(
        "div",
        { class: "dealt", key: `hand${each.number}` },
        each.bust
          ? el("p", { class: "bust" }, "Bust")
          : hand(each.cards, hands.length > 1 ? `Hand ${each.number}` : "Cards"),
        int(each.stake) ? chipStack(each.stake, "stake") : null,
        el("p", { class: "stake" }, notes(each)),
      ),
    ),
  );
}

/** @param {Message} each */
function notes(each) {
  return [
    int(each.shoot) ? `shoots ${amount(each.shoot)}` : "",
    each.closed ? closedTold(each.cards) : each.cards.length === 5 ? "five-card trick" : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** What closed a hand, as far as its cards tell. @param {number[]} cards */
function closedTold(cards) {
  return cards.length === 2 && totals(cards).at(-1) === 21 ? "pontoon" : "no more cards";
}

/** @param {number[]} cards @param {string} label */
function hand(cards, label) {
  const told = totals(cards).join(" or ");
  return el(
    "div",
    { class: "hand" },
    cardRow(cards, { class: "fan", label }),
    told ? el("strong", { class: "total" }, told) : null,
  );
}

/** @param {Message} view @param {number} seat */
function absence(view, seat) {
  if (has(view.leaving, seat)) return ["leaving"];
  if (has(view.out, seat)) return ["sits out"];
  return has(view.outNext, seat) ? ["sits out after this deal"] : [];
}

/** Offers for the bank, an agreed sale, the highest bid. @param {Scene} scene */
function trade({ view, me, name }) {
  const who = (/** @type {unknown} */ seat) => (int(seat) === me ? "You" : name(int(seat)));
  const told = list(view.offers).map((offer) =>
    int(offer.from) === int(view.banker)
      ? `${who(offer.from)}: the bank to ${who(offer.to)} for ${amount(offer.price)}?`
      : `${who(offer.from)}: ${amount(offer.price)} for the bank?`,
  );
  if (view.sale)
    told.push(`Sold after this deal: ${who(view.sale.buyer)} pays ${amount(view.sale.price)}.`);
  if (view.bid) told.push(`Highest bid: ${amount(view.bid.amount)}, ${who(view.bid.seat)}.`);
  return told.map((text) => el("p", { class: "battle" }, text));
}

const DOES = /** @type {Record<string, string>} */ ({
  BETWEEN_DEALS: "to deal",
  BETTING: "to bet",
  SHOOT_BETTING: "to shoot or to pass",
  PLAYER_TURNS: "to play",
  BANKER_TURN: "to play for the bank",
  AUCTION: "to bid for the bank",
});

/** @param {Scene} scene */
export function standing({ view, me, name }) {
  const deal = int(view.deal) ? `Deal ${int(view.deal)}` : "";
  const phase = word(view.phase, "PONTOON_PHASE");
  if (phase === "CLOSED") return ["The table is closed", deal];
  if (phase === "WAITING" || view.turn === undefined) return ["A banker is to be found", deal];
  const turn = int(view.turn);
  return [`${turn === me ? "You are" : `${name(turn)} is`} ${DOES[phase] ?? "to act"}`, deal];
}

const TOLD = /** @type {Record<string, import("../offers.js").Told>} */ ({
  start_deal: { label: "Deal", hint: "a card to everybody", first: true },
  place_bet: { label: "Bet", hint: "your stake", first: true },
  declare_pontoon: { label: "Declare pontoon", hint: "an ace and a ten: you must", first: true },
  split_hand: { label: "Split", hint: "two hands, the same stake on the new one" },
  buy_card: { label: "Buy a card", hint: "face down, its price joins your stake" },
  twist_card: { label: "Twist", hint: "a card face up; no buying after it" },
  stick: { label: "Stick", hint: "no more cards" },
  banker_draw: { label: "Draw", hint: "a card for the bank" },
  banker_stay: { label: "Stay", hint: "no more cards: the hands are settled", first: true },
  resign_bank: { label: "Resign the bank", hint: "for nothing" },
  form_kitty: { label: "Form a kitty", hint: "chips that punters may shoot for" },
  add_to_kitty: { label: "Add to the kitty", hint: "more to shoot for" },
  place_shoot_bet: { label: "Shoot", hint: "a bet against the kitty" },
  pass_shoot_bet: { label: "Do not shoot", first: true },
  auction_bank: { label: "Auction the bank", hint: "to the highest bidder" },
  bid_for_bank: { label: "Bid", hint: "who bids most buys the bank" },
  pass_bank_bid: { label: "Bid no more", first: true },
  offer_bank_sale: { label: "Offer the bank" },
  offer_bank_purchase: { label: "Offer to buy the bank" },
  withdraw_bank_offer: { label: "Withdraw the offer" },
  accept_bank_offer: { label: "Accept" },
  decline_bank_offer: { label: "Decline" },
});

/** @param {Message} offer @returns {import("../offers.js").Told} */
export function tell(offer) {
  return TOLD[offer.action] ?? { label: title(offer.action) };
}

/** @param {Scene} scene */
export function startLabel({ view }) {
  return view.banker === undefined ? "Find a banker" : "Go on";
}

/**
 * What may be done at any time, beside one's turn: trading the bank.
 * @param {Scene} scene
 * @returns {Message[]} as offers
 */
export function asides({ view, me, table }) {
  const isOff = list(table.options).some(
    ({ name, value }) => name === "bank_sale" && value === "off",
  );
  if (me === null || view.banker === undefined || isOff) return [];
  const banker = int(view.banker);
  const price = {
    field: "price",
    range: { low: 1, high: Math.max(1, int(list(view.stacks)[me])) },
  };
  const found = list(view.offers).flatMap((offer) => {
    const limits = [{ field: "offer_id", range: { low: offer.offerId, high: offer.offerId } }];
    if (int(offer.from) === me) return [{ action: "withdraw_bank_offer", limits }];
    return int(offer.to) === me
      ? [
          { action: "accept_bank_offer", limits },
          { action: "decline_bank_offer", limits },
        ]
      : [];
  });
  if (me !== banker) return [...found, { action: "offer_bank_purchase", limits: [price] }];
  const sales = occupied(view)
    .filter((seat) => seat !== me)
    .map((seat) => ({
      action: "offer_bank_sale",
      limits: [
        { field: "to", range: { low: seat, high: seat } },
        { field: "price", range: { low: 1, high: Math.max(1, int(list(view.stacks)[seat])) } },
      ],
    }));
  return [...found, ...sales];
}
