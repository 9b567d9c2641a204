/* Each run is a job of its own: problem subcommands of this program, bench tasks, or ScaLAPACK. */
#include "bench/ranks/scaling.h"
#include "command/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what programs print ----------------------------------------------------------------- */

/* The value of a name in an object of one line. */
static const char *find_value(const char *line, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(line, key);
    return at ? at + strlen(key) : NULL;
}

static bool find_number(const char *line, const char *name, double *value)
{
    char *end;
    const char *at = find_value(line, name);
    if (!at)
        return false;
    *value = strtod(at, &end);
    return end != at;
}

/* One run. */
typedef struct outcome {
    scaling_point *p;
    double logarithms; /* of the values so far */
    int values;
} outcome;

static void count_value(outcome *o, double value)
{
    if (value > 0) {
        o->logarithms += log(value);
        o->values++;
    }
}

/* A problem subcommand also says what it chose; the next run chooses again. */
static void see_problem(void *arg, const char *line)
{
    outcome *o = arg;
    scaling_point *p = o->p;
    double value, nb, messages, bytes;
    const char *grid = find_value(line, "grid");
    if (!find_number(line, "gflops", &value) || !find_number(line, "nb", &nb) ||
        !find_number(line, "messages", &messages) || !find_number(line, "bytes", &bytes) || !grid ||
        sscanf(grid, "\"%" SCNd64 "x%" SCNd64, &p->used_grid[0], &p->used_grid[1]) != 2)
        return;
    count_value(o, value);
    p->used_nb = (int64_t)nb;
    p->messages = (int64_t)messages;
    p->bytes = (int64_t)bytes;
}

static void see_object(void *arg, const char *line)
{
    double value;
    if (find_number(line, "value", &value))
        count_value(arg, value);
}

static void see_number(void *arg, const char *line)
{
    outcome *o = arg;
    count_value(o, strtod(line, NULL));
    o->p->used_nb = o->p->nb;
    memcpy(o->p->used_grid, o->p->grid, sizeof o->p->grid);
}

/* ---- programs ---------------------------------------------------------------------------- */

enum { ARGUMENTS = 24, NUMBER = 32 };

typedef struct command_line {
    const char *argv[ARGUMENTS];
    char text[ARGUMENTS][NUMBER];
    int count;
} command_line;

static void put(command_line *c, const char *word)
{
    c->argv[c->count++] = word;
}

static void put_number(command_line *c, int64_t value)
{
    snprintf(c->text[c->count], NUMBER, "%" PRId64, value);
    put(c, c->text[c->count]);
}

static void put_grid(command_line *c, const int64_t grid[2])
{
    snprintf(c->text[c->count], NUMBER, "%" PRId64 "x%" PRId64, grid[0], grid[1]);
    put(c, c->text[c->count]);
}

static void put_problem(const scaling *s, const scaling_point *p, command_line *c)
{
    put(c, s->self);
    put(c, p->op);
    put(c, "-n");
    put_number(c, p->n);
    if (p->nb) {
        put(c, "--nb");
        put_number(c, p->nb);
    }
    if (p->grid[0] && p->ranks) {
        put(c, "--grid");
        put_grid(c, p->grid);
    }
    put(c, "--workers");
    put_number(c, p->workers);
    put(c, "--json");
}

/* The median of three graphs of each kind. */
static void put_tasks(const scaling *s, const scaling_point *p, command_line *c)
{
    put(c, s->self);
    put(c, "bench");
    put(c, "tasks");
    put(c, "--case");
    put(c, strchr(p->op, ' ') + 1);
    put(c, "--tasks");
    put_number(c, p->n);
    put(c, "--workers");
    put_number(c, p->workers);
    put(c, "--repeat");
    put(c, "3");
    put(c, "--no-peers");
    put(c, "--json");
}

static void put_scalapack(const scaling *s, const scaling_point *p, command_line *c)
{
    put(c, s->scalapack);
    put(c, strcmp(p->op, "summa") == 0 ? "gemm" : p->op); /* pdgemm is a SUMMA */
    put_number(c, p->n);
    put_number(c, p->nb);
    put_grid(c, p->grid);
    put(c, "1");
    put(c, s->blas);
    put(c, s->kernels);
}

/* Run a point once. Several values, as those of the ways to make tasks, count by their mean. */
static bool run(scaling *s, scaling_point *p, double *value, char why[LAUNCH_WHY])
{
    command_line c = {0};
    outcome o = {.p = p};
    bool peer = p->system == SCALING_SCALAPACK, tasks = scaling_is_tasks(p);
    (peer ? put_scalapack : tasks ? put_tasks : put_problem)(s, p, &c);
    put(&c, NULL);
    const launch_program program = {.ranks = p->ranks, .workers = p->workers, .argv = c.argv};
    if (!launch(&s->launcher, &program,
                peer    ? see_number
                : tasks ? see_object
                        : see_problem,
                &o, why))
        return false;
    if (o.values == 0)
        snprintf(why, LAUNCH_WHY, "it printed no result");
    *value = exp(o.logarithms / o.values);
    return o.values > 0;
}

/* A reason that was told just before for the same routine need not be told again. */
static void leave_out(scaling *s, scaling_point *p, const char *why)
{
    char reason[sizeof s->said];
    snprintf(reason, sizeof reason, "%s %s: %s", scaling_system(p->system), p->op, why);
    p->valid = false;
    if (strcmp(s->said, reason) != 0)
        complain(s->command, "%s, %s of order %" PRId64 " on %d rank%s, is left out: %s",
                 scaling_system(p->system), p->op, p->n, p->ranks ? p->ranks : 1,
                 p->ranks > 1 ? "s" : "", why);
    memcpy(s->said, reason, sizeof reason);
}

/* ---- what ScaLAPACK is best with --------------------------------------------------------- */

/* OpenBLAS does not know newer processors, and takes slow kernels for them; those that the
 * processor lacks fail. */
static void choose_kernels(scaling *s)
{
    static const char *const sets[] = {"auto", "Haswell", "SkylakeX"};
    const char *best = NULL;
    double most = 0, value;
    char why[LAUNCH_WHY];
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        scaling_point p = {.system = SCALING_SCALAPACK,
                           .op = "gemm",
                           .n = 1000,
                           .nb = 128,
                           .ranks = 1,
                           .workers = 1,
                           .grid = {1, 1}};
        s->kernels = sets[i];
        if (run(s, &p, &value, why) && value > most) {
            most = value;
            best = sets[i];
        }
    }
    s->kernels = best;
    if (!best) {
        complain(s->command, "scalapack is left out: %s", why);
        s->with_scalapack = false;
    }
}

/* Try block sizes and grids that were left open once each. */
static void choose(scaling *s, scaling_point *p)
{
    static const int64_t blocks[] = {64, 128};
    scaling_point best = *p, tried = *p;
    double most = 0, value;
    int64_t usual[2];
    char why[LAUNCH_WHY] = "";
    int block_count = p->nb ? 1 : 2, grid_count = p->grid[0] ? 1 : 2;
    scaling_usual_grid(p->ranks, usual);
    if (usual[0] == usual[1])
        grid_count = 1;
    for (int b = 0; b < block_count; b++)
        for (int g = 0; g < grid_count; g++) {
            tried.nb = p->nb ? p->nb : blocks[b];
            tried.grid[0] = p->grid[0] ? p->grid[0] : usual[g];
            tried.grid[1] = p->grid[0] ? p->grid[1] : usual[1 - g];
            if (block_count * grid_count == 1)
                value = 1;
            else if (!run(s, &tried, &value, why))
                continue;
            if (value > most) {
                most = value;
                best = tried;
            }
        }
    *p = best;
    if (most == 0)
        leave_out(s, p, why);
}

/* ---- rounds ------------------------------------------------------------------------------ */

static void run_round(scaling *s, int64_t round)
{
    char why[LAUNCH_WHY];
    for (int k = 0; k < s->count; k++) {
        /* every other round backwards, so that no point always follows the same one */
        scaling_point *p = &s->points[round % 2 ? s->count - 1 - k : k];
        double part = (double)round + (double)(k + 1) / s->count;
        if (p->valid && !run(s, p, &p->runs[round], why))
            leave_out(s, p, why);
        progress_part(s->done + part / (double)s->v->pairs, s->all);
    }
}

/* The ratio of each pair first, since sorting for the medians parts them. */
static void find_medians(scaling *s)
{
    int pairs = (int)s->v->pairs;
    double ratios[SCALING_RUNS];
    for (int i = 0; i < s->count; i++) {
        scaling_point *p = &s->points[i];
        const scaling_point *base = &s->points[p->first];
        p->ratio = NAN;
        if (p == base || !p->valid || !base->valid)
            continue;
        for (int r = 0; r < pairs; r++)
            ratios[r] =
                scaling_is_tasks(p) ? base->runs[r] / p->runs[r] : p->runs[r] / base->runs[r];
        p->ratio = bench_median(ratios, pairs);
    }
    for (int i = 0; i < s->count; i++)
        if (s->points[i].valid)
            s->points[i].value = bench_median(s->points[i].runs, pairs);
}

void scaling_measure(scaling *s)
{
    for (int i = 0; i < s->count; i++) {
        scaling_point *p = &s->points[i];
        p->valid = p->system == SCALING_TWILL || s->with_scalapack;
        p->messages = p->bytes = -1;
        if (p->valid && p->system == SCALING_SCALAPACK && !s->kernels)
            choose_kernels(s);
        p->valid = p->system == SCALING_TWILL || s->with_scalapack;
        if (p->valid && p->system == SCALING_SCALAPACK)
            choose(s, p);
    }
    for (int64_t r = 0; r < s->v->pairs; r++)
        run_round(s, r);
    find_medians(s);
}
