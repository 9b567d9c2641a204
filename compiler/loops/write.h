/* A program and its dependences as a JDF file. */
#ifndef LOOPS_WRITE_H
#define LOOPS_WRITE_H

#include "loops/box.h"
#include "loops/depend.h"
#include "loops/loops.h"

typedef struct writer {
    program *program;
    dependences *deps;
    arena *memory;
    const loops_options *options;
    const char *name; /* of the graph */
    FILE *out;
    bool typed;          /* loop variables have their types where they are written */
    int stmt;            /* the class that is being written */
    isl_set *context;    /* its instances, as parameters */
    const char ***flows; /* of each access of each statement */
} writer;

/* split.c: statements whose instances are no box become several. False after a diagnostic. */
bool split_statements(program *p);

/* write.c */
const char *write_jdf(program *p, dependences *d, const loops_options *o, const char *name);

/* lines.c: the dependencies of a data flow, of the control flow, and where a task runs. */
void write_flow(writer *w, int access);
void write_control(writer *w);
void write_place(writer *w);
bool has_control(const writer *w, int stmt);

/* body.c */
void write_prologue(writer *w);
void write_globals(writer *w);
void write_body(writer *w);
void write_epilogue(writer *w);
/* Arguments of the constructor in their order, where kernels get their tiles: either is NULL. */
void each_global(const program *p, void (*see)(void *, const param *, const collection *),
                 void *user);

/* The same where tiles stay in the program's memory: inside.c, wrap.c. */
void write_program(writer *w);
void write_arguments(writer *w);
void write_task(writer *w);
void write_wrapper(writer *w);
/* Parts of it. */
void write_context(writer *w, const char *options);
const char *pointer_text(const writer *w, const collection *c);
const char *index_names_text(const writer *w, const collection *c);
void write_constants(writer *w);
void write_call(writer *w, const char *function);
isl_set *tiles_of(const program *p, int collection, access_mode mode);
void write_loops(writer *w, const collection *c, isl_set *tiles, const char *call);
void write_divisions(writer *w, bool define);

/* A body that works on tiles wherever they are: moved.c. */
void write_relocated(writer *w);

/* The function that all ranks call: spread.c. */
void write_spread(writer *w);

/* size.c: how large tiles are. False after a diagnostic. */
bool sizes_find(program *p, const loops_options *o);

/* Names as a body has them: those of the class's parameters, and of the globals. */
bool write_name(void *user, FILE *out, const c_expr *e);

extern const char control_flow[];

#endif
