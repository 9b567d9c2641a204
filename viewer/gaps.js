// Idle time on the chart: the pieces that have the cause the reader chose.

const COLOUR = "#d0228c"; // which no class has

export function drawGaps(context, model, scale, stripes, scroll) {
    const { gaps } = model.trace;
    context.save();
    context.beginPath();
    context.rect(scale.left, 0, scale.plot, stripes.total);
    context.clip();
    context.fillStyle = COLOUR;
    context.strokeStyle = COLOUR;
    for (let i = 0; i < gaps.count; i++) {
        if (gaps.kind[i] !== model.cause) continue;
        const x0 = scale.x(gaps.start[i]);
        const width = Math.max(scale.x(gaps.start[i] + gaps.duration[i]) - x0, 1);
        if (x0 > scale.right || x0 + width < scale.left) continue;
        const y = stripes.barTop(gaps.row[i]) - scroll;
        context.globalAlpha = 0.45;
        context.fillRect(x0, y, width, stripes.barHeight);
        context.globalAlpha = 1;
        if (width > 4) context.strokeRect(x0 + 0.5, y + 0.5, width - 1, stripes.barHeight - 1);
    }
    context.restore();
}
