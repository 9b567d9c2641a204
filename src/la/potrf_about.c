/* Tiles and costs of the tasks of Cholesky. */
#include "la/potrf_about.h"

#include "la/la.h"

/* Coordinates of a tile in the lower triangle, whichever one is stored. */
static void place(const twill_task *t, int arg, bool lower, int64_t *i, int64_t *j)
{
    if (lower)
        twill_task_tile(t, arg, i, j);
    else
        twill_task_tile(t, arg, j, i);
}

/* Real operations of so many multiplications and as many additions; bytes of so many elements. */
static void set_cost(const twill_task *t, twill_about *about, double pairs, double elements)
{
    twill_array *a = twill_task_array(t, 0);
    about->flops = pairs * (tw_la_complex(twill_array_type(a)) ? 8 : 2);
    about->bytes = elements * (double)twill_array_element(a);
}

void tw_about_potrf(const twill_task *t, twill_about *about)
{
    double n = (double)twill_task_rows(t, 0);
    int64_t i;
    about->parameters = 1;
    twill_task_tile(t, 0, &about->parameter[0], &i);
    set_cost(t, about, n * n * n / 6, n * n);
}

void tw_about_trsm(const twill_task *t, twill_about *about)
{
    double n = (double)twill_task_rows(t, 0);
    double size = (double)twill_task_rows(t, 1) * (double)twill_task_cols(t, 1);
    about->parameters = 2;
    place(t, 1, twill_task_int(t, 2) == TWILL_LOWER, &about->parameter[0], &about->parameter[1]);
    set_cost(t, about, n * size / 2, n * n / 2 + 2 * size);
}

void tw_about_herk(const twill_task *t, twill_about *about)
{
    double n = (double)twill_task_rows(t, 1);
    double size = (double)twill_task_rows(t, 0) * (double)twill_task_cols(t, 0);
    about->parameters = 2;
    place(t, 0, twill_task_int(t, 2) == TWILL_LOWER, &about->parameter[0], &about->parameter[1]);
    set_cost(t, about, (n + 1) * size / 2, size + n * n);
}

void tw_about_gemm(const twill_task *t, twill_about *about)
{
    bool lower = twill_task_int(t, 3) == TWILL_LOWER;
    double m = (double)twill_task_rows(t, 2), n = (double)twill_task_cols(t, 2);
    double inner = (double)(lower ? twill_task_cols(t, 0) : twill_task_rows(t, 0));
    int64_t i;
    about->parameters = 3;
    place(t, 2, lower, &about->parameter[0], &about->parameter[1]);
    place(t, 0, lower, &i, &about->parameter[2]);
    set_cost(t, about, m * n * inner, (m + n) * inner + 2 * m * n);
}
