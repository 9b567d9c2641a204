// The whole run in a strip above the chart, with the window that the chart shows.

import { sharesOf } from "./bins.js";
import { paintStack } from "./stack.js";
import { Scale, Surface } from "./surface.js";

export const OVERVIEW_HEIGHT = 40;

export class Overview {
    constructor(model, canvas) {
        this.model = model;
        this.surface = new Surface(canvas);
        this.image = null;
        this.key = "";
    }

    // Shares of all rows together; made again only when something but the window changed.
    makeImage(scale, theme) {
        const { model, surface } = this;
        const columns = Math.max(1, Math.round(scale.plot * surface.ratio));
        const height = Math.round((OVERVIEW_HEIGHT - 10) * surface.ratio);
        const key = [columns, height, theme.name, model.view.span, model.visible.join("")].join(" ");
        if (key === this.key) return;
        this.key = key;
        const kinds = model.trace.classes.length;
        const shares = new Float64Array(columns * kinds);
        for (let r = 0; r < model.bars.rows; r++) {
            const row = sharesOf(model.bars, model.barSums, r, 0, model.view.span, columns);
            for (let i = 0; i < shares.length; i++) shares[i] += row[i];
        }
        const image = surface.context.createImageData(columns, height);
        const { colours, visible } = model;
        this.image = paintStack(image, shares,
            { colours, visible, ground: theme.track, full: model.bars.rows });
    }

    draw(width, theme) {
        const { surface, model } = this;
        surface.resize(width, OVERVIEW_HEIGHT);
        const scale = new Scale(width, 0, model.view.span, model.trace.ranks);
        this.scale = scale;
        this.makeImage(scale, theme);
        const context = surface.begin();
        context.putImageData(this.image, Math.round(scale.left * surface.ratio),
            Math.round(5 * surface.ratio));
        context.font = theme.font;
        context.textBaseline = "middle";
        context.fillStyle = theme.quiet;
        context.fillText("whole run", 14, OVERVIEW_HEIGHT / 2);
        if (!model.view.isAll) this.drawWindow(context, scale, theme);
    }

    drawWindow(context, scale, theme) {
        const x0 = scale.x(this.model.view.t0);
        const x1 = Math.max(scale.x(this.model.view.t1), x0 + 2);
        context.fillStyle = theme.veil;
        context.fillRect(scale.left, 5, x0 - scale.left, OVERVIEW_HEIGHT - 10);
        context.fillRect(x1, 5, scale.right - x1, OVERVIEW_HEIGHT - 10);
        context.strokeStyle = theme.accent;
        context.lineWidth = 2;
        context.strokeRect(x0, 4, x1 - x0, OVERVIEW_HEIGHT - 8);
    }
}
