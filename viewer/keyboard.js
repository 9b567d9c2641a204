// Keys, for the whole page.

import { byId, element } from "./dom.js";
import { hideTip } from "./tip.js";

const HELP = [
    [["←", "→"], "pan; with Shift by a whole window"],
    [["↑", "↓"], "scroll the rows of the chart"],
    [["+", "−"], "zoom in and out"],
    [["Home", "End"], "beginning and end of the run"],
    [["f"], "fit: show everything"],
    [["n", "b"], "next task of the row, and back"],
    [["j", "k"], "row below, row above"],
    [["z"], "zoom to the selected task"],
    [["/"], "search; Enter and Shift+Enter go through the matches"],
    [["p"], "longest path"],
    [["s"], "states: what workers did besides tasks"],
    [["m"], "messages between ranks"],
    [["t"], "theme"],
    [["Esc"], "close, deselect, end the search"],
    [["?"], "this help"],
    [["drag"], "pan; with Shift zoom into a range"],
    [["wheel"], "zoom; sideways pan"],
    [["double click"], "zoom to a task; in the legend: this class alone"],
];

export function openHelp() {
    const list = byId("keys");
    if (!list.children.length) {
        for (const [keys, text] of HELP) {
            const caps = keys.flatMap((key) => [element("kbd", {}, key), " "]);
            list.append(element("dt", {}, ...caps), element("dd", {}, text));
        }
    }
    byId("help").showModal();
}

// Position in the bars of the task to select when there is none: the first in view.
function firstInView(model) {
    for (let r = 0; r < model.bars.rows; r++) {
        const [low, high] = model.bars.range(r, model.view.t0, model.view.t1);
        if (low < high) return low;
    }
    return -1;
}

function positionOf(model, task) {
    const { bars, trace } = model;
    const row = trace.tasks.row[task];
    for (let at = bars.range(row, trace.tasks.start[task], Infinity)[0]; at < bars.count; at++) {
        if (bars.order[at] === task) return at;
    }
    return -1;
}

// Select the next shown task of the row, by step -1 the previous one.
function stepInRow(model, step) {
    const { bars, selected, trace, visible } = model;
    let at = selected < 0 ? firstInView(model) - step : positionOf(model, selected);
    const row = selected < 0 ? 0 : trace.tasks.row[selected];
    const [low, high] = selected < 0 ? [0, bars.count] : [bars.first[row], bars.first[row + 1]];
    do at += step;
    while (at >= low && at < high && !visible[bars.kind[at]]);
    if (at >= low && at < high) model.goTo(bars.order[at]);
}

// Select the task of a neighbouring row at the same time; rows without one are passed over.
function stepRow(model, step) {
    const { bars, selected, trace, visible } = model;
    if (selected < 0) {
        stepInRow(model, 1);
        return;
    }
    const { start, duration, row } = trace.tasks;
    const time = start[selected] + duration[selected] / 2;
    for (let r = row[selected] + step; r >= 0 && r < bars.rows; r += step) {
        const at = bars.find(r, time, model.view.length, visible);
        if (at >= 0) {
            model.goTo(bars.order[at]);
            return;
        }
    }
}

function escape(model) {
    hideTip();
    if (document.activeElement === byId("query")) byId("chart").focus();
    if (model.selected >= 0) model.select(-1);
    else if (model.query) {
        byId("query").value = "";
        model.search("");
    }
}

function zoomToSelected(model) {
    if (model.selected < 0) return;
    const { start, duration } = model.trace.tasks;
    const [from, length] = [start[model.selected], duration[model.selected]];
    model.look((view) => view.show(from - 2 * length, from + 3 * length));
}

function pan(model, event, direction) {
    const share = event.shiftKey ? 1 : 0.15;
    model.look((view) => view.pan(direction * share * view.length));
}

// In the chart the arrows scroll its rows; elsewhere they scroll the page.
function scrollRows(event, direction) {
    if (document.activeElement !== byId("chart")) return false;
    byId("scroller").scrollTop += direction * 60;
    return true;
}

const ACTIONS = {
    ArrowLeft: (model, event) => pan(model, event, -1),
    ArrowRight: (model, event) => pan(model, event, 1),
    ArrowUp: (model, event) => scrollRows(event, -1),
    ArrowDown: (model, event) => scrollRows(event, 1),
    Home: (model) => model.look((view) => view.pan(-view.span)),
    End: (model) => model.look((view) => view.pan(view.span)),
    "+": (model) => model.look((view) => view.zoom(0.6)),
    "=": (model) => model.look((view) => view.zoom(0.6)),
    "-": (model) => model.look((view) => view.zoom(1 / 0.6)),
    f: (model) => model.look((view) => view.fit()),
    n: (model) => stepInRow(model, 1),
    b: (model) => stepInRow(model, -1),
    j: (model) => stepRow(model, 1),
    k: (model) => stepRow(model, -1),
    z: zoomToSelected,
    p: (model) => model.toggle("showPath"),
    s: (model) => model.toggle("showStates"),
    m: (model) => model.trace.messages.count > 0 && model.toggle("showMessages"),
    t: () => byId("theme").click(),
    "/": () => byId("query").select(),
    "?": openHelp,
    Escape: escape,
};

export function attachKeyboard(model) {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
        const typing = event.target.matches?.("input, textarea, select");
        if (typing && event.key !== "Escape") return;
        const action = ACTIONS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (action && action(model, event) !== false) event.preventDefault();
    });
}
