/* Statistics for people. */
#include "trace/output/report.h"

#include "trace/output/text.h"

#include <inttypes.h>
#include <math.h>

const char *tw_seconds_text(double seconds, char text[16])
{
    double x = fabs(seconds);
    if (x >= 0.9995)
        snprintf(text, 16, "%.3f s", seconds);
    else if (x >= 0.9995e-3)
        snprintf(text, 16, "%.3f ms", 1e3 * seconds);
    else
        snprintf(text, 16, "%.3f us", 1e6 * seconds);
    return text;
}

/* ---- the run as a whole -------------------------------------------------------------------- */

static void write_total(FILE *out, const twill_trace *t)
{
    const twill_stats *s = &t->analysis->total;
    char a[16], b[16], c[16];
    fprintf(out, "time        %s on %d worker%s, a cost of %s\n", tw_seconds_text(s->seconds, a),
            s->workers, s->workers == 1 ? "" : "s", tw_seconds_text(s->seconds * s->workers, b));
    fprintf(out, "tasks       %" PRId64 ", and %" PRId64 " times one waited for another\n",
            s->tasks, s->edges);
    double whole = s->seconds * s->workers;
    if (whole > 0)
        fprintf(out, "workers     busy %.1f%%, idle %.1f%%, overhead %.1f%%\n",
                100 * s->busy / whole, 100 * s->idle / whole, 100 * s->overhead / whole);
    if (s->ranks > 1)
        fprintf(out, "messages    %" PRId64 " between %d ranks, with %.3f MB\n", s->messages,
                s->ranks, 1e-6 * s->message_bytes);
    if (s->flops > 0 && s->seconds > 0)
        fprintf(out, "rate        %.1f GFLOP/s\n", 1e-9 * s->flops / s->seconds);
    fprintf(out, "critical    %" PRId64 " tasks that enabled one another took %s, and waited %s\n",
            s->critical_tasks, tw_seconds_text(s->critical_seconds, a),
            tw_seconds_text(s->critical_waited, b));
    fprintf(out, "longest     path of %" PRId64 " tasks, %s\n", s->longest_tasks,
            tw_seconds_text(s->longest_seconds, a));
    fprintf(out, "bounds      work %s, path %s: the run takes %s",
            tw_seconds_text(s->bound_work, a), tw_seconds_text(s->bound_path, b),
            tw_seconds_text(s->seconds, c));
    if (s->efficiency > 0)
        fprintf(out, ", %.2f times the larger one", 1 / s->efficiency);
    fputc('\n', out);
    if (s->lost > 0)
        fprintf(out, "lost        %" PRId64 " records did not fit; set TWILL_TRACE_MIB higher\n",
                s->lost);
}

static void write_workers(FILE *out, const twill_trace *t)
{
    char a[16], b[16], c[16], d[16];
    int width = t->analysis->total.ranks > 1 ? 20 : 12; /* "rank 12, worker 103" */
    fprintf(out, "\n%-*s %12s %12s %12s %12s %9s %9s\n", width, "worker", "busy", "idle",
            "overhead", "(program)", "tasks", "stolen");
    for (int64_t i = 0; i < t->nrows; i++) {
        const twill_worker_stats *w = &t->analysis->workers[i];
        fprintf(out, "%-*s %12s %12s %12s %12s %9" PRId64 " %9" PRId64 "\n", width, w->name,
                tw_seconds_text(w->busy, a), tw_seconds_text(w->idle, b),
                tw_seconds_text(w->overhead, c), tw_seconds_text(w->program, d), w->tasks,
                w->stolen);
    }
}

static void write_ranks(FILE *out, const twill_trace *t)
{
    char a[16], b[16], c[16];
    fprintf(out, "\n%-12s %12s %12s %12s %9s %9s %12s %9s %12s\n", "rank", "busy", "idle",
            "overhead", "tasks", "sent", "MB", "received", "MB");
    for (int i = 0; i < t->analysis->total.ranks; i++) {
        const twill_rank_stats *r = &t->analysis->ranks[i];
        if (r->workers == 0)
            continue;
        fprintf(out, "%-12d %12s %12s %12s %9" PRId64 " %9" PRId64 " %12.3f %9" PRId64 " %12.3f\n",
                r->rank, tw_seconds_text(r->busy, a), tw_seconds_text(r->idle, b),
                tw_seconds_text(r->overhead, c), r->tasks, r->sent, 1e-6 * r->sent_bytes,
                r->received, 1e-6 * r->received_bytes);
    }
}

static void write_class(FILE *out, const twill_class_stats *c)
{
    char a[16], b[16], least[16], most[16], off[16];
    fprintf(out, "%-12s %9" PRId64 " %12s %12s %12s %12s %12s", c->name, c->count,
            tw_seconds_text(c->seconds, a), tw_seconds_text(c->mean, b),
            tw_seconds_text(c->least, least), tw_seconds_text(c->most, most),
            tw_seconds_text(c->deviation, off));
    if (c->gflops > 0)
        fprintf(out, " %9.2f", c->gflops);
    if (c->ceiling > 0)
        fprintf(out, "  %s, %.0f%% of %.1f", c->verdict, 100 * c->gflops / c->ceiling, c->ceiling);
    fputc('\n', out);
}

void tw_write_stats(FILE *out, const twill_trace *t)
{
    write_total(out, t);
    if (t->analysis->total.ranks > 1)
        write_ranks(out, t);
    write_workers(out, t);
    fprintf(out, "\n%-12s %9s %12s %12s %12s %12s %12s %9s\n", "class", "count", "time", "mean",
            "least", "most", "deviation", "GFLOP/s");
    for (int64_t i = 0; i < t->nclasses; i++)
        if (t->analysis->classes[i].count > 0)
            write_class(out, &t->analysis->classes[i]);
}

/* ---- idle time ----------------------------------------------------------------------------- */

void tw_write_idle(FILE *out, const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    char text[16];
    double whole = a->total.seconds * a->total.workers;
    fprintf(out, "idle %s of %d workers, %.1f%% of their time\n",
            tw_seconds_text(a->total.idle, text), a->total.workers,
            whole > 0 ? 100 * a->total.idle / whole : 0.0);
    if (a->ncauses > 0)
        fprintf(out, "\n%-10s %12s %6s  %s\n", "cause", "time", "share", "what it waited for");
    for (int i = 0; i < a->ncauses; i++) {
        const twill_idle_cause *c = &a->cause[i];
        if (c->share < 0.0005 && i > 2)
            continue;
        fprintf(out, "%-10s %12s %5.1f%%  %s\n", c->cause, tw_seconds_text(c->seconds, text),
                100 * c->share, c->detail);
        if (c->share >= 0.1)
            fprintf(out, "%-10s %12s %6s  -> %s\n", "", "", "", c->advice);
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

static void write_stats(FILE *out, const void *t)
{
    tw_write_stats(out, t);
}

static void write_idle(FILE *out, const void *t)
{
    tw_write_idle(out, t);
}

static void write_json(FILE *out, const void *t)
{
    tw_write_stats_json(out, t);
}

size_t twill_trace_report(const twill_trace *t, twill_report report, char *text, size_t size)
{
    tw_writer *write = report == TWILL_REPORT_STATS  ? write_stats
                       : report == TWILL_REPORT_IDLE ? write_idle
                                                     : write_json;
    return tw_text_copy(write, t, text, size);
}
