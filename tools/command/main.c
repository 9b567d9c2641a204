/* The `twill` command: finds the subcommand and runs it. */
#include "command/terminal.h"
#include "operation/operation.h"

#include <string.h>

static const command *const commands[] = {
    &info_command,  &trace_command, &simulate_command, &graph_command,
    &array_command, &bench_command, &tune_command,     NULL};

const operation *const operations[] = {&gemm_operation,  &summa_operation,
                                       &symm_operation,  &hemm_operation,
                                       &syrk_operation,  &herk_operation,
                                       &syr2k_operation, &her2k_operation,
                                       &trmm_operation,  &trsm_operation,
                                       &potrf_operation, &potrs_operation,
                                       &posv_operation,  &posv_mixed_operation,
                                       &potri_operation, &pocon_operation,
                                       &trtri_operation, &lauum_operation,
                                       &sytrf_operation, &sytrs_operation,
                                       &sysv_operation,  &hetrf_operation,
                                       &hetrs_operation, &hesv_operation,
                                       &getrf_operation, &getrs_operation,
                                       &gesv_operation,  &gesv_mixed_operation,
                                       &getri_operation, &gecon_operation,
                                       &geqrf_operation, &gelqf_operation,
                                       &unmqr_operation, &unmlq_operation,
                                       &ungqr_operation, &unglq_operation,
                                       &gels_operation,  NULL};

static const command *find_command(const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static const operation *find_operation(const char *name)
{
    for (int i = 0; operations[i]; i++)
        if (strcmp(operations[i]->name, name) == 0)
            return operations[i];
    return NULL;
}

static int refuse(const char *name)
{
    tw_nearest_search search = nearest_to(name);
    for (int i = 0; commands[i]; i++)
        tw_nearest_offer(&search, commands[i]->name);
    for (int i = 0; operations[i]; i++)
        tw_nearest_offer(&search, operations[i]->name);
    tw_nearest_offer(&search, "help");
    complain(NULL, "unknown subcommand '%s'; did you mean '%s'?", name, search.best);
    return STATUS_USAGE;
}

static void describe(const char *name, const char *about)
{
    enum { COLUMN = 13 };
    terminal_wrap(about, printf("  %-*s ", COLUMN - 3, name), COLUMN);
}

static int overview(void)
{
    printf("usage: twill SUBCOMMAND [options]\n\n");
    for (int i = 0; commands[i]; i++)
        describe(commands[i]->name, commands[i]->about);
    for (int i = 0; operations[i]; i++)
        describe(operations[i]->name, operations[i]->about);
    describe("help", "what a subcommand does and which options it takes");
    printf("\n");
    terminal_wrap("twill help SUBCOMMAND, twill SUBCOMMAND --help, twill --version", 0, 0);
    return STATUS_OK;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        overview();
        fflush(stdout);
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
    if (help)
        name = argv[2];
    const command *cmd = find_command(name);
    const operation *op = find_operation(name);
    if (cmd)
        return help ? cmd->help(argc - 2, argv + 2) : cmd->run(argc - 1, argv + 1);
    if (op)
        return help ? operation_help(op) : operation_run(op, argc - 1, argv + 1);
    return refuse(name);
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
