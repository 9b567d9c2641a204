/* C := alpha op(A) op(B) + beta C. An item computes 8 rows of 4 columns in registers; real and
 * imaginary parts apart. */

enum { ROWS = 8, COLS = 4 };

static element taken(global const element *a, long lda, int trans, int i, int j)
{
    return trans == PLAIN        ? a[i + j * lda]
           : trans == TRANSPOSED ? a[j + i * lda]
                                 : conjugate(a[j + i * lda]);
}

/* Rows i to i + 7 of column j of op(A): those below m are zero. */
static real8 rows_of(global const element *a, long lda, int trans, int i, int j, int m, real8 *y)
{
    real x[ROWS];
    IM(real xi[ROWS];)
    if (trans == PLAIN && i + ROWS <= m) {
#ifdef TW_COMPLEX
        real16 both = vload16(0, (global const real *)(a + i + j * lda));
        *y = both.odd;
        return both.even;
#else
        return vload8(0, a + i + j * lda);
#endif
    }
    for (int r = 0; r < ROWS; r++) {
        element e = i + r < m ? taken(a, lda, trans, i + r, j) : make(0);
        x[r] = re(e);
        IM(xi[r] = im(e);)
    }
    IM(*y = vload8(0, xi);)
    return vload8(0, x);
}

/* Only of `part` of C, whose diagonal is real if `hermitian`. */
GROUP(4, 4)
multiply(int m, int n, int k, int part, int hermitian, element alpha, global const element *a,
         long oa, long lda, int ta, global const element *b, long ob, long ldb, int tb,
         element beta, global element *c, long oc, long ldc)
{
    const int i = ROWS * (int)get_global_id(0), j = COLS * (int)get_global_id(1);
    if (i >= m || j >= n || (part == LOWER && i + ROWS <= j) || (part == UPPER && i >= j + COLS))
        return;
    a += oa;
    b += ob;
    c += oc;
    real8 x[COLS] = {0};
    IM(real8 y[COLS] = {0};)
    const int cols = min((int)COLS, n - j);
    for (int p = 0; p < k; p++) {
        real8 ai, ar = rows_of(a, lda, ta, i, p, m, &ai);
        for (int q = 0; q < COLS; q++) {
            element e = q < cols ? taken(b, ldb, tb, p, j + q) : make(0);
#ifdef TW_COMPLEX
            x[q] += ar * e.x - ai * e.y;
            y[q] += ar * e.y + ai * e.x;
#else
            x[q] += ar * e;
#endif
        }
    }
    for (int q = 0; q < cols; q++) {
        real xs[ROWS];
        IM(real ys[ROWS];)
        vstore8(x[q], 0, xs);
        IM(vstore8(y[q], 0, ys);)
        for (int r = 0; r < ROWS && i + r < m; r++) {
            if (!is_in(part, i + r, j + q))
                continue;
            global element *to = c + i + r + (j + q) * ldc;
#ifdef TW_COMPLEX
            element sum = times(alpha, (element)(xs[r], ys[r]));
#else
            element sum = alpha * xs[r];
#endif
            sum = is_zero(beta) ? sum : sum + times(beta, *to);
            *to = hermitian && i + r == j + q ? make(re(sum)) : sum;
        }
    }
}
