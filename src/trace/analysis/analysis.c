/* Statistics, and asking for them. */
#include "trace/analysis/analysis.h"

#include "base/abi.h"

#include <stdlib.h>

twill_status tw_analyse(twill_trace *t)
{
    tw_analysis *a = calloc(1, sizeof *a);
    double *bottom = malloc((size_t)(t->ntasks + 1) * sizeof *bottom);
    bool good = a && bottom && tw_analyse_paths(t, a, bottom) && tw_analyse_times(t, a) &&
                tw_analyse_ready(t, a) && tw_analyse_ranks(t, a) && tw_analyse_idle(t, a, bottom);
    free(bottom);
    if (!good) {
        tw_analysis_free(a);
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the statistics of a trace");
    }
    a->total.causes = a->ncauses;
    tw_analysis_free(t->analysis);
    t->analysis = a;
    return TWILL_OK;
}

void tw_analysis_free(tw_analysis *a)
{
    if (!a)
        return;
    free(a->workers);
    free(a->classes);
    free(a->path);
    free(a->curve);
    free(a->messages);
    free(a->ranks);
    free(a->gaps);
    free(a);
}

twill_status twill_trace_stats(const twill_trace *t, twill_stats *stats)
{
    if (!t || !stats)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_trace_stats: an argument is NULL");
    return TW_ABI_OUT(twill_stats, message_bytes, stats, &t->analysis->total);
}

twill_status twill_trace_worker(const twill_trace *t, int i, twill_worker_stats *stats)
{
    if (!t || !stats || i < 0 || i >= t->nrows)
        return tw_fail(TWILL_ERR_ARGUMENT, "the trace has no worker number %d", i);
    return TW_ABI_OUT(twill_worker_stats, stolen, stats, &t->analysis->workers[i]);
}

twill_status twill_trace_class(const twill_trace *t, int i, twill_class_stats *stats)
{
    if (!t || !stats || i < 0 || i >= t->nclasses)
        return tw_fail(TWILL_ERR_ARGUMENT, "the trace has no class number %d", i);
    return TW_ABI_OUT(twill_class_stats, verdict, stats, &t->analysis->classes[i]);
}

twill_status twill_trace_rank(const twill_trace *t, int i, twill_rank_stats *stats)
{
    if (!t || !stats || i < 0 || i >= t->analysis->total.ranks)
        return tw_fail(TWILL_ERR_ARGUMENT, "the trace has no rank %d", i);
    return TW_ABI_OUT(twill_rank_stats, received_bytes, stats, &t->analysis->ranks[i]);
}

twill_status twill_trace_idle(const twill_trace *t, int i, twill_idle_cause *cause)
{
    if (!t || !cause || i < 0 || i >= t->analysis->ncauses)
        return tw_fail(TWILL_ERR_ARGUMENT, "the trace has no cause number %d", i);
    return TW_ABI_OUT(twill_idle_cause, advice, cause, &t->analysis->cause[i]);
}

twill_status twill_trace_label(twill_trace *t, const char *title, const char *command)
{
    if (!t)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_trace_label: the trace is NULL");
    twill_status status = title ? tw_trace_set_text(t, TW_TEXT_TITLE, title) : TWILL_OK;
    return status == TWILL_OK && command ? tw_trace_set_text(t, TW_TEXT_COMMAND, command) : status;
}
