// The axis of time.

import { instant } from "./format.js";

// Multiples of 1, 2 or 5 that leave about `room` pixels for each label.
export function tickStep(perPixel, room) {
    const least = perPixel * room;
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least);
}

export function ticksOf(scale) {
    const step = tickStep(scale.perPixel, 96);
    const ticks = [];
    for (let i = Math.ceil(scale.t0 / step); i * step <= scale.t1; i++) ticks.push(i * step);
    return { step, ticks };
}

export function drawGrid(context, scale, height, colour) {
    context.fillStyle = colour;
    for (const tick of ticksOf(scale).ticks) {
        context.fillRect(Math.round(scale.x(tick)), 0, 1, height);
    }
}

export function drawAxis(context, scale, height, theme) {
    const { step, ticks } = ticksOf(scale);
    context.font = theme.font;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const tick of ticks) {
        const x = Math.round(scale.x(tick));
        context.fillStyle = theme.line;
        context.fillRect(x, height - 5, 1, 5);
        const text = tick === 0 ? "0" : instant(tick, step);
        const half = context.measureText(text).width / 2;
        context.fillStyle = theme.quiet;
        context.fillText(text, Math.min(Math.max(x, scale.left + half - 6), scale.right - half + 12),
            height / 2 - 2);
    }
}
