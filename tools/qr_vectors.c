/* Probe vectors as matrices. */
#include "qr_vectors.h"

static bool is_complex(twill_type type)
{
    return type == TWILL_C32 || type == TWILL_C64;
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
        bool single = type == TWILL_F32 || type == TWILL_C32;
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

twill_status vectors_to_array(const work *w, const double complex *x, int64_t length,
                              twill_array **a)
{
    twill_pattern p = twill_tiled(length, PROBES, w->p->nb, PROBES);
    twill_status status = twill_array_create(w->tw, &p, w->p->element, 0, a);
    if (status != TWILL_OK)
        return status;
    status = transfer(*a, length, (double complex *)x, true);
    if (status != TWILL_OK)
        twill_array_free(*a);
    return status;
}

twill_status vectors_from_array(twill_array *a, int64_t length, double complex *x)
{
    return transfer(a, length, x, false);
}
