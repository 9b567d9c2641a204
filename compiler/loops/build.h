/* What the files share that make a program of a tree. */
#ifndef LOOPS_BUILD_H
#define LOOPS_BUILD_H

#include "loops/program.h"

typedef struct scope {
    struct scope *outer;
    local **locals;
    int count;
} scope;

typedef struct build {
    program *program;
    source *source;
    arena *memory;
    isl_ctx *ctx;
    scope *scope;
    local *loops[MOST_LOOPS];
    bool down[MOST_LOOPS];
    int order[MOST_LOOPS + 1];
    int depth;
    isl_set *domain;                  /* of the statement that is looked at; dimensions: loops */
    isl_set *skipped[MOST_LOOPS + 1]; /* left out by continue and return, at each depth */
    int inlined;                      /* how many functions deep */
    place at;
    bool conditional; /* inside an if */
    bool replicated;  /* each thread of a parallel region comes here */
    c_expr *priority; /* of the pragma around */
    local **counts;   /* numbers of blocks that there are */
    int count_count;
    access *on;
} build;

/* affine.c: is its type unsigned and at least as wide as int? */
bool is_unsigned(const c_file *f, const c_expr *e);

/* resolve.c: names as what they stand for; aliases are replaced. NULL after a diagnostic. */
c_expr *resolved(build *b, const c_expr *e);
/* The value as a variable of the type holds it. */
c_expr *converted(build *b, const c_type *type, c_expr *value);
local *find_local(build *b, const char *name);
local *add_local(build *b, local l);
bool assigns(const c_expr *e);
/* Is it the same throughout the run? */
bool is_invariant(const build *b, const c_expr *e);
/* The number of the parameter with this resolved value, made if there is none. */
int param_of(build *b, const c_expr *value, const char *name);
/* The parameter by its value, or -1. */
int find_param(const program *p, const c_expr *value);

/* affine.c: NULL if it is not affine; then *why says what is not. */
isl_pw_aff *affine(build *b, const c_expr *e, const char **why);
isl_set *condition(build *b, const c_expr *e, const char **why);
bool constant_of(isl_pw_aff *value, int64_t *result);

/* tile.c: which tile an expression names. */
typedef struct tile {
    c_expr *base;
    const char *element; /* the type that a cast gives to the base; NULL: its own */
    c_expr *index[MOST_LOOPS];
    int count;
} tile;
bool tile_of(build *b, c_expr *e, tile *t, const char **why);
/* What a pointer to a tile is made of. */
tile_shape pointer_shape(const c_expr *e);
/* Make it an access of the statement. False after a diagnostic. */
typedef enum tile_role { ROLE_ARGUMENT, ROLE_ITEM, ROLE_PLACE } tile_role;
bool tile_access(build *b, c_expr *e, access_mode mode, tile_role role, access *a);
/* When all accesses are known: the maps. */
bool tiles_settle(build *b);

/* relocate.c: the body of a task, if all it touches are the tiles of its lists; NULL: it is not. */
const c_stmt *relocated(build *b, stmt *s, const c_stmt *body);

/* section.c */
void sections_check(build *b);

/* kernel.c: statements. */
void build_call(build *b, c_expr *call);
void build_task(build *b, const c_stmt *s);
/* Is it an argument that is a pointer, as arrays are? */
bool points(const c_param *param);
/* A pointer that is no tile: is what it points to of no concern to other tasks? */
bool is_harmless(const build *b, const c_expr *e);
/* The tile that an argument names, among those of the task; -1 if none. */
int named_tile(build *b, const stmt *s, c_expr *arg);
/* Is the pointer to the tile made as other tasks make it? */
bool is_passed_alike(build *b, const stmt *s, int k, const c_expr *arg);
/* All that follows waits for all that was before. */
void build_wait(build *b);
/* When all statements are known: those waits that order something become accesses. */
void waits_settle(build *b);

/* walk.c */
void walk(build *b, const c_stmt *s);
void open_scope(build *b, scope *s);

/* loop.c */
void walk_for(build *b, const c_stmt *s);

/* block.c: a loop whose step is a size, as one over blocks: false if it is none. */
typedef struct block_loop {
    const char *name;      /* of the variable */
    const char *block;     /* of the one that counts blocks */
    c_expr *first, *cond;  /* of that one; the condition is not resolved yet */
    c_expr *size, *origin; /* resolved */
} block_loop;
bool blocks_of(build *b, const c_expr *first, const c_expr *cond, const c_expr *step,
               block_loop *l);
/* Inside of the loop: its variable stands for where the block begins. */
void name_block(build *b, const block_loop *l, local *block, const c_type *type);

/* local.c */
void declare_locals(build *b, const c_stmt *s);
/* name = value, where the name was declared at the same depth. */
void assign_local(build *b, const c_expr *e);
bool is_number(const c_type *t);
bool has_call(const c_expr *e);

/* program.c */
bool has_tasks(const c_stmt *s);
/* does the text assign to a variable of that name? */
bool assigned(const c_stmt *s, const char *name);
bool assigned_in(const c_expr *e, const char *name);
/* Does it depend on nothing that tasks may change? */
bool is_timeless(const build *b, const c_expr *e);
isl_set *domain_now(build *b);
bool failed(const build *b);
void refuse(build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
