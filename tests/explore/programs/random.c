/* A small random program of the suite (tests/support/program.h): lanes, nested graphs, teams,
 * explicit graphs, host access, asynchronous tasks. It has the result of its sequential execution.
 */
#include "_common.h"

#include "support/program.h"

enum { PROGRAMS = 1000000, MOST_STEPS = 10 };

/* Make one of few steps: the first of those that follow a number of the seed. */
static program *make_small(void)
{
    for (uint64_t seed = draw(PROGRAMS);; seed++) {
        program *p = prog_make(seed);
        int steps = 0;
        for (int i = 0; i < p->nlanes; i++)
            steps += p->lane[i].nsteps;
        if (steps <= MOST_STEPS * (p->nlanes > 1 ? 2 : 1))
            return p;
        prog_free(p);
    }
}

int main(void)
{
    static const int64_t windows[] = {0, 1, 5, 64};
    program *p = make_small();
    twill *tw =
        start_with((twill_options){.window = windows[draw(4)], .patience_us = draw(2) ? 2 : 0});
    foreign *f = foreign_start(1, draw(1000), prog_perform_foreign);
    const char *why = prog_run(p, tw, f);
    if (why)
        wrong(why);
    foreign_stop(f);
    twill_stop(tw);
    prog_free(p);
    return 0;
}
