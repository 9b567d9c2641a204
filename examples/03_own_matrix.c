/* Bring your own matrix: LAPACK layout, wrapped without a copy, factored in place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

int main(void)
{
    enum { N = 500, LD = 512, NB = 100 };
    double *a = malloc(sizeof(double) * LD * N);
    if (!a)
        return 1;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[i + j * LD] = i == j ? N : 1.0 / (1 + abs(i - j));
    double corner = a[0];

    twill *tw;
    twill_array *wrapped;
    int64_t info = -1;
    twill_pattern pattern = twill_tiled(N, N, NB, NB);
    if (twill_start(&tw, NULL) != TWILL_OK ||
        twill_array_wrap(tw, &pattern, TWILL_FLOAT64, 0, a, LD, &wrapped) != TWILL_OK ||
        twill_potrf(TWILL_LOWER, wrapped, &info) != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_array_free(wrapped); /* the memory stays ours, and now holds L */
    twill_stop(tw);
    printf("L(0,0) = %.6f, the root of %.1f; info %lld\n", a[0], corner, (long long)info);
    int good = info == 0 && fabs(a[0] - sqrt(corner)) < 1e-12;
    free(a);
    return good ? 0 : 1;
}
