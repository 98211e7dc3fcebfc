// Calls of the service from a page: unary calls as JSON, server streams in Connect's framing.
//
// Messages are plain objects as proto3 has them in JSON: fields in lowerCamelCase, those that are 0,
// empty or false left out, 64-bit integers as text.  `int` and `list` read what may be left out.

/**
 * @typedef {Record<string, any>} Message
 * @typedef {{signal?: AbortSignal, patienceMs?: number}} Options
 */

const CALL_MS = 10_000;
const FIRST_MS = 30_000; // how long a stream may take to begin
const PATIENCE_MS = 15_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
const ASLEEP_MS = 45_000;
const LOOK_MS = 5_000;
const END_OF_STREAM = 2;
const COMPRESSED = 1;
const PASSING = new Set(["unavailable", "deadline_exceeded", "resource_exhausted"]);

/** What a call ended with: Connect's code, and the service's reason with its details. */
export class Failure extends Error {
  /**
   * @param {string} code as Connect names it, such as "not_found"
   * @param {string} message for people
   * @param {Message[]} [details] google.rpc details, read in `debug`
   */
  constructor(code, message, details = []) {
    super(message);
    this.name = "Failure";
    this.code = code;
    const read = (/** @type {string} */ type) =>
      details.find((detail) => detail.type === `google.rpc.${type}`)?.debug ?? {};
    /** @type {string} a stable word, such as "BET_TOO_SMALL" */
    this.reason = read("ErrorInfo").reason ?? code.toUpperCase();
    /** @type {Record<string, string>} */
    this.metadata = read("ErrorInfo").metadata ?? {};
    /** @type {{field: string, description: string}[]} */
    this.fields = read("BadRequest").fieldViolations ?? [];
    const delay = read("RetryInfo").retryDelay;
    /** @type {number | null} milliseconds after which it may be tried again */
    this.retryMs = delay === undefined ? null : 1000 * parseFloat(delay);
  }

  /** Whether the same may succeed a moment later. */
  get isPassing() {
    return PASSING.has(this.code);
  }
}

/** Tells of the line to the service: events "lost" and "back". */
export const line = new (class extends EventTarget {
  isOpen = true;

  /** @param {boolean} isOpen */
  tell(isOpen) {
    if (isOpen === this.isOpen) return;
    this.isOpen = isOpen;
    this.dispatchEvent(new Event(isOpen ? "back" : "lost"));
  }
})();

let token = "";

/** Whose calls these are from now on; empty: nobody's. @param {string} text */
export function callAs(text) {
  token = text;
}

/** A fresh id for a changing request: sent again, it takes effect once. */
export function requestId() {
  return crypto.randomUUID?.() ?? hex(crypto.getRandomValues(new Uint8Array(16)));
}

/** A number that may be left out or be text. @param {unknown} value */
export function int(value) {
  return Number(value ?? 0);
}

/** A list that may be left out. @template T @param {T[] | undefined} value @returns {T[]} */
export function list(value) {
  return value ?? [];
}

/**
 * The answer of a method such as "TableService/GetTable"; throws a Failure.
 *
 * Sent again while the service is away, for `patienceMs` at most: reads change nothing, and what
 * changes something has a requestId.
 *
 * @param {string} method
 * @param {Message} [request]
 * @param {Options} [options]
 * @returns {Promise<Message>}
 */
export async function call(method, request = {}, { signal, patienceMs = PATIENCE_MS } = {}) {
  const until = Date.now() + patienceMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const answer = await once(`/kartejo.v1.${method}`, request, signal);
      line.tell(true);
      return answer;
    } catch (failure) {
      const isOver = !(failure instanceof Failure) || !failure.isPassing || signal?.aborted;
      if (isOver || Date.now() + pause > until) throw failure;
      const retryMs = /** @type {Failure} */ (failure).retryMs;
      await rest(Math.max(pause, retryMs ?? 0), signal);
    }
  }
}

/**
 * POST some JSON once; throws a Failure.
 * @param {string} path
 * @param {Message} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<Message>}
 */
export async function once(path, body, signal) {
  const response = await post(path, "application/json", JSON.stringify(body), signal, CALL_MS);
  const text = await response.text();
  if (!response.ok) throw failureOf(response.status, text);
  return JSON.parse(text);
}

/**
 * GET some text once; throws a Failure.
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
export async function text(path, signal) {
  const response = await reach(path, { headers: authorization() }, signal, CALL_MS);
  const told = await response.text();
  if (!response.ok) throw failureOf(response.status, told);
  line.tell(true);
  return told;
}

/**
 * The messages of one stream; throws a Failure where it ends with one.
 * @param {string} method
 * @param {Message} request
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Message>}
 */
export async function* stream(method, request, signal) {
  const body = framed(new TextEncoder().encode(JSON.stringify(request)));
  for await (const data of messages(method, "json", body, signal)) {
    yield JSON.parse(new TextDecoder().decode(data));
  }
}

/**
 * The same in bytes, as the service sent them: for whoever checks what it says.
 * @param {string} method
 * @param {Uint8Array} request
 * @param {AbortSignal} [signal]
 */
export const streamBytes = (method, request, signal) =>
  messages(method, "proto", framed(request), signal);

/**
 * @param {string} method
 * @param {"json" | "proto"} form
 * @param {Uint8Array<ArrayBuffer>} body
 * @param {AbortSignal} [signal]
 */
async function* messages(method, form, body, signal) {
  const late = new AbortController();
  // A browser may take a line for the request that died while nothing went over it.
  const timer = setTimeout(() => late.abort(), FIRST_MS);
  const either = AbortSignal.any(signal ? [late.signal, signal] : [late.signal]);
  const kind = `application/connect+${form}`;
  const response = await post(`/kartejo.v1.${method}`, kind, body, either)
    .catch((error) => {
      throw late.signal.aborted ? unreachable() : error;
    })
    .finally(() => clearTimeout(timer));
  if (!response.ok || !response.body) throw failureOf(response.status, await response.text());
  line.tell(true);
  for await (const { flags, data } of frames(response.body)) {
    if (flags & COMPRESSED) throw new Failure("internal", "a compressed message was not asked for");
    if (!(flags & END_OF_STREAM)) {
      yield data;
      continue;
    }
    const { error } = JSON.parse(new TextDecoder().decode(data));
    if (error) throw failureFrom(error);
    return;
  }
  throw unreachable();
}

/**
 * The messages of a stream over a service that comes and goes, and a tab that sleeps: it is opened
 * again where it ended.  `resume` is the next request, after a message.  Ends with its signal;
 * throws the Failure that trying again would not mend.
 *
 * @param {string} method
 * @param {Message} request
 * @param {(message: Message, request: Message) => Message} resume
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Message>}
 */
export async function* follow(method, request, resume, signal) {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const cut = new AbortController();
    const stopWaiting = onWake(() => cut.abort());
    signal.addEventListener("abort", () => cut.abort(), { once: true });
    try {
      for await (const message of stream(method, request, cut.signal)) {
        pause = FIRST_PAUSE_MS;
        request = resume(message, request);
        yield message;
      }
    } catch (failure) {
      if (signal.aborted) return;
      if (!cut.signal.aborted) {
        if (!(failure instanceof Failure) || !failure.isPassing) throw failure;
        await rest(Math.max(pause, failure.retryMs ?? 0), signal);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    } finally {
      stopWaiting();
      cut.abort();
    }
  }
}

/**
 * Wait; not longer than until the line or the tab comes back.
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function rest(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stopWaiting();
      resolve();
    };
    const timer = setTimeout(done, ms);
    const stopWaiting = onWake(done);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/**
 * Be woken when tab, line or machine come back: a line may have died in the meantime without a word.
 * @param {() => void} wake
 * @returns {() => void} what ends it
 */
function onWake(wake) {
  let hiddenSince = 0;
  let lookedAt = Date.now();
  const seen = () => {
    if (document.hidden) hiddenSince = Date.now();
    else if (hiddenSince && Date.now() - hiddenSince > ASLEEP_MS) wake();
  };
  // A machine that sleeps hides nothing; but no timer runs meanwhile.
  const look = () => {
    const before = lookedAt;
    lookedAt = Date.now();
    if (!document.hidden && lookedAt - before > ASLEEP_MS) wake();
  };
  const shown = (/** @type {PageTransitionEvent} */ event) => {
    if (event.persisted) wake();
  };
  const timer = setInterval(look, LOOK_MS);
  addEventListener("online", wake);
  addEventListener("pageshow", shown);
  document.addEventListener("visibilitychange", seen);
  return () => {
    clearInterval(timer);
    removeEventListener("online", wake);
    removeEventListener("pageshow", shown);
    document.removeEventListener("visibilitychange", seen);
  };
}

/**
 * @param {string} path
 * @param {string} kind
 * @param {string | Uint8Array<ArrayBuffer>} body
 * @param {AbortSignal | undefined} signal
 * @param {number} [ms]
 */
function post(path, kind, body, signal, ms) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": kind, ...authorization() };
  if (ms) headers["Connect-Timeout-Ms"] = String(ms);
  return reach(path, { method: "POST", headers, body }, signal, ms);
}

/**
 * @param {string} path
 * @param {RequestInit} init
 * @param {AbortSignal} [signal]
 * @param {number} [ms]
 */
async function reach(path, init, signal, ms) {
  const signals = [signal, ms ? AbortSignal.timeout(ms + 1_000) : undefined];
  const either = AbortSignal.any(/** @type {AbortSignal[]} */ (signals.filter(Boolean)));
  try {
    return await fetch(path, { ...init, signal: either, cache: "no-store" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
}

/** @returns {Record<string, string>} */
const authorization = () => (token ? { Authorization: `Bearer ${token}` } : {});

function unreachable() {
  line.tell(false);
  return new Failure("unavailable", "the service cannot be reached");
}

/** @param {number} status @param {string} text */
function failureOf(status, text) {
  try {
    return failureFrom(JSON.parse(text));
  } catch {
    const code = status >= 500 ? "unavailable" : "internal";
    return new Failure(code, `the service answered with HTTP ${status}`);
  }
}

/** @param {Message} told */
function failureFrom(told) {
  return new Failure(told.code ?? "unknown", told.message ?? "", told.details);
}

/** @param {Uint8Array} data */
function framed(data) {
  const whole = new Uint8Array(5 + data.length);
  new DataView(whole.buffer).setUint32(1, data.length);
  whole.set(data, 5);
  return whole;
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<{flags: number, data: Uint8Array}>}
 */
async function* frames(body) {
  const reader = body.getReader();
  let held = new Uint8Array(0);
  let at = 0;
  try {
    for (;;) {
      const there = held.length - at;
      const size = there < 5 ? Infinity : new DataView(held.buffer).getUint32(at + 1);
      if (there >= 5 + size) {
        const data = held.slice(at + 5, at + 5 + size);
        at += 5 + size;
        yield { flags: held[at - 5 - size], data };
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return;
      const longer = new Uint8Array(there + value.length);
      longer.set(held.subarray(at));
      longer.set(value, there);
      [held, at] = [longer, 0];
    }
  } catch (error) {
    // A line that breaks in the middle is no news for whoever resumes.
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  } finally {
    reader.releaseLock();
    body.cancel().catch(() => {}); // it is over already, or was broken
  }
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
