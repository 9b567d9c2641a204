/* One process per run, and many of them. */
#ifndef EX_SEARCH_H
#define EX_SEARCH_H

#include "run.h"

typedef struct ex_search {
    uint64_t first, seeds; /* which */
    double seconds;        /* at most */
    int bound;             /* of the exhaustive search */
    bool all;              /* go on after a failure */
    int argc;              /* of the program */
    char **argv;
} ex_search;

/* Run one seed; its end as one of ex_end, or 128 + signal. */
int ex_run_one(const ex_search *s, uint64_t seed, bool verbose, ex_result *result);

/* Seed after seed; how many failed. */
uint64_t ex_search_seeds(const ex_search *s);
/* All schedules with at most 0, 1, ... s->bound deviations. */
uint64_t ex_search_bounded(const ex_search *s);
/* The deviations of a replay, "number:choice,...". */
bool ex_set_choices(const char *text);

/* One line about a run that failed. */
void ex_print_failure(const ex_result *r, int end, uint64_t seed, const char *choices);
double ex_seconds(void);

#endif
