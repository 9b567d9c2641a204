/* Results for programs (JSON) and for people (one line). */
#include "operation/report.h"
#include "command/system.h"
#include "command/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <twill/device.h>

static bool passed(const result *r)
{
    return r->info == 0 && r->residual < RESIDUAL_THRESHOLD; /* false for NaN */
}

int report_status(const result *r)
{
    return r->info > 0 || (r->checked && !passed(r)) ? STATUS_FAILED : STATUS_OK;
}

/* NaN: there is no rate. A run that failed has done less than its operations, or other ones. */
static double gflops(const result *r)
{
    if (report_status(r) != STATUS_OK)
        return NAN;
    return r->seconds > 0 ? 1e-9 * r->flops / r->seconds : 0;
}

/* Sizes that the operation lacks are negative. */
static void size(json *j, const char *key, int64_t value)
{
    if (value < 0)
        json_null(j, key);
    else
        json_integer(j, key, value);
}

static void outcome(json *j, const result *r)
{
    json_integer(j, "run", r->run);
    json_real(j, "seconds", r->seconds);
    json_real(j, "gflops", gflops(r));
    json_real(j, "residual", r->comparable ? r->residual : NAN);
    json_integer(j, "threshold", RESIDUAL_THRESHOLD);
    if (r->checked)
        json_bool(j, "passed", passed(r));
    else
        json_null(j, "passed");
    json_integer(j, "info", r->info);
    json_hex(j, "digest", r->digest);
    json_real(j, "rss_mib", r->rss_mib);
    json_integer(j, "messages", (int64_t)r->messages);
    json_integer(j, "bytes", (int64_t)r->bytes);
}

/* Each rank has its own figures, in columns of a table, zeros elsewhere: the sums are all of them.
 * Tasks are simply added up. */
twill_status report_gather(twill *tw, result *r)
{
    enum { FIGURES = 3 };
    double *figures[FIGURES] = {&r->rss_mib, &r->messages, &r->bytes};
    int ranks = twill_ranks(tw);
    double *all = calloc((size_t)(FIGURES * ranks + 2), sizeof *all);
    double *tasks = all ? all + FIGURES * ranks : NULL;
    if (!all)
        return TWILL_ERR_MEMORY;
    r->rss_mib = system_peak_mib();
    for (int f = 0; f < FIGURES; f++)
        all[f * ranks + twill_rank(tw)] = *figures[f];
    tasks[0] = (double)r->tasks;
    tasks[1] = (double)r->skipped;
    twill_status status = twill_sum(tw, all, FIGURES * ranks + 2);
    for (int i = 0; i < FIGURES * ranks && status == TWILL_OK; i++)
        if (all[i] > *figures[i / ranks])
            *figures[i / ranks] = all[i];
    if (status == TWILL_OK) {
        r->tasks = (int64_t)tasks[0];
        r->skipped = (int64_t)tasks[1];
    }
    free(all);
    return status;
}

void report_open(json *j, const problem *p, const twill *tw, const result *r)
{
    *j = (json){.out = stdout};
    json_open(j, NULL, '{');
    json_text(j, "op", p->op);
    json_text(j, "type", p->type);
    size(j, "m", p->m);
    size(j, "n", p->n);
    size(j, "k", p->k);
    size(j, "nrhs", p->nrhs);
    json_integer(j, "nb", p->nb);
    size(j, "ib", p->ib > 0 ? p->ib : -1);
    json_integer(j, "workers", twill_workers(tw));
    json_integer(j, "ranks", twill_ranks(tw));
    char grid[48];
    snprintf(grid, sizeof grid, "%" PRId64 "x%" PRId64, p->ranks[0], p->ranks[1]);
    json_text(j, "grid", grid);
    json_text(j, "sched", context_option(tw, "sched"));
    json_text(j, "front", p->front);
    json_text(j, "mode", p->mode);
    json_integer(j, "reserved", *p->mode == 'f' ? p->reserved : 0);
    json_text(j, "devices", twill_devices(tw) ? context_option(tw, "devices") : "cpu");
    size(j, "lookahead", p->lookahead > 0 ? p->lookahead : -1);
    if (p->tree)
        json_text(j, "tree", p->tree);
    else
        json_null(j, "tree");
    size(j, "seed", p->seed);
    outcome(j, r);
}

/* "m 300  n 200": the sizes that the operation has. */
static void print_sizes(const problem *p)
{
    if (p->m != p->n)
        printf("  m %" PRId64, p->m);
    printf("  n %" PRId64, p->n);
    if (p->k >= 0)
        printf("  k %" PRId64, p->k);
    if (p->nrhs >= 0)
        printf("  nrhs %" PRId64, p->nrhs);
}

void report_line(const problem *p, const twill *tw, const result *r, const char *info_means)
{
    bool brief = r->seconds < 0.1;
    int workers = twill_workers(tw);
    printf("%s  %s", p->op, p->type);
    print_sizes(p);
    if (twill_ranks(tw) > 1)
        printf("  %" PRId64 "x%" PRId64 " ranks", p->ranks[0], p->ranks[1]);
    printf("  nb %" PRId64 "  %d worker%s  %s %8.3f %s", p->nb, workers, workers == 1 ? "" : "s",
           context_option(tw, "sched"), brief ? 1e3 * r->seconds : r->seconds, brief ? "ms" : "s ");
    if (!isnan(gflops(r)))
        printf(" %8.1f GFLOP/s", gflops(r));
    if (!isnan(gflops(r)) && p->gemm > 0)
        printf("  %3.0f%% of GEMM", 100 * gflops(r) / p->gemm);
    if (r->comparable)
        printf("  residual %.2g", r->residual);
    if (r->checked || r->info > 0) {
        printf("  ");
        terminal_verdict(passed(r) ? "PASSED" : "FAILED", passed(r));
    }
    printf("\n");
    if (r->info > 0) {
        printf("info %" PRId64 ": ", r->info);
        printf(info_means, (long long)r->info);
        printf("\n");
    }
    fflush(stdout);
}
