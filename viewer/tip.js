// The box beside the pointer, and the line about the selected task.

import { byId, element, factList, taskTitle } from "./dom.js";
import { duration, instant, plural } from "./format.js";
import { messageFacts } from "./messages.js";
import { factsOf, titleOf } from "./task.js";

function place(tip, x, y) {
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = x + 16 + width > window.innerWidth ? x - width - 12 : x + 16;
    const top = y + 18 + height > window.innerHeight ? y - height - 12 : y + 18;
    tip.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
}

export function hideTip() {
    byId("tip").hidden = true;
}

// `hit` as Chart.hitTest gives it.
export function showTip(model, theme, hit, x, y) {
    const tip = byId("tip");
    const { trace } = model;
    if (hit.task >= 0) {
        const facts = factsOf(trace, hit.task);
        if (hit.crowd > 1) facts.push(["here", `${plural(hit.crowd, "task")} in this pixel`]);
        const colour = model.colours[trace.tasks.kind[hit.task]];
        tip.replaceChildren(taskTitle(colour, titleOf(trace, hit.task)), factList(facts, "facts"));
    } else if (hit.message >= 0) {
        tip.replaceChildren(taskTitle(theme.colours.message, "message"),
            factList(messageFacts(trace, hit.message), "facts"));
    } else if (hit.state >= 0) {
        const { states } = model;
        const length = states.end[hit.state] - states.start[hit.state];
        const kind = states.kind[hit.state];
        tip.replaceChildren(taskTitle(theme.colours.states[kind], trace.stateNames[kind]),
            factList([
                ["start", instant(states.start[hit.state], Math.max(length / 100, 1))],
                ["duration", duration(length)],
                ["worker", trace.rows[hit.row].name],
            ], "facts"));
    } else {
        hideTip();
        return;
    }
    place(tip, x, y);
}

const LINKS = 12;

// Place of a task on the longest path, from 1, or 0.
function placeOnPath(trace, task) {
    return trace.path.indexOf(task) + 1;
}

// Buttons that lead to tasks, the first few of them.
function taskLinks(model, label, tasks, button) {
    const shown = tasks.slice(0, LINKS).map((task) =>
        button(titleOf(model.trace, task), () => model.goTo(task)));
    const rest = tasks.length - shown.length;
    return element("span", { className: "links", "data-kind": label },
        element("b", {}, `${plural(tasks.length, label)} `), ...shown,
        rest > 0 ? `and ${plural(rest, "other")}` : null);
}

export function makeSelected(model) {
    const region = byId("selected");
    const button = (text, action) => {
        const made = element("button", { type: "button" }, text);
        made.addEventListener("click", action);
        return made;
    };
    model.on("select", () => {
        const { trace, selected: task } = model;
        region.hidden = task < 0;
        if (task < 0) return;
        const facts = factsOf(trace, task);
        const onPath = placeOnPath(trace, task);
        if (onPath) facts.push(["longest path", `${onPath} of ${trace.path.length}`]);
        const { start, duration: length } = trace.tasks;
        const zoom = () => model.look((view) =>
            view.show(start[task] - 2 * length[task], start[task] + 3 * length[task]));
        region.replaceChildren(taskTitle(model.colours[trace.tasks.kind[task]], titleOf(trace, task)),
            factList(facts, ""),
            ...(trace.edges.count ? [
                taskLinks(model, "predecessor", trace.edges.predecessors(task), button),
                taskLinks(model, "successor", trace.edges.successors(task), button)] : []),
            element("span", { className: "more" }, button("Zoom to it", zoom),
                button("Close", () => model.select(-1))));
    });
}
