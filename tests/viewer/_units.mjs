// The parts of the page that need no browser, each against a plain computation.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { addShares, sharesOf, Sums } from "../../viewer/bins.js";
import { tickStep } from "../../viewer/axis.js";
import { decodeBase64, readTrace } from "../../viewer/data.js";
import { bytes, duration, instant, plural, rate } from "../../viewer/format.js";
import { Intervals } from "../../viewer/intervals.js";
import { messageAt, messagesInView } from "../../viewer/messages.js";
import { classColours, inkOn, parseColour } from "../../viewer/palette.js";
import { sample } from "../../viewer/sample.mjs";
import { findTasks, parseQuery } from "../../viewer/search.js";
import { Scale, Stripes } from "../../viewer/surface.js";
import { paintStack } from "../../viewer/stack.js";
import { differencesOf, totalsOf } from "../../viewer/totals.js";
import { View } from "../../viewer/view.js";

function traceOf(options) {
    const { meta, data } = sample(options);
    return readTrace(meta, data.toString("base64"));
}

const trace = traceOf({ tasks: 2000, workers: 5 });
const bars = new Intervals(trace.tasks, trace.rows.length);
const states = new Intervals(trace.states, trace.rows.length);

// A generator of its own: the tests must not depend on the day.
function random(seed) {
    let state = seed;
    return () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x80000000;
}

test("base64 without the browser's help", () => {
    for (const length of [0, 1, 2, 3, 4, 1000]) {
        const data = Buffer.from(Array.from({ length }, (_, i) => (i * 77) & 255));
        assert.deepEqual(Buffer.from(decodeBase64(data.toString("base64"))), data);
    }
});

test("a column of 64-bit integers, negative ones too", () => {
    const { meta, data } = sample({ tasks: 20, workers: 2 });
    const values = [-1n, 3n, -(2n ** 40n), 2n ** 52n];
    const extra = Buffer.from(BigInt64Array.from({ length: meta.stats.tasks },
        (_, i) => values[i % 4]).buffer);
    const column = meta.columns.find((item) => item.name === "task.p0");
    Object.assign(column, { type: "i64", offset: data.length });
    const read = readTrace(meta, Buffer.concat([data, extra]).toString("base64"));
    assert.deepEqual([...read.tasks.parameters[0].slice(0, 4)], values.map(Number));
});

test("intervals: every task in its row, sorted, none twice", () => {
    const seen = new Set();
    for (let r = 0; r < bars.rows; r++) {
        for (let at = bars.first[r]; at < bars.first[r + 1]; at++) {
            const task = bars.order[at];
            assert.equal(trace.tasks.row[task], r);
            assert.ok(at === bars.first[r] || bars.start[at] >= bars.start[at - 1]);
            seen.add(task);
        }
    }
    assert.equal(seen.size, trace.tasks.count);
});

test("intervals: a range has what meets the window", () => {
    const next = random(7);
    for (let i = 0; i < 200; i++) {
        const t0 = next() * trace.span;
        const t1 = t0 + next() * trace.span * 0.1;
        const r = Math.floor(next() * bars.rows);
        const [low, high] = bars.range(r, t0, t1);
        for (let at = bars.first[r]; at < bars.first[r + 1]; at++) {
            const meets = bars.end[at] > t0 && bars.start[at] < t1;
            assert.equal(at >= low && at < high, meets);
        }
    }
});

test("intervals: tasks inside tasks, in any order", () => {
    const set = new Intervals({
        count: 5,
        start: Float64Array.from([10, 0, 20, 22, 60]),
        duration: Float64Array.from([30, 100, 5, 1, 10]),
        row: new Uint16Array(5),
        kind: Uint16Array.from([0, 1, 2, 3, 4]),
    }, 1);
    assert.deepEqual([...set.order], [1, 0, 2, 3, 4]);
    assert.deepEqual([...set.depth], [0, 1, 2, 3, 1]);
    assert.equal(set.deepest[0], 3);
    const all = new Uint8Array(5).fill(1);
    assert.equal(set.order[set.find(0, 22.5, 0, all)], 3);
    assert.equal(set.order[set.find(0, 50, 0, all)], 1);
    assert.equal(set.order[set.find(0, 65, 0, all)], 4);
    assert.equal(set.order[set.find(0, 90, 0, all)], 1);
    all[1] = 0;
    assert.equal(set.find(0, 50, 0, all), -1);
    assert.deepEqual([...set.ownTimes()], [60, 25, 4, 1, 10]);
});

test("shares add up to the time of the tasks in the window", () => {
    const kinds = trace.classes.length;
    const sums = new Sums(bars, kinds, trace.span);
    const next = random(3);
    for (let i = 0; i < 50; i++) {
        const length = trace.span * 10 ** (-4 * next());
        const t0 = next() * (trace.span - length);
        const columns = 1 + Math.floor(next() * 700);
        const r = Math.floor(next() * bars.rows);
        const shares = sharesOf(bars, sums, r, t0, t0 + length, columns);
        const found = new Float64Array(kinds);
        shares.forEach((share, at) => (found[at % kinds] += (share * length) / columns));
        const wanted = new Float64Array(kinds);
        for (let at = bars.first[r]; at < bars.first[r + 1]; at++) {
            const time = Math.min(bars.end[at], t0 + length) - Math.max(bars.start[at], t0);
            if (time > 0) wanted[bars.kind[at]] += time;
        }
        // Sums know bins only; at both ends of the window they may be wrong by one.
        const allowed = length / columns >= sums.width ? 2 * sums.width : 1;
        found.forEach((time, k) => assert.ok(Math.abs(time - wanted[k]) <= allowed));
        assert.ok(shares.every((share) => share <= 1 + 1e-6));
    }
});

test("sums of the whole run are exact, column by column", () => {
    const kinds = trace.classes.length;
    const sums = new Sums(bars, kinds, trace.span);
    const direct = new Float64Array(256 * kinds);
    addShares(bars, 0, 0, trace.span, 256, kinds, direct);
    const summed = new Float64Array(256 * kinds);
    sums.addShares(0, 0, trace.span, 256, summed);
    direct.forEach((share, i) => assert.ok(Math.abs(share - summed[i]) < 1e-9));
});

test("columns are stacked from the bottom and never too high", () => {
    const paint = (shares, visible, full) => {
        const image = { width: 1, height: 10, data: new Uint8ClampedArray(40) };
        const look = { colours: ["#010000", "#020000"], visible, ground: "#090000", full };
        paintStack(image, shares, look);
        return Array.from({ length: 10 }, (_, y) => image.data[y * 4]).reverse();
    };
    assert.deepEqual(paint([0.3, 0.4], [1, 1]), [1, 1, 1, 2, 2, 2, 2, 9, 9, 9]);
    assert.deepEqual(paint([0.3, 0.4], [0, 1]), [2, 2, 2, 2, 9, 9, 9, 9, 9, 9]);
    assert.deepEqual(paint([1, 1], [1, 1]), [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    assert.deepEqual(paint([1, 1], [1, 1], 4), [1, 1, 1, 2, 2, 9, 9, 9, 9, 9]);
});

test("search", () => {
    assert.deepEqual(parseQuery("GEMM(3, *, -2) k=4"),
        { text: ["gemm"], positions: [3, null, -2], named: [{ name: "k", value: 4 }] });
    const titles = (query) => [...findTasks(trace, query)].map((task) => {
        const { name, parameters } = trace.classes[trace.tasks.kind[task]];
        const values = parameters.map((_, p) => trace.tasks.parameters[p][task]);
        return `${name} ${values.join(" ")}`;
    });
    assert.deepEqual(titles("gemm 3 2 1"), ["gemm 3 2 1"]);
    assert.deepEqual(titles("gemm 3 2").sort(), ["gemm 3 2 0", "gemm 3 2 1"]);
    assert.deepEqual(titles("trsm * 0").length, 21);
    assert.deepEqual(titles("trsm k=0").sort(), titles("trsm * 0").sort());
    assert.deepEqual(titles("potrf").length, 22);
    assert.deepEqual(titles("otr 3"), ["potrf 3"]);
    assert.deepEqual(titles("gemm 3 2 1 0"), []);
    assert.deepEqual(titles("gemm q=1"), []);
    assert.equal(findTasks(trace, "  "), null);
});

test("totals agree with the statistics, and a wrong one is noticed", () => {
    const totals = totalsOf(trace, bars, states);
    assert.deepEqual(differencesOf(trace, totals), []);
    const teams = totalsOf({ ...trace, stateNames: ["team", "search"] }, bars, states);
    assert.ok(teams.workers.some((worker, i) => worker.busy > totals.workers[i].busy));
    for (const spoil of [
        (stats) => stats.tasks++,
        (stats) => stats.classes[0].count--,
        (stats) => (stats.classes[2].seconds *= 1.0001),
        (stats) => stats.workers[1].tasks++,
        (stats) => (stats.workers[1].busy += 1e-5),
        (stats) => stats.classes.pop(),
    ]) {
        const stats = structuredClone(trace.meta.stats);
        spoil(stats);
        const other = { ...trace, meta: { ...trace.meta, stats } };
        assert.equal(differencesOf(other, totals).length, 1);
    }
});

test("the window stays inside the run", () => {
    const view = new View(1000);
    const next = random(11);
    for (let i = 0; i < 1000; i++) {
        const at = next() * 1000;
        if (i % 3 === 0) view.zoom(2 ** (4 * next() - 2), view.t0 + next() * view.length);
        else if (i % 3 === 1) view.pan((next() - 0.5) * 500);
        else view.reveal(at, at + next() * 10);
        assert.ok(view.t0 >= 0 && view.t1 <= 1000 + 1e-9 && view.length >= view.shortest - 1e-9);
    }
    view.fit();
    assert.ok(view.isAll);
    view.zoom(0.5, 250);
    assert.deepEqual([view.t0, view.t1], [125, 625]);
    view.reveal(700, 710);
    assert.ok(view.t0 <= 700 && view.t1 >= 710);
});

test("numbers for people", () => {
    assert.equal(duration(0), "0 s");
    assert.equal(duration(12.34), "12.3 ns");
    assert.equal(duration(98_765), "98.8 µs");
    assert.equal(duration(3.2e9), "3.20 s");
    assert.equal(instant(21_623_342, 1000), "21.623 ms");
    assert.equal(instant(5e6, 5e6), "5 ms");
    assert.equal(bytes(3 * 2 ** 20), "3.00 MiB");
    assert.equal(rate(2e9, 1e9), "2.00 GFLOP/s");
    assert.equal(rate(0, 10), null);
    assert.equal(plural(1, "class", "classes"), "1 class");
    assert.equal(plural(2000, "task"), "2,000 tasks");
    assert.equal(tickStep(1, 96), 100);
    assert.equal(tickStep(0.01, 96), 1);
    assert.equal(tickStep(3, 96), 500);
});

// CIE Lab of a colour as people see it whose eyes follow the matrix (Machado and others, 2009).
const EYES = {
    usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998]],
    deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881]],
    tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039]],
};
const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

function lab(hex, eyes) {
    const rgb = parseColour(hex).map((part) => linear(part / 255));
    const [r, g, b] = eyes.map((row) =>
        Math.min(1, Math.max(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])));
    const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
    const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const BASES = ["gemm", "trsm", "herk", "trmm", "trtri", "potrf", "laswp", "lauum"];

test("eight colours that all eyes tell apart", () => {
    const colours = classColours(BASES.map((name) => ({ name })));
    for (const [name, eyes] of Object.entries(EYES)) {
        colours.forEach((a, i) => colours.slice(0, i).forEach((b) => {
            const [p, q] = [lab(a, eyes), lab(b, eyes)];
            const distance = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
            assert.ok(distance > 20, `${name}: ${a} and ${b} are only ${distance} apart`);
        }));
    }
});

test("labels can be read on every colour", () => {
    const light = (hex) => {
        const [r, g, b] = parseColour(hex).map((part) => linear(part / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const many = Array.from({ length: 24 }, (_, i) => ({ name: `class ${i}` }));
    for (const colour of classColours(many)) {
        const [a, b] = [light(colour), light(inkOn(colour))];
        const contrast = Math.max(a, b) / Math.min(a, b);
        assert.ok(contrast >= 4.5, `${inkOn(colour)} on ${colour}: ${contrast}`);
    }
});

test("a class keeps its colour whatever other classes there are", () => {
    const alone = Object.fromEntries(BASES.map((name) => [name, classColours([{ name }])[0]]));
    const together = classColours(BASES.map((name) => ({ name })));
    BASES.forEach((name, i) => assert.equal(together[i], alone[name], name));
    assert.equal(classColours([{ name: "GEMM" }])[0], alone.gemm);
    const many = classColours(Array.from({ length: 24 }, (_, i) => ({ name: `own${i}` })));
    assert.equal(new Set(many).size, 24);
});

test("colours are those of common/colours.c", () => {
    const source = readFileSync(new URL("../../common/colours.c", import.meta.url), "utf8");
    const bases = [...source.matchAll(/\{0x(..), 0x(..), 0x(..)\}/g)].map(([, r, g, b]) => `#${r}${g}${b}`);
    const usual = [...source.matchAll(/\{"(\w+)", (\d+)\}/g)];
    assert.equal(bases.length, 8);
    assert.ok(usual.length > 20);
    for (const [, name, colour] of usual) {
        assert.equal(classColours([{ name }])[0], bases[colour], name);
    }
});

test("a class keeps its colour whatever the order of the classes", () => {
    const names = ["trsm", "gemm", "potrf"];
    const [a, b] = [names, [...names].reverse()].map((list) => {
        const colours = classColours(list.map((name) => ({ name })));
        return Object.fromEntries(list.map((name, i) => [name, colours[i]]));
    });
    assert.deepEqual(a, b);
});

test("messages in view are those whose lines are", () => {
    const next = random(9);
    const sent = Float64Array.from({ length: 500 }, () => 1000 * next()).sort();
    const received = sent.map((time) => time + 80 * next());
    const longest = received.reduce((most, time, i) => Math.max(most, time - sent[i]), 0);
    for (let round = 0; round < 100; round++) {
        const t0 = 1000 * next();
        const t1 = t0 + 100 * next();
        const [low, high] = messagesInView({ sent, received, longest }, t0, t1);
        sent.forEach((time, i) => {
            if (time < t1 && received[i] > t0) assert.ok(i >= low && i < high, `message ${i}`);
        });
    }
});

test("the message nearest to a place is found, if it is near", () => {
    const messages = { sent: [0, 100], received: [1000, 300], from: [0, 2], to: [2, 0], longest: 1000 };
    const [scale, stripes] = [new Scale(1186, 0, 1000, 3), new Stripes(3, 138)];
    const middle = (row) => stripes.barTop(row) + stripes.barHeight / 2;
    assert.equal(scale.plot, 1000);
    assert.equal(messageAt(messages, scale, stripes, scale.x(500), middle(1)), 0);
    assert.equal(messageAt(messages, scale, stripes, scale.x(200), middle(1)), 1);
    assert.equal(messageAt(messages, scale, stripes, scale.x(900), middle(0)), -1);
});
