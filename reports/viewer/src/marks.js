// SPDX-License-Identifier: MIT
// marks.js -- steps and annotations as rows below the axis of time.

import { count, elide } from "./words.js";

const ROW = 15;
const COLOURS = ["#0072b2", "#009e73", "#cc79a7", "#e69f00"];
/** Of annotations in one another, so many levels. */
const LEVELS = 2;

/** @typedef {[string, number, number]} Span name, first and last event */

/** Annotations by how many others they lie in. @param {Span[]} spans in the order of their begins */
function levels(spans) {
  /** @type {Span[][]} */
  const rows = Array.from({ length: LEVELS }, () => []);
  /** @type {number[]} */
  const open = [];
  for (const span of spans) {
    while (open.length && open[open.length - 1] < span[2]) open.pop();
    if (open.length < LEVELS) rows[open.length].push(span);
    open.push(span[2]);
  }
  return rows.filter((row) => row.length);
}

/** @param {Span[]} spans */
const length = (spans) => spans.reduce((sum, [, from, to]) => sum + to - from, 0);

export class Marks {
  /** @param {any} about description of the device */
  constructor(about) {
    /** @type {Span[]} */
    const known = about.spans.filter((/** @type {Span} */ [, , to]) => to > about.from);
    this.rows = levels(known);
    /** @type {Span[]} */
    const steps = about.steps.map((/** @type {number[]} */ [from, to], /** @type {number} */ i) => [`step ${i}`, from, to]);
    // Annotations that are the steps say it better.
    if (steps.length && (!this.rows.length || length(this.rows[0]) < 0.8 * length(steps))) this.rows.unshift(steps);
  }

  get height() {
    return this.rows.length * ROW;
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
    this.rows.forEach((row, k) => drawRow(g, row, y + k * ROW, left, right, xOf, ink));
    g.restore();
  }

  /** What lies under a point, in words; "" for nothing. @param {number} y below the first row's top
   * @param {number} event */
  words(y, event) {
    const row = this.rows[Math.floor(y / ROW)];
    const span = row && row.find(([, from, to]) => from <= event && event <= to);
    return span ? `${span[0]}\nevents ${count(Math.max(0, span[1]))} to ${count(span[2])}` : "";
  }
}

/** @param {CanvasRenderingContext2D} g @param {Span[]} row @param {number} y @param {number} left
 * @param {number} right @param {(event: number) => number} xOf @param {{text: string, muted: string, paper: string}} ink */
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
    g.fillRect(x, y, width, ROW - 2);
    g.globalAlpha = 1;
    const words = fitted(g, name.replace(/^[#\s]+|[#\s]+$/g, "") || name, end - x - 8);
    if (!words) continue;
    named++;
    g.fillStyle = ink.text;
    g.fillText(words, x + 4, y + ROW / 2);
  }
  if (named || !seen) return;
  const what = row.every(([name], i) => name === `step ${i}`) ? "steps" : "annotations";
  const words = `${count(seen)} ${what}: come closer to read them`;
  g.lineWidth = 3;
  g.strokeStyle = ink.paper;
  g.strokeText(words, left + 6, y + ROW / 2);
  g.fillStyle = ink.text;
  g.fillText(words, left + 6, y + ROW / 2);
}

/** A name, the number of a step, or the ends of a name; "" when that says nothing.
 * @param {CanvasRenderingContext2D} g @param {string} name @param {number} room pixels */
function fitted(g, name, room) {
  if (room < 6) return "";
  const step = /^step (\d+)$/.exec(name);
  for (const words of step ? [name, step[1]] : [name]) if (g.measureText(words).width <= room) return words;
  const most = Math.floor(room / 7);
  return step || most < 6 ? "" : elide(name, most);
}
