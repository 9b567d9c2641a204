/* The driver of problem subcommands: options, matrices, runs. */
#include "operation/operation.h"
#include "command/mode.h"
#include "command/progress.h"
#include "command/system.h"
#include "operation/alike.h"
#include "operation/input.h"
#include "operation/seeing.h"
#include "operation/transfer.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------------- */

#define AT(field) offsetof(problem, field)

/* Options that some operations have. */
static const option some_options[] = {
    OPTION_IS_INTEGER("m", "M", "rows (n)", AT(m), 0, INT64_MAX),
    OPTION_IS_INTEGER("n", "N", "columns, or the order of the matrix (4000)", AT(n), 0, INT64_MAX),
    OPTION_IS_INTEGER("k", "K", "inner size (n)", AT(k), 0, INT64_MAX),
    OPTION_IS_INTEGER("nrhs", "R", "right-hand sides (1)", AT(nrhs), 0, INT64_MAX),
    OPTION_IS_INTEGER("ib", "IB", "width of the inner blocks of a tile (chosen)", AT(ib), 1,
                      INT_MAX),
    OPTION_IS_CHOICE("uplo", "lower|upper", "triangle that is used (lower)", AT(uplo)),
    OPTION_IS_CHOICE("side", "l|r", "side on which A stands (l)", AT(side)),
    OPTION_IS_CHOICE("diag", "n|u", "diagonal of A as it is, or ones (n)", AT(diag)),
    OPTION_IS_CHOICE("trans", "n|t|c", "A as it is, transposed or conjugate transposed (n)",
                     AT(trans)),
    OPTION_IS_CHOICE("transa", "n|t|c", "A as it is, transposed or conjugate transposed (n)",
                     AT(transa)),
    OPTION_IS_CHOICE("transb", "n|t|c", "B as it is, transposed or conjugate transposed (n)",
                     AT(transb)),
    OPTION_IS_CHOICE("tree", "auto|flat|binary|greedy|fibonacci", "reduction tree (auto)",
                     AT(tree)),
    OPTION_IS_INTEGER("branches", "B",
                      "of the tree, merged at last; one rank gets the results of a grid with "
                      "as many rows of ranks, for LQ columns (those)",
                      AT(branches), 1, INT_MAX),
    OPTION_IS_CHOICE("pivoting", "partial|tournament|none",
                     "pivots: the largest of a column, those that win against other tiles, or none "
                     "(partial)",
                     AT(pivoting)),
    OPTION_IS_CHOICE("precision", "full|mixed|gmres",
                     "of the factorization: that of the type, or single, and solutions are refined "
                     "as LAPACK does or by GMRES (full)",
                     AT(precision)),
    OPTION_IS_CHOICE("refine", "classic|gmres", "solutions as LAPACK does, or by GMRES (classic)",
                     AT(refine)),
    OPTION_IS_INTEGER("lookahead", "L", "panels that are factored ahead (chosen)", AT(lookahead), 1,
                      INT_MAX),
    OPTION_IS_TEXT("b", "FILE", "read B from a .npy or .mtx file", AT(b)),
    OPTION_IS_CHOICE("mode", "regular|fixed|prescribed|adaptive",
                     "who runs the critical path: any worker, or reserved ones together (regular)",
                     AT(mode)),
    OPTION_IS_INTEGER("reserved", "q", "reserved workers, with --mode fixed (1)", AT(reserved), 0,
                      1024),
    OPTION_IS_TEXT("prescribed", "q,q,...",
                   "reserved workers for each task, with --mode prescribed", AT(prescribed)),
    OPTION_IS_FLAG("commute", "products of a block in any order, as an explicit graph",
                   AT(commute)),
    OPTION_END};

enum { SOME_OPTIONS = sizeof some_options / sizeof *some_options };

/* The tables of one operation. */
typedef struct tables {
    option own[SOME_OPTIONS];
    option front[2];
    option_set set;
} tables;

/* Is the word one of those that blanks separate? */
static bool has(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static bool reads_b(const operation *op)
{
    problem p = problem_defaults(op->name);
    operand list[OPERANDS];
    bool found = false;
    for (int i = op->operands(&p, list) - 1; i >= 0; i--)
        found |= strcmp(list[i].name, "B") == 0 && list[i].fill != FILL_NOTHING;
    return found;
}

/* What stands in the table of an operation that does not take the option. */
static option lacking(const operation *op, const char *name)
{
    if (strcmp(name, "mode") == 0)
        return (option)OPTION_IS_CHOICE("mode", "regular", "how workers divide the work (regular)",
                                        AT(mode));
    bool teams = has("reserved prescribed commute", name);
    return (option)OPTION_IS_LACKING(name, teams ? "it has no explicit graph" : op->sizes);
}

static void make_tables(const operation *op, tables *t)
{
    memcpy(t->own, some_options, sizeof some_options);
    for (option *o = t->own; o->name; o++)
        if (strcmp(o->name, "b") == 0)
            *o = reads_b(op) ? *o : (option)OPTION_IS_LACKING("b", "it has no input B");
        else if (!has(op->takes, o->name))
            *o = lacking(op, o->name);
    t->front[0] = (option)OPTION_IS_CHOICE("front", op->fronts,
                                           "how the graph is made (the first of these)", AT(front));
    t->front[1] = (option)OPTION_END;
    t->set = (option_set){
        .command = op->name, .about = op->about, .tables = {t->own, problem_options, t->front}};
}

int operation_help(const operation *op)
{
    tables t;
    make_tables(op, &t);
    return options_help(&t.set);
}

twill_la_options operation_expert(const problem *p)
{
    static const struct {
        const char *name;
        twill_tree tree;
    } trees[] = {{"auto", TWILL_TREE_AUTO},
                 {"flat", TWILL_TREE_FLAT},
                 {"binary", TWILL_TREE_BINARY},
                 {"greedy", TWILL_TREE_GREEDY},
                 {"fibonacci", TWILL_TREE_FIBONACCI}};
    twill_la_options o = {.size = sizeof(twill_la_options),
                          .no_priority = strcmp(p->priority, "off") == 0,
                          .lookahead = (int)p->lookahead,
                          .ib = p->ib,
                          .branches = p->branches};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        if (p->tree && strcmp(p->tree, trees[i].name) == 0)
            o.tree = trees[i].tree;
    o.method = *p->pivoting == 't'   ? TWILL_METHOD_TOURNAMENT
               : *p->pivoting == 'n' ? TWILL_METHOD_NO_PIVOTING
                                     : TWILL_METHOD_PARTIAL;
    return o;
}

/* ---- sizes and matrices -------------------------------------------------------------------- */

/* Sizes that were not given: n is 4000, the others n. */
static void choose_sizes(const operation *op, problem *p)
{
    p->n = p->n < 0 ? 4000 : p->n;
    p->m = !has(op->takes, "m") || p->m < 0 ? p->n : p->m;
    p->k = has(op->takes, "k") && p->k < 0 ? p->n : p->k;
    p->nrhs = has(op->takes, "nrhs") && p->nrhs < 0 ? 1 : p->nrhs;
}

static int check_fit(const work *w)
{
    double elements = 0;
    for (int i = 0; i < w->operands; i++) {
        double size =
            (double)input_size(w->p, w->list[i].rows) * (double)input_size(w->p, w->list[i].cols);
        elements += w->p->check && w->list[i].result ? 2 * size : size;
    }
    return problem_fits(w->p, elements);
}

static int make_matrices(work *w)
{
    problem *p = w->p;
    int status = STATUS_OK;
    for (int i = 0; i < w->operands && status == STATUS_OK; i++) {
        int64_t rows = input_size(p, w->list[i].rows), cols = input_size(p, w->list[i].cols);
        status = matrix_create(p, w->tw, rows, cols, &w->x[i]);
        if (status == STATUS_OK && p->check && w->list[i].result)
            status = matrix_create(p, w->tw, rows, cols, &w->before[i]);
    }
    return status;
}

static void free_matrices(work *w)
{
    for (int i = 0; i < w->operands; i++) {
        matrix_free(&w->x[i]);
        matrix_free(&w->before[i]);
    }
}

/* ---- runs ---------------------------------------------------------------------------------- */

static int fill(work *w, bool before)
{
    int status = STATUS_OK;
    for (int i = 0; i < w->operands && status == STATUS_OK; i++)
        if (w->list[i].fill && (w->list[i].result || !before))
            status = input_fill(w, i, before ? w->before[i].array : w->x[i].array);
    return status;
}

static int save(work *w, const operation *op, bool input)
{
    int status = STATUS_OK;
    char name[32];
    for (int i = 0; i < w->operands && status == STATUS_OK; i++) {
        snprintf(name, sizeof name, "%s%s.npy", w->list[i].name, input ? "_in" : "");
        if (input ? w->list[i].fill != FILL_NOTHING : w->list[i].result)
            status = transfer_save(w->p, w->x[i].array, name);
    }
    return status == STATUS_OK && !input && op->save ? op->save(w) : status;
}

/* Tasks of filling: one per tile. */
static int64_t fill_tasks(const work *w)
{
    int64_t tasks = 0;
    for (int i = 0; i < w->operands; i++) {
        const twill_pattern *p = twill_array_pattern(w->x[i].array);
        if (w->list[i].fill)
            tasks += twill_pattern_blocks(p, 0) * twill_pattern_blocks(p, 1);
    }
    return tasks;
}

/* What of so many tasks this rank may run: the line of progress counts its own. */
static int64_t share(const work *w, int64_t tasks)
{
    return tasks / twill_ranks(w->tw);
}

/* Do it once: the part that is timed. */
static twill_status time_run(const operation *op, work *w, result *r)
{
    twill_counters before = {.size = sizeof before}, after = {.size = sizeof after};
    twill_status status = seeing_begin(w->p, w->tw, r->run);
    if (status != TWILL_OK)
        return status;
    progress_phase(r->run ? op->name : "warm-up", op->tasks ? share(w, op->tasks(w)) : 0);
    twill_count(w->tw, &before);
    double start = system_seconds();
    status = op->run(w, &r->info);
    r->seconds = system_seconds() - start;
    twill_status seen = seeing_end(w->p, w->tw, r);
    twill_count(w->tw, &after);
    r->tasks = after.executed - before.executed;
    r->skipped = after.skipped - before.skipped;
    r->messages = (double)(after.messages - before.messages);
    r->bytes = (double)(after.bytes - before.bytes);
    return status == TWILL_OK ? seen : status;
}

static twill_status make_factor(const operation *op, work *w, result *r)
{
    progress_phase("factor", 0);
    return op->factor(w, &r->info);
}

/* The residual, against inputs made afresh. */
static int check(const operation *op, work *w, result *r)
{
    r->checked = true;
    r->comparable = r->info == 0 || op->checks_failures;
    if (!r->comparable)
        return STATUS_OK;
    progress_phase("check", 0);
    int status = fill(w, true);
    if (status != STATUS_OK)
        return status;
    twill_status checked = op->residual(w, &r->residual);
    return checked == TWILL_OK ? STATUS_OK : complain_library(op->name, checked, "--check");
}

/* The choices that were made among what the operation has, but for those that all runs report. */
static void choices(const operation *op, const problem *p, json *j)
{
    for (const option *o = some_options; o->name; o++)
        if (o->kind == OPTION_CHOICE && has(op->takes, o->name) && !has("uplo tree mode", o->name))
            json_text(j, o->name, *(const char *const *)((const char *)p + o->target));
}

static void print(const operation *op, const work *w, const result *r)
{
    const problem *p = w->p;
    progress_hide();
    if (p->json) {
        json j;
        report_open(&j, p, w->tw, r);
        json_text(&j, "uplo", has(op->takes, "uplo") ? p->uplo : NULL);
        json_text(&j, "layout", p->layout);
        json_text(&j, "matrix", p->load ? "load" : p->matrix);
        json_integer(&j, "tasks", r->tasks);
        json_integer(&j, "skipped", r->skipped);
        choices(op, p, &j);
        if (op->add_json)
            op->add_json(w, &j);
        seeing_json(&j, p, r);
        json_close(&j, '}');
        json_end(&j);
        fflush(stdout);
    } else if (!p->quiet || report_status(r) != STATUS_OK) {
        report_line(p, w->tw, r, op->info_means);
    }
}

/* What people compare the run with, measured right before and right after it: the speed of a shared
 * machine changes from second to second. Products in tiles of the run's size, and in middling ones,
 * which are often faster; the largest rate counts. */
static void measure_gemm(work *w)
{
    enum { MIDDLING = 240 };
    problem *p = w->p;
    const int64_t tiles[] = {p->nb, MIDDLING};
    bool wanted = !p->json && !p->quiet && p->n >= 500 && twill_ranks(w->tw) == 1;
    for (int i = 0; i < 2 && wanted; i++) {
        double rate;
        /* without it there is a comparison less; the run itself tells what is wrong */
        if (twill_gemm_rate(w->tw, p->element, tiles[i], &rate) == TWILL_OK && rate > p->gemm)
            p->gemm = rate;
    }
}

/* Fill, run, check and print. Run 0 is the warm-up: nothing of it is looked at. */
static int run_once(const operation *op, work *w, int64_t run, int *outcome)
{
    result r = {.run = run, .flops = op->flops ? op->flops(w->p) : NAN};
    progress_phase("fill", share(w, fill_tasks(w)));
    int status = fill(w, false);
    if (status == STATUS_OK && run == 0 && w->p->save)
        status = save(w, op, true);
    if (status == STATUS_OK && *w->p->mode != 'r') /* prescribed sizes begin anew with each run */
        status = mode_set(op->name, w->tw, w->p->mode, w->p->reserved, w->p->prescribed);
    if (status != STATUS_OK)
        return status;
    twill_status ran = op->factor ? make_factor(op, w, &r) : TWILL_OK;
    if (ran == TWILL_OK && r.info == 0)
        ran = time_run(op, w, &r);
    if (ran != TWILL_OK)
        return complain_library(op->name, ran, NULL);
    measure_gemm(w);
    if (run == 0)
        return STATUS_OK;
    ran = op->digest(w, &r.digest);
    if (ran != TWILL_OK)
        return complain_library(op->name, ran, NULL);
    if (w->p->check)
        status = check(op, w, &r);
    if (status != STATUS_OK)
        return status;
    ran = report_gather(w->tw, &r);
    if (ran != TWILL_OK)
        return complain_library(op->name, ran, NULL);
    if (twill_rank(w->tw) == 0)
        print(op, w, &r);
    status = seeing_close(w->p, &r);
    if (report_status(&r) != STATUS_OK)
        *outcome = report_status(&r);
    return status;
}

static int run_all(const operation *op, work *w)
{
    problem *p = w->p;
    int outcome = STATUS_OK;
    int status = make_matrices(w);
    twill_status prepared = status == STATUS_OK && op->prepare ? op->prepare(w) : TWILL_OK;
    if (prepared != TWILL_OK)
        status = complain_library(op->name, prepared, NULL);
    for (int64_t i = 0; i <= p->repeat && status == STATUS_OK; i++)
        status = run_once(op, w, i, &outcome);
    if (status == STATUS_OK && p->save)
        status = save(w, op, false);
    if (op->finish)
        op->finish(w);
    free_matrices(w);
    return status != STATUS_OK ? status : outcome;
}

static int join(const operation *op, const option_set *set, work *w)
{
    progress_mode(w->p->progress);
    int status = context_join(op->name, w->p->workers, w->p->sched, w->p->devices, &w->tw);
    if (status != STATUS_OK)
        return status;
    status = alike_check(set, w->p, w->tw);
    if (status == STATUS_OK)
        status = problem_join(w->p, w->tw);
    if (status == STATUS_OK)
        status = run_all(op, w);
    context_stop(w->tw);
    return status;
}

/* Only explicit graphs have a critical path that a team can run; they are what such a mode means
 * unless something else is asked for. */
static int check_mode(const operation *op, problem *p, bool chosen)
{
    bool wanted = *p->mode != 'r' || p->commute;
    if (wanted && !chosen)
        p->front = "dag";
    if (!wanted || strcmp(p->front, "dag") == 0)
        return STATUS_OK;
    complain(op->name, "--front %s: --mode %s%s is for --front dag", p->front, p->mode,
             p->commute ? " and --commute" : "");
    return STATUS_USAGE;
}

int operation_run(const operation *op, int argc, char **argv)
{
    problem p = problem_defaults(op->name);
    work w = {.p = &p};
    tables t;
    int status;
    make_tables(op, &t);
    char front[16];
    snprintf(front, sizeof front, "%.*s", (int)strcspn(op->fronts, "|"), op->fronts);
    p.front = front;
    if (!options_parse(&t.set, argc, argv, &p, &status))
        return status;
    if (p.devices && p.front == front) /* tiles of a parameterised graph do not stay there */
        snprintf(front, sizeof front, "stf");
    status = check_mode(op, &p, p.front != front);
    if (status != STATUS_OK)
        return status;
    p.simple = !p.nb && !p.trace && !p.stats && !p.ib && !p.branches && !p.lookahead &&
               p.front == front && strcmp(p.priority, "on") == 0 &&
               strcmp(p.pivoting, "partial") == 0 && strcmp(p.tree, "auto") == 0;
    status = seeing_open(&p, argc, argv);
    problem_check(&p);
    w.operands = op->operands(&p, w.list);
    if (status == STATUS_OK)
        status = input_open(&w);
    choose_sizes(op, &p);
    if (!has(op->takes, "tree"))
        p.tree = NULL;
    if (status == STATUS_OK)
        status = input_check(&w);
    if (status == STATUS_OK && op->check)
        status = op->check(&p);
    if (status == STATUS_OK)
        status = check_fit(&w);
    if (status == STATUS_OK)
        status = join(op, &t.set, &w);
    input_close(&w);
    return status;
}
