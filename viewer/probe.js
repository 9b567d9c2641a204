// window.twillPage: what the page knows of itself, to be read by tests and by curious people.

import { svgOf } from "./export.js";
import { titleOf } from "./task.js";

function describe(trace, task) {
    if (task < 0) return null;
    const { tasks } = trace;
    return {
        task,
        title: titleOf(trace, task),
        class: trace.classes[tasks.kind[task]].name,
        row: tasks.row[task],
        start: tasks.start[task],
        duration: tasks.duration[task],
    };
}

// Where a task is in the window: { x, y, width, height }, or null when it is out of view.
function boxOf(chart, task) {
    const box = chart.boxOnPane(task);
    if (!box) return null;
    const pane = chart.scroller.getBoundingClientRect();
    return { ...box, x: box.x + pane.left, y: box.y + pane.top };
}

export function exposePage(model, chart, theme, check, readyMs) {
    const { trace } = model;
    const page = {
        readyMs,
        get counts() {
            return {
                tasks: trace.tasks.count,
                states: trace.states.count,
                rows: trace.rows.length,
                classes: trace.classes.length,
                path: trace.path.length,
                ranks: trace.ranks,
                messages: trace.messages.count,
                critical: trace.tasks.critical?.reduce((sum, one) => sum + one, 0) ?? 0,
                teams: model.teams.length,
            };
        },
        get drawn() {
            return { ...model.drawn };
        },
        get range() {
            return { t0: model.view.t0, t1: model.view.t1, span: trace.span };
        },
        get hidden() {
            return trace.classes.filter((_, i) => !model.visible[i]).map(({ name }) => name);
        },
        get selected() {
            return describe(trace, model.selected);
        },
        get found() {
            return model.found ? model.found.length : null;
        },
        get theme() {
            return theme.name;
        },
        get pathShown() {
            return model.showPath;
        },
        get path() {
            return [...trace.path];
        },
        get totals() {
            return structuredClone(check().totals);
        },
        get differences() {
            return [...check().differences];
        },
        get cause() {
            return model.cause;
        },
        // The critical set over time: [{ time, end, row, members, wanted }].
        get set() {
            const { set } = trace;
            return Array.from(set.time.keys()).map((i) => ({ time: set.time[i], end: set.end[i],
                row: set.row[i], members: set.members[i], wanted: set.wanted[i] }));
        },
        // Pieces of idle time of a cause: [{ row, start, duration }].
        gapsOf(cause) {
            const { gaps } = trace;
            return Array.from(gaps.kind.keys()).filter((i) => gaps.kind[i] === cause)
                .map((i) => ({ row: gaps.row[i], start: gaps.start[i], duration: gaps.duration[i] }));
        },
        predecessors: (index) => trace.edges.predecessors(index),
        successors: (index) => trace.edges.successors(index),
        svg: () => svgOf(model),
        task: (index) => describe(trace, index),
        boxOf: (index) => boxOf(chart, index),
        // Where message i is in the window, from end to end: [x0, y0, x1, y1].
        lineOf(index) {
            const pane = chart.scroller.getBoundingClientRect();
            const [x0, y0, x1, y1] = chart.messageLine(index);
            return [x0 + pane.left, y0 + pane.top, x1 + pane.left, y1 + pane.top];
        },
        hitTest: (x, y) => describe(trace, chart.hitTest(x, y)?.task ?? -1),
        // Draw at once and say how long it took, in milliseconds.
        redraw() {
            const before = performance.now();
            chart.draw();
            return performance.now() - before;
        },
    };
    Object.defineProperty(window, "twillPage", { value: Object.freeze(page) });
}
