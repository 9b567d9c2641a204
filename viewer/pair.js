// A page in a frame beside that of another run: both show the same window of time, and as much time.

export function attachPair(model) {
    if (window.parent === window) return;
    let told = false; // by the other page, which need not hear of it
    const say = (message) => window.parent.postMessage(message, "*");
    window.addEventListener("message", ({ data, source }) => {
        if (source !== window.parent) return;
        if (data?.twill === "span" && data.span >= model.trace.span) model.view.span = data.span;
        if (data?.twill !== "span" && data?.twill !== "view") return;
        told = true;
        model.look((view) => (data.twill === "span" ? view.fit() : view.show(data.t0, data.t1)));
        told = false;
    });
    model.on("view", () => {
        if (!told) say({ twill: "view", t0: model.view.t0, t1: model.view.t1 });
    });
    say({ twill: "span", span: model.trace.span });
}
