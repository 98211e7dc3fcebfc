// What a file claims, checked.  Each check throws with what is wrong.

import * as kartejo from "./kartejo.mjs";

const { bytes, cardName, cardNumber, same } = kartejo;

/** One proof in the form of `kartejo proof --json`. */
export function checkProof(told) {
  const proof = {
    ...told,
    card: cardNumber(told.card),
    salt: bytes(told.salt),
    path: told.path.map(bytes),
  };
  const root = kartejo.rootOfProof(proof);
  if (root === null) throw new Error("the path does not fit the place");
  if (!same(root, bytes(told.root))) throw new Error("the proof does not lead to its root");
  return `${told.card} at place ${told.place + 1} of ${told.count}, shuffle ${told.shuffle} ` +
    `(${told.purpose}) of epoch ${told.epoch}: compare the root ${told.root} with the one that ` +
    `ShuffleCommitted told at version ${told.version}`;
}

/**
 * An epoch whose secret was told: {table, epoch, commitment, secret, entropy: [hex], shuffles:
 * [{shuffle, purpose, order: [cards, top first], root}]}.
 */
export function checkEpoch(told) {
  const secret = bytes(told.secret);
  const entropy = told.entropy.map(bytes);
  const committed = kartejo.commitment(told.table, told.epoch, secret);
  if (!same(committed, bytes(told.commitment))) throw new Error("not the secret committed to");
  for (const { shuffle, purpose, order, root } of told.shuffles) {
    const where = { table: told.table, epoch: told.epoch, secret, entropy, shuffle, purpose };
    const cards = order.map(cardNumber);
    const pile = [...cards].sort((a, b) => a - b);
    const right = kartejo.order(kartejo.shuffleKey(where), pile);
    const wrong = right.findIndex((card, place) => card !== cards[place]);
    if (wrong >= 0) {
      throw new Error(`shuffle ${shuffle}: ${order[wrong]} lies where ${cardName(right[wrong])} must`);
    }
    if (!same(kartejo.rootOfPlaces(where, cards), bytes(root))) {
      throw new Error(`shuffle ${shuffle}: another root was published`);
    }
  }
  return `epoch ${told.epoch}: ${told.shuffles.length} shuffles follow from the secret`;
}

/** The vectors of docs/shuffle-vectors.md, recomputed from their inputs; returns how many. */
export function checkVectors(text) {
  const block = text.split("```").at(-2);
  const told = new Map(block.trim().split("\n").map((line) => line.split(/: (.*)/s)));
  const table = told.get("stream");
  const epoch = Number(told.get("epoch"));
  const secret = bytes(told.get("secret"));
  const given = told.get("entropy").split(" ").map((part) => (part === "-" ? bytes("") : bytes(part)));
  const inputs = ["stream", "epoch", "secret", "entropy", "base", "salt", "pile 2 draw",
    "slot plaintext", "action plaintext"];
  const found = new Map(inputs.map((name) => [name, told.get(name)]));
  found.set("commitment", kartejo.commitment(table, epoch, secret).toString("hex"));
  found.set("entropy hash", kartejo.entropyHash(given).toString("hex"));
  for (const [name, value] of told) shuffleVector(name, value);
  slotVectors();
  for (const [name, value] of told) {
    if (found.get(name) !== value) throw new Error(`${name}: ${found.get(name)}, not ${value}`);
  }
  return told.size - inputs.length;

  function shuffleVector(name) {
    const match = /^deck ((\d+) (\w+)( with entropy)?)$/.exec(name);
    if (match === null) return;
    const [, label, shuffle, purpose, salted] = match;
    const entropy = salted ? given : [];
    const where = { table, epoch, secret, entropy, shuffle: Number(shuffle), purpose };
    const pile = told.get(`pile ${label}`)?.split(" ").map(cardNumber) ?? kartejo.PACK;
    const key = kartejo.shuffleKey(where);
    const cards = kartejo.order(key, pile);
    found.set(`key ${label}`, key.toString("hex"));
    found.set(name, cards.map(cardName).join(" "));
    found.set(`root ${label}`, kartejo.rootOfPlaces(where, cards).toString("hex"));
    const salts = kartejo.placeSalts(where, cards.length);
    for (const place of [0, 51]) {
      const path = told.get(`path of place ${place}, ${label}`);
      if (path === undefined) continue;
      const [card, salt] = [cards[place], salts[place]];
      const proof = { ...where, place, count: 52, card, salt, path: path.split(" ").map(bytes) };
      const root = kartejo.rootOfProof(proof)?.toString("hex");
      found.set(`salt of place ${place}, ${label}`, salt.toString("hex"));
      found.set(`leaf of place ${place}, ${label}`,
        kartejo.leaf(where, place, card, salt).toString("hex"));
      found.set(`path of place ${place}, ${label}`, root === told.get(`root ${label}`) ? path : "");
    }
  }

  function slotVectors() {
    const [base, salt] = [Number(told.get("base")), bytes(told.get("salt"))];
    const seal = (place, plain) =>
      kartejo.sealSlot({ table, epoch, secret }, base, salt, place, plain).toString("hex");
    found.set("slot key", kartejo.slotKey({ table, epoch, secret }, salt).toString("hex"));
    found.set("slot of version 43, field 5, audience 80000002",
      seal({ version: 43, field: 5, audience: 0x80000002 }, bytes(told.get("slot plaintext"))));
    found.set("action, audience 80000000",
      seal({ version: base, field: 0, audience: 0x80000000 }, bytes(told.get("action plaintext"))));
  }
}
