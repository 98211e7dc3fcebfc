// node verify.mjs FILE…   checks proofs, epochs, and the published vectors; exit code 0: all hold.

import { readFileSync } from "node:fs";
import { checkEpoch, checkProof, checkVectors } from "./checks.mjs";

const USAGE = `node verify.mjs FILE…

  proof.json           what \`kartejo proof TABLE HAND CARD --json\` printed
  epoch.json           an epoch whose secret was told; README.md has the form
  shuffle-vectors.md   the published vectors
`;

function check(file) {
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".md")) return [`${checkVectors(text)} vectors hold`];
  const told = JSON.parse(text);
  const claims = Array.isArray(told) ? told : [told];
  if (claims.length === 0) throw new Error("there is nothing in it");
  return claims.map((claim) => ("secret" in claim ? checkEpoch(claim) : checkProof(claim)));
}

const files = process.argv.slice(2);
if (files.length === 0 || files.some((file) => file.startsWith("-"))) {
  process.stderr.write(USAGE);
  process.exit(2);
}
for (const file of files) {
  try {
    for (const line of check(file)) process.stdout.write(`${file}: ${line}\n`);
  } catch (error) {
    process.stdout.write(`${file}: DOES NOT HOLD: ${error.message}\n`);
    process.exitCode = 1;
  }
}
