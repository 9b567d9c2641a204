/* Computing with the intermediate form: the values of expressions, the instances of a class, the
 * other ends of a dependency, for given values of the globals. */
#ifndef EVAL_H
#define EVAL_H

#include "ir/ir.h"

typedef struct eval {
    const ir_file *file;
    arena *memory;
    int64_t *globals, *members;    /* values ... */
    bool *has_global, *has_member; /* ... where they are known */
    const int64_t *locals;         /* of the instance at hand */
    const int64_t *iters;          /* of the dependency or definition at hand */
    int64_t steps;                 /* how many more values may be computed before it is too much */
    bool nonsense;                 /* after a failure: a divisor or a step was 0 */
    const ir_expr *culprit;        /* after a failure: where ... */
    const char *why;               /* ... and a sentence */
} eval;

/* Start with no global known but the grid of one rank and what the file defines from nothing. */
void eval_start(eval *v, const ir_file *f, arena *memory, int64_t steps);

/* Set a global or a member by name. False: there is none of this name. */
bool eval_set(eval *v, const char *name, int64_t value);

/* Compute the globals that the file defines, and defaults, from those that are known. Unknown ones
 * stay unknown: using them fails. */
void eval_settle(eval *v);

/* The value of an expression. False: `culprit` and `why` say why there is none. */
bool eval_expr(eval *v, const ir_expr *e, int64_t *value);

/* Visit every instance of a class, in the order of its loop nest, with the values of all locals.
 * Stops and returns false when `visit` does, or when something has no value (`why` is set). */
typedef bool eval_visit(void *user, const int64_t *values);
bool eval_instances(eval *v, const ir_class *c, eval_visit *visit, void *user);

/* Compute all locals of the instance with these parameters. *inside: does it exist? */
bool eval_locals(eval *v, const ir_class *c, const int64_t *params, int64_t *locals, bool *inside);

/* Visit the arguments of every target of a dependency that applies to the instance whose locals are
 * in v->locals: once for NEW and NULL. */
bool eval_targets(eval *v, const ir_dep *d, eval_visit *visit, void *user);

#endif
