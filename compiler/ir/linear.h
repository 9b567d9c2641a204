/* Linear forms over the parameters of a class and the constants of a graph, and systems of linear
 * inequalities: what is needed to turn guards into the bounds of loops. */
#ifndef LINEAR_H
#define LINEAR_H

#include "ir/ir.h"

enum { LINEAR_SYMBOLS = 24, LINEAR_COLUMNS = MOST_LOCALS + LINEAR_SYMBOLS };

/* constant + sum of coefficients. Columns below MOST_LOCALS are locals (parameters only), the rest
 * symbols. */
typedef struct linear {
    int64_t constant;
    int64_t column[LINEAR_COLUMNS];
} linear;

/* The symbols in use: globals and members. */
typedef struct linear_context {
    const ir_file *file;
    const ir_class *class;
    const ir_expr *symbols[LINEAR_SYMBOLS];
    int symbol_count;
    linear *derived[MOST_LOCALS]; /* forms of derived locals, NULL where there is none */
} linear_context;

/* Start with a class and the forms of its derived locals. */
void linear_start(linear_context *x, const ir_file *f, const ir_class *c);

/* The linear form of an expression, derived locals replaced by their definitions. False: it has
 * none. */
bool linear_of(linear_context *x, const ir_expr *e, linear *out);

/* *out = a*x + b*y. False: it does not fit. */
bool linear_sum(int64_t a, const linear *x, int64_t b, const linear *y, linear *out);

/* Each form is >= 0. */
typedef struct linear_system {
    linear *rows;
    int count;
} linear_system;

/* Add a row, divided by what all its coefficients share; of two that differ in the constant alone
 * the stronger stays. False: the row says that there is no solution. */
bool linear_add(arena *a, linear_system *s, const linear *row);

/* Add what follows for the others when local `local` takes any value. False: no solution. */
bool linear_eliminate(arena *a, linear_system *s, int local);

/* The last local in the order of the nest that has a coefficient, -1 if none has. */
int linear_last(const linear *row);

#endif
