/* What the subcommands of QR and LQ share. */
#include "operation/qr_support.h"

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
    if (twill_reflectors_info(w->own, &tree, &w->p->ib) == TWILL_OK)
        w->p->tree = names[tree];
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

static twill_status transfer(twill_array *a, int64_t length, double complex *x, bool store)
{
    void *data;
    int64_t ld;
    twill_view v = twill_view_all(a);
    twill_status status = twill_map(v, store ? TWILL_WRITE : TWILL_READ, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t j = 0; j < PROBES; j++)
        for (int64_t i = 0; i < length; i++)
            move(data, twill_array_type(a), i + j * ld, &x[i + j * length], store);
    return twill_unmap(v, data);
}

/* A new matrix of vectors, one per column, in tiles as high as those of the problem. */
static twill_status to_array(const work *w, double complex *x, int64_t length, twill_array **a)
{
    twill_pattern p = twill_tiled(length, PROBES, w->p->nb, PROBES);
    twill_status status = twill_array_create(w->tw, &p, w->p->element, 0, a);
    if (status != TWILL_OK)
        return status;
    status = transfer(*a, length, x, true);
    if (status != TWILL_OK)
        twill_array_free(*a);
    return status;
}

twill_status vectors_times_q(work *w, bool lq, twill_trans trans, int64_t length, double complex *x)
{
    twill_array *c;
    twill_status status = to_array(w, x, length, &c);
    if (status != TWILL_OK)
        return status;
    status = lq ? twill_unmlq(TWILL_LEFT, trans, w->x[0].array, w->own, c)
                : twill_unmqr(TWILL_LEFT, trans, w->x[0].array, w->own, c);
    if (status == TWILL_OK)
        status = transfer(c, length, x, false);
    twill_array_free(c);
    return status;
}
