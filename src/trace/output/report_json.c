/* Statistics as one JSON object. Names are those of the structs in twill/trace.h where these have
 * them; times are seconds unless the name says otherwise. */
#include "trace/output/report.h"
#include "trace/output/text.h"

static void write_workers(tw_json *j, const twill_trace *t)
{
    FILE *out = j->out;
    tw_json_key(j, "workers");
    for (int64_t i = 0; i < t->nrows; i++) {
        const twill_worker_stats *w = &t->analysis->workers[i];
        tw_json row = {.out = out};
        fputs(i ? ",{" : "[{", out);
        tw_json_string(&row, "name", w->name);
        tw_json_real(&row, "busy", w->busy);
        tw_json_real(&row, "idle", w->idle);
        tw_json_real(&row, "overhead", w->overhead);
        tw_json_real(&row, "program", w->program);
        tw_json_whole(&row, "tasks", w->tasks);
        tw_json_whole(&row, "steals", w->steals);
        tw_json_whole(&row, "stolen", w->stolen);
        fputc('}', out);
    }
    fputs(t->nrows ? "]" : "[]", out);
}

static void write_ranks(tw_json *j, const twill_trace *t)
{
    FILE *out = j->out;
    int n = 0;
    tw_json_key(j, "ranks");
    fputc('[', out);
    for (int i = 0; i < t->analysis->total.ranks; i++) {
        const twill_rank_stats *r = &t->analysis->ranks[i];
        tw_json row = {.out = out};
        if (r->workers == 0)
            continue;
        fputs(n++ ? ",{" : "{", out);
        tw_json_whole(&row, "rank", r->rank);
        tw_json_whole(&row, "workers", r->workers);
        tw_json_real(&row, "busy", r->busy);
        tw_json_real(&row, "idle", r->idle);
        tw_json_real(&row, "overhead", r->overhead);
        tw_json_whole(&row, "tasks", r->tasks);
        tw_json_whole(&row, "sent", r->sent);
        tw_json_real(&row, "sent_bytes", r->sent_bytes);
        tw_json_whole(&row, "received", r->received);
        tw_json_real(&row, "received_bytes", r->received_bytes);
        fputc('}', out);
    }
    fputc(']', out);
}

/* 0 stands for what is not known. */
static void known(tw_json *j, const char *key, double x)
{
    if (x > 0) {
        tw_json_real(j, key, x);
    } else {
        tw_json_key(j, key);
        fputs("null", j->out);
    }
}

static void write_classes(tw_json *j, const twill_trace *t)
{
    FILE *out = j->out;
    tw_json_key(j, "classes");
    for (int64_t i = 0; i < t->nclasses; i++) {
        const twill_class_stats *c = &t->analysis->classes[i];
        tw_json row = {.out = out};
        fputs(i ? ",{" : "[{", out);
        tw_json_string(&row, "name", c->name);
        tw_json_whole(&row, "count", c->count);
        tw_json_real(&row, "seconds", c->seconds);
        tw_json_real(&row, "mean_us", 1e6 * c->mean);
        tw_json_real(&row, "min_us", 1e6 * c->least);
        tw_json_real(&row, "max_us", 1e6 * c->most);
        tw_json_real(&row, "stddev_us", 1e6 * c->deviation);
        known(&row, "gflops", c->gflops);
        known(&row, "intensity", c->intensity);
        known(&row, "ceiling_gflops", c->ceiling);
        tw_json_string(&row, "verdict", c->verdict);
        fputc('}', out);
    }
    fputs(t->nclasses ? "]" : "[]", out);
}

static void write_causes(tw_json *j, const twill_trace *t)
{
    FILE *out = j->out;
    const tw_analysis *a = t->analysis;
    tw_json_key(j, "why_idle");
    fputc('[', out);
    for (int i = 0; i < a->ncauses; i++) {
        const twill_idle_cause *c = &a->cause[i];
        tw_json row = {.out = out};
        fputs(i ? ",{" : "{", out);
        tw_json_string(&row, "cause", c->cause);
        tw_json_real(&row, "seconds", c->seconds);
        tw_json_real(&row, "share", c->share);
        tw_json_string(&row, "detail", c->detail);
        tw_json_string(&row, "advice", c->advice);
        fputc('}', out);
    }
    fputc(']', out);
}

static void write_paths(tw_json *j, const twill_stats *s)
{
    tw_json part = {.out = j->out};
    tw_json_key(j, "critical_path");
    fputc('{', j->out);
    tw_json_real(&part, "seconds", s->critical_seconds);
    tw_json_real(&part, "waited", s->critical_waited);
    tw_json_whole(&part, "tasks", s->critical_tasks);
    fputc('}', j->out);
    part.n = 0;
    tw_json_key(j, "longest_path");
    fputc('{', j->out);
    tw_json_real(&part, "seconds", s->longest_seconds);
    tw_json_whole(&part, "tasks", s->longest_tasks);
    fputc('}', j->out);
    part.n = 0;
    tw_json_key(j, "bounds");
    fputc('{', j->out);
    tw_json_real(&part, "work", s->bound_work);
    tw_json_real(&part, "path", s->bound_path);
    tw_json_real(&part, "efficiency", s->efficiency);
    fputc('}', j->out);
}

void tw_write_stats_json(FILE *out, const twill_trace *t)
{
    const twill_stats *s = &t->analysis->total;
    tw_json j = {.out = out};
    fputc('{', out);
    tw_json_real(&j, "seconds", s->seconds);
    tw_json_whole(&j, "tasks", s->tasks);
    tw_json_whole(&j, "edges", s->edges);
    tw_json_whole(&j, "lost", s->lost);
    tw_json_real(&j, "busy", s->busy);
    tw_json_real(&j, "idle", s->idle);
    tw_json_real(&j, "overhead", s->overhead);
    tw_json_real(&j, "utilisation", s->utilisation);
    tw_json_real(&j, "cost", s->seconds * s->workers);
    known(&j, "gflops", s->seconds > 0 ? 1e-9 * s->flops / s->seconds : 0);
    known(&j, "core_peak_gflops", t->peak);
    known(&j, "core_bandwidth_gbs", t->bandwidth);
    tw_json_whole(&j, "messages", s->messages);
    tw_json_real(&j, "message_bytes", s->message_bytes);
    write_ranks(&j, t);
    write_workers(&j, t);
    write_classes(&j, t);
    write_paths(&j, s);
    write_causes(&j, t);
    fputc('}', out);
}
