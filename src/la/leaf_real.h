/* Columns of real numbers of type T; see leaf_types.h. */

static void NAME(update)(int64_t rows, int64_t k, const void *a, int64_t lda, const void *u,
                         void *x)
{
    const T *factor = u;
    T *restrict to = x;
    int64_t c = 0;
    for (; c + 4 <= k; c += 4) { /* four at a time: fewer passes over x */
        const T *restrict a0 = (const T *)a + c * lda, *restrict a1 = a0 + lda;
        const T *restrict a2 = a1 + lda, *restrict a3 = a2 + lda;
        T u0 = factor[c], u1 = factor[c + 1], u2 = factor[c + 2], u3 = factor[c + 3];
        for (int64_t i = 0; i < rows; i++)
            to[i] = to[i] - a0[i] * u0 - a1[i] * u1 - a2[i] * u2 - a3[i] * u3;
    }
    for (; c < k; c++) {
        const T *restrict a0 = (const T *)a + c * lda;
        T u0 = factor[c];
        for (int64_t i = 0; i < rows; i++)
            to[i] -= a0[i] * u0;
    }
}

static tw_pivot NAME(search)(int64_t rows, const void *x, bool first)
{
    const T *restrict from = x;
    T most[LANES];
    int64_t i = 0;
    if (first && isnan(from[0]))
        return (tw_pivot){(double)from[0], 0};
    for (int l = 0; l < LANES; l++)
        most[l] = -1;
    for (; i + LANES <= rows; i += LANES)
        for (int l = 0; l < LANES; l++)
            most[l] = ABS(from[i + l]) > most[l] ? ABS(from[i + l]) : most[l];
    for (; i < rows; i++)
        most[0] = ABS(from[i]) > most[0] ? ABS(from[i]) : most[0];
    for (int l = 1; l < LANES; l++)
        most[0] = most[l] > most[0] ? most[l] : most[0];
    for (i = 0; i < rows; i++)
        if (ABS(from[i]) == most[0])
            return (tw_pivot){(double)most[0], i};
    return (tw_pivot){-1, -1};
}

static void NAME(scale)(int64_t rows, const void *pivot, void *x)
{
    T p = *(const T *)pivot, *restrict to = x;
    if (p == 0)
        return;
    bool safe = !(ABS(p) < SAFE);
    T inverse = 1 / p;
    for (int64_t i = 0; i < rows && safe; i++)
        to[i] *= inverse;
    for (int64_t i = 0; i < rows && !safe; i++)
        to[i] /= p;
}
