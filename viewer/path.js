// The longest path through the run: along its tasks, and from each to the one it enabled.

const FRAMED = 9; // pixels from which a bar gets a frame

// Places [low, high) of the path whose tasks may be in view; a path goes forward in time.
function placesInView(path, start, t0, t1) {
    let low = 0;
    while (low < path.length && start[path[low]] < t0) low++;
    let high = low;
    while (high < path.length && start[path[high]] <= t1) high++;
    return [Math.max(0, low - 2), Math.min(path.length, high + 1)];
}

// What to draw, by kind: lines [x0, y0, x1, y1] along tasks and across to the next one, those shorter
// than a pixel left out; and [x, y, width] of the bars that are wide enough for a frame instead.
function shapesOf(model, scale, stripes, scroll) {
    const { path, tasks } = model.trace;
    const [low, high] = placesInView(path, tasks.start, scale.t0, scale.t1);
    const [along, across, frames] = [[], [], []];
    const reached = new Map(); // per row, the last x that a line reached
    let previous = null;
    for (let i = low; i < high; i++) {
        const task = path[i];
        const row = tasks.row[task];
        const y = stripes.barTop(row) - scroll + stripes.barHeight / 2;
        const x0 = scale.x(tasks.start[task]);
        const x1 = scale.x(tasks.start[task] + tasks.duration[task]);
        if (previous && (x0 - previous.x > 0.5 || row !== previous.row)) {
            across.push([previous.x, previous.y, x0, y]);
        }
        if (x1 - x0 >= FRAMED) {
            frames.push([x0, y - stripes.barHeight / 2, x1 - x0]);
        } else if (x1 - (reached.get(row) ?? -Infinity) >= 0.5) {
            along.push([x0, y, x1, y]);
            reached.set(row, x1);
        }
        previous = { x: x1, y, row };
    }
    return { along, across, frames };
}

function stroke(context, lines, colour, width, alpha) {
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const [x0, y0, x1, y1] of lines) {
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
    }
    context.stroke();
    context.globalAlpha = 1;
}

function frameBars(context, frames, height, colour, width) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    for (const [x, y, length] of frames) context.strokeRect(x, y, length, height);
}

export function drawPath(context, model, scale, stripes, scroll, theme) {
    const { along, across, frames } = shapesOf(model, scale, stripes, scroll);
    // Where a line stands in every other pixel they hide the chart: let it show through.
    const crowd = Math.max(1, (across.length * 8) / scale.plot);
    context.save();
    context.beginPath();
    context.rect(scale.left, 0, scale.plot, stripes.total);
    context.clip();
    context.lineCap = "round";
    stroke(context, across, theme.surface, 3.5, 0.8 / crowd);
    stroke(context, along, theme.surface, 5.5, 0.9);
    frameBars(context, frames, stripes.barHeight, theme.surface, 5);
    context.setLineDash(crowd > 1 ? [] : [5, 4]);
    stroke(context, across, theme.ink, 1.5, Math.max(0.15, 1 / crowd));
    context.setLineDash([]);
    stroke(context, along, theme.ink, 2.5, 1);
    frameBars(context, frames, stripes.barHeight, theme.ink, 2.5);
    context.restore();
}
