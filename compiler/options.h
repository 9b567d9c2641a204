/* The command line of twillc. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

typedef enum action {
    EMIT,
    CHECK,
    VERIFY,
    PRINT_AST,
    PRINT_IR,
    PRINT_TASKS,
    PRINT_LOOPS,
    PRINT_DEPS
} action;

typedef struct setting {
    const char *name;
    long long value;
} setting;

typedef struct options {
    action action;
    const char *input;
    const char *output; /* -o, or NULL */
    const char *name;   /* -n, or NULL */
    bool no_line;
    bool parsec;
    bool from_c;        /* the input is sequential C */
    bool emit_jdf;      /* stop at the JDF */
    bool explain;       /* print dependences */
    bool in_place;      /* tiles stay where they are */
    bool distribute;    /* the function runs on all ranks */
    const char **tiles; /* --tile */
    int tile_count;
    const char *function; /* --function, or NULL */
    const char **c_args;  /* -I and -D, for the C */
    int c_arg_count;
    setting *settings; /* NAME=VALUE, for --print tasks and --verify */
    int setting_count;
    const char **assumptions; /* --assume, for --verify */
    int assumption_count;
    double seconds; /* --seconds, for --verify */
} options;

/* Exit statuses. */
enum { STATUS_OK, STATUS_ERRORS, STATUS_USAGE, STATUS_SYSTEM };

/* Read the command line. False: end with *status; what there is to say has been said. The lists
 * must be freed. */
bool options_read(options *o, int argc, char **argv, int *status);

/* Print one line "twillc: ..." on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
