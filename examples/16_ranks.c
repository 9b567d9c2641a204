/* One program, several ranks: a Cholesky and a QR factorization that the processes of an MPI
 * program share.
 *
 *     mpirun -np 4 build/examples/16_ranks
 *
 * Each rank stores its tiles only, Twill moves what others need, and nobody calls MPI. Without
 * mpirun there is one rank, and the program is the same. It leaves a page on which all ranks and
 * their messages can be seen, unless TWILL_TRACE names another. */
#include <stdio.h>
#include <twill/twill.h>

enum { N = 600, NB = 50 };

/* The grid that is nearest to a square. */
static void choose_grid(int ranks, int *p, int *q)
{
    *p = 1;
    for (int rows = 1; rows * rows <= ranks; rows++)
        if (ranks % rows == 0)
            *p = rows;
    *q = ranks / *p;
}

/* The traces of all ranks become one, which rank 0 has. */
static void save_trace(twill *tw)
{
    twill_trace *trace = NULL;
    twill_status ended = twill_trace_end(tw, &trace);
    if (twill_trace_gather(tw, &trace) || ended || /* all ranks gather, with or without a trace */
        (trace && twill_trace_save(trace, "16_ranks.html")))
        fprintf(stderr, "rank %d: %s\n", twill_rank(tw), twill_message());
    twill_trace_free(trace);
}

/* A = Q R. The bits of R depend on the tree that eliminates tiles, and that on the grid, unless the
 * program says how many branches it has: then R is the same on any grid. */
static twill_status factor(twill *tw, twill_array *a, uint64_t *digest)
{
    twill_la_options options = {.size = sizeof options, .branches = 2};
    twill_reflectors *h;
    twill_status status = twill_reflectors_create(tw, &options, &h);
    if (status)
        return status;
    status = twill_fill_random(a, 42);
    if (!status)
        status = twill_geqrf(a, h);
    if (!status)
        status = twill_digest(a, TWILL_UPPER, digest);
    twill_reflectors_free(h);
    return status;
}

int main(void)
{
    twill *tw = NULL;
    twill_array *a;
    int64_t info = -1;
    uint64_t digest = 0;
    int p, q;
    if (twill_start(&tw, NULL)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    int recording = twill_trace_begin(tw) == TWILL_OK;
    choose_grid(twill_ranks(tw), &p, &q);
    twill_pattern pattern = twill_block_cyclic(N, N, NB, NB, p, q);
    if (twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a) || twill_fill_spd(a, 42) ||
        twill_potrf(TWILL_LOWER, a, &info) || factor(tw, a, &digest))
        fprintf(stderr, "rank %d: %s\n", twill_rank(tw), twill_message());
    if (recording)
        save_trace(tw);
    if (twill_rank(tw) == 0)
        printf("%d ranks as %d by %d: info %lld\nR: %016llx\n", twill_ranks(tw), p, q,
               (long long)info, (unsigned long long)digest);
    twill_stop(tw);
    return info != 0 || digest == 0;
}
