// Many intervals in one pixel: how much of each column's time belongs to each kind.
//
// Shares lie column by column, `kinds` numbers each, every one the fraction of the column.

const MOST_SUMS = 1 << 21;

// Add the intervals of a row between t0 and t1 to `shares`, one by one.
export function addShares(set, row, t0, t1, columns, kinds, shares) {
    const [low, high] = set.range(row, t0, t1);
    const scale = columns / (t1 - t0);
    const { start, end, kind } = set;
    for (let at = low; at < high; at++) {
        let a = (start[at] - t0) * scale;
        let b = (end[at] - t0) * scale;
        if (a < 0) a = 0;
        if (b > columns) b = columns;
        if (b <= a) continue;
        const k = kind[at];
        let c = a | 0;
        const last = b | 0;
        if (c === last) {
            shares[c * kinds + k] += b - a;
            continue;
        }
        shares[c * kinds + k] += c + 1 - a;
        for (c++; c < last; c++) shares[c * kinds + k] += 1;
        if (last < columns) shares[last * kinds + k] += b - last;
    }
}

// Sums over time of every row and kind, made once: any window that is wider than a bin per column
// is read from them without visiting the intervals.
export class Sums {
    constructor(set, kinds, span) {
        const room = MOST_SUMS / Math.max(1, set.rows * kinds);
        this.bins = 1 << Math.max(8, Math.min(13, Math.floor(Math.log2(Math.max(1, room)))));
        this.kinds = kinds;
        this.width = span / this.bins;
        this.span = span;
        this.rows = [];
        for (let r = 0; r < set.rows; r++) this.rows.push(this.sumRow(set, r));
    }

    // After bin b, at (b + 1) * kinds: the time of each kind since the beginning.
    sumRow(set, r) {
        const { bins, kinds } = this;
        const sums = new Float64Array((bins + 1) * kinds);
        addShares(set, r, 0, this.span, bins, kinds, sums.subarray(kinds));
        for (let i = kinds; i < sums.length; i++) sums[i] = sums[i] * this.width + sums[i - kinds];
        return sums;
    }

    // Time of a kind in a row up to t.
    until(r, kind, t) {
        const at = Math.min(Math.max(t / this.width, 0), this.bins);
        const bin = Math.min(at | 0, this.bins - 1);
        const sums = this.rows[r];
        const before = sums[bin * this.kinds + kind];
        return before + (at - bin) * (sums[(bin + 1) * this.kinds + kind] - before);
    }

    suffices(t0, t1, columns) {
        return (t1 - t0) / columns >= this.width;
    }

    addShares(r, t0, t1, columns, shares) {
        const step = (t1 - t0) / columns;
        for (let kind = 0; kind < this.kinds; kind++) {
            let before = this.until(r, kind, t0);
            for (let c = 0; c < columns; c++) {
                const now = this.until(r, kind, t0 + (c + 1) * step);
                shares[c * this.kinds + kind] += (now - before) / step;
                before = now;
            }
        }
    }
}

// Shares of a row, from the sums where they are fine enough, else from the intervals.
export function sharesOf(set, sums, row, t0, t1, columns) {
    const shares = new Float64Array(columns * sums.kinds);
    if (sums.suffices(t0, t1, columns)) sums.addShares(row, t0, t1, columns, shares);
    else addShares(set, row, t0, t1, columns, sums.kinds, shares);
    return shares;
}
