// Reads what the writer put into the page: facts in JSON, and columns of numbers in base64.

import { Edges } from "./edges.js";

const TYPES = {
    u8: Uint8Array,
    u16: Uint16Array,
    u32: Uint32Array,
    i32: Int32Array,
    i64: BigInt64Array,
    f32: Float32Array,
    f64: Float64Array,
};

// Browsers that cannot decode base64 into bytes themselves are given a table.
function decodeByTable(text) {
    const value = new Uint8Array(128).fill(255);
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (let i = 0; i < 64; i++) value[letters.charCodeAt(i)] = i;
    const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
    let held = 0;
    let bits = 0;
    let length = 0;
    for (let i = 0; i < text.length; i++) {
        const six = value[text.charCodeAt(i) & 127];
        if (six === 255) continue;
        held = ((held << 6) | six) & 0xffffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[length++] = held >> bits;
        }
    }
    return bytes.subarray(0, length);
}

export function decodeBase64(text) {
    return Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : decodeByTable(text);
}

// 64-bit integers as doubles: nobody's parameters need more than 53 bits, and these are fast.
function toDoubles(column) {
    if (!(column instanceof BigInt64Array)) return column;
    const halves = new Int32Array(column.buffer, column.byteOffset, column.length * 2);
    const doubles = new Float64Array(column.length);
    for (let i = 0; i < doubles.length; i++) {
        doubles[i] = halves[2 * i + 1] * 4294967296 + (halves[2 * i] >>> 0);
    }
    return doubles;
}

function readColumns(list, bytes) {
    const columns = new Map();
    for (const { name, type, offset, length } of list) {
        const Type = TYPES[type];
        if (!Type) continue;
        const end = offset + length * Type.BYTES_PER_ELEMENT;
        if (!(offset >= 0) || !(length >= 0) || end > bytes.length) {
            throw new Error(`column ${name} reaches beyond the data: the file is cut off`);
        }
        columns.set(name, toDoubles(new Type(bytes.buffer, bytes.byteOffset + offset, length)));
    }
    return columns;
}

// The column, as the type that the loops expect; zeros where the writer left it out.
function take(columns, name, count, Type) {
    const column = columns.get(name);
    if (!column) return new Type(count);
    if (column.length !== count) {
        throw new Error(`column ${name} has ${column.length} entries instead of ${count}`);
    }
    return column instanceof Type ? column : new Type(column);
}

function checkBelow(column, limit, name) {
    for (let i = 0; i < column.length; i++) {
        if (column[i] >= limit) throw new Error(`${name} ${column[i]} does not exist`);
    }
}

// Intervals of the columns `prefix`.start, .duration, .row and .`kind`.
function readIntervals(columns, prefix, kind, rows, kinds) {
    const count = columns.get(`${prefix}.start`)?.length ?? 0;
    const start = take(columns, `${prefix}.start`, count, Float64Array);
    const duration = take(columns, `${prefix}.duration`, count, Float64Array);
    const row = take(columns, `${prefix}.row`, count, Uint16Array);
    const kindColumn = take(columns, `${prefix}.${kind}`, count, Uint16Array);
    checkBelow(row, rows, "row");
    checkBelow(kindColumn, kinds, kind);
    return { count, start, duration, row, kind: kindColumn };
}

function readCurve(columns, prefix, value) {
    const time = columns.get(`${prefix}.time`);
    const values = columns.get(`${prefix}.${value}`);
    if (!time?.length || values?.length !== time.length) return null;
    return { time, values };
}

// Messages between rows, in the order in which they were sent, and the longest time that one took.
function readMessages(columns, rows) {
    const count = columns.get("message.sent")?.length ?? 0;
    const messages = {
        count,
        sent: take(columns, "message.sent", count, Float64Array),
        received: take(columns, "message.received", count, Float64Array),
        bytes: take(columns, "message.bytes", count, Float64Array),
        from: take(columns, "message.from", count, Uint16Array),
        to: take(columns, "message.to", count, Uint16Array),
        longest: 0,
    };
    checkBelow(messages.from, rows, "row");
    checkBelow(messages.to, rows, "row");
    for (let i = 0; i < count; i++) {
        messages.longest = Math.max(messages.longest, messages.received[i] - messages.sent[i]);
    }
    return messages;
}

// The critical set, and until when each entry holds: to the next one of its rank, or the end.
function readSet(columns, rows, span) {
    const count = columns.get("set.time")?.length ?? 0;
    const set = {
        count,
        time: take(columns, "set.time", count, Float64Array),
        end: new Float64Array(count).fill(span),
        row: take(columns, "set.row", count, Uint16Array),
        members: take(columns, "set.members", count, Uint16Array),
        wanted: take(columns, "set.wanted", count, Uint16Array),
    };
    checkBelow(set.row, rows.length, "row");
    const last = new Map(); // of each rank
    for (let i = 0; i < count; i++) {
        if (set.row[i] + set.members[i] > rows.length) throw new Error(`set ${i} has rows that do not exist`);
        const { rank = 0 } = rows[set.row[i]];
        if (last.has(rank)) set.end[last.get(rank)] = set.time[i];
        last.set(rank, i);
    }
    return set;
}

function readTasks(columns, meta) {
    const tasks = readIntervals(columns, "task", "class", meta.rows.length, meta.classes.length);
    tasks.graph = take(columns, "task.graph", tasks.count, Uint16Array);
    tasks.flops = columns.has("task.flops")
        ? take(columns, "task.flops", tasks.count, Float32Array)
        : null;
    tasks.queued = columns.has("task.queued")
        ? take(columns, "task.queued", tasks.count, Float32Array)
        : null;
    tasks.priority = columns.has("task.priority")
        ? take(columns, "task.priority", tasks.count, Int32Array)
        : null;
    tasks.critical = columns.has("task.critical")
        ? take(columns, "task.critical", tasks.count, Uint8Array)
        : null;
    tasks.team = columns.has("task.team")
        ? take(columns, "task.team", tasks.count, Uint16Array)
        : null;
    tasks.parameters = [];
    for (let p = 0; columns.has(`task.p${p}`); p++) {
        tasks.parameters.push(columns.get(`task.p${p}`));
    }
    return tasks;
}

// What tasks waited for; none where the writer left it out.
function readEdges(columns, tasks) {
    const count = columns.get("edge.from")?.length ?? 0;
    const from = take(columns, "edge.from", count, Uint32Array);
    const to = take(columns, "edge.to", count, Uint32Array);
    checkBelow(from, tasks, "task");
    checkBelow(to, tasks, "task");
    return new Edges(from, to, tasks);
}

// The end of the run: as the writer says, and never before the last thing that is drawn.
function spanOf(meta, tasks) {
    let span = Number(meta.span_ns) || 0;
    for (let i = 0; i < tasks.count; i++) {
        const end = tasks.start[i] + tasks.duration[i];
        if (end > span) span = end;
    }
    return span > 0 ? span : 1;
}

export function readTrace(meta, text) {
    if (meta.version !== 1) {
        throw new Error(`the data has version ${meta.version}, this page reads version 1`);
    }
    const columns = readColumns(meta.columns ?? [], decodeBase64(text.trim()));
    const tasks = readTasks(columns, meta);
    const stateNames = meta.states ?? [];
    const span = spanOf(meta, tasks);
    const states = readIntervals(columns, "state", "kind", meta.rows.length, stateNames.length);
    states.task = take(columns, "state.task", states.count, Uint32Array);
    checkBelow(states.task, tasks.count + 1, "task");
    return {
        meta,
        tasks,
        rows: meta.rows,
        classes: meta.classes,
        stateNames,
        graphs: meta.graphs ?? [],
        ranks: new Set(meta.rows.map(({ rank }) => rank ?? 0)).size,
        messages: readMessages(columns, meta.rows.length),
        edges: readEdges(columns, tasks.count),
        gaps: readIntervals(columns, "idle", "cause", meta.rows.length, 256),
        states,
        set: readSet(columns, meta.rows, span),
        ready: readCurve(columns, "ready", "count"),
        memory: readCurve(columns, "memory", "bytes"),
        path: Uint32Array.from((meta.longest_path ?? []).filter((task) => task < tasks.count)),
        span,
    };
}
