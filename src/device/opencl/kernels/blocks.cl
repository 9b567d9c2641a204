/* Matrices of which only a part is stored, and blocks on the diagonal. */

enum { BLOCK = 32 }; /* order of diagonal blocks, as in structured.h */

static element stored(global const element *a, long lda, int kind, int part, int i, int j)
{
    if (kind == GENERAL)
        return a[i + j * lda];
    if (kind == UNIT_TRIANGULAR && i == j)
        return make(1);
    if (kind == HERMITIAN && i == j)
        return make(re(a[i + j * lda]));
    if (is_in(part, i, j))
        return a[i + j * lda];
    return kind == SYMMETRIC   ? a[j + i * lda]
           : kind == HERMITIAN ? conjugate(a[j + i * lda])
                               : make(0);
}

/* to := alpha op(A), of a matrix whose `part` is stored and which has a structure; only `into` of
 * it. In place if nothing is transposed. */
GROUP(16, 4)
expand(int m, int n, element alpha, int kind, int part, int trans, global const element *a,
       long oa, long lda, int into, global element *to, long ot, long ldt)
{
    const int i = (int)get_global_id(0), j = (int)get_global_id(1);
    if (i >= m || j >= n || !is_in(into, i, j))
        return;
    element x = make(0);
    if (!is_zero(alpha)) {
        x = trans == PLAIN ? stored(a + oa, lda, kind, part, i, j)
                           : stored(a + oa, lda, kind, part, j, i);
        x = times(alpha, trans == CONJUGATED ? conjugate(x) : x);
    }
    to[ot + i + j * ldt] = x;
}

/* The first number of info is that of the first thing that is wrong. */
static void say(global int *info, int number)
{
    int old = atomic_cmpxchg(info, 0, number);
    if (old > 0)
        atomic_min(info, number);
}

/* The inverses of all diagonal blocks of a triangular matrix of order n, below each other, without
 * gaps. An item computes a column by substitution. info, if `checks`: the first zero. */
GROUP(32, 1)
invert(int n, int part, int unit, global const element *a, long oa, long lda,
       global element *to, long ot, long ldt, int checks, int before, global int *info)
{
    const int first = BLOCK * (int)get_group_id(0), j = (int)get_local_id(0);
    const int size = min((int)BLOCK, n - first);
    element x[BLOCK];
    a += oa + first + first * lda;
    to += ot + first;
    if (j >= size)
        return;
    if (checks && !unit && is_zero(a[j + j * lda]))
        say(info, before + first + j + 1);
    const int step = part == LOWER ? 1 : -1;
    for (int i = 0; i < BLOCK; i++)
        x[i] = make(0);
    for (int i = j; i >= 0 && i < size; i += step) {
        element sum = make(i == j);
        for (int k = j; k != i; k += step)
            sum -= times(a[i + k * lda], x[k]);
        x[i] = unit ? sum : over(sum, a[i + i * lda]);
    }
    for (int i = 0; i < size; i++)
        to[i + j * ldt] = x[i];
}

/* The Cholesky factor of one block, below or above the diagonal. All items come to all barriers,
 * also when there is none. */
GROUP(32, 1)
cholesky(int n, int part, global element *a, long oa, long lda, int before, global int *info)
{
    local element l[BLOCK][BLOCK + 1];
    const int i = (int)get_local_id(0);
    int goes_on = *info == 0;
    a += oa;
    for (int j = 0; j <= i && i < n; j++)
        l[i][j] = part == LOWER ? a[i + j * lda] : conjugate(a[j + i * lda]);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int j = 0; j < n; j++) {
        const real square = re(l[j][j]), d = sqrt(fmax(square, (real)0));
        barrier(CLK_LOCAL_MEM_FENCE);
        if (goes_on && !(square > 0)) {
            goes_on = 0;
            if (i == 0)
                *info = before + j + 1;
        }
        if (goes_on && i >= j && i < n)
            l[i][j] = i == j ? make(d) : l[i][j] / d;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = j + 1; goes_on && k <= i && i < n; k++)
            l[i][k] -= times(l[i][j], conjugate(l[k][j]));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j <= i && i < n; j++)
        if (part == LOWER)
            a[i + j * lda] = l[i][j];
        else
            a[j + i * lda] = conjugate(l[i][j]);
}
