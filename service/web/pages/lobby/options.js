// Fields for options: of games, of the house, of formats of tournaments, as their catalogues explain them.

import { el, labelled } from "../core/dom.js";
import { int, list } from "../core/rpc.js";
import { title, words } from "../core/words.js";

/** @typedef {Record<string, any>} Message */

const FAR = 1e15;

/** @typedef {{spec: Message, shown: HTMLElement, value: () => string}} Field */

/** @param {string} legend @param {Field[]} fields */
export function group(legend, fields) {
  if (!fields.length) return null;
  return el(
    "fieldset",
    { class: "sheet options" },
    el("legend", {}, legend),
    ...fields.map((each) => each.shown),
  );
}

/** @param {string} summary @param {Field[]} fields */
export function more(summary, fields) {
  if (!fields.length) return null;
  return el(
    "details",
    { class: "sheet" },
    el("summary", {}, summary),
    el("div", { class: "options" }, ...fields.map((each) => each.shown)),
  );
}

/** The options that were given another value than they have by themselves. @param {Field[]} fields */
export function chosen(fields) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const { spec, value } of fields) {
    const given = value();
    if (given !== "" && given !== (spec.defaultValue ?? "")) found[spec.name] = given;
  }
  return found;
}

/** @param {string} type @param {Record<string, any>} props */
export function field(type, props) {
  return /** @type {HTMLInputElement} */ (el("input", { type, ...props }));
}

/**
 * A field for an option, of its kind, with what it means.
 * @param {Message} spec
 * @param {string} [value] instead of the default
 * @returns {Field}
 */
export function optionField(spec, value = spec.defaultValue ?? "") {
  const meaning = spec.meaning.charAt(0).toUpperCase() + spec.meaning.slice(1);
  const label = title(spec.name);
  switch (spec.kind) {
    case "bool": {
      const box = field("checkbox", { checked: value === "true" });
      const hint = el("small", { id: `${spec.name}-meaning` }, `${meaning}.`);
      box.setAttribute("aria-describedby", hint.id);
      const shown = el("div", { class: "field" }, el("label", { class: "row" }, box, label), hint);
      return { spec, shown, value: () => String(box.checked) };
    }
    case "word":
    case "suit":
    case "rank": {
      const choices = [...wordsOf(spec), ...(spec.nullable ? ["none"] : [])];
      const select = /** @type {HTMLSelectElement} */ (
        el(
          "select",
          {},
          ...choices.map((word) =>
            el("option", { value: word, selected: word === value }, words(word)),
          ),
        )
      );
      return { spec, shown: labelled(label, select, `${meaning}.`), value: () => select.value };
    }
    case "int": {
      const shownValue = value === "none" || int(value) > FAR ? "" : value;
      const number = field("number", {
        min: int(spec.low),
        max: int(spec.high) > FAR ? null : int(spec.high),
        step: 1,
        value: shownValue,
        placeholder: spec.nullable ? "none" : int(value) > FAR ? "no limit" : "follows from others",
      });
      return {
        spec,
        shown: labelled(label, number, `${meaning}. ${range(spec)}`),
        value: () => number.value,
      };
    }
    default: {
      const text = field("text", {
        value: value === "none" ? "" : value,
        placeholder: "none",
        spellcheck: "false",
      });
      return {
        spec,
        shown: labelled(label, text, `${meaning}. ${title(spec.expected)}; write cards as Ah, Td.`),
        value: () => text.value.trim(),
      };
    }
  }
}

/** @param {Message} spec @returns {string[]} */
function wordsOf(spec) {
  if (list(spec.words).length) return spec.words;
  return spec.kind === "suit" ? [..."cdhs"] : [..."23456789TJQKA"];
}

/** @param {Message} spec */
function range(spec) {
  const high = int(spec.high) > FAR ? "or more" : `to ${int(spec.high)}`;
  return `${int(spec.low)} ${high}${spec.nullable ? ", or none" : ""}.`;
}
