/* Columns of complex numbers of type T; see leaf_types.h. Products are written out: those of C look
 * for infinities first. */

static void NAME(update)(int64_t rows, int64_t k, const void *a, int64_t lda, const void *u,
                         void *x)
{
    const T *factor = u;
    T *restrict to = x;
    for (int64_t c = 0; c < k; c++) {
        const T *restrict from = (const T *)a + 2 * c * lda;
        T re = factor[2 * c], im = factor[2 * c + 1];
        for (int64_t i = 0; i < rows; i++) {
            to[2 * i] -= from[2 * i] * re - from[2 * i + 1] * im;
            to[2 * i + 1] -= from[2 * i] * im + from[2 * i + 1] * re;
        }
    }
}

static tw_pivot NAME(search)(int64_t rows, const void *x, bool first)
{
    const T *from = x;
    T most = -1;
    int64_t row = -1;
    if (first && isnan(ABS(from[0]) + ABS(from[1])))
        return (tw_pivot){NAN, 0};
    for (int64_t i = 0; i < rows; i++) {
        T size = ABS(from[2 * i]) + ABS(from[2 * i + 1]);
        row = size > most ? i : row;
        most = size > most ? size : most;
    }
    return (tw_pivot){(double)most, row};
}

/* z = x / y without overflow on the way, as Fortran has it. */
static void NAME(divide)(const T *x, const T *y, T *z)
{
    bool tall = ABS(y[0]) < ABS(y[1]);
    T large = tall ? y[1] : y[0], ratio = tall ? y[0] / y[1] : y[1] / y[0];
    T below = (tall ? y[0] : y[1]) * ratio + large;
    T re = tall ? x[0] * ratio + x[1] : x[1] * ratio + x[0];
    T im = tall ? x[1] * ratio - x[0] : x[1] - x[0] * ratio;
    z[0] = re / below;
    z[1] = im / below;
}

static void NAME(scale)(int64_t rows, const void *pivot, void *x)
{
    const T *p = pivot, one[2] = {1, 0};
    T *restrict to = x, inverse[2];
    if (p[0] == 0 && p[1] == 0)
        return;
    if (hypot((double)p[0], (double)p[1]) < (double)SAFE) {
        for (int64_t i = 0; i < rows; i++)
            NAME(divide)(to + 2 * i, p, to + 2 * i);
        return;
    }
    NAME(divide)(one, p, inverse);
    T r = inverse[0], s = inverse[1];
    for (int64_t i = 0; i < rows; i++) {
        T re = to[2 * i] * r - to[2 * i + 1] * s;
        to[2 * i + 1] = to[2 * i] * s + to[2 * i + 1] * r;
        to[2 * i] = re;
    }
}
