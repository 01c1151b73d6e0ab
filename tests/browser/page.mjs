// SPDX-License-Identifier: MIT
// page.mjs -- a browser with a report in it, and TAP around what is checked there.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const source = process.env.TOP_SRCDIR || process.cwd();
const require = createRequire(join(source, "reports/viewer/package.json"));
export const program = process.env.VRAMSCOPE || join(process.cwd(), "vramscope");
export const testdata = process.env.TESTDATA || join(source, "testdata");
export const shared = process.env.VRAMSCOPE_SHARED || "";
export const folder = mkdtempSync(join(tmpdir(), "report."));

/** How long a state may take to come, in milliseconds: only a fault takes so long, on any machine. */
const PATIENCE = 60000;
/** So many times slower than it is, for races that a fast machine hides. */
const slowdown = Number(process.env.BROWSER_SLOWDOWN || 1);

let n = 0;
let failed = 0;

/** @param {unknown} good @param {string} words */
export function ok(good, words) {
  n++;
  if (!good) failed++;
  console.log(`${good ? "ok" : "not ok"} ${n} - ${words}`);
}

export function same(found, wanted, words) {
  ok(found === wanted, words);
  if (found !== wanted) console.log(`found  ${found}\nwanted ${wanted}`.replace(/^/gm, "# "));
}

/** What `get` gives becomes `wanted`, in time.
 * @param {() => unknown} get @param {unknown} wanted @param {string} words */
export async function becomes(get, wanted, words) {
  const end = Date.now() + PATIENCE;
  let found = await get();
  while (found !== wanted && Date.now() < end) {
    await sleep(20);
    found = await get();
  }
  same(found, wanted, words);
}

export function done() {
  rmSync(folder, { recursive: true, force: true });
  console.log(`1..${n}`);
  process.exitCode = failed ? 1 : 0;
}

export function json(...args) {
  return JSON.parse(execFileSync(program, [...args, "--json"], { maxBuffer: 1 << 28, encoding: "utf8" }));
}

/** A page of these files; the path. */
export function report(files, ...options) {
  const out = join(folder, `${basename(files[0])}-${files.length}${options.join("")}.html`);
  execFileSync(program, ["report", ...files, "-o", out, ...options]);
  return out;
}

export async function browser() {
  const { chromium } = require("playwright-core");
  return chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
}

/** Open a page; everything it complains about and asks for is kept. */
export async function open(b, path, { hash = "", ...options } = {}) {
  const context = await b.newContext({ viewport: { width: 1320, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  if (slowdown > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  page.faults = [];
  page.asked = [];
  page.on("console", (m) => {
    if (m.type() === "error" || m.type() === "warning") page.faults.push(m.text());
  });
  page.on("pageerror", (e) => page.faults.push(String(e)));
  page.on("request", (r) => {
    if (!r.url().startsWith("file://") && !r.url().startsWith("blob:")) page.asked.push(r.url());
  });
  await page.goto(`file://${path}${hash}`);
  if (options.javaScriptEnabled !== false) {
    await page.waitForSelector("html[data-ready=yes]");
    await drawn(page);
  }
  return page;
}

/** Wait until nothing is being drawn, and the panel shows what belongs to the moment.
 * @param {boolean} [linked] and the page's link is up to date */
export async function drawn(page, linked = false) {
  await page.waitForFunction((all) => {
    const v = window.vramscope && window.vramscope.view;
    return !v || (!v.drawing && !(all && v.linkTimer) && v.stage.shown.key === v.stage.key() &&
      Math.abs(v.stage.shown.start - v.stage.start) < 1e-6 && v.panels.element.dataset.shows === v.tab);
  }, linked);
}

/** Turn to a panel; it has what it shows. */
export async function turnTo(page, tab) {
  await page.click(`[data-tab=${tab}]`);
  await page.waitForFunction((name) => window.vramscope.view.tab === name, tab);
  await drawn(page);
}
