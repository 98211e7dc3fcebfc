// node script_lines.mjs MODULE FILE   the lines that a replay writes for events, one each.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, file] = process.argv.slice(2);
const { eventText } = await import(pathToFileURL(module));
for (const event of JSON.parse(readFileSync(file, "utf8"))) process.stdout.write(`${eventText(event)}\n`);
