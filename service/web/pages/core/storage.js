// What is kept for a tab, or for the browser; where the browser keeps nothing for pages (cookies are
// blocked), until the page is loaded again.

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Kept */

/** @param {() => Storage} of @returns {Kept} */
function kept(of) {
  try {
    of().getItem("");
    return of();
  } catch {
    const held = new Map();
    return {
      getItem: (name) => held.get(name) ?? null,
      setItem: (name, value) => held.set(name, value),
      removeItem: (name) => held.delete(name),
    };
  }
}

export const ofTab = kept(() => sessionStorage);
export const ofBrowser = kept(() => localStorage);
