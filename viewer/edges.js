// What tasks waited for. Edges come in the order of the tasks that waited.

export class Edges {
    constructor(from, to, tasks) {
        this.from = from;
        this.to = to;
        this.tasks = tasks;
        this.starts = null; // where the successors of each task begin in `list`; made at first use
        this.list = null;
    }

    get count() {
        return this.from.length;
    }

    predecessors(task) {
        let [low, high] = [0, this.to.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.to[middle] < task) low = middle + 1;
            else high = middle;
        }
        const found = [];
        for (; low < this.to.length && this.to[low] === task; low++) found.push(this.from[low]);
        return found;
    }

    index() {
        this.starts = new Uint32Array(this.tasks + 1);
        this.list = new Uint32Array(this.from.length);
        for (const from of this.from) this.starts[from + 1]++;
        for (let i = 0; i < this.tasks; i++) this.starts[i + 1] += this.starts[i];
        const next = this.starts.slice();
        for (let e = 0; e < this.from.length; e++) this.list[next[this.from[e]]++] = this.to[e];
    }

    successors(task) {
        if (!this.starts) this.index();
        return [...this.list.subarray(this.starts[task], this.starts[task + 1])];
    }
}
