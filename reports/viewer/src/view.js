// SPDX-License-Identifier: MIT
// view.js -- one device, all its views linked by one moment and one selection.

import { coloursBy, PLAIN } from "./colours.js";
import { button, choice, element, save } from "./dom.js";
import { Panels } from "./panels.js";
import { storeLink } from "./permalink.js";
import { parseQuery } from "./query.js";
import { LEFT, Stage } from "./stage.js";
import { toSvg } from "./picture.js";
import { ALIVE } from "./trace.js";
import { bytes, count, duration, elide, frameWords, pool } from "./words.js";

const TABS = [["state", "Allocator state"], ["flame", "Flame graph"], ["blocks", "Blocks"], ["allocations", "Allocations"], ["events", "Events"]];
/** "optimizer state" @param {string} name */
function categoryWords(name) {
  return name.toLowerCase().replaceAll("_", " ");
}

const HIDE = /** @type {[string, string][]} */ ([["0", "nothing"], ["65536", "below 64 KiB"], ["1048576", "below 1 MiB"], ["16777216", "below 16 MiB"]]);

export class View {
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
    /** @type {{event: number, rows: Int32Array} | null} */
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
    this.search = /** @type {HTMLInputElement} */ (element("input"));
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
    bar.append(this.axis.wrap, this.colour.wrap, this.hide.wrap,
      button("Fit", "Show everything (f)", () => this.fit()),
      button("Peak", "Go to the highest moment (p)", () => this.moveTo(this.trace.peakEvent, true)));
    if (this.trace.about.ooms.length) bar.append(button("Out of memory", "Go to the next failure (o)", () => this.nextOom()));
    this.play = button("Play", "Step through events (space)", () => this.togglePlay());
    bar.append(this.play, element("span", "grow"), this.search, this.confirm,
      button("PNG", "Save the picture as PNG", () => this.savePng()),
      button("SVG", "Save the picture as SVG", () => this.saveSvg()),
      button("Theme", "Light or dark (t)", () => this.acts.theme()),
      button("?", "Keys and help (?)", () => this.acts.help()));
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
    this.element.append(bar, s.element, this.legend, element("div", "pane-title", "By category, the same stretch"),
      s.areaElement, this.readout, this.pinnedBox, this.tabs, this.panels.element);
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
    if (link.m !== undefined) s.moment = Math.max(this.trace.from, Math.min(this.trace.to, link.m));
    if (link.c && ["category", "site", "stream", "pool", "size", "age"].includes(link.c)) this.by = link.c;
    this.colour.select.value = this.by;
    if (link.tab && TABS.some(([id]) => id === link.tab)) this.tab = link.tab;
    if (link.sel !== undefined && link.sel >= 0 && link.sel < this.trace.nRows) s.pinned = link.sel;
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
      f: this.place.file, d: this.place.device, x: s.byTime ? "time" : "event",
      t: fits ? undefined : [s.start, s.start + s.perColumn * s.width],
      y: tall ? undefined : [s.low, s.high], m: s.moment,
      sel: s.pinned >= 0 ? s.pinned : undefined, c: this.by, tab: this.tab, q: this.text || undefined,
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
    return parts.join(" \u00b7 ");
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
      `${born}, ${life}`,
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
      button("Unpin", "Forget the selection (Esc)", () => this.pin(-1, false)));
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
    const next = ooms.find((/** @type {any} */ o) => o.event - 1 > this.stage.moment) || ooms[0];
    this.moveTo(next.event - 1, true);
  }

  /** @param {string} axis */
  setAxis(axis) {
    const s = this.stage;
    const { from, to } = this.window();
    s.byTime = axis === "time";
    const start = s.position(from);
    s.start = start;
    s.perColumn = Math.max(1e-9, (s.position(to) - start) / s.width);
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
    for (const [hex, words] of this.colours.legend) {
      const entry = element("span");
      const box = element("i");
      box.style.background = hex;
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
    const pale = dark ? 0xff33302c : 0xffe8e5e2;
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
    const g = /** @type {CanvasRenderingContext2D} */ (all.getContext("2d"));
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
    /** @type {Map<number, {x: number, y: number}>} */
    const fingers = new Map();
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
    const inArea = (/** @type {MouseEvent} */ e) => {
      const box = area.getBoundingClientRect();
      return { x: e.clientX - box.left, y: e.clientY - box.top };
    };
    area.addEventListener("pointermove", (e) => {
      const sums = this.stage.sumsAt(inArea(e).x);
      this.showTip(areaTip, areaElement, inArea(e), sums ? this.sumWords(sums) : "");
    });
    area.addEventListener("pointerleave", () => (areaTip.hidden = true));
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
    else this.stage.zoom(Math.exp(e.deltaY * 0.002), at.x, e.ctrlKey || e.altKey ? at.y : undefined);
    void this.redraw();
  }

  /** @param {Map<number, {x: number, y: number}>} fingers @param {number} id @param {{x: number, y: number}} at */
  pinch(fingers, id, at) {
    const other = [...fingers].find(([k]) => k !== id);
    const last = fingers.get(id);
    if (!other || !last) return;
    const distance = (/** @type {{x: number, y: number}} */ p) => Math.hypot(p.x - other[1].x, p.y - other[1].y);
    // The middle of the two fingers stays where it is in the picture.
    this.stage.start -= ((at.x - last.x) / 2) * this.stage.perColumn;
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
    const lines = this.categories
      .map((/** @type {string} */ name, /** @type {number} */ k) => ({ name: categoryWords(name), bytes: sums[k] }))
      .filter((/** @type {{bytes: number}} */ r) => r.bytes > 0)
      .sort((/** @type {{bytes: number}} */ x, /** @type {{bytes: number}} */ y) => y.bytes - x.bytes)
      .map((/** @type {{name: string, bytes: number}} */ r) => `${bytes(r.bytes)} ${r.name}`);
    return [`${bytes(sums.reduce((x, y) => x + y, 0))} active`, ...lines].join("\n");
  }

  /** @param {{x: number, y: number}} at */
  click(at) {
    const s = this.stage;
    if (at.x < LEFT) return;
    s.pinned = s.pick(at.x, at.y);
    s.moment = s.eventAtX(at.x);
    this.changed();
  }

  /** @param {KeyboardEvent} e @returns {boolean} was it one of ours? */
  key(e) {
    const s = this.stage;
    const wide = e.shiftKey ? 4 : 1;
    const middle = LEFT + s.width / 2;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    switch (key) {
      case "w": case "+": case "=": s.zoom(0.7 ** wide, this.x()); break;
      case "s": case "-": s.zoom(1 / 0.7 ** wide, middle); break;
      case "a": s.pan(-60 * wide); break;
      case "d": s.pan(60 * wide); break;
      case "f": case "0":
        if (key === "f" && e.shiftKey && s.pinned >= 0) this.frame(s.pinned);
        else s.fit();
        break;
      case "ArrowLeft": case "[": this.moveTo(s.moment - (e.shiftKey ? 100 : 1), true); return true;
      case "ArrowRight": case "]": this.moveTo(s.moment + (e.shiftKey ? 100 : 1), true); return true;
      case "ArrowUp": this.neighbour(1); return true;
      case "ArrowDown": this.neighbour(-1); return true;
      case "Home": this.moveTo(this.trace.from, true); return true;
      case "End": this.moveTo(this.trace.to, true); return true;
      case "p": this.moveTo(this.trace.peakEvent, true); return true;
      case "o": this.nextOom(); return true;
      case "c": this.copyStack(); return true;
      case " ": this.togglePlay(); return true;
      case "/": this.search.focus(); return true;
      case "Escape": this.pin(-1, false); return true;
      case "1": case "2": case "3": case "4": case "5": this.setTab(TABS[Number(key) - 1][0]); return true;
      default: return false;
    }
    void this.redraw();
    return true;
  }

  x() {
    const x = this.stage.x(this.stage.moment);
    return x >= LEFT && x <= LEFT + this.stage.width ? x : LEFT + this.stage.width / 2;
  }

  /** The life of an allocation fills the picture. @param {number} row */
  frame(row) {
    const s = this.stage;
    const from = s.position(Math.max(this.trace.from, this.trace.born[row]));
    const to = s.position(Math.min(this.trace.to, this.trace.freeCompleted[row]));
    const span = Math.max(to - from, 8);
    s.start = from - span * 0.1;
    s.perColumn = (span * 1.2) / s.width;
  }

  /** The block above or below the selected one, at the moment. @param {number} by */
  neighbour(by) {
    const rows = this.rowsNow();
    const at = rows.indexOf(this.stage.pinned);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + by));
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
}

/** What an element shows, by way of the selection: for browsers without a clipboard of scripts.
 * @param {HTMLElement} shown @returns {boolean} was it copied? */
function copySelected(shown) {
  const selection = window.getSelection();
  if (!selection) return false;
  selection.selectAllChildren(shown);
  const copied = document.execCommand("copy");
  selection.removeAllRanges();
  return copied;
}
