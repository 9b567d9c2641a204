/* twill graph: draws an instance of a parameterised graph. The compiler beside this command lists
 * the tasks; what its mistakes are it says itself. */
#include "command/builtin.h"
#include "command/drawing.h"
#include "command/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct values {
    const char *format, *output;
} values;

static const option own_options[] = {
    OPTION_IS_CHOICE("format", "dot|svg", "for Graphviz, or a picture (by the name after -o; dot)",
                     offsetof(values, format)),
    OPTION_IS_TEXT("o", "FILE", "write there (standard output)", offsetof(values, output)),
    OPTION_END};

static const option_set options = {
    .command = "graph",
    .operand = "FILE.jdf|NAME NAME=VALUE ...",
    .about = "Draw the tasks of a JDF file, or of loops in C, for values of its "
             "globals, or of a graph that Twill has: potrf NT=4, chains "
             "W=3 N=9, fan F=3 N=8, stencil W=4 N=12. Fills tell classes, "
             "lines tell ranks.",
    .tables = {own_options}};

/* Part the words that are no options, FILE and NAME=VALUE, from the others, which take a value
 * each. Returns how many words there are; the options stay in argv. */
static int part_words(int *argc, char **argv, char **words)
{
    int count = 0, kept = 1;
    for (int i = 1; i < *argc; i++) {
        bool dash = argv[i][0] == '-' && argv[i][1];
        if (!dash) {
            words[count++] = argv[i];
            continue;
        }
        bool alone = strchr(argv[i], '=') || strcmp(argv[i], "-h") == 0 ||
                     strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--version") == 0;
        argv[kept++] = argv[i];
        if (!alone && i + 1 < *argc)
            argv[kept++] = argv[++i];
    }
    *argc = kept;
    return count;
}

/* twillc in the folder of this command, else wherever the shell finds it. */
static void find_compiler(char path[PATH_MAX])
{
    static const char name[] = "twillc";
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof name);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    memcpy(slash ? slash + 1 : path, name, sizeof name);
    if (access(path, X_OK) != 0)
        memcpy(path, name, sizeof name);
}

static bool is_c(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, ".c") == 0;
}

/* Start `twillc --print tasks WORDS` with its output in a pipe; -1 after a complaint. */
static pid_t start_compiler(char **words, int count, FILE **out)
{
    char path[PATH_MAX], *argv[count + 5];
    int ends[2];
    find_compiler(path);
    argv[0] = path;
    argv[1] = "--print";
    argv[2] = "tasks";
    int own = 3;
    if (is_c(words[0]))
        argv[own++] = "--from-c";
    memcpy(argv + own, words, (size_t)count * sizeof *argv);
    argv[count + own] = NULL;
    fflush(stdout);
    if (pipe(ends) != 0) {
        complain("graph", "no pipe: %s", strerror(errno));
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(path, argv);
        complain("graph", "twillc could not be started: %s", strerror(errno));
        _exit(STATUS_SYSTEM);
    }
    close(ends[1]);
    *out = pid > 0 ? fdopen(ends[0], "r") : NULL;
    if (*out)
        return pid;
    complain("graph", "twillc could not be started: %s", strerror(errno));
    close(ends[0]);
    return -1;
}

/* Read the list that the compiler makes. */
static int gather(char **words, int count, drawing *d)
{
    FILE *in;
    int how;
    pid_t pid = start_compiler(words, count, &in);
    if (pid < 0)
        return STATUS_SYSTEM;
    bool fine = drawing_read(d, in);
    fclose(in);
    if (waitpid(pid, &how, 0) != pid || !WIFEXITED(how)) {
        complain("graph", "twillc did not end as it should");
        return STATUS_SYSTEM;
    }
    if (WEXITSTATUS(how) != 0)
        return WEXITSTATUS(how) == STATUS_SYSTEM ? STATUS_SYSTEM : STATUS_USAGE;
    if (!fine || !drawing_arrange(d)) {
        complain("graph", "no memory for %d tasks and %d edges", d->task_count, d->edge_count);
        return STATUS_SYSTEM;
    }
    if (d->lost)
        complain("graph", "%d dependencies lead to tasks that do not exist; they are left out",
                 d->lost);
    return STATUS_OK;
}

/* A word that is not the name of a file, nor looks like one, is that of a graph. */
static const builtin_graph *find_builtin(const char *word)
{
    for (const builtin_graph *g = builtin_graphs; g->name; g++)
        if (strcmp(g->name, word) == 0 && access(word, F_OK) != 0)
            return g;
    return NULL;
}

static int gather_builtin(const builtin_graph *graph, char **words, int count, drawing *d)
{
    char path[BUILTIN_PATH];
    const char *const *values = builtin_values(graph);
    int more = 0;
    while (values[more])
        more++;
    char *all[count + more];
    memcpy(all, words, (size_t)count * sizeof *all);
    memcpy(all + count, values, (size_t)more * sizeof *all);
    if (!builtin_write(graph, path))
        return STATUS_SYSTEM;
    all[0] = path;
    int status = gather(all, count + more, d);
    builtin_remove(path);
    return status;
}

/* Nothing that could be a file: the nearest name of a graph. */
static int refuse_name(const char *word)
{
    tw_nearest_search search = nearest_to(word);
    for (const builtin_graph *g = builtin_graphs; g->name; g++)
        tw_nearest_offer(&search, g->name);
    complain("graph", "there is no file and no graph '%s'; did you mean '%s'?", word, search.best);
    return STATUS_USAGE;
}

static int gather_any(char **words, int count, drawing *d)
{
    const builtin_graph *graph = find_builtin(words[0]);
    if (graph)
        return gather_builtin(graph, words, count, d);
    return strpbrk(words[0], "./") || access(words[0], F_OK) == 0 ? gather(words, count, d)
                                                                  : refuse_name(words[0]);
}

static int draw(const drawing *d, const values *v)
{
    FILE *out = v->output ? fopen(v->output, "w") : stdout;
    const char *end = v->output ? strrchr(v->output, '.') : NULL;
    const char *format = v->format ? v->format : end && strcmp(end, ".svg") == 0 ? "svg" : "dot";
    if (!out) {
        complain("graph", "-o %s: %s", v->output, strerror(errno));
        return STATUS_USAGE;
    }
    if (strcmp(format, "svg") == 0)
        drawing_svg(d, out);
    else
        drawing_dot(d, out);
    bool fine = !ferror(out);
    if (v->output && (fclose(out) != 0 || !fine)) {
        complain("graph", "-o %s: %s", v->output, strerror(errno));
        return STATUS_SYSTEM;
    }
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    values v = {0};
    drawing d = {0};
    char *words[argc];
    int status, count = part_words(&argc, argv, words);
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    if (count == 0) {
        complain("graph", "no file given: twill graph FILE.jdf NAME=VALUE ..., or potrf NT=4");
        return STATUS_USAGE;
    }
    status = gather_any(words, count, &d);
    if (status == STATUS_OK)
        status = draw(&d, &v);
    drawing_free(&d);
    return status;
}

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return options_help(&options);
}

const command graph_command = {"graph", "draw the tasks of a JDF file, or of an example", run,
                               help};
