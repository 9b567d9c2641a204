// Finds tasks: a class, then parameters in order, `*` for any; or name=value.

function parseWord(word) {
    if (/^-?\d+$/.test(word)) return { value: Number(word) };
    if (word === "*") return { any: true };
    const named = /^([A-Za-z_]\w*)=(-?\d+)$/.exec(word);
    return named ? { name: named[1].toLowerCase(), value: Number(named[2]) } : { text: word };
}

// "gemm(3, 2)", "gemm 3 2", "gemm * 2" and "gemm k=2" as { text, positions, named }.
export function parseQuery(query) {
    const parsed = { text: [], positions: [], named: [] };
    for (const word of query.toLowerCase().split(/[\s,()]+/).filter(Boolean)) {
        const part = parseWord(word);
        if (part.text !== undefined) parsed.text.push(part.text);
        else if (part.name !== undefined) parsed.named.push(part);
        else parsed.positions.push(part.any ? null : part.value);
    }
    return parsed;
}

// For one class: the parameters to compare as [place, value], or null if no task can match.
function planFor({ name, parameters = [] }, query) {
    const lower = name.toLowerCase();
    if (!query.text.every((text) => lower.includes(text))) return null;
    if (query.positions.length > parameters.length) return null;
    const wanted = [];
    query.positions.forEach((value, p) => value !== null && wanted.push([p, value]));
    for (const { name: parameter, value } of query.named) {
        const p = parameters.findIndex((other) => other.toLowerCase() === parameter);
        if (p < 0) return null;
        wanted.push([p, value]);
    }
    return wanted;
}

// Tasks that match, in the order of their starts; null if the query asks for nothing.
export function findTasks(trace, text) {
    const query = parseQuery(text);
    if (!query.text.length && !query.positions.length && !query.named.length) return null;
    const exact = trace.classes.some(({ name }) => name.toLowerCase() === query.text[0]);
    const plans = trace.classes.map((item) =>
        exact && item.name.toLowerCase() !== query.text[0] ? null : planFor(item, query),
    );
    const { kind, parameters, count } = trace.tasks;
    const found = new Uint32Array(count);
    let length = 0;
    for (let task = 0; task < count; task++) {
        const plan = plans[kind[task]];
        if (plan?.every(([p, value]) => parameters[p]?.[task] === value)) found[length++] = task;
    }
    return found.slice(0, length);
}
