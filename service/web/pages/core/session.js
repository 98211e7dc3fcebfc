// Who is here: the link of the terminal brings a code, the code a token, kept while the tab lives.

import { Failure, call, callAs, once } from "./rpc.js";
import { ofTab } from "./storage.js";

const KEPT = "kartejo.session";
const PLACE = "kartejo.place";

/** @typedef {{token: string, subject: string, until: number, player: string, name: string}} Session */

/** @type {Session | null} */
let current = null;
let isOver = false;

/** Tells when somebody comes or goes: event "change". */
export const sessions = new EventTarget();

/** Who is here; null: nobody. @returns {Session | null} */
export function session() {
  if (current && Date.now() >= current.until) {
    forget();
    isOver = true;
  }
  return current;
}

/** Why nobody is here, if it is because somebody's time is over. @returns {Failure | null} */
export function whyOut() {
  const why = "your time here is over. In a terminal, kartejo link prints a new link";
  return isOver ? new Failure("unauthenticated", why) : null;
}

/** My opaque id, as it stands at tables; empty: nobody is here. */
export function me() {
  return session()?.player ?? "";
}

/**
 * Come back to the session of this tab, or in by the code behind the #; throws a Failure that says
 * why a link does not work.
 */
export async function enter() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  recall();
  if (!code) return;
  // Neither history nor a screenshot shall keep it.
  history.replaceState(null, "", location.pathname + (ofTab.getItem(PLACE) ?? "#/"));
  ofTab.removeItem(PLACE);
  const told = await once("/login", { code });
  await begin(told.token, told.subject, 1000 * told.seconds);
}

/** Where to go when a link that is opened in this tab has let somebody in. @param {string} hash */
export function comeBackTo(hash) {
  ofTab.setItem(PLACE, hash);
}

/** Come in with a token, such as an operator's file holds; throws a Failure. @param {string} text */
export async function enterWithToken(text) {
  const claims = claimsOf(text.trim());
  const ms = 1000 * (claims.exp ?? Infinity) - Date.now();
  await begin(text.trim(), String(claims.sub ?? ""), ms);
}

/** The roles of whoever is here, as the token has them. @returns {string[]} */
export function roles() {
  return current ? (claimsOf(current.token).roles ?? []) : [];
}

/** Take another name; throws a Failure. @param {string} name */
export async function rename(name) {
  if (!current) return;
  const { profile } = await call("PersonService/GetProfile");
  await call("PersonService/SetProfile", { name, contact: profile?.contact ?? "" });
  keep({ ...current, name });
}

/** Leave: the tab knows nobody any more. */
export function forget() {
  current = null;
  isOver = false;
  callAs("");
  ofTab.removeItem(KEPT);
  sessions.dispatchEvent(new Event("change"));
}

/** @param {string} token @param {string} subject @param {number} ms */
async function begin(token, subject, ms) {
  callAs(token);
  try {
    const profile = await profileOf(token);
    const until = Math.min(Date.now() + ms, Number.MAX_SAFE_INTEGER);
    keep({ token, subject, until, player: profile.player ?? "", name: profile.name ?? "" });
  } catch (failure) {
    callAs(current?.token ?? "");
    throw failure;
  }
}

/** Who somebody is at tables; a token for one table is told no names. @param {string} token */
async function profileOf(token) {
  if (claimsOf(token).table) return {};
  return (await call("PersonService/GetProfile")).profile ?? {};
}

/** @param {Session} found */
function keep(found) {
  current = found;
  callAs(found.token);
  ofTab.setItem(KEPT, JSON.stringify(found));
  sessions.dispatchEvent(new Event("change"));
}

function recall() {
  const kept = ofTab.getItem(KEPT);
  if (!kept) return;
  current = JSON.parse(kept);
  callAs(current?.token ?? "");
  session();
}

/** What a token says, unverified: the service decides. @param {string} token */
function claimsOf(token) {
  try {
    const middle = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(atob(middle));
  } catch {
    throw new Failure("unauthenticated", "this is no token");
  }
}
