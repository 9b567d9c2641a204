/* Options: the program's struct, then the environment, then the default. */
#include "support/test.h"

#include "base/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Every test begins without TWILL_* variables. */
static int forget_variables(void **state)
{
    (void)state;
    for (char **e = environ; *e;) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
        if (strncmp(name, "TWILL_", 6)) {
            e++;
        } else {
            unsetenv(name);
            e = environ; /* the list has moved */
        }
    }
    return 0;
}

/* One row per option: its default, a value from the environment, one from the program. */
static const struct {
    tw_option which;
    const char *name, *fallback, *environment, *program;
} rows[] = {
    {TW_OPT_WORKERS, "workers", "0", "3", "5"},
    {TW_OPT_SCHED, "sched", "lws", "prio", "eager"},
    {TW_OPT_SCHED_SEED, "sched_seed", "1", "77", "99"},
    {TW_OPT_BIND, "bind", "on", "off", "on"},
    {TW_OPT_TOPOLOGY, "topology", "", "core:2 pu:1", "core:4 pu:1"},
    {TW_OPT_WINDOW, "window", "0", "10", "20"},
    {TW_OPT_SPIN_US, "spin_us", "20", "0", "30"},
    {TW_OPT_PATIENCE_US, "patience_us", "200", "1000", "40"},
    {TW_OPT_WATCHDOG, "watchdog", "0", "2.5", "0.5"},
    {TW_OPT_BLAS, "blas", "auto", "/a/path.so", "openblas"},
    {TW_OPT_LAPACK, "lapack", "auto", "/a/lapack.so", "reference"},
    {TW_OPT_KERNELS, "kernels", "auto", "Zen", "Haswell"},
    {TW_OPT_TUNE, "tune", "auto", "/a/tune", "off"},
    {TW_OPT_TRACE, "trace", "", "a.html", "b.twt"},
    {TW_OPT_TRACE_MIB, "trace_mib", "1024", "2", "70"},
    {TW_OPT_STATS, "stats", "off", "on", "off"},
    {TW_OPT_SHADOW, "shadow", "off", "0.5", "0.25,seed=3"},
    {TW_OPT_MPI, "mpi", "auto", "off", "on"},
    {TW_OPT_BROADCAST, "broadcast", "auto", "star", "binomial"},
    {TW_OPT_LEND, "lend", "8192", "1", "4096"},
    {TW_OPT_MODE, "mode", "regular", "adaptive", "fixed"},
    {TW_OPT_PRESCRIBED, "prescribed", "", "1,2", "3"},
    {TW_OPT_RESERVED, "reserved", "0", "1", "4"},
    {TW_OPT_DEVICES, "devices", "auto", "cpu", "cpu,host:0"},
};

static const twill_options given = {
    .size = sizeof(twill_options),
    .workers = 5,
    .sched = "eager",
    .sched_seed = "99",
    .bind = "on",
    .topology = "core:4 pu:1",
    .window = 20,
    .spin_us = 30,
    .patience_us = 40,
    .watchdog = 0.5,
    .blas = "openblas",
    .lapack = "reference",
    .kernels = "Haswell",
    .tune = "off",
    .trace = "b.twt",
    .trace_mib = 70,
    .stats = "off",
    .shadow = "0.25,seed=3",
    .mode = "fixed",
    .prescribed = "3",
    .reserved = 4,
    .devices = "cpu,host:0",
    .mpi = "on",
    .broadcast = "binomial",
    .lend = 4096,
};

static const char *variable_of(int i, char *text)
{
    char *at = text + sprintf(text, "TWILL_");
    for (const char *c = rows[i].name; *c; c++)
        *at++ = (char)toupper((unsigned char)*c);
    *at = '\0';
    return text;
}

static void set_variables(void)
{
    char variable[64];
    for (int i = 0; i < COUNT(rows); i++)
        setenv(variable_of(i, variable), rows[i].environment, 1);
}

static void expect(const twill_options *program, const char *origin, size_t column)
{
    tw_options o;
    OK(tw_options_open(&o, program));
    for (int i = 0; i < COUNT(rows); i++) {
        const char *wanted = *(const char *const *)((const char *)&rows[i] + column);
        assert_string_equal(o.text[rows[i].which], wanted);
        assert_string_equal(o.origin[rows[i].which], origin);
    }
    tw_options_close(&o);
}

TEST(the_table_of_this_test_has_every_option)
{
    assert_int_equal(COUNT(rows), TW_OPTIONS);
}

TEST(the_default_is_taken_when_nobody_says_anything)
{
    expect(NULL, "default", offsetof(__typeof__(rows[0]), fallback));
    expect(&(twill_options){.size = sizeof(twill_options)}, "default",
           offsetof(__typeof__(rows[0]), fallback));
}

TEST(a_variable_replaces_the_default)
{
    set_variables();
    expect(NULL, "environment", offsetof(__typeof__(rows[0]), environment));
}

TEST(the_program_comes_before_the_variable)
{
    set_variables();
    expect(&given, "program", offsetof(__typeof__(rows[0]), program));
}

TEST(numbers_are_there_as_numbers)
{
    tw_options o;
    setenv("TWILL_WATCHDOG", "2.5", 1);
    OK(tw_options_open(&o, &(twill_options){.size = sizeof(twill_options), .workers = 7}));
    assert_true(o.number[TW_OPT_WORKERS] == 7);
    assert_true(o.number[TW_OPT_WATCHDOG] == 2.5);
    assert_true(o.number[TW_OPT_SPIN_US] == 20);
    tw_options_close(&o);
}

TEST(the_strings_of_the_program_are_copied)
{
    tw_options o;
    char sched[] = "prio";
    OK(tw_options_open(&o, &(twill_options){.size = sizeof(twill_options), .sched = sched}));
    memset(sched, 'x', 4);
    assert_string_equal(o.text[TW_OPT_SCHED], "prio");
    tw_options_close(&o);
}

TEST(a_mistyped_variable_is_refused_with_the_nearest_name)
{
    static const struct {
        const char *variable, *sentence;
    } cases[] = {
        {"TWILL_WORKER", "did you mean TWILL_WORKERS?"},
        {"TWILL_SCEHD", "did you mean TWILL_SCHED?"},
        {"TWILL_workers", "did you mean TWILL_WORKERS?"},
        {"TWILL_PATIENCE", "did you mean TWILL_PATIENCE_US?"},
        {"TWILL_TRACES", "did you mean TWILL_TRACE?"},
    };
    tw_options o;
    for (int i = 0; i < COUNT(cases); i++) {
        setenv(cases[i].variable, "1", 1);
        REFUSED(tw_options_open(&o, NULL), TWILL_ERR_OPTION, cases[i].sentence);
        CONTAINS(twill_message(), cases[i].variable);
        unsetenv(cases[i].variable);
    }
    OK(tw_options_open(&o, NULL));
    tw_options_close(&o);
}

TEST(variables_of_others_are_left_alone)
{
    tw_options o;
    setenv("TWILLING", "1", 1);
    setenv("TWIL_WORKERS", "1", 1);
    OK(tw_options_open(&o, NULL));
    tw_options_close(&o);
}

TEST(a_bad_value_is_refused_with_its_name_and_what_is_allowed)
{
    static const struct {
        const char *variable, *value, *sentence;
    } cases[] = {
        {"TWILL_WORKERS", "many", "from 0 to 1024"},   {"TWILL_WORKERS", "-1", "from 0 to 1024"},
        {"TWILL_WORKERS", "1025", "from 0 to 1024"},   {"TWILL_WORKERS", "2.5", "whole number"},
        {"TWILL_WORKERS", "", "whole number"},         {"TWILL_WORKERS", "4 cores", "whole number"},
        {"TWILL_WORKERS", "nan", "whole number"},      {"TWILL_SCHED_SEED", "-3", "whole number"},
        {"TWILL_WINDOW", "-1", "whole number"},        {"TWILL_SPIN_US", "-0.5", "whole number"},
        {"TWILL_PATIENCE_US", "inf", "whole number"},  {"TWILL_WATCHDOG", "-1", "number from 0"},
        {"TWILL_WATCHDOG", "soon", "number from 0"},   {"TWILL_BIND", "yes", "neither on nor off"},
        {"TWILL_BIND", "", "neither on nor off"},      {"TWILL_BLAS", "openblass", "full path"},
        {"TWILL_BROADCAST", "oak", "not one of auto"}, {"TWILL_LEND", "0", "whole number"},
    };
    tw_options o;
    for (int i = 0; i < COUNT(cases); i++) {
        setenv(cases[i].variable, cases[i].value, 1);
        REFUSED(tw_options_open(&o, NULL), TWILL_ERR_OPTION, cases[i].sentence);
        CONTAINS(twill_message(), cases[i].variable);
        unsetenv(cases[i].variable);
    }
}

TEST(a_bad_value_of_the_program_is_refused_too)
{
    const twill_options cases[] = {
        {.size = sizeof(twill_options), .workers = -1},
        {.size = sizeof(twill_options), .workers = 5000},
        {.size = sizeof(twill_options), .window = -4},
        {.size = sizeof(twill_options), .spin_us = -1},
        {.size = sizeof(twill_options), .bind = "left"},
        {.size = sizeof(twill_options), .sched_seed = "x"},
        {.size = sizeof(twill_options), .watchdog = -0.25},
        {.size = sizeof(twill_options), .patience_us = -7},
    };
    tw_options o;
    for (int i = 0; i < COUNT(cases); i++)
        REFUSED(tw_options_open(&o, &cases[i]), TWILL_ERR_OPTION, "option ");
}

static void keep_report(void *arg, const char *text)
{
    snprintf(arg, 256, "%s", text);
}

TEST(variables_of_module_systems_are_ignored_and_told)
{
    static const char *const names[] = {
        "TWILL_ROOT", "TWILL_DIR", "TWILL_HOME",    "TWILL_PATH",  "TWILL_BASE",   "TWILL_BIN",
        "TWILL_LIB",  "TWILL_INC", "TWILL_INCLUDE", "TWILL_DOC",   "TWILL_BINDIR", "TWILL_LIBDIR",
        "TWILL_",     "TWILL_MAN", "TWILL_VERSION", "TWILL_PREFIX"};
    for (int i = 0; i < COUNT(names); i++) {
        twill_option_info info = {.size = sizeof info};
        char told[256] = "";
        twill *tw = NULL;
        setenv(names[i], "/opt/twill", 1);
        OK(twill_start(&tw, &(twill_options){.size = sizeof(twill_options),
                                             .workers = 1,
                                             .report = keep_report,
                                             .report_arg = told}));
        unsetenv(names[i]);
        CONTAINS(told, names[i]);
        CONTAINS(told, "is ignored");
        OK(twill_option(tw, TW_OPTIONS, &info));
        assert_string_equal(info.variable, names[i]);
        assert_string_equal(info.name, "");
        assert_string_equal(info.origin, "ignored");
        REFUSED(twill_option(tw, TW_OPTIONS + 1, &info), TWILL_ERR_ARGUMENT, "no option");
        twill_stop(tw);
    }
}

TEST(a_resolved_value_keeps_its_origin)
{
    tw_options o;
    twill_option_info info = {.size = sizeof info};
    setenv("TWILL_WORKERS", "0", 1);
    OK(tw_options_open(&o, NULL));
    OK(tw_options_resolve(&o, TW_OPT_WORKERS, "12"));
    OK(tw_options_info(&o, TW_OPT_WORKERS, &info));
    assert_string_equal(info.value, "12");
    assert_string_equal(info.origin, "environment");
    assert_true(o.number[TW_OPT_WORKERS] == 12);
    tw_options_close(&o);
}

TEST(a_context_lists_every_option_with_its_origin)
{
    twill_option_info info = {.size = sizeof info};
    setenv("TWILL_WINDOW", "50", 1);
    twill *tw = test_start(2, NULL);
    for (int i = 0; i < TW_OPTIONS; i++) {
        char variable[64];
        OK(twill_option(tw, i, &info));
        assert_string_equal(info.name, rows[i].name);
        assert_string_equal(info.variable, variable_of(i, variable));
        assert_string_not_equal(info.help, "");
        const char *origin = i == TW_OPT_WINDOW                        ? "environment"
                             : i == TW_OPT_WORKERS || i == TW_OPT_BIND ? "program"
                                                                       : "default";
        assert_string_equal(info.origin, origin);
    }
    REFUSED(twill_option(tw, TW_OPTIONS, &info), TWILL_ERR_ARGUMENT, "no option");
    REFUSED(twill_option(tw, -1, &info), TWILL_ERR_ARGUMENT, "no option");
    twill_stop(tw);
}

TEST(the_value_in_force_is_the_one_that_was_worked_out)
{
    twill_option_info info = {.size = sizeof info};
    twill *tw = test_start_with((twill_options){.topology = "package:1 core:3 pu:1"});
    OK(twill_option(tw, TW_OPT_WORKERS, &info));
    assert_string_equal(info.value, "3");
    assert_string_equal(info.origin, "default");
    assert_int_equal(twill_workers(tw), 3);
    twill_stop(tw);
}

#define test(name) cmocka_unit_test_setup_teardown(name, forget_variables, forget_variables)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_table_of_this_test_has_every_option),
        test(the_default_is_taken_when_nobody_says_anything),
        test(a_variable_replaces_the_default),
        test(the_program_comes_before_the_variable),
        test(numbers_are_there_as_numbers),
        test(the_strings_of_the_program_are_copied),
        test(a_mistyped_variable_is_refused_with_the_nearest_name),
        test(variables_of_module_systems_are_ignored_and_told),
        test(variables_of_others_are_left_alone),
        test(a_bad_value_is_refused_with_its_name_and_what_is_allowed),
        test(a_bad_value_of_the_program_is_refused_too),
        test(a_resolved_value_keeps_its_origin),
        test(a_context_lists_every_option_with_its_origin),
        test(the_value_in_force_is_the_one_that_was_worked_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
