/* Running a task: its body, and what its outcome means. */
#include "engine/engine.h"

#include "base/chore.h"
#include "base/clock.h"
#include "engine/critical/critical.h"
#include "engine/device/rates.h"
#include "engine/nest.h"
#include "engine/prepare.h"

#include <stdlib.h>

static size_t scratch_bytes(const tw_slot *slot)
{
    return tw_whole_lines(slot->scratch);
}

/* At least `size` bytes behind the header, or NULL. A worker keeps one block. */
static tw_scratch *take_block(tw_worker *w, size_t size)
{
    assert(tw_is_acting(w));
    tw_scratch *block = w->scratch;
    w->scratch = NULL;
    if (tw_likely(block && block->size >= size))
        return block;
    free(block);
    block = aligned_alloc(TW_LINE, sizeof *block + size);
    if (block)
        block->size = size;
    return block;
}

static void give_block(tw_worker *w, tw_scratch *block)
{
    assert(tw_is_acting(w));
    tw_scratch *kept = w->scratch;
    if (kept && kept->size >= block->size) {
        free(block);
        return;
    }
    free(kept);
    w->scratch = block;
}

/* Scratch arguments share a block, which is the task's from before its body: an ASYNC task may be
 * over before its body returns, and until then others run. NULL when there is no memory. */
static tw_scratch *bind_scratch(tw_worker *w, twill_task *t)
{
    size_t total = 0;
    for (uint32_t i = 0; i < t->nslots; i++)
        if (t->slots[i].kind == TWILL_ARG_SCRATCH)
            total += scratch_bytes(&t->slots[i]);
    tw_scratch *block = take_block(w, total);
    char *at = (char *)(block + 1);
    for (uint32_t i = 0; i < t->nslots && block; i++) {
        if (t->slots[i].kind != TWILL_ARG_SCRATCH)
            continue;
        t->slots[i].u.data = at;
        at += scratch_bytes(&t->slots[i]);
    }
    return block;
}

void tw_scratch_release(tw_worker *w, const twill_task *t)
{
    const tw_slot *slot = t->slots;
    while (slot->kind != TWILL_ARG_SCRATCH)
        slot++;
    give_block(w, (tw_scratch *)slot->u.data - 1);
}

TW_NOINLINE static twill_outcome run_body(tw_worker *w, twill_task *t)
{
    if (tw_task_flags(t) & TW_TASK_CRITICAL && tw_critical_mode(w->tw) != TWILL_MODE_REGULAR)
        return tw_critical_run(w, t);
    const twill_chore *chore = tw_chore_of(t->cls, w->tw->workers);
    return chore->kind == TWILL_CHORE_TEAM ? tw_team_lead(w, t, chore) : chore->body.cpu(t);
}

static twill_outcome no_scratch(const twill_task *t)
{
    char title[TW_TITLE];
    tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "task %s: no memory for its scratch arguments",
                  tw_task_title(t, title));
    return TWILL_ERROR;
}

/* Behind an ASYNC body the task may be gone. A nested graph, even one that was not ended as it
 * should be, ends the task later. */
TW_NOINLINE static twill_outcome run_special(tw_worker *w, twill_task *t)
{
    if (!(tw_task_flags(t) & TW_TASK_SCRATCH))
        return run_body(w, t);
    tw_scratch *block = bind_scratch(w, t);
    if (tw_unlikely(!block))
        return no_scratch(t);
    twill_outcome outcome = run_body(w, t);
    if (outcome != TWILL_ASYNC && !(tw_task_flags(t) & TW_TASK_NESTS))
        give_block(w, block);
    return outcome;
}

void tw_skip(tw_worker *w, twill_task *t)
{
    char title[TW_TITLE];
    if (!tw_graph_failed(t->graph))
        tw_graph_fail(t->graph, TWILL_ERR_CANCELED,
                      "task %s was canceled: it reads data of a task that failed",
                      tw_task_title(t, title));
    tw_count(&w->counters.skipped, 1);
    tw_emit(&w->tw->sink, TW_EVENT_SKIP, w->index, t, -1, 0);
    tw_complete(w, t, true);
}

TW_NOINLINE static void finish(tw_worker *w, twill_task *t, twill_outcome outcome)
{
    char title[TW_TITLE];
    if (outcome == TWILL_ASYNC) /* not ours any more */
        return;
    uint16_t flags = tw_task_flags(t);
    if (flags & TW_TASK_NESTS) {
        tw_nest_abandoned(w, t);
        return;
    }
    switch (outcome) {
    case TWILL_DONE:
        tw_complete(w, t, false);
        return;
    case TWILL_ASYNC:
        return;
    case TWILL_AGAIN:
        if (t->graph->ops->park && t->graph->ops->park(t->graph, w, t))
            return;
        if (flags & TW_TASK_STAGED) { /* others may need the room meanwhile */
            tw_task_unstage(w, t, true);
            flags = tw_task_flags(t);
        }
        atomic_store_explicit(&t->flags, flags | TW_TASK_AGAIN, memory_order_relaxed);
        tw_task_set_state(t, TW_TASK_READY);
        if (tw_is_traced(w))
            tw_emit_enable(w, t, t);
        tw_postpone(w->tw, t);
        return;
    case TWILL_ERROR:
        break;
    }
    /* If it has said why, that may have been reported by now. */
    if (!(flags & TW_TASK_FAILED))
        tw_graph_fail(t->graph, TWILL_ERR_TASK, "task %s failed without saying why",
                      tw_task_title(t, title));
    tw_complete(w, t, true);
}

/* The worker turns to another graph, or to another phase of the same one. */
TW_NOINLINE static void turn_to(tw_worker *w, twill_graph *g, uint16_t phase)
{
    if (w->last)
        tw_graph_look_aside(w->last, w);
    w->last = g;
    w->last_phase = phase;
}

/* How long its body takes is to be learned, if a device could have run it as well. */
TW_NOINLINE static void begin_rating(tw_worker *w, const twill_task *t)
{
    w->rating = tw_rates_of(w->tw, t);
    w->rated_since = tw_seconds();
}

TW_NOINLINE static void end_rating(tw_worker *w, twill_outcome outcome)
{
    if (outcome == TWILL_DONE)
        tw_rates_note(w->tw, w->rating, 0, tw_seconds() - w->rated_since);
    w->rating = NULL;
}

/* False when the task cannot run now: it comes back, or is over. */
static inline bool prepare(tw_worker *w, twill_task *t, uint16_t flags)
{
    tw_prepared prepared = tw_prepare(w, t);
    if (tw_likely(prepared == TW_PREPARED)) {
        if (tw_unlikely(w->tw->accelerated))
            begin_rating(w, t);
        return true;
    }
    if (flags & TW_TASK_AGAIN) {
        atomic_store_explicit(&w->retries, false, memory_order_relaxed);
        atomic_fetch_sub_explicit(&w->tw->retrying, 1, memory_order_relaxed);
    }
    if (prepared == TW_PREPARE_FAILED)
        tw_skip(w, t);
    return false;
}

void tw_run(tw_worker *w, twill_task *t)
{
    assert(tw_self(w->tw) == w && tw_is_inside(w));
    twill_graph *g = t->graph;
    uint16_t flags = tw_task_flags(t);
    if (tw_unlikely(g != w->last || (flags & TW_TASK_PHASE) != w->last_phase))
        turn_to(w, g, flags & TW_TASK_PHASE);
    t->runner = (int16_t)w->index;
    if (tw_unlikely(tw_graph_failed(g) ||
                    flags & (TW_TASK_POISONED | TW_TASK_AGAIN | TW_TASK_FAILED))) {
        /* what it said before, perhaps in another run; now, because it may be gone after its body
         */
        atomic_store_explicit(&t->flags, flags & (uint16_t) ~(TW_TASK_AGAIN | TW_TASK_FAILED),
                              memory_order_relaxed);
        if (tw_graph_failed(g) || flags & TW_TASK_POISONED) {
            if (flags & TW_TASK_AGAIN)
                atomic_fetch_sub_explicit(&w->tw->retrying, 1, memory_order_relaxed);
            tw_skip(w, t);
            return;
        }
        atomic_store_explicit(&w->retries, flags & TW_TASK_AGAIN, memory_order_relaxed);
    }
    /* What the inserter wrote last is on another core: let it come while the body runs. */
    for (uint32_t i = 0; i < t->nslots; i++)
        __builtin_prefetch(t->slots[i].access.epoch, 1);
    if (flags & TW_TASK_PREPARE && tw_unlikely(!prepare(w, t, flags)))
        return;
    w->body_graph = g;
    w->body_flags = flags;
    /* Before the body runs: an ASYNC task may be completed by another thread before it returns. */
    tw_task_set_state(t, TW_TASK_RUNNING);
    /* release: reports that see the task see what it is */
    atomic_store_explicit(&w->running, t, memory_order_release);
    if (tw_is_traced(w))
        tw_emit_begin(w, t);
    tw_leave(w);
    const twill_chore *first = t->cls->chores;
    twill_outcome outcome = tw_unlikely(flags & TW_TASK_SPECIAL)        ? run_special(w, t)
                            : tw_likely(first->kind == TWILL_CHORE_CPU) ? first->body.cpu(t)
                                                                        : run_body(w, t);
    if (tw_unlikely(tw_return(w) & TW_REQUEST_EVENTS))
        tw_emit_end(w, t, outcome);
    if (tw_unlikely(w->rating != NULL))
        end_rating(w, outcome);
    atomic_store_explicit(&w->running, NULL, memory_order_relaxed);
    if (tw_likely(outcome == TWILL_DONE &&
                  !((flags | tw_task_flags(t)) & (TW_TASK_NESTS | TW_TASK_AGAIN)))) {
        tw_count(&w->counters.executed, 1);
        tw_complete(w, t, false);
    } else {
        tw_count(&w->counters.executed, outcome != TWILL_AGAIN);
        atomic_store_explicit(&w->retries, false, memory_order_relaxed);
        finish(w, t, outcome);
        if (flags & TW_TASK_AGAIN) /* after: it may have been counted once more */
            atomic_fetch_sub_explicit(&w->tw->retrying, 1, memory_order_relaxed);
    }
}
