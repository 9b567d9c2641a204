/* The `twill` command: finds the subcommand and runs it. */
#include "command.h"

#include <string.h>

static const command *const commands[] = {&info_command, &potrf_command, &bench_command,
                                          &graph_command, NULL};

static const command *find(const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    nearest search = {.word = name};
    for (int i = 0; commands[i]; i++)
        nearest_offer(&search, commands[i]->name);
    nearest_offer(&search, "help");
    complain(NULL, "unknown subcommand '%s'; did you mean '%s'?", name, search.best);
    return NULL;
}

static int overview(void)
{
    printf("usage: twill SUBCOMMAND [options]\n\n");
    for (int i = 0; commands[i]; i++)
        printf("  %-8s %s\n", commands[i]->name, commands[i]->about);
    printf("  %-8s %s\n", "help", "what a subcommand does and which options it takes");
    printf("\ntwill help SUBCOMMAND, twill SUBCOMMAND --help, twill --version\n");
    return STATUS_OK;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        complain(NULL, "no subcommand given; 'twill help' lists them");
        return STATUS_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("twill %s\n", twill_version());
        return STATUS_OK;
    }
    bool help = strcmp(name, "help") == 0;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (help && argc == 2))
        return overview();
    const command *cmd = find(help ? argv[2] : name);
    if (!cmd)
        return STATUS_USAGE;
    return help ? cmd->help(argc - 2, argv + 2) : cmd->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status = dispatch(argc, argv);
    /* A full disk must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain(NULL, "standard output could not be written");
        return STATUS_SYSTEM;
    }
    return status;
}
