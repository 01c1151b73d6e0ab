"use strict";
(() => {
  // src/slices.js
  var pace = { ms: 8 };
  var LOADING = 3;
  var waiting = [];
  var channel = new MessageChannel();
  channel.port1.onmessage = () => {
    const next = waiting.shift();
    if (next) next();
  };
  function slice() {
    return new Promise((resolve2) => {
      waiting.push(resolve2);
      channel.port2.postMessage(0);
    });
  }
  var Turn = class {
    /** @param {() => boolean} [wanted] is the work still of use? @param {number} [pieces] at once: more
     * while there is nothing yet to act on */
    constructor(wanted = () => true, pieces = 1) {
      this.wanted = wanted;
      this.pieces = pieces;
      this.deadline = performance.now() + pieces * pace.ms;
    }
    get due() {
      return performance.now() > this.deadline;
    }
    /** Others have their turn. @returns {Promise<boolean>} false: give up */
    async pass() {
      await slice();
      this.deadline = performance.now() + this.pieces * pace.ms;
      return this.wanted();
    }
  };

  // src/chunks.js
  function fromBase64(text) {
    const modern = (
      /** @type {any} */
      Uint8Array.fromBase64
    );
    if (modern) return modern.call(Uint8Array, text);
    const binary = atob(text);
    const bytes2 = new Uint8Array(binary.length);
    for (let i = 0; i < bytes2.length; i++) bytes2[i] = binary.charCodeAt(i);
    return bytes2;
  }
  var STEP = 1 << 17;
  async function inflate(parts, size) {
    const { readable, writable } = new DecompressionStream("gzip");
    const writer = writable.getWriter();
    const turn = new Turn(void 0, LOADING);
    const write = async () => {
      for (const part of parts)
        for (let at = 0; at < part.length; at += STEP) {
          await writer.write(
            /** @type {BufferSource} */
            part.subarray(at, at + STEP)
          );
          if (turn.due) await turn.pass();
        }
      await writer.close();
    };
    write().catch(() => {
    });
    if (!size) return new Uint8Array(await new Response(readable).arrayBuffer());
    const all = new Uint8Array(size);
    const reader = readable.getReader();
    let n = 0;
    for (; ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      all.set(value, n);
      n += value.length;
    }
    return all;
  }
  async function elementOf(id) {
    for (; ; ) {
      const whole = document.readyState !== "loading";
      const found = document.querySelector(`script[data-chunk="${id}"]`);
      if (whole || found && found.nextElementSibling) return found;
      await new Promise((resolve2) => setTimeout(resolve2, 4));
    }
  }
  async function readChunk(id, size = 0) {
    const parts = [];
    for (let piece = 0; ; piece++) {
      const element2 = await elementOf(id === "description" ? id : `${id}/${piece}`);
      if (!element2) throw new Error(`no data called ${id}`);
      parts.push(fromBase64(element2.textContent || ""));
      const next = element2.nextElementSibling;
      if (!next || next.getAttribute("data-chunk") !== `${id}/${piece + 1}`) break;
    }
    return inflate(parts, size);
  }
  var Reader = class {
    /** @param {Uint8Array} bytes */
    constructor(bytes2) {
      this.bytes = bytes2;
      this.at = 0;
    }
    get done() {
      return this.at >= this.bytes.length;
    }
    /** @returns {number} exact up to 2^53 */
    next() {
      const bytes2 = this.bytes;
      let b = bytes2[this.at++];
      if (b < 128) return b;
      let v = b & 127;
      let factor = 128;
      do {
        b = bytes2[this.at++];
        v += (b & 127) * factor;
        factor *= 128;
      } while (b >= 128);
      return v;
    }
    signed() {
      const v = this.next();
      if (v < 2147483648) return v >>> 1 ^ -(v & 1);
      return v % 2 ? -(v + 1) / 2 : v / 2;
    }
    /** The next ones, as `out[from]` to `out[to - 1]`. @param {Uint32Array} out @param {number} from
     * @param {number} to */
    fill(out, from, to) {
      for (let i = from; i < to; i++) out[i] = this.next();
    }
  };

  // src/dom.js
  function element(name, className, text) {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== void 0) e.textContent = text;
    return e;
  }
  function button(text, title, act) {
    const b = (
      /** @type {HTMLButtonElement} */
      element("button", "", text)
    );
    b.type = "button";
    b.title = title;
    b.addEventListener("click", act);
    return b;
  }
  function choice(label2, options, act) {
    const wrap = element("label", "", label2);
    const select = (
      /** @type {HTMLSelectElement} */
      element("select")
    );
    for (const [value, words] of options) {
      const option = (
        /** @type {HTMLOptionElement} */
        element("option", "", words)
      );
      option.value = value;
      select.append(option);
    }
    select.addEventListener("change", () => act(select.value));
    wrap.append(select);
    return { wrap, select };
  }
  function canvas(className, label2) {
    const c = (
      /** @type {HTMLCanvasElement} */
      element("canvas", className)
    );
    c.setAttribute("aria-label", label2);
    return c;
  }
  function prepare(c, width, height) {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (c.width !== w) c.width = w;
    if (c.height !== h) c.height = h;
    c.style.height = `${height}px`;
    const g = (
      /** @type {CanvasRenderingContext2D} */
      c.getContext("2d")
    );
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    return g;
  }
  function save(blob, name) {
    const link = (
      /** @type {HTMLAnchorElement} */
      element("a")
    );
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e3);
  }
  function inks() {
    const dark = document.documentElement.dataset.dark === "yes";
    return dark ? { text: "#e6e9ee", muted: "#a0a8b4", grid: "#2e333c", paper: "#16181d", plot: "#1b1e24", alarm: "#ff8a3d", line: "#98a1ae", mark: "#8fd0f7" } : { text: "#1f2328", muted: "#59636e", grid: "#d8dee4", paper: "#ffffff", plot: "#fafbfc", alarm: "#d55e00", line: "#57606a", mark: "#0072b2" };
  }

  // src/permalink.js
  var NUMBER = /^-?\d{1,17}(\.\d{1,6})?$/;
  var MOST_QUERY = 200;
  function range(text) {
    const parts = text.split("~");
    if (parts.length !== 2 || !parts.every((p) => NUMBER.test(p))) return void 0;
    const [from, to] = parts.map(Number);
    return to > from ? [from, to] : void 0;
  }
  function parseLink(hash2) {
    const link = {};
    for (const part of hash2.replace(/^#/, "").split("&")) {
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
  function formatLink(link) {
    const parts = [];
    for (const [key, value] of Object.entries(link)) {
      if (value === void 0 || value === "") continue;
      if (Array.isArray(value)) parts.push(`${key}=${value.map((v) => +v.toFixed(3)).join("~")}`);
      else parts.push(`${key}=${encodeURIComponent(String(value))}`);
    }
    return `#${parts.join("&")}`;
  }
  function storeLink(link) {
    try {
      history.replaceState(null, "", formatLink(link));
    } catch {
    }
  }

  // src/live.js
  var SPACING = 32768;
  var FEW = 8;
  var Alive = class {
    /** @param {import("./trace.js").Trace} trace */
    constructor(trace) {
      this.trace = trace;
      this.n = 0;
      this.at = -1;
      this.rows = new Int32Array(1024);
      this.sizes = new Float64Array(1024);
      this.ends = new Int32Array(1024);
    }
    /** @param {number} more */
    reserve(more) {
      if (this.n + more <= this.rows.length) return;
      const room = Math.max(this.n + more, 2 * this.rows.length);
      const { rows, sizes, ends } = this;
      this.rows = new Int32Array(room);
      this.rows.set(rows);
      this.sizes = new Float64Array(room);
      this.sizes.set(sizes);
      this.ends = new Int32Array(room);
      this.ends.set(ends);
    }
    /** @param {Int32Array} rows @param {number} at */
    set(rows, at) {
      const { sizes, sizeRow, freeCompleted } = this.trace;
      this.n = 0;
      this.reserve(rows.length);
      this.n = rows.length;
      this.at = at;
      this.rows.set(rows);
      for (let i = 0; i < rows.length; i++) {
        this.sizes[i] = sizes[sizeRow[rows[i]]];
        this.ends[i] = freeCompleted[rows[i]];
      }
    }
    /** @param {number} row younger than all */
    push(row) {
      this.rows[this.n] = row;
      this.sizes[this.n] = this.trace.sizes[this.trace.sizeRow[row]];
      this.ends[this.n++] = this.trace.freeCompleted[row];
    }
    /** @param {number} row */
    take(row) {
      let low = 0;
      let high = this.n;
      while (low < high) {
        const mid = low + high >> 1;
        if (this.rows[mid] < row) low = mid + 1;
        else high = mid;
      }
      if (low >= this.n || this.rows[low] !== row) return;
      this.rows.copyWithin(low, low + 1, this.n);
      this.sizes.copyWithin(low, low + 1, this.n);
      this.ends.copyWithin(low, low + 1, this.n);
      this.n--;
    }
    /** On to just before change `to`. @param {number} to */
    advance(to) {
      const { changes } = this.trace;
      this.reserve(to - this.at);
      if (to - this.at > FEW) this.sweep(to);
      else
        for (let i = this.at; i < to; i++) {
          if (changes[i] >= 0) this.push(changes[i]);
          else this.take(~changes[i]);
        }
      this.at = to;
    }
    /** @param {number} to */
    sweep(to) {
      const t = this.trace;
      const { rows, sizes, ends } = this;
      const { changes, freeCompleted } = t;
      const last = t.changeEvent(changes[to - 1]);
      let late = null;
      for (let i = to; i < changes.length && t.changeEvent(changes[i]) === last; i++)
        if (changes[i] < 0) (late ||= /* @__PURE__ */ new Set()).add(~changes[i]);
      let n = 0;
      for (let i = 0; i < this.n; i++) {
        if (ends[i] <= last && !(late && late.has(rows[i]))) continue;
        rows[n] = rows[i];
        sizes[n] = sizes[i];
        ends[n++] = ends[i];
      }
      this.n = n;
      for (let i = this.at; i < to; i++) {
        const row = changes[i];
        if (row >= 0 && (freeCompleted[row] > last || late && late.has(row))) this.push(row);
      }
    }
  };
  var Moments = class {
    /** @param {import("./trace.js").Trace} trace */
    constructor(trace) {
      this.trace = trace;
      this.points = [];
      this.spacing = SPACING;
      this.here = new Alive(trace);
      this.category = Uint8Array.from(trace.attrs, (a) => a[3]);
    }
    async build() {
      const t = this.trace;
      const { changes, sizes, sizeRow, attrRow } = t;
      const { category } = this;
      const turn = new Turn();
      const sums = new Float64Array(8);
      const alive = new Alive(t);
      alive.set(Int32Array.from({ length: t.nBefore }, (_, i) => i), 0);
      let total = 0;
      for (let i = 0; i < t.nBefore; i++) {
        total += alive.sizes[i];
        sums[category[attrRow[i]]] += alive.sizes[i];
      }
      t.peakTotal = total;
      t.peakEvent = t.from;
      this.spacing = Math.max(SPACING, alive.n);
      for (let start2 = 0; start2 === 0 || start2 < changes.length; start2 += this.spacing) {
        alive.advance(start2);
        this.points.push({ rows: alive.rows.slice(0, alive.n), categories: sums.slice() });
        const end = Math.min(changes.length, start2 + this.spacing);
        for (let i = start2; i < end; i++) {
          const change = changes[i];
          const row = change >= 0 ? change : ~change;
          const size = change >= 0 ? sizes[sizeRow[row]] : -sizes[sizeRow[row]];
          sums[category[attrRow[row]]] += size;
          total += size;
          if (total > t.peakTotal) {
            t.peakTotal = total;
            t.peakEvent = t.born[change];
          }
        }
        if (turn.due) await turn.pass();
      }
      t.peakTotal += t.loose;
    }
    /** Bring `alive` to just before change `index`. @param {Alive} alive @param {number} index */
    seek(alive, index) {
      const point = Math.min(Math.floor(index / this.spacing), this.points.length - 1);
      const start2 = point * this.spacing;
      if (alive.at < 0 || alive.at > index || alive.at < start2) alive.set(this.points[point].rows, start2);
      alive.advance(index);
    }
    /** Sums by category just before change `index`. @param {Float64Array} out @param {number} index */
    sums(out, index) {
      const t = this.trace;
      const point = Math.min(Math.floor(index / this.spacing), this.points.length - 1);
      out.set(this.points[point].categories);
      for (let i = point * this.spacing; i < index; i++) {
        const change = t.changes[i];
        const row = change >= 0 ? change : ~change;
        const size = t.sizes[t.sizeRow[row]];
        out[this.category[t.attrRow[row]]] += change >= 0 ? size : -size;
      }
    }
    /** Rows alive just after an event. @param {number} event @returns {Int32Array} */
    rowsAt(event) {
      this.seek(this.here, this.trace.changeAfter(event));
      return this.here.rows.slice(0, this.here.n);
    }
  };

  // src/raster.js
  var OFTEN = 16383;
  var EMPTY = 0;
  function edgesOf(trace, byTime, start2, perColumn, width) {
    const edges = new Float64Array(width + 1);
    const almost = 1e-6;
    for (let c = 0; c <= width; c++) {
      const position = start2 + c * perColumn;
      const event = !byTime ? Math.floor(position) : position <= 0 ? trace.from : trace.eventAt(position + almost);
      edges[c] = Math.max(trace.from, Math.min(trace.to, event));
    }
    return edges;
  }
  async function highest(trace, moments, edges, turn) {
    const n = edges.length - 1;
    const stand = new Int32Array(n);
    const sums = new Float64Array(8 * n);
    const now = new Float64Array(8);
    const walk = { at: trace.changeAfter(edges[0]), total: 0, most: -1, stand: 0 };
    moments.sums(now, walk.at);
    walk.total = now.reduce((a, b) => a + b, 0);
    for (let c = 0; c < n; c++) {
      const end = edges[c + 1] > edges[c] ? trace.changeAfter(edges[c + 1]) : walk.at;
      const best = sums.subarray(8 * c, 8 * c + 8);
      walk.most = -1;
      walk.stand = walk.at;
      if (end === walk.at || trace.changeEvent(trace.changes[walk.at]) > edges[c] + 1) {
        walk.most = walk.total;
        best.set(now);
      }
      while (walk.at < end) {
        climb(trace, moments.category, walk, Math.min(end, (walk.at | OFTEN) + 1), now, best);
        if (turn.due && !await turn.pass()) return null;
      }
      stand[c] = walk.stand;
    }
    return { stand, sums };
  }
  function climb(trace, category, walk, end, now, best) {
    const { changes, sizes, sizeRow, attrRow } = trace;
    let { at, total, most } = walk;
    for (; at < end; at++) {
      const change = changes[at];
      const row = change >= 0 ? change : ~change;
      const size = change >= 0 ? sizes[sizeRow[row]] : -sizes[sizeRow[row]];
      now[category[attrRow[row]]] += size;
      total += size;
      if (total > most) {
        most = total;
        walk.stand = at + 1;
        for (let k = 0; k < 8; k++) best[k] = now[k];
      }
    }
    walk.at = at;
    walk.total = total;
    walk.most = most;
  }
  var Raster = class {
    /** @param {import("./trace.js").Trace} trace @param {import("./live.js").Moments} moments */
    constructor(trace, moments) {
      this.trace = trace;
      this.moments = moments;
      this.alive = new Alive(trace);
      this.frame = null;
      this.pixels = new Uint32Array(0);
      this.stand = new Int32Array(0);
      this.first = 0;
      this.column = 0;
      this.end = 0;
      this.colour = () => 4284900966;
    }
    /** @param {Frame} frame @param {Int32Array} stand @param {Uint32Array} pixels
     * @param {number} first @param {number} end columns to draw */
    begin(frame, stand, pixels, first, end) {
      this.frame = frame;
      this.stand = stand;
      this.pixels = pixels;
      this.first = this.column = first;
      this.end = end;
    }
    /** Draw until `turn` is over. @param {import("./slices.js").Turn} turn @returns {boolean} done */
    run(turn) {
      const height = (
        /** @type {Frame} */
        this.frame.height
      );
      while (this.column < this.end) {
        const c = this.column++;
        if (c > this.first && this.stand[c] === this.stand[c - 1])
          this.pixels.copyWithin(c * height, (c - 1) * height, c * height);
        else {
          this.moments.seek(this.alive, this.stand[c]);
          this.draw(c * height, this.stand[c]);
        }
        if (turn.due) break;
      }
      return this.column >= this.end;
    }
    /** @param {number} base of the column in `pixels` @param {number} stand */
    draw(base, stand) {
      const { height, low, high, hide } = (
        /** @type {Frame} */
        this.frame
      );
      const { trace, pixels } = this;
      const { n, rows, sizes } = this.alive;
      const perRow = (high - low) / height;
      const event = stand ? trace.changeEvent(trace.changes[stand - 1]) : trace.from;
      let offset = trace.loose;
      let y = 0;
      const loose = Math.max(0, Math.min(height, Math.ceil((offset - low) / perRow - 0.5)));
      for (; y < loose; y++) pixels[base + y] = 4288256409;
      let next = low + (y + 0.5) * perRow;
      for (let i = 0; i < n && y < height; i++) {
        const size = sizes[i];
        if (size < hide) continue;
        offset += size;
        if (offset <= next) continue;
        const end = Math.min(height, Math.ceil((offset - low) / perRow - 0.5));
        if (end <= y) continue;
        const colour = this.colour(rows[i], event);
        const start2 = y;
        while (y < end) pixels[base + y++] = colour;
        if (end - start2 > 3) pixels[base + end - 1] = darker(colour);
        next = low + (y + 0.5) * perRow;
      }
      pixels.fill(EMPTY, base + y, base + height);
    }
  };
  function darker(colour) {
    const part = (shift) => (colour >>> shift & 255) * 0.72;
    return (255 << 24 | part(16) << 16 | part(8) << 8 | part(0)) >>> 0;
  }
  function rowAt(trace, alive, bytes2, hide) {
    let offset = trace.loose;
    if (bytes2 < offset) return -1;
    for (let i = 0; i < alive.n; i++) {
      if (alive.sizes[i] < hide) continue;
      offset += alive.sizes[i];
      if (bytes2 < offset) return alive.rows[i];
    }
    return -1;
  }

  // src/sort.js
  var RUN = 16;
  var OFTEN2 = 8191;
  async function placesInOrder(keys, turn) {
    const n = keys.length;
    let from = new Uint32Array(n);
    let to = new Uint32Array(n);
    for (let start2 = 0; start2 < n; start2 += RUN) {
      if ((start2 & OFTEN2) === 0 && turn.due && !await turn.pass()) return null;
      insert(keys, from, start2, Math.min(n, start2 + RUN));
    }
    for (let width = RUN; width < n; width *= 2) {
      for (let start2 = 0; start2 < n; start2 += 2 * width) {
        const middle = Math.min(n, start2 + width);
        const end = Math.min(n, start2 + 2 * width);
        const merge = { keys, from, to, a: start2, middle, b: middle, end, at: start2 };
        do {
          if ((merge.at & OFTEN2) === 0 && turn.due && !await turn.pass()) return null;
          mergeSome(merge, Math.min(end, (merge.at | OFTEN2) + 1));
        } while (merge.at < end);
      }
      [from, to] = [to, from];
    }
    return from;
  }
  function insert(keys, places, start2, end) {
    for (let i = start2; i < end; i++) {
      let k = i;
      for (; k > start2 && keys[places[k - 1]] > keys[i]; k--) places[k] = places[k - 1];
      places[k] = i;
    }
  }
  function mergeSome(m, stop) {
    const { keys, from, to, middle, end } = m;
    let { a, b, at } = m;
    while (at < stop) to[at++] = b >= end || a < middle && keys[from[a]] <= keys[from[b]] ? from[a++] : from[b++];
    m.a = a;
    m.b = b;
    m.at = at;
  }
  function ranks(words) {
    const sorted = [...new Set(words)].sort((a, b) => a < b ? -1 : 1);
    const rank = new Map(sorted.map((word, i) => [word, i]));
    return Float64Array.from(words, (word) => (
      /** @type {number} */
      rank.get(word)
    ));
  }

  // src/holes.js
  var PER_CHUNK = 128;
  var WIDTH = 3;
  var Ordered = class {
    constructor() {
      this.chunks = [];
      this.chunk = 0;
      this.place = 0;
    }
    /** Go to the first row that is not before these. @param {number} first @param {number} second */
    find(first, second) {
      const { chunks } = this;
      let low = 0;
      let high = chunks.length;
      while (low < high) {
        const mid = low + high >> 1;
        const { rows: rows2 } = chunks[mid];
        if (rows2[0] < first || rows2[0] === first && rows2[1] <= second) low = mid + 1;
        else high = mid;
      }
      this.chunk = low ? low - 1 : 0;
      this.place = 0;
      if (!chunks.length) return;
      const { n, rows } = chunks[this.chunk];
      low = 0;
      high = n;
      while (low < high) {
        const mid = low + high >> 1;
        const a = rows[WIDTH * mid];
        if (a < first || a === first && rows[WIDTH * mid + 1] < second) low = mid + 1;
        else high = mid;
      }
      if (low < n) this.place = low;
      else this.chunk++;
    }
    /** On by so many rows. @param {number} steps */
    skip(steps) {
      this.place += steps;
      while (this.chunk < this.chunks.length && this.place >= this.chunks[this.chunk].n)
        this.place -= this.chunks[this.chunk++].n;
    }
    /** @param {number} first @param {number} second @param {number} third */
    insert(first, second, third) {
      this.find(first, second);
      this.put(first, second, third);
    }
    /** Where the last search ended. @param {number} first @param {number} second @param {number} third */
    put(first, second, third) {
      const { chunks } = this;
      if (this.place === 0 && this.chunk > 0) this.place = chunks[--this.chunk].n;
      let c = chunks[this.chunk];
      if (!c || c.n === PER_CHUNK) c = this.split(c);
      const at = WIDTH * this.place;
      if (this.place < c.n) c.rows.copyWithin(at + WIDTH, at, WIDTH * c.n);
      c.rows[at] = first;
      c.rows[at + 1] = second;
      c.rows[at + 2] = third;
      c.n++;
    }
    /** Half of a full chunk becomes its own, or the first one.
     * @param {{n: number, rows: Float64Array} | undefined} full */
    split(full) {
      const made = { n: 0, rows: new Float64Array(WIDTH * PER_CHUNK) };
      if (!full) {
        this.chunks.push(made);
        return made;
      }
      const half = PER_CHUNK / 2;
      made.rows.set(full.rows.subarray(WIDTH * half));
      full.n = made.n = half;
      this.chunks.splice(this.chunk + 1, 0, made);
      if (this.place <= half) return full;
      this.chunk++;
      this.place -= half;
      return made;
    }
    /** @param {number} chunk @param {number} place */
    removeAt(chunk, place) {
      const c = this.chunks[chunk];
      c.n--;
      if (!c.n) this.chunks.splice(chunk, 1);
      else if (place < c.n) c.rows.copyWithin(WIDTH * place, WIDTH * (place + 1), WIDTH * (c.n + 1));
    }
    /** The row is there. @param {number} first @param {number} second */
    remove(first, second) {
      const here = this.chunks[this.chunk];
      const at = WIDTH * this.place;
      if (!here || this.place >= here.n || here.rows[at] !== first || here.rows[at + 1] !== second)
        this.find(first, second);
      this.removeAt(this.chunk, this.place);
    }
  };
  var Holes = class {
    constructor() {
      this.byAddress = new Ordered();
      this.bySize = [];
      this.shared = [];
      this.laneOfHome = [];
      this.chunk = 0;
      this.place = 0;
      this.rows = null;
    }
    /** @param {number} lane */
    newHome(lane) {
      this.sharedHome(lane);
      return this.laneOfHome.push(lane) - 1;
    }
    /** @param {number} lane */
    sharedHome(lane) {
      while (this.bySize.length <= lane) {
        this.shared.push(this.laneOfHome.push(this.bySize.length) - 1);
        this.bySize.push(new Ordered());
      }
      return this.shared[lane];
    }
    /** Look for the last hole that starts at `address` or before; the next one is where `byAddress`
     * stands then. @param {number} address */
    before(address2) {
      const { byAddress } = this;
      byAddress.find(address2, Infinity);
      this.chunk = byAddress.chunk;
      this.place = byAddress.place - 1;
      if (this.place < 0 && --this.chunk >= 0) this.place = byAddress.chunks[this.chunk].n - 1;
      this.rows = this.chunk >= 0 ? byAddress.chunks[this.chunk].rows : null;
      return this.rows;
    }
    /** A part of a hole is not free any longer. @param {number} chunk @param {number} place
     * @param {number} start @param {number} end */
    cut(chunk, place, start2, end) {
      const { rows } = this.byAddress.chunks[chunk];
      const at = WIDTH * place;
      const from = rows[at];
      const to = rows[at + 1];
      const home = rows[at + 2];
      const sizes = this.bySize[this.laneOfHome[home]];
      sizes.remove(to - from, from);
      if (from < start2) {
        rows[at + 1] = start2;
        sizes.insert(start2 - from, from, 0);
        if (end < to) this.byAddress.insert(end, to, home);
      } else if (end < to) rows[at] = end;
      else this.byAddress.removeAt(chunk, place);
      if (end < to) sizes.insert(to - end, end, 0);
    }
    /** [start, start + size) becomes free. @param {number} start @param {number} size
     * @param {number} home */
    give(start2, size, home) {
      if (!size) return;
      const { byAddress } = this;
      const sizes = this.bySize[this.laneOfHome[home]];
      const low = this.before(start2);
      const next = byAddress.chunks[byAddress.chunk];
      const end = start2 + size;
      const lowAt = WIDTH * this.place;
      const highAt = WIDTH * byAddress.place;
      if (low && low[lowAt + 1] > start2 || next && next.rows[highAt] < end) return;
      const joinsLow = low && low[lowAt + 1] === start2 && low[lowAt + 2] === home;
      const joinsHigh = next && next.rows[highAt] === end && next.rows[highAt + 2] === home;
      let from = start2;
      let to = end;
      if (joinsLow) {
        from = low[lowAt];
        sizes.remove(start2 - from, from);
      }
      if (joinsHigh) {
        to = next.rows[highAt + 1];
        sizes.remove(to - end, end);
      }
      if (joinsLow) low[lowAt + 1] = to;
      else if (joinsHigh) next.rows[highAt] = from;
      else byAddress.put(from, to, home);
      if (joinsLow && joinsHigh) byAddress.removeAt(byAddress.chunk, byAddress.place);
      sizes.insert(to - from, from, 0);
    }
    /** [start, start + size) is no longer free, as far as the hole goes that holds `start`.
     * @param {number} start @param {number} size @returns {number} its home; -1: there is none */
    take(start2, size) {
      const rows = this.before(start2);
      const at = WIDTH * this.place;
      if (!rows || rows[at + 1] <= start2) return -1;
      const home = rows[at + 2];
      if (size) this.cut(this.chunk, this.place, start2, start2 + size);
      return home;
    }
    /** No part of [start, start + size) is free any longer. @param {number} start @param {number} size */
    drop(start2, size) {
      const { byAddress } = this;
      const end = start2 + size;
      while (size) {
        const rows = this.before(start2);
        if (rows && rows[WIDTH * this.place + 1] > start2) this.cut(this.chunk, this.place, start2, end);
        else {
          const next = byAddress.chunks[byAddress.chunk];
          if (!next || next.rows[WIDTH * byAddress.place] >= end) return;
          this.cut(byAddress.chunk, byAddress.place, start2, end);
        }
      }
    }
    /** Where the hole starts that has `rank` others before it of those in a lane that hold `size`.
     * @param {number} lane @param {number} size @param {number} rank */
    startOf(lane, size, rank) {
      const sizes = this.bySize[lane];
      sizes.find(size, -1);
      if (rank) sizes.skip(rank);
      return sizes.chunks[sizes.chunk].rows[WIDTH * sizes.place + 1];
    }
  };

  // src/trace.js
  var OP_ALLOC = 0;
  var OP_FREE = 1;
  var OP_FREE_LATER = 2;
  var OP_REQUESTED = 3;
  var OP_COMPLETED = 4;
  var OP_RARE = 6;
  var COARSE_EVENTS = 16;
  var SEGMENT_ALLOC = 4;
  var SEGMENT_MAP = 6;
  var SEGMENT_UNMAP = 7;
  var SMALL_REQUEST_BYTES = 1024 * 1024;
  var SMALL_SEGMENT_BYTES = 2 * 1024 * 1024;
  var OFTEN3 = 16383;
  var ALIVE = 2147483647;
  var Trace = class {
    /** @param {any} description of the device @param {any} file of the file
     * @param {string} id "0/0" */
    constructor(description, file, id) {
      this.about = description;
      this.file = file;
      this.id = id;
      this.device = description.device;
      this.from = description.from;
      this.to = description.to;
      this.nEvents = this.to - this.from;
      this.nRows = description.rows;
      this.nBefore = description.before;
      this.loose = description.loose_bytes;
      this.attrs = description.attrs;
      this.hasAddresses = description.has_addresses;
      this.rare = [];
      this.segments = [];
      this.addressOf = null;
      this.reading = null;
      this.weighing = null;
      this.peakTotal = 0;
      this.peakEvent = this.from;
      this.sizes = new Float64Array(0);
      this.requested = new Float64Array(0);
      this.sizeRow = new Uint32Array(0);
      this.stackRow = new Uint32Array(0);
      this.attrRow = new Uint16Array(0);
      this.rowsOf = new Float64Array(this.attrs.length);
      this.born = new Int32Array(0);
      this.freeRequested = new Int32Array(0);
      this.freeCompleted = new Int32Array(0);
      this.stackDict = [];
      this.changes = new Int32Array(0);
      this.told = this.changes;
      this.times = new Float64Array(0);
      this.byTime = false;
      this.lastTime = 0;
    }
    /** @param {string} name */
    column(name) {
      const size = this.about.columns[name];
      return size ? readChunk(`${this.id}/${name}`, size) : Promise.resolve(new Uint8Array(0));
    }
    /** All but addresses. */
    async load() {
      const all = [
        "ops",
        "times",
        "free_times",
        "later_times",
        "frees",
        "sizes",
        "stacks",
        "attrs",
        "born",
        "size_dict",
        "stack_dict",
        "rare",
        "exceptions",
        "segments"
      ];
      const c = {};
      for (const name of all) c[name] = new Reader(await this.column(name));
      await this.readRows(c);
      await this.readEvents(c);
      await this.readExceptions(c.exceptions);
      this.readSegments(c.segments);
      this.checkTimes();
    }
    /** @param {Record<string, Reader>} c */
    async readRows(c) {
      const n = this.nRows;
      const turn = new Turn(void 0, LOADING);
      this.sizes = new Float64Array(c.size_dict.bytes.length >> 1);
      this.requested = new Float64Array(c.size_dict.bytes.length >> 1);
      let pairs = 0;
      for (let asked = 0; !c.size_dict.done; pairs++) {
        asked += c.size_dict.signed();
        this.requested[pairs] = asked;
        this.sizes[pairs] = asked + c.size_dict.signed();
        if ((pairs & OFTEN3) === 0 && turn.due) await turn.pass();
      }
      this.sizes = this.sizes.subarray(0, pairs);
      this.requested = this.requested.subarray(0, pairs);
      while (!c.stack_dict.done) this.stackDict.push(c.stack_dict.next());
      this.sizeRow = new Uint32Array(n);
      this.stackRow = new Uint32Array(n);
      this.attrRow = new Uint16Array(n);
      const dict = Uint32Array.from(this.stackDict);
      const attrs = new Uint32Array(OFTEN3 + 1);
      let fresh = 0;
      for (let i = 0; i < n; i += OFTEN3 + 1) {
        const end = Math.min(n, i + OFTEN3 + 1);
        c.sizes.fill(this.sizeRow, i, end);
        c.stacks.fill(this.stackRow, i, end);
        c.attrs.fill(attrs, 0, end - i);
        fresh = resolve(this, i, end, dict, attrs, fresh);
        if (turn.due) await turn.pass();
      }
      this.born = new Int32Array(n);
      this.freeRequested = new Int32Array(n).fill(ALIVE);
      this.freeCompleted = new Int32Array(n).fill(ALIVE);
      for (let i = 0; i < this.nBefore; i++) {
        const ago = c.born.next();
        this.born[i] = ago ? this.from - ago + 1 : -1;
      }
    }
    /** @param {Record<string, Reader>} c */
    async readEvents(c) {
      const ops = c.ops.bytes;
      const turn = new Turn(void 0, LOADING);
      const older = new Int32Array(this.nRows + 1);
      const younger = new Int32Array(this.nRows + 1);
      const done = { i: 0, event: this.from + 1, row: this.nBefore, k: 0, older, younger, next: 0 };
      for (let at = 1; at <= this.nBefore; at++) {
        older[at] = at - 1;
        younger[at - 1] = at;
      }
      older[0] = this.nBefore;
      this.changes = new Int32Array(2 * this.nRows);
      while (done.i < ops.length) {
        this.replay(ops, c.frees, done, Math.min(ops.length, done.i + OFTEN3));
        if (done.i < ops.length && ops[done.i] === OP_RARE) this.readRare(c.rare, done);
        if (turn.due) await turn.pass();
      }
      this.changes = this.changes.subarray(0, done.k);
      this.told = this.changes;
      await this.readTimes(ops, [c.times, c.free_times, c.later_times]);
    }
    /** Births and ends, up to op `end` or the next rare one. @param {Uint8Array} ops
     * @param {Reader} frees @param {Progress} done @param {number} end */
    replay(ops, frees, done, end) {
      const { born, freeRequested, freeCompleted, changes } = this;
      const { older, younger } = done;
      let { i, event, row, k, next } = done;
      for (; i < end; i++, event++) {
        const op = ops[i];
        if (op === OP_ALLOC) {
          born[row] = event;
          changes[k++] = row++;
          const last = older[0];
          older[row] = last;
          younger[last] = row;
          older[0] = row;
          continue;
        }
        if (op === OP_RARE) break;
        const code = frees.next();
        let freed = 0;
        if (code) {
          const way = (code - 1) % 3;
          const links = way === 1 ? younger : older;
          let steps = (code - 1 - way) / 3 + (way === 2 ? 1 : 0);
          freed = way === 0 ? links[0] : next;
          for (; steps > 0; steps--) freed = links[freed];
        } else freed = row - frees.next();
        if (op !== OP_COMPLETED) freeRequested[freed - 1] = event;
        if (op === OP_REQUESTED) continue;
        if (younger[older[freed]] === freed) {
          next = younger[freed];
          younger[older[freed]] = next;
          older[next] = older[freed];
        }
        if (op === OP_FREE || op === OP_FREE_LATER) event++;
        freeCompleted[freed - 1] = event;
        changes[k++] = -freed;
      }
      Object.assign(done, { i, event, row, k, next });
    }
    /** @param {Reader} rare @param {Progress} done */
    readRare(rare, done) {
      const [action, address2, size, stack, attr] = Array.from({ length: 5 }, () => rare.next());
      this.rare.push({ event: done.event++, behind: done.k, action, address: address2, size, stack: stack ? this.stackDict[stack - 1] : -1, attr });
      done.i++;
    }
    /** @param {Uint8Array} ops @param {Reader[]} columns of allocations, of frees, of second events */
    async readTimes(ops, columns) {
      if (!this.about.has_times) return;
      const turn = new Turn(void 0, LOADING);
      this.times = new Float64Array(this.nEvents);
      if (this.about.coarse_times) {
        await this.readCoarse(columns[0], turn);
        return;
      }
      const clock = { now: 0, top: 0, event: 0, falls: this.about.times_fall };
      for (let i = 0; i < ops.length; i += OFTEN3 + 1) {
        stamp(ops, i, Math.min(ops.length, i + OFTEN3 + 1), columns, clock, this.times);
        if (turn.due) await turn.pass();
      }
    }
    /** Exact at every 16th event and the last, a line between. @param {Reader} times @param {Turn} turn */
    async readCoarse(times, turn) {
      const at = this.times;
      const falls = this.about.times_fall;
      let now = 0;
      let old = 0;
      let before = -1;
      while (before < at.length - 1) {
        const i = before < 0 ? 0 : Math.min(before + COARSE_EVENTS, at.length - 1);
        now += falls ? times.signed() : times.next();
        at[i] = Math.max(now, old);
        for (let k = before + 1; k < i; k++) at[k] = old + (at[i] - old) * (k - before) / (i - before);
        old = at[i];
        before = i;
        if ((i & OFTEN3) === 0 && turn.due) await turn.pass();
      }
    }
    /** @param {Reader} c */
    async readExceptions(c) {
      if (c.done) return;
      while (!c.done) {
        const row = c.next();
        const requested = c.signed();
        const completed = c.signed();
        this.freeRequested[row] = requested === -2 ? ALIVE : requested;
        this.freeCompleted[row] = completed === -2 ? ALIVE : completed;
      }
      const turn = new Turn();
      const list = new Int32Array(2 * this.nRows);
      let k = 0;
      for (let row = 0; row < this.nRows; row++) {
        if (this.freeCompleted[row] <= this.to && this.freeCompleted[row] > this.from) list[k++] = ~row;
        if (row >= this.nBefore) list[k++] = row;
        if ((row & OFTEN3) === 0 && turn.due) await turn.pass();
      }
      const keys = new Float64Array(k);
      for (let i = 0; i < k; i++) keys[i] = 2 * this.changeEvent(list[i]) + (list[i] >= 0 ? 1 : 0);
      const places = (
        /** @type {Uint32Array} */
        await placesInOrder(keys, turn)
      );
      this.changes = Int32Array.from(places, (i) => list[i]);
    }
    /** @param {Reader} c */
    readSegments(c) {
      while (!c.done) {
        const segment = { address: c.next(), size: c.next(), attr: c.next(), expandable: false, small: false };
        const bits = c.next();
        segment.expandable = bits >= 2;
        segment.small = bits % 2 === 1;
        this.segments.push(segment);
      }
    }
    checkTimes() {
      const n = this.times.length;
      this.byTime = n > 1 && this.times[n - 1] > this.times[0];
      this.lastTime = n ? this.times[n - 1] : 0;
    }
    /** Addresses are read when something first asks for them. */
    async loadAddresses() {
      if (!this.hasAddresses) return;
      this.reading ||= this.readAddresses();
      await this.reading;
    }
    async readAddresses() {
      const turn = new Turn();
      const [places, misses] = (await Promise.all(["addresses", "misses"].map((n) => this.column(n)))).map(
        (b) => new Reader(b)
      );
      const unit = this.about.byte_addresses ? 1 : 512;
      const { foretold } = this.about;
      const holes = new Holes();
      const addressOf = new Float64Array(this.nRows);
      const homeOf = new Uint32Array(this.nRows);
      const units = Float64Array.from(this.sizes, (size) => Math.ceil(size / unit));
      const small = Uint8Array.from(this.sizes, (size) => size <= SMALL_REQUEST_BYTES ? 1 : 0);
      const lanes = Uint32Array.from(this.attrs, (attr) => 2 * attr[6]);
      let end = 0;
      const born = (row) => {
        const kind = this.sizeRow[row];
        const size = units[kind];
        const lane = lanes[this.attrRow[row]] + small[kind];
        const told = row < this.nBefore ? 0 : places.next();
        const at = told ? holes.startOf(lane, size, told - 1) : end + misses.signed();
        addressOf[row] = at * unit;
        end = at + size;
        if (!foretold) return;
        const home = holes.take(at, size);
        homeOf[row] = home < 0 ? holes.sharedHome(lane) : home;
      };
      const segment = (s) => {
        const lane = lanes[s.attr] + (s.small ? 1 : 0);
        const home = s.expandable ? holes.sharedHome(lane) : holes.newHome(lane);
        if (foretold) holes.give(Math.floor(s.address / unit), Math.floor(s.size / unit), home);
      };
      const seldom = (r) => {
        if (r.action < SEGMENT_ALLOC || r.action > SEGMENT_UNMAP || !foretold) return;
        const expandable = r.action === SEGMENT_MAP;
        if (expandable || r.action === SEGMENT_ALLOC)
          segment({ ...r, expandable, small: r.size <= SMALL_SEGMENT_BYTES });
        else holes.drop(Math.floor(r.address / unit), Math.floor(r.size / unit));
      };
      for (const s of this.segments) segment(s);
      for (let row = 0; row < this.nBefore; row++) born(row);
      for (let i = 0, next = 0; i < this.told.length; i++) {
        while (next < this.rare.length && this.rare[next].behind <= i) seldom(this.rare[next++]);
        if ((i & OFTEN3) === 0 && turn.due) await turn.pass();
        const change = this.told[i];
        if (change >= 0) born(change);
        else if (foretold) holes.give(addressOf[~change] / unit, units[this.sizeRow[~change]], homeOf[~change]);
      }
      this.addressOf = addressOf;
    }
    /** Bytes times events of all rows of each stack and each kind, added up once. */
    weights() {
      this.weighing ||= this.weigh();
      return this.weighing;
    }
    async weigh() {
      const turn = new Turn();
      const stacks = new Float64Array(this.file.stacks.length / 2);
      const attrs = new Float64Array(this.attrs.length);
      for (let row = 0; row < this.nRows; row++) {
        const life = Math.min(this.freeCompleted[row], this.to + 1) - Math.max(this.born[row], this.from);
        const weight = this.size(row) * life;
        stacks[this.stackRow[row]] += weight;
        attrs[this.attrRow[row]] += weight;
        if ((row & OFTEN3) === 0 && turn.due) await turn.pass();
      }
      return { stacks, attrs };
    }
    /** @param {number} change */
    changeEvent(change) {
      return change >= 0 ? this.born[change] : this.freeCompleted[~change];
    }
    /** @param {number} row */
    size(row) {
      return this.sizes[this.sizeRow[row]];
    }
    /** The first change behind `event`. @param {number} event */
    changeAfter(event) {
      let low = 0;
      let high = this.changes.length;
      while (low < high) {
        const mid = low + high >> 1;
        if (this.changeEvent(this.changes[mid]) <= event) low = mid + 1;
        else high = mid;
      }
      return low;
    }
    /** Microseconds since the first event. @param {number} event */
    timeOf(event) {
      if (!this.times.length || event <= this.from) return 0;
      return this.times[Math.min(event, this.to) - this.from - 1];
    }
    /** The last event not later than `us`. @param {number} us */
    eventAt(us) {
      let low = 0;
      let high = this.times.length;
      while (low < high) {
        const mid = low + high >> 1;
        if (this.times[mid] <= us) low = mid + 1;
        else high = mid;
      }
      return this.from + low;
    }
    /** @param {number} row @param {number} event */
    alive(row, event) {
      return this.born[row] <= event && this.freeCompleted[row] > event;
    }
    /** The stack of a row of stacks, innermost frame first. @param {number} stack */
    frames(stack) {
      const { tree, frames, stacks } = this.file;
      const out = [];
      for (let node = stacks[2 * stack]; node; node = tree[2 * (node - 1)])
        out.push(frames[tree[2 * (node - 1) + 1] - 1]);
      return out;
    }
    /** @param {number} stack */
    site(stack) {
      return stack < 0 ? "(no stack)" : this.file.sites[this.file.stacks[2 * stack + 1]];
    }
  };
  function resolve(t, from, to, dict, attrs, fresh) {
    const { sizeRow, stackRow, attrRow, rowsOf } = t;
    for (let i = from; i < to; i++) {
      sizeRow[i] = sizeRow[i] ? sizeRow[i] - 1 : fresh++;
      stackRow[i] = dict[stackRow[i]];
      attrRow[i] = attrs[i - from];
      rowsOf[attrRow[i]]++;
    }
    return fresh;
  }
  function stamp(ops, from, to, columns, clock, out) {
    const { falls } = clock;
    let { now, top, event } = clock;
    for (let i = from; i < to; i++) {
      const op = ops[i];
      const last = op === OP_FREE_LATER ? 2 : op === OP_ALLOC || op === OP_RARE ? 0 : 1;
      for (let which = Math.min(last, 1); which <= last; which++) {
        now += falls ? columns[which].signed() : columns[which].next();
        if (now > top) top = now;
        out[event++] = top;
      }
      if (op === OP_FREE) out[event++] = top;
    }
    Object.assign(clock, { now, top, event });
  }

  // src/segments.js
  var SEGMENT_FREE = 5;
  var OFTEN4 = 4095;
  function reservedSeries(trace) {
    let now = 0;
    for (const s of trace.segments) now += s.size;
    const events = [trace.from];
    const bytes2 = [now];
    for (const r of trace.rare) {
      if (r.action === SEGMENT_ALLOC || r.action === SEGMENT_MAP) now += r.size;
      else if (r.action === SEGMENT_FREE || r.action === SEGMENT_UNMAP) now = Math.max(0, now - r.size);
      else continue;
      events.push(r.event);
      bytes2.push(now);
    }
    return { events, bytes: bytes2, known: events.length > 1 || now > 0 };
  }
  function cut(list, from, to) {
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
  function segmentsAt(trace, event) {
    const whole = /* @__PURE__ */ new Map();
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
    const joined = [];
    for (const s of parts) {
      const last = joined[joined.length - 1];
      if (last && last.address + last.size === s.address && sameKind(trace, last, s)) last.size += s.size;
      else joined.push({ ...s });
    }
    return [...whole.values(), ...joined].sort((a, b) => a.address - b.address);
  }
  function sameKind(trace, a, b) {
    const x = trace.attrs[a.attr];
    const y = trace.attrs[b.attr];
    return x[0] === y[0] && x[1] === y[1] && x[2] === y[2];
  }
  async function stateAt(trace, rows, event, turn) {
    const addresses = trace.addressOf;
    const segments = segmentsAt(trace, event).map((s) => ({
      segment: s,
      rows: (
        /** @type {number[]} */
        []
      ),
      used: 0,
      pending: 0,
      largest: 0
    }));
    let lost = 0;
    if (!addresses) return { segments, lost: rows.length };
    const order = await placesInOrder(Float64Array.from(rows, (r) => addresses[r]), turn);
    if (!order) return null;
    let at = 0;
    for (let i = 0; i < order.length; i++) {
      const row = rows[order[i]];
      if ((i & OFTEN4) === 0 && turn.due && !await turn.pass()) return null;
      const address2 = addresses[row];
      while (at < segments.length && segments[at].segment.address + segments[at].segment.size <= address2) at++;
      const home = segments[at];
      if (!home || address2 < home.segment.address) {
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

  // src/theme.js
  var KEY = "vramscope-theme";
  var DARK = /prefers-color-scheme:\s*dark/;
  function stored() {
    try {
      return localStorage.getItem(KEY) || "auto";
    } catch {
      return "auto";
    }
  }
  function applyTheme(theme) {
    const system = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const dark = theme === "dark" || theme === "auto" && system;
    for (const sheet of document.styleSheets)
      for (const rule of sheet.cssRules)
        if (rule instanceof CSSMediaRule) {
          const original = (
            /** @type {any} */
            rule.original || rule.media.mediaText
          );
          if (!DARK.test(original)) continue;
          rule.original = original;
          if (theme === "auto") rule.media.mediaText = original;
          else rule.media.mediaText = dark ? "screen" : "not all";
        }
    document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
    document.documentElement.dataset.dark = dark ? "yes" : "no";
  }
  function startTheme(changed) {
    applyTheme(stored());
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      applyTheme(stored());
      changed();
    });
  }
  function toggleTheme() {
    const theme = document.documentElement.dataset.dark === "yes" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
    }
    applyTheme(theme);
  }

  // src/trail.js
  var OFTEN5 = 16383;
  async function trailOf(stage, row, turn) {
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
        if ((at & OFTEN5) === 0 && turn.due && !await turn.pass()) return null;
      }
      offsets[c - first] = below;
    }
    return { shown, first, offsets };
  }
  function aliveAt(trace, row, index) {
    return trace.alive(row, index ? trace.changeEvent(trace.changes[index - 1]) : trace.from);
  }

  // src/words.js
  var UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
  function bytes(n) {
    let unit = 0;
    let v = Math.abs(n);
    while (v >= 1024 && unit < UNITS.length - 1) {
      v /= 1024;
      unit++;
    }
    if (unit > 0 && unit < UNITS.length - 1 && v.toFixed(2) === "1024.00") {
      v = 1;
      unit++;
    }
    const [whole, hundredths] = (unit === 0 ? String(v) : v.toFixed(2)).split(".");
    return `${n < 0 ? "-" : ""}${count(Number(whole))}${hundredths ? `.${hundredths}` : ""} ${UNITS[unit]}`;
  }
  function count(n) {
    return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  }
  function threeDigits(v) {
    const decimals = v >= 100 ? 0 : v >= 10 ? 1 : 2;
    return (Math.floor(v * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
  }
  function duration(us) {
    if (us < 1e3) return `${Math.floor(us)} us`;
    if (us < 1e6) return `${threeDigits(us / 1e3)} ms`;
    if (us < 6e7) return `${threeDigits(us / 1e6)} s`;
    const s = Math.floor(us / 1e6);
    if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
    return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
  }
  function address(n) {
    return `0x${n.toString(16)}`;
  }
  function pool(a, b) {
    if (!a && !b) return "default";
    if (!b) return `graph ${a}`;
    if (!a) return `mempool ${b}`;
    return `${a}:${b}`;
  }
  function elide(text, most) {
    if (text.length <= most) return text;
    const head = Math.floor((most - 1) / 4);
    return `${text.slice(0, head)}\u2026${text.slice(text.length - (most - 1 - head))}`;
  }
  function frameWords(frame) {
    const [file, line, name] = frame;
    const place = line > 0 ? `${file}:${line}` : file;
    return place ? `${place} ${name}` : name;
  }
  function byteStep(span, most) {
    let step = 1;
    while (span / step > most) step *= 2;
    return step;
  }
  function decimalStep(span, most) {
    let step = 10 ** Math.floor(Math.log10(Math.max(span / most, 1e-9)));
    for (const factor of [2, 2.5, 2]) {
      if (span / step <= most) break;
      step *= factor;
    }
    return step;
  }
  var CATEGORY_COLOURS = [
    "#0072b2",
    "#e69f00",
    "#f0e442",
    "#cc79a7",
    "#009e73",
    "#d55e00",
    "#56b4e9",
    "#666666"
  ];
  var MANY = [
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#8a6d3b",
    "#7b68ae",
    "#2f8f8f",
    "#b35970",
    "#6b8e23"
  ];
  function manyColour(i) {
    return MANY[i % MANY.length];
  }
  function abgr(hex2, shade = 1) {
    const part = (at) => Math.max(0, Math.min(255, Math.round(parseInt(hex2.slice(at, at + 2), 16) * shade)));
    return (255 << 24 | part(5) << 16 | part(3) << 8 | part(1)) >>> 0;
  }
  function ramp(part) {
    const stops = [[27, 79, 140], [42, 157, 143], [233, 196, 106], [231, 111, 81]];
    const x = Math.max(0, Math.min(0.9999, part)) * 3;
    const i = Math.floor(x);
    const mix = stops[i].map((v, k) => Math.round(v + (stops[i + 1][k] - v) * (x - i)));
    return `#${mix.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
  }

  // src/colours.js
  var MOST_NAMES = 12;
  var OTHERS = "#9aa3ad";
  var PLAIN = { key: "", of: () => 4284900966, hex: () => "#666666", legend: [] };
  function byName(t, weights, nameOf2, words, key) {
    const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).filter((i) => weights[i] > 0);
    const hex2 = new Array(weights.length).fill(OTHERS);
    const legend = [];
    order.slice(0, MOST_NAMES).forEach((name, i) => {
      hex2[name] = manyColour(i);
      legend.push([manyColour(i), elide(words(name), 90)]);
    });
    if (order.length > MOST_NAMES) legend.push([OTHERS, `${order.length - MOST_NAMES} others`]);
    return shaded(t, hex2, nameOf2, legend, key);
  }
  function added(weights, group, n) {
    const out = new Float64Array(n);
    for (let i = 0; i < weights.length; i++) out[group(i)] += weights[i];
    return out;
  }
  function shaded(t, hex2, nameOf2, legend, key) {
    const table = new Uint32Array(hex2.length * 2);
    hex2.forEach((h, i) => {
      table[2 * i] = abgr(h);
      table[2 * i + 1] = abgr(h, 0.86);
    });
    return { key, legend, of: (row) => table[2 * nameOf2(row) + (row & 1)], hex: (row) => hex2[nameOf2(row)] };
  }
  async function coloursBy(t, categories, by) {
    const attr = (row) => t.attrRow[row];
    if (by === "category") {
      const category = t.attrs.map((a) => a[3]);
      const used = added(t.rowsOf, (i) => category[i], categories.length);
      const legend = [];
      for (const [i, name] of categories.entries()) if (used[i]) legend.push([CATEGORY_COLOURS[i], name.toLowerCase().replace("_", " ")]);
      return shaded(t, CATEGORY_COLOURS, (row) => category[attr(row)], legend, "category");
    }
    if (by === "size") return bySize(t);
    if (by === "age") return byAge(t);
    const weights = await t.weights();
    if (by === "site") {
      const site = (row) => t.file.stacks[2 * t.stackRow[row] + 1];
      const heavy = added(weights.stacks, (i) => t.file.stacks[2 * i + 1], t.file.sites.length);
      return byName(t, heavy, site, (i) => t.file.sites[i].replace(/^.*\/(?=[^/ ]+:\d+ )/, ""), by);
    }
    const words = t.attrs.map((a) => by === "stream" ? `stream ${a[0]}` : pool(a[1], a[2]));
    const names = [...new Set(words)];
    const index = words.map((w) => names.indexOf(w));
    return byName(t, added(weights.attrs, (i) => index[i], names.length), (row) => index[attr(row)], (i) => String(names[i]), by);
  }
  function bySize(t) {
    const part = (size) => (Math.log2(Math.max(512, size)) - 9) / 25;
    const hex2 = Array.from(t.sizes, (s) => ramp(part(s)));
    const legend = [512, 65536, 1048576, 33554432, 1073741824].map((s) => [ramp(part(s)), bytes(s)]);
    return shaded(t, hex2, (row) => t.sizeRow[row], legend, "size");
  }
  function byAge(t) {
    const part = (age) => Math.log2(age + 1) / Math.max(1, Math.log2(t.nEvents + 1));
    const table = Array.from({ length: 65 }, (_, i) => ramp(1 - i / 64));
    const inks2 = table.map((h) => [abgr(h), abgr(h, 0.86)]);
    const at = (row, event) => Math.max(0, Math.min(64, Math.round(64 * part(Math.max(0, event - t.born[row])))));
    return {
      key: "age",
      legend: [[table[0], "just allocated"], [table[32], "older"], [table[64], "as old as the trace"]],
      of: (row, event) => inks2[at(row, event)][row & 1],
      hex: (row, event) => table[at(row, event)]
    };
  }

  // src/eventindex.js
  var OFTEN6 = 16383;
  var BORN = 1;
  var REQUESTED = 2;
  var COMPLETED = 4;
  var EventIndex = class {
    /** @param {import("./view.js").View} view */
    constructor(view) {
      this.trace = view.trace;
      this.actions = view.actions;
      this.built = false;
      this.row = new Int32Array(0);
      this.kind = new Uint8Array(0);
      this.rare = new Map(view.trace.rare.map((r) => [r.event, r]));
    }
    /** @param {import("./slices.js").Turn} turn @returns {Promise<boolean>} false: overtaken */
    async build(turn) {
      if (this.built) return true;
      const t = this.trace;
      const rowOf = new Int32Array(t.nEvents).fill(-1);
      const kindOf = new Uint8Array(t.nEvents);
      const put = (event, row, kind) => {
        if (event <= t.from || event > t.to) return;
        rowOf[event - t.from - 1] = row;
        kindOf[event - t.from - 1] |= kind;
      };
      for (let row = 0; row < t.nRows; row++) {
        if (row >= t.nBefore) put(t.born[row], row, BORN);
        put(t.freeRequested[row], row, REQUESTED);
        put(t.freeCompleted[row], row, COMPLETED);
        if ((row & OFTEN6) === 0 && turn.due && !await turn.pass()) return false;
      }
      this.row = rowOf;
      this.kind = kindOf;
      this.built = true;
      return true;
    }
    /** What to sort by. @param {number} event */
    kindOf(event) {
      const rare = this.rare.get(event);
      return rare ? 8 + rare.action : this.kind[event - this.trace.from - 1];
    }
    /** @param {number} event */
    words(event) {
      const rare = this.rare.get(event);
      if (rare) return this.actions[rare.action];
      const kind = this.kind[event - this.trace.from - 1];
      return kind & BORN ? "alloc" : kind === (REQUESTED | COMPLETED) ? "free" : kind & REQUESTED ? "free_requested" : "free_completed";
    }
    /** @param {number} event */
    rowOf(event) {
      return this.row[event - this.trace.from - 1];
    }
  };

  // src/flame.js
  var ROW = 18;
  var MOST_DEPTH = 200;
  function nameOf(frame, by) {
    if (by === "python" && !isPython(frame)) return "";
    if (by === "file") return frame[0] && frame[0] !== "??" ? frame[0] : "(native)";
    if (by === "module") return moduleOf(frame[0]);
    return frame[0] === "??" ? frame[2] : frameWords(frame);
  }
  function isPython(frame) {
    return /\.py$/.test(frame[0]) || frame[0].startsWith("<");
  }
  function hasPython(file) {
    return file.frames.some(isPython);
  }
  function moduleOf(file) {
    if (!file || file === "??") return "(native)";
    const parts = file.replace(/\\/g, "/").split("/").filter(Boolean);
    const at = parts.findIndex((p) => p === "site-packages" || p === "dist-packages");
    if (at >= 0 && parts[at + 1]) return parts[at + 1].replace(/\.py$/, "");
    const library = parts.findIndex((p) => /^python3\.\d+$/.test(p));
    if (library >= 0 && parts[library + 1]) return parts[library + 1].replace(/\.py$/, "");
    return parts[parts.length - 1].replace(/\.py$/, "");
  }
  async function buildFlame(file, weights, by, turn) {
    const root = { name: "all", value: 0, children: /* @__PURE__ */ new Map(), depth: 0, user: true };
    for (let stack = 0; stack < weights.length; stack++) {
      const weight = weights[stack];
      if (!weight) continue;
      if (turn.due && !await turn.pass()) return null;
      const frames = [];
      for (let node = file.stacks[2 * stack]; node; node = file.tree[2 * (node - 1)])
        frames.push(file.frames[file.tree[2 * (node - 1) + 1] - 1]);
      let at = root;
      root.value += weight;
      let last = "";
      const kept = by === "python" ? frames.some(isPython) : frames.length > 0;
      if (!kept) {
        at = child(at, file.sites[file.stacks[2 * stack + 1]], false);
        at.value += weight;
      }
      for (let i = frames.length - 1; i >= 0 && at.depth < MOST_DEPTH; i--) {
        const name = nameOf(frames[i], by);
        if (!name || (by === "file" || by === "module") && name === last) continue;
        last = name;
        at = child(at, name, frames[i][3]);
        at.value += weight;
      }
    }
    return root;
  }
  function child(at, name, user) {
    let next = at.children.get(name);
    if (!next) {
      next = { name, value: 0, children: /* @__PURE__ */ new Map(), depth: at.depth + 1, user };
      at.children.set(name, next);
    }
    return next;
  }
  var FlameView = class {
    /** @param {(words: string, node: Node | null) => void} told */
    constructor(told) {
      this.told = told;
      this.element = element("div", "stage flame");
      this.canvas = canvas("", "Flame graph of bytes by stack");
      this.canvas.tabIndex = 0;
      this.canvas.setAttribute("role", "application");
      this.tip = element("div", "tip");
      this.tip.hidden = true;
      this.element.append(this.canvas, this.tip);
      this.root = null;
      this.path = [];
      this.boxes = [];
      this.unit = bytes;
      this.search = "";
      this.selected = 0;
      this.canvas.addEventListener("click", (e) => this.click(e));
      this.canvas.addEventListener("pointermove", (e) => this.hover(e));
      this.canvas.addEventListener("pointerleave", () => this.tip.hidden = true);
      this.canvas.addEventListener("keydown", (e) => this.key(e));
    }
    /** @param {Node} root @param {(n: number) => string} unit */
    show(root, unit) {
      this.root = root;
      this.path = [root];
      this.unit = unit;
      this.selected = 0;
      this.draw();
    }
    /** @param {string} text */
    find(text) {
      this.search = text.toLowerCase();
      this.draw();
    }
    layout() {
      const width = this.element.clientWidth || 800;
      const boxes = [];
      const top = this.path[this.path.length - 1];
      const todo = [];
      this.path.forEach((node, i) => todo.push({ node, x: 0, y: i, w: width }));
      const open = [todo[todo.length - 1]];
      boxes.push(...todo.slice(0, -1));
      while (open.length) {
        const box = (
          /** @type {{node: Node, x: number, y: number, w: number}} */
          open.pop()
        );
        boxes.push(box);
        let x = box.x;
        const rows = [...box.node.children.values()].sort((a, b) => b.value - a.value);
        for (const node of rows) {
          const w = box.w * node.value / box.node.value;
          if (w < 0.7) break;
          open.push({ node, x, y: box.y + 1, w });
          x += w;
        }
      }
      this.boxes = boxes;
      return { width, deepest: boxes.reduce((d, b) => Math.max(d, b.y), 0), top };
    }
    draw() {
      if (!this.root) return;
      const { width, deepest } = this.layout();
      const ink = inks();
      const g = prepare(this.canvas, width, (deepest + 1) * ROW + 4);
      g.textBaseline = "middle";
      for (const [i, box] of this.boxes.entries()) {
        const hit = this.search && box.node.name.toLowerCase().includes(this.search);
        g.fillStyle = box.node.depth === 0 ? "#8c959f" : box.node.colour ||= manyColour(hash(moduleKey(box.node.name)));
        g.globalAlpha = this.search && !hit ? 0.25 : box.node.user ? 0.9 : 0.5;
        g.fillRect(box.x, box.y * ROW, Math.max(0.5, box.w - 0.6), ROW - 1);
        g.globalAlpha = 1;
        if (i === this.selected && document.activeElement === this.canvas) {
          g.strokeStyle = ink.text;
          g.lineWidth = 2;
          g.strokeRect(box.x + 1, box.y * ROW + 1, box.w - 2, ROW - 3);
        }
        if (box.w < 34) continue;
        const words = fitted(g, shortName(box.node.name), this.unit(box.node.value), box.w - 10);
        if (!words) continue;
        g.fillStyle = this.inkOn(String(g.fillStyle), box.node, Boolean(this.search && !hit));
        g.fillText(words, box.x + 5, box.y * ROW + ROW / 2);
      }
    }
    /** What can be read on a box. @param {string} fill @param {Node} node @param {boolean} pale */
    inkOn(fill, node, pale) {
      const dark = document.documentElement.dataset.dark === "yes";
      if (pale || !node.user) return dark ? "#ffffff" : "#101214";
      return luminous(fill) ? "#101214" : "#ffffff";
    }
    /** @param {MouseEvent} e */
    boxAt(e) {
      const place = this.canvas.getBoundingClientRect();
      const x = e.clientX - place.left;
      const y = Math.floor((e.clientY - place.top) / ROW);
      return this.boxes.findIndex((b) => b.y === y && x >= b.x && x < b.x + b.w);
    }
    /** @param {Node} node */
    words(node) {
      const all = this.root ? this.root.value : 1;
      return `${elide(node.name, 300)}
${this.unit(node.value)}, ${(100 * node.value / all).toFixed(1)} % of all`;
    }
    /** @param {PointerEvent} e */
    hover(e) {
      const i = this.boxAt(e);
      this.tip.hidden = i < 0;
      if (i < 0) return;
      this.tip.textContent = this.words(this.boxes[i].node);
      const place = this.element.getBoundingClientRect();
      const x = e.clientX - place.left;
      this.tip.style.left = `${Math.max(0, Math.min(x + 12, place.width - this.tip.offsetWidth - 4))}px`;
      this.tip.style.top = `${e.clientY - place.top + 16}px`;
    }
    /** @param {number} i */
    open(i) {
      const box = this.boxes[i];
      if (!box || !this.root) return;
      const inPath = this.path.indexOf(box.node);
      if (inPath >= 0) this.path = this.path.slice(0, inPath + 1);
      else this.path = [...this.path, ...this.way(this.path[this.path.length - 1], box.node)];
      this.selected = this.path.length - 1;
      this.draw();
      this.told(this.words(box.node), box.node);
    }
    /** @param {Node} from @param {Node} to @returns {Node[]} */
    way(from, to) {
      for (const next of from.children.values()) {
        if (next === to) return [next];
        if (next.depth < to.depth) {
          const rest = this.way(next, to);
          if (rest.length) return [next, ...rest];
        }
      }
      return [];
    }
    /** @param {MouseEvent} e */
    click(e) {
      this.open(this.boxAt(e));
    }
    /** @param {KeyboardEvent} e */
    key(e) {
      const box = this.boxes[this.selected];
      if (!box) return;
      let to = -1;
      if (e.key === "Enter") this.open(this.selected);
      else if (e.key === "Backspace" && this.path.length > 1) this.open(this.boxes.findIndex((b) => b.node === this.path[this.path.length - 2]));
      else if (e.key === "ArrowDown") to = this.boxes.findIndex((b) => b.y === box.y + 1 && b.x >= box.x - 0.01 && b.x < box.x + box.w);
      else if (e.key === "ArrowUp") to = this.boxes.findIndex((b) => b.y === box.y - 1 && b.x <= box.x + 0.01 && b.x + b.w > box.x);
      else if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
        const row = this.boxes.map((b, i) => ({ b, i })).filter(({ b }) => b.y === box.y).sort((p, q) => p.b.x - q.b.x);
        const at = row.findIndex(({ i }) => i === this.selected) + (e.key === "ArrowRight" ? 1 : -1);
        to = row[at] ? row[at].i : -1;
      } else return;
      e.preventDefault();
      e.stopPropagation();
      if (to < 0) return;
      this.selected = to;
      this.draw();
      this.told(this.words(this.boxes[to].node), this.boxes[to].node);
    }
  };
  function shortName(name) {
    return name.replace(/^.*\/(?=[^/ ]+(:\d+)? )/, "");
  }
  function moduleKey(name) {
    return moduleOf(name.split(":")[0]);
  }
  function hash(text) {
    let h = 7;
    for (let i = 0; i < text.length; i++) h = h * 31 + text.charCodeAt(i) >>> 0;
    return h;
  }
  function fitted(g, name, amount, room) {
    const whole = `${name}  ${amount}`;
    if (g.measureText(whole).width <= room) return whole;
    const width = g.measureText(name).width;
    if (width <= room) return name;
    let most = Math.floor(name.length * room / width);
    let words = elide(name, most);
    while (most > 3 && g.measureText(words).width > room) words = elide(name, --most);
    return most > 3 ? words : "";
  }
  function luminous(colour) {
    const c = abgr(colour);
    const l = 0.299 * (c & 255) + 0.587 * (c >>> 8 & 255) + 0.114 * (c >>> 16 & 255);
    return l > 140;
  }

  // src/query.js
  var CONDITION = /^(size|event|time|life)(>=|<=|>|<|=)(\d{1,3}(?:,\d{3})+|[\d.]+)(b|kib|mib|gib|k|m|g|us|ms|s)?$/i;
  var FIELD = /^(stream|pool|addr|category):(.+)$/i;
  var FACTOR = (
    /** @type {Record<string, number>} */
    {
      b: 1,
      k: 1024,
      kib: 1024,
      m: 1048576,
      mib: 1048576,
      g: 1073741824,
      gib: 1073741824
    }
  );
  var MICROSECONDS = (
    /** @type {Record<string, number>} */
    { us: 1, ms: 1e3, s: 1e6 }
  );
  var MOST_TEXT = 2048;
  function matchStacks(file, words) {
    const { frames, tree, stacks, sites } = file;
    const hit = frames.map((f) => {
      const text = `${f[0]}:${f[1]} ${f[2]}`.slice(0, MOST_TEXT);
      return words.map((w) => w(text));
    });
    const node = new Array(tree.length / 2 + 1);
    node[0] = words.map(() => false);
    for (let i = 1; i < node.length; i++) {
      const above = node[tree[2 * (i - 1)]];
      const own = hit[tree[2 * (i - 1) + 1] - 1];
      node[i] = above.map((v, k) => v || own[k]);
    }
    const out = new Uint8Array(stacks.length / 2);
    for (let i = 0; i < out.length; i++) {
      const site = sites[stacks[2 * i + 1]];
      out[i] = node[stacks[2 * i]].every((v, k) => v || words[k](site)) ? 1 : 0;
    }
    return out;
  }
  function figure(t, of, timed) {
    const end = (r) => Math.min(t.freeCompleted[r], t.to + 1);
    if (of === "size") return (r) => t.size(r);
    if (of === "event") return (r) => t.born[r];
    if (of === "time") return (r) => t.timeOf(t.born[r]);
    return timed ? (r) => t.timeOf(end(r)) - t.timeOf(t.born[r]) : (r) => end(r) - t.born[r];
  }
  function condition(t, m) {
    const of = m[1].toLowerCase();
    const unit = (m[4] || "").toLowerCase();
    const timed = unit in MICROSECONDS || of === "time";
    if (unit && (of === "event" || of === "size" === timed || of === "life" && !timed)) return null;
    const value = Number(m[3].replaceAll(",", "")) * (timed ? MICROSECONDS[unit || "s"] : FACTOR[unit] || 1);
    const get = figure(t, of, timed);
    const op = m[2];
    return (r) => {
      const v = get(r);
      return op === ">" ? v > value : op === "<" ? v < value : op === ">=" ? v >= value : op === "<=" ? v <= value : v === value;
    };
  }
  function fieldTest(t, field, value, poolWords, categories) {
    const wanted = value.toLowerCase();
    if (field === "addr") {
      const address2 = Number(wanted);
      return (r) => !!t.addressOf && address2 >= t.addressOf[r] && address2 < t.addressOf[r] + Math.max(1, t.size(r));
    }
    const attrs = t.attrs.map((a) => field === "stream" ? a[0] === wanted : field === "pool" ? poolWords(a[1], a[2]).toLowerCase().replace(" ", "") === wanted.replace(" ", "") : categories[a[3]].toLowerCase().startsWith(wanted));
    return (r) => attrs[t.attrRow[r]];
  }
  function parseQuery(t, text, poolWords, categories) {
    const query = { stacks: null, tests: [], error: "" };
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
      } else if (f) query.tests.push(fieldTest(t, f[1].toLowerCase(), f[2], poolWords, categories));
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
  function passes(q, t, row) {
    if (q.stacks && !q.stacks[t.stackRow[row]]) return false;
    for (const test of q.tests) if (!test(row)) return false;
    return true;
  }

  // src/statemap.js
  var ROW2 = 15;
  var LEFT = 204;
  var RIGHT = 76;
  var HEIGHT = 340;
  var KEY2 = "A row is a segment, the largest first. Grey is idle; a dark foot is what rounding added; white stripes: freed, but a stream still uses it.";
  function keepers(s) {
    if (!s.rows.length) return ", nothing in it";
    if (2 * s.used > s.segment.size) return "";
    return `, kept by ${s.rows.length === 1 ? "a block" : `${s.rows.length} blocks`} of ${bytes(s.used)}`;
  }
  function streamWords(stream) {
    return stream.length < 7 ? stream : `\u2026${BigInt(stream).toString(16).slice(-5)}`;
  }
  var StateView = class {
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
      this.element.append(this.summary, element("div", "readout panel-note", KEY2), this.box, this.tip);
      this.segments = [];
      this.event = trace.from;
      this.pinned = -1;
      this.by = "size";
      this.box.addEventListener("scroll", () => this.draw());
      this.canvas.addEventListener("pointermove", (e) => this.hover(e));
      this.canvas.addEventListener("pointerleave", () => this.tip.hidden = true);
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
        `${bytes(free)} idle, the largest hole ${bytes(largest)}`
      ];
      if (reserved) parts.push(`fragmentation ${(100 * free / reserved).toFixed(1)} %`);
      if (state.lost) parts.push(`${state.lost} blocks (see the table) lie in no segment that is known`);
      this.summary.textContent = parts.join(" \xB7 ");
      this.draw();
      return true;
    }
    draw() {
      const width = this.box.clientWidth || 800;
      const ink = inks();
      const all = Math.max(2, this.segments.length) * ROW2 + 8;
      const height = Math.min(HEIGHT, all);
      const g = prepare(this.canvas, width, height);
      this.box.style.height = `${height}px`;
      this.space.style.height = `${Math.max(0, all - height)}px`;
      const first = Math.max(0, Math.floor(this.box.scrollTop / ROW2));
      const widest = this.segments.reduce((w, s) => Math.max(w, s.segment.size), 1);
      g.textBaseline = "middle";
      for (let i = first; i < this.segments.length && (i - first) * ROW2 < height; i++)
        this.drawRow(g, this.segments[i], (i - first) * ROW2 + 4, (width - LEFT - RIGHT) / widest, ink);
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
      const addresses = (
        /** @type {Float64Array} */
        t.addressOf
      );
      g.fillStyle = ink.muted;
      const where = attr[1] || attr[2] ? pool(attr[1], attr[2]) : attr[0] === "0" ? s.segment.small ? "small" : "" : `stream ${streamWords(attr[0])}`;
      g.fillText(`${address(s.segment.address)} ${where}`, 8, y + ROW2 / 2 - 1);
      g.fillStyle = ink.grid;
      g.fillRect(LEFT, y, Math.max(1, s.segment.size * scale), ROW2 - 3);
      let drawn = LEFT - 1;
      for (const row of s.rows) {
        const x2 = LEFT + (addresses[row] - s.segment.address) * scale;
        const w = Math.max(0.6, t.size(row) * scale - 0.4);
        if (x2 + w < drawn + 0.5 && row !== this.pinned) continue;
        drawn = x2 + w;
        g.fillStyle = this.colour(row, this.event);
        g.fillRect(x2, y, w, ROW2 - 3);
        if (t.freeRequested[row] <= this.event) {
          g.fillStyle = ink.paper;
          for (let at = x2; at < x2 + w; at += 4) g.fillRect(at, y, 1, ROW2 - 3);
        }
        const slack = t.size(row) - Math.max(0, t.requested[t.sizeRow[row]]);
        if (t.requested[t.sizeRow[row]] >= 0 && slack * scale > 1) {
          g.fillStyle = "rgba(0,0,0,.35)";
          g.fillRect(x2 + w - slack * scale, y + ROW2 - 7, slack * scale, 4);
        }
        if (row === this.pinned) {
          g.strokeStyle = ink.text;
          g.lineWidth = 2;
          g.strokeRect(x2, y - 1, Math.max(3, w), ROW2 - 1);
        }
      }
      g.fillStyle = ink.muted;
      const words = `${bytes(s.segment.size)}${keepers(s)}`;
      const x = LEFT + s.segment.size * scale + 6;
      const fits = x + g.measureText(words).width < this.box.clientWidth;
      g.fillText(fits ? words : bytes(s.segment.size), x, y + ROW2 / 2 - 1);
    }
    /** @param {MouseEvent} e */
    rowAt(e) {
      const place = this.canvas.getBoundingClientRect();
      const i = Number(this.canvas.dataset.first) + Math.floor((e.clientY - place.top - 4) / ROW2);
      const s = this.segments[i];
      if (!s || !this.trace.addressOf) return { row: -1, segment: null, at: 0 };
      const widest = this.segments.reduce((w, x) => Math.max(w, x.segment.size), 1);
      const at = s.segment.address + (e.clientX - place.left - LEFT) * widest / (place.width - LEFT - RIGHT);
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
      this.tip.textContent = row >= 0 ? this.words(row) : `${inside ? "Hole in a segment" : "Segment"} of ${bytes(s.size)}
${bytes(segment.used)} active, ${bytes(s.size - segment.used)} idle, largest hole ${bytes(segment.largest)}${keepers(segment).replace(", ", "\n")}`;
      const place = this.element.getBoundingClientRect();
      this.tip.style.left = `${Math.max(0, Math.min(e.clientX - place.left + 12, place.width - this.tip.offsetWidth - 4))}px`;
      this.tip.style.top = `${e.clientY - place.top + 16}px`;
    }
  };

  // src/table.js
  var ROW3 = 25;
  var HEIGHT2 = 340;
  var OFTEN7 = 8191;
  var Table = class {
    /** @param {Column[]} columns @param {(row: number) => void} pick @param {string} label */
    constructor(columns, pick, label2) {
      this.columns = columns;
      this.pick = pick;
      this.element = element("div", "rows");
      this.element.tabIndex = 0;
      this.element.setAttribute("role", "grid");
      this.element.setAttribute("aria-label", label2);
      const table = element("table");
      const head = element("thead");
      const titles = element("tr");
      const widths = element("colgroup");
      columns.forEach((c, i) => {
        const col = element("col");
        col.style.width = c.width;
        widths.append(col);
        const th = element("th", c.name ? "words" : "");
        th.setAttribute("scope", "col");
        th.setAttribute("aria-sort", "none");
        const by = button(c.title, `Sort by ${c.title.toLowerCase()}`, () => void this.sort(i));
        by.className = "by";
        th.append(by);
        titles.append(th);
      });
      head.append(titles);
      this.titles = titles;
      this.body = element("tbody");
      table.append(widths, head, this.body);
      this.element.append(table);
      this.rows = new Int32Array(0);
      this.job = 0;
      this.sorted = -1;
      this.down = true;
      this.selected = -1;
      this.element.addEventListener("scroll", () => this.draw());
      this.element.addEventListener("keydown", (e) => this.key(e));
      this.body.addEventListener("click", (e) => {
        const tr = (
          /** @type {HTMLElement} */
          e.target.closest("tr")
        );
        if (tr && tr.dataset.at) this.select(Number(tr.dataset.at));
      });
    }
    /** @param {Int32Array} rows @param {Turn} turn @returns {Promise<boolean>} false: overtaken */
    async show(rows, turn) {
      const job = ++this.job;
      const ordered = this.sorted >= 0 ? await this.order(rows, turn) : rows;
      if (!ordered || job !== this.job) return false;
      this.rows = ordered;
      this.element.setAttribute("aria-rowcount", String(rows.length));
      this.draw();
      return true;
    }
    /** A second time: the other way round. @param {number} column */
    sortBy(column) {
      this.down = this.sorted === column ? !this.down : !this.columns[column].name;
      this.sorted = column;
      [...this.titles.children].forEach((th, i) => th.setAttribute("aria-sort", i !== column ? "none" : this.down ? "descending" : "ascending"));
    }
    /** @param {number} column */
    async sort(column) {
      this.sortBy(column);
      const job = this.job + 1;
      if (await this.show(this.rows, new Turn(() => job === this.job))) this.element.scrollTop = 0;
    }
    /** @param {Int32Array} rows @param {Turn} turn */
    async order(rows, turn) {
      const { key } = this.columns[this.sorted];
      const sign = this.down ? -1 : 1;
      const keys = new Float64Array(rows.length);
      for (let i = 0; i < rows.length; i++) {
        keys[i] = sign * key(rows[i]);
        if ((i & OFTEN7) === 0 && turn.due && !await turn.pass()) return null;
      }
      const places = await placesInOrder(keys, turn);
      if (!places) return null;
      const out = new Int32Array(rows.length);
      for (let i = 0; i < out.length; i++) out[i] = rows[places[i]];
      return out;
    }
    /** @param {number} at */
    select(at) {
      if (at < 0 || at >= this.rows.length) return;
      this.selected = this.rows[at];
      const y = at * ROW3;
      if (y < this.element.scrollTop) this.element.scrollTop = y;
      else if (y > this.element.scrollTop + HEIGHT2 - 2 * ROW3 - 8) this.element.scrollTop = y - HEIGHT2 + 2 * ROW3 + 8;
      this.pick(this.selected);
      this.draw();
    }
    /** @param {KeyboardEvent} e */
    key(e) {
      const at = this.rows.indexOf(this.selected);
      const page = Math.floor(HEIGHT2 / ROW3) - 2;
      const move = (
        /** @type {Record<string, number>} */
        {
          ArrowDown: 1,
          ArrowUp: -1,
          PageDown: page,
          PageUp: -page,
          Home: -at,
          End: this.rows.length - 1 - at
        }[e.key]
      );
      if (move === void 0) return;
      e.preventDefault();
      e.stopPropagation();
      this.select(Math.max(0, Math.min(this.rows.length - 1, at < 0 ? 0 : at + move)));
    }
    draw() {
      const n = this.rows.length;
      const most = Math.ceil(HEIGHT2 / ROW3) + 2;
      const tall = Math.min(n * ROW3, 8e6);
      const part = tall > HEIGHT2 ? this.element.scrollTop / Math.max(1, tall - HEIGHT2 + ROW3) : 0;
      const first = n * ROW3 > tall ? Math.floor(part * Math.max(0, n - most + 2)) : Math.floor(this.element.scrollTop / ROW3);
      const end = Math.min(n, first + most);
      const above = Math.min(this.element.scrollTop, Math.max(0, tall - (end - first) * ROW3));
      this.body.replaceChildren();
      const pad = (height) => {
        const tr = element("tr");
        const td = element("td");
        td.style.height = `${height}px`;
        td.style.padding = "0";
        td.style.border = "0";
        tr.append(td);
        return tr;
      };
      const offset = n * ROW3 > tall ? above : first * ROW3;
      if (offset) this.body.append(pad(offset));
      for (let i = first; i < end; i++) {
        const row = this.rows[i];
        const tr = element("tr");
        tr.dataset.at = String(i);
        tr.setAttribute("aria-rowindex", String(i + 1));
        tr.setAttribute("aria-selected", row === this.selected ? "true" : "false");
        for (const c of this.columns) {
          const td = element("td", c.name ? "name" : "", c.name ? "" : c.text(row));
          if (c.name) td.append(element("bdi", "", c.text(row)));
          td.title = td.textContent || "";
          tr.append(td);
        }
        this.body.append(tr);
      }
      const below = tall - offset - (end - first) * ROW3;
      if (below > 0) this.body.append(pad(below));
    }
  };

  // src/panels.js
  var OFTEN8 = 8191;
  function allocationColumns(view) {
    const t = view.trace;
    const attr = (r) => t.attrs[t.attrRow[r]];
    const words = {
      stream: t.attrs.map((a) => a[0]),
      pool: t.attrs.map((a) => pool(a[1], a[2]))
    };
    const streams = ranks(words.stream);
    const pools = ranks(words.pool);
    const sites = ranks(t.file.sites);
    return [
      { title: "Size", width: "84px", text: (r) => bytes(t.size(r)), key: (r) => t.size(r) },
      { title: "Requested", width: "84px", text: (r) => t.requested[t.sizeRow[r]] < 0 ? "-" : bytes(t.requested[t.sizeRow[r]]), key: (r) => t.requested[t.sizeRow[r]] },
      { title: "Born", width: "80px", text: (r) => t.born[r] < 0 ? "before" : count(t.born[r]), key: (r) => t.born[r] },
      { title: "Freed", width: "80px", text: (r) => t.freeCompleted[r] >= ALIVE ? "never" : count(t.freeCompleted[r]), key: (r) => t.freeCompleted[r] },
      { title: "Address", width: "126px", text: (r) => t.addressOf ? address(t.addressOf[r]) : "-", key: (r) => t.addressOf ? t.addressOf[r] : 0 },
      { title: "Stream", width: "58px", text: (r) => attr(r)[0], key: (r) => streams[t.attrRow[r]] },
      { title: "Pool", width: "70px", text: (r) => pool(attr(r)[1], attr(r)[2]), key: (r) => pools[t.attrRow[r]] },
      { title: "Category", width: "110px", name: true, text: (r) => view.categories[attr(r)[3]].toLowerCase().replace("_", " "), key: (r) => attr(r)[3] },
      { title: "Site", width: "auto", name: true, text: (r) => t.site(t.stackRow[r]), key: (r) => sites[t.file.stacks[2 * t.stackRow[r] + 1]] }
    ];
  }
  function eventColumns(view, index) {
    const t = view.trace;
    const size = (e) => {
      const rare = index.rare.get(e);
      return rare ? rare.size : t.size(index.rowOf(e));
    };
    const where = (e) => {
      const rare = index.rare.get(e);
      if (rare) return rare.address;
      return t.addressOf ? t.addressOf[index.rowOf(e)] : -1;
    };
    const stack = (e) => {
      const rare = index.rare.get(e);
      return rare ? rare.stack : t.stackRow[index.rowOf(e)];
    };
    const sites = ranks(t.file.sites);
    return [
      { title: "Event", width: "90px", text: (e) => count(e), key: (e) => e },
      { title: "Time", width: "110px", text: (e) => t.times.length ? `${(t.timeOf(e) / 1e6).toFixed(6)} s` : "-", key: (e) => e },
      { title: "Action", width: "130px", name: true, text: (e) => index.words(e), key: (e) => index.kindOf(e) },
      { title: "Size", width: "90px", text: (e) => bytes(size(e)), key: size },
      { title: "Address", width: "126px", text: (e) => where(e) < 0 ? "-" : address(where(e)), key: where },
      {
        title: "Site",
        width: "auto",
        name: true,
        text: (e) => stack(e) < 0 ? "" : t.site(stack(e)),
        key: (e) => stack(e) < 0 ? -1 : sites[t.file.stacks[2 * stack(e) + 1]]
      }
    ];
  }
  var Panels = class {
    /** @param {View} view */
    constructor(view) {
      this.view = view;
      this.element = element("div");
      this.index = new EventIndex(view);
      this.job = 0;
      const pick = (row) => view.pin(row, true);
      this.state = new StateView(view.trace, (r, e) => view.colours.hex(r, e), (r) => view.rowWords(r), (r) => view.pin(r, false));
      this.flame = new FlameView((words) => view.say(words.replace("\n", ", ")));
      this.blocks = new Table(allocationColumns(view), pick, "Blocks alive at the moment");
      this.allocations = new Table(allocationColumns(view), pick, "Allocations in the window shown");
      this.events = new Table(eventColumns(view, this.index), (event) => {
        view.moveTo(event, true);
        if (this.index.rowOf(event) >= 0) view.pin(this.index.rowOf(event), false);
      }, "Events in the window shown");
      this.flameBar = element("div", "bar");
      this.flameOf = "moment";
      this.flameBy = hasPython(view.trace.file) ? "python" : "frame";
      const moments = [
        ["moment", "at the moment"],
        ["peak", "at the peak"],
        ["oom", "at out of memory"],
        ["window", "allocated in the window"],
        ["never", "never freed"],
        ["time", "times lifetime"]
      ];
      const of = choice("bytes ", moments.filter(([v]) => v !== "oom" || view.trace.about.ooms.length > 0), (v) => {
        this.flameOf = v;
        void this.update();
      });
      const by = choice("by ", [["python", "Python frame"], ["frame", "every frame"], ["file", "file"], ["module", "module"]], (v) => {
        this.flameBy = v;
        void this.update();
      });
      by.select.value = this.flameBy;
      this.flameBar.append(of.wrap, by.wrap);
      this.note = element("div", "readout panel-note");
      this.element.append(this.flameBar, this.note, this.state.element, this.flame.element, this.blocks.element, this.allocations.element, this.events.element);
    }
    /** What belongs to the moment, the window and the search; what an earlier call still does ends. */
    async update() {
      const { view } = this;
      const t = view.trace;
      const tab = view.tab;
      const job = ++this.job;
      const turn = new Turn(() => job === this.job);
      this.flameBar.hidden = tab !== "flame";
      this.state.element.hidden = tab !== "state";
      this.flame.element.hidden = tab !== "flame";
      this.blocks.element.hidden = tab !== "blocks";
      this.allocations.element.hidden = tab !== "allocations";
      this.events.element.hidden = tab !== "events";
      this.element.dataset.shows = "";
      if (!await turn.pass()) return;
      if (tab !== "flame" && !t.addressOf) {
        await t.loadAddresses();
        if (!await turn.pass()) return;
      }
      const words = tab === "state" ? await this.showState(turn) : tab === "flame" ? await this.showFlame(turn) : tab === "blocks" ? await this.showBlocks(turn) : tab === "allocations" ? await this.showAllocations(turn) : await this.showEvents(turn);
      if (words === null || !turn.wanted()) return;
      this.note.textContent = words;
      this.element.dataset.shows = tab;
    }
    /** @param {Turn} turn @returns {Promise<string | null>} null: overtaken */
    async showState(turn) {
      const { view } = this;
      if (!view.trace.hasAddresses)
        return view.trace.about.columns ? "Addresses were left out of this page, so that it stays small: there is no map of segments." : "";
      if (!await this.state.show(view.rowsNow(), view.stage.moment, view.stage.pinned, turn)) return null;
      return "";
    }
    /** Those of `count` rows that the search lets through. @param {number} n
     * @param {(i: number) => number} row @param {(row: number) => boolean} wanted @param {Turn} turn
     * @returns {Promise<Int32Array | null>} */
    async chosen(n, row, wanted, turn) {
      const { query, trace } = this.view;
      let out = new Int32Array(1024);
      let k = 0;
      for (let i = 0; i < n; i++) {
        const r = row(i);
        if (k === out.length) {
          const old = out;
          out = new Int32Array(2 * k);
          out.set(old);
        }
        if (wanted(r) && passes(query, trace, r)) out[k++] = r;
        if ((i & OFTEN8) === 0 && turn.due && !await turn.pass()) return null;
      }
      return out.subarray(0, k);
    }
    /** @param {Turn} turn */
    async showBlocks(turn) {
      const { view } = this;
      const t = view.trace;
      const rows = view.rowsNow();
      const left = await this.chosen(rows.length, (i) => rows[i], () => true, turn);
      if (!left) return null;
      let sum = 0;
      for (let i = 0; i < left.length; i++) sum += t.size(left[i]);
      if (this.blocks.sorted < 0) this.blocks.sortBy(0);
      if (!await this.blocks.show(left, turn)) return null;
      return `${count(left.length)} blocks, ${bytes(sum)}, alive ${view.momentWords()}${left.length < rows.length ? `, of ${count(rows.length)}` : ""}`;
    }
    /** @param {Turn} turn */
    async showAllocations(turn) {
      const t = this.view.trace;
      const { from, to } = this.view.window();
      const rows = await this.chosen(t.nRows, (i) => i, (r) => t.born[r] <= to && t.freeCompleted[r] > from, turn);
      if (!rows || !await this.allocations.show(rows, turn)) return null;
      return `${count(rows.length)} allocations that lived in the window shown`;
    }
    /** @param {Turn} turn */
    async showEvents(turn) {
      const { view, index } = this;
      const t = view.trace;
      const { from, to } = view.window();
      if (!await index.build(turn)) return null;
      const all = !view.query.stacks && !view.query.tests.length;
      const events = new Int32Array(Math.max(0, to - from));
      let n = 0;
      for (let e = from + 1; e <= to; e++) {
        const row = index.rowOf(e);
        if (all || row >= 0 && passes(view.query, t, row)) events[n++] = e;
        if ((e & OFTEN8) === 0 && turn.due && !await turn.pass()) return null;
      }
      if (!await this.events.show(events.subarray(0, n), turn)) return null;
      return `${count(n)} events in the window shown${all ? "" : ", of allocations that the search finds"}`;
    }
    /** Bytes of each stack, as the reader asks for them. @param {Turn} turn */
    async stackWeights(turn) {
      const { view, flameOf } = this;
      const t = view.trace;
      const weights = new Float64Array(t.file.stacks.length / 2);
      const { from, to } = view.window();
      const over = flameOf === "window" || flameOf === "time" || flameOf === "never";
      const rows = over ? null : view.rowsAt(this.flameEvent());
      const n = rows ? rows.length : t.nRows;
      for (let i = 0; i < n; i++) {
        const row = rows ? rows[i] : i;
        const factor = flameOf === "time" ? this.life(row) : flameOf === "window" ? Number(t.born[row] > from && t.born[row] <= to) : flameOf === "never" ? Number(t.freeCompleted[row] >= ALIVE) : 1;
        if (factor && passes(view.query, t, row)) weights[t.stackRow[row]] += t.size(row) * factor;
        if ((i & OFTEN8) === 0 && turn.due && !await turn.pass()) return null;
      }
      return weights;
    }
    flameEvent() {
      const { stage, trace } = this.view;
      const ooms = trace.about.ooms;
      if (this.flameOf === "peak") return trace.peakEvent;
      return this.flameOf === "oom" && ooms.length ? Math.max(trace.from, ooms[ooms.length - 1].event - 1) : stage.moment;
    }
    /** @param {Turn} turn */
    async showFlame(turn) {
      const t = this.view.trace;
      const weights = await this.stackWeights(turn);
      const root = weights && await buildFlame(t.file, weights, this.flameBy, turn);
      if (!root) return null;
      const timed = t.times.length > 0;
      this.flame.show(root, this.flameOf !== "time" ? bytes : (n) => timed ? `${bytes(n / 1e6)}\xB7s` : `${bytes(n)}\xB7events`);
      if (!root.value) return this.emptyWords();
      const what = {
        moment: `alive ${this.view.momentWords()}`,
        peak: `alive at the peak, event ${count(t.peakEvent)}`,
        oom: `alive when memory ran out, event ${count(this.flameEvent() + 1)}`,
        window: "allocated in the window shown",
        never: "never freed in this recording",
        time: "held, times how long"
      }[this.flameOf];
      return `${this.flame.unit(root.value)} ${what}. Strong colours are your code. Click a box to enlarge it, the one above to go back.`;
    }
    emptyWords() {
      const searched = this.view.text ? ` that the search \u201C${this.view.text}\u201D finds` : "";
      return {
        moment: `No block${searched} is alive ${this.view.momentWords()}.`,
        peak: `No block${searched} is alive at the peak.`,
        oom: `No block${searched} was alive when memory ran out.`,
        window: `Nothing${searched} was allocated in the window shown.`,
        never: `Every allocation${searched} was freed.`,
        time: `There is no allocation${searched}.`
      }[this.flameOf] || "";
    }
    /** @param {number} row */
    life(row) {
      const t = this.view.trace;
      const end = Math.min(t.freeCompleted[row], t.to);
      return t.times.length ? t.timeOf(end) - t.timeOf(Math.max(t.born[row], t.from)) : end - Math.max(t.born[row], t.from);
    }
    redraw() {
      if (this.view.tab === "state") this.state.draw();
      if (this.view.tab === "flame") this.flame.draw();
    }
  };

  // src/marks.js
  var ROW4 = 15;
  var COLOURS = ["#0072b2", "#009e73", "#cc79a7", "#e69f00"];
  var LEVELS = 2;
  function levels(spans) {
    const rows = Array.from({ length: LEVELS }, () => []);
    const open = [];
    for (const span of spans) {
      while (open.length && open[open.length - 1] < span[2]) open.pop();
      if (open.length < LEVELS) rows[open.length].push(span);
      open.push(span[2]);
    }
    return rows.filter((row) => row.length);
  }
  var length = (spans) => spans.reduce((sum, [, from, to]) => sum + to - from, 0);
  var Marks = class {
    /** @param {any} about description of the device */
    constructor(about) {
      const known = about.spans.filter(([, , to]) => to > about.from);
      this.rows = levels(known);
      const steps = about.steps.map(([from, to], i) => [`step ${i}`, from, to]);
      if (steps.length && (!this.rows.length || length(this.rows[0]) < 0.8 * length(steps))) this.rows.unshift(steps);
    }
    get height() {
      return this.rows.length * ROW4;
    }
    /** @param {CanvasRenderingContext2D} g @param {number} y @param {number} left @param {number} right
     * @param {(event: number) => number} xOf @param {{text: string, muted: string, paper: string}} ink */
    draw(g, y, left, right, xOf, ink) {
      g.save();
      g.beginPath();
      g.rect(left, y, right - left, this.height);
      g.clip();
      g.textBaseline = "middle";
      g.textAlign = "left";
      this.rows.forEach((row, k) => drawRow(g, row, y + k * ROW4, left, right, xOf, ink));
      g.restore();
    }
    /** What lies under a point, in words; "" for nothing. @param {number} y below the first row's top
     * @param {number} event */
    words(y, event) {
      const row = this.rows[Math.floor(y / ROW4)];
      const span = row && row.find(([, from, to]) => from <= event && event <= to);
      return span ? `${span[0]}
events ${count(Math.max(0, span[1]))} to ${count(span[2])}` : "";
    }
  };
  function drawRow(g, row, y, left, right, xOf, ink) {
    let drawn = left - 1;
    let seen = 0;
    let named = 0;
    for (let i = 0; i < row.length; i++) {
      const [name, from, to] = row[i];
      const x = Math.max(left, xOf(from));
      const end = Math.min(right, xOf(to));
      if (end < left || x > right) continue;
      seen++;
      if (end < drawn + 1) continue;
      drawn = end;
      const width = Math.max(1, end - x - 1);
      g.fillStyle = width < 3 ? ink.muted : COLOURS[i % COLOURS.length];
      g.globalAlpha = 0.3;
      g.fillRect(x, y, width, ROW4 - 2);
      g.globalAlpha = 1;
      const words2 = fitted2(g, name.replace(/^[#\s]+|[#\s]+$/g, "") || name, end - x - 8);
      if (!words2) continue;
      named++;
      g.fillStyle = ink.text;
      g.fillText(words2, x + 4, y + ROW4 / 2);
    }
    if (named || !seen) return;
    const what = row.every(([name], i) => name === `step ${i}`) ? "steps" : "annotations";
    const words = `${count(seen)} ${what}: come closer to read them`;
    g.lineWidth = 3;
    g.strokeStyle = ink.paper;
    g.strokeText(words, left + 6, y + ROW4 / 2);
    g.fillStyle = ink.text;
    g.fillText(words, left + 6, y + ROW4 / 2);
  }
  function fitted2(g, name, room) {
    if (room < 6) return "";
    const step = /^step (\d+)$/.exec(name);
    for (const words of step ? [name, step[1]] : [name]) if (g.measureText(words).width <= room) return words;
    const most = Math.floor(room / 7);
    return step || most < 6 ? "" : elide(name, most);
  }

  // src/overlay.js
  function drawOver(s) {
    const width = s.width;
    const ink = inks();
    const g = prepare(s.over, LEFT2 + width + RIGHT2, TOP + s.height + AXIS + s.spanHeight);
    drawAxes(s, g, ink);
    g.save();
    g.beginPath();
    g.rect(LEFT2 - 6, 0, width + 12, TOP + s.height);
    g.clip();
    drawLines(s, g, ink);
    for (
      const [row, colour, thick] of
      /** @type {[number, string, number][]} */
      [[s.hovered, ink.text, 1], [s.pinned, ink.alarm, 2]]
    )
      if (row >= 0) outline(s, g, row, colour, thick);
    const x = s.x(s.moment);
    g.fillStyle = ink.text;
    g.fillRect(Math.round(x), TOP, 1, s.height);
    g.restore();
    s.spans.draw(g, TOP + s.height + AXIS, LEFT2, LEFT2 + width, (event) => s.x(event), ink);
  }
  function drawAxes(s, g, ink) {
    const width = s.width;
    g.strokeStyle = ink.line;
    g.lineWidth = 1;
    g.strokeRect(LEFT2 - 0.5, TOP - 0.5, width + 1, s.height + 1);
    g.fillStyle = ink.muted;
    g.textAlign = "right";
    g.textBaseline = "middle";
    const step = byteStep(s.high - s.low, 7);
    for (let b = Math.ceil(s.low / step) * step; b <= s.high; b += step) {
      const y = s.y(b);
      if (y < TOP + 4 && y > TOP - 4) continue;
      g.fillText(bytes(b), LEFT2 - 7, y);
      g.fillRect(LEFT2 - 4, Math.round(y), 4, 1);
    }
    const span = s.perColumn * width;
    const along = decimalStep(span, Math.max(2, width / 130));
    g.textBaseline = "top";
    for (let p = Math.ceil(s.start / along) * along; p <= s.start + span; p += along) {
      const x = LEFT2 + (p - s.start) / s.perColumn;
      const words = s.byTime ? timeWords(s, p, along) : count(p);
      const w = g.measureText(words).width;
      g.fillRect(Math.round(x), TOP + s.height, 1, 4);
      g.textAlign = "left";
      g.fillText(words, Math.max(LEFT2, Math.min(LEFT2 + width - w, x - w / 2)), TOP + s.height + 6);
    }
  }
  function timeWords(s, us, step) {
    if (Math.abs(us) < step / 2) return "0 s";
    if (s.start + s.perColumn * s.width < 1e4) return `${(us / 1e3).toFixed(step < 100 ? 2 : step < 1e3 ? 1 : 0)} ms`;
    if (step < 1e6) return `${(us / 1e6).toFixed(step < 100 ? 5 : step < 1e3 ? 4 : step < 1e4 ? 3 : step < 1e5 ? 2 : 1)} s`;
    return duration(us);
  }
  function drawLines(s, g, ink) {
    if (s.reserved.known) drawReserved(s, g, ink);
    s.levels.forEach(([level, words, alarm], i) => drawLevel(s, g, ink, level, words, alarm ? ink.alarm : ink.muted, i));
    g.fillStyle = ink.alarm;
    for (const o of s.marks.ooms) {
      const x = s.x(o.event);
      g.globalAlpha = 0.6;
      g.fillRect(Math.round(x) - 1, TOP, 1.5, s.height);
      g.globalAlpha = 1;
      g.beginPath();
      g.moveTo(x - 5, TOP - 11);
      g.lineTo(x + 5, TOP - 11);
      g.lineTo(x, TOP - 1);
      g.fill();
    }
    drawOomWords(s, g);
    const px = s.x(s.trace.peakEvent);
    g.strokeStyle = ink.mark;
    g.lineWidth = 2;
    g.fillStyle = ink.paper;
    g.beginPath();
    g.arc(px, s.y(s.trace.peakTotal), 4, 0, 7);
    g.fill();
    g.stroke();
  }
  function drawOomWords(s, g) {
    let free = -Infinity;
    g.textBaseline = "alphabetic";
    for (const o of s.marks.ooms) {
      const x = s.x(o.event);
      const words = `out of memory${o.requested_bytes ? `: ${bytes(o.requested_bytes)} asked` : ""}`;
      const w = g.measureText(words).width;
      const left = x + 9 + w > LEFT2 + s.width ? x - 9 - w : x + 9;
      if (x < LEFT2 || x > LEFT2 + s.width + 1 || left < free) continue;
      free = left + w + 24;
      g.textAlign = "left";
      g.fillText(words, left, TOP - 5);
    }
  }
  function drawLevel(s, g, ink, level, words, colour, row) {
    if (level < s.low) return;
    const amount = `${words} ${bytes(level)}`;
    if (level > s.high) {
      label(s, g, LEFT2 + 6, TOP + 12 + 14 * row, `\u2191 ${amount}`, colour, ink);
      return;
    }
    const y = s.y(level);
    g.setLineDash([5, 4]);
    g.strokeStyle = colour;
    g.beginPath();
    g.moveTo(LEFT2, y);
    g.lineTo(LEFT2 + s.width, y);
    g.stroke();
    g.setLineDash([]);
    label(s, g, LEFT2 + 6, y + 12, amount, colour, ink);
  }
  function drawReserved(s, g, ink) {
    const { events, bytes: reserved } = s.reserved;
    const right = LEFT2 + s.width;
    const from = s.byTime ? s.trace.eventAt(s.start) : s.start;
    let low = 0;
    let high = events.length - 1;
    while (low < high) {
      const mid = low + high + 1 >> 1;
      if (events[mid] <= from) low = mid;
      else high = mid - 1;
    }
    g.fillStyle = ink.line;
    let longest = { x: LEFT2, length: 0, bytes: 0 };
    let began = LEFT2;
    let level = reserved[low];
    for (let x = LEFT2; x < right; x++) {
      const before = level;
      let least = level;
      let most = level;
      while (low + 1 < events.length && s.x(events[low + 1]) < x + 1) {
        level = reserved[++low];
        least = Math.min(least, level);
        most = Math.max(most, level);
      }
      if (least === most && x + 1 < right) continue;
      if (x - began > longest.length) longest = { x: began, length: x - began, bytes: before };
      g.fillRect(began, s.y(before) - 0.5, x + 1 - began, 1);
      upright(g, x + 0.5, s.y(most), s.y(least), 1);
      began = x + 1;
    }
    if (longest.length > 60) label(s, g, longest.x + 8, s.y(longest.bytes) - 5, "reserved", ink.line, ink);
  }
  function label(s, g, x, y, words, colour, ink) {
    g.textAlign = "left";
    g.textBaseline = "alphabetic";
    g.lineWidth = 3;
    g.strokeStyle = ink.plot;
    const at = Math.max(TOP + 10, y);
    g.strokeText(words, x, at);
    g.fillStyle = colour;
    g.fillText(words, x, at);
  }
  function outline(s, g, row, colour, thick) {
    const known = s.trails.get(row);
    if (!known || known.shown !== s.shown) void s.follow(row);
    if (!known || known.shown.perColumn !== s.perColumn || known.shown.key.split("|")[3] !== String(s.hide)) return;
    const left = LEFT2 + known.first - (s.start - known.shown.start) / s.perColumn;
    const size = s.trace.size(row);
    const n = known.offsets.length;
    g.fillStyle = colour;
    for (const more of [0, size]) stairs(g, left, n, (c) => s.y(known.offsets[c] + more), thick);
    for (const [x, c] of [[left, 0], [left + n, n - 1]]) upright(g, x, s.y(known.offsets[c] + size), s.y(known.offsets[c]), thick);
  }
  function stairs(g, left, n, y, thick) {
    let began = 0;
    for (let c = 1; c <= n; c++) {
      if (c < n && y(c) === y(began)) continue;
      g.fillRect(left + began, y(began) - thick / 2, c - began, thick);
      if (c < n) upright(g, left + c, y(began), y(c), thick);
      began = c;
    }
  }
  function upright(g, x, from, to, thick) {
    g.fillRect(x - thick / 2, Math.min(from, to) - thick / 2, thick, Math.abs(to - from) + thick);
  }

  // src/stage.js
  var LEFT2 = 84;
  var RIGHT2 = 14;
  var TOP = 20;
  var HEIGHT3 = 320;
  var AXIS = 22;
  var AREA_HEIGHT = 110;
  var AREA_COLOURS = CATEGORY_COLOURS.map((hex2) => abgr(hex2));
  var Stage = class {
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
      this.bitmap = /** @type {HTMLCanvasElement} */
      document.createElement("canvas");
      this.bitmap.width = 1;
      this.areaBitmap = /** @type {HTMLCanvasElement} */
      document.createElement("canvas");
      this.areaBitmap.width = 1;
      this.pixels = new Uint32Array(0);
      this.stand = new Int32Array(0);
      this.edges = new Float64Array(1);
      this.sums = new Float64Array(0);
      this.picked = new Alive(trace);
      this.trailed = new Alive(trace);
      this.trails = /* @__PURE__ */ new Map();
      this.shown = { key: "", start: 0, perColumn: 1, low: 0, high: 1, width: 0 };
      this.drawn = this.shown;
      this.job = 0;
      this.ready = false;
      this.wholeBitmap = /** @type {{key: string, picture: {pixels: Uint32Array<ArrayBuffer>, stand: Int32Array, sums: Float64Array, edges: Float64Array}} | null} */
      null;
      this.colourKey = "";
      this.height = HEIGHT3;
      this.marks = trace.about;
      this.spans = new Marks(trace.about);
      this.laid = 0;
    }
    get width() {
      return Math.max(50, Math.floor((this.element.clientWidth || 1e3) - LEFT2 - RIGHT2));
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
      const all = [
        [capacity, "the card has", false],
        [limit, "limit of the process: below", true],
        [ceiling, "free or ours on the card at the failure:", true]
      ];
      return (
        /** @type {[number, string, boolean][]} */
        all.filter(([level]) => level)
      );
    }
    /** @returns {number} */
    get ceiling() {
      const peak = this.trace.peakTotal;
      const reserved = this.reserved.known ? this.reserved.bytes.reduce((a, b) => Math.max(a, b), 0) : 0;
      const near = this.levels.map(([level]) => level).filter((level) => level < 2 * Math.max(peak, reserved));
      return Math.max(peak, reserved, ...near, 1) * 1.04;
    }
    fit() {
      const { start: start2, span } = this.whole;
      this.start = start2;
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
      return LEFT2 + (this.position(event) - this.start) / this.perColumn;
    }
    /** @param {number} b */
    y(b) {
      return TOP + this.height - (b - this.low) / (this.high - this.low) * this.height;
    }
    /** @param {number} x of the canvas */
    eventAtX(x) {
      const c = Math.max(0, Math.min(this.edges.length - 2, Math.floor(x - LEFT2)));
      const stand = this.stand[c];
      if (stand === void 0 || !this.edges.length) return this.trace.from;
      const event = stand ? this.trace.changeEvent(this.trace.changes[stand - 1]) : this.trace.from;
      return Math.max(event, Math.min(this.edges[c], this.trace.to));
    }
    /** What lies under a point: exact at every zoom. @param {number} x @param {number} y */
    pick(x, y) {
      const c = Math.floor(x - LEFT2);
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
        if (turn.due && !await turn.pass()) return false;
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
      const heights = fresh && await highest(this.trace, this.moments, fresh, turn);
      if (fresh && !heights) return null;
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
      const g = prepare(this.base, LEFT2 + this.width + RIGHT2, TOP + this.height + AXIS + this.spanHeight);
      const x = LEFT2 + (old.start - this.start) / this.perColumn;
      const w = old.width * old.perColumn / this.perColumn;
      const y = this.y(old.high);
      const h = this.y(old.low) - y;
      g.save();
      g.beginPath();
      g.rect(LEFT2, TOP, this.width, this.height);
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
      const g = prepare(this.base, LEFT2 + width + RIGHT2, TOP + h + AXIS + this.spanHeight);
      g.fillStyle = inks().plot;
      g.fillRect(LEFT2, TOP, width, h);
      g.imageSmoothingEnabled = false;
      g.drawImage(this.bitmap, LEFT2, TOP);
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
      const g = prepare(this.area, LEFT2 + width + RIGHT2, AREA_HEIGHT + 12);
      g.imageSmoothingEnabled = false;
      if (this.areaBitmap.width > 1) g.drawImage(this.areaBitmap, LEFT2, 4, this.stand.length, AREA_HEIGHT);
      g.strokeStyle = ink.line;
      g.lineWidth = 1;
      g.strokeRect(LEFT2 + 0.5, 4.5, width - 1, AREA_HEIGHT - 1);
      g.fillStyle = ink.muted;
      g.textAlign = "right";
      g.textBaseline = "middle";
      const step = byteStep(this.areaHigh, 3);
      for (let b = 0; b <= this.areaHigh; b += step) {
        const y = AREA_HEIGHT + 4 - b / this.areaHigh * AREA_HEIGHT;
        g.fillText(bytes(b), LEFT2 - 7, Math.min(y, AREA_HEIGHT));
        g.fillRect(LEFT2 - 4, Math.round(y), 4, 1);
      }
      const x = this.x(this.moment);
      if (x >= LEFT2 && x <= LEFT2 + width) {
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
      const trail = await turn.pass() && await trailOf(this, row, turn);
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
      const most = 2 * this.whole.span / this.width;
      const at = this.start + (x - LEFT2) * this.perColumn;
      this.perColumn = Math.max(least, Math.min(most, this.perColumn * factor));
      this.start = at - (x - LEFT2) * this.perColumn;
      if (y === void 0) return;
      const level = this.low + (TOP + this.height - y) / this.height * (this.high - this.low);
      const span = Math.max(512, Math.min(this.ceiling, (this.high - this.low) * factor));
      const part = (level - this.low) / (this.high - this.low);
      this.low = Math.max(0, level - part * span);
      this.high = this.low + span;
    }
    /** Bring an event into sight. @param {number} event */
    reveal(event) {
      const x = this.x(event) - LEFT2;
      if (x < 0 || x > this.width) this.start = this.position(event) - Math.round(this.width / 2) * this.perColumn;
    }
    /** Bytes of each category in the column under a point of either picture; null: beside them.
     * @param {number} x @returns {Float64Array | null} */
    sumsAt(x) {
      const c = Math.floor(x - LEFT2);
      return c < 0 || c >= this.stand.length ? null : this.sums.subarray(8 * c, 8 * c + 8);
    }
    /** Words of steps and annotations under a point. @param {{x: number, y: number}} at */
    spanAt(at) {
      const y = at.y - (TOP + this.height + AXIS);
      if (y < 0 || at.x < LEFT2 || at.x > LEFT2 + this.width) return "";
      const position = this.start + (at.x - LEFT2) * this.perColumn;
      return this.spans.words(y, this.byTime ? this.trace.eventAt(position) : Math.floor(position));
    }
    /** @param {MouseEvent} e */
    point(e) {
      const place = this.over.getBoundingClientRect();
      return { x: e.clientX - place.left, y: e.clientY - place.top };
    }
  };
  function moveBy(list, by) {
    if (by > 0) list.copyWithin(0, by);
    else if (by < 0) list.copyWithin(-by, 0);
  }
  function context(bitmap) {
    return (
      /** @type {CanvasRenderingContext2D} */
      bitmap.getContext("2d")
    );
  }

  // src/picture.js
  var MOST_RECTS = 2e4;
  var TOP2 = 20;
  function hex(abgr2) {
    const part = (shift) => (abgr2 >>> shift & 255).toString(16).padStart(2, "0");
    return `#${part(0)}${part(8)}${part(16)}`;
  }
  function rects(stage, step) {
    const { pixels, height, width } = stage;
    const out = [];
    for (let c = 0; c < width; c += step) {
      for (let y = 0; y < height; ) {
        const colour = pixels[c * height + y];
        let end = y + 1;
        while (end < height && pixels[c * height + end] === colour) end++;
        if (colour) out.push(`<path fill="${hex(colour)}" d="M${LEFT2 + c} ${TOP2 + height - end}h${step}v${end - y}h-${step}z"/>`);
        y = end;
      }
      if (out.length > MOST_RECTS) return null;
    }
    return out;
  }
  function toSvg(stage) {
    let step = 1;
    let body = rects(stage, step);
    while (!body) body = rects(stage, step *= 2);
    const width = LEFT2 + stage.width + RIGHT2;
    const height = TOP2 + stage.height + 24;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<title>Active memory, columns of ${step} pixels</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${body.join("\n")}
<rect x="${LEFT2}" y="${TOP2}" width="${stage.width}" height="${stage.height}" fill="none" stroke="#57606a"/>
<text x="${LEFT2 - 6}" y="${TOP2 + 10}" text-anchor="end">${bytes(stage.high)}</text>
<text x="${LEFT2 - 6}" y="${TOP2 + stage.height}" text-anchor="end">${bytes(stage.low)}</text>
</svg>
`;
  }

  // src/view.js
  var TABS = [["state", "Allocator state"], ["flame", "Flame graph"], ["blocks", "Blocks"], ["allocations", "Allocations"], ["events", "Events"]];
  function categoryWords(name) {
    return name.toLowerCase().replaceAll("_", " ");
  }
  var HIDE = (
    /** @type {[string, string][]} */
    [["0", "nothing"], ["65536", "below 64 KiB"], ["1048576", "below 1 MiB"], ["16777216", "below 16 MiB"]]
  );
  var View = class {
    /** @param {import("./trace.js").Trace} trace @param {any} description
     * @param {{file: number, device: number}} place @param {{help: () => void, theme: () => void}} acts */
    constructor(trace, description, place, acts) {
      this.trace = trace;
      this.categories = description.categories;
      this.actions = description.actions;
      this.place = place;
      this.acts = acts;
      this.stage = new Stage(trace);
      this.tab = "state";
      this.by = "category";
      this.text = "";
      this.query = parseQuery(trace, "", pool, this.categories);
      this.colours = PLAIN;
      this.now = null;
      this.drawing = false;
      this.again = false;
      this.playing = 0;
      this.linkTimer = 0;
      this.element = element("div", "viewer");
      const s = this.stage;
      const bar = element("div", "bar");
      bar.setAttribute("role", "toolbar");
      this.axis = choice("over ", this.trace.byTime ? [["time", "time"], ["event", "events"]] : [["event", "events"]], (v) => this.setAxis(v));
      this.colour = choice("colour by ", ["category", "site", "stream", "pool", "size", "age"].map((c) => [c, c]), (v) => void this.setColour(v));
      this.hide = choice("hide ", HIDE, (v) => {
        s.hide = Number(v);
        this.redraw();
      });
      this.search = /** @type {HTMLInputElement} */
      element("input");
      this.search.type = "search";
      this.search.placeholder = "words, size>1MiB, /regex/";
      this.search.setAttribute("aria-label", "Search frames; also size>1MiB, stream:0, pool:default, addr:0x..., /regular expression/");
      this.search.addEventListener("change", () => this.setQuery(this.search.value));
      this.search.addEventListener("keydown", (e) => {
        if (e.key === "Enter") this.setQuery(this.search.value);
        if (e.key === "Escape") this.search.blur();
        e.stopPropagation();
      });
      this.confirm = button("run this search", "A link brought this search: it runs when you say so", () => this.setQuery(this.search.value));
      this.confirm.hidden = true;
      bar.append(
        this.axis.wrap,
        this.colour.wrap,
        this.hide.wrap,
        button("Fit", "Show everything (f)", () => this.fit()),
        button("Peak", "Go to the highest moment (p)", () => this.moveTo(this.trace.peakEvent, true))
      );
      if (this.trace.about.ooms.length) bar.append(button("Out of memory", "Go to the next failure (o)", () => this.nextOom()));
      this.play = button("Play", "Step through events (space)", () => this.togglePlay());
      bar.append(
        this.play,
        element("span", "grow"),
        this.search,
        this.confirm,
        button("PNG", "Save the picture as PNG", () => this.savePng()),
        button("SVG", "Save the picture as SVG", () => this.saveSvg()),
        button("Theme", "Light or dark (t)", () => this.acts.theme()),
        button("?", "Keys and help (?)", () => this.acts.help())
      );
      this.legend = element("div", "legend");
      this.readout = element("div", "readout");
      this.readout.setAttribute("role", "status");
      this.readout.setAttribute("aria-live", "polite");
      this.pinnedBox = element("div", "pinned");
      this.pinnedBox.hidden = true;
      this.tabs = element("div", "tabs");
      this.tabs.setAttribute("role", "tablist");
      for (const [id, words] of TABS) {
        const b = button(words, words, () => this.setTab(id));
        b.setAttribute("role", "tab");
        b.dataset.tab = id;
        this.tabs.append(b);
      }
      this.panels = new Panels(this);
      this.element.append(
        bar,
        s.element,
        this.legend,
        element("div", "pane-title", "By category, the same stretch"),
        s.areaElement,
        this.readout,
        this.pinnedBox,
        this.tabs,
        this.panels.element
      );
      this.listen();
    }
    // --- state ---------------------------------------------------------------------------------------
    /** @param {import("./permalink.js").Link} link */
    async start(link) {
      const s = this.stage;
      await s.build();
      const ooms = this.trace.about.ooms;
      s.moment = ooms.length ? Math.max(this.trace.from, ooms[ooms.length - 1].event - 1) : this.trace.peakEvent;
      this.applyLink(link);
      await this.setColour(this.by, true);
      await this.redraw();
      this.changed();
    }
    /** @param {import("./permalink.js").Link} link */
    applyLink(link) {
      const s = this.stage;
      if (link.x === "event" || !this.trace.byTime) s.byTime = false;
      this.axis.select.value = s.byTime ? "time" : "event";
      s.fit();
      if (link.t) {
        s.start = link.t[0];
        s.perColumn = Math.max(1e-9, (link.t[1] - link.t[0]) / s.width);
      }
      if (link.y) [s.low, s.high] = [Math.max(0, link.y[0]), link.y[1]];
      if (link.m !== void 0) s.moment = Math.max(this.trace.from, Math.min(this.trace.to, link.m));
      if (link.c && ["category", "site", "stream", "pool", "size", "age"].includes(link.c)) this.by = link.c;
      this.colour.select.value = this.by;
      if (link.tab && TABS.some(([id]) => id === link.tab)) this.tab = link.tab;
      if (link.sel !== void 0 && link.sel >= 0 && link.sel < this.trace.nRows) s.pinned = link.sel;
      this.search.value = link.q || "";
      if (link.q && /^\/.+\/$/.test(link.q)) this.confirm.hidden = false;
      else if (link.q) this.setQuery(link.q, true);
    }
    /** Keep the link of the page up to date; browsers stop pages that do so at every step. */
    link() {
      if (!this.linkTimer) this.linkTimer = window.setTimeout(() => this.storeLink(), 250);
    }
    storeLink() {
      this.linkTimer = 0;
      const s = this.stage;
      const w = s.whole;
      const fits = Math.abs(s.start - w.start) < s.perColumn && Math.abs(s.perColumn * s.width - w.span) < s.perColumn;
      const tall = s.low === 0 && Math.abs(s.high - s.ceiling) < 1;
      storeLink({
        f: this.place.file,
        d: this.place.device,
        x: s.byTime ? "time" : "event",
        t: fits ? void 0 : [s.start, s.start + s.perColumn * s.width],
        y: tall ? void 0 : [s.low, s.high],
        m: s.moment,
        sel: s.pinned >= 0 ? s.pinned : void 0,
        c: this.by,
        tab: this.tab,
        q: this.text || void 0
      });
    }
    /** Everything that follows the moment and the selection. */
    changed() {
      this.readout.textContent = this.readoutWords();
      this.showPinned();
      for (const b of this.tabs.querySelectorAll("button")) {
        b.setAttribute("aria-selected", b.dataset.tab === this.tab ? "true" : "false");
      }
      this.stage.drawOver();
      this.stage.drawArea();
      this.link();
      void this.panels.update();
    }
    /** Draw the pictures over time; at most one at work, the latest wish wins. @returns {Promise<void>} */
    async redraw() {
      if (this.drawing) {
        this.again = true;
        this.stage.job++;
        return;
      }
      this.drawing = true;
      do {
        this.again = false;
        await this.stage.draw();
      } while (this.again);
      this.drawing = false;
      this.element.dataset.drawn = String(Number(this.element.dataset.drawn || 0) + 1);
      this.link();
    }
    rowsNow() {
      return this.rowsAt(this.stage.moment);
    }
    /** @param {number} event */
    rowsAt(event) {
      if (!this.now || this.now.event !== event) this.now = { event, rows: this.stage.moments.rowsAt(event) };
      return this.now.rows;
    }
    window() {
      const s = this.stage;
      return { from: Math.max(this.trace.from, s.edges[0]), to: Math.min(this.trace.to, s.edges[s.edges.length - 1]) };
    }
    // --- words ---------------------------------------------------------------------------------------
    momentWords() {
      const e = this.stage.moment;
      return e <= this.trace.from && this.trace.from < 0 ? "before event 0" : `after event ${count(e)}`;
    }
    readoutWords() {
      const t = this.trace;
      const rows = this.rowsNow();
      let sum = t.loose;
      let requested = 0;
      for (const row of rows) {
        sum += t.size(row);
        requested += Math.max(0, t.requested[t.sizeRow[row]]);
      }
      const parts = [`Moment: ${this.momentWords()}`];
      if (t.times.length) parts.push(`${duration(t.timeOf(this.stage.moment))} in`);
      parts.push(`${bytes(sum)} active in ${count(rows.length)} blocks`);
      if (requested) parts.push(`${bytes(requested)} requested`);
      const r = this.stage.reserved;
      let k = 0;
      while (k + 1 < r.events.length && r.events[k + 1] <= this.stage.moment) k++;
      if (r.known) parts.push(`${bytes(r.bytes[k])} reserved`);
      return parts.join(" \xB7 ");
    }
    /** @param {number} row */
    rowWords(row) {
      const t = this.trace;
      const attr = t.attrs[t.attrRow[row]];
      const requested = t.requested[t.sizeRow[row]];
      const dies = t.freeCompleted[row];
      const born = t.born[row] < 0 ? "from before the recording" : `born at event ${count(t.born[row])}`;
      const timed = t.times.length > 0 && t.born[row] > t.from && dies <= t.to;
      const life = dies >= ALIVE ? "never freed" : `freed at event ${count(dies)}${timed ? `, lived ${duration(t.timeOf(dies) - t.timeOf(t.born[row]))}` : ""}`;
      const lines = [
        `${bytes(t.size(row))}${requested >= 0 && requested !== t.size(row) ? ` (${count(requested)} bytes requested)` : ""}, ${categoryWords(this.categories[attr[3]])}`,
        `${born}, ${life}`
      ];
      if (t.alive(row, this.stage.moment) && t.born[row] > t.from && t.times.length)
        lines.push(`age at the moment ${duration(Math.max(0, t.timeOf(Math.min(this.stage.moment, t.to)) - t.timeOf(t.born[row])))}`);
      if (attr[0] !== "0" || attr[1] || attr[2]) lines.push(`stream ${attr[0]}, pool ${pool(attr[1], attr[2])}`);
      lines.push(elide(t.site(t.stackRow[row]), 240));
      return lines.join("\n");
    }
    /** @param {string} words */
    say(words) {
      this.readout.textContent = words;
    }
    showPinned() {
      const row = this.stage.pinned;
      this.pinnedBox.hidden = row < 0;
      this.pinnedBox.replaceChildren();
      if (row < 0) return;
      const t = this.trace;
      const stack = t.frames(t.stackRow[row]).map((f) => frameWords(f));
      const attr = t.attrs[t.attrRow[row]];
      const head = element("div", "");
      head.style.whiteSpace = "pre-line";
      head.append(element("bdi", "", this.rowWords(row)));
      if (attr[5]) head.append(element("div", "", `Category: ${attr[5]}${attr[4] ? ` (${attr[4]})` : ""}`));
      const text = stack.length ? stack.join("\n") : "no stack was recorded";
      const acts = element("div", "bar");
      acts.append(
        button("Copy stack", "Copy the whole stack (c)", () => this.copyStack()),
        button("Go to its birth", "Move the moment to where it was allocated", () => this.moveTo(Math.max(t.from, t.born[row]), true)),
        button("Unpin", "Forget the selection (Esc)", () => this.pin(-1, false))
      );
      this.pinnedBox.append(head, acts, element("pre", "", stack.length ? stack.map((l) => elide(l, 300)).join("\n") : text));
    }
    copyStack() {
      const row = this.stage.pinned;
      if (row < 0) return;
      const t = this.trace;
      const text = [this.rowWords(row), ...t.frames(t.stackRow[row]).map((f) => frameWords(f))].join("\n");
      const done = () => this.say("The stack is copied.");
      const refused = () => this.say(copySelected(this.pinnedBox) ? "The stack is copied." : "The browser did not allow copying.");
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, refused);
      else refused();
    }
    // --- acts ----------------------------------------------------------------------------------------
    /** @param {number} event @param {boolean} reveal */
    moveTo(event, reveal) {
      const s = this.stage;
      s.moment = Math.max(this.trace.from, Math.min(this.trace.to, event));
      const before = s.start;
      if (reveal) s.reveal(s.moment);
      if (s.start !== before) void this.redraw();
      this.changed();
    }
    /** @param {number} row @param {boolean} reveal */
    pin(row, reveal) {
      const s = this.stage;
      s.pinned = row;
      if (row >= 0 && reveal && !this.trace.alive(row, s.moment)) {
        this.moveTo(Math.max(this.trace.from, this.trace.born[row]), true);
        return;
      }
      this.changed();
    }
    fit() {
      this.stage.fit();
      void this.redraw();
    }
    nextOom() {
      const ooms = this.trace.about.ooms;
      if (!ooms.length) return;
      const next = ooms.find((o) => o.event - 1 > this.stage.moment) || ooms[0];
      this.moveTo(next.event - 1, true);
    }
    /** @param {string} axis */
    setAxis(axis) {
      const s = this.stage;
      const { from, to } = this.window();
      s.byTime = axis === "time";
      const start2 = s.position(from);
      s.start = start2;
      s.perColumn = Math.max(1e-9, (s.position(to) - start2) / s.width);
      void this.redraw();
    }
    /** @param {string} by @param {boolean} [quiet] */
    async setColour(by, quiet) {
      this.by = by;
      const colours = await coloursBy(this.trace, this.categories, by);
      if (this.by !== by) return;
      this.colours = colours;
      this.applyColours();
      this.legend.replaceChildren();
      for (const [hex2, words] of this.colours.legend) {
        const entry = element("span");
        const box = element("i");
        box.style.background = hex2;
        entry.append(box, element("bdi", "", words));
        entry.title = words;
        this.legend.append(entry);
      }
      if (quiet) return;
      void this.redraw();
      this.changed();
    }
    /** What the search leaves out is pale. */
    applyColours() {
      const { query, trace, colours } = this;
      const all = !query.stacks && !query.tests.length;
      const dark = document.documentElement.dataset.dark === "yes";
      const pale = dark ? 4281544748 : 4293453282;
      this.stage.raster.colour = all ? colours.of : (row, event) => {
        if (query.stacks && !query.stacks[trace.stackRow[row]]) return pale;
        for (const test of query.tests) if (!test(row)) return pale;
        return colours.of(row, event);
      };
      this.stage.colourKey = `${this.by}|${this.text}|${all ? "" : dark}`;
    }
    /** @param {string} text @param {boolean} [quiet] */
    setQuery(text, quiet) {
      const begin = () => {
        this.confirm.hidden = true;
        this.text = text.trim();
        this.query = parseQuery(this.trace, this.text, pool, this.categories);
        this.panels.flame.search = this.query.stacks && !this.text.startsWith("/") ? this.text.toLowerCase() : "";
        this.applyColours();
        if (quiet) return;
        void this.redraw();
        this.changed();
        if (this.query.error) this.say(this.query.error);
      };
      if (/addr:/i.test(text)) void this.trace.loadAddresses().then(begin);
      else begin();
    }
    /** @param {string} tab */
    setTab(tab) {
      this.tab = tab;
      this.changed();
    }
    togglePlay() {
      if (this.playing) {
        clearInterval(this.playing);
        this.playing = 0;
      } else {
        this.playing = window.setInterval(() => {
          if (this.stage.moment >= this.trace.to) this.togglePlay();
          else this.moveTo(this.stage.moment + 1, true);
        }, 120);
      }
      this.play.textContent = this.playing ? "Pause" : "Play";
    }
    savePng() {
      const { base, over } = this.stage;
      const all = document.createElement("canvas");
      all.width = base.width;
      all.height = base.height;
      const g = (
        /** @type {CanvasRenderingContext2D} */
        all.getContext("2d")
      );
      g.fillStyle = document.documentElement.dataset.dark === "yes" ? "#16181d" : "#ffffff";
      g.fillRect(0, 0, all.width, all.height);
      g.drawImage(base, 0, 0);
      g.drawImage(over, 0, 0);
      all.toBlob((blob) => blob && save(blob, "memory.png"), "image/png");
    }
    saveSvg() {
      save(new Blob([toSvg(this.stage)], { type: "image/svg+xml" }), "memory.svg");
    }
    // --- input ---------------------------------------------------------------------------------------
    listen() {
      const { over } = this.stage;
      const fingers = /* @__PURE__ */ new Map();
      let moved = 0;
      let rest = 0;
      over.addEventListener("pointerdown", (e) => {
        over.setPointerCapture(e.pointerId);
        fingers.set(e.pointerId, this.stage.point(e));
        moved = 0;
        rest = 0;
      });
      over.addEventListener("pointermove", (e) => {
        const at = this.stage.point(e);
        const last = fingers.get(e.pointerId);
        if (!last) {
          this.hover(at);
          return;
        }
        if (fingers.size === 2) {
          moved = Infinity;
          this.pinch(fingers, e.pointerId, at);
        } else {
          rest += last.x - at.x;
          moved += Math.abs(last.x - at.x) + Math.abs(last.y - at.y);
          if (moved > 4 && Math.abs(rest) >= 1) {
            this.stage.pan(Math.trunc(rest));
            rest -= Math.trunc(rest);
            void this.redraw();
          }
        }
        fingers.set(e.pointerId, at);
      });
      over.addEventListener("pointerup", (e) => {
        fingers.delete(e.pointerId);
        if (moved <= 4) this.click(this.stage.point(e));
      });
      over.addEventListener("pointercancel", (e) => fingers.delete(e.pointerId));
      over.addEventListener("pointerleave", () => {
        this.stage.tip.hidden = true;
        if (this.stage.hovered >= 0) {
          this.stage.hovered = -1;
          this.stage.drawOver();
        }
      });
      over.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
      const { area, areaTip, areaElement } = this.stage;
      const inArea = (e) => {
        const box = area.getBoundingClientRect();
        return { x: e.clientX - box.left, y: e.clientY - box.top };
      };
      area.addEventListener("pointermove", (e) => {
        const sums = this.stage.sumsAt(inArea(e).x);
        this.showTip(areaTip, areaElement, inArea(e), sums ? this.sumWords(sums) : "");
      });
      area.addEventListener("pointerleave", () => areaTip.hidden = true);
      area.addEventListener("click", (e) => {
        if (this.stage.sumsAt(inArea(e).x)) this.moveTo(this.stage.eventAtX(inArea(e).x), false);
      });
      new ResizeObserver(() => {
        if (this.stage.laid && this.stage.adapt()) this.refresh();
      }).observe(this.stage.element);
    }
    /** @param {WheelEvent} e */
    wheel(e) {
      e.preventDefault();
      const at = this.stage.point(e);
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.stage.pan(Math.round((e.deltaX || e.deltaY) * 0.8));
      else this.stage.zoom(Math.exp(e.deltaY * 2e-3), at.x, e.ctrlKey || e.altKey ? at.y : void 0);
      void this.redraw();
    }
    /** @param {Map<number, {x: number, y: number}>} fingers @param {number} id @param {{x: number, y: number}} at */
    pinch(fingers, id, at) {
      const other = [...fingers].find(([k]) => k !== id);
      const last = fingers.get(id);
      if (!other || !last) return;
      const distance = (p) => Math.hypot(p.x - other[1].x, p.y - other[1].y);
      this.stage.start -= (at.x - last.x) / 2 * this.stage.perColumn;
      if (distance(last) > 8 && distance(at) > 8) this.stage.zoom(distance(last) / distance(at), (at.x + other[1].x) / 2);
      void this.redraw();
    }
    /** @param {{x: number, y: number}} at */
    hover(at) {
      const s = this.stage;
      const row = s.pick(at.x, at.y);
      this.showTip(s.tip, s.element, at, row >= 0 ? this.rowWords(row) : s.spanAt(at));
      if (row !== s.hovered) {
        s.hovered = row;
        s.drawOver();
      }
    }
    /** @param {HTMLElement} tip @param {HTMLElement} home @param {{x: number, y: number}} at
     * @param {string} words "": nothing to tell */
    showTip(tip, home, at, words) {
      tip.hidden = !words;
      if (!words) return;
      tip.textContent = words;
      const width = home.clientWidth;
      tip.style.left = `${Math.max(0, at.x + 14 + tip.offsetWidth > width ? at.x - 14 - tip.offsetWidth : at.x + 14)}px`;
      tip.style.top = `${at.y + 14}px`;
    }
    /** Bytes by category. @param {Float64Array} sums */
    sumWords(sums) {
      const lines = this.categories.map((name, k) => ({ name: categoryWords(name), bytes: sums[k] })).filter((r) => r.bytes > 0).sort((x, y) => y.bytes - x.bytes).map((r) => `${bytes(r.bytes)} ${r.name}`);
      return [`${bytes(sums.reduce((x, y) => x + y, 0))} active`, ...lines].join("\n");
    }
    /** @param {{x: number, y: number}} at */
    click(at) {
      const s = this.stage;
      if (at.x < LEFT2) return;
      s.pinned = s.pick(at.x, at.y);
      s.moment = s.eventAtX(at.x);
      this.changed();
    }
    /** @param {KeyboardEvent} e @returns {boolean} was it one of ours? */
    key(e) {
      const s = this.stage;
      const wide = e.shiftKey ? 4 : 1;
      const middle = LEFT2 + s.width / 2;
      const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
      switch (key) {
        case "w":
        case "+":
        case "=":
          s.zoom(0.7 ** wide, this.x());
          break;
        case "s":
        case "-":
          s.zoom(1 / 0.7 ** wide, middle);
          break;
        case "a":
          s.pan(-60 * wide);
          break;
        case "d":
          s.pan(60 * wide);
          break;
        case "f":
        case "0":
          if (key === "f" && e.shiftKey && s.pinned >= 0) this.frame(s.pinned);
          else s.fit();
          break;
        case "ArrowLeft":
        case "[":
          this.moveTo(s.moment - (e.shiftKey ? 100 : 1), true);
          return true;
        case "ArrowRight":
        case "]":
          this.moveTo(s.moment + (e.shiftKey ? 100 : 1), true);
          return true;
        case "ArrowUp":
          this.neighbour(1);
          return true;
        case "ArrowDown":
          this.neighbour(-1);
          return true;
        case "Home":
          this.moveTo(this.trace.from, true);
          return true;
        case "End":
          this.moveTo(this.trace.to, true);
          return true;
        case "p":
          this.moveTo(this.trace.peakEvent, true);
          return true;
        case "o":
          this.nextOom();
          return true;
        case "c":
          this.copyStack();
          return true;
        case " ":
          this.togglePlay();
          return true;
        case "/":
          this.search.focus();
          return true;
        case "Escape":
          this.pin(-1, false);
          return true;
        case "1":
        case "2":
        case "3":
        case "4":
        case "5":
          this.setTab(TABS[Number(key) - 1][0]);
          return true;
        default:
          return false;
      }
      void this.redraw();
      return true;
    }
    x() {
      const x = this.stage.x(this.stage.moment);
      return x >= LEFT2 && x <= LEFT2 + this.stage.width ? x : LEFT2 + this.stage.width / 2;
    }
    /** The life of an allocation fills the picture. @param {number} row */
    frame(row) {
      const s = this.stage;
      const from = s.position(Math.max(this.trace.from, this.trace.born[row]));
      const to = s.position(Math.min(this.trace.to, this.trace.freeCompleted[row]));
      const span = Math.max(to - from, 8);
      s.start = from - span * 0.1;
      s.perColumn = span * 1.2 / s.width;
    }
    /** The block above or below the selected one, at the moment. @param {number} by */
    neighbour(by) {
      const rows = this.rowsNow();
      const at = rows.indexOf(this.stage.pinned);
      const next = at < 0 ? by > 0 ? 0 : rows.length - 1 : Math.max(0, Math.min(rows.length - 1, at + by));
      if (rows.length) {
        this.pin(rows[next], false);
        this.say(this.rowWords(rows[next]).replace(/\n/g, ", "));
      }
    }
    /** The size of the page or its colours changed. */
    refresh() {
      this.applyColours();
      this.stage.ready = false;
      void this.redraw();
      this.changed();
      this.panels.redraw();
    }
  };
  function copySelected(shown) {
    const selection = window.getSelection();
    if (!selection) return false;
    selection.selectAllChildren(shown);
    const copied = document.execCommand("copy");
    selection.removeAllRanges();
    return copied;
  }

  // src/main.js
  var KEYS = [
    ["w s", "zoom in, out"],
    ["a d", "move left, right (Shift: four times as far)"],
    ["wheel, pinch", "zoom (Alt: up and down, too); with Shift move"],
    ["drag", "move"],
    ["f", "show everything; Shift+f: the life of the selected block"],
    ["\u2190 \u2192", "one event back, on (Shift: 100)"],
    ["\u2191 \u2193", "the block above, below the selected one"],
    ["p", "go to the peak"],
    ["o", "go to the next out of memory"],
    ["click", "select the block under the pointer and its moment"],
    ["space", "play"],
    ["1 to 5", "state, flame graph, blocks, allocations, events"],
    ["/", "search: words of frames, /regular expression/, size>1MiB, event>100, time<2.5s, life>3ms, stream:0, pool:default, addr:0x7f00, category:activation"],
    ["c", "copy the stack"],
    ["t", "light or dark"],
    ["Esc", "forget the selection"],
    ["?", "this help"]
  ];
  var views = /* @__PURE__ */ new Map();
  var current = null;
  function helpDialog() {
    const dialog = (
      /** @type {HTMLDialogElement} */
      element("dialog")
    );
    dialog.setAttribute("aria-label", "Keys");
    dialog.append(element("h3", "", "Keys"));
    const list = element("dl");
    for (const [keys, words] of KEYS) {
      const dt = element("dt");
      dt.append(element("kbd", "", keys));
      list.append(dt, element("dd", "", words));
    }
    dialog.append(list, button("Close", "Close (Esc)", () => dialog.close()));
    document.body.append(dialog);
    return dialog;
  }
  function expose(view) {
    window.vramscope = { view, views, darker, segmentsAt, pace, placesInOrder, trailOf, Turn };
  }
  function start(description) {
    const dialog = helpDialog();
    const acts = {
      help: () => dialog.showModal(),
      theme: () => {
        toggleTheme();
        if (current) current.refresh();
      }
    };
    const articles = [...document.querySelectorAll("article.file")];
    const places = description.files.flatMap((f, file) => f.devices.map((d, device) => ({ file, device, f, d })));
    const sectionOf = (place) => articles[place.file].querySelectorAll(":scope > section.device")[place.device];
    const open = async (place, link2) => {
      places.forEach((p) => {
        sectionOf(p).hidden = p !== place;
        articles[p.file].hidden = p.file !== place.file;
      });
      for (const b of document.querySelectorAll(".switch button"))
        b.setAttribute(
          "aria-pressed",
          /** @type {HTMLElement} */
          b.dataset.place === `${place.file}/${place.device}` ? "true" : "false"
        );
      const id = `${place.file}/${place.device}`;
      const known = views.get(id);
      if (known) {
        current = known;
        expose(known);
        known.refresh();
        return;
      }
      if (!place.d.columns) {
        current = null;
        document.documentElement.dataset.ready = "yes";
        return;
      }
      const section = sectionOf(place);
      const host = (
        /** @type {HTMLElement} */
        section.querySelector(".view")
      );
      host.append(element("div", "readout", "Reading events\u2026"));
      const trace = new Trace(place.d, place.f, id);
      await trace.load();
      const view = new View(trace, description, place, acts);
      host.replaceChildren(view.element);
      await view.start(link2);
      views.set(id, view);
      current = view;
      expose(view);
      const still = (
        /** @type {HTMLElement} */
        section.querySelector("figure.timeline")
      );
      still.hidden = true;
      document.documentElement.dataset.ready = "yes";
      performance.mark("first_picture");
    };
    const bar = (
      /** @type {HTMLElement} */
      document.querySelector(".switch")
    );
    if (places.length > 1)
      for (const p of places) {
        const name = p.f.file.replace(/^.*\//, "");
        const many = p.f.devices.length > 1;
        const b = button(description.files.length > 1 ? `${name}${many ? `, device ${p.d.device}` : ""}` : `Device ${p.d.device}`, p.f.file, () => {
          if (views.get(`${p.file}/${p.device}`) !== current || !current) void open(p, {});
        });
        b.dataset.place = `${p.file}/${p.device}`;
        bar.append(b);
      }
    const link = parseLink(location.hash);
    const highest2 = places.reduce((best, p) => (p.d.peak_allocated_bytes || 0) > (best.d.peak_allocated_bytes || 0) ? p : best, places[0]);
    const wanted = places.find((p) => p.file === link.f && p.device === link.d);
    if (places.length) void open(wanted || highest2, link).catch(fail);
    document.addEventListener("keydown", (e) => onKey(e, acts));
    window.addEventListener("hashchange", () => {
      if (!current) return;
      current.applyLink(parseLink(location.hash));
      void current.setColour(current.by);
    });
    window.addEventListener("beforeprint", () => {
      for (const d of document.querySelectorAll("details")) if (!d.parentElement?.closest("details")) d.open = true;
    });
  }
  function onKey(e, acts) {
    const target = (
      /** @type {HTMLElement} */
      e.target
    );
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(target.tagName)) return;
    if (target.tagName === "BUTTON" && (e.key === " " || e.key === "Enter")) return;
    if (e.key === "?") acts.help();
    else if (e.key === "t") acts.theme();
    else if (!current || document.querySelector("dialog[open]") || !current.key(e)) return;
    e.preventDefault();
  }
  function fail(problem) {
    const note = element("p", "warning", `The moving pictures cannot be shown: ${problem instanceof Error ? problem.message : problem}. The still ones are complete.`);
    const host = document.querySelector(".view");
    if (host) host.replaceChildren(note);
  }
  async function main() {
    requestAnimationFrame(() => performance.mark("still"));
    startTheme(() => current && current.refresh());
    if (typeof DecompressionStream === "undefined") {
      fail("this browser cannot read compressed data");
      return;
    }
    const text = new TextDecoder().decode(await readChunk("description"));
    start(JSON.parse(text));
  }
  main().catch(fail);
})();
