// SPDX-License-Identifier: MIT
// picture.js -- the picture on the screen as SVG: runs of one colour are rectangles.

import { LEFT, RIGHT } from "./stage.js";
import { bytes } from "./words.js";

const MOST_RECTS = 20000;
const TOP = 20;

/** @param {number} abgr */
function hex(abgr) {
  const part = (/** @type {number} */ shift) => ((abgr >>> shift) & 255).toString(16).padStart(2, "0");
  return `#${part(0)}${part(8)}${part(16)}`;
}

/** Columns `step` pixels wide, so that the picture stays small.
 * @param {import("./stage.js").Stage} stage @param {number} step */
function rects(stage, step) {
  const { pixels, height, width } = stage;
  const out = [];
  for (let c = 0; c < width; c += step) {
    for (let y = 0; y < height; ) {
      const colour = pixels[c * height + y];
      let end = y + 1;
      while (end < height && pixels[c * height + end] === colour) end++;
      if (colour) out.push(`<path fill="${hex(colour)}" d="M${LEFT + c} ${TOP + height - end}h${step}v${end - y}h-${step}z"/>`);
      y = end;
    }
    if (out.length > MOST_RECTS) return null;
  }
  return out;
}

/** Numbers and our own words only: nothing of a file is in it. @param {import("./stage.js").Stage} stage */
export function toSvg(stage) {
  let step = 1;
  let body = rects(stage, step);
  while (!body) body = rects(stage, (step *= 2));
  const width = LEFT + stage.width + RIGHT;
  const height = TOP + stage.height + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<title>Active memory, columns of ${step} pixels</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${body.join("\n")}
<rect x="${LEFT}" y="${TOP}" width="${stage.width}" height="${stage.height}" fill="none" stroke="#57606a"/>
<text x="${LEFT - 6}" y="${TOP + 10}" text-anchor="end">${bytes(stage.high)}</text>
<text x="${LEFT - 6}" y="${TOP + stage.height}" text-anchor="end">${bytes(stage.low)}</text>
</svg>
`;
}
