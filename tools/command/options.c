/* Strict parsing of options: what is not in the table, or not allowed there, is refused. */
#include "command/options.h"
#include "command/terminal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64 };

/* How an option is typed. */
static const char *spelled(const option *opt, char text[NAME_SIZE])
{
    snprintf(text, NAME_SIZE, "%s%s", opt->name[1] ? "--" : "-", opt->name);
    return text;
}

static const option *find(const option_set *set, const char *name, size_t length)
{
    for (int t = 0; t < OPTION_TABLES && set->tables[t]; t++)
        for (const option *opt = set->tables[t]; opt->name; opt++)
            if (strlen(opt->name) == length && memcmp(opt->name, name, length) == 0)
                return opt;
    return NULL;
}

static void refuse_unknown(const option_set *set, const char *name, size_t length)
{
    char word[NAME_SIZE], text[NAME_SIZE];
    snprintf(word, sizeof word, "%.*s", (int)length, name + strspn(name, "-"));
    tw_nearest_search search = nearest_to(word);
    for (int t = 0; t < OPTION_TABLES && set->tables[t]; t++)
        for (const option *opt = set->tables[t]; opt->name; opt++)
            if (opt->kind != OPTION_LACKING)
                tw_nearest_offer(&search, opt->name);
    tw_nearest_offer(&search, "help");
    const option best = {.name = search.best};
    complain(set->command, "unknown option '%.*s'; did you mean '%s'?",
             (int)(strspn(name, "-") + length), name, spelled(&best, text));
}

bool parse_integer(const char *text, int64_t *value)
{
    const char *digits = text + (*text == '-');
    if (!isdigit((unsigned char)*digits))
        return false;
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (*end || errno == ERANGE)
        return false;
    *value = v;
    return true;
}

int parse_list(const char *text, int64_t least, int64_t *values, int most)
{
    for (int count = 0; count < most;) {
        char item[NAME_SIZE];
        size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return -1;
        memcpy(item, text, length);
        item[length] = '\0';
        if (!parse_integer(item, &values[count]) || values[count] < least)
            return -1;
        count++;
        if (!text[length])
            return count;
        text += length + 1;
    }
    return -1;
}

/* Is `text` one of the words that '|' separates? */
static bool is_choice(const char *allowed, const char *text)
{
    size_t length = strlen(text);
    for (const char *word = allowed;; word++) {
        size_t n = strcspn(word, "|");
        if (n == length && memcmp(word, text, n) == 0)
            return true;
        word += n;
        if (!*word)
            return false;
    }
}

/* "a|b|c" as "a, b or c". */
static void list_choices(const char *allowed, char *text, size_t size)
{
    size_t used = 0;
    const char *last = strrchr(allowed, '|');
    for (const char *c = allowed; *c && used + 5 < size; c++) {
        const char *part = *c != '|' ? (char[2]){*c, 0} : c == last ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s", part);
    }
}

static bool set_value(const option_set *set, const option *opt, const char *text, void *values)
{
    void *target = (char *)values + opt->target;
    char name[NAME_SIZE], choices[256] = "";
    spelled(opt, name);
    switch (opt->kind) {
    case OPTION_INTEGER: {
        int64_t v;
        if (parse_integer(text, &v) && v >= opt->least && v <= opt->most) {
            *(int64_t *)target = v;
            return true;
        }
        complain(set->command, "%s %s: must be an integer from %" PRId64 " to %" PRId64, name, text,
                 opt->least, opt->most);
        return false;
    }
    case OPTION_CHOICE:
        if (*text && is_choice(opt->allowed, text)) {
            *(const char **)target = text;
            return true;
        }
        list_choices(opt->allowed, choices, sizeof choices);
        complain(set->command, "%s %s: must be %s", name, text, choices);
        return false;
    default:
        if (*text) {
            *(const char **)target = text;
            return true;
        }
        complain(set->command, "%s: must not be empty, but %s", name, opt->allowed);
        return false;
    }
}

/* One option at argv[0]: how many arguments it took, or 0 after a complaint. */
static int parse_one(const option_set *set, int argc, char **argv, void *values)
{
    const char *name = argv[0] + (argv[0][1] == '-' ? 2 : 1);
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    const option *opt = find(set, name, length);
    char text[NAME_SIZE];
    /* A word after one dash is a mistake, a letter after two is not. */
    if (!opt || (opt->name[1] && name == argv[0] + 1)) {
        refuse_unknown(set, argv[0], length);
        return 0;
    }
    spelled(opt, text);
    if (opt->kind == OPTION_LACKING) {
        complain(set->command, "%s has no option %s: %s", set->command, text, opt->help);
        return 0;
    }
    if (opt->kind == OPTION_FLAG) {
        if (value)
            complain(set->command, "%s takes no value, but got '%s'", text, value);
        *(bool *)((char *)values + opt->target) = true;
        return value ? 0 : 1;
    }
    if (!value && argc < 2) {
        complain(set->command, "%s needs a value: %s", text, opt->allowed);
        return 0;
    }
    if (!set_value(set, opt, value ? value : argv[1], values))
        return 0;
    return value ? 1 : 2;
}

bool options_parse(const option_set *set, int argc, char **argv, void *values, int *status)
{
    for (int i = 1; i < argc;) {
        *status = STATUS_OK;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            options_help(set);
            return false;
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("twill %s\n", twill_version());
            return false;
        }
        *status = STATUS_USAGE;
        if (argv[i][0] != '-' || !argv[i][1]) {
            complain(set->command, "unexpected argument '%s'; options begin with a dash", argv[i]);
            return false;
        }
        int taken = parse_one(set, argc - i, argv + i, values);
        if (taken == 0)
            return false;
        i += taken;
    }
    *status = STATUS_OK;
    return true;
}

/* Is there nothing to choose? Such options are for programs that pass them everywhere. */
static bool is_fixed(const option *opt)
{
    return opt->kind == OPTION_LACKING ||
           (opt->kind == OPTION_CHOICE && !strchr(opt->allowed, '|'));
}

static void help_with(const option *opt)
{
    enum { COLUMN = 32 };
    char name[NAME_SIZE];
    int used = printf("  %s %s", spelled(opt, name), opt->allowed ? opt->allowed : "");
    used += printf("%*s", used < COLUMN ? COLUMN - used : 1, "");
    terminal_wrap(opt->help, used, COLUMN);
}

int options_help(const option_set *set)
{
    printf("usage: twill %s%s%s [options]\n\n", set->command, set->operand ? " " : "",
           set->operand ? set->operand : "");
    terminal_wrap(set->about, 0, 0);
    printf("\n");
    for (int t = 0; t < OPTION_TABLES && set->tables[t]; t++)
        for (const option *opt = set->tables[t]; opt->name; opt++)
            if (!is_fixed(opt))
                help_with(opt);
    return STATUS_OK;
}
