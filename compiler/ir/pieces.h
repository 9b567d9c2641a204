/* The instances of a class, or those that need no other task, as disjoint pieces of its space. */
#ifndef PIECES_H
#define PIECES_H

#include "ir/linear.h"

/* A condition that is not linear: `expr`, or its opposite. A NULL expr stands for "has no input
 * from a task at all", which the class's own count of inputs answers. */
typedef struct filter {
    const ir_expr *expr;
    bool negated;
} filter;

/* Instances that satisfy all rows and all filters. After pieces_of the rows include the ranges of
 * the parameters and what follows for the outer ones. */
typedef struct piece {
    linear_system rows;
    filter *filters;
    int filter_count;
} piece;

typedef struct pieces {
    linear_context context;
    piece *list;
    int count;
} pieces;

void pieces_of(pieces *p, const ir_file *f, const ir_class *c);

/* All instances of the class, as one piece, or as none if it has no instance. */
void pieces_of_all(pieces *p, const ir_file *f, const ir_class *c);

/* May both conditions hold for one instance? True as well where that cannot be told. */
bool pieces_meet(const ir_file *f, const ir_class *c, const ir_expr *a, const ir_expr *b);

/* Does the range have linear bounds and a literal step? */
bool is_linear_range(linear_context *x, const ir_range *r, int64_t *step);

#endif
