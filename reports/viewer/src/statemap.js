// SPDX-License-Identifier: MIT
// statemap.js -- the allocator at a moment: a bar to scale for each segment, blocks and holes in it.

import { canvas, element, inks, prepare } from "./dom.js";
import { stateAt } from "./segments.js";
import { address, bytes, pool } from "./words.js";

const ROW = 15;
const LEFT = 204;
const RIGHT = 76;
const HEIGHT = 340;

const KEY = "A row is a segment, the largest first. Grey is idle; a dark foot is what rounding added; " +
  "white stripes: freed, but a stream still uses it.";

/** What keeps a segment that is mostly idle. @param {{rows: number[], used: number, segment: {size: number}}} s */
function keepers(s) {
  if (!s.rows.length) return ", nothing in it";
  if (2 * s.used > s.segment.size) return "";
  return `, kept by ${s.rows.length === 1 ? "a block" : `${s.rows.length} blocks`} of ${bytes(s.used)}`;
}

/** Numbers stay, handles are told by their end. @param {string} stream */
function streamWords(stream) {
  return stream.length < 7 ? stream : `\u2026${BigInt(stream).toString(16).slice(-5)}`;
}

export class StateView {
  /** @param {import("./trace.js").Trace} trace
   * @param {(row: number, event: number) => string} colour
   * @param {(row: number) => string} words @param {(row: number) => void} pick */
  constructor(trace, colour, words, pick) {
    this.trace = trace;
    this.colour = colour;
    this.words = words;
    this.pick = pick;
    this.element = element("div", "stage state");
    this.summary = element("div", "readout");
    this.box = element("div", "rows");
    this.box.style.height = `${HEIGHT}px`;
    this.box.tabIndex = 0;
    this.box.setAttribute("aria-label", "Segments, one row each; arrow up and down scroll");
    this.space = element("div");
    this.canvas = canvas("", "Segments of the allocator at the chosen moment");
    this.canvas.style.position = "sticky";
    this.canvas.style.top = "0";
    this.tip = element("div", "tip");
    this.tip.hidden = true;
    this.box.append(this.canvas, this.space);
    this.element.append(this.summary, element("div", "readout panel-note", KEY), this.box, this.tip);
    /** @type {NonNullable<Awaited<ReturnType<typeof stateAt>>>["segments"]} */
    this.segments = [];
    this.event = trace.from;
    this.pinned = -1;
    this.by = "size";
    this.box.addEventListener("scroll", () => this.draw());
    this.canvas.addEventListener("pointermove", (e) => this.hover(e));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("click", (e) => {
      const row = this.rowAt(e).row;
      if (row >= 0) this.pick(row);
    });
  }

  /** @param {Int32Array} rows alive @param {number} event @param {number} pinned
   * @param {import("./slices.js").Turn} turn @returns {Promise<boolean>} false: overtaken */
  async show(rows, event, pinned, turn) {
    const state = await stateAt(this.trace, rows, event, turn);
    if (!state) return false;
    this.event = event;
    this.pinned = pinned;
    this.segments = state.segments;
    if (this.by === "size")
      this.segments.sort((a, b) => b.segment.size - a.segment.size || a.segment.address - b.segment.address);
    let reserved = 0;
    let used = 0;
    let pending = 0;
    let largest = 0;
    for (const s of this.segments) {
      reserved += s.segment.size;
      used += s.used;
      pending += s.pending;
      largest = Math.max(largest, s.largest);
    }
    const free = reserved - used;
    const parts = [
      `${this.segments.length} segments, ${bytes(reserved)} reserved`,
      `${bytes(used)} active${pending ? `, ${bytes(pending)} of it waiting for a stream` : ""}`,
      `${bytes(free)} idle, the largest hole ${bytes(largest)}`,
    ];
    if (reserved) parts.push(`fragmentation ${((100 * free) / reserved).toFixed(1)} %`);
    if (state.lost) parts.push(`${state.lost} blocks (see the table) lie in no segment that is known`);
    this.summary.textContent = parts.join(" \u00b7 ");
    this.draw();
    return true;
  }

  draw() {
    const width = this.box.clientWidth || 800;
    const ink = inks();
    const all = Math.max(2, this.segments.length) * ROW + 8;
    const height = Math.min(HEIGHT, all);
    const g = prepare(this.canvas, width, height);
    this.box.style.height = `${height}px`;
    this.space.style.height = `${Math.max(0, all - height)}px`;
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW));
    const widest = this.segments.reduce((w, s) => Math.max(w, s.segment.size), 1);
    g.textBaseline = "middle";
    for (let i = first; i < this.segments.length && (i - first) * ROW < height; i++)
      this.drawRow(g, this.segments[i], (i - first) * ROW + 4, (width - LEFT - RIGHT) / widest, ink);
    if (!this.segments.length) {
      g.fillStyle = ink.muted;
      g.fillText("No segment is known at this moment.", 12, 20);
    }
    this.canvas.dataset.first = String(first);
  }

  /** @param {CanvasRenderingContext2D} g @param {any} s @param {number} y @param {number} scale
   * @param {any} ink */
  drawRow(g, s, y, scale, ink) {
    const t = this.trace;
    const attr = t.attrs[s.segment.attr];
    const addresses = /** @type {Float64Array} */ (t.addressOf);
    g.fillStyle = ink.muted;
    const where = attr[1] || attr[2] ? pool(attr[1], attr[2]) : attr[0] === "0" ? (s.segment.small ? "small" : "") : `stream ${streamWords(attr[0])}`;
    g.fillText(`${address(s.segment.address)} ${where}`, 8, y + ROW / 2 - 1);
    g.fillStyle = ink.grid;
    g.fillRect(LEFT, y, Math.max(1, s.segment.size * scale), ROW - 3);
    let drawn = LEFT - 1;
    for (const row of s.rows) {
      const x = LEFT + (addresses[row] - s.segment.address) * scale;
      const w = Math.max(0.6, t.size(row) * scale - 0.4);
      // Of many in a pixel, two.
      if (x + w < drawn + 0.5 && row !== this.pinned) continue;
      drawn = x + w;
      g.fillStyle = this.colour(row, this.event);
      g.fillRect(x, y, w, ROW - 3);
      if (t.freeRequested[row] <= this.event) {
        g.fillStyle = ink.paper;
        for (let at = x; at < x + w; at += 4) g.fillRect(at, y, 1, ROW - 3);
      }
      const slack = t.size(row) - Math.max(0, t.requested[t.sizeRow[row]]);
      if (t.requested[t.sizeRow[row]] >= 0 && slack * scale > 1) {
        g.fillStyle = "rgba(0,0,0,.35)";
        g.fillRect(x + w - slack * scale, y + ROW - 7, slack * scale, 4);
      }
      if (row === this.pinned) {
        g.strokeStyle = ink.text;
        g.lineWidth = 2;
        g.strokeRect(x, y - 1, Math.max(3, w), ROW - 1);
      }
    }
    g.fillStyle = ink.muted;
    const words = `${bytes(s.segment.size)}${keepers(s)}`;
    const x = LEFT + s.segment.size * scale + 6;
    // Where there is room: a wide segment has its words at the right.
    const fits = x + g.measureText(words).width < this.box.clientWidth;
    g.fillText(fits ? words : bytes(s.segment.size), x, y + ROW / 2 - 1);
  }

  /** @param {MouseEvent} e */
  rowAt(e) {
    const place = this.canvas.getBoundingClientRect();
    const i = Number(this.canvas.dataset.first) + Math.floor((e.clientY - place.top - 4) / ROW);
    const s = this.segments[i];
    if (!s || !this.trace.addressOf) return { row: -1, segment: null, at: 0 };
    const widest = this.segments.reduce((w, x) => Math.max(w, x.segment.size), 1);
    const at = s.segment.address + ((e.clientX - place.left - LEFT) * widest) / (place.width - LEFT - RIGHT);
    for (const row of s.rows) {
      const from = this.trace.addressOf[row];
      if (at >= from && at < from + this.trace.size(row)) return { row, segment: s, at };
    }
    return { row: -1, segment: s, at };
  }

  /** @param {PointerEvent} e */
  hover(e) {
    const { row, segment, at } = this.rowAt(e);
    this.tip.hidden = !segment;
    if (!segment) return;
    const s = segment.segment;
    const inside = at >= s.address && at < s.address + s.size;
    this.tip.textContent = row >= 0 ? this.words(row)
      : `${inside ? "Hole in a segment" : "Segment"} of ${bytes(s.size)}\n${bytes(segment.used)} active, ${bytes(s.size - segment.used)} idle, largest hole ${bytes(segment.largest)}${keepers(segment).replace(", ", "\n")}`;
    const place = this.element.getBoundingClientRect();
    this.tip.style.left = `${Math.max(0, Math.min(e.clientX - place.left + 12, place.width - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${e.clientY - place.top + 16}px`;
  }
}
