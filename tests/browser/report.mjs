// SPDX-License-Identifier: MIT
// report.mjs -- the report in a real browser: views, keys, links, figures, hostile names, no network.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { becomes, browser, done, drawn, folder, json, ok, open, report, same, shared, testdata, turnTo } from "./page.mjs";

const small = join(testdata, "oom_split_pinned.pickle.zst");
const TABS = ["state", "flame", "blocks", "allocations", "events"];
const UNITS = { B: 1, KiB: 1024, MiB: 1 << 20, GiB: 1 << 30 };
const b = await browser();

/** Bytes of words as the page writes them, to the last digit told. @param {string} words */
function bytesOf(words) {
  const [amount, unit] = words.split(" ");
  return parseFloat(amount) * UNITS[unit];
}

/** Figures of the script against those of other commands. */
async function figures(page, file, name) {
  const info = json("info", file);
  const device = info.devices[0];
  const found = await page.evaluate(() => {
    const { trace, stage } = window.vramscope.view;
    return { events: trace.nEvents, peak: trace.peakTotal, peakEvent: trace.peakEvent, rows: stage.moments.rowsAt(trace.to).length };
  });
  same(found.events, device.events, `${name}: events`);
  const timeline = json("timeline", file);
  same(found.peak, timeline.peaks.active_bytes, `${name}: the peak`);
  const bands = await page.evaluate(([event, names]) => {
    const { view } = window.vramscope;
    const { trace, stage } = view;
    const out = names.map(() => 0);
    for (const r of stage.moments.rowsAt(event))
      if (trace.freeRequested[r] > event) out[names.indexOf(view.categories[trace.attrs[trace.attrRow[r]][3]])] += trace.size(r);
    return { out: out.join(), reserved: stage.reserved.bytes.reduce((a, x) => Math.max(a, x), 0) };
  }, [timeline.peak.event, timeline.layers.map((l) => l.name)]);
  same(bands.out, timeline.layers.map((l) => l.peak_bytes).join(), `${name}: bytes of each category at the peak`);
  same(bands.reserved, timeline.peaks.reserved_bytes, `${name}: the most that was reserved`);
  const active = json("state", file, "--at", "end");
  const blocks = active.segments.flatMap((s) => s.blocks).filter((x) => x.state !== "inactive");
  same(found.rows, blocks.length, `${name}: blocks alive at the end`);
  for (const at of ["start", "peak", String(Math.floor(found.events / 3)), String(Math.floor(found.events / 2))]) {
    const state = json("state", file, "--at", at);
    const wanted = state.segments.flatMap((s) => s.blocks).filter((x) => x.state !== "inactive")
      .map((x) => `${x.address}:${x.size}`).sort().join(" ");
    const got = await page.evaluate(async (event) => {
      const { trace, stage } = window.vramscope.view;
      await trace.loadAddresses();
      return [...stage.moments.rowsAt(event)].map((r) => `${trace.addressOf[r]}:${trace.size(r)}`).sort().join(" ");
    }, state.event);
    same(got, wanted, `${name}: every block at ${at}`);
    const segments = await page.evaluate((event) => window.vramscope.segmentsAt(window.vramscope.view.trace, event)
      .map((s) => `${s.address}:${s.size}`).join(" "), state.event);
    same(segments, state.segments.map((s) => `${s.address}:${s.total_size}`).sort((x, y) => x.split(":")[0] - y.split(":")[0]).join(" "), `${name}: every segment at ${at}`);
  }
}

/** The rasteriser against the slowest one that can be right, at several zooms. */
async function raster(page, name) {
  for (const [from, to, low, high] of [[0, 1, 0, 1], [0.3, 0.5, 0, 1], [0.7, 0.72, 0.2, 0.6], [0.5, 0.501, 0, 0.3], [0, 1, 0.5, 0.51]]) {
    const wrong = await page.evaluate(async ([f, t, l, h]) => {
      const { view } = window.vramscope;
      const s = view.stage;
      const { trace } = s;
      const w = s.whole;
      s.start = w.start + f * w.span;
      s.perColumn = ((t - f) * w.span) / s.width;
      s.low = l * s.ceiling;
      s.high = h * s.ceiling;
      await view.redraw();
      while (view.drawing) await new Promise((r) => setTimeout(r, 5));
      let bad = 0;
      for (let c = 0; c < s.width; c += 7) {
        // The event with the most bytes of the stretch, by adding up everything from the start.
        const from2 = s.edges[c];
        const to2 = s.edges[c + 1];
        const alive = (e) => { const r = []; for (let i = 0; i < trace.nRows; i++) if (trace.born[i] <= e && trace.freeCompleted[i] > e) r.push(i); return r; };
        const sum = (rows) => rows.reduce((n, r) => n + trace.size(r), 0);
        const stand = s.stand[c];
        const event = stand ? trace.changeEvent(trace.changes[stand - 1]) : trace.from;
        const rows = alive(event);
        if (c % 70 === 0 && to2 > from2 && to2 - from2 < 400) {
          let most = -1;
          for (let e = from2 + 1; e <= to2; e++) most = Math.max(most, sum(alive(e)));
          if (sum(rows) < most) bad += 1000;
        }
        let offset = trace.loose;
        const bands = rows.map((r) => { const a = offset; offset += trace.size(r); return [a, offset, r]; });
        for (let y = 0; y < s.height; y++) {
          const at = s.low + (y + 0.5) * ((s.high - s.low) / s.height);
          const band = bands.find(([a, z]) => at >= a && at < z);
          const pixel = s.pixels[c * s.height + y];
          if (!band) {
            if (pixel !== 0 && at >= trace.loose) bad++;
            continue;
          }
          const colour = view.colours.of(band[2], event);
          const shade = window.vramscope.darker(colour);
          if (pixel !== colour && pixel !== shade) bad++;
        }
      }
      return bad;
    }, [from, to, low, high]);
    same(wrong, 0, `${name}: pixels of ${from}..${to}, ${low}..${high}`);
  }
  // Panning leaves what a complete drawing gives.
  const differ = await page.evaluate(async () => {
    const { view } = window.vramscope;
    const s = view.stage;
    const wait = async () => { while (view.drawing) await new Promise((r) => setTimeout(r, 5)); };
    const w = s.whole;
    s.start = w.start + Math.round(0.4 * w.span);
    s.perColumn = (0.1 * w.span) / s.width;
    s.low = 0;
    s.high = s.ceiling;
    await view.redraw();
    let bad = 0;
    for (const by of [37, -90, 211]) {
      s.pan(by);
      await view.redraw();
      await wait();
      const panned = s.pixels.slice();
      const bitmap = () => {
        const g = new OffscreenCanvas(s.width, s.height).getContext("2d", { willReadFrequently: true });
        g.drawImage(s.bitmap, 0, 0);
        return new Uint32Array(g.getImageData(0, 0, s.width, s.height).data.buffer);
      };
      const moved = bitmap();
      s.ready = false;
      s.wholeBitmap = null;
      await view.redraw();
      await wait();
      s.pixels.forEach((p, i) => { if (p !== panned[i]) bad++; });
      bitmap().forEach((p, i) => { if (p !== moved[i]) bad++; });
    }
    return bad;
  });
  same(differ, 0, `${name}: a panned picture is the whole one's`);
}

/** What the pointer finds is what the state has there. */
async function picks(page, name) {
  const wrong = await page.evaluate(() => {
    const s = window.vramscope.view.stage;
    const { trace } = s;
    let bad = 0;
    for (let i = 0; i < 300; i++) {
      const x = 84 + ((i * 7919) % s.width);
      const y = 20 + ((i * 104729) % s.height);
      const row = s.pick(x, y);
      const stand = s.stand[x - 84];
      const event = stand ? trace.changeEvent(trace.changes[stand - 1]) : trace.from;
      const at = s.low + (s.height - 1 - (y - 20) + 0.5) * ((s.high - s.low) / s.height);
      let offset = trace.loose;
      let wanted = -1;
      for (let r = 0; r < trace.nRows; r++) {
        if (!(trace.born[r] <= event && trace.freeCompleted[r] > event)) continue;
        if (at >= offset && at < offset + trace.size(r)) wanted = r;
        offset += trace.size(r);
      }
      if (row !== wanted) bad++;
    }
    return bad;
  });
  same(wrong, 0, `${name}: 300 picks`);
}

/** Long work goes in pieces, and a newer wish ends an older one. Pieces are as short as can be here. */
async function slices(page, name) {
  const found = await page.evaluate(async () => {
    const { view, pace, placesInOrder, trailOf, Turn } = window.vramscope;
    const s = view.stage;
    const t = view.trace;
    const old = pace.ms;
    while (view.drawing) await new Promise((r) => setTimeout(r, 5));
    s.fit();
    await view.redraw();
    const wanted = s.pixels.slice();
    pace.ms = -1;
    s.ready = false;
    s.wholeBitmap = null;
    // Messages of another have their turn in the order in which they came: no clock is asked.
    let ticks = 0;
    const other = new MessageChannel();
    other.port1.onmessage = () => {
      ticks++;
      other.port2.postMessage(0);
    };
    other.port2.postMessage(0);
    const draws = await Promise.all([s.draw(), s.draw()]);
    other.port1.close();
    const out = { draws: draws.join(), ticks, pixels: s.pixels.every((p, i) => p === wanted[i]) };

    view.setTab("allocations");
    const table = view.panels.allocations;
    view.text = "size>1";
    const first = view.panels.update();
    const events = view.window;
    view.window = () => ({ from: t.to, to: t.to });
    await Promise.all([first, view.panels.update()]);
    view.window = events;
    let end = 0;
    for (let r = 0; r < t.nRows; r++) if (t.born[r] <= t.to && t.freeCompleted[r] > t.to) end++;
    out.table = table.rows.length === end;
    view.text = "";

    const keys = Float64Array.from({ length: 20000 }, (_, i) => (i * 7919) % 101);
    const places = await placesInOrder(keys, new Turn());
    out.sorted = [...places.keys()].every((i) => !i || keys[places[i - 1]] < keys[places[i]] ||
      (keys[places[i - 1]] === keys[places[i]] && places[i - 1] < places[i]));
    out.given_up = await placesInOrder(keys, new Turn(() => false));

    let bad = 0;
    for (let k = 0; k < 40; k++) {
      const row = (k * 7919) % t.nRows;
      const trail = await trailOf(s, row, new Turn());
      for (let c = 0; c < s.stand.length; c++) {
        const event = s.stand[c] ? t.changeEvent(t.changes[s.stand[c] - 1]) : t.from;
        const inside = !!trail && c >= trail.first && c < trail.first + trail.offsets.length;
        if (inside !== t.alive(row, event)) bad++;
        if (!inside || c % 37) continue;
        let below = t.loose;
        for (const r of s.moments.rowsAt(event)) if (r < row) below += t.size(r);
        if (below !== trail.offsets[c - trail.first]) bad++;
      }
    }
    out.trails = bad;
    pace.ms = old;
    view.setTab("state");
    return out;
  });
  await drawn(page);
  same(found.draws, "false,true", `${name}: a newer drawing ends an older one`);
  ok(found.ticks > 0, `${name}: the browser has its turn between pieces`);
  ok(found.pixels, `${name}: drawn in pieces it is the same`);
  ok(found.table, `${name}: a table shows what was asked for last`);
  ok(found.sorted, `${name}: sorted in pieces, equal ones stay`);
  same(found.given_up, null, `${name}: sorting ends when nobody waits`);
  same(found.trails, 0, `${name}: the outline of a block follows it`);
}

async function keys(page, name) {
  const look = () => page.evaluate(() => {
    const { stage, tab } = window.vramscope.view;
    return { start: stage.start, per: stage.perColumn, moment: stage.moment, pinned: stage.pinned, tab, hash: location.hash };
  });
  const press = async (key) => {
    await page.keyboard.press(key);
    await drawn(page);
    return look();
  };
  await page.locator("canvas.over").focus();
  let before = await press("f");
  let now = await press("w");
  ok(now.per < before.per, `${name}: w comes closer`);
  before = now;
  now = await press("d");
  ok(now.start > before.start, `${name}: d moves on`);
  now = await press("a");
  ok(Math.abs(now.start - before.start) < 1e-3 * Math.abs(before.per) + 1e-6, `${name}: a moves back`);
  now = await press("f");
  ok(now.per > before.per, `${name}: f shows all`);
  before = await press("p");
  now = await press("ArrowLeft");
  same(now.moment, before.moment - 1, `${name}: an event back`);
  now = await press("ArrowRight");
  same(now.moment, before.moment, `${name}: and on`);
  now = await press("ArrowUp");
  ok(now.pinned >= 0, `${name}: arrow up selects a block`);
  ok(await page.locator(".pinned pre").isVisible(), `${name}: its stack is shown`);
  now = await press("2");
  same(now.tab, "flame", `${name}: 2 is the flame graph`);
  const said = await page.locator(".readout[role=status]").textContent();
  ok(said.length > 10, `${name}: the live region speaks`);
  const dialogs = () => page.locator("dialog[open]").count();
  await page.keyboard.press("?");
  await becomes(dialogs, 1, `${name}: ? helps`);
  await page.keyboard.press("Escape");
  await becomes(dialogs, 0, `${name}: Esc ends the help`);
  await drawn(page, true);
  before = await look();
  const again = await open(b, page.url().replace(/^file:\/\//, "").replace(/#.*/, ""), { hash: before.hash });
  const there = await again.evaluate(() => {
    const { stage, tab } = window.vramscope.view;
    return { moment: stage.moment, pinned: stage.pinned, tab };
  });
  same(JSON.stringify(there), JSON.stringify({ moment: before.moment, pinned: before.pinned, tab: before.tab }), `${name}: a link opens the same place`);
  await again.context().close();
  now = await press("Escape");
  same(now.pinned, -1, `${name}: Esc forgets the selection`);
}

async function panels(page, name) {
  for (const tab of TABS) {
    await turnTo(page, tab);
    const text = await page.locator(".viewer").innerText();
    ok(text.length > 100, `${name}: ${tab}`);
  }
  const cells = await page.evaluate(() => [...document.querySelectorAll(".rows table")].flatMap((table) => {
    const titles = [...table.querySelectorAll("thead th")].map((th) => th.textContent.trim());
    return [...table.querySelectorAll("tbody tr[data-at]")].flatMap((tr) =>
      [...tr.cells].filter((_, i) => ["Born", "Freed", "Event"].includes(titles[i])).map((td) => td.textContent));
  }));
  ok(cells.length > 10 && cells.every((words) => /^(\d{1,3}(,\d{3})*|before|never)$/.test(words)), `${name}: events' numbers have their thousands grouped`);
  await page.locator("canvas.over").focus();
  await page.keyboard.press("f");
  await drawn(page);
  await turnTo(page, "allocations");
  const rowCount = async () => Number(await page.locator(".rows[aria-label^=Allocations]").getAttribute("aria-rowcount"));
  const all = await rowCount();
  await search(page, "size>1MiB");
  const some = await rowCount();
  const wanted = await page.evaluate(() => {
    const t = window.vramscope.view.trace;
    let n = 0;
    for (let r = 0; r < t.nRows; r++) if (t.size(r) > 1048576) n++;
    return n;
  });
  ok(some === wanted && some <= all, `${name}: the search leaves ${some} of ${all} allocations`);
  await page.locator(".rows[aria-label^=Allocations] th").first().click();
  await page.waitForSelector(".rows[aria-label^=Allocations] th[aria-sort=descending]");
  const largest = await page.evaluate(() => {
    const t = window.vramscope.view.trace;
    let n = 0;
    for (let r = 0; r < t.nRows; r++) n = Math.max(n, t.size(r));
    return n;
  });
  const first = page.locator(".rows[aria-label^=Allocations] tbody tr[data-at] td").first();
  await becomes(async () => Math.abs(bytesOf(await first.textContent()) - largest) < largest * 0.01, true, `${name}: sorted by size`);
  await page.locator(".rows[aria-label^=Allocations] tbody tr[data-at]").first().click();
  await becomes(() => page.evaluate(() => window.vramscope.view.stage.pinned >= 0), true, `${name}: a row leads to its block`);
  await search(page, "");
  await page.keyboard.press("Escape");
  await turnTo(page, "flame");
  const sum = await page.evaluate(() => {
    const v = window.vramscope.view;
    return [v.panels.flame.root.value, [...v.rowsNow()].reduce((n, r) => n + v.trace.size(r), 0)];
  });
  same(sum[0], sum[1], `${name}: the flame graph has all bytes of the moment`);
}

/** Search by keyboard, and what that shows. */
async function search(page, words) {
  const field = page.locator("input[type=search]");
  await page.keyboard.press("/");
  await field.fill(words);
  await field.press("Enter");
  await page.waitForFunction((text) => window.vramscope.view.text === text, words);
  await drawn(page);
}

/** What fingers, the clipboard and the second picture do. */
async function hands(page, name) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("canvas.over").focus();
  for (const key of ["f", "p", "ArrowUp"]) {
    await page.keyboard.press(key);
    await drawn(page);
  }
  await becomes(() => page.evaluate(() => window.vramscope.view.stage.trails.has(window.vramscope.view.stage.pinned)), true,
    `${name}: the selected block has an outline`);
  const frames = await page.evaluate(() => {
    const { trace, stage } = window.vramscope.view;
    return trace.frames(trace.stackRow[stage.pinned]).length;
  });
  const told = page.locator(".readout[role=status]");
  await page.keyboard.press("c");
  await becomes(() => told.textContent(), "The stack is copied.", `${name}: c says that it copies`);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  ok(frames > 0 && copied.split("\n").length >= frames + 2, `${name}: c copies the stack`);
  await page.keyboard.press("Escape");

  const look = () => page.evaluate(() => {
    const s = window.vramscope.view.stage;
    return { start: s.start, per: s.perColumn, pinned: s.pinned };
  });
  const box = await page.locator("canvas.over").boundingBox();
  const cdp = await page.context().newCDPSession(page);
  const touch = (type, ...xs) => cdp.send("Input.dispatchTouchEvent", {
    type, touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 100 + 10 * id, id })),
  });
  const before = await look();
  const middle = before.start + (600 - 84) * before.per;
  await touch("touchStart", 500, 700);
  for (let k = 1; k <= 10; k++) await touch("touchMove", 500 - 10 * k, 700 + 10 * k);
  await touch("touchEnd");
  await drawn(page);
  const after = await look();
  ok(after.per < before.per * 0.6, `${name}: two fingers apart come closer`);
  ok(Math.abs(after.start + (600 - 84) * after.per - middle) < 40 * after.per, `${name}: what lay between them stays there`);
  same(after.pinned, -1, `${name}: and nothing is selected by it`);
  await page.keyboard.press("f");
  await drawn(page);

  const area = page.locator("canvas[role=img]");
  const tip = page.locator(".stage:has(> canvas[role=img]) > .tip");
  await area.hover({ position: { x: 500, y: 60 } });
  await tip.waitFor();
  const wanted = await page.evaluate(() => {
    const { trace, stage } = window.vramscope.view;
    const stand = stage.stand[500 - 84];
    const event = stand ? trace.changeEvent(trace.changes[stand - 1]) : trace.from;
    return [...stage.moments.rowsAt(event)].reduce((n, r) => n + trace.size(r), 0);
  });
  ok(Math.abs(bytesOf(await tip.textContent()) - wanted) <= wanted * 0.01, `${name}: the second picture tells its bytes`);

  for (const query of ["life>2ms", "time<0.01s", "life<=6", "size>1,048,576"]) {
    await search(page, query);
    const found = await page.evaluate((words) => {
      const v = window.vramscope.view;
      let n = 0;
      for (let r = 0; r < v.trace.nRows; r++) if (v.query.tests.every((test) => test(r))) n++;
      return `${v.text === words} ${v.query.tests.length} ${n}`;
    }, query);
    const all = await page.evaluate((test) => {
      const t = window.vramscope.view.trace;
      const kept = {
        "life>2ms": (r) => t.timeOf(Math.min(t.freeCompleted[r], t.to + 1)) - t.timeOf(t.born[r]) > 2e3,
        "time<0.01s": (r) => t.timeOf(t.born[r]) < 1e4,
        "size>1,048,576": (r) => t.size(r) > 1048576,
        "life<=6": (r) => Math.min(t.freeCompleted[r], t.to + 1) - t.born[r] <= 6,
      }[test];
      let n = 0;
      for (let r = 0; r < t.nRows; r++) if (kept(r)) n++;
      return n;
    }, query);
    same(found, `true 1 ${all}`, `${name}: ${query}`);
  }
  await search(page, "size>1ms");
  ok((await told.textContent()).includes("no unit"), `${name}: a wrong unit is told`);
  await search(page, "");
  await page.locator("canvas.over").focus();
}

async function quiet(page, name) {
  same(page.faults.join("; "), "", `${name}: nothing in the console`);
  same(page.asked.join(" "), "", `${name}: no request leaves the page`);
  await page.context().close();
}

// --- a small file, everything --------------------------------------------------------------------

const page = await open(b, report([small]));
const explained = json("explain", small);
ok((await page.locator(".answer").textContent()).includes("ran out of memory"), "the answer stands first");
ok(explained.ooms.length > 0 && (await page.locator(".facts").first().textContent()).includes(`${explained.ooms.length} time`), "as many failures as explain tells");
await figures(page, small, "oom_split_pinned");
await raster(page, "oom_split_pinned");
await picks(page, "oom_split_pinned");
await slices(page, "oom_split_pinned");
await keys(page, "oom_split_pinned");
await panels(page, "oom_split_pinned");
await hands(page, "oom_split_pinned");
await page.keyboard.press("t");
const background = (p) => p.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
await becomes(() => background(page), "rgb(15, 17, 21)", "t makes it dark");
await drawn(page);
for (const kind of ["PNG", "SVG"]) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: kind, exact: true }).click()]);
  const path = join(folder, kind);
  await download.saveAs(path);
  const bytes = readFileSync(path);
  ok(kind === "PNG" ? bytes.subarray(1, 4).toString() === "PNG" : bytes.toString().startsWith("<svg"), `${kind} is saved`);
}
await quiet(page, "oom_split_pinned");

const preferred = await open(b, report([small]), { colorScheme: "dark" });
same(await background(preferred), "rgb(15, 17, 21)", "dark as the reader's system prefers");
await quiet(preferred, "dark");

const still = await open(b, report([small]), { javaScriptEnabled: false });
ok(await still.locator("figure.timeline svg").isVisible(), "without script: the picture");
ok((await still.locator("main").innerText()).includes("Who holds memory at the peak"), "without script: the tables");
await still.context().close();

const paper = await open(b, report([small]));
await paper.emulateMedia({ media: "print" });
ok(await paper.locator("figure.timeline svg").isVisible(), "on paper: the still picture");
ok(!(await paper.locator(".viewer").isVisible()), "on paper: nothing to press");
const sheets = (await paper.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
ok(sheets >= 3 && sheets <= 15, `on paper: ${sheets} sheets, without every block's stack`);
await quiet(paper, "paper");

// --- a link cannot run a pattern -------------------------------------------------------------------

const asked = await open(b, report([small]), { hash: "#q=%2F(a%2B)%2B%24%2F&sel=99999999999&t=x~y&tab=<b>" });
ok(await asked.getByRole("button", { name: "run this search" }).isVisible(), "an expression of a link waits for a word");
same(await asked.evaluate(() => window.vramscope.view.text), "", "and has not run");
await quiet(asked, "a strange link");

// --- several files -----------------------------------------------------------------------------------

const leaks = ["10", "20", "40"].map((k) => join(testdata, `leak_graph_step_${k}.pickle.zst`));
const two = await open(b, report(leaks.slice(0, 2)));
ok(await two.locator(".diff svg").isVisible(), "two files: what changed");
const buttons = two.locator(".switch button");
same(await buttons.count(), 2, "two files: a switch");
await buttons.nth(0).click();
await two.waitForFunction(() => window.vramscope.view.place.file === 0);
await buttons.nth(1).click();
await two.waitForFunction(() => window.vramscope.view.place.file === 1);
ok(await two.locator("#file-1").isVisible(), "two files: the other one");
ok(!(await two.locator("#file-0").isVisible()), "two files: one at a time");
await quiet(two, "two files");
const three = await open(b, report(leaks));
ok(await three.locator(".trend svg").isVisible(), "three files: the trend");
ok((await three.locator("#file-2 .leaks").textContent()).length > 100, "three files: the leak");
await quiet(three, "three files");

for (const name of ["trace-steps.json.gz", "timeline-small.raw.json.gz", "oom_small_ring.pickle.zst"]) {
  const p = await open(b, report([join(testdata, name)]));
  ok(await p.locator(name.startsWith("timeline") ? "figure.timeline svg" : "canvas.over").isVisible(), `${name}: a picture`);
  await quiet(p, name);
}

// --- too large ---------------------------------------------------------------------------------------

const big = leaks[2];
const levels = ["every 16th event only", "16th event, and addresses are left out", "a part of the events only"];
let over = 0;
/** What is left out of a page under a limit: a place in `levels`, -1 for nothing. */
function leftOut(limit) {
  const path = report([big], `--max-html-size=${limit}`);
  const text = readFileSync(path, "utf8");
  const level = levels.findIndex((words) => text.includes(words));
  if (text.length > limit && level < levels.length - 1) over++;
  return { path, level };
}

let limit = statSync(report([big])).size;
for (const level of levels.keys()) {
  // The highest limit under which something more is left out.
  let low = Math.floor(limit / 2);
  let high = limit;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (leftOut(middle).level >= level) low = middle;
    else high = middle;
  }
  limit = low;
  const found = leftOut(limit);
  same(levels[found.level], levels[level], "details go in the order that is told");
  const less = await open(b, found.path);
  ok((await less.locator(".warning").textContent()).includes(levels[level]), `the page says: ${levels[level]}`);
  for (const tab of TABS) await turnTo(less, tab);
  await quiet(less, "a limited page");
}
same(over, 0, "no page is larger than its limit");

// --- real recordings -----------------------------------------------------------------------------------

if (shared) {
  for (const name of ["oom/oom_varlen", "odd/cudagraph_mempool", "runs/hf_gpt2_step_3", "odd/streams", "oom/oom_expandable", "odd/state_only", "odd/no_stacks"]) {
    const file = join(shared, "data", `${name}.pickle.zst`);
    const path = report([file]);
    const p = await open(b, path);
    await figures(p, file, name);
    if (name.startsWith("runs")) {
      await raster(p, name);
      await picks(p, name);
      await slices(p, name);
      await panels(p, name);
    }
    await quiet(p, name);
  }
  for (const name of ["odd/hostile_names", "odd/metadata"]) {
    const p = await open(b, report([join(shared, "data", `${name}.pickle.zst`)]));
    for (const tab of TABS) await turnTo(p, tab);
    await p.locator("canvas.over").focus();
    await p.keyboard.press("ArrowUp");
    await drawn(p);
    same(await p.evaluate(() => [window.__pwned, document.querySelectorAll("img, iframe, article script:not([type])").length].join()), ",0", `${name}: no name became markup`);
    await quiet(p, name);
  }
}

await b.close();
done();
