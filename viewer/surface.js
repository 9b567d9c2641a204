// Where things are: canvases that know their size in pixels, and the scale of time they share.

const GUTTER = 132; // for the names of rows, left of the plot
const WIDE_GUTTER = 172; // for names that say the rank too
export const MARGIN = 14; // right of the plot

// A canvas at the size its element has, sharp on any screen; `draw(context, width, height)` gets a
// context scaled to the units of CSS.
export class Surface {
    constructor(canvas) {
        this.canvas = canvas;
        this.context = canvas.getContext("2d");
        this.ratio = 1;
    }

    resize(width, height) {
        this.ratio = window.devicePixelRatio || 1;
        this.width = width;
        this.height = height;
        const [w, h] = [Math.round(width * this.ratio), Math.round(height * this.ratio)];
        if (this.canvas.width !== w || this.canvas.height !== h) {
            this.canvas.width = w;
            this.canvas.height = h;
            this.canvas.style.width = `${width}px`;
            this.canvas.style.height = `${height}px`;
        }
    }

    begin() {
        this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        this.context.clearRect(0, 0, this.width, this.height);
        return this.context;
    }
}

// Maps time to x on canvases of one width.
export class Scale {
    constructor(width, t0, t1, ranks = 1) {
        this.left = ranks > 1 ? WIDE_GUTTER : GUTTER;
        this.plot = Math.max(10, width - this.left - MARGIN);
        this.right = this.left + this.plot;
        this.t0 = t0;
        this.t1 = t1;
    }

    x(time) {
        return this.left + ((time - this.t0) / (this.t1 - this.t0)) * this.plot;
    }

    time(x) {
        return this.t0 + ((x - this.left) / this.plot) * (this.t1 - this.t0);
    }

    get perPixel() {
        return (this.t1 - this.t0) / this.plot;
    }

    contains(x) {
        return x >= this.left && x <= this.right;
    }
}

// Where row r lies; rows share the height, and scroll when they would become too thin.
export class Stripes {
    constructor(count, room) {
        this.count = count;
        this.height = Math.max(16, Math.min(46, Math.floor(room / Math.max(1, count))));
        this.total = this.height * count;
        this.padding = this.height >= 28 ? 4 : 2;
        this.strip = this.height >= 24 ? 5 : 3; // at the foot, for what is not a task
    }

    top(row) {
        return row * this.height;
    }

    rowAt(y) {
        const row = Math.floor(y / this.height);
        return row >= 0 && row < this.count ? row : -1;
    }

    barTop(row) {
        return this.top(row) + this.padding;
    }

    get barHeight() {
        return this.height - 2 * this.padding - this.strip - 1;
    }
}
