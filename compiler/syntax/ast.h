/* The syntax tree: a JDF file as it is written, in either dialect. */
#ifndef AST_H
#define AST_H

#include "syntax/expr.h"

/* NAME = value, or FLOW.NAME = value. Classic [TYPE] has no name. */
typedef struct ast_prop {
    const char *flow, *name;
    place at;
    ir_expr *value;
} ast_prop;

typedef struct ast_props {
    ast_prop *list;
    int count;
} ast_props;

typedef enum ast_target_kind { AST_TASK, AST_MEMORY, AST_NEW, AST_NULL } ast_target_kind;

typedef struct ast_target {
    ast_target_kind kind;
    place at;
    const char *flow; /* of a task */
    const char *name; /* task or collection */
    place name_at;
    ir_range *args;
    int arg_count;
    ir_iter *iters; /* before this target, behind the condition */
    int iter_count;
} ast_target;

typedef struct ast_dep {
    bool out;
    place at;
    ir_iter *iters;
    int iter_count;
    ir_expr *guard; /* NULL: none */
    ast_target target;
    bool has_other; /* guard ? target : other */
    ast_target other;
    ast_props props;
} ast_dep;

typedef enum ast_mode { AST_NO_MODE, AST_READ, AST_WRITE, AST_RW, AST_CTL } ast_mode;

typedef struct ast_flow {
    ast_mode mode;
    const char *name;
    place at;
    ast_dep *deps;
    int dep_count;
} ast_flow;

typedef struct ast_local {
    const char *name;
    place at;
    ir_iter *iters;
    int iter_count;
    ir_range range;
    ast_props props;
} ast_local;

/* : NAME(args), or classic : predicate. */
typedef struct ast_affinity {
    place at;
    const char *name; /* NULL: a predicate */
    place name_at;
    ir_range *args;
    int arg_count;
    ir_expr *predicate;
} ast_affinity;

typedef struct ast_body {
    place at;
    ast_props props;
    const char *text;
    place text_at;
} ast_body;

typedef struct ast_param {
    const char *name;
    place at;
} ast_param;

typedef struct ast_class {
    const char *name;
    place at;
    ast_param *params;
    int param_count;
    ast_props props;
    bool high_priority; /* the classic mark */
    ast_local *locals;
    int local_count;
    ir_expr *simcost;
    ast_affinity *affinities;
    int affinity_count;
    ast_flow *flows;
    int flow_count;
    ir_expr *priority;
    ast_body *bodies;
    int body_count;
} ast_class;

typedef struct ast_global {
    const char *name;
    place at;
    ir_expr *value; /* NULL: none */
    ast_props props;
} ast_global;

typedef struct ast_option {
    const char *name, *value;
    place at;
} ast_option;

/* What --verify may take for granted; it stands in the file or on the command line. */
typedef struct ast_assumption {
    source *source;
    ir_expr *value;
} ast_assumption;

typedef struct ast_file {
    source *source;
    bool damaged; /* words could not be told apart: what is missing says nothing */
    const char *prologue, *epilogue; /* NULL: none */
    place prologue_at, epilogue_at;
    ast_option *options;
    int option_count;
    ast_assumption *assumptions;
    int assumption_count;
    ast_global *globals;
    int global_count;
    ast_class *classes;
    int class_count;
} ast_file;

/* Parse the text. The tree is whole as far as the text made sense; source->errors says whether all
 * of it did. */
ast_file *parse(source *s);

/* Parse a text that is an assumption about the globals of the file. */
void parse_assumption(ast_file *f, source *s);

/* Write the tree as JDF in the modern order, one construct per line. */
void ast_print(FILE *out, const ast_file *f);

#endif
