// SPDX-License-Identifier: MIT
// stage.js -- the two pictures over time: all allocations, and sums by category.
//
// A redraw shows the old bitmap moved and stretched at once, then draws columns in slices, so that
// input never waits. Panning by whole pixels draws only what came into sight.

import { canvas, element, inks, prepare } from "./dom.js";
import { Live, Moments } from "./live.js";
import { Raster, edgesOf, highest, rowAt } from "./raster.js";
import { reservedSeries } from "./segments.js";
import { SLICE_MS, slice } from "./slices.js";
import { byteStep, bytes, CATEGORY_COLOURS, count, decimalStep, duration, elide } from "./words.js";

export const LEFT = 84;
export const RIGHT = 14;
const TOP = 20;
const HEIGHT = 320;
const AXIS = 22;
const SPAN_ROWS = 14;
const AREA_HEIGHT = 110;

export class Stage {
  /** @param {import("./trace.js").Trace} trace */
  constructor(trace) {
    this.trace = trace;
    this.moments = new Moments(trace);
    this.raster = new Raster(trace, this.moments);
    this.reserved = reservedSeries(trace);
    this.byTime = trace.byTime === true;
    this.start = 0;
    this.perColumn = 1;
    this.low = 0;
    this.high = 1;
    this.hide = 0;
    this.moment = trace.from;
    this.pinned = -1;
    this.hovered = -1;
    this.element = element("div", "stage");
    this.base = canvas("", "");
    this.over = canvas("over", "Active memory: every allocation over time");
    this.over.tabIndex = 0;
    this.over.setAttribute("role", "application");
    this.tip = element("div", "tip");
    this.tip.hidden = true;
    this.element.append(this.base, this.over, this.tip);
    this.areaElement = element("div", "stage");
    this.area = canvas("", "Memory by category over the same time");
    this.area.setAttribute("role", "img");
    this.areaElement.append(this.area);
    this.bitmap = /** @type {HTMLCanvasElement} */ (document.createElement("canvas"));
    /** @type {Uint32Array<ArrayBuffer>} */
    this.pixels = new Uint32Array(0);
    /** @type {Int32Array} */
    this.stand = new Int32Array(0);
    /** @type {Float64Array} */
    this.edges = new Float64Array(1);
    /** @type {Live | null} */
    this.pickLive = null;
    this.pickAt = -1;
    /** What the pixels show: a key of scale and colours, and where they begin. */
    this.shown = { key: "", start: 0, perColumn: 1, low: 0, high: 1, width: 0 };
    this.job = 0;
    this.ready = false;
    /** How long parts took, for benches. @type {Record<string, number>} */
    this.took = {};
    this.wholeBitmap = /** @type {{key: string, pixels: Uint32Array<ArrayBuffer>, stand: Int32Array, edges: Float64Array} | null} */ (null);
    this.colourKey = "";
    this.height = HEIGHT;
    this.marks = trace.about;
  }

  get width() {
    return Math.max(50, Math.floor((this.element.clientWidth || 1000) - LEFT - RIGHT));
  }

  get whole() {
    const t = this.trace;
    return this.byTime ? { start: 0, span: Math.max(1, t.lastTime) } : { start: t.from, span: Math.max(1, t.nEvents) };
  }

  async build() {
    await this.moments.build(slice);
    this.fit();
  }

  /** @returns {number} */
  get ceiling() {
    const limits = this.marks.ooms.map((/** @type {any} */ o) => o.limit_bytes || 0);
    const peak = this.trace.peakTotal;
    const reserved = this.reserved.known ? this.reserved.bytes.reduce((a, b) => Math.max(a, b), 0) : 0;
    const near = limits.filter((/** @type {number} */ l) => l < 2 * Math.max(peak, reserved));
    return Math.max(peak, reserved, ...near, 1) * 1.04;
  }

  fit() {
    const { start, span } = this.whole;
    this.start = start;
    this.perColumn = span / this.width;
    this.low = 0;
    this.high = this.ceiling;
  }

  /** Position of an event on the axis. @param {number} event */
  position(event) {
    return this.byTime ? this.trace.timeOf(event) : event;
  }

  /** @param {number} event */
  x(event) {
    return LEFT + (this.position(event) - this.start) / this.perColumn;
  }

  /** @param {number} b */
  y(b) {
    return TOP + this.height - ((b - this.low) / (this.high - this.low)) * this.height;
  }

  /** @param {number} x of the canvas */
  eventAtX(x) {
    const c = Math.max(0, Math.min(this.edges.length - 2, Math.floor(x - LEFT)));
    const stand = this.stand[c];
    if (stand === undefined || !this.edges.length) return this.trace.from;
    const event = stand ? this.trace.changeEvent(this.trace.changes[stand - 1]) : this.trace.from;
    return Math.max(event, Math.min(this.edges[c], this.trace.to));
  }

  /** What lies under a point: exact at every zoom. @param {number} x @param {number} y */
  pick(x, y) {
    const c = Math.floor(x - LEFT);
    const level = this.height - 1 - Math.floor(y - TOP);
    if (c < 0 || c >= this.stand.length || level < 0 || level >= this.height) return -1;
    const began = performance.now();
    const live = this.pickLive && this.pickAt === this.stand[c] ? this.pickLive : new Live(this.trace);
    if (live !== this.pickLive) this.moments.seek(live, this.stand[c]);
    this.pickLive = live;
    this.pickAt = this.stand[c];
    const at = this.low + (level + 0.5) * ((this.high - this.low) / this.height);
    const found = rowAt(this.trace, live, at, this.hide);
    this.took.pick = performance.now() - began;
    return found.row;
  }

  key() {
    return [this.perColumn, this.low, this.high, this.hide, this.byTime, this.colourKey, this.width, this.height].join("|");
  }

  /** Draw all again; resolves when complete. */
  async draw() {
    const job = ++this.job;
    const began = performance.now();
    const width = this.width;
    const key = this.key();
    const old = { ...this.shown };
    const shift = (this.start - old.start) / this.perColumn;
    const whole = Math.abs(Math.round(shift) - shift) < 1e-6 && old.key === key && this.ready;
    let first = 0;
    let end = width;
    if (whole && Math.abs(Math.round(shift)) < width) {
      const by = Math.round(shift);
      const h = this.height;
      if (by > 0) this.pixels.copyWithin(0, by * h);
      else if (by < 0) this.pixels.copyWithin(-by * h, 0, (width + by) * h);
      first = by > 0 ? width - by : 0;
      end = by > 0 ? width : -by;
      this.moveColumns(by, first, end);
    } else {
      const kept = this.wholeBitmap;
      if (kept && kept.key === `${key}|${this.start}`) {
        this.pixels = kept.pixels.slice();
        this.stand = kept.stand.slice();
        this.edges = kept.edges;
        first = end = 0;
      } else {
        if (this.ready) this.preview(old);
        this.edges = edgesOf(this.trace, this.byTime, this.start, this.perColumn, width);
        this.stand = highest(this.trace, this.moments, this.edges).stand;
        this.pixels = new Uint32Array(width * this.height);
      }
    }
    this.shown = { key, start: this.start, perColumn: this.perColumn, low: this.low, high: this.high, width };
    const frame = { edges: this.edges, height: this.height, low: this.low, high: this.high, hide: this.hide };
    this.raster.begin(frame, this.stand, this.pixels, first, end);
    let done = false;
    while (!done) {
      done = this.raster.run(performance.now() + SLICE_MS);
      if (done) break;
      await slice();
      if (job !== this.job) return false;
    }
    this.blit();
    this.drawArea();
    this.ready = true;
    this.drawOver();
    this.took.draw = performance.now() - began;
    const w = this.whole;
    if (this.start === w.start && Math.abs(this.perColumn * width - w.span) < 1e-6 * w.span)
      this.wholeBitmap = { key: `${key}|${this.start}`, pixels: this.pixels.slice(), stand: this.stand.slice(), edges: this.edges };
    return true;
  }

  /** @param {number} by @param {number} first @param {number} end */
  moveColumns(by, first, end) {
    const width = this.width;
    const edges = this.edges.slice();
    const stand = this.stand.slice();
    if (by > 0) {
      edges.copyWithin(0, by);
      stand.copyWithin(0, by);
    } else if (by < 0) {
      edges.copyWithin(-by, 0);
      stand.copyWithin(-by, 0);
    }
    if (first < end) {
      const fresh = edgesOf(this.trace, this.byTime, this.start + first * this.perColumn, this.perColumn, end - first);
      edges.set(fresh.subarray(0, Math.min(fresh.length, width + 1 - first)), first);
      stand.set(highest(this.trace, this.moments, fresh).stand, first);
    }
    this.edges = edges;
    this.stand = stand;
  }

  /** The last bitmap where it belongs now. @param {typeof this.shown} old */
  preview(old) {
    const g = prepare(this.base, LEFT + this.width + RIGHT, TOP + this.height + AXIS + this.spanHeight);
    const x = LEFT + (old.start - this.start) / this.perColumn;
    const w = (old.width * old.perColumn) / this.perColumn;
    const y = this.y(old.high);
    const h = this.y(old.low) - y;
    g.save();
    g.beginPath();
    g.rect(LEFT, TOP, this.width, this.height);
    g.clip();
    g.imageSmoothingEnabled = false;
    if (this.bitmap.width > 1) g.drawImage(this.bitmap, x, y, w, h);
    g.restore();
  }

  get spanHeight() {
    return this.marks.spans.length || this.marks.steps.length ? SPAN_ROWS : 0;
  }

  blit() {
    const width = this.width;
    const h = this.height;
    const g = prepare(this.base, LEFT + width + RIGHT, TOP + h + AXIS + this.spanHeight);
    g.fillStyle = inks().plot;
    g.fillRect(LEFT, TOP, width, h);
    const flat = /** @type {HTMLCanvasElement} */ (document.createElement("canvas"));
    flat.width = h;
    flat.height = width;
    const data = new ImageData(new Uint8ClampedArray(this.pixels.buffer, this.pixels.byteOffset, width * h * 4), h, width);
    /** @type {CanvasRenderingContext2D} */ (flat.getContext("2d")).putImageData(data, 0, 0);
    this.bitmap.width = width;
    this.bitmap.height = h;
    const b = /** @type {CanvasRenderingContext2D} */ (this.bitmap.getContext("2d"));
    b.imageSmoothingEnabled = false;
    // Columns lie as rows, bottom pixel first: turn them up.
    b.setTransform(0, -1, 1, 0, 0, h);
    b.drawImage(flat, 0, 0);
    b.setTransform(1, 0, 0, 1, 0, 0);
    g.imageSmoothingEnabled = false;
    g.drawImage(this.bitmap, LEFT, TOP);
  }

  /** Sums by category at the event that stands for each column. */
  drawArea() {
    const t = this.trace;
    const width = this.width;
    const ink = inks();
    const g = prepare(this.area, LEFT + width + RIGHT, AREA_HEIGHT + 12);
    const sums = new Float64Array(8);
    let index = this.stand.length ? this.stand[0] : 0;
    this.moments.sums(sums, index);
    const high = Math.max(this.trace.peakTotal, 1) * 1.04;
    const scale = AREA_HEIGHT / high;
    g.fillStyle = ink.plot;
    g.fillRect(LEFT, 4, width, AREA_HEIGHT);
    const category = Uint8Array.from(t.attrs, (/** @type {any[]} */ a) => a[3]);
    for (let c = 0; c < this.stand.length; c++) {
      for (const to = this.stand[c]; index < to; index++) {
        const change = t.changes[index];
        const row = change >= 0 ? change : ~change;
        const size = t.sizes[t.sizeRow[row]];
        sums[category[t.attrRow[row]]] += change >= 0 ? size : -size;
      }
      let y = AREA_HEIGHT + 4;
      for (let k = 0; k < 8; k++) {
        const h = sums[k] * scale;
        if (h <= 0) continue;
        g.fillStyle = CATEGORY_COLOURS[k];
        g.fillRect(LEFT + c, y - h, 1, h);
        y -= h;
      }
    }
    g.strokeStyle = ink.line;
    g.lineWidth = 1;
    g.strokeRect(LEFT + 0.5, 4.5, width - 1, AREA_HEIGHT - 1);
    g.fillStyle = ink.muted;
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.fillText(bytes(high / 1.04), LEFT - 6, 12);
    g.fillText("0", LEFT - 6, AREA_HEIGHT);
    const x = this.x(this.moment);
    if (x >= LEFT && x <= LEFT + width) {
      g.fillStyle = ink.text;
      g.fillRect(x, 4, 1, AREA_HEIGHT);
    }
  }

  // --- what lies over the bitmap ------------------------------------------------------------------

  drawOver() {
    const width = this.width;
    const ink = inks();
    const g = prepare(this.over, LEFT + width + RIGHT, TOP + this.height + AXIS + this.spanHeight);
    this.drawAxes(g, ink);
    g.save();
    g.beginPath();
    g.rect(LEFT, 0, width, TOP + this.height);
    g.clip();
    this.drawLines(g, ink);
    for (const [row, colour, thick] of /** @type {[number, string, number][]} */ ([[this.hovered, ink.text, 1], [this.pinned, ink.alarm, 2]]))
      if (row >= 0) this.outline(g, row, colour, thick);
    const x = this.x(this.moment);
    g.fillStyle = ink.text;
    g.fillRect(Math.round(x), TOP, 1, this.height);
    g.restore();
    this.drawSpans(g, ink);
  }

  /** @param {CanvasRenderingContext2D} g @param {any} ink */
  drawAxes(g, ink) {
    const width = this.width;
    g.strokeStyle = ink.line;
    g.lineWidth = 1;
    g.strokeRect(LEFT - 0.5, TOP - 0.5, width + 1, this.height + 1);
    g.fillStyle = ink.muted;
    g.textAlign = "right";
    g.textBaseline = "middle";
    const step = byteStep(this.high - this.low, 7);
    for (let b = Math.ceil(this.low / step) * step; b <= this.high; b += step) {
      const y = this.y(b);
      if (y < TOP + 4 && y > TOP - 4) continue;
      g.fillText(bytes(b), LEFT - 7, y);
      g.fillRect(LEFT - 4, Math.round(y), 4, 1);
    }
    const span = this.perColumn * width;
    const along = decimalStep(span, Math.max(2, width / 130));
    const offset = this.byTime ? 0 : 0;
    g.textBaseline = "top";
    for (let p = Math.ceil((this.start - offset) / along) * along; p <= this.start + span; p += along) {
      const x = LEFT + (p - this.start) / this.perColumn;
      const words = this.byTime ? this.timeWords(p, along) : count(p);
      const w = g.measureText(words).width;
      g.fillRect(Math.round(x), TOP + this.height, 1, 4);
      g.textAlign = "left";
      g.fillText(words, Math.max(LEFT, Math.min(LEFT + width - w, x - w / 2)), TOP + this.height + 6);
    }
  }

  /** @param {number} us @param {number} step */
  timeWords(us, step) {
    if (Math.abs(us) < step / 2) return "0 s";
    if (this.start + this.perColumn * this.width < 1e4) return `${(us / 1e3).toFixed(step < 1e2 ? 2 : step < 1e3 ? 1 : 0)} ms`;
    if (step < 1e6) return `${(us / 1e6).toFixed(step < 1e2 ? 5 : step < 1e3 ? 4 : step < 1e4 ? 3 : step < 1e5 ? 2 : 1)} s`;
    return duration(us);
  }

  /** @param {CanvasRenderingContext2D} g @param {any} ink */
  drawLines(g, ink) {
    const { events, bytes: reserved, known } = this.reserved;
    const width = this.width;
    if (known) {
      g.strokeStyle = ink.line;
      g.lineWidth = 1.2;
      g.beginPath();
      let k = 0;
      let since = 0;
      let longest = 0;
      let flat = 0;
      for (let c = 0; c < width; c++) {
        const before = k;
        while (k + 1 < events.length && events[k + 1] <= this.edges[c + 1]) k++;
        if (reserved[k] !== reserved[before]) since = c;
        if (c - since > longest) {
          longest = c - since;
          flat = since;
        }
        const y = this.y(reserved[k]);
        if (c) g.lineTo(LEFT + c + 1, y);
        else g.moveTo(LEFT, y);
      }
      g.stroke();
      let level = reserved[0];
      for (let i = 0; i < events.length && events[i] <= this.edges[flat + 1]; i++) level = reserved[i];
      this.label(g, LEFT + flat + 8, this.y(level) - 5, "reserved", ink.line, ink);
    }
    const limits = new Set(this.marks.ooms.map((/** @type {any} */ o) => o.limit_bytes).filter(Boolean));
    const last = this.marks.ooms.length ? this.marks.ooms[this.marks.ooms.length - 1].limit_bytes : 0;
    if (last && limits.size && last <= this.high && last >= this.low) {
      const y = this.y(last);
      g.setLineDash([5, 4]);
      g.strokeStyle = ink.alarm;
      g.beginPath();
      g.moveTo(LEFT, y);
      g.lineTo(LEFT + width, y);
      g.stroke();
      g.setLineDash([]);
      this.label(g, LEFT + 6, y + 12, `${bytes(last)} could be had at the failure`, ink.alarm, ink);
    }
    g.fillStyle = ink.alarm;
    for (const o of this.marks.ooms) {
      const x = this.x(o.event);
      g.globalAlpha = 0.6;
      g.fillRect(Math.round(x) - 1, TOP, 1.5, this.height);
      g.globalAlpha = 1;
      g.beginPath();
      g.moveTo(x - 5, TOP - 11);
      g.lineTo(x + 5, TOP - 11);
      g.lineTo(x, TOP - 1);
      g.fill();
    }
    const px = this.x(this.trace.peakEvent);
    g.strokeStyle = ink.mark;
    g.lineWidth = 2;
    g.fillStyle = ink.paper;
    g.beginPath();
    g.arc(px, this.y(this.trace.peakTotal), 4, 0, 7);
    g.fill();
    g.stroke();
  }

  /** @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {string} words
   * @param {string} colour @param {any} ink */
  label(g, x, y, words, colour, ink) {
    g.textAlign = "left";
    g.textBaseline = "alphabetic";
    g.lineWidth = 3;
    g.strokeStyle = ink.plot;
    const at = Math.max(TOP + 10, y);
    g.strokeText(words, x, at);
    g.fillStyle = colour;
    g.fillText(words, x, at);
  }

  /** The band of an allocation, where it is in sight. @param {CanvasRenderingContext2D} g
   * @param {number} row @param {string} colour @param {number} thick */
  outline(g, row, colour, thick) {
    const t = this.trace;
    const left = Math.max(0, Math.floor(this.x(t.born[row]) - LEFT));
    const right = Math.min(this.stand.length, Math.ceil(this.x(Math.min(t.freeCompleted[row], t.to)) - LEFT) + 1);
    if (right <= left) return;
    const step = Math.max(1, Math.floor((right - left) / 240));
    const live = new Live(t);
    /** @type {[number, number, number][]} */
    const edge = [];
    const began = performance.now();
    let at = -1;
    for (let c = left; c < right && performance.now() - began < 12; c += step) {
      const index = this.stand[c];
      if (at < 0 || index - at > 4096 || index < at) this.moments.seek(live, index);
      else for (let i = at; i < index; i++) live.apply(t.changes[i]);
      at = index;
      let offset = t.loose;
      let found = false;
      for (const block of live.blocks) {
        if (block.rows[block.n - 1] < row && !this.hide) {
          offset += block.bytes;
          continue;
        }
        for (let i = 0; i < block.n && block.rows[i] <= row; i++) {
          if (block.rows[i] === row) found = true;
          else if (t.size(block.rows[i]) >= this.hide) offset += t.size(block.rows[i]);
        }
        break;
      }
      if (found) edge.push([LEFT + c, this.y(offset), this.y(offset + t.size(row))]);
    }
    if (!edge.length) return;
    g.strokeStyle = colour;
    g.lineWidth = thick;
    g.beginPath();
    edge.forEach(([x, low], i) => (i ? g.lineTo(x + step, low) : g.moveTo(x, low)));
    for (const [x, , high] of edge.reverse()) g.lineTo(x, high);
    g.closePath();
    g.stroke();
  }

  /** Annotations, else steps, below the axis. @param {CanvasRenderingContext2D} g @param {any} ink */
  drawSpans(g, ink) {
    if (!this.spanHeight) return;
    const width = this.width;
    const y = TOP + this.height + AXIS;
    /** @type {[string, number, number][]} */
    const spans = this.marks.spans.length
      ? this.marks.spans
      : this.marks.steps.map((/** @type {number[]} */ s, /** @type {number} */ i) => [`step ${i}`, s[0], s[1]]);
    g.save();
    g.beginPath();
    g.rect(LEFT, y, width, SPAN_ROWS);
    g.clip();
    g.textBaseline = "middle";
    g.textAlign = "left";
    let outer = -1;
    let drawn = LEFT - 1;
    let i = 0;
    for (const [name, from, to] of spans) {
      // Of nested ones the outermost; of many in a pixel one.
      if (to <= outer && from < outer) continue;
      outer = to;
      i++;
      const x = Math.max(LEFT, this.x(from));
      const end = Math.min(LEFT + width, this.x(to));
      if (end < LEFT || x > LEFT + width || end < drawn + 1) continue;
      drawn = end;
      g.fillStyle = ["#0072b2", "#009e73", "#cc79a7", "#e69f00"][i % 4];
      g.globalAlpha = 0.3;
      g.fillRect(x, y, Math.max(1, end - x - 0.5), SPAN_ROWS - 2);
      g.globalAlpha = 1;
      const most = Math.floor((end - x - 8) / 6);
      g.fillStyle = ink.text;
      if (most >= 5) g.fillText(elide(name, most), x + 4, y + SPAN_ROWS / 2 - 1);
    }
    g.restore();
  }

  /** @param {number} by columns */
  pan(by) {
    this.start += Math.round(by) * this.perColumn;
  }

  /** @param {number} factor below 1: closer @param {number} x of the canvas, what stays @param {number} [y] */
  zoom(factor, x, y) {
    const least = (this.byTime ? 2 : 4) / this.width;
    const most = (2 * this.whole.span) / this.width;
    const at = this.start + (x - LEFT) * this.perColumn;
    this.perColumn = Math.max(least, Math.min(most, this.perColumn * factor));
    this.start = at - (x - LEFT) * this.perColumn;
    if (y === undefined) return;
    const level = this.low + ((TOP + this.height - y) / this.height) * (this.high - this.low);
    const span = Math.max(512, Math.min(this.ceiling, (this.high - this.low) * factor));
    const part = (level - this.low) / (this.high - this.low);
    this.low = Math.max(0, level - part * span);
    this.high = this.low + span;
  }

  /** Bring an event into sight. @param {number} event */
  reveal(event) {
    const x = this.x(event) - LEFT;
    if (x < 0 || x > this.width) this.start = this.position(event) - Math.round(this.width / 2) * this.perColumn;
  }

  /** @param {MouseEvent} e */
  point(e) {
    const place = this.over.getBoundingClientRect();
    return { x: e.clientX - place.left, y: e.clientY - place.top };
  }
}
