/* Command line options: a table per subcommand says all there is to say about them. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "command/command.h"

typedef enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_INTEGER, /* int64_t from `least` to `most` */
    OPTION_CHOICE,  /* const char *, one of the words in `allowed`, which '|' separates */
    OPTION_TEXT,    /* const char *, not empty */
    OPTION_LACKING  /* always refused; `help` says why */
} option_kind;

typedef struct option {
    const char *name; /* without dashes; one letter is written -n (or --n), a word --word */
    option_kind kind;
    const char *allowed; /* the choices, or what the help calls the value */
    const char *help;
    size_t target; /* where the value goes: an offset in the subcommand's struct */
    int64_t least, most;
} option;

/* The entries of such tables; `target` is an offset. */
#define OPTION_IS_FLAG(name, help, target)          \
    {                                               \
        name, OPTION_FLAG, NULL, help, target, 0, 0 \
    }
#define OPTION_IS_INTEGER(name, called, help, target, least, most) \
    {                                                              \
        name, OPTION_INTEGER, called, help, target, least, most    \
    }
#define OPTION_IS_CHOICE(name, allowed, help, target)    \
    {                                                    \
        name, OPTION_CHOICE, allowed, help, target, 0, 0 \
    }
#define OPTION_IS_TEXT(name, called, help, target)    \
    {                                                 \
        name, OPTION_TEXT, called, help, target, 0, 0 \
    }
#define OPTION_IS_LACKING(name, why)             \
    {                                            \
        name, OPTION_LACKING, NULL, why, 0, 0, 0 \
    }
#define OPTION_END \
    {              \
        0          \
    }

enum { OPTION_TABLES = 3 };

/* A subcommand's options: tables that end with an entry without a name. */
typedef struct option_set {
    const char *command; /* e.g. "bench tasks" */
    const char *operand; /* what comes before the options, e.g. "FILE"; NULL: nothing */
    const char *about;
    const option *tables[OPTION_TABLES];
} option_set;

/* Put the options of argv[1..] into *values. False: return *status from the subcommand, since it
 * was asked for help (printed), or was used wrongly (complained about). */
bool options_parse(const option_set *set, int argc, char **argv, void *values, int *status);

/* Print the help of a subcommand. Returns STATUS_OK. */
int options_help(const option_set *set);

/* The whole of `text` as a decimal integer. */
bool parse_integer(const char *text, int64_t *value);

/* Integers from `least` up, separated by commas: how many, or -1 for anything else. */
int parse_list(const char *text, int64_t least, int64_t *values, int most);

#endif
