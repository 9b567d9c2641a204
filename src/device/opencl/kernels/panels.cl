/* Panels of LU and QR, each by one work group, and interchanges of rows. */

enum { PANEL = 64 }; /* items of a work group */

/* The row of the largest element of a column, from row j on: of equal ones the first. */
static int find_pivot(int m, int j, global const element *column, local real *best,
                      local int *where)
{
    const int id = (int)get_local_id(0);
    best[id] = -1;
    where[id] = j;
    for (int i = j + id; i < m; i += PANEL)
        if (abs1(column[i]) > best[id]) {
            best[id] = abs1(column[i]);
            where[id] = i;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int span = PANEL / 2; span > 0; span /= 2) {
        if (id < span && (best[id + span] > best[id] ||
                          (best[id + span] == best[id] && where[id + span] < where[id]))) {
            best[id] = best[id + span];
            where[id] = where[id + span];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return where[0];
}

/* LU with partial pivoting of m rows of a few columns, the first of them row and column `before` of
 * the whole matrix. */
GROUP(64, 1)
factor_panel(int m, int n, global element *a, long oa, long lda, global long *ipiv, long op,
             long unused, int before, global int *info)
{
    local real best[PANEL];
    local int where[PANEL];
    const int id = (int)get_local_id(0);
    a += oa;
    for (int j = 0; j < m && j < n; j++) {
        global element *column = a + j * lda;
        const int pivot = find_pivot(m, j, column, best, where);
        for (int k = id; k < n && pivot != j; k += PANEL) {
            element x = a[j + k * lda];
            a[j + k * lda] = a[pivot + k * lda];
            a[pivot + k * lda] = x;
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        const element top = column[j];
        if (id == 0) {
            ipiv[op + j] = before + pivot + 1;
            if (is_zero(top))
                say(info, before + j + 1);
        }
        for (int i = j + 1 + id; i < m; i += PANEL) {
            if (!is_zero(top))
                column[i] = over(column[i], top);
            for (int k = j + 1; k < n; k++)
                a[i + k * lda] -= times(column[i], a[j + k * lda]);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

/* Rows from..to-1 change places with those that ipiv names, in n columns. */
GROUP(16, 1)
swap_rows(int n, int forward, global element *a, long oa, long lda, int from, int to,
          global const long *ipiv, long op, long unused)
{
    const int j = (int)get_global_id(0);
    if (j >= n)
        return;
    a += oa + j * lda;
    for (int s = 0; s < to - from; s++) {
        const int i = forward ? from + s : to - 1 - s;
        const long k = ipiv[op + i] - 1;
        element x = a[i];
        a[i] = a[k];
        a[k] = x;
    }
}

/* ---- QR ------------------------------------------------------------------------------------- */

enum { PARTS = 8 }; /* items that share a column when it is reflected */

static real reduce(local real *x, int most)
{
    const int id = (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int span = 128; span > 0; span /= 2) {
        if (id < span)
            x[id] = most ? fmax(x[id], x[id + span]) : x[id] + x[id + span];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    real result = x[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

/* Make the reflector of a column from row j on, without overflow; returns tau. */
static element reflector(int m, int j, global element *column, local real *x)
{
    const int id = (int)get_local_id(0);
    real most = 0, sum = 0;
    for (int i = j + 1 + id; i < m; i += 256)
        most = fmax(most, abs1(column[i]));
    x[id] = most;
    most = reduce(x, 1);
    const element alpha = column[j];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (most == 0 && im(alpha) == 0)
        return make(0);
    const real scale = fmax(most, abs1(alpha));
    for (int i = j + 1 + id; i < m; i += 256) {
        const element v = column[i] / scale;
        sum += re(v) * re(v) + im(v) * im(v);
    }
    x[id] = sum;
    sum = reduce(x, 0);
    const element first = alpha / scale;
    real beta = sqrt(sum + re(first) * re(first) + im(first) * im(first));
    beta = re(first) >= 0 ? -beta : beta;
    const element below = first - make(beta);
    for (int i = j + 1 + id; i < m; i += 256)
        column[i] = over(column[i] / scale, below);
    if (id == 0)
        column[j] = make(beta * scale);
    return -below / beta;
}

/* QR of m rows of up to 32 columns: R, and below it reflectors. */
GROUP(256, 1)
reflect_panel(int m, int n, global element *a, long oa, long lda, global element *tau, long ot,
              long unused)
{
    local real x[256];
    local element sums[256];
    const int id = (int)get_local_id(0), part = id % PARTS;
    a += oa;
    for (int j = 0; j < m && j < n; j++) {
        global element *v = a + j * lda;
        const element t = reflector(m, j, v, x);
        const int k = j + 1 + id / PARTS;
        global element *column = a + k * lda;
        if (id == 0)
            tau[ot + j] = t;
        barrier(CLK_GLOBAL_MEM_FENCE);
        element sum = k < n && part == 0 ? column[j] : make(0);
        for (int i = j + 1 + part; i < m && k < n; i += PARTS)
            sum += times(conjugate(v[i]), column[i]);
        sums[id] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = make(0);
        for (int p = 0; p < PARTS; p++)
            sum += sums[id - part + p];
        sum = times(conjugate(t), sum);
        if (k < n && part == 0)
            column[j] -= sum;
        for (int i = j + 1 + part; i < m && k < n; i += PARTS)
            column[i] -= times(v[i], sum);
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
}

/* T of a block reflector I - V T V^H, from V^H V and tau; an item computes a row. */
GROUP(32, 1)
join_reflectors(int k, global const element *gram, long og, long ldg, global const element *tau,
                long otau, long unused, global element *t, long ot, long ldt)
{
    const int i = (int)get_local_id(0);
    element row[BLOCK];
    if (i >= k)
        return;
    gram += og;
    t += ot;
    for (int j = 0; j < k; j++) {
        element sum = make(0);
        for (int q = i; q < j; q++)
            sum += times(row[q], gram[q + j * ldg]);
        row[j] = j < i    ? make(0)
                 : j == i ? tau[otau + j]
                          : -times(tau[otau + j], sum);
        t[i + j * ldt] = row[j];
    }
}
