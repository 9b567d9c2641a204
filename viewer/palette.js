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

// Tasks that are often beside each other; the colour of others is what their letters come to.
const USUAL = {
    gemm: 0, trsm: 1, herk: 2, syrk: 2, potrf: 5, panel: 5, laswp: 6, geqrt: 5, gelqt: 5, unmqr: 0,
    unmlq: 0, ttqrt: 1, ttlqt: 1, ttmqr: 2, ttmlq: 2, trmm: 3, lauum: 7, trtri: 4, copy: 4, fill: 6,
    symm: 0, hemm: 0, pack: 7,
};
const ROUNDS = 3;
const COUNT = ROUNDS * COLOURS.length;

// FNV-1a of the name in small letters.
function wishOf(name) {
    const small = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (Object.hasOwn(USUAL, small)) return USUAL[small];
    let hash = 2166136261;
    for (const byte of new TextEncoder().encode(small)) hash = Math.imul(hash ^ byte, 16777619);
    return (hash >>> 0) % COUNT;
}

// Colour number i: after eight, the same hues lighter, then darker.
function colourAt(i) {
    const base = COLOURS[i % COLOURS.length];
    const round = Math.floor(i / COLOURS.length);
    if (round === 0) return base;
    return round === 1 ? mix(base, "#ffffff", 0.45) : mix(base, "#000000", 0.35);
}

// A class has its own colour in every run of every program, as common/colours.c says: unless one
// before it in the alphabet has taken it, then it has the next free one.
export function classColours(classes) {
    const sorted = classes.map((item, i) => [item.name, i])
        .sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
    const colours = new Array(classes.length);
    const taken = new Array(COUNT).fill(0);
    sorted.forEach(([name, i], place) => {
        let at = wishOf(name);
        const round = Math.floor(place / COUNT);
        for (let tries = 0; tries < COUNT && taken[at] > round; tries++) at = (at + 1) % COUNT;
        taken[at]++;
        colours[i] = colourAt(at);
    });
    return colours;
}

export function stateColours(names, theme) {
    const colours = STATE_COLOURS[theme];
    return names.map((_, i) => colours[i % colours.length]);
}
