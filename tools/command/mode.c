/* --mode, --reserved and --prescribed. */
#include "command/mode.h"

#include "command/options.h"

#include <stdlib.h>

static int read_sizes(const char *who, const char *text, int **sizes, int64_t *count)
{
    int most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    int64_t *values = calloc((size_t)most, sizeof *values);
    int *list = calloc((size_t)most, sizeof *list);
    int n = values && list ? parse_list(text, 1, values, most) : 0;
    for (int i = 0; i < n; i++)
        list[i] = values[i] < 1024 ? (int)values[i] : 1024;
    free(values);
    if (n > 0) {
        *sizes = list;
        *count = n;
        return STATUS_OK;
    }
    free(list);
    complain(who, "--prescribed %s: numbers of workers from 1 up, separated by commas", text);
    return STATUS_USAGE;
}

int mode_sizes(const char *who, const char *mode, const char *prescribed, int **sizes,
               int64_t *count)
{
    *sizes = NULL;
    *count = 0;
    bool wanted = *mode == 'p';
    if (wanted && !prescribed) {
        complain(who, "--mode prescribed wants --prescribed q,q,...: workers for each task of the "
                      "critical path");
        return STATUS_USAGE;
    }
    if (!wanted && prescribed) {
        complain(who, "--prescribed %s: only with --mode prescribed", prescribed);
        return STATUS_USAGE;
    }
    return wanted ? read_sizes(who, prescribed, sizes, count) : STATUS_OK;
}

static twill_mode mode_of(const char *name)
{
    switch (*name) {
    case 'f':
        return TWILL_MODE_FIXED;
    case 'p':
        return TWILL_MODE_PRESCRIBED;
    case 'a':
        return TWILL_MODE_ADAPTIVE;
    default:
        return TWILL_MODE_REGULAR;
    }
}

int mode_set(const char *who, twill *tw, const char *mode, int64_t reserved, const char *prescribed)
{
    int *sizes;
    twill_critical critical = {
        .size = sizeof critical, .mode = mode_of(mode), .reserved = (int)reserved};
    int status = mode_sizes(who, mode, prescribed, &sizes, &critical.prescribed_count);
    if (status != STATUS_OK)
        return status;
    critical.prescribed = sizes;
    twill_status set = twill_critical_set(tw, &critical);
    free(sizes);
    return set == TWILL_OK ? STATUS_OK : complain_library(who, set, "--mode");
}
