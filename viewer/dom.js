// Small helpers for elements; text only ever goes in as text.

export const byId = (id) => document.getElementById(id);

// element("td", { className: "text" }, "words", otherElement)
export function element(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name in made) made[name] = value;
        else made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

export function swatch(colour) {
    const made = element("i", { className: "swatch", "aria-hidden": "true" });
    made.style.background = colour;
    return made;
}

// Pairs of a label and a text as a list of definitions.
export function factList(facts, className) {
    const list = element("dl", { className });
    for (const [label, text] of facts) {
        list.append(element("div", {}, element("dt", {}, label), element("dd", {}, text)));
    }
    return list;
}

export function taskTitle(colour, text) {
    return element("span", { className: "title" }, swatch(colour), text);
}
