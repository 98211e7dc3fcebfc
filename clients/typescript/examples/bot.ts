/**
 * Plays any game by its offers: `node bot.js TABLE SEAT CHIPS HANDS`.
 *
 * KARTEJO_WEB: where the service answers HTTP, http://127.0.0.1:50180 unless said.  KARTEJO_TOKEN: a
 * token of the role player.  It may be killed and started again at any time.
 */
import { pathToFileURL } from "node:url";
import { action, Client, isAsked, KartejoError, randomAction } from "../src/index.js";

const GIVES_UP = ["abandon_game", "resign_bank"];

/** Hold a seat until so many hands are over; how many decisions were answered. */
export async function play(
  kartejo: Client,
  tableId: string,
  seat: number,
  chips: bigint,
  hands: number,
): Promise<number> {
  const { table, state: found } = await kartejo.getTable(tableId);
  let state = found!;
  if (!state.seats.includes(seat)) state = (await kartejo.takeSeat(tableId, seat, chips)).state!;
  let last = state.decision?.hand ?? 0n;
  let answered = 0;
  for await (const news of kartejo.watchTable(tableId, state.version)) {
    if (!news.state) continue;
    state = news.state;
    const hand = state.decision?.hand ?? 0n;
    if (hand > last) [last, hands] = [hand, hands - 1];
    try {
      if (!hand && hands <= 0) {
        await kartejo.act(state, seat, action("common", "leave_seat"));
        break;
      }
      if (isAsked(state, seat)) {
        await kartejo.act(state, seat, randomAction(state, GIVES_UP));
        answered++;
      } else if (!hand && table!.seatCount === 1) {
        await kartejo.startHand(tableId);
      }
    } catch (error) {
      if (!(error instanceof KartejoError && /refused|conflict/.test(error.kind))) throw error;
      console.error(`seat ${seat}: ${error.reason}`); // the news of it are on their way
    }
  }
  return answered;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const url = process.env["KARTEJO_WEB"] ?? "http://127.0.0.1:50180";
  const client = new Client({ url, token: process.env["KARTEJO_TOKEN"] ?? "" });
  const [table = "", seat, chips, hands] = process.argv.slice(2);
  const answered = await play(client, table, Number(seat), BigInt(chips!), Number(hands));
  console.log(answered, "decisions answered");
}
