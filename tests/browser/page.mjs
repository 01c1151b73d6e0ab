// SPDX-License-Identifier: MIT
// page.mjs -- a browser with a report in it, and TAP around what is checked there.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const source = process.env.TOP_SRCDIR || process.cwd();
const require = createRequire(join(source, "reports/viewer/package.json"));
export const program = process.env.VRAMSCOPE || join(process.cwd(), "vramscope");
export const testdata = process.env.TESTDATA || join(source, "testdata");
export const shared = process.env.VRAMSCOPE_SHARED || "";
export const folder = mkdtempSync(join(tmpdir(), "report."));

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
  if (found !== wanted) console.log(`# found  ${found}\n# wanted ${wanted}`);
}

export function done() {
  rmSync(folder, { recursive: true, force: true });
  console.log(`1..${n}`);
  process.exitCode = 0;
  return failed;
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
  const page = await context.newPage();
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
  if (options.javaScriptEnabled !== false)
    await page.waitForSelector("html[data-ready=yes]", { timeout: 60000 });
  return page;
}

/** Wait until nothing is being drawn. */
export async function settled(page) {
  await page.waitForFunction(() => {
    const v = window.vramscope.view;
    return !v.drawing && !v.linkTimer && v.stage.shown.key === v.stage.key() && Math.abs(v.stage.shown.start - v.stage.start) < 1e-6;
  });
}
