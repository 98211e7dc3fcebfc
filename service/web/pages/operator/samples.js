// Metrics as Prometheus writes them, read; and what happened between two readings.

/**
 * @typedef {{labels: Record<string, string>, value: number}} Sample
 * @typedef {{at: number, families: Map<string, Sample[]>}} Reading  ``at``: seconds
 */

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** A page of metrics. @param {string} text @param {number} at @returns {Reading} */
export function read(text, at) {
  /** @type {Reading["families"]} */
  const families = new Map();
  for (const line of text.split("\n")) {
    const found = line.startsWith("#") ? null : LINE.exec(line);
    if (!found) continue;
    const [, name, told = "", value] = found;
    const labels = Object.fromEntries([...told.matchAll(LABEL)].map(([, key, each]) => [key, each]));
    const samples = families.get(name) ?? [];
    samples.push({ labels, value: Number(value) });
    families.set(name, samples);
  }
  return { at, families };
}

/** All samples of a name; with some labels, if they are named. @param {Reading} reading @param {string} name @param {Record<string, string>} [where] */
export function samples(reading, name, where = {}) {
  return (reading.families.get(name) ?? []).filter(({ labels }) =>
    Object.entries(where).every(([key, value]) => labels[key] === value));
}

/** What they come to together. @param {Reading} reading @param {string} name @param {Record<string, string>} [where] */
export const sum = (reading, name, where) =>
  samples(reading, name, where).reduce((all, { value }) => all + value, 0);

/** The largest; null if there is none. @param {Reading} reading @param {string} name */
export const most = (reading, name) => furthest(reading, name, Math.max);

/** The smallest; null if there is none. @param {Reading} reading @param {string} name */
export const least = (reading, name) => furthest(reading, name, Math.min);

/** @param {Reading} reading @param {string} name @param {(...values: number[]) => number} which */
function furthest(reading, name, which) {
  const found = samples(reading, name);
  return found.length ? which(...found.map(({ value }) => value)) : null;
}

/** Whether two readings are of the same processes: counters go on from the one to the other. @param {Reading} one @param {Reading} other */
export const isSame = (one, other) =>
  sum(one, "process_start_time_seconds") === sum(other, "process_start_time_seconds");

/** How much of something there was in a second. @param {Reading} before @param {Reading} now @param {string} name @param {Record<string, string>} [where] */
export function rate(before, now, name, where) {
  const seconds = now.at - before.at;
  return seconds > 0 ? Math.max(0, sum(now, name, where) - sum(before, name, where)) / seconds : null;
}

/**
 * Below which value a share of all that came between two readings lies, by the buckets of a
 * histogram; null where nothing came.
 * @param {Reading} before
 * @param {Reading} now
 * @param {string} name
 * @param {number} share
 */
export function quantile(before, now, name, share) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const [reading, sign] of /** @type {const} */ ([[now, 1], [before, -1]])) {
    for (const { labels, value } of samples(reading, `${name}_bucket`)) {
      const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
      counts.set(bound, (counts.get(bound) ?? 0) + sign * value);
    }
  }
  const bounds = [...counts.keys()].sort((one, other) => one - other);
  const all = counts.get(Infinity) ?? 0;
  if (all <= 0) return null;
  let [low, below] = [0, 0];
  for (const bound of bounds) {
    const reached = counts.get(bound) ?? 0;
    if (reached >= share * all) {
      if (bound === Infinity) return low;
      const within = reached > below ? (share * all - below) / (reached - below) : 1;
      return low + within * (bound - low);
    }
    [low, below] = [bound, reached];
  }
  return low;
}
