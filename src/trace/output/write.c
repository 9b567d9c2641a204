/* Which writer, and the colours they share. */
#include "trace/output/write.h"

#include "common/colours.h"

#include "trace/output/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *ending;
    void (*write)(FILE *out, const twill_trace *t);
} formats[] = {{"html", tw_write_html},
               {"json", tw_write_chrome},
               {"tex", tw_write_tikz},
               {"dot", tw_write_dot},
               {"twt", tw_file_write}};

enum { FORMATS = sizeof formats / sizeof *formats };

static int find_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < FORMATS; i++)
        if (!strcasecmp(dot + 1, formats[i].ending))
            return i;
    return -1;
}

twill_status tw_trace_check_ending(const char *path)
{
    if (!path)
        return tw_fail(TWILL_ERR_ARGUMENT, "the path of a trace is NULL");
    if (find_format(path) < 0)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "'%s' must end with .html, .json, .tex, .dot or .twt, which says what is "
                       "written",
                       path);
    return TWILL_OK;
}

static twill_status check_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    if (!folder)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the path of a trace");
    struct stat st;
    int why = stat(folder, &st) != 0             ? errno
              : !S_ISDIR(st.st_mode)             ? ENOTDIR
              : access(folder, W_OK | X_OK) != 0 ? errno
                                                 : 0;
    twill_status status =
        why ? tw_fail(TWILL_ERR_ARGUMENT, "'%s' cannot be written, because of its folder %s: %s",
                      path, folder, strerror(why))
            : TWILL_OK;
    free(folder);
    return status;
}

twill_status twill_trace_check_path(const char *path)
{
    twill_status status = tw_trace_check_ending(path);
    return status == TWILL_OK ? check_folder(path) : status;
}

twill_status twill_trace_save(const twill_trace *t, const char *path)
{
    if (!t)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_trace_save: the trace is NULL");
    twill_status status = tw_trace_check_ending(path);
    if (status != TWILL_OK)
        return status;
    FILE *out = fopen(path, "wb");
    if (!out)
        return tw_fail(TWILL_ERR_SYSTEM, "%s cannot be written: %s", path, strerror(errno));
    errno = 0;
    formats[find_format(path)].write(out, t);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed)
        return tw_fail(TWILL_ERR_SYSTEM, "%s cannot be written: %s", path,
                       errno ? strerror(errno) : "the system does not say why");
    return TWILL_OK;
}

tw_rgb *tw_class_colours(const twill_trace *t)
{
    size_t n = (size_t)t->nclasses;
    tw_rgb *colours = calloc(n + 1, sizeof *colours);
    const char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        names[i] = tw_class_name(t, (int64_t)i);
    if (colours && names)
        tw_colours(names, (int)n, colours);
    free(names);
    return colours;
}
