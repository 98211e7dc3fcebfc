/**
 * Play, watch and host card games of a Kartejo service, in browsers and Node.  The messages are in
 * `@kartejo/client/pb/…`, one module for each file of the contract.
 */
export { Client, newRequestId, type Call, type Options, type Token } from "./client.js";
export { KartejoError, type Kind } from "./errors.js";
export { action, gameOf, isAsked, limits, offersOf, randomAction, type Value } from "./offers.js";
export { PATIENCE, type Patience } from "./retrying.js";
