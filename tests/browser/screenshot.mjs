// SPDX-License-Identifier: MIT
// screenshot.mjs -- the picture of the report that README.md shows; screenshot.sh runs it.
//
//     screenshot.mjs SNAPSHOT PICTURE.png

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { browser, done, folder, open, report } from "./page.mjs";

const [, , snapshot, picture] = process.argv;
const b = await browser();
const page = await open(b, report([snapshot]), { viewport: { width: 1320, height: 860 }, colorScheme: "light" });
const path = join(folder, "picture.png");
await page.screenshot({ path });
await b.close();
copyFileSync(path, picture);
done();
