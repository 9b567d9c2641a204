/* The tuning file: lines of text, the last one a sum over those before.
 *
 *     twill-tune 1
 *     cpu NAME
 *     blas SIZE SECONDS NANOSECONDS PATH      the file, and when it was changed
 *     lapack SIZE SECONDS NANOSECONDS PATH
 *     kernels NAME
 *     one-tile N
 *     tile TYPE WORKERS N NB                  any number of these
 *     sum HEX
 *
 * It is written by one version of this file and read by any other, so what is not exactly like that
 * is not there. */
#include "base/status.h"
#include "la/tuning.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_SIZE = 16384 };

static uint64_t sum_of(const char *text, size_t size)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return h;
}

/* A library as it is now: a line of the file. "" for none, NULL when it is not there. */
static const char *fingerprint(const char *what, const char *path, char *line, size_t size)
{
    struct stat info;
    *line = '\0';
    if (!*path)
        return line;
    if (stat(path, &info) || strchr(path, '\n'))
        return NULL;
    snprintf(line, size, "%s %lld %lld %ld %s\n", what, (long long)info.st_size,
             (long long)info.st_mtim.tv_sec, (long)info.st_mtim.tv_nsec, path);
    return line;
}

/* ---- writing ----------------------------------------------------------------------------- */

typedef struct text {
    char bytes[FILE_SIZE];
    size_t size;
} text;

static void add(text *t, const char *format, ...) TWILL_PRINTF(2, 3);
static void add(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(t->bytes + t->size, sizeof t->bytes - t->size, format, list);
    va_end(list);
    t->size += n > 0 && t->size + (size_t)n < sizeof t->bytes ? (size_t)n : 0;
}

static twill_status add_library(text *t, const char *what, const char *path)
{
    char line[1024];
    const char *print = fingerprint(what, path, line, sizeof line);
    if (!print)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_tune_set: there is no library %s", path);
    add(t, "%s", print);
    return TWILL_OK;
}

static twill_status compose(text *t, const char *cpu, const twill_tuning *tuning)
{
    add(t, "twill-tune 1\ncpu %s\n", cpu);
    twill_status status = add_library(t, "blas", tuning->blas);
    if (status == TWILL_OK)
        status = add_library(t, "lapack", tuning->lapack);
    if (*tuning->kernels)
        add(t, "kernels %s\n", tuning->kernels);
    if (tuning->one_tile)
        add(t, "one-tile %" PRId64 "\n", tuning->one_tile);
    for (int i = 0; i < tuning->tiles; i++) {
        const twill_tuned_tile *tile = &tuning->tile[i];
        add(t, "tile %c %d %" PRId64 " %" PRId64 "\n", tile->type, tile->workers, tile->n,
            tile->nb);
    }
    add(t, "sum %016" PRIx64 "\n", sum_of(t->bytes, t->size));
    return status;
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

static bool write_all(int fd, const text *t)
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
static twill_status replace(const char *file, const text *t)
{
    char other[4200];
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

twill_status tw_tuning_write(const char *file, const char *cpu, const twill_tuning *tuning)
{
    text *t = calloc(1, sizeof *t);
    if (!t)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for %s", file);
    twill_status status = compose(t, cpu, tuning);
    if (status == TWILL_OK)
        status = replace(file, t);
    free(t);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* The file into `t`; false when it is not there, is too long, or its sum is wrong. */
static bool load(const char *file, text *t)
{
    FILE *in = fopen(file, "re");
    if (!in)
        return false;
    t->size = fread(t->bytes, 1, sizeof t->bytes - 1, in);
    bool whole = !ferror(in) && feof(in) && strlen(t->bytes) == t->size;
    fclose(in);
    char *last = whole ? strstr(t->bytes, "\nsum ") : NULL;
    if (!last)
        return false;
    char sum[32];
    *++last = '\0';
    snprintf(sum, sizeof sum, "sum %016" PRIx64 "\n", sum_of(t->bytes, (size_t)(last - t->bytes)));
    *last = 's';
    bool right = strcmp(last, sum) == 0;
    *last = '\0';
    return right;
}

/* The rest of a line that begins with `key`; NULL when it does not. */
static const char *after(const char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/* A library's line: the path, if the file is as it was. */
static bool read_library(const char *what, const char *line, char *path, size_t size)
{
    char now[1024], there[512];
    if (sscanf(line, "%*s %*s %*s %*s %511[^\n]", there) != 1)
        return false;
    const char *print = fingerprint(what, there, now, sizeof now);
    if (!print || strncmp(print, line, strlen(line)) || print[strlen(line)] != '\n')
        return false;
    snprintf(path, size, "%s", there);
    return true;
}

static bool read_tile(const char *rest, twill_tuning *t)
{
    twill_tuned_tile tile;
    char end;
    if (t->tiles == TWILL_TUNED_TILES ||
        sscanf(rest, "%c %d %" SCNd64 " %" SCNd64 "%c", &tile.type, &tile.workers, &tile.n,
               &tile.nb, &end) != 4 ||
        tile.n < 1 || tile.nb < 1)
        return false;
    t->tile[t->tiles++] = tile;
    return true;
}

static bool read_line(const char *line, const char *cpu, twill_tuning *t)
{
    const char *rest;
    if ((rest = after(line, "cpu")))
        return strcmp(rest, cpu) == 0;
    if (after(line, "blas"))
        return read_library("blas", line, t->blas, sizeof t->blas);
    if (after(line, "lapack"))
        return read_library("lapack", line, t->lapack, sizeof t->lapack);
    if ((rest = after(line, "kernels")))
        return snprintf(t->kernels, sizeof t->kernels, "%s", rest) < (int)sizeof t->kernels;
    if ((rest = after(line, "one-tile")))
        return (t->one_tile = atoll(rest)) > 0;
    rest = after(line, "tile");
    return rest && read_tile(rest, t);
}

bool tw_tuning_read(const char *file, const char *cpu, twill_tuning *tuning)
{
    text *t = calloc(1, sizeof *t);
    twill_tuning found = {.size = sizeof(twill_tuning)};
    char *rest = NULL;
    bool good = t && load(file, t);
    char *line = good ? strtok_r(t->bytes, "\n", &rest) : NULL;
    good = line && strcmp(line, "twill-tune 1") == 0;
    bool has_cpu = false;
    while (good && (line = strtok_r(NULL, "\n", &rest))) {
        has_cpu |= after(line, "cpu") != NULL;
        good = read_line(line, cpu, &found);
    }
    free(t);
    if (good && has_cpu)
        *tuning = found;
    return good && has_cpu;
}
