/* Recording a context: on demand, or from its start to its end because an option says so. */
#include "engine/report/trace.h"

#include "engine/remote/gather.h"
#include "engine/remote/places.h"
#include "trace/analysis/analysis.h"
#include "trace/analysis/bandwidth.h"
#include "trace/digest.h"
#include "trace/output/claim.h"
#include "trace/output/file.h"
#include "trace/output/write.h"

#include <stdlib.h>
#include <string.h>

void tw_emit_memory(twill *tw)
{
    if (tw_has_sink(&tw->sink))
        tw_emit_now(&tw->sink,
                    &(tw_event){.kind = TW_EVENT_MEMORY, .amount = tw_data_bytes(&tw->data)});
}

/* The context's recorder, made at its first use. It stays until the context ends: a worker may have
 * it long after the recording. */
static twill_status claim_recorder(twill *tw, tw_recorder **r)
{
    twill_status status = TWILL_OK;
    tw_lock_take(&tw->graph_lock);
    if (tw->recording)
        status = tw_fail(TWILL_ERR_STATE, "the context is being recorded already%s",
                         *tw->options.text[TW_OPT_TRACE] ? ", because of TWILL_TRACE" : "");
    else if (!tw->recorder)
        status = tw_recorder_open(tw->workers, tw->membarrier, &tw->recorder);
    tw->recording |= status == TWILL_OK;
    *r = tw->recorder;
    tw_unlock(&tw->graph_lock);
    return status;
}

twill_status twill_trace_begin(twill *tw)
{
    tw_recorder *r;
    if (!tw)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_trace_begin: the context is NULL");
    twill_status status = claim_recorder(tw, &r);
    if (status != TWILL_OK)
        return status;
    tw_recorder_start(r, (size_t)tw->options.number[TW_OPT_TRACE_MIB] << 20);
    tw_add_sink(tw, tw_recorder_sink(r));
    tw_emit_memory(tw);
    tw_critical_announce(tw);
    return TWILL_OK;
}

/* What the machine could do, to judge the tasks by. */
static void add_machine(twill *tw, twill_trace *t)
{
    twill_machine m = {.size = sizeof m};
    bool costs = false;
    for (int64_t i = 0; i < t->ntasks && !costs; i++)
        costs = t->flops[i] > 0 && t->bytes[i] > 0;
    if (!costs || twill_machine_info(tw, &m) != TWILL_OK)
        return; /* there is nothing to judge: do not take the time to measure */
    t->peak = m.peak_gflops / m.cores_allowed;
    t->bandwidth = tw_bandwidth();
}

twill_status twill_trace_end(twill *tw, twill_trace **trace)
{
    if (!tw || !trace)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_trace_end: an argument is NULL");
    tw_lock_take(&tw->graph_lock);
    bool recording = tw->recording && tw_remove_sink(tw, tw_recorder_sink(tw->recorder));
    tw_unlock(&tw->graph_lock);
    if (!recording)
        return tw_fail(TWILL_ERR_STATE, "nothing is being recorded; twill_trace_begin comes first");
    tw_recorder_stop(tw->recorder);
    twill_trace *t = NULL;
    twill_status status = tw_digest(tw->recorder, &t);
    tw_recorder_clear(tw->recorder);
    tw_lock_take(&tw->graph_lock);
    tw->recording = false;
    tw_unlock(&tw->graph_lock);
    if (status != TWILL_OK)
        return status;
    add_machine(tw, t);
    tw_trace_set_cores(t, tw->topo.ncores);
    if (tw->data.ranks > 1)
        status = tw_trace_set_rank(t, tw->data.rank);
    if (status == TWILL_OK)
        status = tw_analyse(t);
    if (status == TWILL_OK)
        *trace = t;
    else
        twill_trace_free(t);
    return status;
}

/* ---- all ranks ----------------------------------------------------------------------------- */

/* Traces by rank, and what has become of them. */
typedef struct collection {
    twill_trace **parts;
    int ranks;
    twill_trace *whole;
} collection;

static twill_status take(void *arg, int rank, const void *bytes, size_t size, double time)
{
    collection *c = arg;
    char name[64];
    if (rank >= 0) {
        snprintf(name, sizeof name, "the trace of rank %d", rank);
        twill_status status = tw_file_parse(bytes, size, name, &c->parts[rank]);
        if (status == TWILL_OK)
            c->parts[rank]->origin = time;
        return status;
    }
    twill_status status = tw_trace_merge(c->parts, c->ranks, &c->whole);
    return status == TWILL_OK ? tw_analyse(c->whole) : status;
}

/* On rank 0: its own and those that come. */
static twill_status gather_here(twill *tw, twill_trace *own, double time, twill_trace **whole)
{
    collection c = {.parts = calloc((size_t)tw->data.ranks, sizeof *c.parts),
                    .ranks = tw->data.ranks};
    tw_gather_mine mine = {.time = time};
    if (c.parts)
        c.parts[0] = own;
    else
        mine.status = tw_fail(TWILL_ERR_MEMORY, "no memory for a trace of %d ranks", c.ranks);
    twill_status status = tw_gather_all(tw, &mine, take, &c);
    for (int i = 1; c.parts && i < c.ranks; i++)
        twill_trace_free(c.parts[i]);
    free(c.parts);
    if (status == TWILL_OK)
        *whole = c.whole;
    else
        twill_trace_free(c.whole);
    return status;
}

/* On other ranks: what would be in a file. */
static twill_status give(twill *tw, const twill_trace *own, double time)
{
    char *bytes = NULL;
    size_t size = 0;
    tw_gather_mine mine = {.time = time};
    FILE *out = own ? open_memstream(&bytes, &size) : NULL;
    if (out) {
        tw_file_write(out, own);
        bool failed = ferror(out);
        if (fclose(out) == 0 && !failed) {
            mine.bytes = bytes;
            mine.size = size;
        }
    }
    if (own && !mine.bytes)
        mine.status = tw_fail(TWILL_ERR_MEMORY, "no memory to send a trace");
    twill_status status = tw_gather_all(tw, &mine, NULL, NULL);
    free(bytes);
    return status;
}

twill_status twill_trace_gather(twill *tw, twill_trace **trace)
{
    if (!tw || !trace)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_trace_gather: an argument is NULL");
    if (tw_in_task(tw))
        return tw_fail(TWILL_ERR_STATE, "twill_trace_gather: not inside a task, which cannot wait");
    if (tw->data.ranks == 1)
        return TWILL_OK;
    twill_trace *own = *trace, *whole = NULL;
    double time = own ? own->origin : 0;
    twill_status status =
        tw->data.rank == 0 ? gather_here(tw, own, time, &whole) : give(tw, own, time);
    if (status != TWILL_OK)
        return status;
    twill_trace_free(own);
    *trace = whole;
    return TWILL_OK;
}

/* ---- options trace and stats --------------------------------------------------------------- */

/* Rank 0 will write it; others may not even see the folder. */
static twill_status open_file(twill *tw, const char *path)
{
    char why[TW_MESSAGE];
    twill_status status =
        tw->data.rank == 0 ? twill_trace_check_path(path) : tw_trace_check_ending(path);
    if (status == TWILL_ERR_MEMORY)
        return status;
    if (status != TWILL_OK) {
        snprintf(why, sizeof why, "%s", twill_message());
        return tw_fail(TWILL_ERR_OPTION, "option trace (TWILL_TRACE): %s", why);
    }
    tw->trace_path = tw_trace_claim(path);
    return tw->trace_path ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for a context");
}

twill_status tw_trace_open(twill *tw)
{
    const char *path = tw->options.text[TW_OPT_TRACE];
    bool stats = !strcmp(tw->options.text[TW_OPT_STATS], "on");
    if (!*path && !stats)
        return TWILL_OK;
    twill_status status = *path ? open_file(tw, path) : TWILL_OK;
    return status == TWILL_OK ? twill_trace_begin(tw) : status;
}

static void report_stats(twill *tw, const twill_trace *t)
{
    static const twill_report parts[] = {TWILL_REPORT_STATS, TWILL_REPORT_IDLE};
    for (int i = 0; i < 2; i++) {
        size_t size = twill_trace_report(t, parts[i], NULL, 0);
        char *text = size ? malloc(size) : NULL;
        if (text && twill_trace_report(t, parts[i], text, size))
            tw_report(tw, text);
        free(text);
    }
}

/* All ranks, also those that have failed to make a trace. */
static twill_status end_on_all(twill *tw, twill_trace **trace)
{
    char why[TW_MESSAGE];
    *trace = NULL;
    twill_status ended = twill_trace_end(tw, trace);
    snprintf(why, sizeof why, "%s", twill_message());
    twill_status gathered = twill_trace_gather(tw, trace);
    if (ended == TWILL_OK && gathered != TWILL_OK)
        twill_trace_free(*trace);
    return ended == TWILL_OK ? gathered : tw_fail(ended, "%s", why);
}

void tw_trace_close(twill *tw)
{
    twill_trace *t = NULL;
    if (!tw->recording || (!tw->trace_path && strcmp(tw->options.text[TW_OPT_STATS], "on") != 0))
        return; /* the program began to record, and did not want to know the end */
    twill_status status =
        tw_places_all_record(tw)
            ? end_on_all(tw, &t)
            : tw_fail(TWILL_ERR_OPTION, "the options trace and stats are not set on all ranks");
    if (status == TWILL_OK && t) {
        if (tw->trace_path)
            status = twill_trace_save(t, tw->trace_path);
        if (!strcmp(tw->options.text[TW_OPT_STATS], "on"))
            report_stats(tw, t);
        twill_trace_free(t);
    }
    if (status != TWILL_OK) {
        char text[TW_MESSAGE + 64];
        snprintf(text, sizeof text, "twill: there is no trace: %s\n", twill_message());
        tw_report(tw, text);
    }
}
