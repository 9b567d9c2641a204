// What the tests of the page share: a browser, a list of failures, and nothing that leaves the file.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.TW_SOURCE_DIR}/build-node/`);
const { chromium } = require("playwright-core");

const ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

let failures = 0;
let checks = 0;

// Note a failure and go on, so that one run shows all of them.
export function check(condition, text) {
    checks++;
    if (!condition) {
        failures++;
        console.log(`FAILED: ${text}`);
    }
    return Boolean(condition);
}

export function equal(actual, expected, text) {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
    return check(a === b, `${text}: ${a?.slice(0, 400)} instead of ${b?.slice(0, 400)}`);
}

export function near(actual, expected, tolerance, text) {
    return check(Math.abs(actual - expected) <= tolerance,
        `${text}: ${actual} instead of ${expected}`);
}

export async function start() {
    mkdirSync("screenshots", { recursive: true });
    return chromium.launch({ executablePath: process.env.TW_BROWSER, args: ARGUMENTS });
}

export async function finish(browser) {
    await browser.close();
    console.log(`${checks} checks, ${failures} failures`);
    process.exit(failures ? 1 : 0);
}

// Write a page made from the template; returns its name.
export function write(name, text) {
    writeFileSync(name, text);
    return name;
}

export const template = () => readFileSync("viewer_page.html", "utf8");

// Open a file. page.trouble collects errors of the console and requests for anything else.
export async function open(browser, file, options = {}) {
    const context = await browser.newContext({
        viewport: { width: 1400, height: 900 },
        colorScheme: "light",
        offline: true,
        ...options,
    });
    const page = await context.newPage();
    const url = pathToFileURL(resolve(file)).href;
    page.trouble = [];
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) {
            page.trouble.push(`console: ${message.text()}`);
        }
    });
    page.on("pageerror", (error) => page.trouble.push(`error: ${error.message}`));
    page.on("request", (request) => {
        if (request.url() !== url) page.trouble.push(`request: ${request.url()}`);
    });
    await page.goto(url);
    await page.waitForFunction(
        () => document.getElementById("main")?.getAttribute("aria-busy") === "false");
    return page;
}

export async function close(page, name) {
    equal(page.trouble, [], `${name}: errors of the console and requests`);
    await page.context().close();
}

export function screenshot(page, name) {
    return page.screenshot({ path: `screenshots/${name}.png`, fullPage: true });
}

// A property of window.twillPage, or what a function of it returns.
export function ask(page, name, ...words) {
    return page.evaluate(([key, args]) => {
        const value = window.twillPage[key];
        return typeof value === "function" ? value(...args) : value;
    }, [name, words]);
}

// Until what was asked for has been drawn.
export function settle(page) {
    return page.evaluate(() => new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function press(page, ...keys) {
    for (const key of keys) await page.keyboard.press(key);
    await settle(page);
}
