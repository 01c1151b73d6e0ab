// SPDX-License-Identifier: MIT
// colours.js -- the colour of each allocation, by what the reader asks for, and the legend of it.

import { abgr, bytes, CATEGORY_COLOURS, elide, manyColour, pool, ramp } from "./words.js";

const MOST_NAMES = 12;
const OTHERS = "#9aa3ad";

/** @typedef {{key: string, of: (row: number, event: number) => number, hex: (row: number, event: number) => string, legend: [string, string][]}} Colours */

/** @type {Colours} */
export const PLAIN = { key: "", of: () => 0xff666666, hex: () => "#666666", legend: [] };

/** The names with the most bytes times time have a colour of their own.
 * @param {import("./trace.js").Trace} t @param {Float64Array} weights of each name
 * @param {(row: number) => number} nameOf @param {(i: number) => string} words @param {string} key
 * @returns {Colours} */
function byName(t, weights, nameOf, words, key) {
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).filter((i) => weights[i] > 0);
  const hex = new Array(weights.length).fill(OTHERS);
  /** @type {[string, string][]} */
  const legend = [];
  order.slice(0, MOST_NAMES).forEach((name, i) => {
    hex[name] = manyColour(i);
    legend.push([manyColour(i), elide(words(name), 90)]);
  });
  if (order.length > MOST_NAMES) legend.push([OTHERS, `${order.length - MOST_NAMES} others`]);
  return shaded(t, hex, nameOf, legend, key);
}

/** Weights of groups. @param {Float64Array} weights @param {(i: number) => number} group @param {number} n */
function added(weights, group, n) {
  const out = new Float64Array(n);
  for (let i = 0; i < weights.length; i++) out[group(i)] += weights[i];
  return out;
}

/** Neighbours of one colour differ in shade. @param {import("./trace.js").Trace} t
 * @param {string[]} hex @param {(row: number) => number} nameOf
 * @param {[string, string][]} legend @param {string} key @returns {Colours} */
function shaded(t, hex, nameOf, legend, key) {
  const table = new Uint32Array(hex.length * 2);
  hex.forEach((h, i) => {
    table[2 * i] = abgr(h);
    table[2 * i + 1] = abgr(h, 0.86);
  });
  return { key, legend, of: (row) => table[2 * nameOf(row) + (row & 1)], hex: (row) => hex[nameOf(row)] };
}

/** @param {import("./trace.js").Trace} t @param {string[]} categories @param {string} by
 * @returns {Promise<Colours>} */
export async function coloursBy(t, categories, by) {
  const attr = (/** @type {number} */ row) => t.attrRow[row];
  if (by === "category") {
    const category = t.attrs.map((/** @type {any[]} */ a) => a[3]);
    const used = added(t.rowsOf, (i) => category[i], categories.length);
    /** @type {[string, string][]} */
    const legend = [];
    for (const [i, name] of categories.entries()) if (used[i]) legend.push([CATEGORY_COLOURS[i], name.toLowerCase().replace("_", " ")]);
    return shaded(t, CATEGORY_COLOURS, (row) => category[attr(row)], legend, "category");
  }
  if (by === "size") return bySize(t);
  if (by === "age") return byAge(t);
  const weights = await t.weights();
  if (by === "site") {
    const site = (/** @type {number} */ row) => t.file.stacks[2 * t.stackRow[row] + 1];
    const heavy = added(weights.stacks, (i) => t.file.stacks[2 * i + 1], t.file.sites.length);
    return byName(t, heavy, site, (i) => t.file.sites[i].replace(/^.*\/(?=[^/ ]+:\d+ )/, ""), by);
  }
  const words = t.attrs.map((/** @type {any[]} */ a) => (by === "stream" ? `stream ${a[0]}` : pool(a[1], a[2])));
  const names = [...new Set(words)];
  const index = words.map((/** @type {string} */ w) => names.indexOf(w));
  return byName(t, added(weights.attrs, (i) => index[i], names.length), (row) => index[attr(row)], (i) => String(names[i]), by);
}

/** @param {import("./trace.js").Trace} t @returns {Colours} */
function bySize(t) {
  const part = (/** @type {number} */ size) => (Math.log2(Math.max(512, size)) - 9) / 25;
  const hex = Array.from(t.sizes, (s) => ramp(part(s)));
  /** @type {[string, string][]} */
  const legend = [512, 65536, 1048576, 33554432, 1073741824].map((s) => [ramp(part(s)), bytes(s)]);
  return shaded(t, hex, (row) => t.sizeRow[row], legend, "size");
}

/** @param {import("./trace.js").Trace} t @returns {Colours} */
function byAge(t) {
  const part = (/** @type {number} */ age) => Math.log2(age + 1) / Math.max(1, Math.log2(t.nEvents + 1));
  const table = Array.from({ length: 65 }, (_, i) => ramp(1 - i / 64));
  const inks = table.map((h) => [abgr(h), abgr(h, 0.86)]);
  const at = (/** @type {number} */ row, /** @type {number} */ event) =>
    Math.max(0, Math.min(64, Math.round(64 * part(Math.max(0, event - t.born[row])))));
  return {
    key: "age",
    legend: [[table[0], "just allocated"], [table[32], "older"], [table[64], "as old as the trace"]],
    of: (row, event) => inks[at(row, event)][row & 1],
    hex: (row, event) => table[at(row, event)],
  };
}
