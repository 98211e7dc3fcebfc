// Whose eyes a replay is seen with: "self", "seat 2", "observer", "auditor", as the terminal has it.

import { roles } from "../core/session.js";

/** The viewer of a request; none for one's own eyes. @param {string} eyes */
export function viewerOf(eyes) {
  if (eyes === "observer" || eyes === "auditor") return { [eyes]: true };
  const seat = /^seat ([0-9]{1,2})$/.exec(eyes);
  return seat ? { seat: Number(seat[1]) } : undefined;
}

/** Whether a text names eyes. @param {string} eyes */
export const areEyes = (eyes) => eyes === "self" || viewerOf(eyes) !== undefined;

/** Whether whoever is here may see with the eyes of others. */
export const mayAudit = () => roles().includes("auditor");

/**
 * The eyes one may choose, with what to call them.
 * @param {number[]} seats  that were dealt in
 * @param {(seat: number) => string} nameOf
 * @param {boolean} isLab  everybody sees all of a table of the laboratory
 * @returns {[eyes: string, called: string][]}
 */
export function choices(seats, nameOf, isLab) {
  /** @type {[string, string][]} */
  const all = [["self", "My own eyes"], ["observer", "A stranger's eyes"]];
  if (mayAudit() || isLab) {
    all.push(["auditor", "Everything (an auditor's eyes)"]);
    for (const seat of seats) all.push([`seat ${seat}`, `The eyes of ${nameOf(seat)}`]);
  }
  return all;
}
