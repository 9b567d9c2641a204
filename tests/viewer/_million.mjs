// A million tasks: time until the page answers, and how long each picture takes.

import { ask, check, close, equal, finish, open, press, screenshot, settle, start } from
    "./_browser.mjs";

const file = process.argv[2];
const LIMIT = 3000; // milliseconds from the start of loading to an answer
const browser = await start();

// Milliseconds from the start of loading until a key has changed the picture.
async function timeToAnswer(page) {
    await press(page, "+");
    const { t0, t1, span } = await ask(page, "range");
    check(t1 - t0 < span, "the page answers");
    return page.evaluate(() => performance.now());
}

// The machine may be busy with other things: the best of three counts.
let best = Infinity;
for (let attempt = 0; attempt < 3 && best >= LIMIT; attempt++) {
    const page = await open(browser, file);
    const ready = await ask(page, "readyMs");
    const answer = await timeToAnswer(page);
    console.log(`drawn after ${ready.toFixed(0)} ms, answered after ${answer.toFixed(0)} ms`);
    best = Math.min(best, answer);
    await close(page, "million");
}
check(best < LIMIT, `${best.toFixed(0)} ms until the page answers`);

const page = await open(browser, file);
const { tasks } = await ask(page, "counts");
check(tasks >= 1e6, "a million tasks");
equal(await ask(page, "drawn"), { bars: 0, binned: tasks }, "all of them in columns");
await screenshot(page, "million");
const times = [];
for (let level = 0; level < 30; level++) {
    times.push(await ask(page, "redraw"));
    await press(page, "+");
}
times.sort((a, b) => a - b);
console.log(`a picture takes ${times[15].toFixed(1)} ms, at most ${times[29].toFixed(1)} ms`);
check(times[15] < 100, `half of the pictures take more than ${times[15]} ms`);
const deep = await ask(page, "drawn");
check(deep.bars > 0 && deep.binned === 0, "zoomed in there are bars");
await screenshot(page, "million-deep");

await press(page, "f", "/");
const before = await page.evaluate(() => performance.now());
await page.keyboard.insertText("gemm 100 50 3");
await settle(page);
const searched = (await page.evaluate(() => performance.now())) - before;
equal(await ask(page, "found"), 1, "one of a million found");
console.log(`searched in ${searched.toFixed(0)} ms`);
check(searched < 1000, "search takes less than a second");
await page.keyboard.press("Enter");
await settle(page);
equal((await ask(page, "selected")).title, "gemm(100, 50, 3)", "and selected");
equal(await ask(page, "differences"), [], "differences between bars and statistics");
await close(page, "million");
await finish(browser);
