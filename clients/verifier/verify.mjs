// node verify.mjs [--key KEY] FILE…   checks exports, proofs, epochs, and the published vectors.
// Exit code 0: all hold.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkEpoch, checkExport, checkProof, checkVectors } from "./checks.mjs";

const USAGE = `node verify.mjs [--key KEY] FILE…

  table.jsonl          what \`kartejo export TABLE -o table.jsonl\` wrote, --complete or not;
                       KEY: the key of the log that must have signed it, as you got it elsewhere
  proof.json           what \`kartejo proof TABLE HAND CARD --json\` printed
  epoch.json           an epoch whose secret was told; README.md has the form
  shuffle-vectors.md   the published vectors
`;

async function check(file, key) {
  const data = readFileSync(file);
  if (file.endsWith(".jsonl")) return [await checkExport(new Uint8Array(data), key)];
  const text = data.toString("utf8");
  if (file.endsWith(".md")) return [`${await checkVectors(text)} vectors hold`];
  const told = JSON.parse(text);
  const claims = Array.isArray(told) ? told : [told];
  if (claims.length === 0) throw new Error("there is nothing in it");
  return Promise.all(claims.map((claim) => ("secret" in claim ? checkEpoch(claim) : checkProof(claim))));
}

function asked() {
  try {
    const options = { key: { type: "string", default: "" } };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (positionals.length) return { key: values.key, files: positionals };
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
  }
  process.stderr.write(USAGE);
  process.exit(2);
}

const { key, files } = asked();
for (const file of files) {
  try {
    for (const line of await check(file, key)) process.stdout.write(`${file}: ${line}\n`);
  } catch (error) {
    process.stdout.write(`${file}: DOES NOT HOLD: ${error.message}\n`);
    process.exitCode = 1;
  }
}
