// A file of an export, checked here: it goes nowhere.

import { el, fill, labelled } from "../core/dom.js";
import { unavailable } from "../verify/crypto.js";
import { verify } from "../verify/verify.js";
import { verdict } from "./verifying.js";
import { logKey } from "./checking.js";
import { session } from "../core/session.js";
import { refusal } from "../core/words.js";

const MOST = 512 * 2 ** 20;

/** The page that verifies a file. @param {import("../core/router.js").Place} place */
export function filePage({ main, signal }) {
  const file = /** @type {HTMLInputElement} */ (el("input", { type: "file", accept: ".jsonl", disabled: Boolean(unavailable) }));
  const key = /** @type {HTMLInputElement} */ (el("input", { type: "text", spellcheck: "false", autocomplete: "off" }));
  const found = el("div", { role: "status" });
  let begun = 0;
  const run = async () => {
    const [chosen] = file.files ?? [];
    begun += 1;
    const mine = begun;
    try {
      if (chosen) await check(chosen, () => mine === begun && !signal.aborted);
    } catch (failure) {
      if (mine === begun) fill(found, el("p", { class: "refused" }, reasonOf(failure)));
    }
  };
  /** @param {File} chosen @param {() => boolean} isWanted  whether nothing else was chosen since */
  const check = async (chosen, isWanted) => {
    if (chosen.size > MOST) {
      fill(found, el("p", { class: "refused" }, "A browser checks files of up to 512 MiB; take kartejo verify."));
      return;
    }
    fill(found, el("p", {}, `Checking ${chosen.name}…`));
    const data = new Uint8Array(await chosen.arrayBuffer());
    const { trusted, trust } = await trustOf(key.value.trim(), signal);
    const report = await verify(data, { trusted });
    if (isWanted()) fill(found, verdict(report, trust));
  };
  file.addEventListener("change", run);
  key.addEventListener("change", run);
  fill(main, el("section", { class: "sheet verify" },
    el("h1", {}, "Verify a file"),
    el("p", {}, "What ", el("code", {}, "kartejo export"), " wrote, or a replay saved. It is checked in your browser and goes nowhere."),
    unavailable ? el("p", { class: "refused" }, unavailable) : null,
    labelled("Export (.jsonl)", file),
    labelled("Key of the log", key, "As you got it from somebody you trust. Empty: the key that this browser knows of this service, if it knows one."),
    el("h2", { class: "unseen" }, "What was found"),
    found));
}

/** Why a file could not be checked. @param {unknown} failure */
function reasonOf(failure) {
  if (!(failure instanceof DOMException)) return refusal(failure);
  return "The browser cannot read this file: it may have changed, or be none. Choose it again.";
}

/** @param {string} typed @param {AbortSignal} signal */
async function trustOf(typed, signal) {
  if (typed) return { trusted: typed, trust: "the key that you gave" };
  if (session()) return logKey(signal);
  return { trusted: "", trust: "the key that the file names itself, which proves nothing about who that is" };
}
