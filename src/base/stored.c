/* Small files that are remembered between runs. */
#include "base/stored.h"

#include "base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t sum_of(const char *text, size_t size)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return h;
}

void tw_stored_place(const char *name, const char *cpu, char *file, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    unsigned long long id = sum_of(cpu, strlen(cpu));
    int length = 0;
    if (cache && *cache == '/')
        length = snprintf(file, size, "%s/twill/%s-%016llx", cache, name, id);
    else if (home && *home == '/')
        length = snprintf(file, size, "%s/.cache/twill/%s-%016llx", home, name, id);
    if (length <= 0 || (size_t)length >= size)
        *file = '\0';
}

bool tw_stored_library(const char *path, char *text, size_t size)
{
    struct stat info;
    if (stat(path, &info) || strchr(path, '\n'))
        return false;
    int n = snprintf(text, size, "%lld %lld %ld %s", (long long)info.st_size,
                     (long long)info.st_mtim.tv_sec, (long)info.st_mtim.tv_nsec, path);
    return n > 0 && (size_t)n < size;
}

/* ---- writing ----------------------------------------------------------------------------- */

void tw_stored_free(tw_stored *t)
{
    free(t->bytes);
    *t = (tw_stored){0};
}

static bool grow(tw_stored *t, size_t size)
{
    size_t room = t->room ? t->room : 1024;
    while (room < size)
        room *= 2;
    char *bytes = room > t->room ? realloc(t->bytes, room) : t->bytes;
    if (!bytes) {
        tw_stored_free(t);
        t->room = SIZE_MAX / 4; /* so that it stays without */
        return false;
    }
    t->bytes = bytes;
    t->room = room;
    return true;
}

void tw_stored_add(tw_stored *t, const char *format, ...)
{
    va_list list, again;
    if (t->room && !t->bytes)
        return;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    if (n >= 0 && grow(t, t->size + (size_t)n + 1))
        t->size += (size_t)vsnprintf(t->bytes + t->size, (size_t)n + 1, format, again);
    va_end(again);
    va_end(list);
}

/* Make the folders above a file; whether they are there, opening it will tell. */
static void make_folders(const char *file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", file);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static bool write_all(int fd, const tw_stored *t)
{
    size_t done = 0;
    while (done < t->size) {
        ssize_t n = write(fd, t->bytes + done, t->size - done);
        if (n <= 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return fsync(fd) == 0;
}

/* Under a name of its own first, so that the name it gets always is a whole file. */
twill_status tw_stored_write(tw_stored *t, const char *file)
{
    char other[4200];
    tw_stored_add(t, "sum %016" PRIx64 "\n", sum_of(t->bytes ? t->bytes : "", t->size));
    if (!t->bytes)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for %s", file);
    make_folders(file);
    snprintf(other, sizeof other, "%s.XXXXXX", file);
    int fd = mkstemp(other);
    bool done = fd >= 0 && write_all(fd, t);
    if (fd >= 0)
        done = close(fd) == 0 && done;
    done = done && rename(other, file) == 0;
    int problem = errno;
    if (!done && fd >= 0)
        unlink(other);
    return done ? TWILL_OK
                : tw_fail(TWILL_ERR_SYSTEM, "cannot write %s: %s", file, strerror(problem));
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool read_all(tw_stored *t, const char *file, size_t most)
{
    FILE *in = fopen(file, "re");
    if (!in)
        return false;
    bool room = grow(t, most + 1);
    t->size = room ? fread(t->bytes, 1, most, in) : 0;
    bool whole = room && !ferror(in) && fgetc(in) == EOF;
    fclose(in);
    if (room)
        t->bytes[t->size] = '\0';
    return whole && strlen(t->bytes) == t->size;
}

bool tw_stored_read(tw_stored *t, const char *file, size_t most)
{
    char sum[32];
    char *last = read_all(t, file, most) ? strstr(t->bytes, "\nsum ") : NULL;
    if (!last++)
        return false;
    t->size = (size_t)(last - t->bytes);
    snprintf(sum, sizeof sum, "sum %016" PRIx64 "\n", sum_of(t->bytes, t->size));
    bool right = strcmp(last, sum) == 0;
    *last = '\0';
    return right;
}
