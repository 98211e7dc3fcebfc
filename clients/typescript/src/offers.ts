/**
 * What a seat may do now, and the action made from it.  `state.offers` says everything that would be
 * accepted: what stays within it is never refused, unless the decision is over by then.
 */
import { fromJson, type DescField, type DescMessage, type JsonValue } from "@bufbuild/protobuf";
import type { Limit, Limit_Groups, Offer } from "./gen/kartejo/v1/common_pb.js";
import { ActionSchema, type Action } from "./gen/kartejo/v1/games_pb.js";
import type { TableState } from "./gen/kartejo/v1/table_service_pb.js";

/** What a parameter of an action may hold; a list of one does for what is one. */
export type Value = bigint | number | string | readonly number[] | readonly string[];

/** Whether the running decision is this seat's. */
export function isAsked(state: TableState, seat: number): boolean {
  return state.decision?.seats.includes(seat) ?? false;
}

/** The id of the game that a state is of, such as "palace_poker". */
export function gameOf(state: TableState): string {
  const name = state.view?.view.case ?? "";
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The offers of one action: none, or several such as attacks on different seats. */
export function offersOf(state: TableState, name: string): Offer[] {
  return state.offers.filter((offer) => offer.action === name);
}

/** What each parameter of an offer may be, by its name. */
export function limits(offer: Offer): Map<string, Limit> {
  return new Map(offer.limits.map((limit) => [limit.field, limit]));
}

function field(of: DescMessage, name: string, what: string): DescField {
  const found = of.fields.find((each) => each.name === name);
  if (found) return found;
  const known = of.fields.map((each) => each.name).join(", ") || "none";
  throw new RangeError(`'${name}' is no ${what}; there are ${known}`);
}

function messageField(of: DescMessage, name: string, what: string): DescMessage {
  const found = field(of, name, what);
  if (found.fieldKind !== "message") throw new RangeError(`'${name}' is no ${what}`);
  return found.message;
}

/**
 * An action of a game, or of those that all games share ("common").  Names are those of the
 * contract (`search_pile`), cards are numbers 1 to 52.  Throws `RangeError` for a name that there
 * is not.
 */
export function action(family: string, name: string, values: Record<string, Value> = {}): Action {
  const actions = messageField(ActionSchema, family, "game");
  const does = messageField(actions, name, `action of ${family}`);
  const given: Record<string, JsonValue> = {};
  for (const [parameter, value] of Object.entries(values)) {
    const many = field(does, parameter, `parameter of ${name}`).fieldKind === "list";
    const one = Array.isArray(value) && !many ? (value[0] as number | string) : value;
    given[parameter] = typeof one === "bigint" ? String(one) : (one as JsonValue);
  }
  return fromJson(ActionSchema, { [family]: { [name]: given } });
}

/**
 * One of the offers, every parameter anything that it may be.
 * `avoid`: actions that are not taken where another is on offer; `chance`: from 0 to below 1.
 */
export function randomAction(
  state: TableState,
  avoid: readonly string[] = [],
  chance: () => number = Math.random,
): Action {
  const wanted = state.offers.filter((offer) => !avoid.includes(offer.action));
  const offer = pick(wanted.length ? wanted : state.offers, chance);
  const values: Record<string, Value> = {};
  for (const limit of offer.limits) values[limit.field] = valueOf(limit, chance);
  for (const { fields, weights, most } of offer.together) {
    const sum = (): bigint =>
      fields.reduce((all, name, at) => all + weights[at]! * BigInt(values[name] as bigint), 0n);
    for (const limit of offer.limits) {
      if (fields.includes(limit.field) && limit.kind.case === "range" && sum() > most) {
        values[limit.field] = limit.kind.value.low;
      }
    }
  }
  return action(gameOf(state), offer.action, values);
}

function valueOf({ kind }: Limit, chance: () => number): Value {
  switch (kind.case) {
    case "range": {
      const { low, high } = kind.value;
      const value = low + BigInt(below(Number(high - low) + 1, chance));
      return value > high ? high : value; // beyond 2 ** 53 a number is rounded
    }
    case "words":
      return pick(kind.value.words, chance);
    case "names": {
      const { words, must, low } = kind.value;
      const free = words.filter((word) => !must.includes(word));
      return [...must, ...some(free, Math.max(0, low - must.length), free.length, chance)];
    }
    case "cards":
      return some(kind.value.cards, kind.value.low, kind.value.high, chance);
    case "groups":
      return union(kind.value, chance);
    default:
      throw new RangeError("the service is newer than this client: update @kartejo/client");
  }
}

/** Cards of groups that share none: as many groups as need be, and then some by chance. */
function union({ first, more, low, among }: Limit_Groups, chance: () => number): number[] {
  const starts = first.length ? first.map((group) => group.cards) : [[]];
  const groups = more.map((group) => group.cards);
  const apart = (one: number[], other: number[]): boolean => !one.some((c) => other.includes(c));
  const pairs = starts.flatMap((start) =>
    groups.filter((group) => apart(start, group)).map((group) => [...start, ...group]),
  );
  const enough = [...starts, ...pairs].filter(
    (cards) => cards.length >= low && (!among.length || !apart(cards, among)),
  );
  let chosen = pick(enough, chance);
  for (const group of some(groups, groups.length, groups.length, chance)) {
    if (apart(chosen, group) && chance() < 0.5) chosen = [...chosen, ...group];
  }
  return chosen;
}

function below(count: number, chance: () => number): number {
  return Math.floor(chance() * count);
}

function pick<T>(from: readonly T[], chance: () => number): T {
  const found = from[below(from.length, chance)];
  if (found === undefined) throw new RangeError("nothing is on offer");
  return found;
}

/** From low to high of these, in any order. */
function some<T>(from: readonly T[], low: number, high: number, chance: () => number): T[] {
  const left = [...from];
  const count = low + below(high - low + 1, chance);
  return Array.from({ length: count }, () => left.splice(below(left.length, chance), 1)[0]!);
}
