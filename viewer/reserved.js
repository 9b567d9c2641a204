// The critical set: a ground under the rows of its members as long as they are reserved, and tasks
// that several of them ran together as bars over the rows of all.

const GROUND = 0.16; // how much of the accent lies under reserved rows

// Rows of each task, from its own one on: those of its team, if its members are next to each other.
export function rowsOfTasks({ tasks, states }) {
    if (!tasks.team) return null;
    const rows = Uint16Array.from(tasks.team, (team) => Math.max(1, team));
    for (let i = 0; i < states.count; i++) {
        const task = states.task[i] - 1;
        if (task < 0) continue;
        const member = states.row[i] - tasks.row[task];
        if (member <= 0 || member >= rows[task]) rows[task] = 1;
    }
    return rows;
}

// Tasks that lie on several rows, in the order of their starts.
export function teamsOf(rows) {
    return rows ? Array.from(rows.keys()).filter((task) => rows[task] > 1) : [];
}

// Call draw(entry, x, width) for each time in view during which there was a set.
function eachSet({ set }, scale, draw) {
    for (let i = 0; i < set.count; i++) {
        const x0 = Math.max(scale.x(set.time[i]), scale.left);
        const x1 = Math.min(scale.x(set.end[i]), scale.right);
        if (set.members[i] && x1 - x0 >= 0.25) draw(i, x0, x1 - x0);
    }
}

export function drawReserved(context, trace, scale, stripes, scroll, theme) {
    context.fillStyle = theme.accent;
    eachSet(trace, scale, (i, x, width) => {
        const top = stripes.top(trace.set.row[i]) - scroll;
        const height = stripes.height * trace.set.members[i];
        context.globalAlpha = GROUND;
        context.fillRect(x, top, width, height);
        context.globalAlpha = 0.8;
        context.fillRect(x, top + height - 1, width, 1);
    });
    context.globalAlpha = 1;
}

// Height of a task's bar on the pane.
export function barHeightOf(model, task, stripes) {
    const rows = model.rowsOfTasks ? model.rowsOfTasks[task] : 1;
    return stripes.barHeight + (rows - 1) * stripes.height;
}

// Call draw(task, x, width) for each task of a team in view that is wide enough to be one bar.
export function eachTeam(model, scale, draw) {
    const { start, duration, kind } = model.trace.tasks;
    for (const task of model.teams) {
        if (start[task] > scale.t1) break;
        if (!model.visible[kind[task]]) continue;
        const x0 = Math.max(scale.x(start[task]), scale.left);
        const x1 = Math.min(scale.x(start[task] + duration[task]), scale.right);
        if (x1 - x0 >= 1.5) draw(task, x0, x1 - x0);
    }
}

// What the legend says of the set: names and colours.
export function setLegend({ set, tasks }, theme) {
    if (!set.count) return [];
    const teams = tasks.team?.some((team) => team > 1);
    return [["reserved worker", `color-mix(in srgb, ${theme.accent} 30%, transparent)`],
        ...(teams ? [["critical task: framed", theme.ink]] : [])];
}
