// Colours that people with any kind of colour vision tell apart; tests/viewer checks the distances.

const COLOURS = [
    "#2468b0", // blue
    "#de8f33", // orange
    "#50a97c", // green
    "#b784b4", // mauve
    "#b4d6fb", // sky
    "#bb3d2f", // red
    "#efd83d", // yellow
    "#545b5c", // slate
];
const STATE_COLOURS = {
    light: ["#c3ccd6", "#94a1af", "#dcc79b", "#b7a7d4", "#9dc9bf", "#d8aaa0"],
    dark: ["#3a4653", "#667585", "#75684a", "#5f5480", "#44685f", "#7a5248"],
};

export function parseColour(hex) {
    const number = parseInt(hex.slice(1), 16);
    return [number >> 16, (number >> 8) & 255, number & 255];
}

export function toHex(rgb) {
    return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

// `share` of b in a.
export function mix(a, b, share) {
    const [from, to] = [parseColour(a), parseColour(b)];
    return toHex(from.map((part, i) => part + (to[i] - part) * share));
}

// Little-endian RGBA, as the pixels of a canvas lie in memory.
export function pixelOf(hex) {
    const [r, g, b] = parseColour(hex);
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

// Ink that can be read on a colour.
export function inkOn(hex) {
    const [r, g, b] = parseColour(hex).map((part) => {
        const c = part / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? "#10161d" : "#ffffff";
}

// Colour number i: after eight, the same hues lighter, then darker.
function colourAt(i) {
    const base = COLOURS[i % COLOURS.length];
    const round = Math.floor(i / COLOURS.length);
    if (round === 0) return base;
    return round % 2 ? mix(base, "#ffffff", 0.45) : mix(base, "#000000", 0.35);
}

// By name and not by place or time: a class keeps its colour from run to run of a program.
export function classColours(classes) {
    const sorted = classes.map((item, i) => [item.name, i]).sort((a, b) => (a[0] < b[0] ? -1 : 1));
    const colours = new Array(classes.length);
    sorted.forEach(([, i], place) => (colours[i] = colourAt(place)));
    return colours;
}

export function stateColours(names, theme) {
    const colours = STATE_COLOURS[theme];
    return names.map((_, i) => colours[i % colours.length]);
}
