// SPDX-License-Identifier: MIT
// overlay.js -- what lies over the bitmap: axes, limits, failures, the peak, the moment, blocks that are marked.

import { inks, prepare } from "./dom.js";
import { AXIS, LEFT, RIGHT, TOP } from "./stage.js";
import { byteStep, bytes, count, decimalStep, duration } from "./words.js";

/** @typedef {import("./stage.js").Stage} Stage */

/** @param {Stage} s */
export function drawOver(s) {
  const width = s.width;
  const ink = inks();
  const g = prepare(s.over, LEFT + width + RIGHT, TOP + s.height + AXIS + s.spanHeight);
  drawAxes(s, g, ink);
  g.save();
  g.beginPath();
  g.rect(LEFT - 6, 0, width + 12, TOP + s.height);
  g.clip();
  drawLines(s, g, ink);
  for (const [row, colour, thick] of /** @type {[number, string, number][]} */ ([[s.hovered, ink.text, 1], [s.pinned, ink.alarm, 2]]))
    if (row >= 0) outline(s, g, row, colour, thick);
  const x = s.x(s.moment);
  g.fillStyle = ink.text;
  g.fillRect(Math.round(x), TOP, 1, s.height);
  g.restore();
  s.spans.draw(g, TOP + s.height + AXIS, LEFT, LEFT + width, (event) => s.x(event), ink);
}

/** @param {Stage} s @param {CanvasRenderingContext2D} g @param {any} ink */
function drawAxes(s, g, ink) {
  const width = s.width;
  g.strokeStyle = ink.line;
  g.lineWidth = 1;
  g.strokeRect(LEFT - 0.5, TOP - 0.5, width + 1, s.height + 1);
  g.fillStyle = ink.muted;
  g.textAlign = "right";
  g.textBaseline = "middle";
  const step = byteStep(s.high - s.low, 7);
  for (let b = Math.ceil(s.low / step) * step; b <= s.high; b += step) {
    const y = s.y(b);
    if (y < TOP + 4 && y > TOP - 4) continue;
    g.fillText(bytes(b), LEFT - 7, y);
    g.fillRect(LEFT - 4, Math.round(y), 4, 1);
  }
  const span = s.perColumn * width;
  const along = decimalStep(span, Math.max(2, width / 130));
  g.textBaseline = "top";
  for (let p = Math.ceil(s.start / along) * along; p <= s.start + span; p += along) {
    const x = LEFT + (p - s.start) / s.perColumn;
    const words = s.byTime ? timeWords(s, p, along) : count(p);
    const w = g.measureText(words).width;
    g.fillRect(Math.round(x), TOP + s.height, 1, 4);
    g.textAlign = "left";
    g.fillText(words, Math.max(LEFT, Math.min(LEFT + width - w, x - w / 2)), TOP + s.height + 6);
  }
}

/** @param {Stage} s @param {number} us @param {number} step */
function timeWords(s, us, step) {
  if (Math.abs(us) < step / 2) return "0 s";
  if (s.start + s.perColumn * s.width < 1e4) return `${(us / 1e3).toFixed(step < 1e2 ? 2 : step < 1e3 ? 1 : 0)} ms`;
  if (step < 1e6) return `${(us / 1e6).toFixed(step < 1e2 ? 5 : step < 1e3 ? 4 : step < 1e4 ? 3 : step < 1e5 ? 2 : 1)} s`;
  return duration(us);
}

/** @param {Stage} s @param {CanvasRenderingContext2D} g @param {any} ink */
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

/** Of failures close together one is told in words. @param {Stage} s @param {CanvasRenderingContext2D} g */
function drawOomWords(s, g) {
  let free = -Infinity;
  g.textBaseline = "alphabetic";
  for (const o of s.marks.ooms) {
    const x = s.x(o.event);
    const words = `out of memory${o.requested_bytes ? `: ${bytes(o.requested_bytes)} asked` : ""}`;
    const w = g.measureText(words).width;
    const left = x + 9 + w > LEFT + s.width ? x - 9 - w : x + 9;
    if (x < LEFT || x > LEFT + s.width + 1 || left < free) continue;
    free = left + w + 24;
    g.textAlign = "left";
    g.fillText(words, left, TOP - 5);
  }
}

/** A limit: a line where it is in sight, else words at the top.
 * @param {Stage} s @param {CanvasRenderingContext2D} g @param {any} ink @param {number} level
 * @param {string} words @param {string} colour @param {number} row */
function drawLevel(s, g, ink, level, words, colour, row) {
  if (level < s.low) return;
  const amount = `${words} ${bytes(level)}`;
  if (level > s.high) {
    label(s, g, LEFT + 6, TOP + 12 + 14 * row, `\u2191 ${amount}`, colour, ink);
    return;
  }
  const y = s.y(level);
  g.setLineDash([5, 4]);
  g.strokeStyle = colour;
  g.beginPath();
  g.moveTo(LEFT, y);
  g.lineTo(LEFT + s.width, y);
  g.stroke();
  g.setLineDash([]);
  label(s, g, LEFT + 6, y + 12, amount, colour, ink);
}

/** @param {Stage} s @param {CanvasRenderingContext2D} g @param {any} ink */
function drawReserved(s, g, ink) {
  const { events, bytes: reserved } = s.reserved;
  const right = LEFT + s.width;
  const from = s.byTime ? s.trace.eventAt(s.start) : s.start;
  let low = 0;
  let high = events.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (events[mid] <= from) low = mid;
    else high = mid - 1;
  }
  g.fillStyle = ink.line;
  let longest = { x: LEFT, length: 0, bytes: 0 };
  let began = LEFT;
  let level = reserved[low];
  // Thousands of changes are a few in each column: from the least to the most of it.
  for (let x = LEFT; x < right; x++) {
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

/** @param {Stage} s @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {string} words
 * @param {string} colour @param {any} ink */
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

/** The band of an allocation, where it is in sight: what is known of it now, and all of it soon.
 * @param {Stage} s @param {CanvasRenderingContext2D} g @param {number} row @param {string} colour @param {number} thick */
function outline(s, g, row, colour, thick) {
  const known = s.trails.get(row);
  if (!known || known.shown !== s.shown) void s.follow(row);
  if (!known || known.shown.perColumn !== s.perColumn || known.shown.key.split("|")[3] !== String(s.hide)) return;
  const left = LEFT + known.first - (s.start - known.shown.start) / s.perColumn;
  const size = s.trace.size(row);
  const n = known.offsets.length;
  g.fillStyle = colour;
  for (const more of [0, size]) stairs(g, left, n, (c) => s.y(known.offsets[c] + more), thick);
  for (const [x, c] of [[left, 0], [left + n, n - 1]]) upright(g, x, s.y(known.offsets[c] + size), s.y(known.offsets[c]), thick);
}

/** A line along columns, in rectangles: a stroke of so many corners takes ten times as long.
 * @param {CanvasRenderingContext2D} g @param {number} left @param {number} n columns
 * @param {(column: number) => number} y @param {number} thick */
function stairs(g, left, n, y, thick) {
  let began = 0;
  for (let c = 1; c <= n; c++) {
    if (c < n && y(c) === y(began)) continue;
    g.fillRect(left + began, y(began) - thick / 2, c - began, thick);
    if (c < n) upright(g, left + c, y(began), y(c), thick);
    began = c;
  }
}

/** @param {CanvasRenderingContext2D} g @param {number} x @param {number} from @param {number} to @param {number} thick */
function upright(g, x, from, to, thick) {
  g.fillRect(x - thick / 2, Math.min(from, to) - thick / 2, thick, Math.abs(to - from) + thick);
}
