// Totals of classes and workers, added up again from the bars, and compared with the statistics.

// `bars` are the tasks as Intervals, `states` the other intervals. Tasks that ran inside others count
// for themselves, and working in the team of another worker's task is work.
export function totalsOf(trace, bars, states) {
    const classes = trace.classes.map(({ name }) => ({ name, count: 0, seconds: 0 }));
    const workers = trace.rows.map(({ name }) => ({ name, tasks: 0, busy: 0 }));
    const own = bars.ownTimes();
    const team = trace.stateNames.indexOf("team");
    for (let r = 0; r < bars.rows; r++) {
        for (let at = bars.first[r]; at < bars.first[r + 1]; at++) {
            classes[bars.kind[at]].count++;
            classes[bars.kind[at]].seconds += own[at] * 1e-9;
            workers[r].tasks++;
            workers[r].busy += own[at] * 1e-9;
        }
        for (let at = states.first[r]; at < states.first[r + 1]; at++) {
            if (states.kind[at] === team) workers[r].busy += (states.end[at] - states.start[at]) * 1e-9;
        }
    }
    return { classes, workers };
}

function close(a, b, scale) {
    return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)) + 1e-9 * scale;
}

// For each item the one of the statistics that speaks of it: by place where the names agree, as two
// classes may have one name, else by name.
export function partnersOf(mine, theirs = []) {
    return mine.map((item, i) =>
        theirs[i]?.name === item.name ? theirs[i] : theirs.find((other) => other.name === item.name));
}

// What the statistics say of each of `mine`, compared by the given keys.
function compare(kind, mine, theirs, countKey, timeKey, scale) {
    const differences = [];
    const partners = partnersOf(mine, theirs);
    mine.forEach((item, i) => {
        const other = partners[i];
        if (!other) {
            if (item[countKey]) differences.push(`${kind} ${item.name} is not in the statistics`);
            return;
        }
        if (other[countKey] !== item[countKey]) {
            differences.push(`${kind} ${item.name}: ${item[countKey]} bars, ` +
                `the statistics say ${other[countKey]} tasks`);
        }
        if (!close(item[timeKey], other[timeKey], scale)) {
            differences.push(`${kind} ${item.name}: bars add up to ${item[timeKey]} s, ` +
                `the statistics say ${other[timeKey]} s`);
        }
    });
    return differences;
}

// Sentences, one for each number of the statistics that the bars do not bear out.
export function differencesOf(trace, totals) {
    const stats = trace.meta.stats ?? {};
    const scale = trace.span * 1e-9;
    const differences = [
        ...compare("class", totals.classes, stats.classes, "count", "seconds", scale),
        ...compare("worker", totals.workers, stats.workers, "tasks", "busy", scale),
    ];
    if (stats.tasks !== trace.tasks.count) {
        differences.unshift(`${trace.tasks.count} bars, the statistics say ${stats.tasks} tasks`);
    }
    return differences;
}
