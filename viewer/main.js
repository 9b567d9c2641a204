// Starts the page.

import { readTrace } from "./data.js";

function start() {
    const meta = JSON.parse(document.getElementById("twill-meta").textContent);
    const trace = readTrace(meta, document.getElementById("twill-data").textContent);
    document.getElementById("notice").textContent = `${trace.tasks.count} tasks`;
}

start();
