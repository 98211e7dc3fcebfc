// A hand in the notation of hand scripts: what was done, what it made, what stands otherwise after it.
//
// A viewer knows what an action made, not always what was asked: a script that plays comes from
// `kartejo export --format script`.

import { int, list } from "../core/rpc.js";
import { cardText } from "../core/cards.js";
import { ENUMS, MESSAGES, NOTATIONS, PRIVATE, WORDS } from "../verify/schema.js";

const CATEGORIES = [
  "HIGH_CARD", "PAIR", "TWO_PAIR", "THREE_OF_A_KIND", "STRAIGHT", "FLUSH", "FULL_HOUSE",
  "FOUR_OF_A_KIND", "STRAIGHT_FLUSH",
];

/** @typedef {Record<string, any>} Message */
/** @typedef {{kind: "note" | "given" | "action" | "event" | "fact", text: string}} Line */

/** What a script says before the first step. @param {import("./steps.js").Hand} hand @returns {Line[]} */
export function heading({ table, hand, eyes, told, before }) {
  const options = list(told.options).map(({ name, value }) => `${name}=${value}`);
  return [
    { kind: "note", text: `# hand ${hand} of table ${table}, seen as ${eyes}` },
    { kind: "given", text: `game: ${told.game}` },
    ...(options.length ? [given(`opts: ${options.join(" ")}`)] : []),
    ...linesOf(before).map((line) => given(`given: ${line}`)),
  ];
}

/** @param {string} text @returns {Line} */
const given = (text) => ({ kind: "given", text });

/**
 * One step: the action, its events, and the lines of the position that are new.
 * @param {Message} before  the state before it
 * @param {Message} step
 * @returns {Line[]}
 */
export function block(before, step) {
  const seat = int(step.seat);
  const known = new Set(linesOf(before));
  return [
    { kind: "action", text: `${seat < 0 ? "host" : seat}: ${step.action || "# acts"}` },
    ...list(step.events).map(({ event }) => ({ kind: /** @type {const} */ ("event"), text: `> ${eventText(event)}` })),
    ...linesOf(step.state).filter((line) => !known.has(line))
      .map((line) => ({ kind: /** @type {const} */ ("fact"), text: `= ${line}` })),
  ];
}

/** The facts of a position, one a line. @param {Message | undefined} state @returns {string[]} */
const linesOf = (state) => (state?.text ?? "").split("\n").filter(Boolean);

/** An event: "CardDealt to=0 card=Qd". @param {Message} event as TableEvent.event has it */
export function eventText(event) {
  const [family, within] = Object.entries(event)[0] ?? ["", {}];
  const of = within["@type"] ? "" : MESSAGES.Event.find(([, name]) => camel(name) === family)?.[2];
  const [word, fields] = Object.entries(within)[0] ?? ["", {}];
  const field = of && MESSAGES[of.slice(1)].find(([, name]) => camel(name) === word);
  if (!field) return family;
  const kind = field[2].replace("?", "");
  if (family === "house") return /** @type {string} */ (kind.split(".").at(-1)); // beside the game
  const values = MESSAGES[kind].flatMap(([, name, type]) => {
    const value = fields[camel(name)];
    if (type === "[]OptionValue") return list(value).map((each) => `${each.name}=${each.value ?? ""}`);
    const isHidden = PRIVATE[kind]?.includes(name) && value !== undefined && !int(value);
    return [`${name}=${isHidden ? "??" : valueText(type, value)}`];
  });
  return [kind.split(".").at(-1), ...values].join(" ");
}

/** @param {string} type @param {any} value @returns {string} */
function valueText(type, value) {
  if (type === "[]value") return worthText(list(value));
  if (type.startsWith("[]")) {
    const items = list(value).map((/** @type {any} */ each) => valueText(type.slice(2), each));
    return items.join(items[0]?.startsWith("[") ? "" : ",") || "-";
  }
  const bare = type.replace("?", "");
  if (value === undefined && type !== bare) return "none";
  if (bare === "uint32") return cardText(value ?? 0);
  if (bare === "bool") return String(value ?? false);
  if (bare === "string" || bare === "bytes") return value || "-";
  if (bare.startsWith("enum ")) return wordText(bare.slice(5), value);
  if (!(bare in MESSAGES)) return String(value ?? 0);
  if (bare in NOTATIONS) return recordText(bare, value);
  const inner = MESSAGES[bare].map(([, name, each]) => valueText(each, value[camel(name)]));
  return bare === "CardList" ? `[${inner.join().replaceAll(",", " ")}]` : inner.join(":");
}

/** What a hand is worth: its category, and the ranks that decide. @param {number[]} value */
function worthText([category, ...ranks]) {
  if (!ranks.some(Boolean)) return ["??", ...ranks.map(() => "??")].join();
  return [CATEGORIES[category], ...ranks].join();
}

/** @param {string} kind @param {Message} record */
function recordText(kind, record) {
  const types = new Map(MESSAGES[kind].map(([, name, type]) => [name, type]));
  const text = NOTATIONS[kind].replace(/\{(\w+)\}/g, (_, name) => {
    const type = types.get(name) ?? "", value = record[camel(name)];
    if (value === undefined && type.includes("?")) return "-"; // within a record nothing is a dash
    return valueText(type, value).replaceAll(",", " ");
  });
  return `[${text.trimEnd()}]`;
}

/** A word as scripts have it. @param {string} name of its enum @param {string | undefined} value */
function wordText(name, value) {
  const [nothing] = Object.values(ENUMS[name]);
  if (value === undefined || value === nothing) return "-";
  return WORDS[value] ?? value.replace(nothing.replace(/UNSPECIFIED$/, ""), "");
}

/** As JSON writes the names of fields. @param {string} name */
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The cards that an event shows. @param {Message} event @returns {number[]} */
export function cardsOf(event) {
  const [family, within] = Object.entries(event)[0] ?? ["", {}];
  const of = MESSAGES.Event.find(([, name]) => camel(name) === family)?.[2].slice(1);
  return of && !within["@type"] ? cardsIn(of, within) : [];
}

/** @param {string} kind @param {Message} message @returns {number[]} */
function cardsIn(kind, message) {
  return MESSAGES[kind].flatMap(([, name, type]) => {
    const value = message[camel(name)];
    const bare = type.replace(/^(\?|\[\])/, "");
    if (value === undefined) return [];
    if (bare === "uint32") return [value].flat().filter((card) => card > 0);
    return bare in MESSAGES ? [value].flat().flatMap((each) => cardsIn(bare, each)) : [];
  });
}
