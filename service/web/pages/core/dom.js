// Elements in a line, and re-rendering that keeps focus, scrolling and what somebody is typing.
//
// Texts become text nodes: nothing that others wrote is ever read as HTML.

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, (event: any) => void>} Handlers
 * @typedef {HTMLElement & {handlers?: Handlers}} Handled
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element.  `props`: attributes by name (true: present, false or null: absent), `on`: handlers
 * by event, `key`: which one of its siblings it is when the page is rendered again, `css`: values of
 * custom properties.
 *
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  dress(made, props);
  made.append(...nodes(children));
  return made;
}

/**
 * An element of a drawing.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, props = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  dress(made, props);
  made.append(...nodes(children));
  return made;
}

/** A real button. @param {Child | Child[]} label @param {() => void} press @param {Record<string, any>} [props] */
export function button(label, press, props = {}) {
  return el("button", { type: "button", ...props, on: { click: press, ...props.on } }, label);
}

/**
 * A field with its label; `hint` is read with it.
 * @param {string} label
 * @param {HTMLElement} field
 * @param {string} [hint]
 */
export function labelled(label, field, hint = "") {
  field.id ||= `f${++counter}`;
  const told = hint ? el("small", { id: `${field.id}-hint` }, hint) : null;
  if (told) field.setAttribute("aria-describedby", told.id);
  return el("div", { class: "field" }, el("label", { for: field.id }, label), field, told);
}

let counter = 0;

/**
 * Make the children of `parent` look like `children`, changing as little as there is to change:
 * nodes that stay keep focus, and a field that has it keeps what is typed.
 *
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function render(parent, ...children) {
  const wanted = nodes(children);
  const keyed = new Map();
  for (const node of parent.childNodes) if (keyOf(node)) keyed.set(keyOf(node), node);
  /** @type {ChildNode | null} */
  let here = parent.firstChild;
  for (const next of wanted) {
    const key = keyOf(next);
    const old = key ? keyed.get(key) : unkeyed(here);
    if (old && isAlike(old, next)) {
      if (old === here) here = old.nextSibling;
      else parent.insertBefore(old, here);
      patch(old, next);
    } else {
      parent.insertBefore(next, here);
    }
  }
  while (here) {
    const next = /** @type {ChildNode | null} */ (here.nextSibling);
    here.remove();
    here = next;
  }
}

/** Empty an element and fill it anew. @param {Element} parent @param {...(Child | Child[])} children */
export function fill(parent, ...children) {
  parent.replaceChildren(...nodes(children));
}

/** @param {Element} element @param {Record<string, any>} props */
function dress(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") handle(/** @type {Handled} */ (element), value);
    else if (name === "key") element.setAttribute("data-key", String(value));
    else if (name === "css") {
      for (const [property, each] of Object.entries(value)) {
        /** @type {HTMLElement} */ (element).style.setProperty(property, String(each));
      }
    } else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
}

/** @param {Handled} element @param {Handlers} handlers */
function handle(element, handlers) {
  element.handlers = { ...handlers };
  for (const type of Object.keys(handlers)) {
    element.addEventListener(type, (event) => element.handlers?.[type]?.(event));
  }
}

/** @param {(Child | Child[])[]} children @returns {Node[]} */
function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof Element ? node.getAttribute("data-key") : null;
}

/** @param {ChildNode | null} node */
function unkeyed(node) {
  return node && !keyOf(node) ? node : null;
}

/** @param {Node} old @param {Node} next */
function isAlike(old, next) {
  if (old.nodeName !== next.nodeName || keyOf(old) !== keyOf(next)) return false;
  const types = (/** @type {Node} */ node) =>
    Object.keys(/** @type {Handled} */ (node).handlers ?? {}).join();
  return types(old) === types(next);
}

/** @param {Node} old @param {Node} next */
function patch(old, next) {
  if (!(old instanceof Element) || !(next instanceof Element)) {
    if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
    return;
  }
  const given = old instanceof HTMLInputElement ? old.defaultValue : "";
  for (const { name } of [...old.attributes]) {
    // Who opened something keeps it open.
    if (!next.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) !== value) setAttribute(old, name, value, next);
  }
  /** @type {Handled} */ (old).handlers = /** @type {Handled} */ (next).handlers;
  if (old instanceof HTMLInputElement && next instanceof HTMLInputElement) {
    // What somebody typed stays until the page has something else to say.
    if (old !== document.activeElement && next.defaultValue !== given) old.value = next.value;
    old.checked = next.checked;
  } else if (old instanceof HTMLSelectElement) {
    render(old, ...next.childNodes);
    old.value = /** @type {HTMLSelectElement} */ (next).value;
    return;
  }
  render(old, ...next.childNodes);
}

/** @param {Element} old @param {string} name @param {string} value @param {Element} next */
function setAttribute(old, name, value, next) {
  // A policy against styles in markup takes attributes for markup; properties are ours.
  if (name === "style") {
    /** @type {HTMLElement} */ (old).style.cssText = /** @type {HTMLElement} */ (next).style.cssText;
  } else old.setAttribute(name, value);
}
