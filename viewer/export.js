// The chart as it is in view, as an SVG file for papers and talks.

import { byId } from "./dom.js";
import { instant } from "./format.js";
import { inkOn } from "./palette.js";
import { titleOf } from "./task.js";
import { tickStep } from "./axis.js";

const NAMES_WIDTH = 110;
const PLOT_WIDTH = 1200;
const ROW_STEP = 30;
const BAR_HEIGHT = 24;
const MOST_BARS = 50000; // bars; more of them nobody's program can draw

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) =>
    ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

function barsOf(model, x) {
    const { bars, trace, view, visible } = model;
    const parts = [];
    for (let row = 0; row < bars.rows; row++) {
        const [low, high] = bars.range(row, view.t0, view.t1);
        for (let at = low; at < high && parts.length < MOST_BARS; at++) {
            if (!visible[bars.kind[at]]) continue;
            const x0 = Math.max(x(bars.start[at]), NAMES_WIDTH);
            const x1 = Math.min(x(bars.end[at]), NAMES_WIDTH + PLOT_WIDTH);
            if (x1 < x0) continue;
            const colour = model.colours[bars.kind[at]];
            const title = titleOf(trace, bars.order[at]);
            const y = row * ROW_STEP + (ROW_STEP - BAR_HEIGHT) / 2;
            const width = Math.max(x1 - x0, 0.3);
            parts.push(`<rect class="task" x="${x0.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" ` +
                `height="${BAR_HEIGHT}" fill="${colour}"><title>${escaped(title)}</title></rect>`);
            if (title.length * 6.5 < width) {
                parts.push(`<text x="${(x0 + 3).toFixed(2)}" y="${y + 16}" ` +
                    `fill="${inkOn(colour)}">${escaped(title)}</text>`);
            }
        }
    }
    return parts;
}

function axisOf(view, x, y) {
    const step = tickStep((view.t1 - view.t0) / PLOT_WIDTH, 130);
    const parts = [];
    for (let time = Math.ceil(view.t0 / step) * step; time <= view.t1; time += step) {
        parts.push(`<path d="M${x(time).toFixed(2)} 0V${y}" stroke="#ccc"/>`,
            `<text x="${x(time).toFixed(2)}" y="${y + 16}" text-anchor="middle">${escaped(instant(time, step))}</text>`);
    }
    return parts;
}

function legendOf(model, y) {
    const used = model.trace.classes.map((_, i) => i).filter((i) => model.visible[i]);
    return used.flatMap((kind, i) => [
        `<rect x="${NAMES_WIDTH + 120 * i}" y="${y}" width="14" height="14" fill="${model.colours[kind]}"/>`,
        `<text x="${NAMES_WIDTH + 120 * i + 20}" y="${y + 12}">${escaped(model.trace.classes[kind].name)}</text>`]);
}

export function svgOf(model) {
    const { view, trace } = model;
    const x = (time) => NAMES_WIDTH + ((time - view.t0) / (view.t1 - view.t0)) * PLOT_WIDTH;
    const bottom = trace.rows.length * ROW_STEP;
    const height = bottom + 60;
    const names = trace.rows.map(({ name }, row) =>
        `<text x="8" y="${row * ROW_STEP + 19}">${escaped(name)}</text>`);
    return [`<svg xmlns="http://www.w3.org/2000/svg" width="${NAMES_WIDTH + PLOT_WIDTH + 20}" height="${height}" ` +
        `viewBox="0 0 ${NAMES_WIDTH + PLOT_WIDTH + 20} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
        `<title>${escaped(trace.meta.title ?? "Twill trace")}</title>`,
        '<rect width="100%" height="100%" fill="#fff"/>',
        ...axisOf(view, x, bottom), ...names, ...barsOf(model, x), ...legendOf(model, bottom + 34),
        "</svg>", ""].join("\n");
}

export function attachExport(model) {
    byId("export").addEventListener("click", () => {
        const url = URL.createObjectURL(new Blob([svgOf(model)], { type: "image/svg+xml" }));
        const link = document.createElement("a");
        link.href = url;
        link.download = `${(model.trace.meta.title ?? "trace").replace(/[^\w.=-]+/g, "_")}.svg`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
}
