// What a file claims, checked by the modules that browsers run.  Each check throws with what is wrong.

import { fromHex, hex, same } from "../../service/web/pages/verify/bytes.js";
import { slotKeyOf } from "../../service/web/pages/verify/crypto.js";
import { leafHash } from "../../service/web/pages/verify/merkle.js";
import { requireProof } from "../../service/web/pages/verify/proofs.js";
import { sentence } from "../../service/web/pages/verify/report.js";
import * as shuffles from "../../service/web/pages/verify/shuffles.js";
import { verify } from "../../service/web/pages/verify/verify.js";

const { cardName, cardNumber, PACK } = shuffles;

/** An export, by its bytes: what each check says. */
export async function checkExport(data, trusted = "") {
  const report = await verify(data, { trusted });
  if (!report.ok) throw new Error(report.findings.map(sentence).join("\n  "));
  return [`${report.scope}, signed by ${report.signer || "nobody"}`,
    ...report.results().map(({ asks, says }) => `${asks}: ${says}`)].join("\n  ");
}

/** One proof in the form of `kartejo proof --json`. */
export async function checkProof(told) {
  const { card, place, count, shuffle, purpose, epoch, root, version } = told;
  await requireProof({
    ...told,
    card: cardNumber(card),
    root: fromHex(root),
    salt: fromHex(told.salt),
    path: told.path.map((each) => fromHex(each)),
  });
  return `${card} at place ${place + 1} of ${count}, shuffle ${shuffle} (${purpose}) of epoch ` +
    `${epoch}: compare the root ${root} with the one that ShuffleCommitted told at version ${version}`;
}

/**
 * An epoch whose secret was told: {table, epoch, commitment, secret, entropy: [hex], shuffles:
 * [{shuffle, purpose, order: [cards, top first], root}]}.
 */
export async function checkEpoch(told) {
  const { table, epoch: number } = told;
  const epoch = {
    table, epoch: number, secret: fromHex(told.secret),
    entropy: told.entropy.map((each) => fromHex(each)),
  };
  if (!same(await shuffles.commitment(epoch), fromHex(told.commitment))) {
    throw new Error("not the secret committed to");
  }
  for (const { shuffle, purpose, order, root } of told.shuffles) {
    const which = { shuffle, purpose };
    const cards = order.map(cardNumber);
    const pile = [...cards].sort((one, other) => one - other);
    const right = shuffles.order(await shuffles.shuffleKey(epoch, which), pile);
    const wrong = right.findIndex((card, place) => card !== cards[place]);
    if (wrong >= 0) {
      throw new Error(`shuffle ${shuffle}: ${order[wrong]} lies where ${cardName(right[wrong])} must`);
    }
    if (!same(await shuffles.rootOfPlaces(epoch, which, cards), fromHex(root))) {
      throw new Error(`shuffle ${shuffle}: another root was published`);
    }
  }
  return `epoch ${number}: ${told.shuffles.length} shuffles follow from the secret`;
}

/** The vectors of docs/shuffle-vectors.md, recomputed from their inputs; returns how many. */
export async function checkVectors(text) {
  const block = text.split("```").at(-2);
  const told = new Map(block.trim().split("\n").map((line) => line.split(/: (.*)/s)));
  const [table, number] = [told.get("stream"), Number(told.get("epoch"))];
  const secret = fromHex(told.get("secret"));
  const given = told.get("entropy").split(" ").map((part) => fromHex(part === "-" ? "" : part));
  const inputs = ["stream", "epoch", "secret", "entropy", "base", "salt", "pile 2 draw",
    "slot plaintext", "action plaintext"];
  const found = new Map(inputs.map((name) => [name, told.get(name)]));
  found.set("commitment", hex(await shuffles.commitment({ table, epoch: number, secret })));
  found.set("entropy hash", hex(await shuffles.entropyHash(given)));
  for (const name of told.keys()) await shuffleVector(name);
  await slotVectors();
  for (const [name, value] of told) {
    if (found.get(name) !== value) throw new Error(`${name}: ${found.get(name)}, not ${value}`);
  }
  return told.size - inputs.length;

  async function shuffleVector(name) {
    const match = /^deck ((\d+) (\w+)( with entropy)?)$/.exec(name);
    if (match === null) return;
    const [, label, shuffle, purpose, salted] = match;
    const epoch = { table, epoch: number, secret, entropy: salted ? given : [] };
    const which = { shuffle: Number(shuffle), purpose };
    const pile = told.get(`pile ${label}`)?.split(" ").map(cardNumber) ?? PACK;
    const key = await shuffles.shuffleKey(epoch, which);
    const cards = shuffles.order(key, pile);
    const root = hex(await shuffles.rootOfPlaces(epoch, which, cards));
    found.set(`key ${label}`, hex(key));
    found.set(name, cards.map(cardName).join(" "));
    found.set(`root ${label}`, root);
    const salts = await shuffles.placeSalts(epoch, which, cards.length);
    for (const place of [0, 51]) {
      const path = told.get(`path of place ${place}, ${label}`);
      if (path === undefined) continue;
      const [card, salt] = [cards[place], salts[place]];
      const where = { ...epoch, ...which };
      const leaf = await leafHash(shuffles.placeText(where, place, card, salt));
      found.set(`salt of place ${place}, ${label}`, hex(salt));
      found.set(`leaf of place ${place}, ${label}`, hex(leaf));
      const hashes = path.split(" ").map((each) => fromHex(each));
      await requireProof({ ...where, place, count: 52, card, salt, path: hashes, root: fromHex(root) });
      found.set(`path of place ${place}, ${label}`, path);
    }
  }

  async function slotVectors() {
    const epoch = { table, epoch: number, secret, entropy: [] };
    const [base, salt] = [Number(told.get("base")), fromHex(told.get("salt"))];
    const raw = await shuffles.slotKey(epoch, salt);
    const slots = new shuffles.Slots(await slotKeyOf(raw), table, base);
    found.set("slot key", hex(raw));
    const sealed = {
      "slot of version 43, field 5, audience 80000002": ["slot plaintext", 43, 5, 0x80000002],
      "action, audience 80000000": ["action plaintext", base, 0, 0x80000000],
    };
    for (const [name, [plain, ...place]] of Object.entries(sealed)) {
      const opened = hex(await slots.open(...place, fromHex(told.get(name))));
      found.set(name, opened === told.get(plain) ? told.get(name) : `another value, ${opened}`);
    }
  }
}
