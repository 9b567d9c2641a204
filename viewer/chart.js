// The chart: overview, axis, rows and curves over one scale of time.

import { drawAxis } from "./axis.js";
import { Curve } from "./curves.js";
import { drawGaps } from "./gaps.js";
import { byId } from "./dom.js";
import { bytes, withCommas } from "./format.js";
import { drawMessages, lineOf, messageAt } from "./messages.js";
import { barHeightOf } from "./reserved.js";
import { Overview } from "./overview.js";
import { drawPath } from "./path.js";
import { Rows } from "./rows.js";
import { Scale, Stripes, Surface } from "./surface.js";

const AXIS_HEIGHT = 30;

function makeCurves({ ready, memory, set, ranks }) {
    const curves = [];
    if (set.count && ranks === 1) {
        const sizes = { time: set.time, values: set.members, dashed: set.wanted };
        curves.push(new Curve("Reserved workers", sizes, withCommas, byId("curves")));
    }
    if (ready) curves.push(new Curve("Ready tasks", ready, withCommas, byId("curves")));
    if (memory) curves.push(new Curve("Memory", memory, bytes, byId("curves")));
    return curves;
}

export class Chart {
    constructor(model, theme) {
        this.model = model;
        this.theme = theme;
        this.host = byId("chart");
        this.scroller = byId("scroller");
        this.overview = new Overview(model, byId("overview"));
        this.axis = new Surface(byId("axis"));
        this.pane = new Surface(byId("rows"));
        this.overlay = new Surface(byId("overlay"));
        this.rows = new Rows(model, this.pane);
        this.curves = makeCurves(model.trace);
        this.hover = null; // what hitTest said of the pointer
        this.range = null; // [from, to] while a range is being chosen
        this.pending = false;
        this.onDrawn = () => {};
        new ResizeObserver(() => this.schedule()).observe(this.host);
        this.scroller.addEventListener("scroll", () => this.schedule());
        model.on("any", () => this.schedule());
        model.on("now", () => this.draw());
        model.on("reveal", () => this.revealRow());
        this.draw();
    }

    schedule() {
        if (this.pending) return;
        this.pending = true;
        requestAnimationFrame(() => this.draw());
    }

    layOut() {
        const { model, scroller } = this;
        const room = Math.max(260, Math.min(520, window.innerHeight * 0.5));
        this.stripes = new Stripes(model.bars.rows, room);
        byId("sheet").style.height = `${this.stripes.total}px`;
        // Nobody can scroll on paper.
        const height = this.theme.printing ? this.stripes.total : Math.min(this.stripes.total, room);
        scroller.style.height = `${height}px`;
        this.width = scroller.clientWidth;
        this.axis.resize(this.width, AXIS_HEIGHT);
        this.pane.resize(this.width, height);
        this.overlay.resize(this.width, height);
        this.scale = new Scale(this.width, model.view.t0, model.view.t1, model.trace.ranks);
    }

    draw() {
        this.pending = false;
        this.layOut();
        const { model, scale, stripes } = this;
        const theme = this.theme.colours;
        const scroll = this.scroller.scrollTop;
        this.overview.draw(this.width, theme);
        drawAxis(this.axis.begin(), scale, AXIS_HEIGHT, theme);
        this.rows.draw(scale, stripes, scroll, theme);
        if (model.cause >= 0) drawGaps(this.pane.context, model, scale, stripes, scroll);
        if (model.showMessages) drawMessages(this.pane, model, scale, stripes, scroll, theme);
        if (model.showPath) drawPath(this.pane.context, model, scale, stripes, scroll, theme);
        this.drawPointer();
        this.onDrawn();
    }

    // What follows the pointer: cheap enough to draw again at every move.
    drawPointer() {
        const { model, scale } = this;
        const theme = this.theme.colours;
        const context = this.overlay.begin();
        const time = this.hover ? this.hover.time : null;
        if (time !== null) {
            context.globalAlpha = 0.4;
            context.fillStyle = theme.ink;
            context.fillRect(Math.round(scale.x(time)), 0, 1, this.overlay.height);
            context.globalAlpha = 1;
        }
        if (this.range) this.drawRange(context, theme);
        if (this.hover?.task >= 0) this.outline(context, this.hover.task, theme.ink, 1.5);
        if (model.selected >= 0) this.outline(context, model.selected, theme.accent, 3);
        for (const curve of this.curves) curve.draw(this.width, scale, theme, time);
    }

    drawRange(context, theme) {
        const [a, b] = this.range.map((time) => this.scale.x(time));
        context.globalAlpha = 0.2;
        context.fillStyle = theme.accent;
        context.fillRect(Math.min(a, b), 0, Math.abs(b - a), this.overlay.height);
        context.globalAlpha = 1;
    }

    // Of a task, on the pane: { x, y, width, height }, clipped to the plot, or null.
    boxOnPane(task) {
        const { start, duration, row } = this.model.trace.tasks;
        const { scale, stripes } = this;
        const x0 = Math.max(scale.x(start[task]), scale.left);
        const x1 = Math.min(scale.x(start[task] + duration[task]), scale.right);
        if (x1 < x0) return null;
        const y = stripes.barTop(row[task]) - this.scroller.scrollTop;
        return { x: x0, y, width: Math.max(x1 - x0, 1), height: barHeightOf(this.model, task, stripes) };
    }

    // Of a message, on the pane: [x0, y0, x1, y1].
    messageLine(index) {
        const { messages } = this.model.trace;
        return lineOf(messages, index, this.scale, this.stripes, this.scroller.scrollTop);
    }

    outline(context, task, colour, width) {
        const box = this.boxOnPane(task);
        if (!box) return;
        context.lineWidth = width + 2;
        context.strokeStyle = this.theme.colours.surface;
        context.strokeRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
        context.lineWidth = width;
        context.strokeStyle = colour;
        context.strokeRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
    }

    revealRow() {
        const { model, stripes, scroller } = this;
        if (model.selected < 0 || !stripes) return;
        const top = stripes.top(model.trace.tasks.row[model.selected]);
        if (top < scroller.scrollTop) scroller.scrollTop = top;
        const bottom = top + stripes.height - scroller.clientHeight;
        if (bottom > scroller.scrollTop) scroller.scrollTop = bottom;
    }

    // Time under a place of the window, or null beside the plot.
    timeAt(clientX) {
        const x = clientX - this.host.getBoundingClientRect().left - this.host.clientLeft;
        return this.scale.contains(x) ? this.scale.time(x) : null;
    }

    // The task in whose team the worker of a row is, or -1.
    teamAt(row, time) {
        const { states, trace, visible } = this.model;
        const at = states.find(row, time, 0, this.model.visibleStates);
        const task = at >= 0 ? trace.states.task[states.order[at]] - 1 : -1;
        return task >= 0 && visible[trace.tasks.kind[task]] ? task : -1;
    }

    // What lies at a place of the window: { time, row, task, message, state, crowd }; null beside the
    // plot.
    hitTest(clientX, clientY) {
        const time = this.timeAt(clientX);
        if (time === null) return null;
        const { model, stripes, scale } = this;
        const pane = this.scroller.getBoundingClientRect();
        const inside = clientY >= pane.top && clientY < pane.bottom;
        const y = clientY - pane.top + this.scroller.scrollTop;
        const row = inside ? stripes.rowAt(y) : -1;
        const hit = { time, row, task: -1, message: -1, state: -1, crowd: 0 };
        if (row < 0) return hit;
        const foot = y > stripes.barTop(row) + stripes.barHeight;
        const at = foot ? -1 : model.bars.find(row, time, 1.5 * scale.perPixel, model.visible);
        if (at >= 0) {
            hit.task = model.bars.order[at];
            const half = scale.perPixel / 2;
            const [low, high] = model.bars.range(row, time - half, time + half);
            hit.crowd = high - low;
            return hit;
        }
        hit.task = this.teamAt(row, time);
        if (hit.task >= 0) return hit;
        if (model.showMessages) {
            hit.message = messageAt(model.trace.messages, scale, stripes, scale.x(time), y);
        }
        if (hit.message < 0 && model.showStates) {
            hit.state = model.states.find(row, time, scale.perPixel, model.visibleStates);
        }
        return hit;
    }
}
