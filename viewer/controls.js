// Buttons, the search field, the line about the window, and the list of tasks.

import { byId, element } from "./dom.js";
import { duration, instant, percent, plural, withCommas } from "./format.js";
import { openHelp } from "./keyboard.js";
import { fillTable } from "./tables.js";
import { factsOf, titleOf } from "./task.js";

const LISTED = 200;

function attachButtons(model) {
    const click = (id, action) => byId(id).addEventListener("click", action);
    click("zoom-in", () => model.look((view) => view.zoom(0.6)));
    click("zoom-out", () => model.look((view) => view.zoom(1 / 0.6)));
    click("fit", () => model.look((view) => view.fit()));
    click("path", () => model.toggle("showPath"));
    click("states", () => model.toggle("showStates"));
    click("messages", () => model.toggle("showMessages"));
    click("help-open", openHelp);
    byId("path").disabled = model.trace.path.length === 0;
    byId("states").disabled = model.trace.states.count === 0;
    byId("messages").hidden = model.trace.messages.count === 0;
    const show = () => {
        byId("path").setAttribute("aria-pressed", model.showPath);
        byId("states").setAttribute("aria-pressed", model.showStates);
        byId("messages").setAttribute("aria-pressed", model.showMessages);
    };
    model.on("toggle", show);
    show();
}

function attachSearch(model) {
    byId("query").addEventListener("input", (event) => model.search(event.target.value));
    byId("query").addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || !event.shiftKey) return;
        event.preventDefault();
        model.nextFound(-1);
    });
    byId("search").addEventListener("submit", (event) => {
        event.preventDefault();
        model.nextFound(1);
    });
    byId("found-previous").addEventListener("click", () => model.nextFound(-1));
    model.on("search", () => {
        const count = model.found?.length ?? 0;
        byId("found-next").disabled = byId("found-previous").disabled = count === 0;
        const place = model.foundAt >= 0 ? `${withCommas(model.foundAt + 1)} of ` : "";
        byId("found").textContent =
            model.found === null ? "" : count ? `${place}${plural(count, "task")}` : "no such task";
    });
}

function showWindow(model) {
    const { t0, t1, length, isAll } = model.view;
    const range = isAll
        ? `Whole run, ${duration(length)}`
        : `${instant(t0, length / 100)} to ${instant(t1, length / 100)} (${duration(length)})`;
    byId("in-view").textContent =
        `${range} · ${plural(model.tasksInView(), "task")} · ${percent(model.busyInView())} busy`;
}

// The first tasks in view, by their starts.
function firstTasks(model) {
    const { bars, view, trace } = model;
    const tasks = [];
    for (let r = 0; r < bars.rows; r++) {
        let [at, high] = bars.range(r, view.t0, view.t1);
        for (let taken = 0; at < high && taken < LISTED; at++) {
            if (!model.visible[bars.kind[at]] || bars.end[at] < view.t0) continue;
            tasks.push(bars.order[at]);
            taken++;
        }
    }
    return tasks.sort((a, b) => trace.tasks.start[a] - trace.tasks.start[b]).slice(0, LISTED);
}

function showList(model) {
    if (!byId("list").open) return;
    const heads = ["task", "row", "start", "duration", "graph", "rate"];
    const rows = firstTasks(model).map((task) => {
        const facts = new Map(factsOf(model.trace, task));
        const button = element("button", { type: "button" }, titleOf(model.trace, task));
        button.addEventListener("click", () => model.goTo(task));
        const name = model.trace.rows[model.trace.tasks.row[task]].name;
        return [button, name, ...heads.slice(2).map((head) => facts.get(head) ?? null)];
    });
    const table = byId("list-table");
    fillTable(table, heads, rows);
    const total = model.tasksInView();
    table.prepend(element("caption", {}, total > rows.length
        ? `The first ${rows.length} of ${plural(total, "task")} in view; zoom in or filter for others.`
        : `All ${plural(rows.length, "task")} in view.`));
}

// Work that may wait until the pointer rests.
function later(action, delay) {
    let timer = 0;
    return () => {
        clearTimeout(timer);
        timer = setTimeout(action, delay);
    };
}

export function attachControls(model) {
    attachButtons(model);
    attachSearch(model);
    const list = later(() => showList(model), 150);
    byId("list").addEventListener("toggle", () => showList(model));
    for (const kind of ["view", "filter"]) {
        model.on(kind, () => showWindow(model));
        model.on(kind, list);
    }
    showWindow(model);
}
