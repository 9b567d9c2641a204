/* A panel is as wide as a tile, so the copy that twill_map may make stays small. */
#include "operation/transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const problem *p, const char *option, const char *folder, const char *error,
                  int status)
{
    complain(p->op, "--%s %s: %s", option, folder, error);
    return status;
}

int transfer_look(const problem *p, const char *name, char file[TRANSFER_PATH], npy *f)
{
    char error[NPY_ERROR];
    if (snprintf(file, TRANSFER_PATH, "%s/%s_in.npy", p->load, name) >= TRANSFER_PATH)
        return refuse(p, "load", p->load, strerror(ENAMETOOLONG), STATUS_USAGE);
    if (access(file, F_OK) != 0)
        snprintf(file, TRANSFER_PATH, "%s/%s.npy", p->load, name);
    if (!npy_open(file, f, error))
        return refuse(p, "load", p->load, error, STATUS_USAGE);
    npy_close(f);
    return STATUS_OK;
}

/* Slices first .. first+count-1 of the array: columns, or rows. */
static twill_view panel(twill_array *a, bool by_columns, int64_t first, int64_t count)
{
    twill_view all = twill_view_all(a);
    return by_columns ? twill_view_sub(all, 0, first, all.extent[0], count)
                      : twill_view_sub(all, first, 0, count, all.extent[1]);
}

/* Put a row into column-major memory. */
static void scatter(const char *row, int64_t length, size_t size, char *data, int64_t ld)
{
    for (int64_t j = 0; j < length; j++)
        memcpy(data + (size_t)(j * ld) * size, row + (size_t)j * size, size);
}

static bool read_panel(npy *f, int64_t count, char *data, int64_t ld, char *row)
{
    size_t size = twill_type_size(f->type);
    for (int64_t s = 0; s < count; s++) {
        if (f->by_columns) {
            if (!npy_read(f, data + (size_t)(s * ld) * size))
                return false;
        } else {
            if (!npy_read(f, row))
                return false;
            scatter(row, f->cols, size, data + (size_t)s * size, ld);
        }
    }
    return true;
}

static int load_panels(const problem *p, const char *file, npy *f, twill_array *a, char *row)
{
    int64_t slices = f->by_columns ? f->cols : f->rows;
    int64_t width = twill_array_pattern(a)->block[f->by_columns ? 1 : 0];
    for (int64_t s = 0; s < slices; s += width) {
        int64_t count = slices - s < width ? slices - s : width;
        twill_view v = panel(a, f->by_columns, s, count);
        void *data;
        int64_t ld;
        twill_status status = twill_map(v, TWILL_WRITE, &data, &ld);
        if (status != TWILL_OK)
            return complain_library(p->op, status, NULL);
        bool good = read_panel(f, count, data, ld, row);
        status = twill_unmap(v, data);
        if (status != TWILL_OK)
            return complain_library(p->op, status, NULL);
        if (!good) {
            complain(p->op, "--load %s: %s could not be read to its end", p->load, file);
            return STATUS_SYSTEM;
        }
    }
    return STATUS_OK;
}

int transfer_load(const problem *p, const char *name, twill_array *a)
{
    const twill_pattern *pattern = twill_array_pattern(a);
    char file[TRANSFER_PATH], error[NPY_ERROR];
    npy f;
    int status = transfer_look(p, name, file, &f);
    if (status != STATUS_OK)
        return status;
    if (!npy_open(file, &f, error))
        return refuse(p, "load", p->load, error, STATUS_USAGE);
    char *row = malloc((size_t)f.cols * twill_type_size(f.type) + 1);
    status = STATUS_SYSTEM;
    if (!row)
        complain(p->op, "no memory for a row of %s", file);
    else if (f.rows == pattern->extent[0] && f.cols == pattern->extent[1] && f.type == p->element)
        status = load_panels(p, file, &f, a, row);
    else
        status = refuse(p, "load", p->load, "the file changed while it was used", STATUS_USAGE);
    free(row);
    npy_close(&f);
    return status;
}

static int save_panels(const problem *p, npy *f, twill_array *a)
{
    size_t size = f->element;
    int64_t width = twill_array_pattern(a)->block[1];
    for (int64_t j = 0; j < f->cols; j += width) {
        int64_t count = f->cols - j < width ? f->cols - j : width;
        twill_view v = panel(a, true, j, count);
        void *data;
        int64_t ld;
        twill_status status = twill_map(v, TWILL_READ, &data, &ld);
        if (status != TWILL_OK)
            return complain_library(p->op, status, NULL);
        bool good = true;
        for (int64_t c = 0; c < count && good; c++)
            good = npy_write(f, (char *)data + (size_t)(c * ld) * size);
        status = twill_unmap(v, data);
        if (status != TWILL_OK)
            return complain_library(p->op, status, NULL);
        if (!good)
            break; /* the file remembers, and says so when it is closed */
    }
    return STATUS_OK;
}

int transfer_save(const problem *p, twill_array *a, const char *name)
{
    char path[1024], partial[sizeof path + 8], error[NPY_ERROR];
    const twill_pattern *pattern = twill_array_pattern(a);
    npy f;
    if (mkdir(p->save, 0777) != 0 && errno != EEXIST)
        return refuse(p, "save", p->save, strerror(errno), STATUS_USAGE);
    if (snprintf(path, sizeof path, "%s/%s", p->save, name) >= (int)sizeof path)
        return refuse(p, "save", p->save, strerror(ENAMETOOLONG), STATUS_USAGE);
    snprintf(partial, sizeof partial, "%s.part", path);
    if (!npy_create(partial, twill_array_type(a), pattern->extent[0], pattern->extent[1], &f,
                    error))
        return refuse(p, "save", p->save, error, STATUS_USAGE);
    int status = save_panels(p, &f, a);
    if (status == STATUS_OK && (!npy_close(&f) || rename(partial, path) != 0)) {
        snprintf(error, sizeof error, "%s cannot be written: %s", name, strerror(errno));
        status = refuse(p, "save", p->save, error, STATUS_SYSTEM);
    }
    if (status != STATUS_OK) {
        npy_close(&f);
        unlink(partial);
    }
    return status;
}
