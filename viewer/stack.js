// Columns of stacked colours, written into the pixels of an image.

import { pixelOf } from "./palette.js";

// Shares as sharesOf() gives them; a column is full when they add up to `full`. Tasks inside tasks
// count twice, but a column has no more than all of its time.
export function paintStack(image, shares, { colours, visible, ground, full = 1 }) {
    const { width, height } = image;
    const kinds = colours.length;
    const pixels = colours.map(pixelOf);
    const out = new Uint32Array(image.data.buffer).fill(pixelOf(ground));
    for (let c = 0; c < width; c++) {
        let total = 0;
        for (let k = 0; k < kinds; k++) if (visible[k]) total += shares[c * kinds + k];
        const scale = height / Math.max(total, full);
        let sum = 0;
        let low = 0;
        for (let k = 0; k < kinds; k++) {
            if (!visible[k]) continue;
            sum += shares[c * kinds + k];
            const high = Math.min(height, Math.round(sum * scale));
            for (let y = low; y < high; y++) out[(height - 1 - y) * width + c] = pixels[k];
            low = high;
        }
    }
    return image;
}
