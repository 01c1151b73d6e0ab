// SPDX-License-Identifier: MIT
// permalink.js -- the view in the address of the page, read with a strict grammar.

const NUMBER = /^-?\d{1,17}(\.\d{1,6})?$/;
const MOST_QUERY = 200;

/** @typedef {{f?: number, d?: number, x?: string, t?: [number, number], y?: [number, number], m?: number, sel?: number, c?: string, tab?: string, q?: string}} Link */

/** @param {string} text @returns {[number, number] | undefined} */
function range(text) {
  const parts = text.split("~");
  if (parts.length !== 2 || !parts.every((p) => NUMBER.test(p))) return undefined;
  const [from, to] = parts.map(Number);
  return to > from ? [from, to] : undefined;
}

/** What a hash says; whatever does not fit is not there. @param {string} hash @returns {Link} */
export function parseLink(hash) {
  /** @type {Link} */
  const link = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    const key = part.slice(0, at);
    let value = part.slice(at + 1);
    if (at < 1) continue;
    if ((key === "f" || key === "d" || key === "m" || key === "sel") && /^-?\d{1,10}$/.test(value))
      link[key] = Number(value);
    else if (key === "x" && (value === "time" || value === "event")) link.x = value;
    else if (key === "t" || key === "y") link[key] = range(value);
    else if ((key === "c" || key === "tab") && /^[a-z]{1,12}$/.test(value)) link[key] = value;
    else if (key === "q") {
      try {
        value = decodeURIComponent(value);
      } catch {
        continue;
      }
      if (value.length <= MOST_QUERY) link.q = value;
    }
  }
  return link;
}

/** @param {Link} link */
export function formatLink(link) {
  /** @type {string[]} */
  const parts = [];
  for (const [key, value] of Object.entries(link)) {
    if (value === undefined || value === "") continue;
    if (Array.isArray(value)) parts.push(`${key}=${value.map((v) => +v.toFixed(3)).join("~")}`);
    else parts.push(`${key}=${encodeURIComponent(String(value))}`);
  }
  return `#${parts.join("&")}`;
}

/** @param {Link} link */
export function storeLink(link) {
  try {
    history.replaceState(null, "", formatLink(link));
  } catch {
    // Some viewers of local files refuse; the link is a convenience.
  }
}
