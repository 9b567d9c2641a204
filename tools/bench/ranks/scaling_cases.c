/* The cases: Figures 8 to 12 of the DAGuE paper, and comparisons that are made again and again. */
#include "bench/ranks/scaling.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool scaling_is_tasks(const scaling_point *p)
{
    return strncmp(p->op, "tasks", 5) == 0;
}

int scaling_cores(const scaling *s, const scaling_point *p)
{
    int workers = (p->ranks ? p->ranks : 1) * p->workers;
    return workers < s->launcher.cores ? workers : s->launcher.cores;
}

bool scaling_is_crowded(const scaling *s, const scaling_point *p)
{
    return p->ranks * p->workers > s->launcher.cores;
}

void scaling_usual_grid(int ranks, int64_t grid[2])
{
    grid[0] = 1;
    for (int64_t rows = 2; rows <= ranks / rows; rows++)
        if (ranks % rows == 0)
            grid[0] = rows;
    grid[1] = ranks / grid[0];
}

/* ---- points ------------------------------------------------------------------------------ */

/* A point that is compared with none. */
static scaling_point *add(scaling *s, int system, const char *op, int64_t n, int ranks, int workers)
{
    int i = s->count++;
    scaling_point *p = &s->points[i];
    memset(p, 0, sizeof *p);
    snprintf(p->op, sizeof p->op, "%s", op);
    p->system = system;
    p->n = n;
    p->ranks = ranks;
    p->workers = workers;
    p->first = i;
    return p;
}

/* The same problem for both, on a grid as square as can be. */
static void add_both(scaling *s, const char *op, int64_t n, int64_t nb, int ranks)
{
    for (int system = 0; system < SCALING_SYSTEMS; system++) {
        scaling_point *p = add(s, system, op, n, ranks, 1);
        p->nb = nb;
        scaling_usual_grid(ranks, p->grid);
    }
}

static bool is_tasks(const char *op)
{
    return strcmp(op, "tasks") == 0;
}

/* ---- figures ----------------------------------------------------------------------------- */

static void make_tile(scaling *s, const char *op)
{
    for (int i = 0; i < s->tiles.count && !is_tasks(op); i++)
        add_both(s, op, s->sizes.at[0], s->tiles.at[i], s->launcher.cores);
}

static void make_split(scaling *s, const char *op)
{
    for (int i = 0; i < s->ranks.count && !is_tasks(op); i++) {
        int ranks = (int)s->ranks.at[i], cores = s->launcher.cores;
        int workers = ranks < cores ? cores / ranks : 1;
        scaling_point *p = add(s, SCALING_TWILL, op, s->sizes.at[0], ranks, workers);
        scaling_usual_grid(ranks, p->grid);
        if (workers > 1) /* ScaLAPACK has ranks only */
            continue;
        p = add(s, SCALING_SCALAPACK, op, s->sizes.at[0], ranks, workers);
        scaling_usual_grid(ranks, p->grid);
    }
}

static void make_size(scaling *s, const char *op)
{
    for (int i = 0; i < s->sizes.count && !is_tasks(op); i++)
        add_both(s, op, s->sizes.at[i], 0, s->launcher.cores);
}

/* As much memory for each rank. */
static void make_weak(scaling *s, const char *op)
{
    for (int i = 0; i < s->ranks.count && !is_tasks(op); i++) {
        double ranks = (double)s->ranks.at[i];
        add_both(s, op, llround((double)s->sizes.at[0] * sqrt(ranks)), 0, (int)ranks);
    }
}

static void make_strong(scaling *s, const char *op)
{
    for (int i = 0; i < s->ranks.count && !is_tasks(op); i++)
        add_both(s, op, s->sizes.at[0], 0, (int)s->ranks.at[i]);
}

static double at_tile(const scaling_point *p)
{
    return (double)p->nb;
}

static double at_size(const scaling_point *p)
{
    return (double)p->n;
}

static double at_ranks(const scaling_point *p)
{
    return p->ranks;
}

static void note_workers(const scaling_point *p, char *text, size_t size)
{
    snprintf(text, size, "%d worker%s each", p->workers, p->workers == 1 ? "" : "s");
}

static void note_size(const scaling_point *p, char *text, size_t size)
{
    snprintf(text, size, "n = %" PRId64, p->n);
}

/* ---- comparisons ------------------------------------------------------------------------- */

/* ScaLAPACK at its best, and Twill as it comes. */
static void make_peers(scaling *s, const char *op)
{
    for (int i = 0; i < s->sizes.count && !is_tasks(op); i++) {
        int first = s->count;
        add(s, SCALING_SCALAPACK, op, s->sizes.at[i], s->launcher.cores, 1);
        add(s, SCALING_TWILL, op, s->sizes.at[i], s->launcher.cores, 1)->first = first;
    }
}

/* One rank with all workers, and ranks with one each, in a row and in a column. */
static void make_ranks(scaling *s, const char *op)
{
    int cores = s->launcher.cores;
    for (int i = 0; i < s->sizes.count && !is_tasks(op); i++) {
        int first = s->count;
        add(s, SCALING_TWILL, op, s->sizes.at[i], 1, cores);
        for (int column = 0; column < 2 && cores > 1; column++) {
            scaling_point *p = add(s, SCALING_TWILL, op, s->sizes.at[i], cores, 1);
            p->grid[column] = 1;
            p->grid[1 - column] = cores;
            p->first = first;
        }
    }
}

static void add_single(scaling *s, const char *op, int64_t n)
{
    int first = s->count;
    add(s, SCALING_TWILL, op, n, 0, s->launcher.cores);
    add(s, SCALING_TWILL, op, n, 1, s->launcher.cores)->first = first;
}

static void make_single(scaling *s, const char *op)
{
    static const char *const kinds[] = {"independent", "chain", "chains64",
                                        "stencil",     "fan",   "random"};
    char name[SCALING_OP];
    for (int i = 0; i < s->sizes.count && !is_tasks(op); i++)
        add_single(s, op, s->sizes.at[i]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && is_tasks(op); i++) {
        snprintf(name, sizeof name, "tasks %s", kinds[i]);
        add_single(s, name, s->v->tasks);
    }
}

/* ------------------------------------------------------------------------------------------ */

static const scaling_case cases[] = {
    {"tile", "tile sizes, on a rank per core", "4000", make_tile, at_tile, "tile size", NULL},
    {"split", "all cores, split over ranks", "4000", make_split, at_ranks, "ranks", note_workers},
    {"size", "problem sizes, on a rank per core", "1000,2000,3000,4000,6000,8000", make_size,
     at_size, "order of the matrix", NULL},
    {"weak", "weak scaling, as much memory for each rank", "2000", make_weak, at_ranks, "ranks",
     note_size},
    {"strong", "strong scaling, a rank per core", "4000", make_strong, at_ranks, "ranks", NULL},
    {"peers", "beside ScaLAPACK at its best, on a rank per core", "4000,8000", make_peers, NULL,
     NULL, NULL},
    {"ranks", "a worker on each rank beside all workers on one", "4000,8000", make_ranks, NULL,
     NULL, NULL},
    {"single", "one rank under mpirun beside none", "4000", make_single, NULL, NULL, NULL}};

const scaling_case *scaling_case_at(int i)
{
    return i < (int)(sizeof cases / sizeof *cases) ? &cases[i] : NULL;
}
