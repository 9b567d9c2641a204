/* Groups of ranks: the ranks are split in two, and a matrix lies on each half.
 *
 *     mpirun -np 4 build/examples/23_groups
 *
 * All ranks make all arrays and call all algorithms, and those of a group do the work. Each half
 * is split by host again, as a program that wants its neighbours near does. */
#include <stdio.h>
#include <twill/twill.h>

enum { N = 64, NB = 16 };

static int failed(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, twill_message());
    return 1;
}

static int use(twill *tw, twill_group *group, int64_t number)
{
    int64_t size = twill_group_size(group);
    twill_pattern on = twill_block_cyclic(N, N, NB, NB, 1, size), p;
    twill_array *a;
    double value = (double)(number + 1), sum;
    if (twill_group_pattern(group, &on, &p) || twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a))
        return failed("an array on a group");
    if (twill_fill(twill_view_all(a), &value) || twill_view_sum(twill_view_all(a), &sum))
        return failed("a sum");
    if (twill_group_mine(group) == 0)
        printf("group %d: %d of %d ranks, %d workers, on %d hosts: sum %g\n", (int)number,
               (int)size, twill_ranks(tw), (int)twill_group_units(group, TWILL_UNIT_WORKER),
               (int)twill_group_parts(group), sum);
    twill_array_free(a);
    return sum != value * N * N;
}

int main(void)
{
    twill *tw;
    twill_group *all;
    if (twill_start(&tw, NULL))
        return failed("twill_start");
    int wrong = 0;
    if (twill_group_all(tw, &all) || twill_group_split(all, twill_rank(tw) % 2, 0)) {
        wrong = failed("groups");
        twill_stop(tw);
        return wrong;
    }
    for (int64_t i = 0; i < twill_group_parts(all) && !wrong; i++) {
        twill_group *half = twill_group_part(all, i);
        wrong = twill_group_split_host(half) ? failed("hosts") : use(tw, half, i);
    }
    twill_group_free(all);
    twill_stop(tw);
    return wrong;
}
