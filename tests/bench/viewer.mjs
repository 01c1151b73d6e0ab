// SPDX-License-Identifier: MIT
// viewer.mjs -- how fast the report's page is: first picture, redraws, panning, picking, the state.
//
//     node tests/bench/viewer.mjs PAGE.html [TIMES]: medians in milliseconds, one line of JSON

import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { statSync } from "node:fs";

const source = process.env.TOP_SRCDIR || process.cwd();
const require = createRequire(join(source, "reports/viewer/package.json"));
const { chromium } = require("playwright-core");
const [, , file, times = "5"] = process.argv;
const page = resolve(file);

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
const b = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

const all = {};
for (let i = 0; i < Number(times); i++) {
  const context = await b.newContext({ viewport: { width: 1400, height: 900 } });
  const p = await context.newPage();
  await p.addInitScript(() => {
    const seen = new MutationObserver(() => {
      if (document.querySelector("figure.timeline svg") && !window.summaryAt)
        requestAnimationFrame(() => (window.summaryAt ||= performance.now()));
      if (document.documentElement.dataset.ready === "yes") window.readyAt ||= performance.now();
    });
    seen.observe(document, { subtree: true, childList: true, attributes: true });
  });
  await p.goto(`file://${page}`);
  await p.waitForSelector("html[data-ready=yes]", { timeout: 120000 });
  const one = await p.evaluate(async () => {
    const v = window.vramscope.view;
    const s = v.stage;
    const out = { summary: window.summaryAt, first_picture: window.readyAt };
    const w = s.whole;
    await v.trace.loadAddresses();
    const at = async (part) => {
      s.perColumn = (w.span * part) / s.width;
      s.start = w.start + (w.span * (1 - part)) / 2;
      s.ready = false;
      s.wholeBitmap = null;
      const t = performance.now();
      await s.draw();
      return performance.now() - t;
    };
    out.redraw_whole = await at(1);
    out.redraw_10 = await at(0.1);
    out.redraw_100 = await at(0.01);
    out.redraw_1000 = await at(0.001);
    await at(0.1);
    const pans = [];
    for (let k = 0; k < 20; k++) {
      s.pan(Math.round(s.width / 20));
      const t = performance.now();
      await s.draw();
      pans.push(performance.now() - t);
    }
    out.pan = pans.sort((x, y) => x - y)[10];
    out.pan_worst = pans[19];
    const picks = [];
    for (let k = 0; k < 50; k++) {
      const t = performance.now();
      s.pick(84 + ((k * 97) % s.width), 20 + ((k * 53) % s.height));
      picks.push(performance.now() - t);
    }
    out.pick = picks.sort((x, y) => x - y)[25];
    out.pick_worst = picks[49];
    const states = [];
    v.tab = "state";
    for (let k = 0; k < 20; k++) {
      s.moment = v.trace.from + Math.floor((v.trace.nEvents * (k + 1)) / 21);
      const t = performance.now();
      v.panels.state.show(v.rowsNow(), s.moment, -1);
      states.push(performance.now() - t);
    }
    out.state = states.sort((x, y) => x - y)[10];
    out.state_worst = states[19];
    out.heap_mib = performance.memory ? performance.memory.usedJSHeapSize / 1048576 : 0;
    return out;
  });
  for (const [key, value] of Object.entries(one)) (all[key] ||= []).push(value);
  await context.close();
}
await b.close();
const result = { page, mib: +(statSync(page).size / 1048576).toFixed(2) };
for (const [key, list] of Object.entries(all)) result[key] = +median(list).toFixed(2);
console.log(JSON.stringify(result));
