// Starts the page: reads the trace, shows the facts, draws the chart, listens.

import { Chart } from "./chart.js";
import { attachControls } from "./controls.js";
import { readTrace } from "./data.js";
import { byId } from "./dom.js";
import { attachExport } from "./export.js";
import { attachKeyboard } from "./keyboard.js";
import { makeLegend } from "./legend.js";
import { Model } from "./model.js";
import { attachPair } from "./pair.js";
import { attachPointer } from "./pointer.js";
import { exposePage } from "./probe.js";
import { showCheck, showSummary } from "./summary.js";
import { showTables } from "./tables.js";
import { Theme } from "./theme.js";
import { makeSelected } from "./tip.js";

function loadTrace() {
    const [meta, data] = [byId("twill-meta"), byId("twill-data")];
    if (!meta || !data) throw new Error("there is no trace in it");
    return readTrace(JSON.parse(meta.textContent), data.textContent);
}

// The check visits every bar; it need not hold up the first picture.
function checkLater(model) {
    let result = null;
    const check = () => (result ??= showCheck(model));
    setTimeout(check, 50);
    return check;
}

function run() {
    const trace = loadTrace();
    const model = new Model(trace);
    const theme = new Theme(model, byId("theme"));
    showSummary(trace);
    byId("notice").hidden = true;
    makeLegend(model, theme);
    showTables(model);
    const chart = new Chart(model, theme);
    attachPointer(model, chart, theme);
    attachKeyboard(model);
    attachControls(model);
    attachExport(model);
    attachPair(model);
    makeSelected(model);
    byId("main").setAttribute("aria-busy", "false");
    exposePage(model, chart, theme, checkLater(model), performance.now());
}

try {
    run();
} catch (error) {
    const notice = byId("notice");
    notice.classList.add("warn");
    notice.hidden = false;
    notice.textContent = `This page cannot show its trace: ${error.message}.`;
    byId("main").setAttribute("aria-busy", "false");
}
