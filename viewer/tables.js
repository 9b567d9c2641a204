// The tables under the chart: what the statistics say, in words and numbers.

import { byId, element, swatch } from "./dom.js";
import { bytes, percent, plural, seconds, shortNumber, withCommas } from "./format.js";
import { partnersOf } from "./totals.js";

function headRow(names) {
    const cells = names.map((name) => element("th", { scope: "col" }, name));
    return element("thead", {}, element("tr", {}, ...cells));
}

// First cell a heading of the row, the others data; cells are texts or elements.
function bodyRow(cells) {
    const [first, ...rest] = cells;
    const made = element("tr", {}, element("th", { scope: "row" }, first));
    for (const cell of rest) made.append(cell?.tagName === "TD" ? cell : element("td", {}, cell ?? "–"));
    return made;
}

export function fillTable(table, heads, rows, foot) {
    table.replaceChildren(headRow(heads), element("tbody", {}, ...rows.map(bodyRow)));
    if (foot) table.append(element("tfoot", {}, bodyRow(foot)));
}

function meter(share) {
    const fill = element("i");
    fill.style.width = `${Math.min(100, Math.max(0, share * 100))}%`;
    const bar = element("span", { className: "meter", "aria-hidden": "true" }, fill);
    return element("span", {}, percent(share), bar);
}

function sum(list, key) {
    return list.reduce((total, item) => total + (item[key] ?? 0), 0);
}

function micro(value) {
    return value === null || value === undefined ? null : seconds(value * 1e-6);
}

function named(colour, text) {
    return element("span", {}, swatch(colour), text);
}

// GFLOP/s, and of how many that the machine could give.
function speedOf({ gflops, ceiling_gflops: ceiling }) {
    if (!gflops) return null;
    return ceiling ? `${shortNumber(gflops)} of ${shortNumber(ceiling)}` : shortNumber(gflops);
}

function limitOf({ verdict }) {
    return verdict && verdict !== "unknown" ? verdict.replace("-bound", "") : null;
}

// Columns for classes whose work is known; nobody needs a column of dashes.
const SPEED = [
    ["GFLOP/s", speedOf],
    ["bound by", limitOf],
];

function showClasses(model, stats) {
    const partners = partnersOf(model.trace.classes, stats.classes);
    const items = partners.map((item, i) => ({ item, colour: model.colours[i] }))
        .filter(({ item }) => item).sort((a, b) => b.item.seconds - a.item.seconds);
    const total = sum(partners.filter(Boolean), "seconds");
    const speed = SPEED.filter(([, text]) => items.some(({ item }) => text(item)));
    const rows = items.map(({ item, colour }) => [
        named(colour, item.name),
        withCommas(item.count),
        seconds(item.seconds),
        percent(total > 0 ? item.seconds / total : 0),
        micro(item.mean_us),
        micro(item.min_us),
        micro(item.max_us),
        micro(item.stddev_us),
        ...speed.map(([, text]) => text(item)),
    ]);
    const heads = ["class", "tasks", "time", "share", "mean", "least", "most", "spread",
        ...speed.map(([head]) => head)];
    const foot = ["all", withCommas(sum(partners.filter(Boolean), "count")), seconds(total)];
    fillTable(byId("class-table"), heads, rows, [...foot, ...heads.slice(3).map(() => "")]);
}

function showWorkers(stats) {
    const workers = stats.workers ?? [];
    const all = stats.seconds || 1;
    const rows = workers.map((item) => [
        item.name,
        withCommas(item.tasks),
        seconds(item.busy),
        meter(item.busy / all),
        seconds(item.idle),
        seconds(item.overhead),
    ]);
    fillTable(byId("worker-table"), ["worker", "tasks", "busy", "share", "idle", "overhead"], rows, [
        "all",
        withCommas(sum(workers, "tasks")),
        seconds(sum(workers, "busy")),
        percent(sum(workers, "busy") / (all * Math.max(1, workers.length))),
        seconds(sum(workers, "idle")),
        seconds(sum(workers, "overhead")),
    ]);
}

// What each rank did and sent, where there are several.
function showRanks(model, stats) {
    const ranks = stats.ranks ?? [];
    byId("rank-table").closest("section").hidden = model.trace.ranks < 2 || ranks.length < 2;
    const all = stats.seconds || 1;
    const rows = ranks.map((item) => [
        String(item.rank),
        withCommas(item.tasks),
        meter(item.busy / (all * Math.max(1, item.workers))),
        withCommas(item.sent),
        bytes(item.sent_bytes),
        withCommas(item.received),
        bytes(item.received_bytes),
    ]);
    const heads = ["rank", "tasks", "busy", "sent", "data", "received", "data"];
    fillTable(byId("rank-table"), heads, rows, [
        "all",
        withCommas(sum(ranks, "tasks")),
        percent(stats.utilisation),
        withCommas(sum(ranks, "sent")),
        bytes(sum(ranks, "sent_bytes")),
        withCommas(sum(ranks, "received")),
        bytes(sum(ranks, "received_bytes")),
    ]);
}

// The name of a cause: a button when the chart can show where it was.
function causeName(model, item, number) {
    if (!model.trace.gaps.count) return item.cause;
    const button = element("button", { type: "button", "aria-pressed": "false", "data-cause": String(number) },
        item.cause);
    button.title = "Click to see this idle time on the chart";
    button.addEventListener("click", () => model.chooseCause(number));
    model.on("cause", () => button.setAttribute("aria-pressed", model.cause === number));
    return button;
}

function showIdle(model, stats) {
    const causes = (stats.why_idle ?? []).map((item, number) => ({ ...item, number }))
        .sort((a, b) => b.seconds - a.seconds);
    if (!causes.length) {
        byId("idle-table").closest("section").hidden = true;
        return;
    }
    const rows = causes.map((item) => [
        causeName(model, item, item.number),
        seconds(item.seconds),
        meter(item.share),
        element("td", { className: "text" }, item.detail ?? "",
            item.advice ? element("small", {}, item.advice) : null),
    ]);
    fillTable(byId("idle-table"), ["cause", "time", "share", "what to know"], rows,
        ["all", seconds(sum(causes, "seconds")), "", ""]);
    byId("idle-table").querySelector("thead th:last-child").className = "text";
}

function showBounds(stats) {
    const { bounds, longest_path: path, seconds: time } = stats;
    if (!bounds) {
        byId("bound-table").closest("section").hidden = true;
        return;
    }
    const times = (bound) => (bound > 0 ? `${(time / bound).toFixed(2)}×` : null);
    const rows = [
        ["work over all workers", seconds(bounds.work), times(bounds.work)],
        [`longest path${path ? `, ${plural(path.tasks, "task")}` : ""}`, seconds(bounds.path),
            times(bounds.path)],
    ];
    fillTable(byId("bound-table"), ["no run can be faster than", "time", "this run took"], rows,
        ["this run", seconds(time), percent(bounds.efficiency)]);
}

export function showTables(model) {
    const stats = model.trace.meta.stats ?? {};
    showClasses(model, stats);
    showRanks(model, stats);
    showWorkers(stats);
    showIdle(model, stats);
    showBounds(stats);
}
