// Pages of real runs, held against what the command printed about the same runs.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ask, check, close, equal, finish, near, open, press, screenshot, settle, start } from
    "./_browser.mjs";

const browser = await start();
const close9 = (value) => 1e-9 + 1e-6 * Math.abs(value);

// Tasks of a Cholesky factorization of nt by nt tiles, by class.
function cholesky(nt, update) {
    const pairs = (nt * (nt - 1)) / 2;
    return { potrf: nt, trsm: pairs, [update]: pairs, gemm: (pairs * (nt - 2)) / 3 };
}

async function testTotals(page, stats) {
    equal(await ask(page, "differences"), [], "differences between bars and statistics");
    const totals = await ask(page, "totals");
    equal(totals.classes.map(({ name, count }) => [name, count]),
        stats.classes.map(({ name, count }) => [name, count]), "tasks of classes");
    equal(totals.workers.map(({ name, tasks }) => [name, tasks]),
        stats.workers.map(({ name, tasks }) => [name, tasks]), "tasks of workers");
    stats.classes.forEach((item, i) =>
        near(totals.classes[i].seconds, item.seconds, close9(item.seconds), `time of ${item.name}`));
    stats.workers.forEach((item, i) =>
        near(totals.workers[i].busy, item.busy, close9(item.busy), `busy time of ${item.name}`));
}

// What the tables show, in the words of the statistics.
async function testTables(page, stats) {
    const cells = (table) => page.$$eval(`${table} tbody tr`, (rows) =>
        rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
    const shown = (await cells("#class-table")).map(([name, count]) => `${name} ${count}`).sort();
    equal(shown, stats.classes.map((item) => `${item.name} ${item.count.toLocaleString("en")}`).sort(),
        "table of classes");
    equal((await cells("#worker-table")).map(([name, count]) => [name, count]),
        stats.workers.map((item) => [item.name, item.tasks.toLocaleString("en")]), "table of workers");
    if (stats.why_idle.length) {
        equal((await cells("#idle-table")).map(([cause]) => cause).sort(),
            stats.why_idle.map(({ cause }) => cause).sort(), "table of causes");
    }
}

// Go through the run window by window, zoomed in until no row is drawn in columns: every task is
// seen, and in each window there are as many bars as tasks.
async function testEveryBar(page, tasks) {
    await press(page, "f");
    for (let i = 0; i < 60 && (await ask(page, "drawn")).binned; i++) await press(page, "+");
    await press(page, "Home");
    const seen = new Set();
    for (let i = 0; i < 2000; i++) {
        const inView = await page.evaluate((total) => {
            const list = [];
            for (let task = 0; task < total; task++) {
                if (window.twillPage.boxOf(task)) list.push(task);
            }
            return list;
        }, tasks);
        const { bars, binned } = await ask(page, "drawn");
        // A row that is crowded here again is drawn in columns; its tasks are counted all the same.
        // Tasks that only touch the window's edge have a box and no bar.
        check(Math.abs(bars + binned - inView.length) <= 4, `${bars} bars and ${binned} in columns, ` +
            `${inView.length} tasks in view`);
        inView.forEach((task) => seen.add(task));
        const { t1, span } = await ask(page, "range");
        if (t1 >= span) break;
        await press(page, "Shift+ArrowRight");
    }
    equal(seen.size, tasks, "tasks seen on the way through the run");
    await press(page, "f");
}

async function testHover(page, stats) {
    const gemm = await page.evaluate(() => {
        let best = null;
        for (let i = 0; i < window.twillPage.counts.tasks; i++) {
            const task = window.twillPage.task(i);
            if (task.class === "gemm" && (!best || task.duration > best.duration)) best = task;
        }
        return best;
    });
    const box = await ask(page, "boxOf", gemm.task);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector("#tip:not([hidden])");
    const text = await page.innerText("#tip");
    check(/gemm\(-?\d+(, -?\d+)*\)/.test(text), `class and parameters at the pointer: ${text}`);
    for (const word of ["parameters", "start", "duration", "worker", "graph", "rate", "GFLOP/s"]) {
        check(text.includes(word), `${word} at the pointer: ${text}`);
    }
    check(stats.workers.some(({ name }) => text.includes(name)), `the worker's name: ${text}`);
    await page.mouse.move(5, 5);
}

async function testFilter(page, stats) {
    const gemm = stats.classes.find(({ name }) => name === "gemm").count;
    await page.click("#legend [data-class=gemm]");
    await page.mouse.move(5, 5);
    await settle(page);
    equal(await ask(page, "drawn"), { bars: stats.tasks - gemm, binned: 0 }, "bars without gemm");
    await page.click("#legend [data-class=gemm]");
    await settle(page);
    equal(await ask(page, "drawn"), { bars: stats.tasks, binned: 0 }, "bars with gemm again");
}

async function testZoom(page) {
    await page.focus("#chart");
    await press(page, "+", "+", "+");
    const { t0, t1, span } = await ask(page, "range");
    near((t1 - t0) / span, 0.6 ** 3, 1e-6, "zoomed in");
    await press(page, "ArrowRight");
    check((await ask(page, "range")).t0 > t0, "panned");
    await press(page, "p");
    check(await ask(page, "pathShown"), "the longest path is shown");
    await press(page, "f");
}

async function testPotrf(name, nt, update, page, stats) {
    const counts = Object.fromEntries(stats.classes.map((item) => [item.name, item.count]));
    equal(Object.entries(counts).sort(), Object.entries(cholesky(nt, update)).sort(),
        `${name}: tasks by class`);
    equal((await ask(page, "counts")).tasks, stats.tasks, `${name}: tasks of the page`);
    const drawn = await ask(page, "drawn");
    equal(drawn.bars + drawn.binned, stats.tasks, `${name}: tasks in the picture`);
    check((await ask(page, "counts")).path > 0, `${name}: a longest path`);
    await testTotals(page, stats);
    await testTables(page, stats);
}

async function openRun(name) {
    const { stats } = JSON.parse(readFileSync(`${name}.json`, "utf8"));
    return { stats, page: await open(browser, `${name}.html`) };
}

// The idle time of each cause lies on the chart; the advice about a wait names tasks.
async function testGaps(page, stats) {
    for (const [number, item] of stats.why_idle.entries()) {
        const gaps = await ask(page, "gapsOf", number);
        const total = gaps.reduce((sum, { duration }) => sum + duration, 0) / 1e9;
        near(total, item.seconds, close9(item.seconds), `gaps of ${item.cause}`);
        if (["chain", "join", "insertion"].includes(item.cause)) {
            check(/the longest gap, [\d.]+ [um]?s, was for \w+\(\w+=/.test(item.advice), `advice: ${item.advice}`);
        }
    }
    const total = (await ask(page, "counts")).tasks;
    const [task] = await page.$$eval("#main", (_, n) => Array.from({ length: n }, (__, i) => i)
        .filter((i) => window.twillPage.predecessors(i).length > 1).slice(0, 1), total);
    for (const from of await ask(page, "predecessors", task)) {
        check((await ask(page, "successors", from)).includes(task), `${from} comes before ${task}`);
    }
}

// The page and the DOT file of a run have the same colours.
async function testColours(page) {
    const dot = Object.fromEntries([...readFileSync("small.dot", "utf8")
        .matchAll(/label="(\w+)\(.*fillcolor="(#\w{6})/g)].map(([, name, colour]) => [name, colour]));
    const legend = await page.$$eval("#legend button", (buttons) => buttons.map((button) => [
        button.dataset.class, getComputedStyle(button.querySelector(".swatch")).backgroundColor
            .match(/\d+/g).map((part) => Number(part).toString(16).padStart(2, "0")).join("")]));
    equal(legend.length, 4, "classes in the legend");
    for (const [name, colour] of legend) equal(`#${colour}`, dot[name], `colour of ${name}`);
}

// Two runs in one page: both complete, the same window of time, which moves in both.
async function testPair() {
    const context = await browser.newContext({ viewport: { width: 1800, height: 900 }, offline: true });
    const page = await context.newPage();
    const trouble = [];
    page.on("console", (message) => message.type() === "error" && trouble.push(message.text()));
    page.on("pageerror", (error) => trouble.push(error.message));
    await page.goto(pathToFileURL(resolve("pair.html")).href);
    const frames = page.frames().slice(1);
    equal(frames.length, 2, "runs beside each other");
    for (const frame of frames) {
        await frame.waitForFunction(() => document.getElementById("main")?.getAttribute("aria-busy") === "false");
    }
    const range = (frame) => frame.evaluate(() => window.twillPage.range);
    await frames[0].waitForFunction(() => window.twillPage.range.t1 >= window.twillPage.range.span - 1);
    await page.waitForTimeout(300);
    const [a, b] = await Promise.all(frames.map(range));
    near(a.t1 - a.t0, b.t1 - b.t0, 1, "as much time in both");
    near(Math.max(a.span, b.span), a.t1, 1, "all of the longer one");
    await page.screenshot({ path: "screenshots/real-pair.png" });
    await frames[1].click("#zoom-in");
    await page.waitForTimeout(300);
    const [c, d] = await Promise.all(frames.map(range));
    near(d.t1 - d.t0, 0.6 * (b.t1 - b.t0), 1, "zoomed in");
    near(c.t0, d.t0, 1e-3, "and the other one, too");
    near(c.t1, d.t1, 1e-3, "up to the same time");
    equal(trouble, [], "errors of the pair");
    await context.close();
}

async function testSmall() {
    const { page, stats } = await openRun("small");
    await testPotrf("small", 10, "herk", page, stats);
    equal(await ask(page, "drawn"), { bars: stats.tasks, binned: 0 }, "a bar for each task");
    await testHover(page, stats);
    await testGaps(page, stats);
    await testColours(page);
    await screenshot(page, "real");
    await testFilter(page, stats);
    await testZoom(page);
    await screenshot(page, "real-path");
    await page.emulateMedia({ colorScheme: "dark" });
    await settle(page);
    await screenshot(page, "real-dark");
    await close(page, "small");
}

async function testOthers() {
    for (const [name, nt] of [["large", 30], ["serial", 4], ["complex", 8]]) {
        const { page, stats } = await openRun(name);
        await testPotrf(name, nt, "herk", page, stats);
        if (name !== "serial") await testEveryBar(page, stats.tasks);
        await screenshot(page, `real-${name}`);
        await close(page, name);
    }
}

// Every message of the run is a line between the rows of two ranks, and says so at the pointer.
async function testRanks() {
    if (!existsSync("ranks.json")) return;
    const { page, stats } = await openRun("ranks");
    await testPotrf("ranks", 10, "herk", page, stats);
    const counts = await ask(page, "counts");
    equal([counts.ranks, counts.rows], [3, 3], "ranks and rows");
    check(counts.messages > 0, "there are messages");
    equal(counts.messages, stats.messages, "all messages have two ends");
    equal((await page.$$eval("#rank-table tbody tr", (rows) => rows.map((row) => row.cells[3].textContent))),
        stats.ranks.map(({ sent }) => sent.toLocaleString("en")), "messages sent, by rank");
    const drawn = await ask(page, "drawn");
    check(drawn.messages > 0 && drawn.messagesInView === counts.messages, "messages are drawn");
    await screenshot(page, "real-ranks");
    await testMessageTip(page, counts.messages);
    await press(page, "m");
    check((await ask(page, "drawn")).messages === undefined, "messages are hidden");
    await press(page, "m", "p");
    check((await ask(page, "drawn")).messages > 0, "messages are back");
    await close(page, "ranks");
}

// Somewhere on some line there is no task: there the pointer finds the message.
async function testMessageTip(page, count) {
    for (let i = 0; i < count; i++) {
        const [x0, y0, x1, y1] = await ask(page, "lineOf", i);
        for (const share of [0.25, 0.5, 0.75]) {
            await page.mouse.move(x0 + share * (x1 - x0), y0 + share * (y1 - y0));
            const tip = await page.$("#tip:not([hidden])");
            const text = tip ? await tip.innerText() : "";
            if (!text.startsWith("message")) continue;
            for (const word of ["from", "to", "bytes", "sent", "took", "rank"]) {
                check(text.includes(word), `${word} at the pointer: ${text}`);
            }
            await page.mouse.move(5, 5);
            return;
        }
    }
    check(false, "no message at the pointer");
}

// The reserved set: who is in it when, its curve, and its place in the legend.
async function testSet(name, page) {
    const { critical, teams, rows } = await ask(page, "counts");
    const set = await ask(page, "set");
    check(critical > 10 && teams > 0 && set.length > 0, `${name}: ${critical} critical, ${teams} teams`);
    check(set.every(({ row, members, wanted }) => row + Math.max(members, wanted) < rows),
        `${name}: the set leaves a worker`);
    equal(set.map(({ end }) => end).slice(0, -1), set.map(({ time }) => time).slice(1), `${name}: ends`);
    if (name === "adaptive") check(new Set(set.map(({ members }) => members)).size > 1, "its size changes");
    check((await page.getAttribute("#curves canvas", "aria-label")).startsWith("Reserved workers"), `${name}: its curve`);
    check((await page.innerText("#state-legend")).includes("reserved worker"), `${name}: its legend`);
    await screenshot(page, `real-${name}`);
}

// In fixed mode the first task of the first row is one bar over three rows, and the pointer finds it
// on each of them.
async function testTeam(page) {
    await page.focus("#chart");
    await press(page, "n", "z");
    const { task } = await ask(page, "selected");
    const box = await ask(page, "boxOf", task);
    check(box.width > 30 && box.height > 40, `a bar of a team: ${JSON.stringify(box)}`);
    for (const share of [0.1, 0.9]) {
        const hit = await ask(page, "hitTest", box.x + box.width / 2, box.y + share * box.height);
        equal(hit?.task, task, `the task of the team at ${share} of its height`);
    }
    await page.mouse.move(box.x + box.width / 2, box.y + 0.9 * box.height);
    await page.waitForSelector("#tip:not([hidden])");
    const text = await page.innerText("#tip");
    for (const word of ["team", "3 workers", "critical path"]) check(text.includes(word), `${word}: ${text}`);
    await page.mouse.move(5, 5);
    await screenshot(page, "real-team");
}

async function testReserved(name) {
    const page = await open(browser, `${name}.html`);
    await testSet(name, page);
    if (name === "fixed") await testTeam(page);
    await close(page, name);
}

async function testExamples() {
    const files = readdirSync(".").filter((file) => /^example_.*\.html$/.test(file));
    check(files.length >= 5, `pages of examples: ${files}`);
    for (const file of files) {
        const page = await open(browser, file);
        check((await ask(page, "counts")).tasks > 0, `${file}: tasks`);
        equal(await ask(page, "differences"), [], `${file}: differences from the statistics`);
        const name = file.replace(/^example_(.*?)(-\d+)?\.html$/, "$1");
        check((await page.innerText("#title")).startsWith(name.slice(0, 12)), `${file}: the program's name`);
        await press(page, "p", "n", "+", "j", "f");
        await screenshot(page, file.replace(".html", ""));
        await close(page, file);
    }
}

await testSmall();
await testOthers();
await testRanks();
await testReserved("adaptive");
await testReserved("fixed");
await testPair();
await testExamples();
await finish(browser);
