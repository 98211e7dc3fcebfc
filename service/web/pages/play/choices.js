// What an offer leaves open, what was chosen of it, and whether that may be sent.
//
// The service says of each parameter what it may be (common.proto, Limit).  What can be one thing
// only is filled in; the rest is chosen.

import { int, list } from "../core/rpc.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {Record<string, any>} Chosen values by parameter: numbers, words, lists of cards or words */

/** Who an offer is, while its decision lasts. @param {Message} offer */
export function keyOf(offer) {
  return JSON.stringify([
    offer.action,
    ...list(offer.limits).filter((limit) => fixed(limit) !== undefined),
  ]);
}

/** The parameters that have to be chosen. @param {Message} offer @returns {Message[]} */
export function open(offer) {
  return list(offer.limits).filter((limit) => fixed(limit) === undefined);
}

/** What a parameter can only be; undefined: there is a choice. @param {Message} limit @returns {any} */
export function fixed(limit) {
  if (limit.range) {
    const { low, high } = limit.range;
    return int(low) === int(high) ? int(low) : undefined;
  }
  if (limit.words) return list(limit.words.words).length === 1 ? limit.words.words[0] : undefined;
  if (limit.cards) {
    const cards = list(limit.cards.cards);
    if (cards.length !== int(limit.cards.low)) return undefined;
    return limit.field === "card" ? cards[0] : cards;
  }
  if (limit.names) {
    const words = list(limit.names.words);
    const isForced = words.length <= Math.max(int(limit.names.low), list(limit.names.must).length);
    return isForced ? words : undefined;
  }
  const first = groups(limit.groups.first);
  if (first.length <= 1 && !groups(limit.groups.more).length) return first[0] ?? [];
  return undefined;
}

/** What an offer begins with: the least, and of groups of cards as many as go together. @param {Message} offer @returns {Chosen} */
export function beginning(offer) {
  return Object.fromEntries(
    list(offer.limits).map((limit) => [limit.field, fixed(limit) ?? usual(limit)]),
  );
}

/** @param {Message} limit */
function usual(limit) {
  if (limit.range) return int(limit.range.standard ?? limit.range.low);
  if (limit.words) return limit.words.words[0];
  if (limit.cards) return limit.field === "card" ? 0 : [];
  if (limit.names) return list(limit.names.words);
  const first = groups(limit.groups.first);
  const start = first.toSorted((a, b) => a.length - b.length)[0] ?? [];
  if (first.length) return start;
  return groups(limit.groups.more).reduce(
    (taken, group) => (group.some((card) => taken.includes(card)) ? taken : [...taken, ...group]),
    start,
  );
}

/** Groups of cards. @param {Message[] | undefined} lists @returns {number[][]} */
export function groups(lists) {
  return list(lists).map(({ cards }) => list(cards));
}

/** Why what was chosen cannot be sent; empty if it can. @param {Message} offer @param {Chosen} chosen */
export function obstacle(offer, chosen) {
  for (const limit of list(offer.limits)) {
    const why = wrong(limit, chosen[limit.field]);
    if (why) return why;
  }
  for (const { fields, weights, most } of list(offer.together)) {
    const sum = list(fields).reduce(
      (total, field, index) => total + int(weights[index]) * int(chosen[field]),
      0,
    );
    if (sum > int(most)) return `Together that is ${sum}: ${int(most)} at most.`;
  }
  return "";
}

/** @param {Message} limit @param {any} value */
function wrong(limit, value) {
  if (limit.range) {
    const { low, high } = limit.range;
    const isWithin = Number.isInteger(value) && value >= int(low) && value <= int(high);
    return isWithin ? "" : `Say a number from ${int(low)} to ${int(high)}.`;
  }
  if (limit.cards) {
    const count = limit.field === "card" ? Number(value > 0) : value.length;
    const { low, high } = limit.cards;
    if (count >= int(low) && count <= int(high)) return "";
    return int(low) === int(high) ? `Choose ${int(low)}.` : `Choose ${int(low)} to ${int(high)}.`;
  }
  if (limit.names) {
    const isEnough = value.length >= int(limit.names.low);
    return isEnough && list(limit.names.must).every((word) => value.includes(word))
      ? ""
      : "Choose one more.";
  }
  if (limit.groups) return isUnion(limit.groups, value) ? "" : "Choose what to take.";
  return "";
}

/** Whether cards are such a union of groups. @param {Message} limit @param {number[]} cards */
function isUnion(limit, cards) {
  const among = list(limit.among);
  if (cards.length < int(limit.low)) return false;
  if (among.length && !among.some((card) => cards.includes(card))) return false;
  const first = groups(limit.first);
  const starts = first.length ? first : [[]];
  return starts.some(
    (start) =>
      start.every((card) => cards.includes(card)) &&
      covers(
        groups(limit.more),
        cards.filter((card) => !start.includes(card)),
      ),
  );
}

/** Whether groups that share no card make up exactly these. @param {number[][]} more @param {number[]} cards @returns {boolean} */
function covers(more, cards) {
  if (!cards.length) return true;
  return more
    .filter((group) => group.includes(cards[0]) && group.every((card) => cards.includes(card)))
    .some((group) =>
      covers(
        more,
        cards.filter((card) => !group.includes(card)),
      ),
    );
}

/** The action of an offer, as SubmitAction has it. @param {string} family @param {Message} offer @param {Chosen} chosen */
export function action(family, offer, chosen) {
  const fields = Object.fromEntries(
    list(offer.limits)
      .filter(({ field }) => chosen[field] !== undefined && chosen[field] !== "")
      .map(({ field, range }) => [field, range ? String(chosen[field]) : chosen[field]]),
  );
  return { [family]: { [offer.action]: fields } };
}

/**
 * Offers with one card to play each: an offer that leaves the card open becomes several.
 * @param {Message[]} offers
 * @returns {Message[]}
 */
export function byCard(offers) {
  return offers.flatMap((offer) => {
    const limit = list(offer.limits).find(({ field }) => field === "card");
    if (!limit || fixed(limit) !== undefined) return [offer];
    return list(limit.cards.cards).map((card) => ({
      ...offer,
      limits: offer.limits.map((/** @type {Message} */ each) =>
        each === limit ? { ...limit, cards: { ...limit.cards, cards: [card] } } : each,
      ),
    }));
  });
}
