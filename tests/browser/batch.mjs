// SPDX-License-Identifier: MIT
// batch.mjs -- the page over many files: sorted, filtered, and what it says of the files.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, done, folder, ok, open, program, same, testdata } from "./page.mjs";

const ranks = join(folder, "ranks");
const out = join(folder, "out");
mkdirSync(ranks);
for (let i = 0; i < 12; i++) {
  const steps = i === 7 ? 40 : 20;
  copyFileSync(join(testdata, `leak_graph_step_${steps}.pickle.zst`), join(ranks, `rank${i}.pickle.zst`));
}
copyFileSync(join(testdata, "oom_split_pinned.pickle.zst"), join(ranks, "crash.pickle.zst"));
writeFileSync(join(ranks, "empty.pickle"), "");
try {
  execFileSync(program, ["batch", "-j", "2", "--pages", "-o", out, ranks], { stdio: "ignore" });
} catch (e) {
  same(e.status, 3, "a file that cannot be read is told by the exit status");
}
const { files, outliers } = JSON.parse(readFileSync(join(out, "summary.json"), "utf8"));
const index = join(out, "index.html");

const names = (page) =>
  page.$$eval("#files tbody tr", (rows) => rows.filter((r) => !r.hidden).map((r) => r.cells[0].dataset.v));
const head = (page, key) => page.locator(`#files thead th[data-key=${key}]`);

const b = await browser();
const page = await open(b, index);
same((await names(page)).length, files.length, "a row for each file");
same((await names(page))[2], "rank0.pickle.zst", "in the order of names, without the folder of all");

const drawn = files.filter((f) => f.timeline.length).length;
same(await page.locator("#files svg.thumb").count(), drawn, "a small picture for each that has a timeline");
ok(drawn >= 13, "which are all but the empty file");

await head(page, "peak").click();
const peaks = [...files].sort((a, c) => (c.peak_allocated_bytes ?? -1) - (a.peak_allocated_bytes ?? -1));
const highest = (list) => list.slice(0, 2).join();
const wanted = peaks.slice(0, 2).map((f) => f.file.slice(ranks.length + 1)).join();
same(highest(await names(page)), wanted, "sorted by peak, the highest first");
same((await names(page)).at(-1), "empty.pickle", "what has no peak comes last");
await head(page, "peak").click();
same((await names(page)).slice(-3, -1).reverse().join(), wanted, "again: the highest last");
same((await names(page)).at(-1), "empty.pickle", "what has no peak comes last again");
same(await head(page, "peak").getAttribute("aria-sort"), "ascending", "the heading says so");
await head(page, "file").focus();
await page.keyboard.press("Enter");
same((await names(page))[0], "rank11.pickle.zst", "sorted by the keyboard, numbers as numbers");

const shown = async (words) => {
  await page.fill("#filter", words);
  return (await names(page)).sort().join();
};
same(await shown("rank1"), "rank1.pickle.zst,rank10.pickle.zst,rank11.pickle.zst", "rows with a word");
same(await page.locator("#shown").textContent(), "3 of 14 rows", "how many are shown");
same(await shown("rank1 0.pickle"), "rank10.pickle.zst", "rows with two words");
const limit = 400 * 2 ** 20;
const above = files.filter((f) => f.peak_allocated_bytes > limit).map((f) => f.file.slice(ranks.length + 1));
ok(above.length > 0 && above.length < 12, "some files have a high peak");
same(await shown("peak>400MiB"), above.sort().join(), "a column above an amount");
same(await shown("rank=3"), "rank3.pickle.zst", "a column with a number");
same(await shown("rank<=1"), "rank0.pickle.zst,rank1.pickle.zst", "a column up to a number");
same(await shown("nothing like it"), "", "no row");

await page.click("button[data-show='is:outlier']");
const unlike = [...new Set(outliers.map((o) => o.file.slice(ranks.length + 1)))].join();
same(unlike, "rank7.pickle.zst", "the altered rank is the outlier");
same((await names(page)).join(), unlike, "a button shows the outliers");
await page.click("button[data-show='is:oom']");
same((await names(page)).join(), "crash.pickle.zst", "a button shows what ran out of memory");
await page.click("button[data-show='is:damaged']");
same((await names(page)).join(), "empty.pickle", "a button shows what was not read");
await page.click("button[data-show='failure:0']");
same((await names(page)).join(), "crash.pickle.zst", "a failure shows its files");
await page.click("button[data-show='']");
same((await names(page)).length, files.length, "a button shows all again");

const keys = await page.locator(".lines").first().textContent();
ok(keys.includes("rank7.pickle.zst") && keys.includes("the median of 12 files"), "the picture of the group says who is unlike it");
same(await page.locator("figure path.o0").count(), 1, "and draws its line");
same(await page.locator("figure path.range").count(), 1, "over the range of all");
same(page.faults.join("; "), "", "nothing went wrong on the page");
same(page.asked.join(), "", "the page asks for nothing");

const href = await page.getAttribute("#files a:has-text('interactive')", "href");
ok(existsSync(join(out, href)), "the interactive page is there");
const inner = await open(b, join(out, href));
same(inner.faults.join("; "), "", "and works");

const plain = await open(b, index, { javaScriptEnabled: false });
same(await plain.locator("#files tbody tr:visible").count(), files.length, "all rows are there without script");
ok(await plain.locator("#tools").isHidden(), "what needs script is not shown without it");
await b.close();
done();
