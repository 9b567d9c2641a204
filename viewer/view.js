// The window of time that the chart shows.

export class View {
    constructor(span) {
        this.span = span;
        this.t0 = 0;
        this.t1 = span;
        this.shortest = Math.min(span, Math.max(20, span * 1e-9));
    }

    get length() {
        return this.t1 - this.t0;
    }

    get isAll() {
        return this.t0 <= 0 && this.t1 >= this.span;
    }

    show(t0, t1) {
        const length = Math.min(Math.max(t1 - t0, this.shortest), this.span);
        const middle = (t0 + t1) / 2;
        this.t0 = Math.min(Math.max(middle - length / 2, 0), this.span - length);
        this.t1 = this.t0 + length;
    }

    fit() {
        this.show(0, this.span);
    }

    pan(time) {
        this.show(this.t0 + time, this.t1 + time);
    }

    // Make the window `factor` times as long; the time `at` stays where it is.
    zoom(factor, at = (this.t0 + this.t1) / 2) {
        const length = Math.min(Math.max(this.length * factor, this.shortest), this.span);
        const share = (at - this.t0) / this.length;
        const t0 = at - share * length;
        this.show(t0, t0 + length);
    }

    // Bring an interval into view, and zoom in if it would be too narrow to see.
    reveal(start, end) {
        const length = Math.max(end - start, this.shortest / 4);
        if (length < this.length / 200) {
            this.show(start - 15 * length, end + 15 * length);
        } else if (length > this.length) {
            this.show(start - 0.1 * length, end + 0.1 * length);
        } else if (start < this.t0 || end > this.t1) {
            this.pan((start + end) / 2 - (this.t0 + this.t1) / 2);
        }
    }
}
