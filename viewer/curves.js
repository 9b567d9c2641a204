// Curves under the chart: ready tasks and memory over time.

import { drawGrid } from "./axis.js";
import { Surface } from "./surface.js";

const HEIGHT = 72;

// Index of the last point at or before a time, or -1.
function pointAt(time, t) {
    let low = 0;
    let high = time.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (time[middle] <= t) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

// Least and greatest value of each pixel column; the curve is a staircase.
export function envelope({ time, values }, scale, columns) {
    const least = new Float64Array(columns);
    const greatest = new Float64Array(columns);
    const step = (scale.t1 - scale.t0) / columns;
    let at = pointAt(time, scale.t0);
    for (let c = 0; c < columns; c++) {
        let low = at >= 0 ? values[at] : 0;
        let high = low;
        const end = scale.t0 + (c + 1) * step;
        while (at + 1 < time.length && time[at + 1] < end) {
            at++;
            low = Math.min(low, values[at]);
            high = Math.max(high, values[at]);
        }
        least[c] = low;
        greatest[c] = high;
    }
    return { least, greatest };
}

export class Curve {
    constructor(name, curve, format, host) {
        this.name = name;
        this.curve = curve;
        this.format = format;
        const highest = (values) => Number(values.reduce((a, b) => Math.max(a, b), 0));
        this.top = Math.max(highest(curve.values), highest(curve.dashed ?? [])) || 1;
        const canvas = document.createElement("canvas");
        canvas.className = "curve";
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `${name} over time, at most ${format(this.top)}`);
        host.append(canvas);
        this.surface = new Surface(canvas);
    }

    valueAt(t) {
        const at = pointAt(this.curve.time, t);
        return at >= 0 ? this.curve.values[at] : 0;
    }

    // `pointer` is the time under the pointer, or null.
    draw(width, scale, theme, pointer) {
        this.surface.resize(width, HEIGHT);
        const context = this.surface.begin();
        const base = HEIGHT - 6;
        context.fillStyle = theme.track;
        context.fillRect(scale.left, 6, scale.plot, base - 6);
        drawGrid(context, scale, base, theme.grid);
        this.drawArea(context, scale, theme, base);
        if (this.curve.dashed) this.drawDashed(context, scale, theme, base);
        this.drawNames(context, theme, pointer);
        if (pointer === null) return;
        context.fillStyle = theme.ink;
        context.globalAlpha = 0.4;
        context.fillRect(Math.round(scale.x(pointer)), 0, 1, base);
        context.globalAlpha = 1;
    }

    drawArea(context, scale, theme, base) {
        const columns = Math.max(1, Math.round(scale.plot));
        const { least, greatest } = envelope(this.curve, scale, columns);
        const y = (value) => base - (value / this.top) * (base - 10);
        context.beginPath();
        context.moveTo(scale.left, base);
        for (let c = 0; c < columns; c++) context.lineTo(scale.left + c + 0.5, y(greatest[c]));
        context.lineTo(scale.left + columns, y(greatest[columns - 1]));
        context.lineTo(scale.left + columns, base);
        context.fillStyle = theme["curve-fill"];
        context.fill();
        context.beginPath();
        for (let c = 0; c < columns; c++) {
            const x = scale.left + c + 0.5;
            context.lineTo(x, y(least[c]));
            if (greatest[c] !== least[c]) context.lineTo(x, y(greatest[c]));
        }
        context.strokeStyle = theme.curve;
        context.lineWidth = 1.25;
        context.stroke();
    }

    // A second curve, for what should have been.
    drawDashed(context, scale, theme, base) {
        const columns = Math.max(1, Math.round(scale.plot));
        const { greatest } = envelope({ time: this.curve.time, values: this.curve.dashed }, scale, columns);
        context.beginPath();
        for (let c = 0; c < columns; c++) {
            context.lineTo(scale.left + c + 0.5, base - (greatest[c] / this.top) * (base - 10));
        }
        context.setLineDash([4, 3]);
        context.strokeStyle = theme.ink;
        context.lineWidth = 1;
        context.stroke();
        context.setLineDash([]);
    }

    drawNames(context, theme, pointer) {
        context.font = theme.font;
        context.textBaseline = "middle";
        context.textAlign = "left";
        context.fillStyle = theme.ink;
        context.fillText(this.name, 14, 22);
        context.fillStyle = theme.quiet;
        context.fillText(`at most ${this.format(this.top)}`, 14, 38);
        if (pointer !== null) context.fillText(`here ${this.format(this.valueAt(pointer))}`, 14, 54);
    }
}
