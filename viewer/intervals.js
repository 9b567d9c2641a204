// Intervals sorted into rows, each row by time, so that what a window shows is found quickly.

// Positions of the intervals grouped by row; within a row in the order they were given.
function groupByRow(row, rows) {
    const first = new Uint32Array(rows + 1);
    for (let i = 0; i < row.length; i++) first[row[i] + 1]++;
    for (let r = 0; r < rows; r++) first[r + 1] += first[r];
    const next = first.slice(0, rows);
    const order = new Uint32Array(row.length);
    for (let i = 0; i < row.length; i++) order[next[row[i]]++] = i;
    return { first, order };
}

function sortRowsByStart(start, first, order) {
    for (let r = 0; r + 1 < first.length; r++) {
        const part = order.subarray(first[r], first[r + 1]);
        for (let i = 1; i < part.length; i++) {
            if (start[part[i]] < start[part[i - 1]]) {
                part.sort((a, b) => start[a] - start[b] || a - b);
                break;
            }
        }
    }
}

// First position in [low, high) whose value is above the limit (or not below it, if `inclusive`).
function lowerBound(values, low, high, limit, inclusive) {
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (values[middle] < limit || (!inclusive && values[middle] === limit)) low = middle + 1;
        else high = middle;
    }
    return low;
}

export class Intervals {
    constructor({ count, start, duration, row, kind }, rows) {
        const { first, order } = groupByRow(row, rows);
        sortRowsByStart(start, first, order);
        this.count = count;
        this.rows = rows;
        this.first = first; // of row r: positions first[r] to first[r + 1]
        this.order = order; // interval at a position
        this.start = new Float64Array(count); // these by position, to be read in one sweep
        this.end = new Float64Array(count);
        this.kind = new Uint16Array(count);
        for (let at = 0; at < count; at++) {
            const i = order[at];
            this.start[at] = start[i];
            this.end[at] = start[i] + duration[i];
            this.kind[at] = kind[i];
        }
        this.nest();
    }

    // Tasks that run inside others get a depth; `reach` is how far the row's intervals reached.
    nest() {
        this.depth = new Uint16Array(this.count);
        this.reach = this.end;
        this.deepest = new Uint16Array(this.rows);
        for (let r = 0; r < this.rows; r++) {
            const open = [];
            for (let at = this.first[r]; at < this.first[r + 1]; at++) {
                while (open.length && open[open.length - 1] <= this.start[at]) open.pop();
                this.depth[at] = Math.min(open.length, 65535);
                if (open.length) this.noteOverlap(r, at);
                else if (this.reach !== this.end) this.reach[at] = this.end[at];
                open.push(Math.min(this.end[at], open[open.length - 1] ?? Infinity));
            }
        }
    }

    noteOverlap(r, at) {
        if (this.reach === this.end) this.reach = this.end.slice();
        this.reach[at] = Math.max(this.end[at], this.reach[at - 1]);
        this.deepest[r] = Math.max(this.deepest[r], this.depth[at]);
    }

    // Time of each interval, by position, without those that ran inside it.
    ownTimes() {
        const own = new Float64Array(this.count);
        const around = []; // positions of the intervals that are open
        for (let at = 0; at < this.count; at++) {
            while (around.length > this.depth[at]) around.pop();
            const outer = around.length ? around[around.length - 1] : -1;
            const end = outer < 0 ? this.end[at] : Math.min(this.end[at], this.end[outer]);
            own[at] = end - this.start[at];
            if (outer >= 0) own[outer] -= own[at];
            around.push(at);
        }
        return own;
    }

    // Positions of the row that may meet the time from t0 to t1.
    range(r, t0, t1) {
        const low = lowerBound(this.reach, this.first[r], this.first[r + 1], t0, false);
        const high = lowerBound(this.start, low, this.first[r + 1], t1, true);
        return [low, high];
    }

    // The innermost interval within `slack` of a time, or -1; `visible` says which kinds count.
    find(r, time, slack, visible) {
        const [low, high] = this.range(r, time - slack, time + slack);
        let best = -1;
        let bestGap = Infinity;
        for (let at = low; at < high; at++) {
            if (!visible[this.kind[at]]) continue;
            const gap = Math.max(this.start[at] - time, time - this.end[at], 0);
            const deeper = best >= 0 && gap === bestGap && this.depth[at] >= this.depth[best];
            if (gap <= slack && (gap < bestGap || deeper)) {
                best = at;
                bestGap = gap;
            }
        }
        return best;
    }
}
