/* Peers keep running between measurements, so that none of them pays for its start. */
#include "bench/rivals.h"
#include "command/system.h"
#include "operation/flops.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 42 };
static const double run_limit = 120.0;

static const char *const names[RIVALS] = {"twill", "tiles", "openmp-gcc", "openblas"};

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
    twill_blas blas = {.size = sizeof blas};
    twill_status status = twill_blas_info(all->tw, &blas);
    if (status != TWILL_OK)
        return complain_library(all->bench, status, NULL);
    all->present[RIVAL_TWILL] = true;
    all->present[RIVAL_TILES] = all->kind->tiles;
    snprintf(all->kernels, sizeof all->kernels, "%s", blas.kernels);
    snprintf(all->blas[RIVAL_OPENMP], PATH_MAX, "%s", blas.path);
    for (int p = 0; p < RIVALS && with_peers; p++)
        if (all->kind->programs[p])
            all->present[p] =
                peers_find(&all->peers, all->bench, all->kind->programs[p], all->paths[p]);
    if (all->present[RIVAL_OPENBLAS])
        all->present[RIVAL_OPENBLAS] = find_threaded(all, blas.path);
    return STATUS_OK;
}

int rivals_open(rivals *all, const rival_kind *kind, const char *bench, int64_t workers,
                bool with_peers)
{
    memset(all, 0, sizeof *all);
    all->kind = kind;
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

static int start_peer(const rivals *all, int system, int64_t n, int64_t nb, rival *r)
{
    char order[32], tile[32], threads[32];
    snprintf(order, sizeof order, "%" PRId64, n);
    snprintf(tile, sizeof tile, "%" PRId64, nb);
    snprintf(threads, sizeof threads, "%d", twill_workers(all->tw));
    const char *path = all->paths[system], *blas = all->blas[system];
    const char *const tiled[] = {path, order, tile, threads, "0", blas, all->kernels, NULL};
    const char *const whole[] = {path, all->kind->routine, order, order, threads, "0", blas, "auto",
                                 NULL};
    r->running = peer_start(&all->peers, all->bench, names[system], path,
                            rival_tiled(system) ? tiled : whole, &r->peer);
    return r->running ? STATUS_OK : STATUS_SYSTEM;
}

static int create_arrays(rival *r, int64_t n)
{
    char cause[64];
    twill_pattern pattern = twill_tiled(n, n, r->nb, r->nb);
    twill_status status = TWILL_OK;
    for (int i = 0; i < r->all->kind->arrays && status == TWILL_OK; i++)
        status = twill_array_create(r->all->tw, &pattern, TWILL_FLOAT64, 0, &r->x[i]);
    r->running = status == TWILL_OK;
    snprintf(cause, sizeof cause, "--n %" PRId64 " --nb %" PRId64, n, r->nb);
    return r->running ? STATUS_OK : complain_library(r->all->bench, status, cause);
}

int rival_start(const rivals *all, int system, int64_t n, int64_t nb, rival *r)
{
    *r = (rival){.all = all, .system = system, .nb = rival_tiled(system) ? nb : 0};
    if (all->kind->programs[system])
        return start_peer(all, system, n, nb, r);
    if (system == RIVAL_TWILL)
        return create_arrays(r, n);
    r->running = true;
    return STATUS_OK;
}

static twill_status run_twill(const rival *r, double *gflops)
{
    const rival_kind *kind = r->all->kind;
    twill_status status = kind->fill(r->x);
    if (status == TWILL_OK) {
        double start = system_seconds();
        status = kind->run(r->x);
        double seconds = system_seconds() - start;
        *gflops = 1e-9 * kind->flops(twill_array_pattern(r->x[0])->extent[0]) / seconds;
    }
    return status;
}

int rival_run(rival *r, double *gflops)
{
    if (r->all->kind->programs[r->system]) {
        r->running = peer_ask(&r->peer, "\n", run_limit, gflops);
        return r->running ? STATUS_OK : STATUS_SYSTEM;
    }
    twill_status status = r->system == RIVAL_TWILL
                              ? run_twill(r, gflops)
                              : twill_gemm_rate(r->all->tw, TWILL_FLOAT64, r->nb, gflops);
    r->running = status == TWILL_OK;
    return r->running ? STATUS_OK : complain_library(r->all->bench, status, NULL);
}

void rival_stop(rival *r)
{
    for (int i = 0; i < RIVAL_ARRAYS; i++)
        twill_array_free(r->x[i]);
    peer_stop(&r->peer);
    *r = (rival){0};
}

/* ---- what they do ---------------------------------------------------------------------------- */

static twill_status potrf_fill(twill_array *const *x)
{
    return twill_fill_spd(x[0], SEED);
}

static twill_status potrf_run(twill_array *const *x)
{
    int64_t info;
    return twill_potrf(TWILL_LOWER, x[0], &info);
}

static double potrf_flops(int64_t n)
{
    return flops_potrf(TWILL_FLOAT64, n);
}

const rival_kind rival_potrf = {
    .name = "potrf",
    .routine = "potrf",
    .programs = {[RIVAL_OPENMP] = "openmp_potrf", [RIVAL_OPENBLAS] = "openblas_la"},
    .arrays = 1,
    .fill = potrf_fill,
    .run = potrf_run,
    .flops = potrf_flops};

static twill_status gemm_fill(twill_array *const *x)
{
    twill_status status = TWILL_OK;
    for (int i = 0; i < 3 && status == TWILL_OK; i++)
        status = twill_fill_random(x[i], SEED + (uint64_t)i);
    return status;
}

static twill_status gemm_run(twill_array *const *x)
{
    return twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1.0), x[0], x[1], twill_real(0.0),
                      x[2]);
}

static double gemm_flops(int64_t n)
{
    return flops_gemm(TWILL_FLOAT64, n, n, n);
}

const rival_kind rival_gemm = {.name = "gemm-peak",
                               .routine = "gemm",
                               .programs = {[RIVAL_OPENBLAS] = "openblas_la"},
                               .tiles = true,
                               .arrays = 3,
                               .fill = gemm_fill,
                               .run = gemm_run,
                               .flops = gemm_flops};

const rival_kind rival_la = {
    .name = "la", .programs = {[RIVAL_OPENMP] = "openmp_potrf", [RIVAL_OPENBLAS] = "openblas_la"}};
