/* Starting and stopping a context. */
#include "engine/critical/account.h"
#include "engine/device/rates.h"
#include "engine/prepare.h"
#include "engine/remote/places.h"
#include "engine/report/trace.h"
#include "engine/use.h"

#include "base/abi.h"
#include "base/nearest.h"
#include "sched/choose.h"
#include "sched/sched.h"
#include "trace/record.h"

#include <twill/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Enough to look ahead, few enough that the tasks in flight stay in the caches. */
enum { TASKS_PER_WORKER = 512 };

/* ---- what schedulers are told ------------------------------------------------------------ */

static const int *env_neighbours(const twill_sched_env *env, int w)
{
    return ((twill *)env->engine)->worker[w].neighbours;
}

static void env_stolen(const twill_sched_env *env, int w, int victim, int n)
{
    twill *tw = env->engine;
    tw_count(&tw->worker[w].counters.stolen, n);
    tw_emit(&tw->sink, TW_EVENT_STEAL, w, NULL, victim, n);
}

static void env_visible(const twill_sched_env *env, int n)
{
    tw_wake(env->engine, n);
}

/* Other workers, nearest first; equally near ones in a circle, so that thieves spread. */
static void order_neighbours(twill *tw, int w)
{
    int *order = tw->worker[w].neighbours;
    int n = 0;
    for (int step = 1; step < tw->workers; step++) {
        int other = (w + step) % tw->workers;
        int d = tw_topo_distance(&tw->topo, w, other);
        int at = n++;
        while (at > 0 && tw_topo_distance(&tw->topo, w, order[at - 1]) > d) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = other;
    }
}

const twill_sched_ops *twill_scheduler(const twill *tw, int i)
{
    const twill_sched_ops *const *own = tw->own_schedulers;
    for (; i >= 0 && own && *own; own++)
        if (i-- == 0)
            return *own;
    for (const twill_sched_ops *const *s = tw_schedulers; i >= 0 && *s; s++)
        if (i-- == 0)
            return *s;
    return NULL;
}

static twill_status check_own_schedulers(const twill *tw)
{
    twill_status status = TWILL_OK;
    for (const twill_sched_ops *const *s = tw->own_schedulers; s && *s && status == TWILL_OK; s++)
        status = TW_ABI_CHECK(twill_sched_ops, reserved, *s);
    return status;
}

static twill_status find_scheduler(twill *tw)
{
    enum { MOST = 64 };
    const char *names[MOST];
    const char *wanted = tw->options.text[TW_OPT_SCHED];
    int n = 0;
    const twill_sched_ops *s;
    twill_status status = check_own_schedulers(tw);
    if (status != TWILL_OK)
        return status;
    while (n < MOST && (s = twill_scheduler(tw, n))) {
        if (!strcmp(s->name, wanted)) {
            tw->sched = s;
            return TWILL_OK;
        }
        names[n++] = s->name;
    }
    char list[256] = "";
    for (int i = 0; i < n; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
    int near = tw_nearest(wanted, names, n);
    return tw_fail(TWILL_ERR_OPTION,
                   "option sched (TWILL_SCHED): there is no scheduler '%s'%s%s%s; known: %s",
                   wanted, near >= 0 ? ", did you mean " : "", near >= 0 ? names[near] : "",
                   near >= 0 ? "?" : "", list);
}

/* ---- workers ----------------------------------------------------------------------------- */

static void *worker_main(void *arg)
{
    tw_worker *w = arg;
    twill *tw = w->tw;
    tw_become(w);
    w->looping = true;
    if (tw_is_bound(tw))
        tw_topo_bind(&tw->topo, w->index, NULL);
    tw_return(w);
    twill_task *t;
    while ((t = tw_next(w, NULL)))
        tw_run(w, t);
    tw_leave(w);
    tw_become(NULL);
    return NULL;
}

static bool open_caches(tw_worker *w)
{
    bool open = tw_cache_open(&w->epochs);
    for (int k = 0; open && k <= TW_TASK_LINES; k++)
        open = tw_cache_open(&w->tasks[k]);
    return open;
}

static twill_status make_workers(twill *tw)
{
    size_t n = (size_t)tw->workers + 1;
    tw->worker = aligned_alloc(TW_LINE, n * sizeof *tw->worker);
    if (!tw->worker)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for %d workers", tw->workers);
    memset(tw->worker, 0, n * sizeof *tw->worker);
    for (int i = 0; i <= tw->workers; i++) {
        tw_worker *w = &tw->worker[i];
        w->tw = tw;
        w->index = i;
        atomic_init(&w->requests, tw->membarrier ? 0 : TW_REQUEST_FENCE);
        tw_parker_open(&w->parker);
        tw_bell_open(&w->team.bell);
        w->neighbours = calloc(n, sizeof *w->neighbours);
        if (!w->neighbours || !open_caches(w))
            return tw_fail(TWILL_ERR_MEMORY, "no memory for %d workers", tw->workers);
        if (i < tw->workers)
            order_neighbours(tw, i);
    }
    return TWILL_OK;
}

static void stop_workers(twill *tw, int last)
{
    atomic_store_explicit(&tw->stopping, true, memory_order_relaxed);
    for (int i = 1; i <= last; i++)
        tw_unpark(&tw->worker[i].parker);
    for (int i = 1; i <= last; i++)
        pthread_join(tw->worker[i].thread, NULL);
}

static twill_status start_workers(twill *tw)
{
    for (int i = 1; i < tw->workers; i++) {
        int rc = pthread_create(&tw->worker[i].thread, NULL, worker_main, &tw->worker[i]);
        if (rc) {
            stop_workers(tw, i - 1);
            return tw_fail(TWILL_ERR_SYSTEM, "the system refuses thread %d of %d: %s", i,
                           tw->workers - 1, strerror(rc));
        }
    }
    return TWILL_OK;
}

void tw_share_cores(twill *tw)
{
    atomic_store_explicit(&tw->oversubscribed, true, memory_order_relaxed);
    if (!atomic_exchange_explicit(&tw->bind, false, memory_order_relaxed))
        return;
    for (int i = 1; i < tw->workers; i++)
        tw_topo_release(&tw->topo, tw->worker[i].thread);
}

/* ---- the context ------------------------------------------------------------------------- */

/* How many ticks of the processor's counter a microsecond has. */
static double ticks_per_us(void)
{
    double t0 = tw_seconds();
    uint64_t c0 = tw_ticks();
    while (tw_seconds() - t0 < 50e-6)
        ;
    return (double)(tw_ticks() - c0) / ((tw_seconds() - t0) * 1e6);
}

static twill_status settle_options(twill *tw)
{
    const double *number = tw->options.number;
    char text[32];
    tw->workers = (int)number[TW_OPT_WORKERS];
    if (tw->workers == 0)
        tw->workers = tw->topo.ncores;
    if (tw->sched->immediate)
        tw->workers = 1;
    snprintf(text, sizeof text, "%d", tw->workers);
    twill_status status = tw_options_resolve(&tw->options, TW_OPT_WORKERS, text);
    tw->window = (int64_t)number[TW_OPT_WINDOW];
    if (tw->window == 0)
        tw->window = TASKS_PER_WORKER * (tw->workers > 1 ? tw->workers : 2);
    snprintf(text, sizeof text, "%lld", (long long)tw->window);
    if (status == TWILL_OK)
        status = tw_options_resolve(&tw->options, TW_OPT_WINDOW, text);
    bool crowded = tw->topo.foreign || tw->workers > tw->topo.ncores;
    atomic_init(&tw->oversubscribed, crowded);
    /* Workers that share cores are moved by the system to where there is room. */
    atomic_init(&tw->bind, !crowded && !strcmp(tw->options.text[TW_OPT_BIND], "on"));
    tw->us_ticks = (uint64_t)ticks_per_us();
    tw->spin_ticks = (uint64_t)(number[TW_OPT_SPIN_US] * ticks_per_us());
    tw->patience = number[TW_OPT_PATIENCE_US] * 1e-6;
    return status;
}

static void discard(twill *tw)
{
    for (int i = 0; tw->worker && i <= tw->workers; i++) {
        tw_worker *w = &tw->worker[i];
        tw_parker_close(&w->parker);
        tw_bell_close(&w->team.bell);
        for (int k = 0; k <= TW_TASK_LINES; k++)
            tw_cache_close(&w->tasks[k]);
        tw_cache_close(&w->epochs);
        free(w->neighbours);
        free(w->scratch);
        free(w->workspace);
    }
    free(tw->worker);
    tw_devices_close(tw);
    tw_recorder_close(tw->recorder);
    tw_account_free(atomic_load_explicit(&tw->account, memory_order_relaxed));
    free(tw->trace_path);
    for (int i = 0; i <= TW_TASK_LINES; i++)
        tw_pool_close(&tw->pools[i]);
    tw_data_close(&tw->data);
    while (tw->free_graphs) {
        twill_graph *g = tw->free_graphs;
        tw->free_graphs = g->next;
        tw_graph_free_record(g);
    }
    pthread_mutex_destroy(&tw->wait_mutex);
    pthread_cond_destroy(&tw->wait_cond);
    tw_world_close(&tw->world);
    tw_services_close(&tw->services);
    hwloc_bitmap_free(tw->cpuset_before);
    tw_topo_close(&tw->topo);
    tw_options_close(&tw->options);
    free(tw);
}

static void init(twill *tw, const twill_options *given)
{
    pthread_mutex_init(&tw->wait_mutex, NULL);
    pthread_cond_init(&tw->wait_cond, NULL);
    tw_world_open(&tw->world);
    tw_services_open(&tw->services);
    tw->process = getpid();
    for (int i = 0; i <= TW_TASK_LINES; i++)
        tw_pool_open(&tw->pools[i], (size_t)(i ? i : 1) * TW_LINE);
    tw_data_open(&tw->data, tw->topo.machine.memory);
    tw->own_schedulers = given->schedulers;
    tw->report = given->report;
    tw->report_arg = given->report_arg;
    tw->env = (twill_sched_env){.size = sizeof(twill_sched_env),
                                .seed = (uint64_t)tw->options.number[TW_OPT_SCHED_SEED],
                                .neighbours = env_neighbours,
                                .stolen = env_stolen,
                                .visible = env_visible,
                                .cost = tw_rates_cost,
                                .transfer = tw_rates_transfer,
                                .explore = tw_rates_explore,
                                .now = tw_rates_now,
                                .engine = tw};
    tw->cpuset_before = hwloc_bitmap_alloc();
    tw->membarrier = tw_fence_prepare();
}

/* A policy that knows no devices stands behind one that does. */
static twill_status open_scheduler(twill *tw)
{
    twill_status status = tw_devices_open(tw);
    if (status != TWILL_OK)
        return status;
    int devices = tw->accelerated ? twill_devices(tw) : 0;
    tw->env.workers = tw->workers;
    tw->env.devices = devices;
    return tw->sched->devices || !devices
               ? tw->sched->open(&tw->env, &tw->sched_state)
               : tw_choose_before(&tw->env, tw->sched, &tw->sched, &tw->sched_state);
}

static twill_status start(twill *tw)
{
    twill_status status = tw->cpuset_before ? find_scheduler(tw)
                                            : tw_fail(TWILL_ERR_MEMORY, "no memory for a context");
    if (status == TWILL_OK)
        status = settle_options(tw);
    if (status == TWILL_OK)
        status = make_workers(tw);
    if (status != TWILL_OK)
        return status;
    status = open_scheduler(tw);
    if (status != TWILL_OK)
        return status;
    status = tw_critical_open(tw);
    if (status == TWILL_OK)
        status = tw_trace_open(tw);
    if (status != TWILL_OK)
        goto undo_sched;
    status = start_workers(tw);
    if (status != TWILL_OK)
        goto undo_sched;
    status = tw_devices_begin(tw);
    if (status == TWILL_OK)
        status = tw_watchdog_open(tw);
    if (status == TWILL_OK)
        return TWILL_OK;
    tw_services_halt(tw);
    stop_workers(tw, tw->workers - 1);
undo_sched:
    tw->policy->close(tw->policy_state);
    tw_critical_close(tw);
    return status;
}

static void tell_ignored(const twill *tw)
{
    char text[256];
    if (tw->report && twill_rank(tw) == 0 && tw_options_ignored(&tw->options, text, sizeof text))
        tw->report(tw->report_arg, text);
}

/* The program's thread becomes worker 0 when it waits. Until then, where another worker is bound
 * the two would take turns, while core 0 has nothing to do: the system moves it only after a while.
 */
static void place_program(const twill *tw)
{
    if (tw->workers > 1 && tw_is_bound(tw))
        tw_topo_place(&tw->topo, 0);
}

twill_status twill_start(twill **out, const twill_options *given)
{
    if (!out)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_start: the place for the context is NULL");
    size_t size = tw_whole_lines(sizeof(twill));
    twill *tw = aligned_alloc(TW_LINE, size);
    if (!tw)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a context");
    memset(tw, 0, size);
    twill_options options = {.size = sizeof options};
    twill_status status = given ? TW_ABI_IN(twill_options, devices, &options, given) : TWILL_OK;
    if (status == TWILL_OK)
        status = tw_options_open(&tw->options, &options);
    if (status != TWILL_OK)
        goto undo_memory;
    status = tw_topo_open(&tw->topo, tw->options.text[TW_OPT_TOPOLOGY]);
    if (status != TWILL_OK)
        goto undo_options;
    init(tw, &options);
    status = start(tw);
    if (status != TWILL_OK) {
        discard(tw);
        return status;
    }
    status = tw_remote_join(tw, options.mpi_comm);
    if (status == TWILL_OK) {
        tell_ignored(tw);
        place_program(tw);
        *out = tw;
    } else {
        twill_stop(tw);
    }
    return status;

undo_options:
    tw_options_close(&tw->options);
undo_memory:
    free(tw);
    return status;
}

twill_status tw_context_check(const twill *tw)
{
    if (tw->process == getpid())
        return TWILL_OK;
    return tw_fail(TWILL_ERR_STATE,
                   "the context belongs to process %ld, and its workers are not in this one, which "
                   "was forked from it: start a context here",
                   (long)tw->process);
}

/* A graph that no task has opened: others end with the task. */
static twill_graph *outermost(twill *tw)
{
    tw_lock_take(&tw->graph_lock);
    twill_graph *g = tw->graphs;
    while (g && tw_graph_above(g))
        g = g->next;
    tw_unlock(&tw->graph_lock);
    return g;
}

void twill_stop(twill *tw)
{
    if (!tw || tw_in_task(tw) || tw_context_check(tw) != TWILL_OK)
        return;
    tw_use_end_all(tw);
    for (twill_graph *g; (g = outermost(tw));)
        twill_graph_free(g);
    /* whoever completed the last task may still be on its way out; acquire: it is out */
    while (atomic_load_explicit(&tw->completing, memory_order_acquire))
        sched_yield();
    tw_worker *w = tw_enter(tw);
    tw_extensions_drain(tw, w);
    tw_exit(w);
    while (tw->data.arrays)
        twill_array_free(tw->data.arrays);
    tw_trace_close(tw);
    tw_watchdog_close(tw);
    tw_services_halt(tw);
    stop_workers(tw, tw->workers - 1);
    tw_remote_close(tw);
    tw_places_close(tw);
    tw->policy->close(tw->policy_state);
    tw_critical_close(tw);
    tw_extensions_close(tw);
    discard(tw);
}
