// SPDX-License-Identifier: MIT
// stage.js -- the two pictures over time: all allocations, and sums by category.
//
// A redraw shows the old bitmap moved and stretched at once, then draws columns in slices, so that
// input never waits. Panning by whole pixels draws only what came into sight.

import { canvas, element, inks, prepare } from "./dom.js";
import { Alive, Moments } from "./live.js";
import { Marks } from "./marks.js";
import { drawOver } from "./overlay.js";
import { Raster, edgesOf, highest, rowAt } from "./raster.js";
import { reservedSeries } from "./segments.js";
import { Turn } from "./slices.js";
import { trailOf } from "./trail.js";
import { abgr, byteStep, bytes, CATEGORY_COLOURS } from "./words.js";

export const LEFT = 84;
export const RIGHT = 14;
export const TOP = 20;
const HEIGHT = 320;
export const AXIS = 22;
const AREA_HEIGHT = 110;
const AREA_COLOURS = CATEGORY_COLOURS.map((hex) => abgr(hex));

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
    this.following = -1;
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
    this.areaTip = element("div", "tip");
    this.areaTip.hidden = true;
    this.areaElement.append(this.area, this.areaTip);
    this.bitmap = /** @type {HTMLCanvasElement} */ (document.createElement("canvas"));
    this.bitmap.width = 1;
    this.areaBitmap = /** @type {HTMLCanvasElement} */ (document.createElement("canvas"));
    this.areaBitmap.width = 1;
    /** @type {Uint32Array<ArrayBuffer>} */
    this.pixels = new Uint32Array(0);
    /** @type {Int32Array} */
    this.stand = new Int32Array(0);
    /** @type {Float64Array} */
    this.edges = new Float64Array(1);
    /** Bytes of each of eight categories at what stands for each column. */
    this.sums = new Float64Array(0);
    this.picked = new Alive(trace);
    this.trailed = new Alive(trace);
    /** Where allocations that are marked lie, by row. @type {Map<number, import("./trail.js").Trail>} */
    this.trails = new Map();
    /** What the pixels show: a key of scale and colours, and where they begin. */
    this.shown = { key: "", start: 0, perColumn: 1, low: 0, high: 1, width: 0 };
    /** The same of the bitmap, which is complete. */
    this.drawn = this.shown;
    this.job = 0;
    this.ready = false;
    this.wholeBitmap = /** @type {{key: string, picture: {pixels: Uint32Array<ArrayBuffer>, stand: Int32Array, sums: Float64Array, edges: Float64Array}} | null} */ (null);
    this.colourKey = "";
    this.height = HEIGHT;
    this.marks = trace.about;
    this.spans = new Marks(trace.about);
    /** The width that `perColumn` was made for. */
    this.laid = 0;
  }

  get width() {
    return Math.max(50, Math.floor((this.element.clientWidth || 1000) - LEFT - RIGHT));
  }

  get whole() {
    const t = this.trace;
    return this.byTime ? { start: 0, span: Math.max(1, t.lastTime) } : { start: t.from, span: Math.max(1, t.nEvents) };
  }

  async build() {
    await this.moments.build();
    this.fit();
  }

  /** Bounds of memory that are known, in words. @returns {[number, string, boolean][]} */
  get levels() {
    const { capacity_bytes: capacity, ceiling_bytes: ceiling, limit_below_bytes: limit } = this.marks;
    /** @type {[number | null, string, boolean][]} */
    const all = [[capacity, "the card has", false], [limit, "limit of the process: below", true],
      [ceiling, "free or ours on the card at the failure:", true]];
    return /** @type {[number, string, boolean][]} */ (all.filter(([level]) => level));
  }

  /** @returns {number} */
  get ceiling() {
    const peak = this.trace.peakTotal;
    const reserved = this.reserved.known ? this.reserved.bytes.reduce((a, b) => Math.max(a, b), 0) : 0;
    const near = this.levels.map(([level]) => level).filter((level) => level < 2 * Math.max(peak, reserved));
    return Math.max(peak, reserved, ...near, 1) * 1.04;
  }

  fit() {
    const { start, span } = this.whole;
    this.start = start;
    this.perColumn = span / this.width;
    this.laid = this.width;
    this.low = 0;
    this.high = this.ceiling;
  }

  /** The place changed its width: what is shown stays. @returns {boolean} did it? */
  adapt() {
    if (!this.element.clientWidth || this.width === this.laid) return false;
    this.perColumn *= this.laid / this.width;
    this.laid = this.width;
    return true;
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
    this.moments.seek(this.picked, this.stand[c]);
    const at = this.low + (level + 0.5) * ((this.high - this.low) / this.height);
    return rowAt(this.trace, this.picked, at, this.hide);
  }

  key() {
    return [this.perColumn, this.low, this.high, this.hide, this.byTime, this.colourKey, this.width, this.height].join("|");
  }

  /** Draw all again. @returns {Promise<boolean>} complete, and not overtaken by a newer wish */
  async draw() {
    const job = ++this.job;
    const turn = new Turn(() => job === this.job);
    const width = this.width;
    const key = this.key();
    const next = { key, start: this.start, perColumn: this.perColumn, low: this.low, high: this.high, width };
    const columns = await this.columns(next, turn);
    if (!columns) return false;
    Object.assign(this, columns.picture);
    this.shown = next;
    const frame = { edges: this.edges, height: this.height, low: this.low, high: this.high, hide: this.hide };
    this.ready = false;
    this.raster.begin(frame, this.stand, this.pixels, columns.first, columns.end);
    for (let done = false; !done; ) {
      done = this.raster.run(turn);
      if (turn.due && !(await turn.pass())) return false;
    }
    this.blit(columns);
    this.ready = true;
    this.blitArea();
    this.drawArea();
    this.drawOver();
    const w = this.whole;
    if (columns.first < columns.end && next.start === w.start && Math.abs(next.perColumn * width - w.span) < 1e-6 * w.span)
      this.wholeBitmap = { key: `${key}|${next.start}`, picture: columns.picture };
    return true;
  }

  /** What stands for each column, and which of them are to be drawn.
   * @param {typeof this.shown} next @param {Turn} turn */
  async columns(next, turn) {
    const { width, key } = next;
    const shift = (next.start - this.shown.start) / next.perColumn;
    const by = Math.round(shift);
    if (this.ready && this.shown.key === key && Math.abs(by - shift) < 1e-6 && Math.abs(by) < width)
      return this.moved(by, turn);
    const kept = this.wholeBitmap;
    if (kept && kept.key === `${key}|${next.start}`) return { picture: kept.picture, first: 0, end: 0, by: NaN };
    if (this.bitmap.width > 1) this.preview();
    const edges = edgesOf(this.trace, this.byTime, next.start, next.perColumn, width);
    const heights = await highest(this.trace, this.moments, edges, turn);
    return heights && { picture: { ...heights, edges, pixels: new Uint32Array(width * this.height) }, first: 0, end: width, by: NaN };
  }

  /** The same columns moved to the left, and what comes into sight.
   * @param {number} by columns @param {Turn} turn */
  async moved(by, turn) {
    const width = this.width;
    const h = this.height;
    const first = by > 0 ? width - by : 0;
    const end = by > 0 ? width : -by;
    const fresh = first < end ? edgesOf(this.trace, this.byTime, this.start + first * this.perColumn, this.perColumn, end - first) : null;
    const heights = fresh && (await highest(this.trace, this.moments, fresh, turn));
    if (fresh && !heights) return null;
    // What is kept of the whole stays as it is.
    const kept = this.wholeBitmap?.picture;
    const { edges, stand, sums, pixels } = this.pixels === kept?.pixels ? structuredClone(kept) : this;
    moveBy(edges, by);
    moveBy(stand, by);
    moveBy(sums, 8 * by);
    moveBy(pixels, by * h);
    if (fresh && heights) {
      edges.set(fresh.subarray(0, Math.min(fresh.length, width + 1 - first)), first);
      stand.set(heights.stand, first);
      sums.set(heights.sums, 8 * first);
    }
    return { picture: { stand, sums, edges, pixels }, first, end, by };
  }

  /** The last bitmap where it belongs now. */
  preview() {
    const old = this.drawn;
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
    g.drawImage(this.bitmap, x, y, w, h);
    g.restore();
    this.drawOver();
  }

  get spanHeight() {
    return this.spans.height;
  }

  /** `by`: the bitmap moves by so many columns, of which only those from `first` to `end` are new.
   * @param {{first: number, end: number, by: number}} change NaN: all are */
  blit({ first, end, by }) {
    const width = this.width;
    const h = this.height;
    const all = Number.isNaN(by);
    if (all) [first, end] = [0, width];
    if (this.bitmap.width !== width || this.bitmap.height !== h) [this.bitmap.width, this.bitmap.height] = [width, h];
    const b = context(this.bitmap);
    if (!all && by) {
      b.globalCompositeOperation = "copy";
      b.drawImage(this.bitmap, -by, 0);
    }
    if (first < end) {
      const n = end - first;
      const image = b.createImageData(n, h);
      const out = new Uint32Array(image.data.buffer);
      for (let c = 0; c < n; c++)
        for (let y = 0, at = (first + c) * h, to = (h - 1) * n + c; y < h; y++, at++, to -= n) out[to] = this.pixels[at];
      b.putImageData(image, first, 0);
    }
    const g = prepare(this.base, LEFT + width + RIGHT, TOP + h + AXIS + this.spanHeight);
    g.fillStyle = inks().plot;
    g.fillRect(LEFT, TOP, width, h);
    g.imageSmoothingEnabled = false;
    g.drawImage(this.bitmap, LEFT, TOP);
    this.drawn = this.shown;
  }

  /** Sums by category at the event that stands for each column, as a bitmap. */
  blitArea() {
    const width = this.stand.length;
    if (this.areaBitmap.width !== width) [this.areaBitmap.width, this.areaBitmap.height] = [width, AREA_HEIGHT];
    const image = context(this.areaBitmap).createImageData(width, AREA_HEIGHT);
    const out = new Uint32Array(image.data.buffer);
    out.fill(abgr(inks().plot));
    const scale = AREA_HEIGHT / this.areaHigh;
    for (let c = 0; c < width; c++) {
      let top = 0;
      let y = 0;
      for (let k = 0; k < 8; k++) {
        top += Math.max(0, this.sums[8 * c + k]);
        for (const end = Math.round(top * scale); y < end; y++) out[(AREA_HEIGHT - 1 - y) * width + c] = AREA_COLOURS[k];
      }
    }
    context(this.areaBitmap).putImageData(image, 0, 0);
  }

  get areaHigh() {
    return Math.max(this.trace.peakTotal, 1) * 1.04;
  }

  drawArea() {
    const width = this.width;
    const ink = inks();
    const g = prepare(this.area, LEFT + width + RIGHT, AREA_HEIGHT + 12);
    g.imageSmoothingEnabled = false;
    if (this.areaBitmap.width > 1) g.drawImage(this.areaBitmap, LEFT, 4, this.stand.length, AREA_HEIGHT);
    g.strokeStyle = ink.line;
    g.lineWidth = 1;
    g.strokeRect(LEFT + 0.5, 4.5, width - 1, AREA_HEIGHT - 1);
    g.fillStyle = ink.muted;
    g.textAlign = "right";
    g.textBaseline = "middle";
    const step = byteStep(this.areaHigh, 3);
    for (let b = 0; b <= this.areaHigh; b += step) {
      const y = AREA_HEIGHT + 4 - (b / this.areaHigh) * AREA_HEIGHT;
      g.fillText(bytes(b), LEFT - 7, Math.min(y, AREA_HEIGHT));
      g.fillRect(LEFT - 4, Math.round(y), 4, 1);
    }
    const x = this.x(this.moment);
    if (x >= LEFT && x <= LEFT + width) {
      g.fillStyle = ink.text;
      g.fillRect(x, 4, 1, AREA_HEIGHT);
    }
  }

  drawOver() {
    drawOver(this);
  }

  /** Find the trail of a row in the columns shown. @param {number} row */
  async follow(row) {
    if (!this.ready || this.following === row) return;
    this.following = row;
    const { shown } = this;
    const turn = new Turn(() => this.shown === shown && (row === this.hovered || row === this.pinned));
    const trail = (await turn.pass()) && (await trailOf(this, row, turn));
    this.following = -1;
    if (trail) {
      for (const old of this.trails.keys()) if (old !== this.hovered && old !== this.pinned) this.trails.delete(old);
      this.trails.set(row, trail);
    }
    if (this.ready && (trail || this.shown !== shown)) this.drawOver();
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

  /** Bytes of each category in the column under a point of either picture; null: beside them.
   * @param {number} x @returns {Float64Array | null} */
  sumsAt(x) {
    const c = Math.floor(x - LEFT);
    return c < 0 || c >= this.stand.length ? null : this.sums.subarray(8 * c, 8 * c + 8);
  }

  /** Words of steps and annotations under a point. @param {{x: number, y: number}} at */
  spanAt(at) {
    const y = at.y - (TOP + this.height + AXIS);
    if (y < 0 || at.x < LEFT || at.x > LEFT + this.width) return "";
    const position = this.start + (at.x - LEFT) * this.perColumn;
    return this.spans.words(y, this.byTime ? this.trace.eventAt(position) : Math.floor(position));
  }

  /** @param {MouseEvent} e */
  point(e) {
    const place = this.over.getBoundingClientRect();
    return { x: e.clientX - place.left, y: e.clientY - place.top };
  }
}

/** What lay at `by` comes to the front. @param {Float64Array | Int32Array | Uint32Array} list
 * @param {number} by */
function moveBy(list, by) {
  if (by > 0) list.copyWithin(0, by);
  else if (by < 0) list.copyWithin(-by, 0);
}

/** @param {HTMLCanvasElement} bitmap */
function context(bitmap) {
  return /** @type {CanvasRenderingContext2D} */ (bitmap.getContext("2d"));
}
