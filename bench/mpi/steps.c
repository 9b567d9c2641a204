/* The graphs of `bench metg` as one would write them with MPI: in each step a rank sends what
 * others will read, computes the points that read nothing from others, waits, and computes the
 * rest. */
#include "mpi/steps.h"

#include <mpi.h>
#include <stdlib.h>

enum { PLACES = 2 * PATTERN_WIDTH, WRONG = -1 };

/* This rank. */
typedef struct stepper {
    const reach *r;
    int64_t first, last, share; /* points of this rank, and of each */
    pattern_cell cells[2][PATTERN_WIDTH];
    long asked[PATTERN_WIDTH]; /* step for which a point was last received or sent */
    bool late[PATTERN_WIDTH];  /* reads a point of another rank */
    MPI_Request requests[PLACES * REACH];
    int under_way;
} stepper;

static bool is_own(const stepper *s, int64_t point)
{
    return point >= s->first && point <= s->last;
}

/* The points of other ranks that those of this one read in step t, each once. */
static int receive(stepper *s, long t)
{
    const reach *r = s->r;
    int code = 0;
    for (int64_t i = s->first; i <= s->last; i++) {
        s->late[i] = false;
        for (int k = 0; k < REACH && reach_if_there(r, t, i) >= 0; k++) {
            int64_t from = reach_source(r, t, i, k);
            if (from < 0 || is_own(s, from))
                continue;
            s->late[i] = true;
            if (s->asked[from] != t && !code)
                code = MPI_Irecv(&s->cells[(t - 1) % 2][from], sizeof(pattern_cell), MPI_BYTE,
                                 (int)(from / s->share), (int)from, MPI_COMM_WORLD,
                                 &s->requests[s->under_way++]);
            s->asked[from] = t;
        }
    }
    return code;
}

/* The points of this rank that others read in step t: to each rank once. Readers at one place of a
 * point follow no order of ranks, so all those it was sent to are looked at. */
static int send(stepper *s, long t)
{
    const reach *r = s->r;
    int code = 0;
    for (int64_t i = s->first; i <= s->last; i++) {
        int64_t sent[REACH];
        int n = 0;
        for (int k = 0; k < REACH && reach_if_there(r, t - 1, i) >= 0 && !code; k++) {
            int64_t to = reach_reader(r, t - 1, i, k), rank = to / s->share;
            bool take = to >= 0 && !is_own(s, to);
            for (int m = 0; m < n; m++)
                take &= sent[m] != rank;
            if (!take)
                continue;
            sent[n++] = rank;
            code = MPI_Isend(&s->cells[(t - 1) % 2][i], sizeof(pattern_cell), MPI_BYTE, (int)rank,
                             (int)i, MPI_COMM_WORLD, &s->requests[s->under_way++]);
        }
    }
    return code;
}

/* The points that read, or do not read, something from other ranks. */
static int compute(stepper *s, long t, bool late, long iterations)
{
    const reach *r = s->r;
    for (int64_t i = s->first; i <= s->last; i++) {
        if (s->late[i] != late || reach_if_there(r, t, i) < 0)
            continue;
        for (int k = 0; k < REACH && t > 0; k++) {
            int64_t from = reach_source(r, t, i, k);
            if (from >= 0 && s->cells[(t - 1) % 2][from].step != t)
                return WRONG;
        }
        pattern_compute(iterations);
        s->cells[t % 2][i].step = t + 1;
    }
    return 0;
}

static int step(stepper *s, long t, long iterations)
{
    s->under_way = 0;
    int code = t > 0 ? receive(s, t) : 0;
    if (!code && t > 0)
        code = send(s, t);
    if (!code)
        code = compute(s, t, false, iterations);
    if (!code && s->under_way > 0)
        code = MPI_Waitall(s->under_way, s->requests, MPI_STATUSES_IGNORE);
    return code ? code : compute(s, t, true, iterations);
}

int mpi_steps(const reach *r, int share, long iterations, double *seconds)
{
    int rank, width = r->graph->width;
    int code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    stepper *s = aligned_alloc(_Alignof(stepper), sizeof *s);
    if (!s)
        return MPI_ERR_NO_MEM;
    memset(s, 0, sizeof *s);
    s->r = r;
    s->share = share;
    s->first = (int64_t)rank * share;
    s->last = s->first + share < width ? s->first + share - 1 : width - 1;
    if (!code)
        code = MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long t = 0; t < r->graph->steps && !code; t++)
        code = step(s, t, iterations);
    *seconds = MPI_Wtime() - start;
    free(s);
    return code ? code
                : MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}
