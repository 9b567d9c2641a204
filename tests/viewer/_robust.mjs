// Odd runs: what the page does with names that are HTML, with files that are cut off, with nothing.

import { readFileSync } from "node:fs";
import { constants, inflateSync } from "node:zlib";
import { ask, check, close, equal, finish, near, open, press, screenshot, settle, start, template, write }
    from "./_browser.mjs";
import { fill, sample } from "../../viewer/sample.mjs";

const browser = await start();
const make = (name, meta, data) => write(`${name}.html`, fill(template(), meta, data));

async function testHostileNames() {
    const { meta, data } = sample({ tasks: 50, workers: 2 });
    const evil = "<img src=x onerror=\"window.hurt=1\"></script><script>window.hurt=1</script>";
    meta.title = meta.command = meta.host = evil;
    meta.classes[0].name = meta.stats.classes[0].name = evil;
    meta.rows[0].name = meta.stats.workers[0].name = evil;
    meta.stats.why_idle[0].cause = evil;
    const page = await open(browser, make("hostile", meta, data));
    await press(page, "n");
    equal(await page.evaluate(() => [window.hurt ?? 0, document.images.length]), [0, 0], "harm done");
    equal(await page.innerText("#title"), evil, "the name is shown as it is");
    equal((await ask(page, "drawn")).bars, meta.stats.tasks, "bars");
    await close(page, "hostile names");
}

async function testDamage(name, change, words) {
    const { meta, data } = sample({ tasks: 50, workers: 2 });
    const bytes = change(meta, data) ?? data;
    const page = await open(browser, make("damaged", meta, bytes));
    const text = await page.innerText("#notice");
    check(text.includes("cannot show") && text.includes(words), `${name}: ${text}`);
    await close(page, name);
}

async function testDamages() {
    await testDamage("cut off", (meta, data) => data.subarray(0, data.length / 2), "cut off");
    await testDamage("another version", (meta) => void (meta.version = 2), "version 2");
    await testDamage("a row too few", (meta) => void meta.rows.pop(), "row 1 does not exist");
    await testDamage("a short column", (meta) => void (meta.columns[1].length = 3), "3 entries");
    const page = await open(browser, "viewer_page.html");
    check((await page.innerText("#notice")).includes("no trace"), "the template alone says so");
    await close(page, "template");
}

async function testNothing() {
    const { meta } = sample({ tasks: 1, workers: 1 });
    Object.assign(meta, { columns: [], longest_path: [], span_ns: 0, classes: [], rows: [] });
    meta.stats = { seconds: 0, tasks: 0, workers: [], classes: [] };
    const page = await open(browser, make("nothing", meta, Buffer.alloc(0)));
    equal((await ask(page, "counts")).tasks, 0, "no tasks");
    await press(page, "+", "n", "j", "p", "f");
    await screenshot(page, "nothing");
    await close(page, "nothing");
}

// The page must notice when the statistics and the bars differ, or its check is worth nothing.
async function testDisagreement() {
    const { meta, data } = sample({ tasks: 50, workers: 2 });
    meta.stats.classes[1].count++;
    meta.stats.workers[0].busy *= 1.001;
    meta.lost = 7;
    const page = await open(browser, make("wrong", meta, data));
    equal((await ask(page, "differences")).length, 2, "differences found");
    check((await page.innerText("#check")).includes("do not bear out"), "and told");
    check((await page.innerText("#lost")).includes("7 events"), "lost events are told");
    await close(page, "wrong statistics");
}

async function testManyRows() {
    const { meta, data } = sample({ tasks: 5000, workers: 96 });
    const page = await open(browser, make("rows", meta, data));
    const last = await page.evaluate(() => {
        const { tasks } = window.twillPage.counts;
        for (let i = tasks - 1; i >= 0; i--) if (window.twillPage.task(i).row === 95) return i;
        return -1;
    });
    check(last >= 0, "the last row has a task");
    await page.focus("#chart");
    for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowDown");
    await settle(page);
    const box = await ask(page, "boxOf", last);
    const hit = await ask(page, "hitTest", box.x + box.width / 2, box.y + box.height / 2);
    equal(hit?.row, 95, "the arrows scroll to the last row");
    await screenshot(page, "many-rows");
    await close(page, "many rows");
}

// How often the pages of a PDF fill a path.
function fillsOf(pdf) {
    let count = 0;
    for (let at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("stream\n", at + 1)) {
        try {
            const text = inflateSync(pdf.subarray(at + 7), { finishFlush: constants.Z_SYNC_FLUSH });
            count += text.toString("latin1").match(/^f\*?$/gm)?.length ?? 0;
        } catch {
            // A font, an image, or the end of a stream.
        }
    }
    return count;
}

async function testPrint() {
    const { meta, data } = sample({ tasks: 300, workers: 4 });
    const page = await open(browser, make("print", meta, data), { colorScheme: "dark" });
    await page.pdf({ path: "screenshots/print.pdf", preferCSSPageSize: true });
    const { bars } = await ask(page, "drawn");
    const fills = fillsOf(readFileSync("screenshots/print.pdf"));
    check(fills >= bars, `${fills} shapes are filled on the paper, there are ${bars} bars`);
    await page.emulateMedia({ media: "print" });
    // What sticks to a scrolling parent ends up on another sheet.
    equal(await page.$eval(".pane", (pane) => getComputedStyle(pane).position), "static", "pane");
    for (const id of ["#search", "#theme", "#hint"]) check(await page.isHidden(id), `no ${id} on paper`);
    for (const id of ["#rows", "#class-table", "#summary"]) check(await page.isVisible(id), `${id}`);
    await close(page, "print");
}

async function testNarrow() {
    const { meta, data } = sample({ tasks: 300, workers: 4 });
    const page = await open(browser, make("narrow", meta, data),
        { viewport: { width: 420, height: 800 }, deviceScaleFactor: 2 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 420, `a narrow window does not scroll sideways: ${wide}`);
    const task = 40;
    const box = await ask(page, "boxOf", task);
    equal((await ask(page, "hitTest", box.x + box.width / 2, box.y + 5))?.task, task, "hit");
    await screenshot(page, "narrow");
    await close(page, "narrow");
}

async function testTouch() {
    const { meta, data } = sample({ tasks: 300, workers: 4 });
    const page = await open(browser, make("touch", meta, data), { hasTouch: true });
    const session = await page.context().newCDPSession(page);
    const { y } = await ask(page, "boxOf", 100);
    const touch = (type, ...xs) => session.send("Input.dispatchTouchEvent",
        { type, touchPoints: xs.map((x, id) => ({ x, y: y + 5, id })) });
    await touch("touchStart", 600, 700);
    for (let i = 1; i <= 10; i++) await touch("touchMove", 600 - 10 * i, 700 + 10 * i);
    await touch("touchEnd");
    await settle(page);
    const { t0, t1, span } = await ask(page, "range");
    check((t1 - t0) / span < 0.5, `two fingers zoom: ${(t1 - t0) / span} of the run`);
    await touch("touchStart", 800);
    for (let i = 1; i <= 10; i++) await touch("touchMove", 800 - 20 * i);
    await touch("touchEnd");
    await settle(page);
    const after = await ask(page, "range");
    check(after.t0 > t0, "one finger pans");
    near((after.t1 - after.t0) / (t1 - t0), 1, 1e-6, "and does not zoom");
    await close(page, "touch");
}

for (const test of [testHostileNames, testDamages, testNothing, testDisagreement, testManyRows,
    testPrint, testNarrow, testTouch]) {
    await test();
}
await finish(browser);
