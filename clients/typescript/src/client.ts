/** A caller at one service: calls that are sent again, watches that go on where they were. */
import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { KartejoError } from "./errors.js";
import type { Action } from "./gen/kartejo/v1/games_pb.js";
import {
  TableService,
  type CreateTableResponse,
  type GetTableResponse,
  type StartHandResponse,
  type SubmitActionResponse,
  type TableState,
  type WatchTableResponse,
} from "./gen/kartejo/v1/table_service_pb.js";
import {
  TournamentService,
  type WatchTournamentResponse,
} from "./gen/kartejo/v1/tournament_service_pb.js";
import { action } from "./offers.js";
import { Attempts, PATIENCE, Silence, sleep, type Patience } from "./retrying.js";

/** A token, or what gives one whenever it is asked: each attempt asks, so keep what it costs. */
export type Token = string | (() => string | Promise<string>);

export interface Options {
  /** Where the service answers HTTP, such as "http://127.0.0.1:50180". */
  readonly url: string;
  readonly token: Token;
  readonly patience?: Patience;
}

/** What a call, a stream or a watch may be given. */
export interface Call {
  /** Ends it: calls and streams with a KartejoError of kind "cancelled", a watch without one. */
  readonly signal?: AbortSignal;
  /** Another than the client's. */
  readonly patience?: Patience;
}

type Texts = Record<string, string>;

/** An id for a changing request; the same one goes with every repetition of it. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID wants https
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Client {
  // Private to the engine too: nothing that prints an object shows the token.
  readonly #token: Token;
  private readonly transport: Transport;
  private readonly patience: Patience;

  /** Throws `TypeError` for what is no URL. */
  constructor({ url, token, patience = PATIENCE }: Options) {
    this.transport = createConnectTransport({ baseUrl: new URL(url).href, useBinaryFormat: true });
    this.#token = token;
    this.patience = patience;
  }

  /**
   * The answer of a unary method, however often it has to be sent, such as
   * `call(GameService.method.listGames, {})`.  A request without a request id gets one.
   * Throws `KartejoError`.
   */
  async call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { signal, patience = this.patience }: Call = {},
  ): Promise<MessageShape<O>> {
    const input = create(method.input, request) as MessageShape<I> & { requestId?: string };
    if (input.requestId === "") input.requestId = newRequestId();
    const attempts = new Attempts(patience);
    for (;;) {
      const headers = await this.headers();
      try {
        const sent = this.transport.unary(method, signal, attempts.timeoutMs, headers, input);
        return (await sent).message as MessageShape<O>;
      } catch (failure) {
        const error = new KartejoError(failure, signal?.aborted);
        await sleep(attempts.pauseAfter(error, this.renews(error)), signal);
      }
    }
  }

  /**
   * The answers of any stream, once and as they come, such as
   * `stream(ReplayService.method.replayHand, { tableId, hand })`.  Throws `KartejoError` where it
   * breaks off.
   */
  async *stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    { signal }: Call = {},
  ): AsyncGenerator<MessageShape<O>> {
    const headers = await this.headers();
    const left = new AbortController();
    const ends = AbortSignal.any([left.signal, ...(signal ? [signal] : [])]);
    const input = async function* () {
      yield request;
    };
    try {
      const answers = await this.transport.stream(method, ends, undefined, headers, input());
      for await (const answer of answers.message) yield answer as MessageShape<O>;
    } catch (failure) {
      throw new KartejoError(failure, signal?.aborted);
    } finally {
      left.abort();
    }
  }

  /**
   * The news of a table after a version, over lines and services that come and go.  No event comes
   * twice, none is left out.  Whenever the watch has caught up, at first and after each
   * interruption, a message without events has the state; so has all that follows.
   * Throws `KartejoError` when patience ends.
   */
  watchTable(tableId: string, afterVersion = 0n, call: Call = {}): AsyncGenerator<WatchTableResponse> {
    const ask = (version: bigint) => ({ tableId, afterVersion: version });
    return this.watch(TableService.method.watchTable, ask, afterVersion, call);
  }

  /** The same for a tournament; `mine`: how the caller stands in it. */
  watchTournament(
    tournamentId: string,
    { afterVersion = 0n, mine = false, ...call }: Call & { afterVersion?: bigint; mine?: boolean } = {},
  ): AsyncGenerator<WatchTournamentResponse> {
    const ask = (version: bigint) => ({ tournamentId, afterVersion: version, mine });
    return this.watch(TournamentService.method.watchTournament, ask, afterVersion, call);
  }

  private async *watch<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    ask: (version: bigint) => MessageInitShape<I>,
    afterVersion: bigint,
    { signal, patience = this.patience }: Call,
  ): AsyncGenerator<MessageShape<O>> {
    const attempts = new Attempts(patience);
    let version = afterVersion;
    while (!signal?.aborted) {
      const silence = new Silence(patience.silence ?? PATIENCE.silence);
      const ends = AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]);
      let heard = false;
      try {
        for await (const news of this.stream(method, ask(version), { signal: ends })) {
          heard = true;
          silence.stop();
          attempts.answered();
          const { version: now } = news as MessageShape<O> & { version: bigint };
          if (now > version) version = now;
          yield news;
          silence.begin();
        }
        return;
      } catch (failure) {
        if (signal?.aborted) return;
        const silent = silence.signal.aborted;
        if (silent && heard) continue;
        const error = silent ? new KartejoError(new ConnectError("no answer", Code.DeadlineExceeded)) : failure;
        if (!(error instanceof KartejoError)) throw error;
        // Whoever was too slow to read a stream may go on with another.
        const repeats = (heard && error.kind === "exhausted") || this.renews(error);
        await sleep(attempts.pauseAfter(error, repeats), signal);
      } finally {
        silence.stop();
      }
    }
  }

  /** Make a table; the caller is its host. */
  createTable(game: string, options: Texts = {}, houseOptions: Texts = {}): Promise<CreateTableResponse> {
    return this.call(TableService.method.createTable, { game, options, houseOptions });
  }

  /** A table as it is now. */
  getTable(tableId: string): Promise<GetTableResponse> {
    return this.call(TableService.method.getTable, { tableId });
  }

  /** Sit down. */
  takeSeat(tableId: string, seat: number, chips = 0n): Promise<SubmitActionResponse> {
    const sits = action("common", "take_seat", { chips });
    return this.call(TableService.method.submitAction, { tableId, seat, action: sits });
  }

  /** Begin the next hand, or what has to begin before it. */
  startHand(tableId: string): Promise<StartHandResponse> {
    return this.call(TableService.method.startHand, { tableId });
  }

  /**
   * Do something at a seat, as an answer to what `state` shows.  Throws a `KartejoError` of kind
   * "refused" if the rules say no, "conflict" if the decision is over.
   */
  act(state: TableState, seat: number, does: Action, requestId = ""): Promise<SubmitActionResponse> {
    const { tableId, decision } = state;
    const answers = decision && { hand: decision.hand, decision: decision.number };
    const request = { requestId, tableId, seat, action: does, ...answers };
    return this.call(TableService.method.submitAction, request);
  }

  /** What every call carries.  Throws `RangeError`, which does not tell it, for no token. */
  private async headers(): Promise<Headers> {
    const told = typeof this.#token === "string" ? this.#token : await this.#token();
    const token = told.trim();
    // What `Headers` says of one that cannot be has all of it.
    if (!/^[ -~]*$/.test(token)) throw new RangeError("a token is printable ASCII: this one is not");
    return new Headers(token ? { authorization: `Bearer ${token}` } : {});
  }

  /** Whether another token may mend what a call ended with. */
  private renews(error: KartejoError): boolean {
    return error.reason === "TOKEN_EXPIRED" && typeof this.#token !== "string";
  }
}
