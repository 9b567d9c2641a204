/* Systems of equations and inverses: matrices, runs and residuals. */
#include "operation/solution.h"

#include <stdlib.h>
#include <string.h>

int solution_operands(operand *list, filling fill)
{
    list[SOLUTION_A] = (operand){"A", 'n', 'n', fill, true};
    list[SOLUTION_B] = (operand){"B", 'n', 'r', FILL_RANDOM, false};
    list[SOLUTION_X] = (operand){"X", 'n', 'r', FILL_NOTHING, true};
    return 3;
}

twill_status solution_digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[SOLUTION_X].array, TWILL_GENERAL, digest);
}

probe_matrix solution_read(const work *w, twill_array *a, probe_shape shape)
{
    return (probe_matrix){
        .array = a, .shape = shape, .uplo = problem_uplo(w->p), .trans = TWILL_NO_TRANS};
}

twill_status solution_compare(const work *w, probe_matrix a, probe_matrix x, twill_array *b,
                              int64_t cols, double *ratio)
{
    int64_t n = w->p->n;
    probe_vectors v = probe_random(cols, 1), xv = probe_zeros(n), r = probe_zeros(n);
    double norm = 0, size = 0;
    twill_status status = v && xv && r ? TWILL_OK : TWILL_ERR_MEMORY;
    if (status == TWILL_OK)
        status = probe_multiply(1.0, x, v, xv);
    if (status == TWILL_OK)
        status = probe_multiply(-1.0, a, xv, r);
    if (status == TWILL_OK && b)
        status = probe_multiply(1.0, solution_read(w, b, PROBE_GENERAL), v, r);
    for (int64_t i = 0; status == TWILL_OK && !b && i < PROBES * n; i++)
        r[i] += v[i];
    if (status == TWILL_OK)
        status = probe_norm(a, &norm);
    if (status == TWILL_OK)
        status = probe_norm(x, &size);
    if (status == TWILL_OK)
        *ratio = probe_ratio(probe_size(r, n), (double)n * norm * size * probe_eps(w->p->element) *
                                                   probe_size(v, cols));
    free(v);
    free(xv);
    free(r);
    return status;
}

twill_status solution_residual(work *w, probe_shape shape, double *ratio)
{
    return solution_compare(w, solution_read(w, w->before[SOLUTION_A].array, shape),
                            solution_read(w, w->x[SOLUTION_X].array, PROBE_GENERAL),
                            w->x[SOLUTION_B].array, w->p->nrhs, ratio);
}

twill_status solution_copy(const work *w)
{
    return twill_copy(w->x[SOLUTION_B].array, w->x[SOLUTION_X].array);
}

twill_status solution_inverse_residual(work *w, probe_shape shape, double *ratio)
{
    return solution_compare(w, solution_read(w, w->before[0].array, shape),
                            solution_read(w, w->x[0].array, shape), NULL, w->p->n, ratio);
}

twill_status solution_run(const work *w, solution_insert *insert, int64_t *info)
{
    twill_la_options expert = operation_expert(w->p);
    twill_graph *graph;
    twill_status status = twill_stf_begin(w->tw, &graph);
    if (status != TWILL_OK)
        return status;
    status = insert(w, &expert, graph);
    twill_status ended = twill_wait(graph);
    *info = twill_graph_info(graph);
    twill_graph_free(graph);
    if (ended != TWILL_OK && ended != TWILL_ERR_NUMERICAL)
        return ended;
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

/* ---- pivots -------------------------------------------------------------------------------- */

/* One tile of pivots, to its place among all. */
static twill_status read_tile(twill_array *pivots, int64_t t, double *ipiv)
{
    twill_view v = twill_view_tile(pivots, t, 0);
    void *data;
    int64_t ld;
    twill_status status = twill_map(v, TWILL_READ, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t i = 0; i < v.extent[0]; i++)
        ipiv[v.start[0] + i] = (double)((const int64_t *)data)[i];
    return twill_unmap(v, data);
}

/* Each rank has its own, zeros elsewhere: the sums are all of them. */
twill_status pivots_read(twill_array *pivots, double **ipiv)
{
    const twill_pattern *pattern = twill_array_pattern(pivots);
    twill *tw = twill_array_context(pivots);
    int64_t n = pattern->extent[0], tiles = twill_pattern_blocks(pattern, 0);
    double *all = calloc((size_t)n + 1, sizeof *all);
    twill_status status = all ? TWILL_OK : TWILL_ERR_MEMORY;
    for (int64_t t = 0; t < tiles && status == TWILL_OK; t++)
        if (twill_owner_at(pivots, t, 0) == twill_rank(tw))
            status = read_tile(pivots, t, all);
    if (status == TWILL_OK)
        status = twill_sum(tw, all, n);
    if (status == TWILL_OK)
        *ipiv = all;
    else
        free(all);
    return status;
}

/* ---- digests ------------------------------------------------------------------------------- */

/* The finaliser of splitmix64, as in twill_digest. */
static uint64_t mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

uint64_t solution_digest_of(uint64_t place, uint64_t bits)
{
    return mix(mix(place) ^ bits);
}

/* ---- mixed precision ----------------------------------------------------------------------- */

bool solution_is_mixed(const problem *p)
{
    return strcmp(p->precision, "full") != 0 || strstr(p->op, "_mixed");
}

twill_refine solution_refinement(const problem *p)
{
    return strcmp(p->precision, "gmres") == 0 || strcmp(p->refine, "gmres") == 0
               ? TWILL_REFINE_GMRES
               : TWILL_REFINE_CLASSIC;
}

int solution_check_mixed(const problem *p)
{
    if (!solution_is_mixed(p) || p->element == TWILL_FLOAT64 || p->element == TWILL_COMPLEX128)
        return STATUS_OK;
    complain(p->op, "--type %s: must be d or z in mixed precision, which factors in half of it",
             p->type);
    return STATUS_USAGE;
}

void solution_json(const work *w, json *j)
{
    json_integer(j, "iterations", w->iterations);
}
