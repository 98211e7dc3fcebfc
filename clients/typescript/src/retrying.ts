/** When a call that failed is sent again: safe, since changing requests carry their request id. */
import type { KartejoError } from "./errors.js";

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;
const SHORTEST_ATTEMPT = 100;

/** How long a client waits, in milliseconds. */
export interface Patience {
  /** For one answer. */
  readonly call: number;
  /** For how long, from the first failure on, a call or a watch is sent again; 0: never. */
  readonly total: number;
  /**
   * For news of a watch, until it asks anew how things stand, a minute unless said: nothing else
   * tells a browser of a line that went dead while it slept.
   */
  readonly silence?: number;
}

export const PATIENCE = { call: 10_000, total: 60_000, silence: 60_000 } satisfies Patience;

/**
 * The attempts of one call or watch.  Pauses grow from 50 ms to 2 s, shortened by chance so that
 * callers do not come back together; one that the service asks for (RetryInfo) is kept in full, and a
 * little longer by chance.
 */
export class Attempts {
  private until: number | undefined;
  private pause = FIRST_PAUSE;

  constructor(
    private readonly patience: Patience,
    private readonly clock: () => number = () => performance.now(),
    private readonly chance: () => number = Math.random,
  ) {}

  /** The service has been heard: what fails from now on is another failure. */
  answered(): void {
    this.until = undefined;
    this.pause = FIRST_PAUSE;
  }

  /** The deadline of the next attempt. */
  get timeoutMs(): number {
    const left = this.until === undefined ? Infinity : this.until - this.clock();
    return Math.min(this.patience.call, Math.max(SHORTEST_ATTEMPT, left));
  }

  /**
   * Milliseconds until the next attempt; throws the error if there is none.
   * `repeats`: another attempt is worth it whatever the error says.
   */
  pauseAfter(error: KartejoError, repeats = false): number {
    const asked =
      error.kind === "unavailable" || error.kind === "exhausted" ? error.retryMs : undefined;
    if (!(repeats || error.kind === "unavailable" || asked !== undefined)) throw error;
    const now = this.clock();
    this.until ??= now + this.patience.total;
    const chance = this.chance();
    const pause = Math.max((asked ?? 0) * (1 + chance / 4), this.pause * (1 - chance / 2));
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    if (now + pause > this.until) throw error;
    return pause;
  }
}

/** Ends what hears nothing for some time: `signal` is aborted then. */
export class Silence {
  private readonly ending = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ms: number) {
    this.begin();
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** From now on it is silent. */
  begin(): void {
    this.timer = setTimeout(() => this.ending.abort(), this.ms);
  }

  /** Something was heard, or nobody listens. */
  stop(): void {
    clearTimeout(this.timer);
  }
}

/** Let time pass; ends at once, without an error, when the signal does. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}
