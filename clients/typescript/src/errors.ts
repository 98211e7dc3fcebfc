/**
 * What calls end with when they fail.  Programs compare `kind` and `reason`; the text is for people.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";

/** What to do about a failure. */
export type Kind =
  /** The rules say no; nothing has changed: choose another action. */
  | "refused"
  /** `field` is wrong, `expected` says what was expected. */
  | "invalid"
  /** STALE_DECISION, or somebody was faster: look, decide again. */
  | "conflict"
  /** The request id stands for another request. */
  | "reused"
  /** No such thing, or none that you may know of. */
  | "not_found"
  /** Not your seat, not your role. */
  | "denied"
  /** No valid token; TOKEN_EXPIRED. */
  | "unauthenticated"
  /** A limit; `retryMs` says when to try again, undefined: not by waiting. */
  | "exhausted"
  /** Nobody answered in time: nothing is known to be done.  Sending the same again is safe. */
  | "unavailable"
  /** The caller's own signal ended it. */
  | "cancelled"
  /** Anything else. */
  | "failed";

const KINDS: { [code in Code]?: Kind } = {
  [Code.FailedPrecondition]: "refused",
  [Code.InvalidArgument]: "invalid",
  [Code.Aborted]: "conflict",
  [Code.AlreadyExists]: "reused",
  [Code.NotFound]: "not_found",
  [Code.PermissionDenied]: "denied",
  [Code.Unauthenticated]: "unauthenticated",
  [Code.ResourceExhausted]: "exhausted",
  [Code.Unavailable]: "unavailable",
  [Code.DeadlineExceeded]: "unavailable",
  [Code.Canceled]: "unavailable", // not by us, who would not ask what it was
};

/** A call failed. */
export class KartejoError extends Error {
  override readonly name = "KartejoError";
  readonly kind: Kind;
  readonly code: Code;
  /** The word to compare; "" where no service spoke. */
  readonly reason: string;
  /** What the reason is about. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Which field of the request is wrong, and what it should be; else "". */
  readonly field: string;
  readonly expected: string;
  /** After which time the service says that a repetition makes sense. */
  readonly retryMs: number | undefined;

  constructor(failure: unknown, cancelled = false) {
    const error = ConnectError.from(failure);
    super(error.rawMessage, { cause: failure });
    const info = error.findDetails(ErrorInfoSchema)[0];
    const wrong = error.findDetails(BadRequestSchema)[0]?.fieldViolations[0];
    const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
    // What fails below the protocol, such as a refused connection, has no code of a service.
    const known = failure instanceof ConnectError && error.code !== Code.Unknown;
    this.code = known ? error.code : Code.Unavailable;
    this.kind = cancelled ? "cancelled" : (KINDS[this.code] ?? "failed");
    this.reason = info?.reason ?? "";
    this.metadata = info?.metadata ?? {};
    this.field = wrong?.field ?? "";
    this.expected = wrong?.description ?? "";
    this.retryMs = delay && durationMs(delay);
  }
}
