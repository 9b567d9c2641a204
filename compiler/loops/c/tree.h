/* The C that loops are read from: one function as clang prints it, with all macros expanded and all
 * types checked, as a tree. */
#ifndef LOOPS_TREE_H
#define LOOPS_TREE_H

#include "source.h"

typedef enum c_op {
    C_INT,     /* `value` */
    C_NAME,    /* `text`; `local` once it is resolved */
    C_LEAF,    /* any other constant, as `text` */
    C_CALL,    /* args[0] is what is called */
    C_INDEX,   /* args[0][args[1]] */
    C_SECTION, /* args[0][args[1] : args[2]], of OpenMP; NULL where one is left out */
    C_MEMBER,  /* args[0] . `text`, or -> where `arrow` */
    C_CAST,    /* (`text`) args[0] */
    C_UNARY,   /* `text` args[0] */
    C_POSTFIX, /* args[0] `text` */
    C_BINARY,  /* args[0] `text` args[1], assignments and commas too */
    C_COND,    /* args[0] ? args[1] : args[2] */
    C_OPAQUE   /* what no affine expression has: `text` as printed */
} c_op;

typedef struct c_expr {
    c_op op;
    bool arrow;
    const char *text;
    int64_t value;
    bool is_unsigned; /* of a number: its type is */
    struct c_expr **args;
    int count;
    int height;
    struct local *local; /* of a name: what it means here; NULL: a name of the file */
} c_expr;

typedef enum c_kind {
    C_BLOCK,
    C_FOR,
    C_IF,
    C_WHILE,
    C_DECLARE,
    C_DO_EXPR,
    C_RETURN,
    C_CONTINUE,
    C_TASK,    /* #pragma omp task */
    C_WAIT,    /* a directive that orders tasks and nothing else: taskwait, barrier */
    C_AROUND,  /* a directive around its body: parallel, single, master, taskgroup */
    C_REFUSED, /* `text` says what it is */
    C_NOTHING
} c_kind;

typedef struct c_clause {
    const char *mode; /* in, out, inout, priority, or what else there is */
    c_expr *expr;     /* NULL: not understood */
} c_clause;

/* What can be said about the type of a variable. */
typedef enum c_class {
    TYPE_INT,      /* signed, 32 or 64 bits */
    TYPE_UNSIGNED, /* 32 or 64 bits */
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_FLOAT, /* another number */
    TYPE_VALUE, /* a struct */
    TYPE_OTHER  /* nothing that a kernel could be given */
} c_class;

typedef struct c_type {
    c_class class;
    bool fixed;   /* const; of a pointer or an array, what it points to */
    bool itself;  /* const itself, whatever it points to */
    bool narrow;  /* an integer of fewer bits than int, or _Bool */
    int64_t size; /* bytes of what a pointer points to or an array is made of, if known; else 0 */
    const char *text; /* as C writes it */
} c_type;

typedef struct c_declared {
    const char *name;
    const char *text; /* TYPE NAME as written */
    place at;
    c_type type;
    c_expr *value; /* NULL: none */
    bool opaque;   /* its value is a list in braces */
} c_declared;

typedef struct c_stmt {
    c_kind kind;
    place at;
    const char *text;    /* as printed, for bodies that are taken as they are */
    struct c_stmt *init; /* of for */
    c_expr *cond, *step; /* of for, if, while; `cond` is the value of return and of an expression */
    struct c_stmt **parts; /* of a block; the body, and else, of others */
    int part_count;
    c_declared *declared;
    int declared_count;
    c_clause *clauses;
    int clause_count;
} c_stmt;

/* Where the constructs of a kind are in the source, in the order of the text. */
typedef enum c_where {
    AT_FOR,
    AT_IF,
    AT_WHILE,
    AT_DECLARE,
    AT_CALL,
    AT_OMP,
    AT_OTHER,
    C_WHERES
} c_where;

typedef struct c_places {
    place *list[C_WHERES];
    int count[C_WHERES];
    const char **names; /* of what is declared */
    place whole;        /* of the function */
} c_places;

typedef struct c_names {
    const char **list; /* of typedefs, so that casts can be told from products */
    c_type *types;     /* what they stand for */
    int count;
} c_names;

/* Parse a printed function. NULL after a diagnostic: it has something that cannot be read. */
c_stmt *c_parse(source *s, const char *text, const c_places *places, const c_names *types);

/* An expression as C text. `write` may write any part of it in another way; then it returns true.
 */
typedef bool c_write_name(void *user, FILE *out, const c_expr *e);
void c_write(FILE *out, const c_expr *e, c_write_name *write, void *user);
const char *c_text_of(arena *a, const c_expr *e);

/* Are they the same, name by name? */
bool c_same(const c_expr *a, const c_expr *b);

/* What a cast to this type makes: its class, and whether it is narrow. */
c_type c_type_of(const c_names *types, const char *text);

/* Without casts to pointers; those to pointers to arrays count, as indices mean something else. */
const c_expr *c_bare(const c_expr *e);

#endif
