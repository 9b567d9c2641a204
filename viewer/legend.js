// The legend: classes that can be switched on and off, and the colours of the other states.

import { byId, element, swatch } from "./dom.js";
import { withCommas } from "./format.js";
import { setLegend } from "./reserved.js";

function classButton(model, kind, count) {
    const button = element("button", { type: "button", "data-class": model.trace.classes[kind].name },
        swatch(model.colours[kind]), model.trace.classes[kind].name,
        element("small", {}, withCommas(count)));
    button.title = "Click to hide or show, double-click for this class alone";
    button.addEventListener("click", (event) => {
        if (event.shiftKey || event.altKey) model.onlyClass(kind);
        else model.toggleClass(kind);
    });
    // The two clicks of a double click have cancelled each other out.
    button.addEventListener("dblclick", () => model.onlyClass(kind));
    return button;
}

function countsOf({ count, kind }, kinds) {
    const counts = new Float64Array(kinds);
    for (let i = 0; i < count; i++) counts[kind[i]]++;
    return counts;
}

// Names of the states that occur, with their colours.
function stateItems(names, counts, colours) {
    return names.map((name, i) => element("span", { className: "state", role: "listitem" },
        swatch(colours[i]), name)).filter((_, i) => counts[i]);
}

export function makeLegend(model, theme) {
    const { trace } = model;
    const counts = countsOf(trace.tasks, trace.classes.length);
    const stateCounts = countsOf(trace.states, trace.stateNames.length);
    const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a]);
    const buttons = order.map((kind) => classButton(model, kind, counts[kind]));
    byId("legend").replaceChildren(...buttons);
    const show = () => {
        order.forEach((kind, i) => buttons[i].setAttribute("aria-pressed", Boolean(model.visible[kind])));
        byId("state-legend").hidden = !model.showStates;
        byId("state-legend").replaceChildren(
            ...stateItems(trace.stateNames, stateCounts, theme.colours.states),
            ...setLegend(trace, theme.colours).map(([name, colour]) =>
                element("span", { className: "state", role: "listitem" }, swatch(colour), name)));
    };
    for (const kind of ["filter", "theme", "toggle"]) model.on(kind, show);
    show();
}
