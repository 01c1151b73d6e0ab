// SPDX-License-Identifier: MIT
// viewer.mjs -- how fast the report's page is: first picture, redraws, panning, picking, the state,
// and how long input waits for it.
//
//     node tests/bench/viewer.mjs PAGE.html [TIMES]: medians in milliseconds, one line of JSON
//
// "cpu" beside a figure is what the page's thread itself worked for it: other programs on the
// machine do not count. The page opens as it does for a reader: a driver that listens while it loads
// has the browser decode and keep all of it once more.
//
//     still          the first frame after all that stands still was read: the summary, and the
//                    categories over time as the SVG that lies in the page
//     first_picture  active memory is drawn, and the categories over time on their canvas

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";

const source = process.env.TOP_SRCDIR || process.cwd();
const require = createRequire(join(source, "reports/viewer/package.json"));
const { chromium } = require("playwright-core");
const [, , file, times = "5"] = process.argv;
const page = resolve(file);

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** What `act` gives as soon as it gives something. */
async function awaited(act) {
  for (const end = Date.now() + 300000; Date.now() < end; await sleep(50)) {
    try {
      const found = await act();
      if (found) return found;
    } catch {
      // Not yet.
    }
  }
  throw new Error(`${page} does not open`);
}

/** Browsers that end with this program, whatever ends it. */
const running = new Set();
process.on("exit", () => running.forEach((pid) => process.kill(-pid)));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/** A browser of its own with the page in it, loaded. */
async function opened() {
  const home = mkdtempSync(join(tmpdir(), "viewer."));
  const child = spawn(process.env.CHROMIUM || "/usr/bin/chromium", [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1400,1040", `--user-data-dir=${home}`,
    "--remote-debugging-port=0", "about:blank",
  ], { detached: true, stdio: "ignore" });
  running.add(child.pid);
  const port = await awaited(() => Number(readFileSync(join(home, "DevToolsActivePort"), "utf8").split("\n")[0]));
  const ask = async (path, method = "GET") => (await fetch(`http://127.0.0.1:${port}/json/${path}`, { method })).json();
  // Its own start is over.
  await sleep(1500);
  await ask(`new?file://${page}`, "PUT");
  // A page that is drawn writes its place into its address.
  await awaited(async () => (await ask("list")).some((tab) => tab.url.startsWith(`file://${page}#`)));
  const pid = renderer(child.pid);
  const cpu = worked(pid);
  const b = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  const p = b.contexts()[0].pages().find((tab) => tab.url().startsWith(`file://${page}`));
  const close = async () => {
    await b.close();
    const ended = new Promise((done) => child.once("exit", done));
    process.kill(-child.pid);
    running.delete(child.pid);
    await ended;
    await sleep(200);
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return { b, p, pid, cpu, close };
}

/** The process that holds the page: of the browser's renderers the one that worked most.
 * @param {number} group of processes */
function renderer(group) {
  let best = { pid: 0, ms: -1 };
  for (const name of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
    try {
      const [, , of] = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      if (Number(of) !== group || !readFileSync(`/proc/${name}/cmdline`, "utf8").includes("--type=renderer")) continue;
      const ms = worked(Number(name));
      if (ms > best.ms) best = { pid: Number(name), ms };
    } catch {
      // It has ended.
    }
  }
  return best.pid;
}

/** Milliseconds that the main thread of a process worked. */
function worked(pid) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/** Time and work of something in the page, each of `n` calls of it. */
async function measured(p, pid, out, name, n, act, argument) {
  const cpu = worked(pid);
  const took = await p.evaluate(act, argument);
  out[name] = took;
  out[`${name}_cpu`] = (worked(pid) - cpu) / n;
}

/** Complete redraw of a part of the trace. */
async function redraw(part) {
  const s = window.vramscope.view.stage;
  const w = s.whole;
  s.perColumn = (w.span * part) / s.width;
  s.start = w.start + (w.span * (1 - part)) / 2;
  s.ready = false;
  s.wholeBitmap = null;
  const t = performance.now();
  await s.draw();
  return performance.now() - t;
}

async function pan(n) {
  const s = window.vramscope.view.stage;
  const all = [];
  for (let k = 0; k < n; k++) {
    s.pan(Math.round(s.width / 20));
    const t = performance.now();
    await s.draw();
    all.push(performance.now() - t);
  }
  return all.sort((x, y) => x - y)[n >> 1];
}

function pick(n) {
  const s = window.vramscope.view.stage;
  const all = [];
  for (let k = 0; k < n; k++) {
    const t = performance.now();
    s.pick(84 + ((k * 97) % s.width), 20 + ((k * 53) % s.height));
    all.push(performance.now() - t);
  }
  return all.sort((x, y) => x - y)[n >> 1];
}

async function state(n) {
  const v = window.vramscope.view;
  const all = [];
  v.tab = "state";
  for (let k = 0; k < n; k++) {
    v.stage.moment = v.trace.from + Math.floor((v.trace.nEvents * (k + 1)) / (n + 1));
    const t = performance.now();
    await v.panels.update();
    all.push(performance.now() - t);
  }
  v.stage.fit();
  await v.redraw();
  return all.sort((x, y) => x - y)[n >> 1];
}

/** A reader who does everything at once. */
async function act(p) {
  const place = await p.locator("canvas.over").boundingBox();
  const at = (x, y) => [place.x + 84 + x * (place.width - 98), place.y + 20 + y * 300];
  for (const tab of ["state", "flame", "blocks", "allocations", "events"]) {
    await p.click(`[data-tab=${tab}]`);
    await p.locator("canvas.over").focus();
    for (let k = 0; k < 6; k++) {
      await p.mouse.move(...at(0.2 + 0.1 * k, 0.3 + 0.1 * k));
      await p.mouse.wheel(0, k % 3 === 2 ? 300 : -200);
      if (k % 2) await p.mouse.click(...at(0.3 + 0.08 * k, 0.7));
      await p.keyboard.press(["d", "ArrowRight", "a", "p", "ArrowUp", "f"][k]);
    }
    await p.mouse.move(...at(0.5, 0.5));
    await p.mouse.down();
    for (let k = 0; k < 20; k++) await p.mouse.move(...at(0.5 - 0.01 * k, 0.5));
    await p.mouse.up();
  }
  await p.fill("input[type=search]", "size>64KiB part_1");
  await p.keyboard.press("Enter");
  for (const by of ["site", "age", "category"]) await p.locator(".bar select").nth(1).selectOption(by);
  await p.waitForFunction(() => !window.vramscope.view.drawing);
  await p.waitForTimeout(300);
}

/** How long input waits until the page takes it, and the longest task of the page's thread. */
async function waits(b, p, out) {
  await p.evaluate(() => {
    window.waited = [];
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) window.waited.push(e.processingStart - e.startTime);
    }).observe({ type: "event", durationThreshold: 16 });
  });
  await b.startTracing(p, { categories: ["toplevel", "devtools.timeline", "__metadata"] });
  await act(p);
  const { traceEvents } = JSON.parse((await b.stopTracing()).toString());
  const main = new Set(traceEvents.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain").map((e) => `${e.pid}/${e.tid}`));
  const tasks = traceEvents.filter((e) => e.name === "ThreadControllerImpl::RunTask" && main.has(`${e.pid}/${e.tid}`));
  out.longest_task = Math.max(...tasks.map((e) => e.dur)) / 1e3;
  out.longest_task_cpu = Math.max(...tasks.map((e) => e.tdur || 0)) / 1e3;
  out.input_waited = await p.evaluate(() => Math.max(0, ...window.waited));
  if (!process.env.VERBOSE) return;
  for (const task of tasks.sort((x, y) => y.tdur - x.tdur).slice(0, 8)) {
    const inside = traceEvents.filter((e) => e.tid === task.tid && e.pid === task.pid && e.ph === "X" && e !== task &&
      e.ts >= task.ts && e.ts + e.dur <= task.ts + task.dur && e.tdur > 3000);
    console.error((task.tdur / 1e3).toFixed(1), inside.map((e) => `${e.name} ${(e.tdur / 1e3).toFixed(1)} ${e.args?.data?.type || e.args?.data?.functionName || ""}`).join("; "));
  }
}

const all = {};
for (let i = 0; i < Number(times); i++) {
  const { b, p, pid, cpu, close } = await opened();
  const one = { first_picture_cpu: cpu };
  Object.assign(one, await p.evaluate(() => Object.fromEntries(performance.getEntriesByType("mark").map((m) => [m.name, m.startTime]))));
  await p.evaluate(() => window.vramscope.view.trace.loadAddresses());
  for (const [name, part] of [["redraw_whole", 1], ["redraw_10", 0.1], ["redraw_100", 0.01], ["redraw_1000", 0.001]])
    await measured(p, pid, one, name, 1, redraw, part);
  await p.evaluate(redraw, 0.1);
  await measured(p, pid, one, "pan", 20, pan, 20);
  await measured(p, pid, one, "pick", 50, pick, 50);
  await measured(p, pid, one, "state", 20, state, 20);
  one.heap_mib = await p.evaluate(() => performance.memory.usedJSHeapSize / 1048576);
  await waits(b, p, one);
  for (const [key, value] of Object.entries(one)) (all[key] ||= []).push(value);
  await close();
}
const result = { page, mib: +(statSync(page).size / 1048576).toFixed(2) };
for (const [key, list] of Object.entries(all)) result[key] = +median(list).toFixed(1);
console.log(JSON.stringify(result));
