/* Questions about a context, and arrays made in it. */
#include "base/abi.h"
#include "engine/reach/reach.h"
#include "engine/remote/remote.h"
#include "engine/report/trace.h"

int twill_workers(const twill *tw)
{
    return tw->workers;
}

int twill_rank(const twill *tw)
{
    return tw->data.rank;
}

int twill_ranks(const twill *tw)
{
    return tw->data.ranks;
}

twill_status twill_option(const twill *tw, int i, twill_option_info *info)
{
    return tw_options_info(&tw->options, i, info);
}

twill_status twill_machine_info(twill *tw, twill_machine *machine)
{
    if (!tw || !machine)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_machine_info: an argument is NULL");
    pthread_mutex_lock(&tw->wait_mutex);
    tw_topo_measure(&tw->topo);
    pthread_mutex_unlock(&tw->wait_mutex);
    return TW_ABI_OUT(twill_machine, peak_how, machine, &tw->topo.machine);
}

twill_status twill_worker_place(const twill *tw, int w, int *core, int *pu)
{
    if (w < 0 || w >= tw->workers)
        return tw_fail(TWILL_ERR_ARGUMENT, "there is no worker %d; there are %d", w, tw->workers);
    const tw_core *c = &tw->topo.cores[w % tw->topo.ncores];
    *core = tw_is_bound(tw) ? c->logical : -1;
    *pu = tw_is_bound(tw) ? c->pu : -1;
    return TWILL_OK;
}

twill_status twill_count(const twill *tw, twill_counters *counters)
{
    if (!tw || !counters)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_count: an argument is NULL");
    twill_counters sum = {.size = sizeof sum}, *c = &sum;
    for (int i = 0; i <= tw->workers; i++) {
        const tw_counters *w = &tw->worker[i].counters;
        c->inserted += atomic_load_explicit(&w->inserted, memory_order_relaxed);
        c->executed += atomic_load_explicit(&w->executed, memory_order_relaxed);
        c->skipped += atomic_load_explicit(&w->skipped, memory_order_relaxed);
        c->stolen += atomic_load_explicit(&w->stolen, memory_order_relaxed);
        c->sleeps += atomic_load_explicit(&w->sleeps, memory_order_relaxed);
    }
    tw_remote_count(tw, &c->messages, &c->bytes);
    tw_reaches_count(tw, c);
    return TW_ABI_OUT(twill_counters, sleeps, counters, &sum);
}

twill_status twill_array_create(twill *tw, const twill_pattern *pattern, twill_type type,
                                size_t bytes, twill_array **a)
{
    if (!tw || !pattern || !a)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_array_create: an argument is NULL");
    twill_status status = tw_array_create(&tw->data, tw, pattern, type, bytes, a);
    tw_emit_memory(tw);
    return status;
}

twill_status twill_array_wrap(twill *tw, const twill_pattern *pattern, twill_type type,
                              size_t bytes, void *data, int64_t ld, twill_array **a)
{
    if (!tw || !pattern || !a)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_array_wrap: an argument is NULL");
    twill_status status = tw_array_wrap(&tw->data, tw, pattern, type, bytes, data, ld, a);
    tw_emit_memory(tw);
    return status;
}

twill_status twill_array_collection(twill *tw, const twill_pattern *pattern, twill_type type,
                                    size_t bytes, const twill_collection *collection,
                                    twill_array **a)
{
    if (!tw || !pattern || !collection || !a)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_array_collection: an argument is NULL");
    return tw_array_collection(&tw->data, tw, pattern, type, bytes, collection, a);
}
