// Messages between ranks: a line from where one was sent to where it was received.

import { bytes, duration, instant } from "./format.js";

const MOST = 20000; // lines in one picture; of more messages only every so manieth is drawn
const HEADED = 2000; // of so many lines one still sees where they end

// The first of the sorted times that is not before `time`.
function firstFrom(times, time) {
    let low = 0;
    let high = times.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Messages [low, high) that may be in view: they are in the order in which they were sent.
export function messagesInView(messages, t0, t1) {
    return [firstFrom(messages.sent, t0 - messages.longest), firstFrom(messages.sent, t1)];
}

function middleOf(stripes, row, scroll) {
    return stripes.barTop(row) - scroll + stripes.barHeight / 2;
}

export function lineOf(messages, i, scale, stripes, scroll) {
    return [scale.x(messages.sent[i]), middleOf(stripes, messages.from[i], scroll),
        scale.x(messages.received[i]), middleOf(stripes, messages.to[i], scroll)];
}

// Lines [x0, y0, x1, y1] of those in view, and how many messages each stands for. Lines that fall
// together are drawn once.
function linesInView(messages, scale, stripes, scroll, height) {
    const [low, high] = messagesInView(messages, scale.t0, scale.t1);
    const stride = Math.max(1, Math.ceil((high - low) / MOST));
    const seen = new Set();
    const lines = [];
    for (let i = low; i < high; i += stride) {
        const line = lineOf(messages, i, scale, stripes, scroll);
        const [x0, y0, x1, y1] = line;
        if (Math.max(x0, x1) < scale.left || Math.min(x0, x1) > scale.right) continue;
        if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > height) continue;
        const key = line.map(Math.round).join();
        if (seen.has(key)) continue;
        seen.add(key);
        lines.push(line);
    }
    return { lines, count: high - low };
}

function trace(context, lines) {
    context.beginPath();
    for (const [x0, y0, x1, y1] of lines) {
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
    }
    context.stroke();
}

// A small triangle where a message came, and a dot where it left.
function drawEnds(context, lines) {
    context.beginPath();
    for (const [x0, y0, x1, y1] of lines) {
        const length = Math.hypot(x1 - x0, y1 - y0) || 1;
        const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
        context.moveTo(x1, y1);
        context.lineTo(x1 - 7 * dx - 2.5 * dy, y1 - 7 * dy + 2.5 * dx);
        context.lineTo(x1 - 7 * dx + 2.5 * dy, y1 - 7 * dy - 2.5 * dx);
        context.closePath();
        context.moveTo(x0 + 1.8, y0);
        context.arc(x0, y0, 1.8, 0, 2 * Math.PI);
    }
    context.fill();
}

export function drawMessages(surface, model, scale, stripes, scroll, theme) {
    const { context, height } = surface;
    const { lines, count } = linesInView(model.trace.messages, scale, stripes, scroll, height);
    model.drawn.messages = lines.length;
    model.drawn.messagesInView = count;
    context.save();
    context.beginPath();
    context.rect(scale.left, 0, scale.plot, stripes.total);
    context.clip();
    // Where lines stand close they hide the chart: let it show through.
    const crowd = Math.max(1, (lines.length * 3) / scale.plot);
    context.lineWidth = 3;
    context.strokeStyle = theme.surface;
    context.globalAlpha = 0.5 / crowd;
    trace(context, lines);
    context.lineWidth = 1.1;
    context.strokeStyle = context.fillStyle = theme.message;
    context.globalAlpha = Math.max(0.12, 0.85 / crowd);
    trace(context, lines);
    if (lines.length <= HEADED) drawEnds(context, lines);
    context.restore();
}

function distanceTo([x0, y0, x1, y1], x, y) {
    const length = (x1 - x0) ** 2 + (y1 - y0) ** 2;
    const along = length ? ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length : 0;
    const share = Math.min(1, Math.max(0, along));
    return Math.hypot(x0 + share * (x1 - x0) - x, y0 + share * (y1 - y0) - y);
}

// The message whose line is nearest to a place of the sheet, if it is near; -1: none is, or there
// are too many to tell.
export function messageAt(messages, scale, stripes, x, y) {
    const [low, high] = messagesInView(messages, scale.t0, scale.t1);
    let best = -1;
    let least = 4;
    if (high - low > MOST) return best;
    for (let i = low; i < high; i++) {
        const distance = distanceTo(lineOf(messages, i, scale, stripes, 0), x, y);
        if (distance < least) [best, least] = [i, distance];
    }
    return best;
}

// Label and text of each line about a message.
export function messageFacts({ messages, rows }, i) {
    const took = messages.received[i] - messages.sent[i];
    return [
        ["from", rows[messages.from[i]].name],
        ["to", rows[messages.to[i]].name],
        ["bytes", bytes(messages.bytes[i])],
        ["sent", instant(messages.sent[i], Math.max(took / 100, 1))],
        ["took", duration(Math.max(0, took))],
    ];
}
