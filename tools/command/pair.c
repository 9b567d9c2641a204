/* Each run is a page of its own, in a frame; viewer/pair.js tells the other one where its reader
 * looks. */
#include "command/pair.h"
#include "command/command.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Messages go from frame to frame: the span of the longer run is that of both. */
static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<title>Two runs · trace</title>\n<style>\n"
    "html, body { margin: 0; height: 100%; }\n"
    "body { display: flex; gap: 2px; background: #8a949e; }\n"
    "iframe { flex: 1; min-width: 0; height: 100%; border: 0; }\n"
    "@media (max-width: 1100px) { body { flex-direction: column; } }\n"
    "</style>\n</head>\n<body>\n<script>\n"
    "\"use strict\";\n"
    "const spans = new Map();\n"
    "const frames = () => [...document.querySelectorAll(\"iframe\")].map((frame) => "
    "frame.contentWindow);\n"
    "addEventListener(\"message\", ({ data, source }) => {\n"
    "    if (!data || !data.twill || !frames().includes(source)) return;\n"
    "    const others = frames().filter((frame) => frame !== source);\n"
    "    if (data.twill === \"view\") others.forEach((frame) => frame.postMessage(data, \"*\"));\n"
    "    if (data.twill !== \"span\") return;\n"
    "    spans.set(source, data.span);\n"
    "    if (spans.size < 2) return;\n"
    "    const span = Math.max(...spans.values());\n"
    "    frames().forEach((frame) => frame.postMessage({ twill: \"span\", span }, \"*\"));\n"
    "});\n"
    "</script>\n";

/* As the value of an attribute. */
static void copy_escaped(FILE *in, FILE *out)
{
    for (int c; (c = getc(in)) != EOF;) {
        if (c == '&')
            fputs("&amp;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else
            putc(c, out);
    }
}

/* The page of one run, through a file, because that is how the library writes it. */
static int write_frame(const twill_trace *trace, const char *name, const char *path, FILE *out)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof part, "%s.part.html", path) >= (int)sizeof part) {
        complain("trace", "--to %s: %s", path, strerror(ENAMETOOLONG));
        return STATUS_USAGE;
    }
    twill_status status = twill_trace_save(trace, part);
    FILE *in = status == TWILL_OK ? fopen(part, "rb") : NULL;
    if (in) {
        fprintf(out, "<iframe title=\"%s\" srcdoc=\"", name);
        copy_escaped(in, out);
        fputs("\"></iframe>\n", out);
        fclose(in);
    }
    unlink(part);
    if (status != TWILL_OK)
        return complain_library("trace", status, "--to");
    if (!in)
        complain("trace", "--to %s: %s", path, strerror(errno));
    return in ? STATUS_OK : STATUS_SYSTEM;
}

int pair_write(const twill_trace *before, const twill_trace *after, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out) {
        complain("trace", "--to %s: %s", path, strerror(errno));
        return STATUS_SYSTEM;
    }
    fputs(head, out);
    int status = write_frame(before, "before", path, out);
    if (status == STATUS_OK)
        status = write_frame(after, "after", path, out);
    fputs("</body>\n</html>\n", out);
    bool failed = ferror(out);
    if ((fclose(out) != 0 || failed) && status == STATUS_OK) {
        complain("trace", "--to %s: %s", path, strerror(errno));
        status = STATUS_SYSTEM;
    }
    return status;
}
