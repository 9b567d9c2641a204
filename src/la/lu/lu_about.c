/* Parameters and operations of the tasks of LU. */
#include "la/lu/lu_about.h"

#include "la/la.h"

static double flops(const twill_task *t, int arg, double pairs)
{
    return tw_la_flops(twill_array_type(twill_task_array(t, arg)), pairs);
}

void tw_about_update(const twill_task *t, twill_about *about)
{
    int64_t row;
    about->parameters = 3;
    twill_task_tile(t, 2, &about->parameter[0], &about->parameter[1]);
    twill_task_tile(t, 0, &row, &about->parameter[2]);
    about->flops = flops(t, 0,
                         (double)twill_task_rows(t, 2) * (double)twill_task_cols(t, 2) *
                             (double)twill_task_cols(t, 0));
}

void tw_about_panel(const twill_task *t, twill_about *about, int64_t rows, int first)
{
    int64_t row;
    double m = (double)rows, n = (double)twill_task_cols(t, first);
    about->parameters = 1;
    twill_task_tile(t, first, &row, &about->parameter[0]);
    about->flops = flops(t, first, n < m ? n * n * (m - n / 3) / 2 : m * m * (n - m / 3) / 2);
}

void tw_about_solve(const twill_task *t, twill_about *about, int l, int u)
{
    int64_t row;
    double order = (double)twill_task_rows(t, u);
    about->parameters = 2;
    twill_task_tile(t, u, &row, &about->parameter[0]);
    twill_task_tile(t, l, &row, &about->parameter[1]);
    about->flops = flops(t, l, order * order * (double)twill_task_cols(t, u) / 2);
}

void tw_about_below(const twill_task *t, twill_about *about)
{
    double order = (double)twill_task_cols(t, 1);
    about->parameters = 2;
    twill_task_tile(t, 1, &about->parameter[0], &about->parameter[1]);
    about->flops = flops(t, 0, order * order * (double)twill_task_rows(t, 1) / 2);
}
