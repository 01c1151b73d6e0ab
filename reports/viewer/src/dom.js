// SPDX-License-Identifier: MIT
// dom.js -- elements from names and text; text never becomes markup.

/** @param {string} name @param {string} [className] @param {string} [text] */
export function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

/** @param {string} text @param {string} title @param {() => void} act */
export function button(text, title, act) {
  const b = /** @type {HTMLButtonElement} */ (element("button", "", text));
  b.type = "button";
  b.title = title;
  b.addEventListener("click", act);
  return b;
}

/** @param {string} label @param {[string, string][]} options value and words
 * @param {(value: string) => void} act */
export function choice(label, options, act) {
  const wrap = element("label", "", label);
  const select = /** @type {HTMLSelectElement} */ (element("select"));
  for (const [value, words] of options) {
    const option = /** @type {HTMLOptionElement} */ (element("option", "", words));
    option.value = value;
    select.append(option);
  }
  select.addEventListener("change", () => act(select.value));
  wrap.append(select);
  return { wrap, select };
}

/** @param {string} className @param {string} label */
export function canvas(className, label) {
  const c = /** @type {HTMLCanvasElement} */ (element("canvas", className));
  c.setAttribute("aria-label", label);
  return c;
}

/** A canvas as large as its place, ready to draw in CSS pixels.
 * @param {HTMLCanvasElement} c @param {number} width @param {number} height */
export function prepare(c, width, height) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (c.width !== w) c.width = w;
  if (c.height !== h) c.height = h;
  c.style.height = `${height}px`;
  const g = /** @type {CanvasRenderingContext2D} */ (c.getContext("2d"));
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  return g;
}

/** Give a file to the reader. @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const link = /** @type {HTMLAnchorElement} */ (element("a"));
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Colours of pictures. */
export function inks() {
  const dark = document.documentElement.dataset.dark === "yes";
  return dark
    ? { text: "#e6e9ee", muted: "#a0a8b4", grid: "#2e333c", paper: "#16181d", plot: "#1b1e24", alarm: "#ff8a3d", line: "#98a1ae", mark: "#8fd0f7" }
    : { text: "#1f2328", muted: "#59636e", grid: "#d8dee4", paper: "#ffffff", plot: "#fafbfc", alarm: "#d55e00", line: "#57606a", mark: "#0072b2" };
}
