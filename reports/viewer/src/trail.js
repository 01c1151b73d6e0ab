// SPDX-License-Identifier: MIT
// trail.js -- where the band of one allocation lies in the columns of a picture.

const OFTEN = 16383;

/** `offsets`: bytes below it, of column `first` and those that follow.
 * @typedef {{shown: any, first: number, offsets: Float64Array}} Trail */

/** Rows are in the order of births, so what lies below a row was there before it and can only go:
 * one walk along the changes of its life tells all. Null: not in sight, or no longer wanted.
 * @param {import("./stage.js").Stage} stage @param {number} row
 * @param {import("./slices.js").Turn} turn @returns {Promise<Trail | null>} */
export async function trailOf(stage, row, turn) {
  const { trace, stand, shown, hide, moments, trailed: alive } = stage;
  const { changes, sizes, sizeRow } = trace;
  let first = 0;
  while (first < stand.length && !aliveAt(trace, row, stand[first])) first++;
  let end = first;
  while (end < stand.length && aliveAt(trace, row, stand[end])) end++;
  if (end === first || trace.size(row) < hide) return null;
  moments.seek(alive, stand[first]);
  let below = trace.loose;
  for (let i = 0; i < alive.n && alive.rows[i] < row; i++) if (alive.sizes[i] >= hide) below += alive.sizes[i];
  const offsets = new Float64Array(end - first);
  let at = stand[first];
  for (let c = first; c < end; c++) {
    for (const to = stand[c]; at < to; at++) {
      const change = changes[at];
      if (change < 0 && ~change < row && sizes[sizeRow[~change]] >= hide) below -= sizes[sizeRow[~change]];
      if ((at & OFTEN) === 0 && turn.due && !(await turn.pass())) return null;
    }
    offsets[c - first] = below;
  }
  return { shown, first, offsets };
}

/** @param {import("./trace.js").Trace} trace @param {number} row @param {number} index of a change */
function aliveAt(trace, row, index) {
  return trace.alive(row, index ? trace.changeEvent(trace.changes[index - 1]) : trace.from);
}
