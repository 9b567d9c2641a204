/* Peers keep running between measurements, so that none of them pays for its start. */
#include "rivals.h"
#include "flops.h"
#include "system.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 42 };
static const double run_limit = 120.0;

static const char *const names[RIVALS] = {"twill", "openmp-gcc", "openblas"};
static const char *const programs[RIVALS] = {NULL, "openmp_potrf", "openblas_la"};

const char *rival_name(int system)
{
    return names[system];
}

bool rival_tiled(int system)
{
    return system != RIVAL_OPENBLAS;
}

/* The library with threads beside the serial one that Twill loads. */
static bool find_threaded(rivals *all, const char *serial)
{
    static const char from[] = "openblas-serial", to[] = "openblas-pthread";
    char *path = all->blas[RIVAL_OPENBLAS];
    const char *at = strstr(serial, from);
    if (at)
        snprintf(path, PATH_MAX, "%.*s%s%s", (int)(at - serial), serial, to, at + strlen(from));
    else if (strstr(serial, to)) /* Twill itself uses it, with one thread */
        snprintf(path, PATH_MAX, "%s", serial);
    if (*path && access(path, R_OK) == 0)
        return true;
    complain(all->bench, "openblas is missing: no library with threads beside %s", serial);
    return false;
}

static int find_all(rivals *all, bool with_peers)
{
    twill_blas blas;
    twill_status status = twill_blas_info(all->tw, &blas);
    if (status != TWILL_OK)
        return complain_library(all->bench, status, NULL);
    all->present[RIVAL_TWILL] = true;
    snprintf(all->kernels, sizeof all->kernels, "%s", blas.kernels);
    snprintf(all->blas[RIVAL_OPENMP], PATH_MAX, "%s", blas.path);
    for (int p = RIVAL_TWILL + 1; p < RIVALS && with_peers; p++)
        all->present[p] = peers_find(&all->peers, all->bench, programs[p], all->paths[p]);
    if (all->present[RIVAL_OPENBLAS])
        all->present[RIVAL_OPENBLAS] = find_threaded(all, blas.path);
    return STATUS_OK;
}

int rivals_open(rivals *all, const char *bench, int64_t workers, bool with_peers)
{
    memset(all, 0, sizeof *all);
    all->bench = bench;
    if (!peers_open(&all->peers)) {
        complain(bench, "no memory");
        return STATUS_SYSTEM;
    }
    int status = context_start(bench, workers, NULL, &all->tw);
    if (status == STATUS_OK)
        status = find_all(all, with_peers);
    if (status != STATUS_OK)
        rivals_close(all);
    return status;
}

void rivals_close(rivals *all)
{
    context_stop(all->tw);
    all->tw = NULL;
    peers_close(&all->peers);
}

static int start_peer(rivals *all, int system, int64_t n, int64_t nb, rival *r)
{
    char order[32], tile[32], threads[32];
    snprintf(order, sizeof order, "%" PRId64, n);
    snprintf(tile, sizeof tile, "%" PRId64, nb);
    snprintf(threads, sizeof threads, "%d", twill_workers(all->tw));
    const char *path = all->paths[system], *blas = all->blas[system];
    const char *const tiled[] = {path, order, tile, threads, "0", blas, all->kernels, NULL};
    const char *const whole[] = {path, "potrf", order, order, threads, "0", blas, "auto", NULL};
    r->running = peer_start(&all->peers, all->bench, names[system], path,
                            rival_tiled(system) ? tiled : whole, &r->peer);
    return r->running ? STATUS_OK : STATUS_SYSTEM;
}

int rival_start(rivals *all, int system, int64_t n, int64_t nb, rival *r)
{
    *r = (rival){.nb = rival_tiled(system) ? nb : 0, .bench = all->bench};
    if (system != RIVAL_TWILL)
        return start_peer(all, system, n, nb, r);
    char cause[64];
    twill_pattern pattern = twill_tiled(n, n, nb, nb);
    twill_status status = twill_array_create(all->tw, &pattern, TWILL_F64, 0, &r->array);
    r->running = status == TWILL_OK;
    snprintf(cause, sizeof cause, "--n %" PRId64 " --nb %" PRId64, n, nb);
    return r->running ? STATUS_OK : complain_library(all->bench, status, cause);
}

int rival_run(rival *r, double *gflops)
{
    if (!r->array) {
        r->running = peer_ask(&r->peer, "\n", run_limit, gflops);
        return r->running ? STATUS_OK : STATUS_SYSTEM;
    }
    int64_t info, n = twill_array_pattern(r->array)->extent[0];
    twill_status status = twill_fill_spd(r->array, SEED);
    if (status == TWILL_OK) {
        double start = system_seconds();
        status = twill_potrf(TWILL_LOWER, r->array, &info);
        *gflops = 1e-9 * flops_potrf(TWILL_F64, n) / (system_seconds() - start);
    }
    r->running = status == TWILL_OK;
    return r->running ? STATUS_OK : complain_library(r->bench, status, NULL);
}

void rival_stop(rival *r)
{
    twill_array_free(r->array);
    peer_stop(&r->peer);
    *r = (rival){0};
}
