// SPDX-License-Identifier: MIT
// main.js -- makes the pictures of the page move. Without it the page is complete and still.

import { readChunk } from "./chunks.js";
import { button, element } from "./dom.js";
import { parseLink } from "./permalink.js";
import { darker } from "./raster.js";
import { segmentsAt } from "./segments.js";
import { pace, Turn } from "./slices.js";
import { placesInOrder } from "./sort.js";
import { startTheme, toggleTheme } from "./theme.js";
import { Trace } from "./trace.js";
import { trailOf } from "./trail.js";
import { View } from "./view.js";

const KEYS = [
  ["w s", "zoom in, out"], ["a d", "move left, right (Shift: four times as far)"], ["wheel, pinch", "zoom (Alt: up and down, too); with Shift move"],
  ["drag", "move"], ["f", "show everything; Shift+f: the life of the selected block"], ["\u2190 \u2192", "one event back, on (Shift: 100)"],
  ["\u2191 \u2193", "the block above, below the selected one"], ["p", "go to the peak"], ["o", "go to the next out of memory"],
  ["click", "select the block under the pointer and its moment"], ["space", "play"], ["1 to 5", "state, flame graph, blocks, allocations, events"],
  ["/", "search: words of frames, /regular expression/, size>1MiB, event>100, time<2.5s, life>3ms, stream:0, pool:default, addr:0x7f00, category:activation"],
  ["c", "copy the stack"], ["t", "light or dark"], ["Esc", "forget the selection"], ["?", "this help"],
];

/** @type {Map<string, View>} */
const views = new Map();
/** @type {View | null} */
let current = null;

function helpDialog() {
  const dialog = /** @type {HTMLDialogElement} */ (element("dialog"));
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

/** For tests and benches. @param {View} view */
function expose(view) {
  /** @type {any} */ (window).vramscope = { view, views, darker, segmentsAt, pace, placesInOrder, trailOf, Turn };
}

/** @param {any} description */
function start(description) {
  const dialog = helpDialog();
  const acts = {
    help: () => dialog.showModal(),
    theme: () => {
      toggleTheme();
      if (current) current.refresh();
    },
  };
  const articles = [...document.querySelectorAll("article.file")];
  const places = description.files.flatMap((/** @type {any} */ f, /** @type {number} */ file) =>
    f.devices.map((/** @type {any} */ d, /** @type {number} */ device) => ({ file, device, f, d })));
  /** @param {any} place */
  const sectionOf = (place) => articles[place.file].querySelectorAll(":scope > section.device")[place.device];

  /** @param {any} place @param {import("./permalink.js").Link} link */
  const open = async (place, link) => {
    places.forEach((/** @type {any} */ p) => {
      /** @type {HTMLElement} */ (sectionOf(p)).hidden = p !== place;
      /** @type {HTMLElement} */ (articles[p.file]).hidden = p.file !== place.file;
    });
    for (const b of document.querySelectorAll(".switch button"))
      b.setAttribute("aria-pressed", /** @type {HTMLElement} */ (b).dataset.place === `${place.file}/${place.device}` ? "true" : "false");
    const id = `${place.file}/${place.device}`;
    const known = views.get(id);
    if (known) {
      current = known;
      expose(known);
      known.refresh();
      return;
    }
    if (!place.d.columns) {
      // Sums over time without allocations: the still picture is all there is.
      current = null;
      document.documentElement.dataset.ready = "yes";
      return;
    }
    const section = sectionOf(place);
    const host = /** @type {HTMLElement} */ (section.querySelector(".view"));
    host.append(element("div", "readout", "Reading events\u2026"));
    const trace = new Trace(place.d, place.f, id);
    await trace.load();
    const view = new View(trace, description, place, acts);
    host.replaceChildren(view.element);
    await view.start(link);
    views.set(id, view);
    current = view;
    expose(view);
    const still = /** @type {HTMLElement} */ (section.querySelector("figure.timeline"));
    still.hidden = true;
    document.documentElement.dataset.ready = "yes";
    performance.mark("first_picture");
  };

  const bar = /** @type {HTMLElement} */ (document.querySelector(".switch"));
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
  const highest = places.reduce((/** @type {any} */ best, /** @type {any} */ p) =>
    (p.d.peak_allocated_bytes || 0) > (best.d.peak_allocated_bytes || 0) ? p : best, places[0]);
  const wanted = places.find((/** @type {any} */ p) => p.file === link.f && p.device === link.d);
  if (places.length) void open(wanted || highest, link).catch(fail);
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

/** @param {KeyboardEvent} e @param {{help: () => void, theme: () => void}} acts */
function onKey(e, acts) {
  const target = /** @type {HTMLElement} */ (e.target);
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(target.tagName)) return;
  if (target.tagName === "BUTTON" && (e.key === " " || e.key === "Enter")) return;
  if (e.key === "?") acts.help();
  else if (e.key === "t") acts.theme();
  else if (!current || document.querySelector("dialog[open]") || !current.key(e)) return;
  e.preventDefault();
}

/** @param {unknown} problem */
function fail(problem) {
  const note = element("p", "warning", `The moving pictures cannot be shown: ${problem instanceof Error ? problem.message : problem}. The still ones are complete.`);
  const host = document.querySelector(".view");
  if (host) host.replaceChildren(note);
}

async function main() {
  // All that stands still lies before this script.
  requestAnimationFrame(() => performance.mark("still"));
  startTheme(() => current && current.refresh());
  if (typeof DecompressionStream === "undefined") {
    fail("this browser cannot read compressed data");
    return;
  }
  const text = new TextDecoder().decode(await readChunk("description"));
  // The columns lie behind this script: they are read as they come.
  start(JSON.parse(text));
}

main().catch(fail);
