/** At a real service: bots of every game, lost answers, cut watches, refusals. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { toBinary } from "@bufbuild/protobuf";
import { play } from "../examples/bot.js";
import { action, Client, isAsked, KartejoError, newRequestId, type Kind } from "../src/index.js";
import { AccountService } from "../src/gen/kartejo/v1/account_service_pb.js";
import { ReplayService } from "../src/gen/kartejo/v1/replay_service_pb.js";
import {
  TableEventSchema,
  TableService,
  type TableState,
  type WatchTableResponse,
} from "../src/gen/kartejo/v1/table_service_pb.js";
import { Line, player } from "./stage.js";

const STEP = action("royal_flush", "auto_play", { scope: "step" });
const NOBODY = "00000000-0000-0000-0000-000000000000";
const ann = player();

const GAMES: [string, Record<string, string>, number][] = [
  ["palace_poker", { betting_structure: "no_limit" }, 3],
  ["pontoon", { min_players_to_start: "3" }, 3],
  ["royal_casino", {}, 2],
  ["royal_flush", {}, 1],
];

for (const [game, options, seats] of GAMES) {
  test(`bots play a whole hand of ${game}`, async () => {
    const { tableId } = (await ann.createTable(game, options)).table!;
    const playing = Promise.all(
      Array.from({ length: seats }, (_, seat) => play(player(seat), tableId, seat, 500n, 1)),
    );
    if (seats > 1) {
      while ((await ann.getTable(tableId)).table!.seats.length < seats) await pass(20);
      await ann.startHand(tableId);
      if (game === "royal_casino") await ann.startHand(tableId); // that was the game of several deals
    }
    assert.ok((await playing).some((answered) => answered > 0));
    const { hands } = await ann.call(ReplayService.method.listHands, { tableId });
    assert.deepEqual(hands.map((hand) => hand.over), [true]);
    assert.equal((await ann.getTable(tableId)).table!.seats.length, 0);
  });
}

/** A table at which Ann sits alone, its game begun. */
async function solitaire(): Promise<TableState> {
  const { tableId } = (await ann.createTable("royal_flush")).table!;
  await ann.takeSeat(tableId, 0);
  return (await ann.startHand(tableId)).state!;
}

/** The state after another move; a new game where one is over. */
async function moved(client: Client, state: TableState): Promise<TableState> {
  const does = isAsked(state, 0) ? client.act(state, 0, STEP) : client.startHand(state.tableId);
  return (await does).state!;
}

/** The messages that hold events: version, events. */
function told(news: WatchTableResponse[]): unknown[] {
  return news
    .filter((each) => each.events.length)
    .map((each) => [each.version, each.events.map((event) => toBinary(TableEventSchema, event))]);
}

/** All that is stored of a table. */
async function past(tableId: string): Promise<WatchTableResponse[]> {
  const found: WatchTableResponse[] = [];
  for await (const news of ann.watchTable(tableId)) {
    if (news.live) break;
    found.push(news);
  }
  return found;
}

describe("over a line that is interrupted", () => {
  let line: Line;
  before(async () => {
    line = await Line.open();
  });
  after(() => line.close());

  test("a watch goes on without gap or repetition", async () => {
    let state = await solitaire();
    const seen: WatchTableResponse[] = [];
    for await (const news of player(0, line.url).watchTable(state.tableId)) {
      seen.push(news);
      if (news.version < state.version || !news.state) continue;
      if (seen.length > 12) break;
      state = await moved(ann, state);
      line.cut();
    }
    assert.deepEqual(told(seen), told(await past(state.tableId)));
    assert.ok(seen.length > told(seen).length); // how things stand is told after each interruption
  });

  test("a lost answer is asked for again, and nothing happens twice", async () => {
    const state = await solitaire();
    const client = player(0, line.url, { call: 1_000, total: 60_000 });
    await client.getTable(state.tableId);
    line.isDumb = true;
    const answer = moved(client, state);
    while ((await ann.getTable(state.tableId)).state!.version === state.version) await pass(20);
    line.isDumb = false;
    line.cut();
    const { version } = await answer;
    assert.equal((await ann.getTable(state.tableId)).state!.version, version);
    assert.equal((await past(state.tableId)).at(-1)!.version, version);
  });
});

test("a line that went dead in silence is noticed", async () => {
  const line = await Line.open();
  const state = await solitaire();
  const client = player(0, line.url, { call: 10_000, total: 60_000, silence: 300 });
  const seen: WatchTableResponse[] = [];
  let version = state.version;
  for await (const news of client.watchTable(state.tableId)) {
    seen.push(news);
    if (news.version === version && news.state) {
      if (version > state.version) break;
      line.isDumb = true; // what is told of this move is lost
      ({ version } = await moved(ann, state));
      await pass(100);
      line.isDumb = false;
    }
  }
  await line.close();
  assert.deepEqual(told(seen), told(await past(state.tableId)));
});

test("a watch that never hears anything fails when patience ends", async () => {
  const line = await Line.open();
  line.isDumb = true;
  const client = player(0, line.url, { call: 1_000, total: 500, silence: 100 });
  await assert.rejects(client.watchTable(NOBODY).next(), { kind: "unavailable" });
  await line.close();
});

test("a watch that is left, or whose signal ends it, frees its place", async () => {
  const { tableId } = await solitaire();
  for (let more = 0; more < 150; more++) {
    for await (const news of ann.watchTable(tableId)) if (news) break;
    const ending = new AbortController();
    for await (const news of ann.watchTable(tableId, 0n, ending)) if (news) ending.abort();
  }
  await ann.getTable(tableId);
});

test("a stream comes once, and says why it fails", async () => {
  const { tableId } = await solitaire();
  const seats: number[] = [];
  for await (const step of ann.stream(ReplayService.method.replayHand, { tableId, hand: 1n })) {
    seats.push(step.seat);
  }
  assert.deepEqual(seats, [-1]); // the host's start
  const none = ann.stream(ReplayService.method.replayHand, { tableId });
  await assert.rejects(none.next(), { kind: "not_found" });
  const ended = { signal: AbortSignal.abort() };
  const never = ann.stream(ReplayService.method.replayHand, { tableId, hand: 1n }, ended);
  await assert.rejects(never.next(), { kind: "cancelled" });
});

const late = (state: TableState): TableState => ({
  ...state,
  decision: { ...state.decision!, hand: 1n, number: 77n },
});
const FAILURES: [string, (state: TableState) => Promise<unknown>, Kind, Partial<KartejoError>][] = [
  ["a start in a game", (s) => ann.startHand(s.tableId), "refused", { reason: "WRONG_PHASE" }],
  ["a late answer", (s) => ann.act(late(s), 0, STEP), "conflict", { reason: "STALE_DECISION" }],
  ["an unknown table", () => ann.getTable(NOBODY), "not_found", {}],
  ["an option that cannot be", () => ann.createTable("royal_flush", { target_mode: "best" }), "refused", { reason: "INVALID_OPTIONS" }],
  ["a limit that cannot be", () => ann.call(TableService.method.listPlays, { tableId: NOBODY, limit: -1 }), "invalid", { field: "limit" }],
  ["a gift", () => ann.call(AccountService.method.creditAccount, { owner: { owner: { case: "player", value: NOBODY } }, amount: 5n, note: "a present" }), "denied", {}],
  ["a watch of nothing", () => ann.watchTable(NOBODY).next(), "not_found", {}],
];

for (const [what, call, kind, says] of FAILURES) {
  test(`${what} is a failure of kind ${kind}`, async () => {
    const state = await solitaire();
    await assert.rejects(call(state), { name: "KartejoError", kind, ...says });
    assert.equal((await ann.getTable(state.tableId)).state!.text, state.text);
  });
}

test("a request id stands for one request", async () => {
  const state = await solitaire();
  const id = newRequestId();
  const first = await ann.act(state, 0, STEP, id);
  assert.deepEqual((await ann.act(state, 0, STEP, id)).events, first.events);
  const other = ann.act(state, 0, action("royal_flush", "abandon_game"), id);
  await assert.rejects(other, { kind: "reused" });
});

test("nobody there is told when patience ends", async () => {
  const line = await Line.open();
  const { url } = line;
  await line.close();
  const client = player(0, url, { call: 1_000, total: 300 });
  await assert.rejects(client.getTable("any"), { kind: "unavailable", reason: "" });
  await assert.rejects(client.watchTable("any").next(), { kind: "unavailable" });
});

test("a signal ends a call with an error and a watch without one", async () => {
  const state = await solitaire();
  const ending = new AbortController();
  for await (const news of ann.watchTable(state.tableId, 0n, ending)) {
    if (news.live) ending.abort();
  }
  await assert.rejects(ann.call(TableService.method.getTable, {}, ending), { kind: "cancelled" });
});

test("a token is asked for at every attempt", async () => {
  const given = ["not a token", process.env["KARTEJO_TOKENS"]!.split(",")[0]!];
  const client = new Client({ url: process.env["KARTEJO_WEB"]!, token: () => given.shift()! });
  await assert.rejects(client.getTable(NOBODY), { kind: "unauthenticated" });
  await assert.rejects(client.getTable(NOBODY), { kind: "not_found" });
});
