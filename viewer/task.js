// What there is to say about one task.

import { duration, instant, rate } from "./format.js";

export function parametersOf(trace, task) {
    const names = trace.classes[trace.tasks.kind[task]].parameters ?? [];
    const columns = trace.tasks.parameters;
    return names.slice(0, columns.length).map((name, p) => ({ name, value: columns[p][task] }));
}

// gemm(3, 2, 1)
export function titleOf(trace, task) {
    const name = trace.classes[trace.tasks.kind[task]].name;
    const values = parametersOf(trace, task).map((parameter) => parameter.value);
    return values.length ? `${name}(${values.join(", ")})` : name;
}

// Label and text of each line about a task, without its title.
export function factsOf(trace, task) {
    const { tasks, graphs, rows } = trace;
    const length = tasks.duration[task];
    const facts = [];
    const parameters = parametersOf(trace, task);
    if (parameters.length) {
        facts.push(["parameters", parameters.map((p) => `${p.name}=${p.value}`).join(" ")]);
    }
    facts.push(["start", instant(tasks.start[task], Math.max(length / 100, 1))]);
    facts.push(["duration", duration(length)]);
    if (tasks.queued) facts.push(["queued", duration(tasks.queued[task])]);
    if (tasks.priority) facts.push(["priority", String(tasks.priority[task])]);
    const { kind = "worker", name } = rows[tasks.row[task]];
    facts.push([kind, name]);
    if (tasks.team?.[task] > 1) facts.push(["team", `${tasks.team[task]} workers`]);
    if (tasks.critical?.[task]) facts.push(["critical path", "yes"]);
    const graph = graphs[tasks.graph[task]];
    if (graph) facts.push(["graph", graph.serial ? `${graph.name} #${graph.serial}` : graph.name]);
    const speed = tasks.flops && rate(tasks.flops[task], length);
    if (speed) facts.push(["rate", speed]);
    return facts;
}
