/* A function of loops over tiles, as the analysis sees it: statements with their instances, the
 * order in which these run, and the tiles that they read and write. It can be printed. */
#ifndef LOOPS_PROGRAM_H
#define LOOPS_PROGRAM_H

#include "loops/c/read.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

enum { MOST_LOOPS = 10, MOST_ACCESSES = 16, MOST_DIMS = 6, MOST_OPERATIONS = 10 * 1000 * 1000 };

typedef enum local_kind {
    LOCAL_LOOP,  /* the variable of a loop */
    LOCAL_PARAM, /* does not change while the function runs */
    LOCAL_ALIAS, /* stands for `value` */
    LOCAL_UNSET  /* has no value yet */
} local_kind;

/* What a name stands for. */
typedef struct local {
    const char *name;
    local_kind kind;
    c_type type;
    c_expr *value;    /* of an alias, resolved */
    const char *text; /* of an alias: its declaration */
    int dim;          /* of a loop */
    int depth;        /* loops around its declaration */
    bool exposed;     /* some task gets its address */
    bool changes;     /* has no value as a loop around gives it others */
    bool counts_blocks;
    struct local *block;   /* of where a block begins: the loop that counts blocks, */
    c_expr *size, *origin; /* how large these are, and where the first one begins */
} local;

/* A constant of the run that isl sees as a parameter. */
typedef struct param {
    const char *name;
    c_expr *value; /* resolved */
    c_type type;
    bool used; /* by what is left when products of parameters have been taken apart */
} param;

/* Where a tile is, given its indices. */
typedef enum tile_shape {
    SHAPE_UNKNOWN,
    SHAPE_VALUE,   /* base[i][j] is the pointer */
    SHAPE_ADDRESS, /* &base[i][j] is */
    SHAPE_BASE     /* base is */
} tile_shape;

typedef struct collection {
    const char *name;
    c_expr *base;        /* resolved; of an accessor function the call, with indices as NULL */
    const char *element; /* see tile */
    int dims;
    tile_shape shape;
    tile_shape passed;    /* as kernels get it, where depend lists say something else */
    const char *bytes;    /* of a tile, as C; NULL: not known */
    c_expr *length;       /* elements, as sections of depend lists have them; NULL: not said */
    bool unlike;          /* these have different lengths */
    place sections;       /* the last of them */
    bool waits;           /* no array: what all tasks read, and taskwait writes */
    bool linear;          /* it is one index that has to be taken apart */
    const char **strides; /* of a linear one: what the indices are multiplied with */
} collection;

typedef enum access_mode { READS = 1, WRITES = 2, READS_WRITES = 3 } access_mode;

typedef struct access {
    int collection;
    access_mode mode;
    c_expr **index; /* resolved: what the text has */
    int index_count;
    isl_map *map; /* instance -> indices */
    const char *flow;
    int arg; /* of the kernel; -1: none */
    place at;
} access;

/* Text of leaves that stand for the memory of tile number `value` of a statement. */
extern const char tile_mark[];

typedef struct stmt {
    const char *name; /* of the task class */
    const char *kernel;
    place at;
    local *loops[MOST_LOOPS];
    const char *names[MOST_LOOPS]; /* of the parameters of the class */
    bool down[MOST_LOOPS];         /* the loop counts down */
    int depth;
    bool waits;                /* a taskwait: it runs nothing */
    int order[MOST_LOOPS + 1]; /* place among its neighbours, at each level */
    isl_set *domain;
    access *accesses;
    int access_count;
    c_expr *call;       /* of the kernel, resolved; NULL: `body` */
    const char *body;   /* as it is */
    const c_stmt *tree; /* the body, with marks for its tiles, which can be anywhere; or NULL */
    const char **inner; /* names that it declares */
    int inner_count;
    local **captured; /* what the body may name */
    int captured_count;
    c_expr *priority; /* NULL: none given */
    isl_pw_aff *priority_value;
    access *on; /* NULL: the first tile that is written */
} stmt;

typedef struct program {
    c_file *file;
    const c_function *function;
    source *source;
    arena *memory;
    isl_ctx *ctx;
    stmt *stmts;
    int stmt_count;
    collection *collections;
    int collection_count;
    param *params;
    int param_count;
    local **arguments; /* of the function */
    bool tasks;        /* OpenMP */
    bool in_place;     /* bodies find their tiles themselves */
    bool distribute;   /* kernels get their tiles, on all ranks, and the function stays */
    place kept;        /* where `in_place` comes from, if from a task */
    isl_set *context;  /* what is known about the parameters */
    c_expr *result;    /* what it returns, or NULL */
} program;

/* Build it. False after diagnostics. program_free gives isl's part back. */
bool program_read(program *p, c_file *f, const c_function *function, isl_ctx *ctx, bool distribute);
void program_free(program *p);
/* isl can think for hours about loops that look harmless: limit what it does from now on, to half
 * a minute or so. Beyond that it fails with isl_error_quota. */
void limit_operations(isl_ctx *ctx);
/* Is it an array of which something is left to do? */
bool has_accesses(const program *p, int collection);

/* Does the text have the word, whole? */
bool has_word(const char *text, const char *word);

/* program_print.c */
void program_print(FILE *out, const program *p);

#endif
