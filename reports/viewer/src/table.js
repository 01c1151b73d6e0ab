// SPDX-License-Identifier: MIT
// table.js -- a table of any length: only the rows in sight are elements.

import { button, element } from "./dom.js";
import { Turn } from "./slices.js";
import { placesInOrder } from "./sort.js";

const ROW = 25;
const HEIGHT = 340;

/** @typedef {{title: string, width: string, name?: boolean, text: (row: number) => string, key: (row: number) => number}} Column */

/** Loops look at the clock once in so many rounds: a mask. */
const OFTEN = 0x1fff;

export class Table {
  /** @param {Column[]} columns @param {(row: number) => void} pick @param {string} label */
  constructor(columns, pick, label) {
    this.columns = columns;
    this.pick = pick;
    this.element = element("div", "rows");
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-label", label);
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
    /** @type {Int32Array} */
    this.rows = new Int32Array(0);
    this.job = 0;
    this.sorted = -1;
    this.down = true;
    this.selected = -1;
    this.element.addEventListener("scroll", () => this.draw());
    this.element.addEventListener("keydown", (e) => this.key(e));
    this.body.addEventListener("click", (e) => {
      const tr = /** @type {HTMLElement} */ (e.target).closest("tr");
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
    [...this.titles.children].forEach((th, i) =>
      th.setAttribute("aria-sort", i !== column ? "none" : this.down ? "descending" : "ascending"));
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
      if ((i & OFTEN) === 0 && turn.due && !(await turn.pass())) return null;
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
    const y = at * ROW;
    if (y < this.element.scrollTop) this.element.scrollTop = y;
    else if (y > this.element.scrollTop + HEIGHT - 2 * ROW - 8) this.element.scrollTop = y - HEIGHT + 2 * ROW + 8;
    this.pick(this.selected);
    this.draw();
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const at = this.rows.indexOf(this.selected);
    const page = Math.floor(HEIGHT / ROW) - 2;
    const move = /** @type {Record<string, number>} */ ({
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -at, End: this.rows.length - 1 - at,
    })[e.key];
    if (move === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    this.select(Math.max(0, Math.min(this.rows.length - 1, at < 0 ? 0 : at + move)));
  }

  draw() {
    const n = this.rows.length;
    const most = Math.ceil(HEIGHT / ROW) + 2;
    // Browsers end at some 30 million pixels: beyond, the thumb stands for a part of the rows.
    const tall = Math.min(n * ROW, 8e6);
    const part = tall > HEIGHT ? this.element.scrollTop / Math.max(1, tall - HEIGHT + ROW) : 0;
    const first = n * ROW > tall ? Math.floor(part * Math.max(0, n - most + 2)) : Math.floor(this.element.scrollTop / ROW);
    const end = Math.min(n, first + most);
    const above = Math.min(this.element.scrollTop, Math.max(0, tall - (end - first) * ROW));
    this.body.replaceChildren();
    const pad = (/** @type {number} */ height) => {
      const tr = element("tr");
      const td = element("td");
      td.style.height = `${height}px`;
      td.style.padding = "0";
      td.style.border = "0";
      tr.append(td);
      return tr;
    };
    const offset = n * ROW > tall ? above : first * ROW;
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
    const below = tall - offset - (end - first) * ROW;
    if (below > 0) this.body.append(pad(below));
  }
}
