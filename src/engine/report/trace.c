/* Recording a context: on demand, or from its start to its end because an option says so. */
#include "engine/report/trace.h"

#include "trace/analysis/analysis.h"
#include "trace/analysis/bandwidth.h"
#include "trace/digest.h"

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
    tw_set_sink(tw, tw_recorder_sink(r));
    tw_emit_memory(tw);
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
    bool recording = tw->recording && atomic_load_explicit(&tw->sink, memory_order_relaxed);
    if (recording)
        tw_set_sink(tw, NULL);
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
    status = tw_analyse(t);
    if (status == TWILL_OK)
        *trace = t;
    else
        twill_trace_free(t);
    return status;
}

/* ---- options trace and stats --------------------------------------------------------------- */

twill_status tw_trace_open(twill *tw)
{
    const char *path = tw->options.text[TW_OPT_TRACE];
    bool stats = !strcmp(tw->options.text[TW_OPT_STATS], "on");
    if (!*path && !stats)
        return TWILL_OK;
    if (*path && twill_trace_check_path(path) != TWILL_OK)
        return tw_fail(TWILL_ERR_OPTION,
                       "option trace (TWILL_TRACE): '%s' must end with .html, .json, .tex, .dot or "
                       ".twt, which says what is written",
                       path);
    return twill_trace_begin(tw);
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

void tw_trace_close(twill *tw)
{
    const char *path = tw->options.text[TW_OPT_TRACE];
    twill_trace *t;
    if (!tw->recording || (!*path && strcmp(tw->options.text[TW_OPT_STATS], "on") != 0))
        return; /* the program began to record, and did not want to know the end */
    twill_status status = twill_trace_end(tw, &t);
    if (status == TWILL_OK) {
        if (*path)
            status = twill_trace_save(t, path);
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
