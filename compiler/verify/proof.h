/* The four properties, asked of isl. Each works through the file, and what it finds goes into a
 * verdict: proved unless something weakens it. */
#ifndef VERIFY_PROOF_H
#define VERIFY_PROOF_H

#include "verify/facts.h"
#include "verify/poly.h"

typedef enum state {
    PROVED,
    OPEN, /* neither proved nor refuted */
    REFUTED
} state;

typedef struct verdict {
    arena *memory;
    state state;
    finding *findings;
    int finding_count;
    const char *why; /* it is open */
    finding *warnings;
    int warning_count;
} verdict;

/* Several instances of one mistake are one finding. */
void verdict_refute(verdict *v, const finding *f);

/* Something that is allowed and looks like a mistake, or is worth a note. */
void verdict_warn(verdict *v, const finding *f);

/* More findings would help nobody. */
bool verdict_is_full(const verdict *v);
void verdict_open(verdict *v, const char *why);

/* Take note of an answer; `f` is what was found if it was confirmed. */
void verdict_answer(verdict *v, poly *p, poly_answer answer, const finding *f);

/* Every arrow between tasks has an arrow back. */
void prove_matches(poly *p, verdict *v);

/* At most one <- of a data flow is its input. Guards that overlap, and lines that never apply, are
 * warnings. */
void prove_sources(poly *p, verdict *v);

/* No task waits for itself. */
void prove_no_cycle(poly *p, verdict *v);

/* No two unordered tasks touch a tile that one of them writes. */
void prove_no_race(poly *p, verdict *v);

/* What was found in a world outlives it in the memory of the verdicts. Returns `is`. */
bool keep_finding(poly *p, finding *f, bool is);

/* Tasks as coordinates of points. */
task task_at(const ir_file *f, int class, const int64_t *point);

/* Who waits for whom: sender -> receiver, both instances, as the <- of the receiver says. NULL if
 * the dependency is no <- from a task. */
isl_map *waiting(const poly *p, const poly_dep *d);

#endif
