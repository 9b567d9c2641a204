// Numbers as people read them.

const TIME_UNITS = [
    ["s", 1e9],
    ["ms", 1e6],
    ["µs", 1e3],
    ["ns", 1],
];

export function withCommas(count) {
    return Math.round(count).toLocaleString("en");
}

// Three significant digits or so, without an exponent for what people meet.
export function shortNumber(value) {
    if (!Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size >= 1000) return withCommas(value);
    if (size >= 100) return value.toFixed(0);
    if (size >= 10) return value.toFixed(1);
    if (size >= 0.01 || size === 0) return value.toFixed(2);
    return value.toExponential(1);
}

export function timeUnit(ns) {
    return TIME_UNITS.find(([, scale]) => ns >= scale) ?? TIME_UNITS[3];
}

export function duration(ns) {
    if (!Number.isFinite(ns)) return "–";
    if (ns === 0) return "0 s";
    const [unit, scale] = timeUnit(Math.abs(ns));
    return `${shortNumber(ns / scale)} ${unit}`;
}

export function seconds(value) {
    return duration(value * 1e9);
}

// A point in time, exact enough to tell it from the next tick `step` away.
export function instant(ns, step) {
    const [unit, scale] = timeUnit(Math.max(step, Math.abs(ns)));
    const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / scale) - 1e-9)));
    return `${(ns / scale).toFixed(digits)} ${unit}`;
}

export function percent(fraction) {
    return Number.isFinite(fraction) ? `${(fraction * 100).toFixed(1)}%` : "–";
}

export function bytes(count) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (count >= 1024 && unit < units.length - 1) {
        count /= 1024;
        unit++;
    }
    return `${shortNumber(count)} ${units[unit]}`;
}

// GFLOP/s of so many operations in so many nanoseconds.
export function rate(flops, ns) {
    return flops > 0 && ns > 0 ? `${shortNumber(flops / ns)} GFLOP/s` : null;
}

export function plural(count, one, many = `${one}s`) {
    return `${withCommas(count)} ${count === 1 ? one : many}`;
}
