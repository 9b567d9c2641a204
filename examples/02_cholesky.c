/* The shortest useful program: factor a matrix on all cores. */
#include <stdio.h>
#include <twill/twill.h>

int main(void)
{
    twill *tw;
    twill_array *a, *before;
    int64_t info = -1;
    double ratio = 1e9;
    twill_status status = twill_start(&tw, NULL);
    if (status != TWILL_OK)
        goto failed;
    status = twill_matrix_create(tw, TWILL_FLOAT64, 1000, 1000, &a);
    if (status == TWILL_OK)
        status = twill_matrix_create(tw, TWILL_FLOAT64, 1000, 1000, &before);
    if (status == TWILL_OK)
        status = twill_fill_spd(a, 42);
    if (status == TWILL_OK)
        status = twill_copy(a, before);
    if (status == TWILL_OK)
        status = twill_potrf(TWILL_LOWER, a, &info);
    if (status == TWILL_OK)
        status = twill_potrf_residual(TWILL_LOWER, before, a, &ratio);
    if (status != TWILL_OK)
        goto failed;
    printf("info %lld, residual %.2g: %s\n", (long long)info, ratio, ratio < 30 ? "good" : "bad");
    twill_stop(tw); /* frees the matrices, too */
    return info == 0 && ratio < 30 ? 0 : 1;

failed:
    fprintf(stderr, "%s: %s\n", twill_status_name(status), twill_message());
    return 1;
}
