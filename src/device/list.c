/* Reading option devices: "cpu,opencl:0*3/room=4G/lanes=2/slow=20/fail=0.01", auto, all. */
#include "device/list.h"

#include "base/status.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static twill_status refuse(const char *entry, int length, const char *why)
{
    return tw_fail(TWILL_ERR_OPTION,
                   "option devices (TWILL_DEVICES): '%.*s': %s; write auto, all, or a list such as "
                   "cpu,cuda:0,opencl:1*2/room=4G/lanes=2",
                   length, entry, why);
}

/* A whole number from lowest to highest; moves behind it. */
static bool take_whole(const char **at, long lowest, long highest, int *number)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    long x = strtol(*at, &end, 10);
    if (x < lowest || x > highest)
        return false;
    *at = end;
    *number = (int)x;
    return true;
}

static bool take_real(const char **at, double lowest, double highest, double *number)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    double x = strtod(*at, &end);
    if (!(x >= lowest && x <= highest))
        return false;
    *at = end;
    *number = x;
    return true;
}

/* Bytes, or so many K, M, G or T. */
static bool take_bytes(const char **at, size_t *bytes)
{
    static const char units[] = "KMGT";
    double x;
    if (!take_real(at, 0, 0x1p50, &x))
        return false;
    const char *unit = **at ? strchr(units, **at) : NULL;
    for (long i = unit ? unit - units : -1; i >= 0; i--)
        x *= 1024;
    *at += unit != NULL;
    *bytes = (size_t)x;
    return x >= 1 && x <= 0x1p60;
}

static bool take_word(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* NAME=VALUE. */
static const char *take_setting(const char **at, tw_device_entry *e)
{
    if (take_word(at, "room="))
        return take_bytes(at, &e->settings.room) ? NULL : "room= wants bytes: 100M, 4G";
    if (take_word(at, "lanes="))
        return take_whole(at, 1, 64, &e->settings.lanes) ? NULL : "lanes= is from 1 to 64";
    if (take_word(at, "slow="))
        return take_real(at, 1, 1e6, &e->slow) ? NULL : "slow= is a factor from 1 to 1e6";
    if (take_word(at, "fail="))
        return take_real(at, 0, 1, &e->fail) ? NULL : "fail= is a share from 0 to 1";
    return "behind a slash come room=, lanes=, slow= or fail=";
}

/* KIND[:NUMBER][*TIMES][/NAME=VALUE ...], up to `end`. */
static const char *take_entry(const char *at, const char *end, tw_device_entry *e)
{
    *e = (tw_device_entry){.index = -1, .times = 1, .slow = 1};
    size_t length = 0;
    while (islower((unsigned char)at[length]))
        length++;
    if (length == 0 || length >= sizeof e->kind)
        return "a device is cpu, or a kind and a number";
    memcpy(e->kind, at, length);
    at += length;
    if (*at == ':' && (at++, !take_whole(&at, 0, 999, &e->index)))
        return "behind the colon stands the number of a device";
    if (*at == '*' && (at++, !take_whole(&at, 1, TW_DEVICES, &e->times)))
        return "behind the star stands how often it is opened, at most 12 times";
    while (at < end && *at == '/') {
        at++;
        const char *why = take_setting(&at, e);
        if (why)
            return why;
    }
    return at == end ? NULL : "there is something behind it that has no meaning";
}

static const char *add(tw_device_list *list, const char *at, const char *end)
{
    tw_device_entry e;
    const char *why = take_entry(at, end, &e);
    if (why)
        return why;
    if (!strcmp(e.kind, "auto") || !strcmp(e.kind, "all"))
        return "auto and all stand alone";
    if (!strcmp(e.kind, "cpu")) {
        bool plain = end - at == 3 && !list->cpu;
        list->cpu = true;
        return plain ? NULL : "cpu stands there once, without anything behind it";
    }
    if (list->n == TW_DEVICES)
        return "there are at most 12 devices";
    list->entry[list->n++] = e;
    return NULL;
}

twill_status tw_device_list_read(const char *text, tw_device_list *list)
{
    *list = (tw_device_list){0};
    list->with_cpus = !strcmp(text, "all");
    if (list->with_cpus || !strcmp(text, "auto")) {
        list->cpu = list->automatic = true;
        return TWILL_OK;
    }
    for (const char *at = text;; at++) {
        const char *end = at + strcspn(at, ",");
        const char *why = add(list, at, end);
        if (why)
            return refuse(at, (int)(end - at), why);
        if (!*end)
            return TWILL_OK;
        at = end;
    }
}
