/* Every rank moves its own tiles, so nothing is gathered, and the copies that twill_map may make
 * stay small. */
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

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int transfer_find(const problem *p, const char *name, source *from)
{
    bool b = p->b && strcmp(name, "B") == 0;
    const char *given = b ? p->b : p->load;
    *from = (source){.option = b ? "b" : "load"};
    if (!given || (!b && !is_folder(given) && strcmp(name, "A") != 0))
        return STATUS_OK;
    int length = b || !is_folder(given)
                     ? snprintf(from->file, TRANSFER_PATH, "%s", given)
                     : snprintf(from->file, TRANSFER_PATH, "%s/%s_in.npy", given, name);
    if (length >= TRANSFER_PATH)
        return refuse(p, from->option, given, strerror(ENAMETOOLONG), STATUS_USAGE);
    if (!b && is_folder(given) && access(from->file, F_OK) != 0)
        snprintf(from->file, TRANSFER_PATH, "%s/%s.npy", given, name);
    return STATUS_OK;
}

/* Have all ranks come so far? Collective: each says whether it has. */
static bool agree(const twill_array *a, bool good)
{
    double failures = !good;
    twill *tw = twill_array_context(a);
    if (twill_ranks(tw) == 1)
        return good;
    return twill_sum(tw, &failures, 1) == TWILL_OK && failures == 0;
}

/* Move one tile. A failure of the library is told; one of the file is left to the caller. */
static bool move_tile(const problem *p, const npy *f, twill_view v, bool in, bool *told)
{
    npy_block b = {v.start[0], v.start[1], v.extent[0], v.extent[1], NULL, 0};
    twill_status status = twill_map(v, in ? TWILL_WRITE : TWILL_READ, &b.data, &b.ld);
    bool good = status == TWILL_OK && (in ? npy_read(f, &b) : npy_write(f, &b));
    if (status == TWILL_OK)
        status = twill_unmap(v, b.data);
    *told = status != TWILL_OK;
    if (*told)
        complain_library(p->op, status, NULL);
    return good && !*told;
}

/* The tiles of this rank. */
static bool move_tiles(const problem *p, const npy *f, twill_array *a, bool in, bool *told)
{
    const twill_pattern *pattern = twill_array_pattern(a);
    int rank = twill_rank(twill_array_context(a));
    bool good = true;
    for (int64_t j = 0; j < twill_pattern_blocks(pattern, 1) && good; j++)
        for (int64_t i = 0; i < twill_pattern_blocks(pattern, 0) && good; i++)
            if (twill_owner_at(a, i, j) == rank)
                good = move_tile(p, f, twill_view_tile(a, i, j), in, told);
    return good;
}

static int load_tiles(const problem *p, const source *from, twill_array *a)
{
    bool told = false;
    if (move_tiles(p, &from->npy, a, true, &told))
        return STATUS_OK;
    if (!told)
        complain(p->op, "--%s %s: it could not be read to its end", from->option, from->file);
    return STATUS_SYSTEM;
}

int transfer_load(const problem *p, const source *from, twill_array *a)
{
    int status = load_tiles(p, from, a);
    if (!agree(a, status == STATUS_OK) && status == STATUS_OK)
        status = refuse(p, from->option, from->file, "another rank could not read the file",
                        STATUS_SYSTEM);
    return status;
}

/* Where a file will be, and where it is until it is whole. */
typedef struct paths {
    char whole[TRANSFER_PATH], partial[TRANSFER_PATH + 8];
} paths;

static int begin_save(const problem *p, const twill_array *a, const char *name, paths *at, npy *f,
                      bool more)
{
    char error[NPY_ERROR];
    const twill_pattern *pattern = twill_array_pattern(a);
    if (mkdir(p->save, 0777) != 0 && errno != EEXIST)
        return refuse(p, "save", p->save, strerror(errno), STATUS_USAGE);
    if (snprintf(at->whole, sizeof at->whole, "%s/%s", p->save, name) >= TRANSFER_PATH)
        return refuse(p, "save", p->save, strerror(ENAMETOOLONG), STATUS_USAGE);
    snprintf(at->partial, sizeof at->partial, "%s.part", at->whole);
    if (!npy_create(at->partial, twill_array_type(a), pattern->extent[0], pattern->extent[1], more,
                    f, error))
        return refuse(p, "save", p->save, error, STATUS_USAGE);
    return STATUS_OK;
}

static int write_tiles(const problem *p, npy *f, twill_array *a, const char *name)
{
    char error[NPY_ERROR];
    bool told = false;
    errno = 0;
    bool good = move_tiles(p, f, a, false, &told);
    int why = errno;
    if (npy_close(f) && good)
        return STATUS_OK;
    snprintf(error, sizeof error, "%s cannot be written: %s", name, strerror(why ? why : errno));
    return told ? STATUS_SYSTEM : refuse(p, "save", p->save, error, STATUS_SYSTEM);
}

/* Rank 0 begins the file, all write their tiles, and rank 0 gives it its name. */
int transfer_save(const problem *p, twill_array *a, const char *name)
{
    paths at;
    npy f = {0};
    bool first = twill_rank(twill_array_context(a)) == 0;
    int status = first ? begin_save(p, a, name, &at, &f, false) : STATUS_OK;
    if (!agree(a, status == STATUS_OK)) {
        npy_close(&f);
        return status == STATUS_OK ? STATUS_SYSTEM : status; /* rank 0 has said why */
    }
    if (!first)
        status = begin_save(p, a, name, &at, &f, true);
    if (status == STATUS_OK)
        status = write_tiles(p, &f, a, name);
    bool all = agree(a, status == STATUS_OK);
    if (!all && status == STATUS_OK)
        status = refuse(p, "save", p->save, "another rank could not write the file", STATUS_SYSTEM);
    if (!first)
        return status;
    if (all && rename(at.partial, at.whole) == 0)
        return STATUS_OK;
    if (all)
        status = refuse(p, "save", p->save, strerror(errno), STATUS_SYSTEM);
    unlink(at.partial);
    return status;
}
