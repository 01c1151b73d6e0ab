// SPDX-License-Identifier: MIT
// query.js -- what a reader types to find allocations: words over frames, and conditions.
//
//     attention  size>1MiB  stream:7  pool:default  addr:0x7f..  event>1,000  time<2.5s  life>3ms
//     /regular expression/
//
// `event` and `time` are those of the allocation; `life` counts events, or has a unit of time.

const CONDITION = /^(size|event|time|life)(>=|<=|>|<|=)(\d{1,3}(?:,\d{3})+|[\d.]+)(b|kib|mib|gib|k|m|g|us|ms|s)?$/i;
const FIELD = /^(stream|pool|addr|category):(.+)$/i;
const FACTOR = /** @type {Record<string, number>} */ ({
  b: 1, k: 1024, kib: 1024, m: 1048576, mib: 1048576, g: 1073741824, gib: 1073741824,
});
const MICROSECONDS = /** @type {Record<string, number>} */ ({ us: 1, ms: 1e3, s: 1e6 });
const MOST_TEXT = 2048;

/** @typedef {{stacks: Uint8Array | null, tests: ((row: number) => boolean)[], error: string}} Query */

/** Stacks with a frame that matches all the words; each word is tried once a distinct frame.
 * @param {any} file @param {((text: string) => boolean)[]} words */
function matchStacks(file, words) {
  const { frames, tree, stacks, sites } = file;
  const hit = frames.map((/** @type {any[]} */ f) => {
    const text = `${f[0]}:${f[1]} ${f[2]}`.slice(0, MOST_TEXT);
    return words.map((w) => w(text));
  });
  const node = new Array(tree.length / 2 + 1);
  node[0] = words.map(() => false);
  for (let i = 1; i < node.length; i++) {
    const above = node[tree[2 * (i - 1)]];
    const own = hit[tree[2 * (i - 1) + 1] - 1];
    node[i] = above.map((/** @type {boolean} */ v, /** @type {number} */ k) => v || own[k]);
  }
  const out = new Uint8Array(stacks.length / 2);
  for (let i = 0; i < out.length; i++) {
    const site = sites[stacks[2 * i + 1]];
    out[i] = node[stacks[2 * i]].every((/** @type {boolean} */ v, /** @type {number} */ k) => v || words[k](site)) ? 1 : 0;
  }
  return out;
}

/** What a condition is about, of a row. @param {import("./trace.js").Trace} t @param {string} of
 * @param {boolean} timed @returns {(row: number) => number} */
function figure(t, of, timed) {
  const end = (/** @type {number} */ r) => Math.min(t.freeCompleted[r], t.to + 1);
  if (of === "size") return (r) => t.size(r);
  if (of === "event") return (r) => t.born[r];
  if (of === "time") return (r) => t.timeOf(t.born[r]);
  return timed ? (r) => t.timeOf(end(r)) - t.timeOf(t.born[r]) : (r) => end(r) - t.born[r];
}

/** Null: the unit does not fit. @param {import("./trace.js").Trace} t @param {RegExpMatchArray} m */
function condition(t, m) {
  const of = m[1].toLowerCase();
  const unit = (m[4] || "").toLowerCase();
  const timed = unit in MICROSECONDS || of === "time";
  if (unit && (of === "event" || (of === "size") === timed || (of === "life" && !timed))) return null;
  const value = Number(m[3].replaceAll(",", "")) * (timed ? MICROSECONDS[unit || "s"] : FACTOR[unit] || 1);
  const get = figure(t, of, timed);
  const op = m[2];
  return (/** @type {number} */ r) => {
    const v = get(r);
    return op === ">" ? v > value : op === "<" ? v < value : op === ">=" ? v >= value : op === "<=" ? v <= value : v === value;
  };
}

/** @param {import("./trace.js").Trace} t @param {string} field @param {string} value
 * @param {(a: number, b: number) => string} poolWords @param {string[]} categories */
function fieldTest(t, field, value, poolWords, categories) {
  const wanted = value.toLowerCase();
  if (field === "addr") {
    const address = Number(wanted);
    return (/** @type {number} */ r) =>
      !!t.addressOf && address >= t.addressOf[r] && address < t.addressOf[r] + Math.max(1, t.size(r));
  }
  const attrs = t.attrs.map((/** @type {any[]} */ a) =>
    field === "stream" ? a[0] === wanted
    : field === "pool" ? poolWords(a[1], a[2]).toLowerCase().replace(" ", "") === wanted.replace(" ", "")
    : categories[a[3]].toLowerCase().startsWith(wanted));
  return (/** @type {number} */ r) => attrs[t.attrRow[r]];
}

/** @param {import("./trace.js").Trace} t @param {string} text
 * @param {(a: number, b: number) => string} poolWords @param {string[]} categories
 * @returns {Query} */
export function parseQuery(t, text, poolWords, categories) {
  /** @type {Query} */
  const query = { stacks: null, tests: [], error: "" };
  /** @type {((text: string) => boolean)[]} */
  const words = [];
  const whole = /^\/(.+)\/$/.exec(text.trim());
  for (const word of whole ? [text.trim()] : text.trim().split(/\s+/)) {
    if (!word) continue;
    const c = CONDITION.exec(word);
    const f = FIELD.exec(word);
    const re = /^\/(.+)\/$/.exec(word);
    if (c) {
      const test = condition(t, c);
      if (test) query.tests.push(test);
      else query.error = `${c[4]} is no unit of ${c[1]}`;
    }
    else if (f) query.tests.push(fieldTest(t, f[1].toLowerCase(), f[2], poolWords, categories));
    else if (re) {
      try {
        const compiled = new RegExp(re[1], "i");
        words.push((s) => compiled.test(s));
      } catch {
        query.error = `not a regular expression: ${re[1]}`;
      }
    } else {
      const lower = word.toLowerCase();
      words.push((s) => s.toLowerCase().includes(lower));
    }
  }
  if (words.length) query.stacks = matchStacks(t.file, words);
  return query;
}

/** @param {Query} q @param {import("./trace.js").Trace} t @param {number} row */
export function passes(q, t, row) {
  if (q.stacks && !q.stacks[t.stackRow[row]]) return false;
  for (const test of q.tests) if (!test(row)) return false;
  return true;
}
