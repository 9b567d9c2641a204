// The rows of the chart: bars while they can be told apart, columns of shares when they cannot.

import { sharesOf } from "./bins.js";
import { drawGrid } from "./axis.js";
import { inkOn, mix } from "./palette.js";
import { paintStack } from "./stack.js";
import { percent } from "./format.js";
import { barHeightOf, drawReserved, eachTeam } from "./reserved.js";
import { parametersOf } from "./task.js";

const DIMMED = 0.8; // how far colours go into the ground while a search picks out others

// `source` is { set, sums, row }, `look` is what paintStack() wants to know.
function drawShares(surface, scale, source, top, height, look) {
    const { ratio, context } = surface;
    const columns = Math.max(1, Math.round(scale.plot * ratio));
    const shares = sharesOf(source.set, source.sums, source.row, scale.t0, scale.t1, columns);
    const y = Math.round(top * ratio);
    const rows = Math.max(1, Math.round((top + height) * ratio) - y);
    const image = paintStack(context.createImageData(columns, rows), shares, look);
    context.putImageData(image, Math.round(scale.left * ratio), y);
}

// Call draw(position, x, width) for each interval of the row in view.
function eachBar(set, row, scale, visible, draw) {
    const [low, high] = set.range(row, scale.t0, scale.t1);
    for (let at = low; at < high; at++) {
        if (!visible[set.kind[at]]) continue;
        const x0 = Math.max(scale.x(set.start[at]), scale.left);
        const x1 = Math.min(scale.x(set.end[at]), scale.right);
        if (x1 >= x0) draw(at, x0, x1 - x0);
    }
}

function fillBar(context, x, y, width, height) {
    if (width < 6) {
        context.fillRect(x, y, Math.max(width - (width > 3 ? 0.75 : 0), 1), height);
        return;
    }
    context.beginPath();
    context.roundRect(x, y, width - 0.75, height, 2);
    context.fill();
}

function labelFor(context, trace, task, room) {
    const name = trace.classes[trace.tasks.kind[task]].name;
    const values = parametersOf(trace, task).map((parameter) => parameter.value);
    const full = values.length ? `${name} ${values.join(",")}` : name;
    for (const text of [full, name]) if (context.measureText(text).width <= room) return text;
    return null;
}

function labelBar(context, trace, task, { x, y, width, height, colour }) {
    if (width < 30 || height < 12) return;
    const text = labelFor(context, trace, task, width - 8);
    if (!text) return;
    context.textAlign = "left";
    context.fillStyle = inkOn(colour);
    context.fillText(text, x + 4, y + height / 2 + 0.5);
}

export class Rows {
    constructor(model, surface) {
        this.model = model;
        this.surface = surface;
    }

    // Intervals of a row: few enough for bars of their own?
    areFew(set, row, scale) {
        const [low, high] = set.range(row, scale.t0, scale.t1);
        return { count: high - low, few: high - low <= scale.plot * this.surface.ratio * 0.4 };
    }

    draw(scale, stripes, scroll, theme) {
        const { surface, model } = this;
        const context = surface.begin();
        this.context = context;
        this.theme = theme;
        model.drawn = { bars: 0, binned: 0 };
        const first = Math.max(0, stripes.rowAt(scroll));
        const last = Math.min(stripes.count, Math.ceil((scroll + surface.height) / stripes.height));
        context.fillStyle = theme.track;
        for (let row = first; row < last; row++) {
            context.fillRect(scale.left, stripes.barTop(row) - scroll, scale.plot, stripes.barHeight);
        }
        drawReserved(context, model.trace, scale, stripes, scroll, theme);
        drawGrid(context, scale, surface.height, theme.grid);
        for (let row = first; row < last; row++) {
            this.drawName(row, scale, stripes, scroll);
            this.drawBars(row, scale, stripes, scroll);
            if (model.showStates) this.drawStates(row, scale, stripes, scroll);
        }
        this.drawTeams(scale, stripes, scroll);
        if (model.trace.ranks > 1) this.drawRanks(first, last, stripes, scroll);
        if (model.found) this.drawFound(scale, stripes, scroll);
    }

    // A line between the rows of two ranks.
    drawRanks(first, last, stripes, scroll) {
        const { context, theme, model, surface } = this;
        const { rows } = model.trace;
        context.globalAlpha = 0.5;
        context.fillStyle = theme.quiet;
        for (let row = Math.max(1, first); row < last; row++) {
            if (rows[row].rank === rows[row - 1].rank) continue;
            context.fillRect(8, Math.round(stripes.top(row) - scroll), surface.width - 16, 1);
        }
        context.globalAlpha = 1;
    }

    drawName(row, scale, stripes, scroll) {
        const { context, theme, model } = this;
        const { rows, meta } = model.trace;
        const y = stripes.barTop(row) - scroll + stripes.barHeight / 2 + 1;
        const worker = meta.stats?.workers?.find((item) => item.name === rows[row].name);
        context.font = theme.font;
        context.textBaseline = "middle";
        context.textAlign = "left";
        context.fillStyle = theme.ink;
        context.fillText(rows[row].name, 14, y, scale.left - 60);
        if (!worker || !(meta.stats.seconds > 0)) return;
        context.textAlign = "right";
        context.fillStyle = theme.quiet;
        context.fillText(percent(worker.busy / meta.stats.seconds), scale.left - 10, y);
    }

    // Of classes; pale while a search picks out others.
    get colours() {
        const { model, theme } = this;
        return model.found
            ? model.colours.map((colour) => mix(colour, theme.track, DIMMED))
            : model.colours;
    }

    // Tasks of the critical path have a frame where there is room for one.
    frame(task, x, y, width, height) {
        if (!this.model.trace.tasks.critical?.[task] || width < 5) return;
        this.context.lineWidth = 1;
        this.context.strokeStyle = this.theme.ink;
        this.context.strokeRect(x + 0.5, y + 0.5, width - 1.75, height - 1);
    }

    // Over the rows of all members, and over what these rows have drawn.
    drawTeams(scale, stripes, scroll) {
        const { model, context } = this;
        const { tasks } = model.trace;
        const { colours } = this;
        eachTeam(model, scale, (task, x, width) => {
            const y = stripes.barTop(tasks.row[task]) - scroll;
            const height = barHeightOf(model, task, stripes);
            const colour = colours[tasks.kind[task]];
            context.fillStyle = colour;
            fillBar(context, x, y, width, height);
            this.frame(task, x, y, width, height);
            if (!model.found) labelBar(context, model.trace, task, { x, y, width, height, colour });
        });
    }

    drawBars(row, scale, stripes, scroll) {
        const { model, surface, context, theme } = this;
        const { bars, visible } = model;
        const { colours } = this;
        const { count, few } = this.areFew(bars, row, scale);
        const top = stripes.barTop(row) - scroll;
        if (!few) {
            const source = { set: bars, sums: model.barSums, row };
            const look = { colours, visible, ground: theme.track };
            drawShares(surface, scale, source, top, stripes.barHeight, look);
            model.drawn.binned += count;
            return;
        }
        eachBar(bars, row, scale, visible, (at, x, width) => {
            const inset = Math.min(bars.depth[at] * 5, stripes.barHeight - 5);
            const colour = colours[bars.kind[at]];
            context.fillStyle = colour;
            fillBar(context, x, top + inset, width, stripes.barHeight - inset);
            const label = { x, y: top + inset, width, height: stripes.barHeight - inset, colour };
            this.frame(bars.order[at], x, label.y, width, label.height);
            if (!model.found) labelBar(context, model.trace, bars.order[at], label);
            model.drawn.bars++;
        });
    }

    drawStates(row, scale, stripes, scroll) {
        const { model, surface, context, theme } = this;
        const { states, visibleStates } = model;
        const top = stripes.barTop(row) - scroll + stripes.barHeight + 1;
        if (!this.areFew(states, row, scale).few) {
            const source = { set: states, sums: model.stateSums, row };
            const look = { colours: theme.states, visible: visibleStates, ground: theme.surface };
            drawShares(surface, scale, source, top, stripes.strip, look);
            return;
        }
        eachBar(states, row, scale, visibleStates, (at, x, width) => {
            context.fillStyle = theme.states[states.kind[at]];
            context.fillRect(x, top, Math.max(width, 0.75), stripes.strip);
        });
    }

    // What the search found, in full colour over the dimmed rest; not twice in one pixel.
    drawFound(scale, stripes, scroll) {
        const { model, context } = this;
        const { start, duration, row, kind } = model.trace.tasks;
        const reached = new Float64Array(stripes.count).fill(-Infinity);
        const pixel = 1 / this.surface.ratio;
        for (const task of model.found) {
            if (start[task] > scale.t1) break;
            if (!model.visible[kind[task]]) continue;
            const x0 = Math.max(scale.x(start[task]), scale.left);
            const x1 = Math.min(scale.x(start[task] + duration[task]), scale.right);
            const y = stripes.barTop(row[task]) - scroll;
            if (x1 < x0 || x1 < reached[row[task]] + pixel) continue;
            if (y + stripes.barHeight < 0 || y > this.surface.height) continue;
            reached[row[task]] = x1;
            const colour = model.colours[kind[task]];
            const label = { x: x0, y, width: x1 - x0, height: stripes.barHeight, colour };
            context.fillStyle = colour;
            fillBar(context, x0, y, Math.max(x1 - x0, 2), stripes.barHeight);
            labelBar(context, model.trace, task, label);
            context.fillStyle = this.theme.ink;
            context.fillRect(x0, y - 2, Math.max(x1 - x0 - 0.75, 2), 2);
        }
    }
}
