/* Tables of known names. */
#include "names.h"

#include <stddef.h>
#include <string.h>

typedef struct known {
    names_of of;
    const char *name;
    names_answer answer;
} known;

static const known table[] = {
    {NAMES_OPTION, "assume", NAME_KNOWN},
    {NAMES_OPTION, "termdet", NAME_KNOWN},
    {NAMES_OPTION, "nb_local_tasks_fn", NAME_KNOWN},
    {NAMES_OPTION, "no_taskpool_instance", NAME_KNOWN},
    {NAMES_GLOBAL, "type", NAME_KNOWN},
    {NAMES_GLOBAL, "hidden", NAME_KNOWN},
    {NAMES_GLOBAL, "default", NAME_KNOWN},
    {NAMES_GLOBAL, "aligned", NAME_KNOWN},
    {NAMES_LOCAL, "type", NAME_KNOWN},
    {NAMES_LOCAL, "hidden", NAME_KNOWN},
    {NAMES_CLASS, "high_priority", NAME_KNOWN},
    {NAMES_CLASS, "critical", NAME_KNOWN},
    {NAMES_CLASS, "team", NAME_KNOWN},
    {NAMES_CLASS, "profile", NAME_KNOWN},
    {NAMES_CLASS, "flops", NAME_KNOWN},
    {NAMES_CLASS, "time_estimate", NAME_KNOWN},
    {NAMES_CLASS, "make_key_fn", NAME_KNOWN},
    {NAMES_CLASS, "hash_struct", NAME_KNOWN},
    {NAMES_CLASS, "startup_fn", NAME_KNOWN},
    {NAMES_DEP, "type", NAME_KNOWN},
    {NAMES_DEP, "layout", NAME_KNOWN},
    {NAMES_DEP, "count", NAME_KNOWN},
    {NAMES_DEP, "displ", NAME_KNOWN},
    {NAMES_DEP, "type_remote", NAME_KNOWN},
    {NAMES_DEP, "layout_remote", NAME_KNOWN},
    {NAMES_DEP, "count_remote", NAME_KNOWN},
    {NAMES_DEP, "displ_remote", NAME_KNOWN},
    {NAMES_DEP, "type_data", NAME_KNOWN},
    {NAMES_DEP, "layout_data", NAME_KNOWN},
    {NAMES_DEP, "count_data", NAME_KNOWN},
    {NAMES_DEP, "displ_data", NAME_KNOWN},
    {NAMES_BODY, "type", NAME_KNOWN},
    {NAMES_BODY, "weight", NAME_KNOWN},
    {NAMES_BODY, "evaluate", NAME_KNOWN},
    {NAMES_BODY, "device", NAME_KNOWN},
    {NAMES_BODY, "dyld", NAME_UNSUPPORTED},
    {NAMES_BODY, "dyldtype", NAME_UNSUPPORTED},
    {NAMES_BODY, "batch", NAME_UNSUPPORTED},
    {NAMES_BODY, "stage_in", NAME_UNSUPPORTED},
    {NAMES_BODY, "stage_out", NAME_UNSUPPORTED},
    {NAMES_BODY_FLOW, "size", NAME_KNOWN},
    {NAMES_BODY_FLOW, "dc", NAME_KNOWN},
};

names_answer names_look(names_of what, const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].of == what && strcmp(table[i].name, name) == 0)
            return table[i].answer;
    return NAME_UNKNOWN;
}

bool names_is_keyword(const char *name)
{
    static const char *const words[] = {
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
        "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
        "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
        "union", "unsigned", "void", "volatile", "while", "this_task",
        /* What generated functions call their own things. */
        "g_", "p_", "globals_", "in_", "out_", "from_", "flow_", "count_", "first_", "found_",
        "tw_", "graph_"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

tw_nearest_search names_near(const char *word)
{
    int length = (int)strlen(word), some = 1 + length / 4;
    return (tw_nearest_search){.word = word, .limit = some < length ? some : length - 1};
}
