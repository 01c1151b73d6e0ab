// SPDX-License-Identifier: MIT
// words.js -- numbers and names for people, and the colours of things.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** "3.71 GiB" @param {number} n */
export function bytes(n) {
  let unit = 0;
  let v = Math.abs(n);
  while (v >= 1024 && unit < UNITS.length - 1) {
    v /= 1024;
    unit++;
  }
  // 1023.999 MiB are 1.00 GiB.
  if (unit > 0 && unit < UNITS.length - 1 && v.toFixed(2) === "1024.00") {
    v = 1;
    unit++;
  }
  const [whole, hundredths] = (unit === 0 ? String(v) : v.toFixed(2)).split(".");
  return `${n < 0 ? "-" : ""}${count(Number(whole))}${hundredths ? `.${hundredths}` : ""} ${UNITS[unit]}`;
}

/** "1,200,000" @param {number} n */
export function count(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** Three digits, never rounded up into the next unit. @param {number} v */
function threeDigits(v) {
  const decimals = v >= 100 ? 0 : v >= 10 ? 1 : 2;
  return (Math.floor(v * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
}

/** "12.3 s" @param {number} us */
export function duration(us) {
  if (us < 1000) return `${Math.floor(us)} us`;
  if (us < 1e6) return `${threeDigits(us / 1e3)} ms`;
  if (us < 6e7) return `${threeDigits(us / 1e6)} s`;
  const s = Math.floor(us / 1e6);
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
}

/** @param {number} n */
export function address(n) {
  return `0x${n.toString(16)}`;
}

/** "graph 3" @param {number} a @param {number} b */
export function pool(a, b) {
  if (!a && !b) return "default";
  if (!b) return `graph ${a}`;
  if (!a) return `mempool ${b}`;
  return `${a}:${b}`;
}

/** The ends of a long name. @param {string} text @param {number} most */
export function elide(text, most) {
  if (text.length <= most) return text;
  const head = Math.floor((most - 1) / 4);
  return `${text.slice(0, head)}\u2026${text.slice(text.length - (most - 1 - head))}`;
}

/** "train.py:3 step" of a frame. @param {[string, number, string, boolean]} frame */
export function frameWords(frame) {
  const [file, line, name] = frame;
  const place = line > 0 ? `${file}:${line}` : file;
  return place ? `${place} ${name}` : name;
}

/** Steps of an axis of bytes: a power of two. @param {number} span @param {number} most */
export function byteStep(span, most) {
  let step = 1;
  while (span / step > most) step *= 2;
  return step;
}

/** 1, 2, 5, 10 ... @param {number} span @param {number} most */
export function decimalStep(span, most) {
  let step = 10 ** Math.floor(Math.log10(Math.max(span / most, 1e-9)));
  for (const factor of [2, 2.5, 2]) {
    if (span / step <= most) break;
    step *= factor;
  }
  return step;
}

/** Okabe and Ito, in the order of the categories. */
export const CATEGORY_COLOURS = [
  "#0072b2", "#e69f00", "#f0e442", "#cc79a7", "#009e73", "#d55e00", "#56b4e9", "#666666",
];

const MANY = [
  "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8a6d3b",
  "#7b68ae", "#2f8f8f", "#b35970", "#6b8e23",
];

/** @param {number} i */
export function manyColour(i) {
  return MANY[i % MANY.length];
}

/** @param {string} hex "#rrggbb" @param {number} [shade] 1: as it is */
export function abgr(hex, shade = 1) {
  const part = (/** @type {number} */ at) =>
    Math.max(0, Math.min(255, Math.round(parseInt(hex.slice(at, at + 2), 16) * shade)));
  return ((255 << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
}

/** Blue to yellow by a number from 0 to 1. @param {number} part */
export function ramp(part) {
  const stops = [[0x1b, 0x4f, 0x8c], [0x2a, 0x9d, 0x8f], [0xe9, 0xc4, 0x6a], [0xe7, 0x6f, 0x51]];
  const x = Math.max(0, Math.min(0.9999, part)) * 3;
  const i = Math.floor(x);
  const mix = stops[i].map((v, k) => Math.round(v + (stops[i + 1][k] - v) * (x - i)));
  return `#${mix.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}
