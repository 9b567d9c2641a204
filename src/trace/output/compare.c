/* Two runs beside each other: what got slower. */
#include "trace/output/report.h"
#include "trace/output/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A class of either run. */
typedef struct pair {
    const char *name;
    const twill_class_stats *before, *after; /* NULL: the run has none */
    double change;                           /* seconds of all its tasks */
} pair;

typedef struct comparison {
    const twill_trace *before, *after;
    bool json;
} comparison;

static const twill_class_stats *find(const twill_trace *t, const char *name)
{
    for (int64_t i = 0; i < t->nclasses; i++)
        if (t->analysis->classes[i].count > 0 && !strcmp(t->analysis->classes[i].name, name))
            return &t->analysis->classes[i];
    return NULL;
}

static int largest_first(const void *a, const void *b)
{
    double x = fabs(((const pair *)a)->change), y = fabs(((const pair *)b)->change);
    return (x < y) - (x > y);
}

static void add_classes(const comparison *c, const twill_trace *t, pair *pairs, int64_t *n)
{
    for (int64_t i = 0; i < t->nclasses; i++) {
        const twill_class_stats *s = &t->analysis->classes[i];
        bool known = s->count == 0;
        for (int64_t k = 0; k < *n && !known; k++)
            known = !strcmp(pairs[k].name, s->name);
        if (known)
            continue;
        pair p = {s->name, find(c->before, s->name), find(c->after, s->name), 0};
        p.change = (p.after ? p.after->seconds : 0) - (p.before ? p.before->seconds : 0);
        pairs[(*n)++] = p;
    }
}

/* All classes, the one that changed most first; NULL when there is no memory. */
static pair *pair_classes(const comparison *c, int64_t *n)
{
    size_t room = (size_t)(c->before->nclasses + c->after->nclasses + 1);
    pair *pairs = malloc(room * sizeof *pairs);
    *n = 0;
    if (!pairs)
        return NULL;
    add_classes(c, c->before, pairs, n);
    add_classes(c, c->after, pairs, n);
    qsort(pairs, (size_t)*n, sizeof *pairs, largest_first);
    return pairs;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void row(FILE *out, const char *name, double before, double after)
{
    char a[16], b[16], c[16];
    fprintf(out, "%-14s %12s %12s %12s", name, tw_seconds_text(before, a),
            tw_seconds_text(after, b), tw_seconds_text(after - before, c));
    if (before > 0)
        fprintf(out, " %+8.1f%%", 100 * (after / before - 1));
    fputc('\n', out);
}

static void write_table(FILE *out, const comparison *c, const pair *pairs, int64_t n)
{
    const twill_stats *a = &c->before->analysis->total, *b = &c->after->analysis->total;
    fprintf(out, "%-14s %12s %12s %12s %9s\n", "", "before", "after", "change", "");
    row(out, "time", a->seconds, b->seconds);
    row(out, "busy", a->busy, b->busy);
    row(out, "idle", a->idle, b->idle);
    row(out, "overhead", a->overhead, b->overhead);
    row(out, "longest path", a->longest_seconds, b->longest_seconds);
    fprintf(out, "%-14s %12" PRId64 " %12" PRId64 " %12" PRId64 "\n", "tasks", a->tasks, b->tasks,
            b->tasks - a->tasks);
    fprintf(out, "\n%-14s %12s %12s %12s %9s  %s\n", "class", "before", "after", "change", "",
            "one task");
    for (int64_t i = 0; i < n; i++) {
        const pair *p = &pairs[i];
        char x[16], y[16], z[16];
        double one = p->before ? p->before->seconds : 0, two = p->after ? p->after->seconds : 0;
        fprintf(out, "%-14s %12s %12s %12s", p->name, tw_seconds_text(one, x),
                tw_seconds_text(two, y), tw_seconds_text(p->change, z));
        if (p->before && p->after)
            fprintf(out, " %+8.1f%%  %s -> %s\n", one > 0 ? 100 * (two / one - 1) : 0.0,
                    tw_seconds_text(p->before->mean, x), tw_seconds_text(p->after->mean, y));
        else
            fprintf(out, " %9s  %s\n", "", p->before ? "only before" : "only after");
    }
}

/* What it comes to, in a sentence. */
static void write_verdict(FILE *out, const comparison *c, const pair *pairs, int64_t n)
{
    const twill_stats *a = &c->before->analysis->total, *b = &c->after->analysis->total;
    double ratio = a->seconds > 0 ? b->seconds / a->seconds : 1;
    double idle = b->idle - a->idle, overhead = b->overhead - a->overhead;
    if (fabs(ratio - 1) < 0.01) {
        fprintf(out, "\nThe runs take the same time, within 1%%.\n");
        return;
    }
    double sign = ratio > 1 ? 1 : -1, worst = n ? sign * pairs[0].change : 0;
    const char *what = n && worst >= sign * idle && worst >= sign * overhead ? pairs[0].name
                       : sign * idle >= sign * overhead                      ? "idle time"
                                                                             : "overhead";
    fprintf(out, "\nThe second run is %.2f times as %s; most of it is %s.\n",
            ratio > 1 ? ratio : 1 / ratio, ratio > 1 ? "long" : "fast", what);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void write_pair_json(FILE *out, const pair *p)
{
    tw_json j = {.out = out};
    fputc('{', out);
    tw_json_string(&j, "name", p->name);
    tw_json_whole(&j, "count_before", p->before ? p->before->count : 0);
    tw_json_whole(&j, "count_after", p->after ? p->after->count : 0);
    tw_json_real(&j, "before", p->before ? p->before->seconds : 0);
    tw_json_real(&j, "after", p->after ? p->after->seconds : 0);
    tw_json_real(&j, "change", p->change);
    fputc('}', out);
}

static void write_json(FILE *out, const comparison *c, const pair *pairs, int64_t n)
{
    tw_json j = {.out = out};
    fputc('{', out);
    tw_json_key(&j, "before");
    tw_write_stats_json(out, c->before);
    tw_json_key(&j, "after");
    tw_write_stats_json(out, c->after);
    tw_json_key(&j, "classes");
    fputc('[', out);
    for (int64_t i = 0; i < n; i++) {
        if (i)
            fputc(',', out);
        write_pair_json(out, &pairs[i]);
    }
    fputs("]}", out);
}

static void write(FILE *out, const void *arg)
{
    const comparison *c = arg;
    int64_t n;
    pair *pairs = pair_classes(c, &n);
    if (c->json) {
        write_json(out, c, pairs, pairs ? n : 0);
    } else {
        write_table(out, c, pairs, pairs ? n : 0);
        write_verdict(out, c, pairs, pairs ? n : 0);
    }
    free(pairs);
}

size_t twill_trace_compare(const twill_trace *before, const twill_trace *after, bool json,
                           char *text, size_t size)
{
    return tw_text_copy(write, &(comparison){before, after, json}, text, size);
}
