// SPDX-License-Identifier: MIT
// segments.js -- memory obtained from the driver at any moment, and what lies in it.

import { placesInOrder } from "./sort.js";
import { SEGMENT_ALLOC, SEGMENT_MAP, SEGMENT_UNMAP, SMALL_SEGMENT_BYTES } from "./trace.js";

const SEGMENT_FREE = 5;
/** Loops look at the clock once in so many rounds: a mask. */
const OFTEN = 0xfff;

/** @typedef {import("./trace.js").Segment} Segment */

/** Reserved bytes behind each event that changes them.
 * @param {import("./trace.js").Trace} trace */
export function reservedSeries(trace) {
  let now = 0;
  for (const s of trace.segments) now += s.size;
  const events = [trace.from];
  const bytes = [now];
  for (const r of trace.rare) {
    if (r.action === SEGMENT_ALLOC || r.action === SEGMENT_MAP) now += r.size;
    else if (r.action === SEGMENT_FREE || r.action === SEGMENT_UNMAP) now = Math.max(0, now - r.size);
    else continue;
    events.push(r.event);
    bytes.push(now);
  }
  return { events, bytes, known: events.length > 1 || now > 0 };
}

/** @param {Segment[]} list @param {number} from @param {number} to */
function cut(list, from, to) {
  /** @type {Segment[]} */
  const out = [];
  for (const s of list) {
    const end = s.address + s.size;
    if (end <= from || s.address >= to) {
      out.push(s);
      continue;
    }
    if (s.address < from) out.push({ ...s, size: from - s.address });
    if (end > to) out.push({ ...s, address: to, size: end - to });
  }
  return out;
}

/** By address; neighbouring parts of an expandable segment are one.
 * @param {import("./trace.js").Trace} trace @param {number} event @returns {Segment[]} */
export function segmentsAt(trace, event) {
  /** @type {Map<number, Segment>} */
  const whole = new Map();
  let parts = [];
  for (const s of trace.segments) {
    if (s.expandable) parts.push(s);
    else whole.set(s.address, s);
  }
  for (const r of trace.rare) {
    if (r.event > event) break;
    const small = r.size <= SMALL_SEGMENT_BYTES;
    const s = { address: r.address, size: r.size, attr: r.attr, expandable: r.action === SEGMENT_MAP, small };
    if (r.action === SEGMENT_ALLOC) whole.set(r.address, s);
    else if (r.action === SEGMENT_FREE) whole.delete(r.address);
    else if (r.action === SEGMENT_MAP) parts.push(s);
    else if (r.action === SEGMENT_UNMAP) parts = cut(parts, r.address, r.address + r.size);
  }
  parts.sort((a, b) => a.address - b.address);
  /** @type {Segment[]} */
  const joined = [];
  for (const s of parts) {
    const last = joined[joined.length - 1];
    if (last && last.address + last.size === s.address && sameKind(trace, last, s)) last.size += s.size;
    else joined.push({ ...s });
  }
  return [...whole.values(), ...joined].sort((a, b) => a.address - b.address);
}

/** @param {import("./trace.js").Trace} trace @param {Segment} a @param {Segment} b */
function sameKind(trace, a, b) {
  const x = trace.attrs[a.attr];
  const y = trace.attrs[b.attr];
  return x[0] === y[0] && x[1] === y[1] && x[2] === y[2];
}

/** Segments with the rows in them, by address; how many rows lie in none. Null: overtaken.
 * @param {import("./trace.js").Trace} trace @param {Int32Array} rows alive @param {number} event
 * @param {import("./slices.js").Turn} turn */
export async function stateAt(trace, rows, event, turn) {
  const addresses = trace.addressOf;
  const segments = segmentsAt(trace, event).map((s) => ({
    segment: s, rows: /** @type {number[]} */ ([]), used: 0, pending: 0, largest: 0,
  }));
  let lost = 0;
  if (!addresses) return { segments, lost: rows.length };
  const order = await placesInOrder(Float64Array.from(rows, (r) => addresses[r]), turn);
  if (!order) return null;
  let at = 0;
  for (let i = 0; i < order.length; i++) {
    const row = rows[order[i]];
    if ((i & OFTEN) === 0 && turn.due && !(await turn.pass())) return null;
    const address = addresses[row];
    while (at < segments.length && segments[at].segment.address + segments[at].segment.size <= address) at++;
    const home = segments[at];
    if (!home || address < home.segment.address) {
      lost++;
      continue;
    }
    home.rows.push(row);
    home.used += trace.size(row);
    if (trace.freeRequested[row] <= event) home.pending += trace.size(row);
  }
  for (const home of segments) {
    let end = home.segment.address;
    for (const row of home.rows) {
      home.largest = Math.max(home.largest, addresses[row] - end);
      end = addresses[row] + trace.size(row);
    }
    home.largest = Math.max(home.largest, home.segment.address + home.segment.size - end);
  }
  return { segments, lost };
}
