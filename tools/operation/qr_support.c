/* What the subcommands of QR and LQ share. */
#include "operation/qr_support.h"

#include <stdlib.h>
#include <string.h>

/* ---- reflectors -------------------------------------------------------------------------- */

twill_status reflectors_prepare(work *w)
{
    twill_la_options expert = operation_expert(w->p);
    twill_reflectors *h = NULL;
    twill_status status = twill_reflectors_create(w->tw, &expert, &h);
    w->own = h;
    return status;
}

void reflectors_finish(work *w)
{
    twill_reflectors_free(w->own);
}

void reflectors_learn(work *w)
{
    static const char *const names[] = {[TWILL_TREE_FLAT] = "flat",
                                        [TWILL_TREE_BINARY] = "binary",
                                        [TWILL_TREE_GREEDY] = "greedy",
                                        [TWILL_TREE_FIBONACCI] = "fibonacci"};
    twill_tree tree;
    if (twill_reflectors_info(w->own, &tree, &w->p->ib) == TWILL_OK &&
        twill_reflectors_branches(w->own, &w->p->branches) == TWILL_OK)
        w->p->tree = names[tree];
}

void reflectors_json(const work *w, json *j)
{
    if (w->p->branches > 0)
        json_integer(j, "branches", w->p->branches);
    else
        json_null(j, "branches"); /* there was nothing to factor */
}

twill_status reflectors_run(work *w, insertion *insert, int64_t *info)
{
    twill_la_options expert = operation_expert(w->p);
    twill_graph *graph;
    twill_status status = twill_stf_begin(w->tw, &graph);
    if (status != TWILL_OK)
        return status;
    status = insert(w, graph, &expert);
    twill_status ended = twill_wait(graph);
    *info = twill_graph_info(graph);
    twill_graph_free(graph);
    if (status == TWILL_OK)
        reflectors_learn(w);
    ended = ended == TWILL_ERR_NUMERICAL ? TWILL_OK : ended;
    return ended == TWILL_OK ? status : ended;
}

/* ---- vectors ----------------------------------------------------------------------------- */

static bool is_complex(twill_type type)
{
    return type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
}

void vectors_fit(const work *w, double complex *x, int64_t length)
{
    for (int64_t i = 0; !is_complex(w->p->element) && i < length * PROBES; i++)
        x[i] = creal(x[i]);
}

/* One element, as a complex number; the other way round with `store`. */
static void move(void *data, twill_type type, int64_t at, double complex *x, bool store)
{
    int parts = is_complex(type) ? 2 : 1;
    double part[2] = {creal(*x), cimag(*x)};
    for (int i = 0; i < parts; i++) {
        bool single = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64;
        float *f = (float *)data + parts * at + i;
        double *d = (double *)data + parts * at + i;
        if (store && single)
            *f = (float)part[i];
        else if (store)
            *d = part[i];
        else
            part[i] = single ? *f : *d;
    }
    *x = part[0] + (parts == 2 ? part[1] : 0.0) * I;
}

/* Vectors, one per column, as elements of the matrices and back. */
static void convert(const work *w, void *data, double complex *x, int64_t length, bool store)
{
    for (int64_t i = 0; i < length * PROBES; i++)
        move(data, w->p->element, i, &x[i], store);
}

/* A new matrix of vectors, in tiles as high as those of the problem and dealt as they are. */
static twill_status to_array(const work *w, const void *data, int64_t length, twill_array **a)
{
    twill_pattern p =
        twill_block_cyclic(length, PROBES, w->p->nb, PROBES, w->p->ranks[0], w->p->ranks[1]);
    twill_status status = twill_array_create(w->tw, &p, w->p->element, 0, a);
    if (status != TWILL_OK)
        return status;
    status = twill_matrix_read(*a, TWILL_GENERAL, data, length);
    if (status != TWILL_OK)
        twill_array_free(*a);
    return status;
}

/* All of them on all ranks: each has its own, and zeros elsewhere. */
static twill_status from_array(const work *w, twill_array *a, void *data, int64_t length,
                               double complex *x)
{
    memset(data, 0, (size_t)(length * PROBES) * twill_type_size(w->p->element));
    twill_status status = twill_matrix_write(a, TWILL_GENERAL, data, length);
    if (status != TWILL_OK)
        return status;
    convert(w, data, x, length, false);
    return twill_sum(w->tw, (double *)x, 2 * length * PROBES);
}

static twill_status apply_q(work *w, bool lq, twill_trans trans, void *data, int64_t length,
                            double complex *x)
{
    twill_array *c;
    convert(w, data, x, length, true);
    twill_status status = to_array(w, data, length, &c);
    if (status != TWILL_OK)
        return status;
    status = lq ? twill_unmlq(TWILL_LEFT, trans, w->x[0].array, w->own, c)
                : twill_unmqr(TWILL_LEFT, trans, w->x[0].array, w->own, c);
    if (status == TWILL_OK)
        status = from_array(w, c, data, length, x);
    twill_array_free(c);
    return status;
}

twill_status vectors_times_q(work *w, bool lq, twill_trans trans, int64_t length, double complex *x)
{
    void *data = malloc((size_t)(length * PROBES) * twill_type_size(w->p->element) + 1);
    if (!data)
        return TWILL_ERR_MEMORY;
    twill_status status = length ? apply_q(w, lq, trans, data, length, x) : TWILL_OK;
    free(data);
    return status;
}
