// A recorded hand: its steps in order, as a viewer may see them, and who sat where.

import { learn, nameOf } from "../core/people.js";
import { Failure, call, int, list, stream } from "../core/rpc.js";
import { words } from "../core/words.js";
import { viewerOf } from "./viewers.js";

/**
 * @typedef {Record<string, any>} Message
 * @typedef {object} Hand
 * @property {string} table
 * @property {number} hand
 * @property {string} eyes
 * @property {Message} told  the table as the lobby shows it
 * @property {Message} row  the hand as the list of hands has it
 * @property {number[]} seats  that were dealt in
 * @property {Message} before  the state before its first step
 * @property {Message[]} steps
 * @property {boolean} hasNext
 * @property {(seat: number) => string} nameOf
 */

const PAGE = 200;

/** All hands of a table, oldest first. @param {string} table @param {AbortSignal} signal */
export async function handsOf(table, signal) {
  const found = [];
  for (let pageToken = ""; ;) {
    const request = { tableId: table, pageSize: PAGE, pageToken };
    const answer = await call("ReplayService/ListHands", request, { signal });
    found.push(...list(answer.hands));
    pageToken = answer.nextPageToken ?? "";
    if (!pageToken) return found;
  }
}

/**
 * A hand; throws a Failure where there is none, or none that one may see so.
 * @param {string} table
 * @param {number} hand
 * @param {string} eyes
 * @param {AbortSignal} signal
 * @returns {Promise<Hand>}
 */
export async function handOf(table, hand, eyes, signal) {
  const [{ table: told }, hands] = await Promise.all([
    call("TableService/GetTable", { tableId: table }, { signal }),
    handsOf(table, signal),
  ]);
  const at = hands.findIndex((each) => int(each.hand) === hand);
  if (at < 0) throw new Failure("not_found", `no hand ${hand} was played at this table`);
  const row = hands[at];
  const viewer = viewerOf(eyes);
  const version = row.firstVersion ?? "0";
  const { state: before } = await call(
    "ReplayService/GetStateAt", { tableId: table, version, viewer }, { signal });
  const steps = [];
  const request = { tableId: table, hand: row.hand, viewer };
  for await (const step of stream("ReplayService/ReplayHand", request, signal)) steps.push(step);
  const players = new Map(list(row.dealtIn).map((each) => [int(each.seat), each.player]));
  await learn(players.values(), signal);
  return {
    table, hand, eyes, told, row, before, steps,
    seats: [...players.keys()],
    hasNext: at + 1 < hands.length,
    nameOf: (seat) => nameOf(players.get(seat) ?? "") || `Seat ${seat}`,
  };
}

/** Who took a step, and what it is called. @param {Hand} hand @param {Message} step */
export function stepTitle({ nameOf: called, eyes }, step) {
  const seat = int(step.seat);
  const isMe = eyes === "self" && list(step.state?.seats).map(int).includes(seat);
  const who = seat < 0 ? "The house" : isMe ? "You" : called(seat);
  return step.action ? `${who}: ${words(step.action)}` : who;
}

/** "18:03:22", where a step says when it was. @param {Message} step */
export const timeOf = (step) =>
  step.recordTime ? new Date(step.recordTime).toLocaleTimeString("en-GB") : "";

/** The versions of the last and of the first step. @param {Hand} hand */
export const versionOf = ({ steps, row }) => int(steps.at(-1)?.state?.version ?? row.lastVersion);
