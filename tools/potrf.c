/* twill potrf: Cholesky factorization of a Hermitian positive definite matrix. */
#include "flops.h"
#include "input.h"
#include "progress.h"
#include "report.h"
#include "seeing.h"
#include "system.h"
#include "transfer.h"

#include <inttypes.h>
#include <string.h>

static const option own_options[] = {
    OPTION_IS_CHOICE("uplo", "lower|upper", "triangle that is read and written (lower)",
                     offsetof(problem, uplo)),
    OPTION_IS_LACKING("m", "its matrix is n by n"),
    OPTION_IS_LACKING("k", "its matrix is n by n"),
    OPTION_IS_LACKING("nrhs", "it has no right-hand sides; its matrix is n by n"),
    OPTION_IS_LACKING("ib", "its tiles have no inner blocks"),
    OPTION_END};

static const option_set options = {
    .command = "potrf",
    .about = "Factor a Hermitian positive definite matrix: A = L L^H, or U^H U.",
    .tables = {problem_options, own_options}};

/* Tasks of the factorization of nt by nt tiles. */
static int64_t count_tasks(int64_t nt)
{
    double tasks = (double)nt * ((double)nt + 1) * ((double)nt + 2) / 6;
    return tasks < 1e18 ? (int64_t)tasks : INT64_MAX;
}

static twill_status begin_graph(const problem *p, twill *tw, twill_array *a,
                                const twill_potrf_options *expert, twill_graph **graph)
{
    return strcmp(p->front, "ptg") == 0 ? twill_potrf_graph(problem_uplo(p), a, expert, graph)
                                        : twill_stf_begin(tw, graph);
}

static twill_status run_graph(const problem *p, twill_array *a, const twill_potrf_options *expert,
                              twill_graph *graph)
{
    twill_status given = strcmp(p->front, "ptg") == 0
                             ? twill_ptg_run(graph)
                             : twill_potrf_insert(graph, problem_uplo(p), a, expert);
    twill_status ended = twill_wait(graph);
    return ended == TWILL_OK ? given : ended;
}

/* Factor once: the part that is timed. */
static twill_status factor(const problem *p, twill *tw, twill_array *a, result *r)
{
    twill_potrf_options expert = {.no_priority = strcmp(p->priority, "off") == 0};
    int64_t tasks = count_tasks(twill_pattern_blocks(twill_array_pattern(a), 0));
    twill_counters before, after;
    twill_graph *graph;
    progress bar;
    twill_status status = seeing_begin(p, tw, r->run);
    if (status != TWILL_OK)
        return status;
    twill_count(tw, &before);
    double start = system_seconds();
    status = begin_graph(p, tw, a, &expert, &graph);
    if (status != TWILL_OK)
        return status;
    progress_begin(&bar, p->progress, graph, r->run ? "potrf" : "warm-up", tasks);
    status = run_graph(p, a, &expert, graph);
    r->seconds = system_seconds() - start;
    progress_end(&bar);
    r->info = twill_graph_info(graph);
    twill_graph_free(graph);
    twill_status seen = seeing_end(p, tw, r);
    twill_count(tw, &after);
    r->tasks = after.executed - before.executed;
    r->skipped = after.skipped - before.skipped;
    if (status == TWILL_OK)
        status = seen;
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

/* The residual, against the input made afresh. */
static int check(const problem *p, twill_array *input, twill_array *factor, result *r)
{
    r->checked = true;
    if (r->info > 0)
        return STATUS_OK;
    int status = input_fill(p, input);
    if (status != STATUS_OK)
        return status;
    twill_status checked = twill_potrf_residual(problem_uplo(p), input, factor, &r->residual);
    return checked == TWILL_OK ? STATUS_OK : complain_library(p->op, checked, "--check");
}

static void print(const problem *p, const twill *tw, const result *r)
{
    char means[128];
    if (p->json) {
        json j;
        report_open(&j, p, tw, r);
        json_text(&j, "uplo", p->uplo);
        json_text(&j, "layout", p->layout);
        json_text(&j, "matrix", p->load ? "load" : p->matrix);
        json_integer(&j, "tasks", r->tasks);
        json_integer(&j, "skipped", r->skipped);
        seeing_json(&j, p, r);
        json_close(&j, '}');
        json_end(&j);
        fflush(stdout);
    } else if (!p->quiet || report_status(r) != STATUS_OK) {
        snprintf(means, sizeof means,
                 "the leading minor of order %" PRId64 " is not positive definite", r->info);
        report_line(p, tw, r, means);
    }
}

/* Fill, factor, check and print. Run 0 is the warm-up: nothing of it is looked at. */
static int run_once(const problem *p, twill *tw, matrix *a, matrix *input, int64_t run,
                    int *outcome)
{
    result r = {.run = run, .flops = flops_potrf(p->element, p->n)};
    int status = input_fill(p, a->array);
    if (status == STATUS_OK && run == 0 && p->save)
        status = transfer_save(p, a->array, "A_in.npy");
    if (status != STATUS_OK)
        return status;
    twill_status factored = factor(p, tw, a->array, &r);
    if (factored != TWILL_OK)
        return complain_library(p->op, factored, NULL);
    if (run == 0)
        return STATUS_OK;
    factored = twill_digest(a->array, problem_uplo(p), &r.digest);
    if (factored != TWILL_OK)
        return complain_library(p->op, factored, NULL);
    if (p->check)
        status = check(p, input->array, a->array, &r);
    if (status != STATUS_OK)
        return status;
    print(p, tw, &r);
    status = seeing_close(p, &r);
    if (report_status(&r) != STATUS_OK)
        *outcome = report_status(&r);
    return status;
}

static int run_all(problem *p, twill *tw)
{
    matrix a = {0}, input = {0};
    int outcome = STATUS_OK;
    int status = matrix_create(p, tw, &a);
    if (status == STATUS_OK && p->check)
        status = matrix_create(p, tw, &input);
    if (status == STATUS_OK && !p->json && !p->quiet && p->n >= 500 &&
        twill_gemm_rate(tw, p->element, p->nb, &p->gemm) != TWILL_OK)
        p->gemm = 0; /* a comparison less; the run itself will tell what is wrong */
    for (int64_t i = 0; i <= p->repeat && status == STATUS_OK; i++)
        status = run_once(p, tw, &a, &input, i, &outcome);
    if (status == STATUS_OK && p->save)
        status = transfer_save(p, a.array, "A.npy");
    matrix_free(&input);
    matrix_free(&a);
    return status != STATUS_OK ? status : outcome;
}

static int run(int argc, char **argv)
{
    problem p = problem_defaults("potrf");
    int status;
    if (!options_parse(&options, argc, argv, &p, &status))
        return status;
    status = seeing_open(&p, argc, argv);
    if (status == STATUS_OK)
        status = problem_check(&p);
    if (status == STATUS_OK)
        status = problem_fits(&p, p.check ? 2 : 1);
    if (status != STATUS_OK)
        return status;
    p.m = p.n;
    twill *tw;
    status = context_start(p.op, p.workers, p.sched, &tw);
    if (status != STATUS_OK)
        return status;
    status = run_all(&p, tw);
    twill_stop(tw);
    return status;
}

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return options_help(&options);
}

const command potrf_command = {"potrf", "Cholesky factorization", run, help};
