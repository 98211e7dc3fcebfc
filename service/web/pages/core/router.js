// Pages by what stands behind the #: "#/table/ID" shows the page that was registered for it.

import { button, el, fill } from "./dom.js";
import { Failure } from "./rpc.js";
import { refusal } from "./words.js";

/**
 * A page fills `main` and works until `signal` is aborted, when somebody goes elsewhere.
 * @typedef {{main: HTMLElement, params: Record<string, string>, query: URLSearchParams, signal: AbortSignal}} Place
 * @typedef {(place: Place) => void | Promise<void>} Page
 */

/** @type {{parts: string[], title: string, page: Page}[]} */
const routes = [];

/** @type {AbortController | null} */
let leaving = null;

/** Shows in place of a page that the service knows nobody here any more, and why. */
let turnedOut = (/** @type {Place} */ place, /** @type {Failure} */ why) => trouble(place.main, why);

/**
 * Show `page` at a path such as "/table/:id"; parts that begin with a colon are parameters.
 * @param {string} path
 * @param {string} title
 * @param {Page} page
 */
export function route(path, title, page) {
  routes.push({ parts: path.split("/"), title, page });
}

/** Go somewhere. @param {string} path */
export function go(path) {
  if (location.hash === `#${path}`) show();
  else location.hash = path;
}

/**
 * Show what the address says, now and whenever it changes.
 * @param {(place: Place, why: Failure) => void} out in place of a page for those whose time is over
 */
export function start(out) {
  turnedOut = out;
  addEventListener("hashchange", () => show());
  show();
}

/** Show the page of the address anew. */
export function show() {
  leaving?.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const [path, query = ""] = (location.hash.slice(1) || "/").split("?");
  const found = matching(path);
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  document.title = found ? `${found.title} · Kartejo` : "Kartejo";
  for (const link of document.querySelectorAll("nav a[href]")) {
    const here = path.split("/")[1];
    // A table belongs to the tables, a replay to the replays.
    const isHere = [`#/${here}`, `#/${here}s`].includes(link.getAttribute("href") ?? "");
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // A page that is left may come to its end later: what it shows then is shown nowhere.
  const root = el("div");
  fill(main, root);
  if (!found) {
    fill(root, el("h1", {}, "Nothing is here"), el("p", {}, `There is no page ${path}.`));
    return;
  }
  const place = { main: root, params: found.params, query: new URLSearchParams(query), signal };
  Promise.resolve(found.page(place)).catch((error) => {
    if (signal.aborted) return;
    if (!(error instanceof Failure)) console.error(error);
    if (error instanceof Failure && error.code === "unauthenticated") turnedOut(place, error);
    else trouble(root, error);
  });
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

/** Say in place of a page why it cannot be shown. @param {HTMLElement} main @param {unknown} error */
export function trouble(main, error) {
  const told = el(
    "section",
    { class: "trouble", role: "alert" },
    el("h1", {}, "This cannot be shown"),
    el("p", {}, refusal(error)),
    el("p", { class: "row" }, button("Try again", show), el("a", { href: "#/" }, "Back to the lobby")),
  );
  fill(main, told);
}

/** @param {string} path */
function matching(path) {
  const parts = path.split("/").map(unescaped);
  for (const { parts: wanted, title, page } of routes) {
    if (wanted.length !== parts.length) continue;
    /** @type {Record<string, string>} */
    const params = {};
    const fits = wanted.every((part, index) => {
      if (!part.startsWith(":")) return part === parts[index];
      params[part.slice(1)] = parts[index];
      return parts[index] !== "";
    });
    if (fits) return { title, page, params };
  }
  return null;
}

/** What a part of an address stands for; itself, where it is no text that was escaped. @param {string} part */
function unescaped(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
