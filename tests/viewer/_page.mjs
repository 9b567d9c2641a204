// The page of a made-up run: everything a reader can do, and what must be there for it.

import { ask, check, close, equal, finish, near, open, press, screenshot, settle, start, template,
    write } from "./_browser.mjs";
import { readFileSync } from "node:fs";
import { fill, sample } from "../../viewer/sample.mjs";

const { meta, data } = sample({ tasks: 300, workers: 4 });
const classNames = meta.classes.map((item) => item.name);

// The column as numbers, read here and not by the page.
function column(name) {
    const { type, offset, length } = meta.columns.find((item) => item.name === name);
    const read = { f64: "readDoubleLE", f32: "readFloatLE", u16: "readUInt16LE", i32: "readInt32LE",
        u32: "readUInt32LE" };
    const size = { f64: 8, f32: 4, u16: 2, i32: 4, u32: 4 };
    return Array.from({ length }, (_, i) => data[read[type]](offset + i * size[type]));
}

const kinds = column("task.class");
const count = kinds.length;
const countOf = (name) => meta.stats.classes.find((item) => item.name === name).count;
const centre = (box) => [box.x + box.width / 2, box.y + box.height / 2];

async function testBars(page) {
    equal((await ask(page, "counts")).tasks, meta.stats.tasks, "tasks that the page knows");
    equal(await ask(page, "drawn"), { bars: meta.stats.tasks, binned: 0 }, "bars that are drawn");
    const wrong = await page.evaluate((total) => {
        const bad = [];
        for (let i = 0; i < total; i++) {
            const box = window.twillPage.boxOf(i);
            const hit = window.twillPage.hitTest(box.x + box.width / 2, box.y + box.height / 2);
            if (hit?.task !== i) bad.push(i);
        }
        return bad;
    }, count);
    equal(wrong, [], "tasks that are not found where their bar is");
}

// Colours of pixels on the chart: of each bar just inside its left edge, beside the labels; or where
// the path is that passes through it, a frame around wide bars and a line along narrow ones.
function pixelsAtBars(page, tasks, ofPath = false) {
    return page.evaluate(([list, path]) => {
        const canvas = document.getElementById("rows");
        const place = canvas.getBoundingClientRect();
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        return list.map((task) => {
            const box = window.twillPage.boxOf(task);
            const inside = path && box.width >= 9 ? 0 : Math.min(path ? Infinity : 2.5, box.width / 2);
            const x = Math.floor(box.x - place.left + inside);
            const y = Math.floor(box.y - place.top + (path ? box.height / 2 : 3));
            return [...context.getImageData(x, y, 1, 1).data];
        });
    }, [tasks, ofPath]);
}

async function testColours(page) {
    const swatches = await page.$$eval("#legend button", (buttons) =>
        Object.fromEntries(buttons.map((button) => [button.dataset.class,
            getComputedStyle(button.querySelector(".swatch")).backgroundColor])));
    const tasks = kinds.map((_, i) => i);
    const pixels = await pixelsAtBars(page, tasks);
    const wrong = tasks.filter((i) => {
        const [r, g, b] = pixels[i];
        return swatches[classNames[kinds[i]]] !== `rgb(${r}, ${g}, ${b})`;
    });
    equal(wrong, [], "bars that do not have the colour of the legend");
    equal(new Set(Object.values(swatches)).size, classNames.length, "different colours");
}

async function testHover(page) {
    const task = kinds.indexOf(classNames.indexOf("gemm"), 150);
    const box = await ask(page, "boxOf", task);
    await page.mouse.move(...centre(box));
    await page.waitForSelector("#tip:not([hidden])");
    const text = await page.innerText("#tip");
    const [m, n, k] = ["task.p0", "task.p1", "task.p2"].map((name) => column(name)[task]);
    const row = column("task.row")[task];
    for (const part of [`gemm(${m}, ${n}, ${k})`, `m=${m} n=${n} k=${k}`, "start", "duration", " µs",
        `worker ${row}`, "potrf #1", "GFLOP/s"]) {
        check(text.includes(part), `the box at the pointer says ${part}: ${text}`);
    }
    await screenshot(page, "hover");
    await page.mouse.click(...centre(box));
    equal((await ask(page, "selected")).task, task, "a click selects");
    check((await page.innerText("#selected")).includes(`gemm(${m}, ${n}, ${k})`), "and tells");
    await page.mouse.move(5, 5);
    check(await page.isHidden("#tip"), "the box goes away with the pointer");
    await press(page, "Escape");
    equal(await ask(page, "selected"), null, "Escape deselects");
}

async function testFilter(page) {
    const gemm = kinds.indexOf(classNames.indexOf("gemm"));
    const [before] = await pixelsAtBars(page, [gemm]);
    await page.click("#legend [data-class=gemm]");
    await page.mouse.move(5, 5);
    await settle(page);
    equal(await ask(page, "hidden"), ["gemm"], "hidden classes");
    equal((await ask(page, "drawn")).bars, count - countOf("gemm"), "bars without gemm");
    const hit = await ask(page, "hitTest", ...centre(await ask(page, "boxOf", gemm)));
    check(hit?.class !== "gemm", "hidden tasks are not found");
    const [after] = await pixelsAtBars(page, [gemm]);
    check(String(before) !== String(after), "hidden tasks are not drawn");
    equal(await page.getAttribute("#legend [data-class=gemm]", "aria-pressed"), "false", "pressed");
    await screenshot(page, "filter");
    await page.click("#legend [data-class=gemm]");
    await page.dblclick("#legend [data-class=trsm]");
    await settle(page);
    equal((await ask(page, "drawn")).bars, countOf("trsm"), "bars of trsm alone");
    await page.dblclick("#legend [data-class=trsm]");
    await settle(page);
    equal((await ask(page, "drawn")).bars, count, "all bars are back");
}

const lengthOf = ({ t0, t1 }) => t1 - t0;

async function testZoom(page) {
    const task = 100;
    const [x, y] = centre(await ask(page, "boxOf", task));
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -400);
    await settle(page);
    const zoomed = await ask(page, "range");
    near(lengthOf(zoomed) / zoomed.span, 0.5, 0.01, "the wheel halves the window");
    const [x2] = centre(await ask(page, "boxOf", task));
    near(x2, x, 1.5, "the task under the pointer stays there");
    check((await ask(page, "drawn")).bars < count, "fewer bars in a smaller window");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 120, y, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    const [x3] = centre(await ask(page, "boxOf", task));
    near(x3, x - 120, 2, "the chart follows a drag");
    near(lengthOf(await ask(page, "range")), lengthOf(zoomed), 1, "a drag does not zoom");
    equal(await ask(page, "selected"), null, "a drag does not select");

    await page.click("#fit");
    await settle(page);
    const whole = await ask(page, "range");
    equal([whole.t0, whole.t1], [0, whole.span], "Fit shows everything");
    const from = await ask(page, "boxOf", 50);
    const to = await ask(page, "boxOf", 120);
    await page.keyboard.down("Shift");
    await page.mouse.move(from.x, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y + 5, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await settle(page);
    const chosen = await ask(page, "range");
    near(chosen.t0, (await ask(page, "task", 50)).start, whole.span / 400, "a range begins");
    near(chosen.t1, (await ask(page, "task", 120)).start, whole.span / 400, "and ends");
    await screenshot(page, "zoom");
    await page.dblclick("#chart", { position: { x: 400, y: 110 } });
    await settle(page);
    check(lengthOf(await ask(page, "range")) < lengthOf(chosen), "a double click zooms in");
    await press(page, "f");
}

async function testOverview(page) {
    await page.focus("#chart");
    await press(page, "+", "+", "+");
    const { left, top, width } = await page.$eval("#overview", (canvas) => {
        const { left, top, width } = canvas.getBoundingClientRect();
        return { left, top, width };
    });
    await page.mouse.move(left + width * 0.9, top + 20);
    await page.mouse.down();
    await page.mouse.move(left + width * 0.95, top + 20, { steps: 3 });
    await page.mouse.up();
    await settle(page);
    const { t1, span } = await ask(page, "range");
    near(t1, span, span / 1000, "dragging in the overview brings the end");
    await press(page, "f");
    // Zooming out of the whole run is scrolling down: the page must not get stuck on the chart.
    const box = await ask(page, "boxOf", 100);
    await page.mouse.move(box.x, box.y);
    await page.mouse.wheel(0, 300);
    await page.waitForFunction(() => window.scrollY > 0);
    const { t0 } = await ask(page, "range");
    equal(t0, 0, "and the window stays");
    await page.evaluate(() => window.scrollTo(0, 0));
}

async function testKeyboard(page) {
    await page.focus("#chart");
    await press(page, "+");
    const { t0, t1, span } = await ask(page, "range");
    near((t1 - t0) / span, 0.6, 0.001, "plus zooms in");
    await press(page, "ArrowRight");
    const right = await ask(page, "range");
    check(right.t0 > t0, "the right arrow goes on in time");
    await press(page, "ArrowLeft");
    near((await ask(page, "range")).t0, t0, 1, "the left arrow goes back");
    await press(page, "End");
    near((await ask(page, "range")).t1, span, 1e-3, "End is the end");
    await press(page, "Home");
    equal((await ask(page, "range")).t0, 0, "Home is the beginning");
    await press(page, "-");
    near(lengthOf(await ask(page, "range")), span, 1, "minus zooms out");
    await press(page, "n");
    const first = await ask(page, "selected");
    equal(first.row, 0, "n selects a task of the first row");
    await press(page, "n");
    const second = await ask(page, "selected");
    check(second.row === 0 && second.start > first.start, "and then the next one");
    await press(page, "b");
    equal((await ask(page, "selected")).task, first.task, "b goes back");
    await press(page, "n", "n", "n", "j");
    equal((await ask(page, "selected")).row, 1, "j goes to the row below");
    await press(page, "k");
    equal((await ask(page, "selected")).row, 0, "k goes to the row above");
    await press(page, "z");
    check(lengthOf(await ask(page, "range")) < span / 10, "z zooms to the task");
    await press(page, "f", "Escape");
    await press(page, "?");
    check(await page.isVisible("#help"), "the question mark opens the help");
    await screenshot(page, "help");
    await press(page, "Escape");
    check(await page.isHidden("#help"), "Escape closes it");
    equal(await page.evaluate(() => document.activeElement.id), "chart", "the focus comes back");
}

// First of all, as Tab goes on from the last click.
async function testFocus(page) {
    const seen = [];
    for (let i = 0; i < 40; i++) {
        await page.keyboard.press("Tab");
        const now = await page.evaluate(() => {
            const at = document.activeElement;
            const style = getComputedStyle(at);
            return { id: at.id || at.dataset?.class || at.tagName, outline: style.outlineStyle,
                width: parseFloat(style.outlineWidth) };
        });
        if (now.id === "BODY") break;
        seen.push(now);
    }
    const ids = seen.map((item) => item.id);
    for (const id of ["theme", "help-open", "query", "path", "states", "zoom-in", "fit", "gemm",
        "chart"]) {
        check(ids.includes(id), `Tab reaches ${id}: ${ids}`);
    }
    const unseen = seen.filter((item) => item.outline === "none" || item.width < 1);
    equal(unseen, [], "elements that do not show that they have the focus");
}

async function testSearch(page) {
    await press(page, "/");
    equal(await page.evaluate(() => document.activeElement.id), "query", "the slash goes to search");
    await page.keyboard.type("gemm 3 2");
    await settle(page);
    const [p0, p1] = [column("task.p0"), column("task.p1")];
    const gemm = classNames.indexOf("gemm");
    const wanted = kinds.map((kind, i) => i)
        .filter((i) => kinds[i] === gemm && p0[i] === 3 && p1[i] === 2);
    check(wanted.length > 0, "there is something to find");
    equal(await ask(page, "found"), wanted.length, "tasks found");
    await page.keyboard.press("Enter");
    await settle(page);
    equal((await ask(page, "selected")).task, wanted[0], "Enter goes to the first");
    check((await page.innerText("#found")).startsWith("1 of"), "and says which it is");
    await page.keyboard.press("Shift+Enter");
    await settle(page);
    equal((await ask(page, "selected")).task, wanted.at(-1), "Shift+Enter goes backwards");
    await screenshot(page, "search");
    await page.fill("#query", "gemm 999");
    equal(await page.innerText("#found"), "no such task", "what is not there");
    await press(page, "Escape", "Escape", "f");
    equal(await ask(page, "found"), null, "Escape ends the search");
    equal(await page.inputValue("#query"), "", "and empties the field");
}

function cellsOf(page, table) {
    return page.$$eval(`${table} tbody tr`, (rows) =>
        rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
}

async function testTotals(page) {
    equal(await ask(page, "differences"), [], "differences between bars and statistics");
    const totals = await ask(page, "totals");
    for (const [i, item] of meta.stats.classes.entries()) {
        equal(totals.classes[i].count, item.count, `tasks of ${item.name}`);
        near(totals.classes[i].seconds, item.seconds, 1e-9, `time of ${item.name}`);
    }
    for (const [i, item] of meta.stats.workers.entries()) {
        equal(totals.workers[i].tasks, item.tasks, `tasks of ${item.name}`);
        near(totals.workers[i].busy, item.busy, 1e-9, `busy time of ${item.name}`);
    }
    const shown = new Map((await cellsOf(page, "#class-table")).map((cells) => [cells[0], cells]));
    for (const item of meta.stats.classes) {
        equal(shown.get(item.name)[1], item.count.toLocaleString("en"), `table, ${item.name}`);
    }
    const workers = await cellsOf(page, "#worker-table");
    equal(workers.map((cells) => Number(cells[1].replaceAll(",", ""))),
        meta.stats.workers.map((item) => item.tasks), "tasks in the table of workers");
    const causes = await cellsOf(page, "#idle-table");
    equal(causes.map((cells) => cells[0]), meta.stats.why_idle.map((item) => item.cause), "why idle");
    check((await page.innerText("#check")).includes("agree"), "the page says that they agree");
}

const edgeFrom = column("edge.from");
const edgeTo = column("edge.to");
const before = (task) => edgeFrom.filter((_, e) => edgeTo[e] === task);
const after = (task) => edgeTo.filter((_, e) => edgeFrom[e] === task);

// Predecessors, successors, time in the queue and priority of the selected task, and the way to them.
async function testNeighbours(page) {
    const sorted = (list) => [...list].sort((a, b) => a - b);
    for (let task = 0; task < count; task += 7) {
        equal(sorted(await ask(page, "predecessors", task)), sorted(before(task)), `before ${task}`);
        equal(sorted(await ask(page, "successors", task)), sorted(after(task)), `after ${task}`);
    }
    const task = kinds.indexOf(classNames.indexOf("gemm"), 100);
    await page.mouse.click(...centre(await ask(page, "boxOf", task)));
    const text = await page.innerText("#selected");
    check(text.includes(`${before(task).length} predecessors`), `predecessors: ${text}`);
    check(text.includes(`${after(task).length} successor`), `successors: ${text}`);
    check(text.includes("queued") && text.includes("priority"), `queue and priority: ${text}`);
    check(text.includes(String(column("task.priority")[task])), `the priority: ${text}`);
    await screenshot(page, "selected");
    await page.click("#selected [data-kind=predecessor] button >> nth=0");
    await settle(page);
    equal((await ask(page, "selected")).task, (await ask(page, "predecessors", task))[0],
        "a predecessor is selected by its button");
    await press(page, "Escape", "f");
}

// A cause in the table shows its idle time on the chart.
async function testGaps(page) {
    const plain = await picture(page);
    await page.click("#idle-table [data-cause='0']");
    await settle(page);
    equal(await ask(page, "cause"), 0, "the cause that was chosen");
    check((await picture(page)) !== plain, "its gaps are drawn");
    equal(await page.getAttribute("#idle-table [data-cause='0']", "aria-pressed"), "true", "pressed");
    const gaps = await ask(page, "gapsOf", 0);
    const whole = column("idle.start").filter((start) => start >= meta.span_ns / 2).length;
    equal(gaps.length, whole, "gaps of the cause");
    await page.mouse.move(5, 5);
    await screenshot(page, "gaps");
    await page.click("#idle-table [data-cause='0']");
    await page.mouse.move(5, 5);
    await settle(page);
    check((await picture(page)) === plain, "and again they are gone");
}

// The chart as a file: well-formed, with the bars in view, in their colours.
async function testExport(page) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
    check(download.suggestedFilename().endsWith(".svg"), `file ${download.suggestedFilename()}`);
    await download.saveAs("chart.svg");
    const text = readFileSync("chart.svg", "utf8");
    equal(text, await ask(page, "svg"), "what is saved is what the page makes");
    const found = await page.evaluate((svg) => {
        const tree = new DOMParser().parseFromString(svg, "image/svg+xml");
        const bars = [...tree.querySelectorAll("rect.task")];
        return {
            wrong: tree.querySelector("parsererror")?.textContent ?? null,
            bars: bars.length,
            titles: bars.slice(0, 3).map((bar) => bar.querySelector("title").textContent),
        };
    }, text);
    equal(found.wrong, null, "the file is XML");
    equal(found.bars, count, "bars in the file");
    check(found.titles.every((title) => /^\w+\([\d, ]+\)$/.test(title)), `titles ${found.titles}`);
}

const picture = (page) => page.evaluate(() => document.getElementById("rows").toDataURL());

async function testToggles(page) {
    const plain = await picture(page);
    await press(page, "p");
    check(await ask(page, "pathShown"), "p shows the longest path");
    check((await picture(page)) !== plain, "the path is drawn");
    const path = await ask(page, "path");
    equal(path, meta.longest_path, "tasks of the path");
    const pale = (await pixelsAtBars(page, path, true)).filter(([r, g, b]) => r + g + b > 300);
    equal(pale, [], "tasks of the path that it does not pass through");
    equal(await page.getAttribute("#path", "aria-pressed"), "true", "the button knows");
    await screenshot(page, "path");
    await press(page, "p");
    check((await picture(page)) === plain, "p again: it is gone");
    await press(page, "s");
    check((await picture(page)) !== plain, "s hides the states");
    await press(page, "s");
    await page.click("#list summary");
    await page.waitForSelector("#list-table tbody tr");
    equal((await cellsOf(page, "#list-table")).length, Math.min(200, count), "rows of the list");
    await page.click("#list-table tbody tr:nth-child(5) button");
    equal((await ask(page, "selected")).task, 4, "the list selects");
    await page.click("#list summary");
    await press(page, "Escape", "f");
}

// Contrast of two CSS colours, as WCAG defines it.
function contrast(a, b) {
    const light = (colour) => {
        const [r, g, blue] = colour.match(/[\d.]+/g).map((part) => {
            const c = part / 255;
            return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
    };
    const [x, y] = [light(a), light(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

async function testTheme(page, expected) {
    equal(await ask(page, "theme"), expected, "theme");
    const look = await page.evaluate(() => {
        const of = (query, name) => getComputedStyle(document.querySelector(query))[name];
        return { ground: of("body", "backgroundColor"), ink: of("body", "color"),
            card: of(".card", "backgroundColor"), quiet: of("#hint", "color") };
    });
    check(contrast(look.ink, look.ground) >= 7, `${expected}: text can be read`);
    check(contrast(look.quiet, look.card) >= 4.5, `${expected}: quiet text can be read`);
    await screenshot(page, expected);
}

async function testThemes(page) {
    await testTheme(page, "light");
    const light = await picture(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await settle(page);
    await testTheme(page, "dark");
    check((await picture(page)) !== light, "the chart is drawn for the dark");
    await page.click("#theme");
    await settle(page);
    equal(await ask(page, "theme"), "light", "the button overrules the system");
    await page.click("#theme");
    await page.click("#theme");
    await settle(page);
    equal(await ask(page, "theme"), "dark", "and gives way to it again");
    await page.emulateMedia({ colorScheme: "light" });
    await settle(page);
}

async function testNames(page) {
    const nameless = await page.$$eval("button, input, [role=application], canvas[role=img]",
        (list) => list.filter((item) => !(item.getAttribute("aria-label") || item.textContent.trim()))
            .map((item) => item.outerHTML));
    equal(nameless, [], "controls without a name");
    const heads = await page.$$eval("table th", (list) =>
        list.filter((item) => !item.scope).map((item) => item.innerText));
    equal(heads, [], "table heads without a scope");
    equal(await page.title(), `${meta.title} · trace`, "title");
}

const browser = await start();
const page = await open(browser, write("page.html", fill(template(), meta, data)));
for (const test of [testFocus, testBars, testColours, testHover, testFilter, testZoom, testOverview,
    testKeyboard,
    testSearch, testTotals, testNeighbours, testGaps, testExport, testToggles, testThemes, testNames]) {
    await test(page);
}
await close(page, "page");
await finish(browser);
