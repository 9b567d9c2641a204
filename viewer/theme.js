// Light and dark: as the system says, or as the reader chose.

import { stateColours, toHex } from "./palette.js";

const CHOICES = ["auto", "light", "dark"];
const NAMES = ["ink", "quiet", "line", "grid", "track", "surface", "accent", "veil", "curve",
    "curve-fill", "message"];
const KEY = "twill-theme";
const dark = window.matchMedia("(prefers-color-scheme: dark)");

// Files may have no storage; then the choice lasts as long as the page.
function stored() {
    try {
        return localStorage.getItem(KEY);
    } catch {
        return null;
    }
}

function store(choice) {
    try {
        localStorage.setItem(KEY, choice);
    } catch {
        // Nothing is lost but a preference.
    }
}

// rgb(1, 2, 3) as #010203; colours with an alpha stay as they are.
function asHex(colour) {
    const parts = colour.match(/^rgb\((\d+), (\d+), (\d+)\)$/);
    return parts ? toHex(parts.slice(1).map(Number)) : colour;
}

export class Theme {
    constructor(model, button) {
        this.model = model;
        this.button = button;
        this.choice = CHOICES.includes(stored()) ? stored() : "auto";
        this.printing = false;
        button.addEventListener("click", () => this.next());
        dark.addEventListener("change", () => this.apply());
        for (const kind of ["beforeprint", "afterprint"]) {
            window.addEventListener(kind, () => {
                this.printing = kind === "beforeprint";
                this.apply();
                model.emit("now");
            });
        }
        this.apply();
    }

    next() {
        this.choice = CHOICES[(CHOICES.indexOf(this.choice) + 1) % CHOICES.length];
        store(this.choice);
        this.apply();
    }

    get name() {
        if (this.printing) return "light";
        if (this.choice !== "auto") return this.choice;
        return dark.matches ? "dark" : "light";
    }

    // The colours of the style sheet, for the canvases.
    apply() {
        document.documentElement.style.colorScheme = this.name;
        this.button.textContent = `Theme: ${this.choice}`;
        const style = getComputedStyle(document.body);
        this.colours = {
            name: this.name,
            font: `12px ${style.fontFamily}`,
            states: stateColours(this.model.trace.stateNames, this.name),
        };
        const probe = document.createElement("i");
        document.body.append(probe);
        for (const name of NAMES) {
            probe.style.color = `var(--${name})`;
            this.colours[name] = asHex(getComputedStyle(probe).color);
        }
        probe.remove();
        this.model.emit("theme");
    }
}
