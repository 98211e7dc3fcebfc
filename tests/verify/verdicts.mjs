// node verdicts.mjs MODULE ADDED FILE…   what the browser's verifier says of exports, an object a
// line.  ADDED is JSON: [[epoch, hexadecimal digits], …], what the viewer added to shuffles.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, added, ...files] = process.argv.slice(2);
const mine = new Map(JSON.parse(added).map(([epoch, value]) => [epoch, Buffer.from(value, "hex")]));
const { verify } = await import(pathToFileURL(module));
for (const file of files) {
  const report = await verify(new Uint8Array(readFileSync(file)), { mine });
  const told = { ok: report.ok, mine: report.mine, findings: report.findings, results: report.results() };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
