// Everything the page shows and the choices of its reader; parts of the page listen to changes.

import { Sums, sharesOf } from "./bins.js";
import { Intervals } from "./intervals.js";
import { classColours } from "./palette.js";
import { rowsOfTasks, teamsOf } from "./reserved.js";
import { findTasks } from "./search.js";
import { View } from "./view.js";

export class Model {
    constructor(trace) {
        this.trace = trace;
        this.bars = new Intervals(trace.tasks, trace.rows.length);
        this.states = new Intervals(trace.states, trace.rows.length);
        this.barSums = new Sums(this.bars, trace.classes.length, trace.span);
        this.stateSums = new Sums(this.states, trace.stateNames.length, trace.span);
        this.view = new View(trace.span);
        this.visible = new Uint8Array(trace.classes.length).fill(1);
        this.visibleStates = new Uint8Array(trace.stateNames.length).fill(1);
        this.colours = classColours(trace.classes);
        this.rowsOfTasks = rowsOfTasks(trace);
        this.teams = teamsOf(this.rowsOfTasks);
        this.showPath = false;
        this.showStates = trace.states.count > 0;
        this.showMessages = trace.messages.count > 0;
        this.selected = -1;
        this.cause = -1; // whose idle time stands out
        this.query = "";
        this.found = null; // tasks that match, in the order of their starts
        this.foundAt = -1;
        this.drawn = { bars: 0, binned: 0 };
        this.listeners = new Map();
    }

    on(kind, listener) {
        this.listeners.set(kind, [...(this.listeners.get(kind) ?? []), listener]);
    }

    emit(kind) {
        for (const listener of this.listeners.get(kind) ?? []) listener();
        if (kind !== "any") this.emit("any");
    }

    // Change the window: model.look((view) => view.zoom(0.5)).
    look(change) {
        change(this.view);
        this.emit("view");
    }

    toggleClass(kind) {
        this.visible[kind] ^= 1;
        this.emit("filter");
    }

    // Only this class; again, and all are back.
    onlyClass(kind) {
        const alone = this.visible.every((shown, i) => Boolean(shown) === (i === kind));
        this.visible.fill(alone ? 1 : 0);
        this.visible[kind] = 1;
        this.emit("filter");
    }

    toggle(name) {
        this[name] = !this[name];
        this.emit("toggle");
    }

    select(task) {
        this.selected = task;
        this.emit("select");
    }

    // The idle time of this cause stands out; again, and none does.
    chooseCause(cause) {
        this.cause = this.cause === cause ? -1 : cause;
        this.emit("cause");
    }

    search(query) {
        this.query = query;
        this.found = findTasks(this.trace, query);
        this.foundAt = -1;
        this.emit("search");
    }

    // Go to the next match, or by step -1 to the previous one.
    nextFound(step) {
        const count = this.found?.length ?? 0;
        if (!count) return;
        this.foundAt = this.foundAt < 0 && step < 0 ? count - 1 : (this.foundAt + step + count) % count;
        this.goTo(this.found[this.foundAt]);
        this.emit("search");
    }

    goTo(task) {
        const { start, duration } = this.trace.tasks;
        this.select(task);
        this.look((view) => view.reveal(start[task], start[task] + duration[task]));
        this.emit("reveal");
    }

    tasksInView() {
        let count = 0;
        for (let r = 0; r < this.bars.rows; r++) {
            const [low, high] = this.bars.range(r, this.view.t0, this.view.t1);
            count += high - low;
        }
        return count;
    }

    // Share of the workers' time in view that went into tasks, also those of other workers' teams.
    busyInView() {
        const { t0, t1 } = this.view;
        const team = this.trace.stateNames.indexOf("team");
        let busy = 0;
        for (let r = 0; r < this.bars.rows; r++) {
            for (const share of sharesOf(this.bars, this.barSums, r, t0, t1, 1)) busy += share;
            if (team >= 0) busy += sharesOf(this.states, this.stateSums, r, t0, t1, 1)[team];
        }
        return busy / Math.max(1, this.bars.rows);
    }
}
