/* Points for people and for programs. */
#include "bench/ranks/scaling.h"
#include "command/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *scaling_system(int system)
{
    static const char *const names[SCALING_SYSTEMS] = {"twill", "scalapack"};
    return names[system];
}

static double percent(const scaling *s, const scaling_point *p)
{
    return scaling_is_tasks(p)
               ? NAN
               : 100 * p->value * s->launcher.cores / (s->peak * scaling_cores(s, p));
}

static const char *unit(const scaling_point *p)
{
    return scaling_is_tasks(p) ? "ns/task" : "GFLOP/s";
}

static const char *grid(const scaling_point *p, char *text, size_t size)
{
    if (p->used_grid[0])
        snprintf(text, size, "%" PRId64 "x%" PRId64, p->used_grid[0], p->used_grid[1]);
    else
        snprintf(text, size, "1x1");
    return text;
}

/* ---- objects ----------------------------------------------------------------------------- */

static void integer_or_null(json *j, const char *key, int64_t value, bool known)
{
    if (known)
        json_integer(j, key, value);
    else
        json_null(j, key);
}

static void print_object(const scaling *s, const scaling_point *p, const char *system, double value,
                         const char *what)
{
    json j;
    char text[NAME_MAX];
    bench_open(&j, "scaling", s->c->name, system, value, what);
    json_text(&j, "op", p->op);
    json_integer(&j, "n", p->n);
    integer_or_null(&j, "nb", p->used_nb, p->used_nb > 0);
    json_integer(&j, "ranks", p->ranks ? p->ranks : 1);
    json_integer(&j, "workers", p->workers);
    json_text(&j, "grid", grid(p, text, sizeof text));
    json_bool(&j, "mpirun", p->ranks > 0);
    json_bool(&j, "crowded", scaling_is_crowded(s, p));
    json_real(&j, "percent", percent(s, p));
    integer_or_null(&j, "messages", p->messages, p->messages >= 0);
    integer_or_null(&j, "bytes", p->bytes, p->bytes >= 0);
    bench_close(&j);
}

static void print_objects(const scaling *s, const scaling_point *p)
{
    char name[BENCH_CASE];
    print_object(s, p, scaling_system(p->system), p->value, unit(p));
    if (!isfinite(p->ratio))
        return;
    snprintf(name, sizeof name, "ratio:%s", scaling_system(s->points[p->first].system));
    print_object(s, p, name, p->ratio, "ratio");
}

/* ---- the table --------------------------------------------------------------------------- */

void scaling_print_header(const scaling *s)
{
    progress_hide();
    if (s->v->json)
        return;
    printf("%s: %s; products reach %.1f GFLOP/s on %d cores; median of %" PRId64 "\n", s->c->name,
           s->c->about, s->peak, s->launcher.cores, s->v->pairs);
    printf("%-18s %8s %-10s %5s %6s %8s %6s %9s %-8s %7s", "op", "n", "system", "nb", "ranks",
           "workers", "grid", "value", "unit", "of GEMM");
    printf("%s\n", s->c->place ? "" : "    ratio");
    fflush(stdout);
}

static void print_row(const scaling *s, const scaling_point *p)
{
    char tile[32] = "-", ranks[32] = "-", share[32] = "-", ratio[32] = "", text[NAME_MAX];
    if (p->used_nb > 0)
        snprintf(tile, sizeof tile, "%" PRId64, p->used_nb);
    if (p->ranks)
        snprintf(ranks, sizeof ranks, "%d%s", p->ranks, scaling_is_crowded(s, p) ? "*" : "");
    if (isfinite(percent(s, p)))
        snprintf(share, sizeof share, "%.1f%%", percent(s, p));
    if (isfinite(p->ratio))
        snprintf(ratio, sizeof ratio, " %8.3f", p->ratio);
    printf("%-18s %8" PRId64 " %-10s %5s %6s %8d %6s %9.1f %-8s %7s%s\n", p->op, p->n,
           scaling_system(p->system), tile, ranks, p->workers, grid(p, text, sizeof text), p->value,
           unit(p), share, ratio);
}

void scaling_print(const scaling *s)
{
    progress_hide();
    for (int i = 0; i < s->count; i++)
        if (s->points[i].valid)
            (s->v->json ? print_objects : print_row)(s, &s->points[i]);
    fflush(stdout);
}
