/* The intermediate form of a JDF file: every name resolved, every dependency normalised.
 *
 * Lowering (lower.h) makes it from the syntax tree; printers, the verifier and the emitter read it.
 * It lives in the arena of its source and nothing changes it once it is made.
 *
 * How the language maps to it:
 *   - a dependency with `guard ? x : y` becomes two, the second guarded by the negation, both with
 *     the place and the `line` number of the one they come from;
 *   - a data flow without any `<-` gets an `implied` dependency from NEW;
 *   - the first `<-` of a data flow that applies is its input: the guard of a later one says that
 *     no earlier one does;
 *   - `expr == rowRANK`, either way round, becomes the row of the affinity;
 *   - a member of a global (`descA->mt`) never changes while the graph runs, so it is one constant
 *     of the file like the global itself, however often it is written. */
#ifndef IR_H
#define IR_H

#include "syntax/expr.h"

/* ---- The file ---------------------------------------------------------------------------- */

typedef enum ir_global_kind {
    IR_VALUE,      /* a C value */
    IR_COLLECTION, /* used as X(...): names tiles */
    IR_DATATYPE    /* the shape of data on a dependency */
} ir_global_kind;

typedef enum ir_origin {
    IR_ARGUMENT, /* of the constructor */
    IR_HIDDEN,   /* has its default, or zero */
    IR_DEFINED,  /* NAME = expr */
    IR_RUNTIME   /* rowRANK, colRANK, GRIDrows, GRIDcols, when the file does not declare them */
} ir_origin;

typedef struct ir_global {
    const char *name;
    place at; /* of the declaration, or of the first use */
    ir_global_kind kind;
    ir_origin origin;
    bool declared;
    bool integer;     /* its type is an integer type, so that expressions may compute with it */
    const char *type; /* C type as declared, or NULL: what `kind` implies (int64_t for values) */
    ir_expr *value;   /* of IR_DEFINED and, if there is a default, of others; uses globals only */
    int arity;        /* of a collection, 0 if it is never used as one */
} ir_global;

/* `descA->mt`, `desc.super.nt`: a member of global `global`. */
typedef struct ir_member {
    const char *text;
    place at; /* of the first use */
    int global;
    bool given; /* it has this value */
    int64_t value;
} ir_member;

typedef struct ir_option {
    const char *name, *value;
    place at;
} ir_option;

/* An inline_c expression and the names that its text may use: all globals, the first `visible`
 * locals of the class (-1: of no class), and the iterators. Its number is the expression's index.
 */
typedef struct ir_inline {
    const ir_expr *expr;
    int class, visible;
    const ir_iter *iters;
    int iter_count;
} ir_inline;

/* C text that is copied to the output; `at` is the place of its first byte. */
typedef struct ir_text {
    const char *text; /* NULL: none */
    place at;
} ir_text;

/* Property `name` of a class, a body or a global, beyond those that have a field. `flow` is the
 * part before the point in FLOW.size, or NULL. */
typedef struct ir_prop {
    const char *flow, *name;
    place at;
    ir_expr *value;
} ir_prop;

/* ---- Task classes ------------------------------------------------------------------------ */

typedef enum ir_local_kind {
    IR_RANGE,  /* a parameter: lo .. hi .. step, or a single value */
    IR_SET,    /* a parameter: the values of `range` for all values of `iters` */
    IR_DERIVED /* not a parameter: has the value of range.lo */
} ir_local_kind;

/* How many there may be: more are refused. */
enum { MOST_LOCALS = 64, MOST_ITERS = 16, MOST_ARGS = MOST_LOCALS, MOST_DIMENSIONS = 8 };

/* How much can be said about an expression without running it. */
typedef enum ir_shape {
    IR_AFFINE, /* sums of integer multiples of locals, iterators, integer globals and members;
                  comparisons and logic of such; ?: of such. << by a literal is a multiple. */
    IR_QUASI,  /* affine but for / % >> by a positive literal; mind that / and % truncate */
    IR_CURVED, /* computable, but not affine: k*n, 1 << k, ^ of numbers */
    IR_OPAQUE  /* only C can compute it: calls, inline C, strings, C names, pointers */
} ir_shape;

/* A parameter or a derived local. Definitions use globals and earlier locals. */
typedef struct ir_local {
    const char *name;
    place at;
    ir_local_kind kind;
    int param; /* position in NAME(p, q, ...), -1 for derived locals */
    ir_iter *iters;
    int iter_count;
    ir_range range;
    ir_shape shape; /* of the definition: the worst of all its expressions */
    bool idle;      /* derived, and neither space nor dependencies use it */
} ir_local;

typedef enum ir_mode { IR_READ, IR_WRITE, IR_RW, IR_CTL } ir_mode;

typedef enum ir_target {
    IR_TO_TASK,   /* flow `flow` of class `class` at `args` */
    IR_TO_MEMORY, /* tile `args` of the global `collection` */
    IR_FROM_NEW,  /* a fresh buffer */
    IR_FROM_NULL  /* no data */
} ir_target;

/* Which side of a dependency a datatype describes. */
typedef enum ir_side {
    IR_TYPE,        /* type: on the wire and between local tasks */
    IR_TYPE_REMOTE, /* type_remote, and classic [T]: on the wire only */
    IR_TYPE_DATA,   /* type_data: on the memory side */
    IR_SIDES
} ir_side;

/* Each NULL if not given: `count` times `layout`, or else `type`, from `displ` bytes on. */
typedef struct ir_datatype {
    ir_expr *type, *layout, *count, *displ;
} ir_datatype;

typedef struct ir_dep {
    bool out;     /* -> */
    bool implied; /* not in the text: the NEW of a flow without <- */
    bool drops;   /* targets that are no tasks are left out: --parsec */
    place at;     /* of the arrow */
    place target_at;
    int line; /* number of the arrow in its class, from 0; equal for both sides of a ternary */
    ir_iter *iters; /* names for the guard and the target */
    int iter_count;
    ir_expr *guard;   /* NULL: always applies */
    ir_expr *written; /* the guard in the text, which `guard` may narrow */
    ir_target target;
    int class, flow;
    int collection;
    ir_range *args; /* of a task in the order of its parameters; of memory always single values */
    int arg_count;
    ir_datatype types[IR_SIDES];
} ir_dep;

typedef struct ir_flow {
    const char *name;
    place at;
    ir_mode mode;
    ir_dep *deps; /* in the order of the text */
    int dep_count;
} ir_flow;

typedef enum ir_affinity_kind {
    IR_ON_TILE, /* the owner of tile `args` of the global `collection` */
    IR_ON_GRID  /* the rank at `row`, `column` of the grid; NULL means 0 */
} ir_affinity_kind;

typedef struct ir_affinity {
    ir_affinity_kind kind;
    place at;
    int collection;
    ir_expr **args;
    int arg_count;
    ir_expr *row, *column;
} ir_affinity;

typedef enum ir_device { IR_CPU, IR_TEAM, IR_CUDA, IR_OPENCL, IR_UNSUPPORTED } ir_device;

typedef struct ir_body {
    place at;
    ir_device device;
    ir_expr *evaluate; /* applies only if true; NULL: always */
    ir_prop *props;
    int prop_count;
    ir_text text;
} ir_body;

typedef struct ir_class {
    const char *name;
    place at;
    ir_local *locals; /* in the order of the loop nest: the order of their definitions */
    int local_count;
    int *params; /* params[i]: the local that is argument i of NAME(...) */
    int param_count;
    ir_affinity affinity;
    ir_flow *flows;
    int flow_count;
    bool high_priority;
    ir_expr *priority; /* NULL: none */
    ir_expr *critical; /* which tasks are; NULL: none */
    ir_expr *team;     /* how many workers a team of it wants; NULL: all that there are */
    ir_expr *simcost;  /* NULL: none */
    ir_prop *props;
    int prop_count;
    ir_body *bodies; /* none: the driver supplies it */
    int body_count;
} ir_class;

typedef struct ir_file {
    source *source;
    const char *name; /* of the graph */
    bool classic;     /* undeclared names became arguments */
    bool divides;     /* by something, or steps by it, that may be 0 */
    ir_text prologue, epilogue;
    ir_option *options;
    int option_count;
    ir_expr **assumptions; /* about globals and members, for --verify */
    int assumption_count;
    ir_global *globals; /* declared ones in the order of the text, then others by first use */
    int global_count;
    int *global_slots; /* 1 + index by the hash of the name, or 0: see lower_global.c */
    int slot_count;
    ir_member *members;
    int member_count;
    ir_inline *inlines;
    int inline_count;
    ir_class *classes;
    int class_count;
} ir_file;

/* ---- Questions --------------------------------------------------------------------------- */

/* The index of the global whose name these characters are, or -1. */
int ir_global_named(const ir_file *f, const char *name, size_t length);

/* The shape of an expression of class `c` (NULL: of no class); NULL is affine. A derived local has
 * the shape of its definition. A global that the file defines (NAME = expr) counts as a free
 * parameter. If the expression is not affine and `cause` is not NULL, *cause becomes the innermost
 * part that is the cause. */
ir_shape ir_shape_of(const ir_file *f, const ir_class *c, const ir_expr *e, const ir_expr **cause);

/* Affine, or quasi-affine: isl can express it. */
bool ir_is_affine(const ir_file *f, const ir_class *c, const ir_expr *e);

/* Is it a literal, or arithmetic of literals? Then *value is what it comes to. */
bool ir_literal(const ir_expr *e, int64_t *value);

/* Is its value always 0 or 1, because it compares or is logical? */
bool ir_is_truth(const ir_expr *e);

/* The comparison that holds where this one does not. */
ir_op ir_opposite(ir_op op);

/* May an earlier `<-` take the place of this one? Then its guard is not the one in the text, and
 * there are instances for which neither side of its ternary applies. */
bool ir_is_narrowed(const ir_dep *d);

/* Uses no local and no iterator: the same for all tasks of a graph. */
bool ir_is_constant(const ir_expr *e);

/* What of the data passes in one process: what is said about the memory side counts there, what is
 * said about the wire nowhere. All NULL: the whole tile. */
ir_datatype ir_region_of(const ir_dep *d);

/* What of the data passes between processes, where the file says so: all NULL if it does not, or in
 * a layout that only its own C knows. It counts where the data comes from, so not after `<-` of a
 * task. */
ir_datatype ir_wire_of(const ir_dep *d);
bool ir_is_whole(const ir_datatype *t);

/* Write the intermediate form for people: --print ir. */
void ir_print(FILE *out, const ir_file *f);

#endif
