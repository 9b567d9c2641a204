/* A C file, read by libclang: its functions, and one of them as a tree. */
#ifndef LOOPS_READ_H
#define LOOPS_READ_H

#include "loops/c/clang.h"
#include "loops/c/pragma.h"
#include "loops/c/tree.h"

typedef struct c_param {
    const char *name; /* "" if it has none */
    c_type type;
} c_param;

typedef struct c_function {
    const char *name;
    place at;
    c_param *params;
    int param_count;
    c_type result;
    bool variadic, is_static, defined, called;
    bool here; /* in the file itself, not in what it includes */
    const char *prototype;
    CXCursor cursor;
} c_function;

typedef struct c_constant {
    const char *name;
    int64_t value;
} c_constant;

typedef struct c_variable {
    const char *name;
    c_type type;
} c_variable;

typedef struct c_file {
    source *source;
    const clang_calls *clang;
    CXIndex index;
    CXTranslationUnit unit;
    c_function *functions;
    int function_count;
    c_constant *constants;
    int constant_count;
    c_variable *variables; /* of the file */
    int variable_count;
    c_variable *members; /* of all structs */
    int member_count;
    c_names types;
    const char **includes; /* lines */
    int include_count;
    pragma_tile *tiles;
    int tile_count;
} c_file;

/* Parse the source with these arguments of the compiler. False after a diagnostic, or with *why if
 * libclang is not there. */
bool c_open(c_file *f, source *s, const char *const *args, int arg_count, const char **why);
void c_close(c_file *f);

c_function *c_function_of(c_file *f, const char *name);
const c_constant *c_constant_of(const c_file *f, const char *name);
const c_variable *c_variable_of(const c_file *f, const char *name);
/* The type of a member of that name; of class TYPE_OTHER if structs differ in it, or there is none.
 */
c_type c_member_of(const c_file *f, const char *name);

/* Where its text begins, where its name stands, and where its body begins: offsets in the source.
 */
bool c_extent(c_file *f, const c_function *function, size_t *begin, size_t *name, size_t *body);

/* Its declaration as C, without a semicolon. */
const char *c_prototype(c_file *f, const c_function *function);

/* The body of a function that is defined, as a tree; NULL after a diagnostic. */
c_stmt *c_body(c_file *f, const c_function *function);

#endif
