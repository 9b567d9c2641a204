// The head of the page: what ran, the numbers people ask for first, and whether they hold.

import { byId, element } from "./dom.js";
import { bytes, percent, plural, seconds, shortNumber, withCommas } from "./format.js";
import { differencesOf, totalsOf } from "./totals.js";

function card(label, value, note) {
    const text = element("dd", {}, value, note ? element("small", {}, note) : null);
    return element("div", {}, element("dt", {}, label), text);
}

function totalFlops(tasks) {
    let flops = 0;
    if (tasks.flops) for (const one of tasks.flops) flops += one;
    return flops;
}

function cardsFor(trace) {
    const stats = trace.meta.stats ?? {};
    const { bounds, longest_path: path } = stats;
    const cards = [
        card("Time", seconds(stats.seconds ?? trace.span * 1e-9),
            trace.ranks > 1 ? `${plural(trace.ranks, "rank")}, ${plural(trace.rows.length, "row")}`
                : plural(trace.rows.length, "row")),
        card("Tasks", withCommas(trace.tasks.count),
            plural(trace.classes.length, "class", "classes")),
    ];
    if (stats.utilisation !== undefined) {
        cards.push(card("Utilisation", percent(stats.utilisation), "of all worker time"));
    }
    if (trace.messages.count) {
        cards.push(card("Messages", withCommas(trace.messages.count),
            bytes(trace.messages.bytes.reduce((a, b) => a + b, 0))));
    }
    const flops = totalFlops(trace.tasks);
    if (flops > 0) cards.push(card("Rate", `${shortNumber(flops / trace.span)} GFLOP/s`, "all tasks"));
    if (path) cards.push(card("Longest path", seconds(path.seconds), plural(path.tasks, "task")));
    if (bounds) {
        cards.push(card("Efficiency", percent(bounds.efficiency), "larger bound / time"));
    }
    return cards;
}

export function showSummary(trace) {
    const { meta } = trace;
    document.title = `${meta.title ?? "Twill"} · trace`;
    byId("title").textContent = meta.title ?? "Twill trace";
    const parts = [meta.command && element("code", {}, meta.command), meta.date, meta.host];
    byId("origin").replaceChildren(
        ...parts.filter(Boolean).flatMap((part, i) => (i ? [" · ", part] : [part])));
    byId("summary").replaceChildren(...cardsFor(trace));
    byId("chart").setAttribute("aria-label", `Gantt chart: ${plural(trace.tasks.count, "task")} of ` +
        `${plural(trace.classes.length, "class", "classes")} in ${plural(trace.rows.length, "row")}`);
    const lost = byId("lost");
    lost.hidden = !(meta.lost > 0);
    lost.textContent = `${plural(meta.lost ?? 0, "event")} were lost: the buffers were too small. ` +
        "What follows is true of the rest only.";
}

// Add up the bars again and say whether the statistics agree with them.
export function showCheck({ trace, bars, states }) {
    const totals = totalsOf(trace, bars, states);
    const differences = differencesOf(trace, totals);
    const line = byId("check");
    line.classList.toggle("warn", differences.length > 0);
    line.classList.toggle("notice", differences.length > 0);
    line.textContent = differences.length
        ? `The bars do not bear out the statistics: ${differences.slice(0, 5).join("; ")}.`
        : `Checked: the counts and times of all ${plural(trace.rows.length, "row")} and ` +
          `${plural(trace.classes.length, "class", "classes")}, added up again from ${withCommas(trace.tasks.count)} ` +
          "bars, agree with the statistics.";
    return { totals, differences };
}
