/* Expressions of the language, as trees.
 *
 * The parser makes them with names as it finds them: IR_NAME leaves, and IR_MEMBER leaves whose
 * `index` is -1. Lowering resolves them in place; after it an IR_NAME is left only where C text is
 * allowed. */
#ifndef EXPR_H
#define EXPR_H

#include "source.h"

enum { EXPR_HEIGHT = 400 };

typedef enum ir_op {
    /* Leaves; `text` is the name as written. */
    IR_INT,    /* `value` */
    IR_GLOBAL, /* global `index` of the file */
    IR_MEMBER, /* member `index` of the file */
    IR_LOCAL,  /* local `index` of the class: a parameter or a derived local */
    IR_ITER,   /* iterator `index` of the dependency or definition that the expression is part of */
    IR_STRING, /* a string literal; `text` without its quotes */
    IR_TEXT,   /* C text that a property gives in quotes, without them */
    IR_NAME,   /* a name that only C knows; in properties only */
    IR_INLINE, /* C statements that return the value: inline_c %{ `text` %}; inline `index` of the
                  file */
    IR_CALL,   /* a C function `text` of the arguments */
    /* Operators; 64-bit arithmetic as in C. */
    IR_NEG,
    IR_NOT, /* logical */
    IR_ADD,
    IR_SUB,
    IR_MUL,
    IR_DIV, /* truncates towards zero */
    IR_MOD, /* has the sign of the dividend */
    IR_SHL,
    IR_SHR,
    IR_LT,
    IR_LE,
    IR_GT,
    IR_GE,
    IR_EQ,
    IR_NE,
    IR_AND, /* logical */
    IR_OR,  /* logical */
    IR_XOR, /* of the bits, which for two truth values is what one expects */
    IR_IF   /* args[0] ? args[1] : args[2] */
} ir_op;

typedef struct ir_expr {
    ir_op op;
    place at; /* of the operator, or of the leaf */
    int64_t value;
    int index;
    int count;  /* of args: 1, 2 or 3 for operators, any number for IR_CALL */
    int height; /* of the tree, at most EXPR_HEIGHT, so that walking it may recurse */
    const char *text;
    struct ir_expr **args;
} ir_expr;

/* One value (`hi` is NULL), or lo .. hi .. step, both ends included. A NULL `step` means 1. */
typedef struct ir_range {
    ir_expr *lo, *hi, *step;
} ir_range;

/* A name that runs over a range; the range may use iterators before it. */
typedef struct ir_iter {
    const char *name;
    place at;
    ir_range range;
} ir_iter;

/* A leaf. */
ir_expr *expr_leaf(arena *a, ir_op op, place at, const char *text);

/* An operator with `count` arguments, up to 3; NULL ones beyond. Returns NULL if the tree would be
 * higher than EXPR_HEIGHT. */
ir_expr *expr_node(arena *a, ir_op op, place at, ir_expr *x, ir_expr *y, ir_expr *z);

/* How to write expressions other than as JDF. */
typedef struct expr_style {
    FILE *out;
    bool careful; /* with blanks, and with parentheses where C compilers would warn */
    /* True: it wrote the leaf, or the quotient or remainder. */
    bool (*leaf)(const struct expr_style *style, const ir_expr *e);
    void *user;
} expr_style;

/* Write in a style; operators are put in parentheses if `enclosed`. NULL writes nothing. */
void expr_write(const expr_style *style, const ir_expr *e, bool enclosed);
void expr_write_call(const expr_style *style, const ir_expr *e);

/* Write the expression as JDF, with the fewest parentheses. NULL writes nothing. */
void ir_write(FILE *out, const ir_expr *e);
void ir_write_range(FILE *out, const ir_range *r);

/* "(a, b .. c)"; and "  label expression" as a line of its own, nothing for NULL. */
void ir_write_args(FILE *out, const ir_range *args, int count);
void ir_write_labelled(FILE *out, const char *label, const ir_expr *e);
void ir_write_iters(FILE *out, const ir_iter *iters, int count);

/* The same as a string of the arena. */
const char *ir_text_of(arena *a, const ir_expr *e);

#endif
