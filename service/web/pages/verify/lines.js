// The lines of an export: split, read, and held against the one way in which they are written.

import { Bad } from "./bytes.js";

const LONGEST = 64 * 2 ** 20;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The lines of a file, each with its end. @param {Uint8Array} data */
export function* split(data) {
  for (let at = 0; at < data.length;) {
    const found = data.indexOf(10, at);
    const end = found < 0 ? data.length : found + 1;
    yield data.subarray(at, end);
    at = end;
  }
}

/**
 * The object of a line, and its text without the end.
 * @param {Uint8Array} data
 * @returns {{line: any, text: string}}
 */
export function parse(data) {
  if (data.length > LONGEST) throw new Bad("the line is longer than any commit", LONGEST, data.length);
  if (data.at(-1) !== 10) throw new Bad("the line ends in the middle");
  let line, text;
  try {
    text = UTF8.decode(data.subarray(0, -1));
    line = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    const start = String.fromCharCode(...data.subarray(0, 80)).replace(/[^ -~]/g, "?");
    throw new Bad("not a line of JSON", "", start);
  }
  if (typeof line !== "object" || line === null || typeof line.type !== "string") {
    throw new Bad("not an object with a type");
  }
  return { line, text };
}

/** An object as a line, without its end: ASCII, no blanks. @param {unknown} value */
export const written = (value) =>
  JSON.stringify(value).replace(/[^ -~]/g, (each) =>
    `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Throws unless a line is what its content is written as. @param {string} text @param {unknown} value */
export function requireWritten(text, value) {
  const right = written(value);
  if (text === right) return;
  let at = 0;
  while (at < right.length && text[at] === right[at]) at += 1;
  const [low, high] = [Math.max(0, at - 20), at + 40];
  throw new Bad(`byte ${at + 1} of the line does not follow from what is stored`,
    right.slice(low, high), text.slice(low, high));
}
