/* From the syntax tree to the intermediate form: names are resolved and the rules of the language
 * checked on the way. */
#ifndef LOWER_H
#define LOWER_H

#include "ir/ir.h"
#include "names.h"
#include "syntax/ast.h"

/* Lower the tree, which is changed by it: expressions are resolved in place. `name` is the graph's.
 * `drops`: what is sent to tasks that do not exist is left out. The result is whole only if
 * source->errors stays 0. */
ir_file *lower(ast_file *ast, const char *name, bool drops);

/* ---- What the files of lowering share ---------------------------------------------------- */

typedef struct lowering {
    source *source;
    arena *memory;
    ast_file *ast;
    ir_file *ir;
    bool drops;
    /* The names that expressions may use now. */
    const ast_class *class;
    int visible; /* how many of its locals are defined by now */
    const ir_iter *iters;
    int iter_count;
} lowering;

/* What a name that nobody declared may be. */
typedef enum lenience {
    STRICT,       /* in a classic file an argument, else an error */
    SWITCH,       /* as STRICT, but on, off and the like are numbers, and quoted text is C */
    C_NAME,       /* a name that C knows; on, off and the like are numbers */
    DATATYPE_NAME /* a datatype that becomes an argument */
} lenience;

/* resolve.c */
void resolve(lowering *l, ir_expr *e, lenience how);
void resolve_range(lowering *l, ir_range *r);
/* Resolve the iterators, but for the first `known` of them, and let expressions use them all until
 * resolve_iters(l, NULL, 0, 0). */
void resolve_iters(lowering *l, ir_iter *iters, int known, int count);
/* The global of this name used as a collection with `arity` arguments; -1 after an error. */
int resolve_collection(lowering *l, const char *name, place at, int arity);
/* Say that a name cannot be used for a value, if so. */
void check_name(lowering *l, const char *name, place at);

/* lower_global.c */
bool is_classic(const ast_file *ast);
void lower_globals(lowering *l);
int find_global(const ir_file *ir, const char *name);
int add_global(lowering *l, ir_global global);

/* lower_assume.c: what is assumed about the globals. Needs all classes. */
void lower_assumptions(lowering *l);

/* lower_props.c */
/* Say what is wrong with properties: unknown, unsupported, twice, without a name. */
void check_props(lowering *l, const ast_props *props, names_of what);
ast_prop *find_prop(const ast_props *props, const char *name);
bool prop_is_on(lowering *l, const ast_prop *prop);
/* A number or a switch; NULL if the property is not there. */
ir_expr *prop_number(lowering *l, const ast_prop *prop);
void keep_prop(lowering *l, ast_prop *prop, ir_prop **list, int *count);

/* lower_affinity.c */
void lower_affinity(lowering *l, const ast_class *from, ir_class *c);

/* lower_flow.c */
void lower_flow(lowering *l, const ast_flow *from, ir_class *c, int *lines);

/* lower_body.c */
void lower_body(lowering *l, const ast_body *from, ir_class *c);

/* lower_first.c: of the inputs of a data flow the first that applies counts. Needs all classes. */
void narrow_inputs(ir_file *ir);

/* match.c: do both ends of the dependencies fit? Needs all classes. */
void check_matches(ir_file *ir);

/* lower_idle.c */
void mark_idle(ir_class *c);

#endif
