// SPDX-License-Identifier: MIT
// flame.js -- bytes by stack as an icicle: outermost frames on top, widths are bytes.

import { canvas, element, inks, prepare } from "./dom.js";
import { abgr, bytes, elide, frameWords, manyColour } from "./words.js";

const ROW = 18;
const MOST_DEPTH = 200;

/** @typedef {{name: string, value: number, children: Map<string, Node>, depth: number, user: boolean, colour?: string}} Node */

/** What stands for a frame in the graph; "" leaves it out.
 * @param {any} frame @param {string} by */
function nameOf(frame, by) {
  if (by === "python" && !isPython(frame)) return "";
  if (by === "file") return frame[0] && frame[0] !== "??" ? frame[0] : "(native)";
  if (by === "module") return moduleOf(frame[0]);
  return frame[0] === "??" ? frame[2] : frameWords(frame);
}

/** @param {any} frame */
function isPython(frame) {
  return /\.py$/.test(frame[0]) || frame[0].startsWith("<");
}

/** @param {any} file */
export function hasPython(file) {
  return file.frames.some(isPython);
}

/** The package of a file: the folder behind site-packages, else its last folder.
 * @param {string} file */
export function moduleOf(file) {
  if (!file || file === "??") return "(native)";
  const parts = file.replace(/\\/g, "/").split("/").filter(Boolean);
  const at = parts.findIndex((p) => p === "site-packages" || p === "dist-packages");
  if (at >= 0 && parts[at + 1]) return parts[at + 1].replace(/\.py$/, "");
  const library = parts.findIndex((p) => /^python3\.\d+$/.test(p));
  if (library >= 0 && parts[library + 1]) return parts[library + 1].replace(/\.py$/, "");
  return parts[parts.length - 1].replace(/\.py$/, "");
}

/** @param {any} file @param {Float64Array} weights of each row of stacks @param {string} by
 * @param {import("./slices.js").Turn} turn @returns {Promise<Node | null>} null: overtaken */
export async function buildFlame(file, weights, by, turn) {
  /** @type {Node} */
  const root = { name: "all", value: 0, children: new Map(), depth: 0, user: true };
  for (let stack = 0; stack < weights.length; stack++) {
    const weight = weights[stack];
    if (!weight) continue;
    if (turn.due && !(await turn.pass())) return null;
    /** @type {any[]} */
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
      if (!name || ((by === "file" || by === "module") && name === last)) continue;
      last = name;
      at = child(at, name, frames[i][3]);
      at.value += weight;
    }
  }
  return root;
}

/** @param {Node} at @param {string} name @param {boolean} user */
function child(at, name, user) {
  let next = at.children.get(name);
  if (!next) {
    next = { name, value: 0, children: new Map(), depth: at.depth + 1, user };
    at.children.set(name, next);
  }
  return next;
}

export class FlameView {
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
    /** @type {Node | null} */
    this.root = null;
    /** @type {Node[]} */
    this.path = [];
    /** @type {{node: Node, x: number, y: number, w: number}[]} */
    this.boxes = [];
    this.unit = bytes;
    this.search = "";
    this.selected = 0;
    this.canvas.addEventListener("click", (e) => this.click(e));
    this.canvas.addEventListener("pointermove", (e) => this.hover(e));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
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
    /** @type {{node: Node, x: number, y: number, w: number}[]} */
    const todo = [];
    this.path.forEach((node, i) => todo.push({ node, x: 0, y: i, w: width }));
    const open = [todo[todo.length - 1]];
    boxes.push(...todo.slice(0, -1));
    while (open.length) {
      const box = /** @type {{node: Node, x: number, y: number, w: number}} */ (open.pop());
      boxes.push(box);
      let x = box.x;
      const rows = [...box.node.children.values()].sort((a, b) => b.value - a.value);
      for (const node of rows) {
        const w = (box.w * node.value) / box.node.value;
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
      g.fillStyle = box.node.depth === 0 ? "#8c959f" : (box.node.colour ||= manyColour(hash(moduleKey(box.node.name))));
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
    return `${elide(node.name, 300)}\n${this.unit(node.value)}, ${((100 * node.value) / all).toFixed(1)} % of all`;
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
}

/** @param {string} name */
function shortName(name) {
  return name.replace(/^.*\/(?=[^/ ]+(:\d+)? )/, "");
}

/** @param {string} name */
function moduleKey(name) {
  return moduleOf(name.split(":")[0]);
}

/** @param {string} text */
function hash(text) {
  let h = 7;
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) >>> 0;
  return h;
}

/** Name and amount, or what of the name there is room for; "" when that is too little.
 * @param {CanvasRenderingContext2D} g @param {string} name @param {string} amount
 * @param {number} room pixels */
function fitted(g, name, amount, room) {
  const whole = `${name}  ${amount}`;
  if (g.measureText(whole).width <= room) return whole;
  const width = g.measureText(name).width;
  if (width <= room) return name;
  let most = Math.floor((name.length * room) / width);
  let words = elide(name, most);
  while (most > 3 && g.measureText(words).width > room) words = elide(name, --most);
  return most > 3 ? words : "";
}

/** @param {string} colour "#rrggbb" */
function luminous(colour) {
  const c = abgr(colour);
  const l = 0.299 * (c & 255) + 0.587 * ((c >>> 8) & 255) + 0.114 * ((c >>> 16) & 255);
  return l > 140;
}
