/* Saving and loading: one rank makes the file or all look at it, then each reads or writes what it
 * owns, line by line. */
#include "array/file/file.h"

#include "array/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- formats ----------------------------------------------------------------------------- */

static const tw_file_format *const formats[] = {&tw_file_npy, &tw_file_raw};

int64_t tw_file_elements(const twill_file_info *info)
{
    int64_t n = 1;
    for (int d = 0; d < info->ndim; d++)
        n *= info->extent[d];
    return n;
}

twill_status tw_file_refused(const char *who, const char *path)
{
    return tw_fail(TWILL_ERR_SYSTEM, "%s: %s: %s", who, path, strerror(errno));
}

static bool ends_with(const char *path, const char *endings)
{
    size_t length = strlen(path);
    for (const char *at = endings; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (length > n && strncmp(path + length - n, at, n) == 0)
            return true;
        at += n;
    }
    return false;
}

static twill_status find_format(const char *who, const char *path, const tw_file_format **format)
{
    if (!path)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: there is no path", who);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ends_with(path, formats[i]->endings)) {
            *format = formats[i];
            return TWILL_OK;
        }
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "%s: %s: the ending says no format; there are .npy, .raw and .bin", who, path);
}

/* ---- lines ------------------------------------------------------------------------------- */

enum { BUFFER = 1 << 14 };

typedef struct transfer {
    int file;
    bool save;
    size_t size; /* of an element */
    int ndim;
    int64_t offset, step[TWILL_DIMS]; /* in the file, in bytes */
    atomic_int error;                 /* errno of the first that failed; -1: the file ends */
} transfer;

static void fail(transfer *t, ssize_t moved)
{
    int none = 0;
    atomic_compare_exchange_strong_explicit(&t->error, &none, moved < 0 ? errno : -1,
                                            memory_order_relaxed, memory_order_relaxed);
}

static void move_bytes(transfer *t, char *bytes, size_t n, int64_t at)
{
    while (n > 0) {
        ssize_t moved = t->save ? pwrite(t->file, bytes, n, at) : pread(t->file, bytes, n, at);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0) {
            fail(t, moved);
            return;
        }
        bytes += moved;
        at += moved;
        n -= (size_t)moved;
    }
}

/* Elements that are not next to each other in memory go through a buffer. */
static void move_strided(transfer *t, char *data, int64_t step, int64_t n, int64_t at)
{
    char buffer[BUFFER];
    int64_t most = t->size < BUFFER ? (int64_t)(BUFFER / t->size) : 1;
    for (int64_t i = 0; i < n; i += most) {
        int64_t m = n - i < most ? n - i : most;
        bool large = t->size > BUFFER;
        for (int64_t k = 0; k < m && t->save && !large; k++)
            memcpy(buffer + (size_t)k * t->size, data + (i + k) * step, t->size);
        move_bytes(t, large ? data + i * step : buffer, (size_t)m * t->size,
                   at + i * (int64_t)t->size);
        for (int64_t k = 0; k < m && !t->save && !large; k++)
            memcpy(data + (i + k) * step, buffer + (size_t)k * t->size, t->size);
    }
}

static void move_line(const twill_zip_line *line, void *arg)
{
    transfer *t = arg;
    int64_t at = t->offset;
    for (int d = 0; d < t->ndim; d++)
        at += line->index[d] * t->step[d];
    if (atomic_load_explicit(&t->error, memory_order_relaxed))
        return;
    if (line->step[0] == (int64_t)t->size)
        move_bytes(t, line->data[0], (size_t)line->n * t->size, at);
    else
        move_strided(t, line->data[0], line->step[0], line->n, at);
}

/* Lines along the dimension that runs fastest in the file. */
static twill_status move_all(const char *who, tw_zip *z, const char *path,
                             const tw_file_shape *shape, bool save)
{
    const twill_file_info *info = &shape->info;
    transfer t = {
        .save = save, .size = (size_t)info->bytes, .ndim = z->ndim, .offset = shape->offset};
    int64_t apart = info->bytes;
    for (int k = 0; k < z->ndim; k++) {
        int d = info->row_major ? z->ndim - 1 - k : k;
        t.step[d] = apart;
        apart *= info->extent[d];
    }
    z->fastest = info->row_major && z->ndim > 0 ? z->ndim - 1 : 0;
    t.file = open(path, (save ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    atomic_init(&t.error, t.file < 0 ? errno : 0);
    twill_status status = tw_zip_run(z, move_line, &t);
    if (t.file >= 0 && close(t.file) != 0)
        fail(&t, -1);
    int error = atomic_load_explicit(&t.error, memory_order_relaxed);
    if (status == TWILL_OK && error)
        status = tw_fail(TWILL_ERR_SYSTEM, "%s: %s: %s", who, path,
                         error < 0 ? "it is shorter than its elements" : strerror(error));
    return status;
}

/* ---- the API ----------------------------------------------------------------------------- */

static tw_file_shape shape_of(const twill_view *v)
{
    tw_file_shape s = {
        .info = {.size = sizeof s.info,
                 .type = v->array->type,
                 .ndim = twill_view_ndim(*v),
                 .bytes = (int64_t)v->array->element,
                 .row_major = (v->array->pattern.order & TWILL_ROW_MAJOR_ELEMENTS) != 0}};
    twill_view_shape(*v, s.info.extent);
    return s;
}

/* All ranks learn whether one has failed. */
static twill_status agree(const char *who, const tw_zip *z, twill_status status)
{
    bool failed = status != TWILL_OK;
    if (z->alone)
        return status;
    twill_status met = tw_array_any(z->view[0].array->context, TWILL_OK, &failed);
    if (status != TWILL_OK || met != TWILL_OK)
        return status != TWILL_OK ? status : met;
    return failed ? tw_fail(TWILL_ERR_SYSTEM, "%s: another rank failed; it says why", who)
                  : TWILL_OK;
}

twill_status twill_save(twill_view v, const char *path)
{
    const tw_file_format *format = NULL;
    tw_zip z;
    twill_status status =
        tw_zip_open(&z, "twill_save", 1, &v, (const twill_access[]){TWILL_READ}, NULL);
    if (status == TWILL_OK)
        status = find_format("twill_save", path, &format);
    if (status != TWILL_OK)
        return status;
    tw_file_shape shape = shape_of(&v), made = shape;
    if (z.alone || v.array->shared->rank == 0)
        status = format->create(path, &made);
    status = agree("twill_save", &z, status);
    if (status == TWILL_OK && !z.alone && format->look && v.array->shared->rank != 0)
        status = format->look(path, &made);
    status = agree("twill_save", &z, status);
    if (status == TWILL_OK)
        status = agree("twill_save", &z, move_all("twill_save", &z, path, &made, true));
    return status;
}

static twill_status compare(const char *path, const twill_file_info *file,
                            const twill_file_info *view)
{
    bool fits = file->ndim == view->ndim;
    for (int d = 0; d < view->ndim && fits; d++)
        fits = file->extent[d] == view->extent[d];
    if (!fits)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_load: %s: its shape is not that of the view, which has %d dimensions "
                       "and %lld elements along the first one",
                       path, view->ndim, (long long)view->extent[0]);
    if (file->bytes != view->bytes || (view->type != TWILL_BYTES && file->type != view->type))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_load: %s: its elements are of another type",
                       path);
    return TWILL_OK;
}

static twill_status check_size(const char *path, const tw_file_shape *shape)
{
    struct stat st;
    int64_t wanted = shape->offset + tw_file_elements(&shape->info) * shape->info.bytes;
    if (stat(path, &st) != 0)
        return tw_file_refused("twill_load", path);
    if (st.st_size < wanted)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_load: %s: it has %lld bytes, and %lld are wanted",
                       path, (long long)st.st_size, (long long)wanted);
    return TWILL_OK;
}

twill_status twill_load(const char *path, twill_view v)
{
    const tw_file_format *format = NULL;
    tw_zip z;
    twill_status status =
        tw_zip_open(&z, "twill_load", 1, &v, (const twill_access[]){TWILL_WRITE}, NULL);
    if (status == TWILL_OK)
        status = find_format("twill_load", path, &format);
    if (status != TWILL_OK)
        return status;
    tw_file_shape shape = shape_of(&v), found = shape;
    if (format->look)
        status = format->look(path, &found);
    if (status == TWILL_OK)
        status = compare(path, &found.info, &shape.info);
    if (status == TWILL_OK)
        status = check_size(path, &found);
    status = agree("twill_load", &z, status);
    if (status == TWILL_OK)
        status = agree("twill_load", &z, move_all("twill_load", &z, path, &found, false));
    return status;
}

twill_status twill_file_look(const char *path, twill_file_info *info)
{
    const tw_file_format *format = NULL;
    tw_file_shape shape = {.info = {.size = sizeof *info}};
    if (!info || info->size < sizeof *info)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_file_look: the info needs its size");
    twill_status status = find_format("twill_file_look", path, &format);
    if (status == TWILL_OK && !format->look)
        status = tw_fail(TWILL_ERR_UNSUPPORTED,
                         "twill_file_look: %s: raw files do not say what is "
                         "in them",
                         path);
    if (status == TWILL_OK)
        status = format->look(path, &shape);
    if (status == TWILL_OK) {
        shape.info.size = info->size;
        *info = shape.info;
    }
    return status;
}
