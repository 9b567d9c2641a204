// Mouse and touch on the chart: hover, pan, zoom, choose.

import { byId } from "./dom.js";
import { hideTip, showTip } from "./tip.js";

const STILL = 4; // pixels a pointer may move and still click

class Pointer {
    constructor(model, chart, theme) {
        this.model = model;
        this.chart = chart;
        this.theme = theme;
        this.down = new Map(); // pointers that are pressed, by their number
        this.drag = null;
    }

    attach() {
        const { host } = this.chart;
        for (const area of [byId("scroller"), byId("curves")]) {
            area.addEventListener("pointerdown", (event) => this.press(event));
            area.addEventListener("pointermove", (event) => this.move(event));
            area.addEventListener("pointerup", (event) => this.release(event));
            area.addEventListener("pointercancel", (event) => this.cancel(event));
            area.addEventListener("pointerleave", () => this.leave());
            area.addEventListener("dblclick", (event) => this.zoomInto(event));
        }
        // When the chart moves under a resting pointer, what was said of that place is no longer true.
        this.model.on("any", () => {
            hideTip();
            this.chart.hover = null;
        });
        host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    }

    press(event) {
        if (event.button !== 0) return;
        const time = this.chart.timeAt(event.clientX);
        if (time === null) return;
        this.chart.host.focus({ preventScroll: true });
        event.currentTarget.setPointerCapture(event.pointerId);
        this.down.set(event.pointerId, event);
        this.drag = { from: event, last: event, time, ranging: event.shiftKey, moved: false };
    }

    move(event) {
        if (this.drag && this.down.has(event.pointerId)) this.dragTo(event);
        else this.hover(event);
    }

    dragTo(event) {
        const { drag, chart, model } = this;
        const before = this.down.get(event.pointerId);
        this.down.set(event.pointerId, event);
        if (this.down.size === 2) {
            this.pinch(event, before);
            return;
        }
        if (!drag.moved && Math.abs(event.clientX - drag.from.clientX) < STILL &&
            Math.abs(event.clientY - drag.from.clientY) < STILL) return;
        drag.moved = true;
        chart.host.classList.add(drag.ranging ? "ranging" : "dragging");
        if (drag.ranging) {
            chart.range = [drag.time, this.clampedTime(event.clientX)];
            hideTip();
            chart.schedule();
        } else {
            const pixels = drag.last.clientX - event.clientX;
            byId("scroller").scrollTop += drag.last.clientY - event.clientY;
            model.look((view) => view.pan(pixels * chart.scale.perPixel));
        }
        drag.last = event;
    }

    clampedTime(clientX) {
        const { host, scale } = this.chart;
        const x = clientX - host.getBoundingClientRect().left;
        return scale.time(Math.min(Math.max(x, scale.left), scale.right));
    }

    pinch(event, before) {
        const other = [...this.down.values()].find((one) => one.pointerId !== event.pointerId);
        const gap = (one) => Math.max(20, Math.abs(one.clientX - other.clientX));
        const at = this.clampedTime((event.clientX + other.clientX) / 2);
        this.drag.moved = true;
        this.model.look((view) => view.zoom(gap(before) / gap(event), at));
    }

    release(event) {
        const { drag, chart, model } = this;
        this.down.delete(event.pointerId);
        if (this.down.size || !drag) return;
        this.drag = null;
        chart.host.classList.remove("dragging", "ranging");
        if (!drag.moved) {
            model.select(chart.hitTest(event.clientX, event.clientY)?.task ?? -1);
        } else if (chart.range) {
            const [a, b] = chart.range;
            chart.range = null;
            model.look((view) => view.show(Math.min(a, b), Math.max(a, b)));
        }
    }

    cancel(event) {
        this.down.delete(event.pointerId);
        this.drag = null;
        this.chart.range = null;
        this.chart.host.classList.remove("dragging", "ranging");
    }

    hover(event) {
        this.chart.hover = this.chart.hitTest(event.clientX, event.clientY);
        if (this.chart.hover) {
            showTip(this.model, this.theme, this.chart.hover, event.clientX, event.clientY);
        } else {
            hideTip();
        }
        this.chart.drawPointer();
    }

    leave() {
        hideTip();
        this.chart.hover = null;
        this.chart.drawPointer();
    }

    zoomInto(event) {
        const hit = this.chart.hitTest(event.clientX, event.clientY);
        if (!hit) return;
        if (hit.task < 0) {
            this.model.look((view) => view.zoom(0.5, hit.time));
            return;
        }
        const { start, duration } = this.model.trace.tasks;
        const [from, length] = [start[hit.task], duration[hit.task]];
        this.model.look((view) => view.show(from - 2 * length, from + 3 * length));
    }

    // Up and down zoom, sideways pans. Zooming out of the whole run scrolls the page instead.
    wheel(event) {
        const { model, chart } = this;
        const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
        const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            event.preventDefault();
            model.look((view) => view.pan(sideways * unit * chart.scale.perPixel));
            this.hover(event);
            return;
        }
        const time = chart.timeAt(event.clientX);
        if (time === null || (event.deltaY > 0 && model.view.isAll && !event.ctrlKey)) return;
        event.preventDefault();
        const strength = event.ctrlKey ? 0.01 : 0.0025;
        const change = Math.max(-1, Math.min(1, event.deltaY * unit * strength));
        const at = event.target.id === "overview" ? undefined : time;
        model.look((view) => view.zoom(2 ** change, at));
    }
}

// Press or drag in the overview: the window goes there.
function attachOverview(model, chart) {
    const canvas = byId("overview");
    const follow = (event) => {
        if (!(event.buttons & 1)) return;
        const x = event.clientX - canvas.getBoundingClientRect().left;
        const time = chart.overview.scale.time(x);
        model.look((view) => view.pan(time - (view.t0 + view.t1) / 2));
    };
    canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        follow(event);
    });
    canvas.addEventListener("pointermove", follow);
}

export function attachPointer(model, chart, theme) {
    new Pointer(model, chart, theme).attach();
    attachOverview(model, chart);
}
