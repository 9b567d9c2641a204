// Makes a page with a made-up run, for tests and for work on the page itself:
//
//   node viewer/sample.mjs --template viewer_page.html --out sample.html [--tasks N] [--workers P]
//
// The run is a tile Cholesky factorization of at least N tasks, played on P workers that take the
// ready task of the smallest step. Durations vary, by a generator with a fixed seed.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const CLASSES = [
    { name: "potrf", parameters: ["k"], ns: 42e3, flops: 1 / 3 },
    { name: "trsm", parameters: ["m", "k"], ns: 61e3, flops: 1 },
    { name: "syrk", parameters: ["m", "k"], ns: 58e3, flops: 1 },
    { name: "gemm", parameters: ["m", "n", "k"], ns: 97e3, flops: 2 },
];
const [POTRF, TRSM, SYRK, GEMM] = [0, 1, 2, 3];
const STATES = ["sleep", "search"];
const TILE = 128;

function generator(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 4294967296;
    };
}

function tilesFor(tasks) {
    let nt = 1;
    while (nt + nt * (nt - 1) + (nt * (nt - 1) * (nt - 2)) / 6 < tasks) nt++;
    return nt;
}

// The graph: what a finished task makes ready. `ready(class, m, n, k)` is called once per task.
class Cholesky {
    constructor(nt, ready) {
        this.nt = nt;
        this.ready = ready;
        this.updates = new Uint16Array(nt * nt); // of tile (m, n), done
        this.solved = new Uint8Array(nt * nt); // trsm(m, k) is done
        this.factored = new Uint8Array(nt);
    }

    updated(m, n) {
        const k = ++this.updates[m * this.nt + n];
        if (k < n) this.tryUpdate(m, n, k);
        else if (m === n) this.ready(POTRF, n, n, n);
        else if (this.factored[n]) this.ready(TRSM, m, n, n);
    }

    tryUpdate(m, n, k) {
        const { nt, solved, updates } = this;
        if (!solved[m * nt + k] || !solved[n * nt + k] || updates[m * nt + n] !== k) return;
        this.ready(m === n ? SYRK : GEMM, m, n, k);
    }

    done(kind, m, n, k) {
        const { nt } = this;
        if (kind === POTRF) {
            this.factored[k] = 1;
            for (let i = k + 1; i < nt; i++) {
                if (this.updates[i * nt + k] === k) this.ready(TRSM, i, k, k);
            }
        } else if (kind === TRSM) {
            this.solved[m * nt + k] = 1;
            for (let i = k + 1; i <= m; i++) this.tryUpdate(m, i, k);
            for (let i = m + 1; i < nt; i++) this.tryUpdate(i, m, k);
        } else {
            this.updated(m, n);
        }
    }
}

// Ready tasks, smallest step first, and within a step first come first served.
class Queue {
    constructor(steps) {
        this.steps = Array.from({ length: steps }, () => ({ list: [], next: 0 }));
        this.lowest = 0;
        this.size = 0;
    }

    push(step, item) {
        this.steps[step].list.push(item);
        this.lowest = Math.min(this.lowest, step);
        this.size++;
    }

    pop() {
        let step = this.steps[this.lowest];
        while (step.next === step.list.length) step = this.steps[++this.lowest];
        this.size--;
        return step.list[step.next++];
    }
}

// Play the run: tasks in the order of their starts, and the numbers of ready tasks over time.
function play(nt, workers, random) {
    const tasks = [];
    const queue = new Queue(nt);
    const ready = { time: [], count: [] };
    const busy = new Array(workers).fill(null); // the task a worker runs
    let now = 0;
    let enabler = -1;
    const graph = new Cholesky(nt, (kind, m, n, k) =>
        queue.push(k, { kind, m, n, k, enabler, ready: now }),
    );
    graph.ready(POTRF, 0, 0, 0);
    for (;;) {
        for (let w = 0; w < workers && queue.size; w++) {
            if (busy[w]) continue;
            const task = queue.pop();
            const spread = 0.85 + 0.3 * random() + (random() < 0.01 ? 1.5 : 0);
            task.start = now + 300 + Math.floor(400 * random());
            task.duration = Math.round(CLASSES[task.kind].ns * spread);
            task.row = w;
            task.index = tasks.length;
            busy[w] = task;
            tasks.push(task);
        }
        ready.time.push(now);
        ready.count.push(queue.size);
        let next = null;
        for (const task of busy) {
            if (task && (!next || task.start + task.duration < next.start + next.duration)) next = task;
        }
        if (!next) return { tasks, ready };
        busy[next.row] = null;
        now = next.start + next.duration;
        enabler = next.index;
        graph.done(next.kind, next.m, next.n, next.k);
    }
}

// Starts are not quite in the order of assignment; the page wants tasks sorted by them.
function sortByStart(tasks) {
    const sorted = tasks.slice().sort((a, b) => a.start - b.start);
    const place = new Map(sorted.map((task, i) => [task.index, i]));
    for (const task of sorted) task.enabler = task.enabler < 0 ? -1 : place.get(task.enabler);
    return sorted;
}

function longestPath(tasks) {
    let at = 0;
    tasks.forEach((task, i) => {
        if (task.start + task.duration > tasks[at].start + tasks[at].duration) at = i;
    });
    const path = [];
    for (; at >= 0; at = tasks[at].enabler) path.push(at);
    return path.reverse();
}

// What tasks waited for, [from, to], in the order of those that waited.
function edgesOf(tasks) {
    const key = (kind, m, n, k) => `${kind} ${m} ${n} ${k}`;
    const place = new Map(tasks.map(({ kind, m, n, k }, i) => [key(kind, m, n, k), i]));
    return tasks.flatMap(({ kind, m, n, k }, to) => {
        const before = [];
        if (k > 0) {
            if (kind === POTRF) before.push(key(SYRK, k, k, k - 1));
            if (kind === TRSM) before.push(key(GEMM, m, k, k - 1));
            if (kind === SYRK || kind === GEMM) before.push(key(kind, m, n, k - 1));
        }
        if (kind === TRSM) before.push(key(POTRF, k, k, k));
        if (kind === SYRK) before.push(key(TRSM, m, k, k));
        if (kind === GEMM) before.push(key(TRSM, m, k, k), key(TRSM, n, k, k));
        return before.map((name) => [place.get(name), to]).sort(([a], [b]) => a - b);
    });
}

function gaps(tasks, workers, span) {
    const states = [];
    const last = new Array(workers).fill(0);
    const note = (row, start, end) => {
        const searching = Math.min(end - start, 20e3);
        if (searching < 1e3) return;
        states.push({ start, duration: searching, row, kind: 1 });
        if (end - start > searching) {
            states.push({ start: start + searching, duration: end - start - searching, row, kind: 0 });
        }
    };
    for (const task of tasks) {
        note(task.row, last[task.row], task.start);
        last[task.row] = task.start + task.duration;
    }
    last.forEach((end, row) => note(row, end, span));
    return states.sort((a, b) => a.start - b.start);
}

function classStatistics(tasks) {
    return CLASSES.map(({ name, flops }, kind) => {
        const times = tasks.filter((task) => task.kind === kind).map((task) => task.duration);
        const total = times.reduce((sum, time) => sum + time, 0);
        const mean = total / times.length;
        const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / times.length;
        return {
            name,
            count: times.length,
            seconds: total / 1e9,
            mean_us: mean / 1e3,
            min_us: times.reduce((a, b) => Math.min(a, b), Infinity) / 1e3,
            max_us: times.reduce((a, b) => Math.max(a, b), 0) / 1e3,
            stddev_us: Math.sqrt(variance) / 1e3,
            gflops: (flops * TILE ** 3 * times.length) / total,
        };
    });
}

function statistics(tasks, states, path, workers, span) {
    const busy = new Array(workers).fill(0);
    const idle = new Array(workers).fill(0);
    const counts = new Array(workers).fill(0);
    for (const task of tasks) {
        busy[task.row] += task.duration;
        counts[task.row]++;
    }
    for (const state of states) idle[state.row] += state.duration;
    const total = busy.reduce((sum, time) => sum + time, 0);
    const wasted = idle.reduce((sum, time) => sum + time, 0);
    const pathTime = path.reduce((sum, task) => sum + tasks[task].duration, 0);
    const work = total / workers;
    return {
        seconds: span / 1e9,
        tasks: tasks.length,
        utilisation: total / (workers * span),
        workers: busy.map((time, w) => ({
            name: `worker ${w}`,
            busy: time / 1e9,
            idle: idle[w] / 1e9,
            overhead: (span - time - idle[w]) / 1e9,
            tasks: counts[w],
        })),
        classes: classStatistics(tasks),
        longest_path: { seconds: pathTime / 1e9, tasks: path.length },
        bounds: { work: work / 1e9, path: pathTime / 1e9, efficiency: Math.max(work, pathTime) / span },
        why_idle: [
            { cause: "too few tasks", seconds: (wasted * 0.7) / 1e9, share: 0.7,
              detail: "the factorization narrows at its end" },
            { cause: "not yet enabled", seconds: (wasted * 0.3) / 1e9, share: 0.3,
              detail: "waited for potrf behind syrk" },
        ],
    };
}

class Writer {
    constructor() {
        this.columns = [];
        this.parts = [];
        this.size = 0;
    }

    add(name, type, array) {
        const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
        const padding = Buffer.alloc((8 - (bytes.length % 8)) % 8);
        this.columns.push({ name, type, offset: this.size, length: array.length });
        this.parts.push(bytes, padding);
        this.size += bytes.length + padding.length;
    }
}

function columnsOf(tasks, states, ready, span) {
    const writer = new Writer();
    const of = (list, key) => list.map((item) => item[key]);
    writer.add("task.start", "f64", Float64Array.from(of(tasks, "start")));
    writer.add("task.duration", "f32", Float32Array.from(of(tasks, "duration")));
    writer.add("task.row", "u16", Uint16Array.from(of(tasks, "row")));
    writer.add("task.class", "u16", Uint16Array.from(of(tasks, "kind")));
    writer.add("task.graph", "u16", new Uint16Array(tasks.length));
    const values = tasks.map(({ kind, m, n, k }) => [[k], [m, k], [m, k], [m, n, k]][kind]);
    for (let p = 0; p < 3; p++) {
        writer.add(`task.p${p}`, "i32", Int32Array.from(values, (value) => value[p] ?? 0));
    }
    writer.add("task.flops", "f32",
        Float32Array.from(tasks, (task) => CLASSES[task.kind].flops * TILE ** 3));
    writer.add("state.start", "f64", Float64Array.from(of(states, "start")));
    writer.add("state.duration", "f64", Float64Array.from(of(states, "duration")));
    writer.add("state.row", "u16", Uint16Array.from(of(states, "row")));
    writer.add("state.kind", "u8", Uint8Array.from(of(states, "kind")));
    writer.add("task.queued", "f32", Float32Array.from(tasks, (task) => task.start - task.ready));
    writer.add("task.priority", "i32", Int32Array.from(tasks, (task) => -task.k));
    const edges = edgesOf(tasks);
    writer.add("edge.from", "u32", Uint32Array.from(edges, ([from]) => from));
    writer.add("edge.to", "u32", Uint32Array.from(edges, ([, to]) => to));
    writer.add("idle.start", "f64", Float64Array.from(of(states, "start")));
    writer.add("idle.duration", "f64", Float64Array.from(of(states, "duration")));
    writer.add("idle.row", "u16", Uint16Array.from(of(states, "row")));
    writer.add("idle.cause", "u8", Uint8Array.from(states, (state) => (state.start < span / 2 ? 1 : 0)));
    const every = Math.ceil(ready.time.length / 20000);
    const kept = ready.time.map((_, i) => i).filter((i) => i % every === 0);
    writer.add("ready.time", "f64", Float64Array.from(kept, (i) => ready.time[i]));
    writer.add("ready.count", "u32", Uint32Array.from(kept, (i) => ready.count[i]));
    const moments = Array.from({ length: 2000 }, (_, i) => (i * span) / 2000);
    writer.add("memory.time", "f64", Float64Array.from(moments));
    writer.add("memory.bytes", "f64", Float64Array.from(moments, (t) =>
        2 ** 28 * (1 + Math.sin((Math.PI * t) / span)) + 2 ** 22 * (Math.floor(t / 1e6) % 5)));
    return writer;
}

// { meta, data }: what the writer of traces would put into the page; data is a Buffer.
export function sample({ tasks: wanted = 2000, workers = 4, seed = 1 } = {}) {
    const nt = tilesFor(wanted);
    const run = play(nt, workers, generator(seed));
    const tasks = sortByStart(run.tasks);
    const span = tasks.reduce((end, task) => Math.max(end, task.start + task.duration), 0) + 5e3;
    const states = gaps(tasks, workers, span);
    const path = longestPath(tasks);
    const { columns, parts } = columnsOf(tasks, states, run.ready, span);
    const meta = {
        version: 1,
        title: `potrf n=${nt * TILE} nb=${TILE} (sample)`,
        command: "node viewer/sample.mjs",
        date: "2000-01-01 00:00:00",
        host: "nowhere",
        span_ns: span,
        rows: run.tasks.length ? Array.from({ length: workers }, (_, w) =>
            ({ name: `worker ${w}`, kind: "worker", rank: 0 })) : [],
        classes: CLASSES.map(({ name, parameters }) => ({ name, parameters })),
        states: STATES,
        graphs: [{ name: "potrf", serial: 1 }],
        lost: 0,
        stats: statistics(tasks, states, path, workers, span),
        longest_path: path,
        columns,
    };
    return { meta, data: Buffer.concat(parts) };
}

// Put the facts and the columns into the template.
export function fill(template, meta, data) {
    const json = JSON.stringify(meta).replaceAll("<", "\\u003c");
    return template
        .replace("<!--TWILL_META-->",
            () => `<script type="application/json" id="twill-meta">${json}</script>`)
        .replace("<!--TWILL_DATA-->",
            () => `<script type="text/plain" id="twill-data">${data.toString("base64")}</script>`);
}

function main(words) {
    const options = { "--template": "viewer_page.html", "--out": "sample.html", "--tasks": 2000,
        "--workers": 4, "--seed": 1 };
    for (let i = 0; i < words.length; i += 2) {
        if (!(words[i] in options) || words[i + 1] === undefined) {
            console.error(`sample: ${words[i]}: one of ${Object.keys(options).join(" ")}, and a value`);
            process.exit(2);
        }
        options[words[i]] = words[i + 1];
    }
    const { meta, data } = sample({ tasks: Number(options["--tasks"]),
        workers: Number(options["--workers"]), seed: Number(options["--seed"]) });
    const template = readFileSync(options["--template"], "utf8");
    writeFileSync(options["--out"], fill(template, meta, data));
    console.log(`${options["--out"]}: ${meta.stats.tasks} tasks`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.argv.slice(2));
