/* The C that a graph becomes. */
#ifndef EMIT_H
#define EMIT_H

#include "ir/ir.h"

/* Write BASE.c and BASE.h. False: *why says which file could not be written and why; or
 * source->errors says that the graph cannot become C. */
bool emit(const ir_file *f, const char *base, bool lines, const char **why);

/* The same into two streams; for callers that have no files. */
void emit_to(const ir_file *f, const char *base, bool lines, FILE *c, FILE *h);

/* ---- What the files of the emitter share ------------------------------------------------- */

/* Small functions that generated code may need; only those in use are written. */
typedef enum helper {
    HELPER_MIN,
    HELPER_MAX,
    HELPER_FLOOR,
    HELPER_CEIL,
    HELPER_COUNT,
    HELPER_IN,
    HELPER_DIVIDE,
    HELPER_DIVIDE_NEW, /* in the constructor */
    HELPER_STEP,
    HELPERS
} helper;

typedef struct emitter {
    const ir_file *file;
    arena *memory;
    const char *base; /* of the output's path, without folders */
    bool lines;       /* write #line */
    bool helpers[HELPERS];
    FILE *out; /* what is finished */
    /* The function that is being written: its text, and the names that the text uses. */
    const ir_class *class;
    FILE *text;
    char *buffer;
    size_t size;
    bool *globals;
    bool locals[MOST_LOCALS];
    bool raw;             /* uses g_ itself */
    bool constructor;     /* not a function of a class: there is no graph yet */
    const char *iter_end; /* what is appended to the names of iterators */
} emitter;

/* emit_expr.c: expressions into the text of the function; they mark what they use. */
void emit_expr(emitter *e, const ir_expr *x, bool enclosed);
void emit_text(emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mark_words(emitter *e, const char *text);
const char *global_type(const ir_global *g);
/* TYPE NAME, with the blank where C wants it. */
const char *typed(emitter *e, const char *type, const char *name);
/* A C string of this text. */
const char *quoted_text(emitter *e, const char *text);
/* Does it divide by something that may be 0? */
bool may_fail(const ir_expr *x);
/* The step of a range, 1 if it has none; one that turns out to be 0 fails the graph. */
const char *step_text(emitter *e, const ir_range *r);
/* The text of an expression; its names are marked. */
const char *expr_text(emitter *e, const ir_expr *x, bool enclosed);

/* emit_function.c: a function of class `c` (NULL: of none) begins; what it uses is declared before
 * the text when it ends. */
void function_begin(emitter *e, const ir_class *c);
void function_end(emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, with definitions of locals that the caller wrote, NULL where there is none. */
void function_end_with(emitter *e, const char **lines, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Between these, text goes to a string instead. */
typedef struct capture {
    FILE *before;
    char *buffer;
    size_t size;
} capture;
void capture_begin(emitter *e, capture *c);
const char *capture_end(emitter *e, capture *c);
/* Definitions of all names for C text that may use any of them. */
void declare_all(emitter *e, const ir_class *c, bool flows);
/* #line of the JDF file, and back. */
void line_of(emitter *e, FILE *out, place at);
void line_back(emitter *e, FILE *out);

enum { MOST_INDICES = 6 }; /* of a tile: TWILL_DIMS */

/* deps.c: the array of a collection; a tile with more indices than arrays have is refused. */
void emit_array(emitter *e, int collection);
void check_dimensions(emitter *e, place at, int indices);

/* emit_loops.c */
/* How many iterators, counted from the first, an expression needs. */
int iters_used(const ir_file *f, const ir_expr *e);

/* Loops for some iterators of a dependency; the depth inside. */
int emit_iters(emitter *e, int depth, const ir_dep *d, int from, int to);

/* for (...) over a range, without a body; a single value becomes a declaration. */
void emit_for(emitter *e, int depth, const char *name, const ir_range *r);
void emit_indent(emitter *e, int depth);

/* The functions that a class may have. */
enum {
    EMIT_INPUTS,
    EMIT_STARTUP,
    EMIT_BIND,
    EMIT_RELEASE,
    EMIT_SOURCES,
    EMIT_CPU,
    EMIT_TEAM,
    EMIT_PRIORITY,
    EMIT_FLOPS,
    EMIT_RANK,
    EMIT_INSTANCES,
    EMIT_WORKER,
    EMIT_CRITICAL,
    EMIT_TEAM_SIZE,
    EMIT_FUNCTIONS
};

/* emit_deps.c, emit_space.c, emit_startup.c, emit_body.c, place.c: the functions of a class. Each
 * returns whether the class has it. */
void emit_inputs(emitter *e, const ir_class *c);
bool emit_bind(emitter *e, const ir_class *c);
bool emit_release(emitter *e, const ir_class *c);
bool emit_sources(emitter *e, const ir_class *c);
bool emit_startup(emitter *e, const ir_class *c);
bool emit_instances(emitter *e, const ir_class *c);
bool emit_priority(emitter *e, const ir_class *c);
bool emit_critical(emitter *e, const ir_class *c);
bool emit_team_size(emitter *e, const ir_class *c);
bool emit_flops(emitter *e, const ir_class *c);
bool emit_rank(emitter *e, const ir_class *c);
bool emit_worker(emitter *e, const ir_class *c);
bool emit_cpu(emitter *e, const ir_class *c);
bool emit_team(emitter *e, const ir_class *c);
void emit_inlines(emitter *e);

/* emit_table.c */
void emit_class_table(emitter *e, const ir_class *c, const bool *has);
void emit_graph_table(emitter *e);
void emit_constructor(emitter *e);
void emit_prototype(emitter *e, FILE *out, const char *end);
void emit_struct(emitter *e, FILE *out);
bool needs_grid(const ir_file *f);
bool lacks_bodies(const ir_file *f);

/* Inputs from tasks that every instance of the class has. */
int always_inputs(const ir_class *c);
/* Has no instance more than one? */
bool single_input(const ir_class *c);

#endif
