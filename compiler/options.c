/* Reading the command line. */
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: twillc [options] FILE.jdf [NAME=VALUE ...]\n"
    "\n"
    "Compile a parameterised task graph to C: FILE.c and FILE.h.\n"
    "\n"
    "  -o FILE.c        write FILE.c and FILE.h there (beside the input)\n"
    "  -n NAME          name of the graph, as in twill_NAME_new (the input's name)\n"
    "  --check          look for mistakes and write nothing\n"
    "  --verify         prove that the graph fits together, has no cycle and no race, or say "
    "where\n"
    "                   not, for the values NAME=VALUE or for all; writes nothing\n"
    "  --assume EXPR    for --verify: only values of globals for which EXPR holds, as in\n"
    "                   'P >= 1 && A.mt == C.mt'\n"
    "  --seconds S      for --verify: look so long at small graphs where there is no proof (2)\n"
    "  --deps           print the rule for make that says what is made from what\n"
    "  --print ast|ir|tasks|loops\n"
    "                   print the syntax tree, the intermediate form, or all tasks and edges of\n"
    "                   the graph that the values NAME=VALUE define\n"
    "  --from-c         FILE.c is sequential C, loops that call kernels on tiles: write FILE_ptg.c "
    "and\n"
    "                   FILE_ptg.h, the same as a graph\n"
    "  --function NAME  the function to read (the only one that has such loops)\n"
    "  --emit-jdf       write the graph as FILE.jdf instead, or to the file of -o\n"
    "  --explain        print each dependence with the two lines it comes from, and write nothing\n"
    "  --in-place       let kernels work on the program's own memory, and keep all orders of it\n"
    "  --distribute     make a function that all ranks call, which deals its tiles to them and "
    "brings\n"
    "                   the results to all\n"
    "  --tile A=EXPR    for --distribute: a tile of A has so many elements, as '#pragma twill "
    "tile(A, EXPR)'\n"
    "  -I DIR, -D NAME  for the C, as compilers have them\n"
    "  --parsec         leave out what is sent to tasks that do not exist, as PaRSEC's compiler "
    "does\n"
    "  --no-line        leave out #line directives\n"
    "  --help           print this page\n"
    "  --version        print the version\n"
    "\n"
    "FILE.jdf may be - for standard input. Exit status: 0 fine, 1 mistakes in the file, 2 bad\n"
    "usage or a file that cannot be read, 3 one that cannot be written, or no --verify in this\n"
    "build.\n";

void complain(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    fprintf(stderr, "twillc: %s\n", line);
}

static bool read_print(options *o, const char *what)
{
    if (strcmp(what, "ast") == 0)
        o->action = PRINT_AST;
    else if (strcmp(what, "ir") == 0)
        o->action = PRINT_IR;
    else if (strcmp(what, "tasks") == 0)
        o->action = PRINT_TASKS;
    else if (strcmp(what, "loops") == 0)
        o->action = PRINT_LOOPS;
    else
        complain("--print %s: ast, ir, tasks and loops are allowed", what);
    return o->action != EMIT;
}

/* The value of an option that is followed by one; NULL after a complaint. */
static const char *value_of(const char *name, int argc, char **argv, int *i)
{
    size_t length = strlen(name);
    if (argv[*i][length] == '=')
        return argv[*i] + length + 1;
    if (*i + 1 < argc)
        return argv[++*i];
    complain("%s needs a value", name);
    return NULL;
}

static const char *add_assumption(options *o, const char *text)
{
    if (text)
        o->assumptions[o->assumption_count++] = text;
    return text;
}

static bool read_seconds(options *o, const char *text)
{
    char *end;
    o->seconds = strtod(text, &end);
    if (end != text && !*end && o->seconds >= 0 && o->seconds <= 1e6)
        return true;
    complain("--seconds %s: a number from 0 to 1000000 is allowed", text);
    return false;
}

static const char *add_tile(options *o, const char *text)
{
    const char *equal = text ? strchr(text, '=') : NULL;
    if (text && (!equal || equal == text || !equal[1])) {
        complain("--tile %s: A=EXPR says how many elements a tile of A has", text);
        return NULL;
    }
    if (text)
        o->tiles[o->tile_count++] = text;
    return text;
}

static bool names(const char *arg, const char *name)
{
    size_t length = strlen(name);
    return strncmp(arg, name, length) == 0 && (arg[length] == '\0' || arg[length] == '=');
}

/* Those of --from-c. *value becomes NULL where one is missing. */
static bool read_c_option(options *o, int argc, char **argv, int *i, const char **value)
{
    const char *arg = argv[*i];
    if (strcmp(arg, "--from-c") == 0)
        o->from_c = true;
    else if (strcmp(arg, "--emit-jdf") == 0)
        o->emit_jdf = true;
    else if (strcmp(arg, "--explain") == 0)
        o->explain = true;
    else if (strcmp(arg, "--in-place") == 0)
        o->in_place = true;
    else if (strcmp(arg, "--distribute") == 0)
        o->distribute = true;
    else if (names(arg, "--tile"))
        *value = add_tile(o, value_of("--tile", argc, argv, i));
    else if (names(arg, "--function"))
        *value = o->function = value_of("--function", argc, argv, i);
    else if (strncmp(arg, "-I", 2) == 0 || strncmp(arg, "-D", 2) == 0) {
        o->c_args[o->c_arg_count++] = arg;
        if (!arg[2] && (*value = value_of(arg[1] == 'I' ? "-I" : "-D", argc, argv, i)))
            o->c_args[o->c_arg_count++] = *value;
    } else
        return false;
    return true;
}

static bool read_option(options *o, int argc, char **argv, int *i)
{
    const char *arg = argv[*i], *value = "";
    if (names(arg, "-o"))
        value = o->output = value_of("-o", argc, argv, i);
    else if (names(arg, "-n"))
        value = o->name = value_of("-n", argc, argv, i);
    else if (names(arg, "--print"))
        return (value = value_of("--print", argc, argv, i)) && read_print(o, value);
    else if (names(arg, "--assume"))
        value = add_assumption(o, value_of("--assume", argc, argv, i));
    else if (names(arg, "--seconds"))
        return (value = value_of("--seconds", argc, argv, i)) && read_seconds(o, value);
    else if (strcmp(arg, "--check") == 0)
        o->action = CHECK;
    else if (strcmp(arg, "--verify") == 0)
        o->action = VERIFY;
    else if (strcmp(arg, "--deps") == 0)
        o->action = PRINT_DEPS;
    else if (strcmp(arg, "--no-line") == 0)
        o->no_line = true;
    else if (strcmp(arg, "--parsec") == 0)
        o->parsec = true;
    else if (!read_c_option(o, argc, argv, i, &value)) {
        complain("unknown option '%s'; twillc --help lists them", arg);
        return false;
    }
    return value != NULL;
}

static bool read_setting(options *o, char *arg)
{
    char *equal = strchr(arg, '='), *end;
    *equal = '\0';
    errno = 0;
    setting s = {arg, strtoll(equal + 1, &end, 0)};
    if (end == equal + 1 || *end || errno || !*arg) {
        complain("%s=%s: the value of a global is an integer", arg, equal + 1);
        return false;
    }
    o->settings[o->setting_count++] = s;
    return true;
}

static bool read_word(options *o, char *arg)
{
    if (o->input && strchr(arg, '='))
        return read_setting(o, arg);
    if (o->input) {
        complain("one file at a time: '%s' and '%s'", o->input, arg);
        return false;
    }
    o->input = arg;
    return true;
}

static bool ends_in_c(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, ".c") == 0;
}

static bool check(const options *o)
{
    if (!o->input)
        complain("no file given; twillc --help says how");
    else if (o->setting_count && o->action != PRINT_TASKS && o->action != VERIFY)
        complain("%s=...: values of globals are for --print tasks and --verify",
                 o->settings[0].name);
    else if (o->assumption_count && o->action != VERIFY)
        complain("--assume %s: assumptions are for --verify", o->assumptions[0]);
    else if (!o->from_c && (o->function || o->emit_jdf || o->explain || o->in_place ||
                            o->distribute || o->c_arg_count || o->action == PRINT_LOOPS))
        complain("--function, --emit-jdf, --explain, --in-place, --distribute, -I, -D and --print "
                 "loops are for --from-c");
    else if (o->in_place && o->distribute)
        complain(
            "--in-place keeps tiles on one rank, and --distribute deals them to all; give one");
    else if (o->tile_count && !o->distribute)
        complain("--tile %s: sizes of tiles are for --distribute", o->tiles[0]);
    else if (o->output && !o->emit_jdf && !ends_in_c(o->output))
        complain("-o %s: the name must end in .c, and the header gets the same with .h", o->output);
    else if (strcmp(o->input, "-") == 0 && !o->output &&
             (o->action == EMIT || o->action == PRINT_DEPS))
        complain("-o is needed for standard input");
    else
        return true;
    return false;
}

bool options_read(options *o, int argc, char **argv, int *status)
{
    *o = (options){.settings = calloc((size_t)argc + 1, sizeof *o->settings),
                   .assumptions = calloc((size_t)argc + 1, sizeof *o->assumptions),
                   .c_args = calloc((size_t)argc + 1, sizeof *o->c_args),
                   .tiles = calloc((size_t)argc + 1, sizeof *o->tiles),
                   .seconds = 2};
    bool memory = o->settings && o->assumptions && o->c_args && o->tiles;
    *status = memory ? STATUS_USAGE : STATUS_SYSTEM;
    for (int i = 1; i < argc && memory; i++) {
        char *arg = argv[i];
        if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0 || strcmp(arg, "--version") == 0) {
            *status = STATUS_OK;
            fputs(strcmp(arg, "--version") == 0 ? "twillc " TWILLC_VERSION "\n" : help, stdout);
            return false;
        }
        bool option = arg[0] == '-' && arg[1] != '\0';
        if (option ? !read_option(o, argc, argv, &i) : !read_word(o, arg))
            return false;
    }
    return memory && check(o);
}
