/* The isl form of a file: the task spaces as sets, the dependencies as relations.
 *
 * Where isl cannot express something (k*n, 1 << k, a call of a C function) the set is the smallest
 * that certainly holds all of it, and `exact` is false: such a set may prove that something never
 * happens, and never that it does. Every isl value may be NULL when isl ran out of its budget;
 * isl's functions pass NULL on, and a NULL answer proves nothing. */
#ifndef VERIFY_POLY_H
#define VERIFY_POLY_H

#include "verify/world.h"

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>

/* A parameter of all sets: something that is constant in a graph. */
typedef enum poly_param_kind {
    PARAM_GLOBAL,
    PARAM_MEMBER,
    PARAM_CONSTANT /* an expression of globals that is not affine: its value may be anything */
} poly_param_kind;

typedef struct poly_param {
    poly_param_kind kind;
    int index; /* of the global or member */
    const char *name;
    bool has_least;
    int64_t least; /* no smaller values: unsigned types, sizes of the process grid */
} poly_param;

typedef struct poly_class {
    isl_set *full;     /* values of locals, then of the iterators of parameter sets */
    isl_set *space;    /* values of the parameters: the instances */
    isl_map *identity; /* full -> space */
    int dims;          /* of full */
    bool exact;
} poly_class;

typedef struct poly_dep {
    const ir_dep *dep;
    int class, flow; /* that it is part of */
    isl_map *map;    /* instance -> instance, even outside its space; or instance -> tile */
    bool exact;
    isl_map *wide;    /* locals, iterators -> target */
    isl_map *dropped; /* instance -> task that does not exist, where such are left out; or NULL */
    bool one_target;  /* no iterators and no ranges: at most one target per instance */
} poly_dep;

typedef struct poly {
    const ir_file *file;
    arena *memory;
    isl_ctx *ctx;
    poly_param *params;
    int param_count;
    isl_space *space; /* the parameters alone */
    isl_set *context; /* what is known about them */
    poly_class *classes;
    poly_dep *deps; /* of the whole file, in the order of the text */
    int dep_count;
    const ir_expr *cause; /* the first expression that isl cannot express, or NULL */
    int64_t deadline;     /* of poly_clock */
} poly;

/* Build the form; poly_free gives it back. isl may work on it for so many seconds. */
void poly_make(poly *p, const ir_file *f, arena *memory, isl_ctx *ctx, double seconds);
void poly_free(poly *p);

/* The instances of a class to which a dependency of it would apply with that guard. */
isl_set *poly_instances(poly *p, int class, const ir_dep *d, ir_expr *guard);

/* Find the parameters of the file (poly_make does it first). */
void poly_find_params(poly *p);

/* The parameter that stands for the constant expression `e`, or -1. */
int poly_param_of(const poly *p, const ir_expr *e);

/* The global has a value that isl can express, which stands for it. */
bool poly_is_given(const poly *p, const ir_global *g);

/* ---- Expressions (verify_expr.c) --------------------------------------------------------- */

/* Where an expression stands: the dimensions of `space` are the locals, then iterators. */
typedef struct poly_scope {
    poly *poly;
    isl_space *space;
    int iter_base;   /* dimension of iterator 0 */
    isl_set *domain; /* all that the expression is for, or more; NULL: nothing is known */
} poly_scope;

/* The value, or NULL if isl cannot express it. */
isl_pw_aff *poly_value(poly_scope *s, const ir_expr *e);

/* The set where the value is not zero. If it cannot be expressed: everywhere, and *exact becomes
 * false. A NULL expression is true. */
isl_set *poly_truth(poly_scope *s, const ir_expr *e, bool *exact);

/* The value `a` op `by`; NULL if it has none. Takes `a`. */
isl_pw_aff *poly_operate(poly_scope *s, ir_op op, isl_pw_aff *a, int64_t by);

/* The value `a` op `b` where `b` has few values (cases.c); NULL if it may have many. */
isl_pw_aff *poly_by_cases(poly_scope *s, ir_op op, isl_pw_aff *a, isl_pw_aff *b);

/* A dimension or a parameter as a value. */
isl_pw_aff *poly_variable(poly_scope *s, enum isl_dim_type type, int dim);

/* Is it a literal, or does it amount to one? */
bool poly_constant(isl_pw_aff *value, int64_t *result);

/* The expression cannot be expressed: remember it. Returns NULL. */
isl_pw_aff *poly_fail(poly_scope *s, const ir_expr *e);

/* ---- Ranges (verify_range.c) ------------------------------------------------------------- */

/* Restrict `set` to where dimension `dim` is one of the values of the range. */
isl_set *poly_in_range(poly_scope *s, isl_set *set, int dim, const ir_range *r, bool *exact);

/* Restrict `set` to where the dimensions from s->iter_base on are values of the iterators. */
isl_set *poly_in_iters(poly_scope *s, isl_set *set, const ir_iter *iters, int count, bool *exact);

/* ---- Questions (verify_point.c) ---------------------------------------------------------- */

/* Every question put to isl gets a fresh budget; what is asked after the deadline gets next to
 * none, so that the answer is that nothing is proved. */
void poly_fresh_budget(poly *p);
bool poly_is_late(const poly *p);
/* Nanoseconds that this process has computed: answers must not depend on what else runs. */
int64_t poly_clock(void);

/* Called with a world for the parameters of a point and with its coordinates; true: this is it.
 * The memory of the world goes with it. */
typedef bool poly_confirm(void *context, world *w, const int64_t *point);

typedef enum poly_answer {
    NO_POINT,  /* the set is empty: proved */
    CONFIRMED, /* there is a point, and it was confirmed */
    UNSURE     /* neither */
} poly_answer;

/* Is the set, of plain or wrapped tuples, empty? Points of it are tried, small values of the
 * globals first. Takes the set. */
poly_answer poly_ask(poly *p, isl_set *set, poly_confirm *confirm, void *context);

#endif
