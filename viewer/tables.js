// The tables under the chart: what the statistics say, in words and numbers.

import { byId, element, swatch } from "./dom.js";
import { percent, seconds, shortNumber, withCommas } from "./format.js";

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

function showClasses(model, stats) {
    const classes = [...(stats.classes ?? [])].sort((a, b) => b.seconds - a.seconds);
    const total = sum(classes, "seconds");
    const colourOf = new Map(model.trace.classes.map(({ name }, i) => [name, model.colours[i]]));
    const rows = classes.map((item) => [
        named(colourOf.get(item.name) ?? "transparent", item.name),
        withCommas(item.count),
        seconds(item.seconds),
        meter(total > 0 ? item.seconds / total : 0),
        micro(item.mean_us),
        micro(item.min_us),
        micro(item.max_us),
        micro(item.stddev_us),
        item.gflops ? shortNumber(item.gflops) : null,
    ]);
    fillTable(byId("class-table"),
        ["class", "tasks", "time", "share", "mean", "least", "most", "spread", "GFLOP/s"], rows,
        ["all", withCommas(sum(classes, "count")), seconds(total), "", "", "", "", "", ""]);
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

function showIdle(stats) {
    const causes = [...(stats.why_idle ?? [])].sort((a, b) => b.seconds - a.seconds);
    if (!causes.length) {
        byId("idle-table").closest("section").hidden = true;
        return;
    }
    const rows = causes.map((item) => [
        item.cause,
        seconds(item.seconds),
        meter(item.share),
        element("td", { className: "text" }, item.detail ?? ""),
    ]);
    fillTable(byId("idle-table"), ["cause", "time", "share", "what to know"], rows,
        ["all", seconds(sum(causes, "seconds")), "", ""]);
    byId("idle-table").querySelector("thead th:last-child").className = "text";
}

function showBounds(stats) {
    const { bounds, critical_path: path, seconds: time } = stats;
    if (!bounds) {
        byId("bound-table").closest("section").hidden = true;
        return;
    }
    const times = (bound) => (bound > 0 ? `${(time / bound).toFixed(2)}×` : null);
    const rows = [
        ["work over all workers", seconds(bounds.work), times(bounds.work)],
        [`longest path${path ? `, ${withCommas(path.tasks)} tasks` : ""}`, seconds(bounds.path),
            times(bounds.path)],
    ];
    fillTable(byId("bound-table"), ["no run can be faster than", "time", "this run took"], rows,
        ["this run", seconds(time), percent(bounds.efficiency)]);
}

export function showTables(model) {
    const stats = model.trace.meta.stats ?? {};
    showClasses(model, stats);
    showWorkers(stats);
    showIdle(stats);
    showBounds(stats);
}
