/** What needs no service: when calls are sent again, actions made from names and offers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { action, Client, gameOf, isAsked, KartejoError, randomAction } from "../src/index.js";
import { RetryInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { OfferSchema } from "../src/gen/kartejo/v1/common_pb.js";
import { TableStateSchema } from "../src/gen/kartejo/v1/table_service_pb.js";
import { Attempts } from "../src/retrying.js";

function failure(code: Code, retryMs?: number): KartejoError {
  const value = { retryDelay: { seconds: 0n, nanos: (retryMs ?? 0) * 1_000_000 } };
  const details = retryMs === undefined ? [] : [{ desc: RetryInfoSchema, value }];
  return new KartejoError(new ConnectError("", code, undefined, details));
}

const AWAY = failure(Code.Unavailable);

test("pauses double up to two seconds", () => {
  const attempts = new Attempts({ call: 1, total: 60_000 }, () => 0, () => 0);
  const pauses = Array.from({ length: 8 }, () => attempts.pauseAfter(AWAY));
  assert.deepEqual(pauses, [50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
});

test("time that the service asks for is kept, within patience", () => {
  const attempts = new Attempts({ call: 1, total: 800 }, () => 0, () => 0);
  assert.equal(attempts.pauseAfter(failure(Code.ResourceExhausted, 700)), 700);
  assert.throws(() => attempts.pauseAfter(failure(Code.ResourceExhausted, 900)), { kind: "exhausted" });
});

test("patience begins with the first failure", () => {
  let now = 0;
  const attempts = new Attempts({ call: 10_000, total: 1_000 }, () => now, () => 0);
  now = 3_600_000;
  assert.equal(attempts.pauseAfter(AWAY), 50);
  now += 960;
  assert.equal(attempts.timeoutMs, 100);
  assert.throws(() => attempts.pauseAfter(AWAY), { kind: "unavailable" });
  attempts.answered();
  assert.equal(attempts.timeoutMs, 10_000);
  assert.equal(attempts.pauseAfter(AWAY), 50);
});

test("what repeating cannot mend is thrown at once", () => {
  const attempts = new Attempts({ call: 1, total: 1_000 });
  for (const error of [failure(Code.FailedPrecondition), failure(Code.Aborted, 0), failure(Code.ResourceExhausted)]) {
    assert.throws(() => attempts.pauseAfter(error), (thrown) => thrown === error);
  }
});

test("a wrong name is told with the right ones", () => {
  assert.throws(() => action("bridge", "bid"), /'bridge' is no game; there are common, house/);
  assert.throws(() => action("palace_poker", "bet", { seat: 1 }), /there are target, amount/);
  assert.throws(() => action("palace_poker", "stay", { seat: 1 }), /there are none/);
});

function aState(game: "palacePoker" | "royalCasino" | "pontoon", ...offers: unknown[]) {
  const shown = offers.map((offer) => create(OfferSchema, offer as object));
  return create(TableStateSchema, { offers: shown, view: { view: { case: game, value: {} } } });
}

test("what a state asks", () => {
  const state = aState("palacePoker");
  assert.equal(gameOf(state), "palace_poker");
  assert.equal(isAsked(state, 0), false);
  state.decision = { $typeName: "kartejo.v1.Decision", hand: 1n, number: 1n, seats: [0], remainingMs: 1n };
  assert.equal(isAsked(state, 0), true);
});

test("zero is said, and one card may be a list", () => {
  const bet = action("palace_poker", "bet", { target: 0n }).family.value;
  assert.ok(JSON.stringify(bet, (_, v) => (typeof v === "bigint" ? `${v}n` : v)).includes('"0n"'));
  assert.deepEqual(
    action("royal_casino", "trail_card", { card: [5] }),
    action("royal_casino", "trail_card", { card: 5 }),
  );
});

const limit = (field: string, kind: string, value: object) => ({ field, kind: { case: kind, value } });

test("amounts together stay within their budget", () => {
  const state = aState("pontoon", {
    action: "buy_card",
    limits: [limit("amount", "range", { low: 10n, high: 100n }), limit("shoot_bet", "range", { high: 100n })],
    together: [{ fields: ["amount", "shoot_bet"], weights: [1n, 2n], most: 150n }],
  });
  for (let at = 0; at < 200; at++) {
    const { family } = randomAction(state);
    assert.ok(family.case === "pontoon" && family.value.action.case === "buyCard");
    const { amount, shootBet } = family.value.action.value;
    assert.ok(amount! >= 10n && amount! + 2n * (shootBet ?? 0n) <= 150n);
  }
});

test("groups share no card and hold what they must", () => {
  const cards = (...groups: number[][]) => groups.map((group) => ({ cards: group }));
  const groups = { first: cards([1, 2], [3]), more: cards([2, 4], [5], [6]), low: 2, among: [5, 2] };
  const state = aState("royalCasino", { action: "build_cards", limits: [limit("loose", "groups", groups)] });
  const drawn = new Set<string>();
  for (let at = 0; at < 2_000; at++) {
    const { family } = randomAction(state);
    assert.ok(family.case === "royalCasino" && family.value.action.case === "buildCards");
    drawn.add(family.value.action.value.loose.sort().join(""));
  }
  const all = ["12", "125", "1256", "126", "234", "2345", "23456", "2346", "35", "356"];
  assert.deepEqual([...drawn].sort(), all);
});

const url = "http://127.0.0.1:9/"; // nobody listens there
const patience = { call: 1_000, total: 0 };

test("nothing that a client shows of itself has the token", async () => {
  const client = new Client({ url, token: "a-secret", patience });
  await assert.rejects(client.getTable("any"), (failed) => {
    const told = [client, failed].map((each) => inspect(each, { depth: 9, showHidden: true }));
    return !`${told} ${JSON.stringify(client)}`.includes("a-secret");
  });
});

test("a token that cannot be one is refused at once, and not repeated", async () => {
  for (const token of ["a-secret\nx", "a-secrét"]) {
    await assert.rejects(new Client({ url, token }).getTable("any"), (failed) => {
      return failed instanceof RangeError && !inspect(failed).includes("secr");
    });
  }
  const fromAFile = new Client({ url, token: "a-secret\n", patience });
  await assert.rejects(fromAFile.getTable("any"), { kind: "unavailable" });
});

test("what gives tokens fails as itself, and is not asked again", async () => {
  const refused = new Error("the login is closed");
  const client = new Client({ url, token: () => Promise.reject(refused) });
  await assert.rejects(client.getTable("any"), (thrown) => thrown === refused);
  await assert.rejects(client.watchTable("any").next(), (thrown) => thrown === refused);
});

test("what cannot be sent is no matter of patience", async () => {
  const client = new Client({ url, token: "" });
  await assert.rejects(client.takeSeat("any", 1.5), { kind: "failed" });
  assert.throws(() => new Client({ url: "cards.example", token: "" }), TypeError);
});

test("amounts beyond 2 ** 53 stay what they are", () => {
  const most = 2n ** 62n + 1n;
  const state = aState("palacePoker", {
    action: "bet",
    limits: [limit("target", "range", { low: 1n, high: 1n }), limit("amount", "range", { low: most - 2n, high: most })],
  });
  for (const chance of [0, 0.5, 0.999999]) {
    const { family } = randomAction(state, [], () => chance);
    assert.ok(family.case === "palacePoker" && family.value.action.case === "bet");
    const { amount } = family.value.action.value;
    assert.ok(amount! >= most - 2n && amount! <= most);
  }
});
