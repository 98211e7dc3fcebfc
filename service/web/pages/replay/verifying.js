// The button that checks, and what it found: every check with its result, in words.

import { button, el, fill } from "../core/dom.js";
import { counted, refusal } from "../core/words.js";
import { sentence } from "../verify/report.js";
import { unavailable } from "../verify/crypto.js";
import { check, isLook } from "./checking.js";

/** @typedef {import("../verify/report.js").Report} Report */

const SIGNS = { holds: "✓", broken: "✗", open: "○", none: "–" };
const CALLED = { holds: "holds", broken: "does not hold", open: "not checked", none: "nothing to check" };

/** The part of the replayer that verifies. @param {import("./steps.js").Hand} hand @param {AbortSignal} signal */
export function verifying(hand, signal) {
  const found = el("div", { role: "status" });
  const start = button("Verify", () => run(), { class: "first", disabled: Boolean(unavailable) });
  const run = async () => {
    const began = performance.now();
    start.setAttribute("disabled", "");
    try {
      const checked = await check(hand, signal, (doing) => fill(found, el("p", {}, doing)));
      const name = `${hand.table}-${hand.eyes.replace(" ", "-")}.jsonl`;
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      fill(found, verdict(checked.report, checked.trust),
        el("p", { class: "note" }, `Checked in ${seconds} seconds. `, save(checked.data, name, signal),
          " and check it again elsewhere: ", el("code", {}, `kartejo verify ${name}`)));
    } catch (failure) {
      if (!signal.aborted) fill(found, el("p", { class: "refused" }, refusal(failure)));
    }
    start.removeAttribute("disabled");
  };
  return el("section", { class: "sheet verify" },
    el("div", { class: "spread" },
      el("div", {},
        el("h2", {}, "Is this what happened?"),
        el("p", { class: "note" }, "Your browser fetches the record of this table and checks it itself: ",
          "hashes, signatures, proofs of the cards, shuffles. It believes nothing that the service says about it.",
          isLook(hand) ? " You get the complete record, as an auditor: that is recorded, and players can read it." : "")),
      start),
    unavailable ? el("p", { class: "refused" }, unavailable) : null,
    found);
}

/** A report in words. @param {Report} report @param {string} trust */
export function verdict(report, trust) {
  return el("div", { class: report.ok ? "verdict holds" : "verdict broken" },
    el("h3", {}, report.ok ? "Everything that could be checked holds" : "This record does not hold"),
    ...report.findings.slice(0, 5).map((each) => el("p", { class: "refused" }, `${sentence(each)}.`)),
    report.findings.length > 5
      ? el("p", { class: "note" }, `And ${counted(report.findings.length - 5 + report.more, "finding")} more, which may follow from these.`)
      : null,
    report.mine ? el("p", {}, `What you added to shuffles yourself is in the record, unchanged: ${counted(report.mine, "contribution")}.`) : null,
    el("ul", { class: "checks" }, ...report.results().map(({ asks, state, says }) =>
      el("li", { class: state },
        el("span", { class: "sign", role: "img", "aria-label": CALLED[state] }, SIGNS[state]),
        el("span", {}, el("strong", {}, asks), el("br"), el("span", { class: "note" }, `${says}.`))))),
    el("p", { class: "note" }, report.scope ? `Of ${report.scope}. ` : "",
      report.signer ? `Signed by ${report.signer}; held against ${trust}. ` : "Signed by nobody. ",
      "What is not checked here is whether the rules made every event: ", el("code", {}, "kartejo verify"), " does that too."));
}

/** A link that saves some bytes. @param {Uint8Array} data @param {string} name @param {AbortSignal} signal */
function save(data, name, signal) {
  const url = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (data)], { type: "application/jsonl" }));
  signal.addEventListener("abort", () => URL.revokeObjectURL(url));
  return el("a", { href: url, download: name }, "Save the record");
}
