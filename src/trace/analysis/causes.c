/* The table of what idle time waited for. */
#include "trace/analysis/causes.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *advice;
} words[TW_CAUSES] = {
    [TW_CAUSE_CHAIN] = {"chain", "shorten this chain (smaller or faster tasks on it), or give the "
                                 "workers something else to do meanwhile"},
    [TW_CAUSE_JOIN] = {"join", "even out the tasks before the join, or let the next step begin "
                               "without all of them"},
    [TW_CAUSE_PRIORITY] = {"priority", "give the task that waited a higher priority"},
    [TW_CAUSE_INSERTION] = {"insertion",
                            "insert earlier, wait less often, or make the tasks larger"},
    [TW_CAUSE_WAKE_UP] = {"wake-up", "tasks come in bursts: larger ones, or a longer spin_us"},
    [TW_CAUSE_REACH] = {"reach", "tasks are tied to other workers, or too short to be worth a "
                                 "move"},
    [TW_CAUSE_OVERSUBSCRIBED] = {"oversubscribed",
                                 "start at most as many workers as there are cores "
                                 "(option workers), or give each rank its own"},
    [TW_CAUSE_TRANSFER] = {"transfer", "move less data, or earlier"},
    [TW_CAUSE_MESSAGE] = {"message",
                          "send less or earlier: tasks nearer to their data, larger tiles, "
                          "priorities for what others wait for"},
    [TW_CAUSE_END] = {"end", "too few tasks at the end: make the last ones smaller"},
    [TW_CAUSE_OTHER] = {"other", "look at the trace"},
};

/* The charge of a cause and two classes; the last one takes what does not fit. */
static tw_charge *find(tw_charges *c, tw_cause cause, int first, int second)
{
    int i = 0;
    while (i < c->n &&
           (c->list[i].cause != cause || c->list[i].first != first || c->list[i].second != second))
        i++;
    if (i == TW_CHARGES)
        return &c->list[TW_CHARGES - 1];
    if (i == c->n)
        c->list[c->n++] = (tw_charge){.cause = i < TW_CHARGES - 1 ? cause : TW_CAUSE_OTHER,
                                      .first = first,
                                      .second = second,
                                      .id = i};
    return &c->list[i];
}

/* Keep a gap; one that goes on where the last one ended is the same. */
static const tw_gap *keep(tw_charges *c, tw_gap gap)
{
    tw_gap *last = c->ngaps ? &c->gaps[c->ngaps - 1] : NULL;
    if (last && last->row == gap.row && last->cause == gap.cause && last->end >= gap.start) {
        last->end = gap.end;
        return last;
    }
    if (c->ngaps == c->room) {
        int64_t wider = c->room ? 2 * c->room : 1024;
        tw_gap *longer = realloc(c->gaps, (size_t)wider * sizeof *longer);
        if (!longer) {
            c->failed = true;
            return NULL;
        }
        c->gaps = longer;
        c->room = wider;
    }
    c->gaps[c->ngaps] = gap;
    return &c->gaps[c->ngaps++];
}

void tw_charge_add(tw_charges *c, const twill_trace *t, tw_reason reason, int row, double start,
                   double ns)
{
    int first = reason.first >= 0 ? t->cls[reason.first] : -1;
    int second = reason.second >= 0 ? t->cls[reason.second] : -1;
    tw_charge *charge = find(c, reason.cause, first, second);
    charge->ns += ns;
    const tw_gap *gap = keep(c, (tw_gap){start, start + ns, row, charge->id});
    if (gap && gap->end - gap->start > charge->longest_ns) {
        charge->longest_ns = gap->end - gap->start;
        charge->longest = reason;
    }
}

static void describe(const twill_trace *t, const tw_charge *c, char *text, size_t size)
{
    const char *first = c->first >= 0 ? tw_class_name(t, c->first) : "task";
    const char *second = c->second >= 0 ? tw_class_name(t, c->second) : "task";
    switch (c->cause) {
    case TW_CAUSE_CHAIN:
        snprintf(text, size, "%s had to end before the next %s", first, second);
        break;
    case TW_CAUSE_JOIN:
        snprintf(text, size, "%s waited for the last of several %s", second, first);
        break;
    case TW_CAUSE_PRIORITY:
        snprintf(text, size, "%s was ready, but %s was started first", first, second);
        break;
    case TW_CAUSE_INSERTION:
        snprintf(text, size, "the program had not inserted the next %s", first);
        break;
    case TW_CAUSE_WAKE_UP:
        snprintf(text, size, "tasks were ready; the worker was asleep, or waking up");
        break;
    case TW_CAUSE_REACH:
        snprintf(text, size, "tasks were ready; the worker was looking for one it may take");
        break;
    case TW_CAUSE_OVERSUBSCRIBED:
        snprintf(text, size, "tasks were ready; more workers than cores take turns on these");
        break;
    case TW_CAUSE_TRANSFER:
        snprintf(text, size, "data was on its way to the next %s", first);
        break;
    case TW_CAUSE_MESSAGE:
        snprintf(text, size, "a message of another rank was on its way to the next %s", first);
        break;
    case TW_CAUSE_END:
        if (c->first < 0)
            snprintf(text, size, "the rank had no tasks");
        else
            snprintf(text, size, "nothing came after the last tasks, %s among them", first);
        break;
    default:
        snprintf(text, size, "nobody knows what the next %s waited for", first);
        break;
    }
}

/* Three digits, in the unit in which they need no power of ten. */
static void write_length(double ns, char text[16])
{
    static const char *const units[] = {"us", "ms", "s"};
    double x = 1e-3 * ns;
    int unit = 0;
    for (; unit < 2 && x >= 999.5; unit++)
        x *= 1e-3;
    snprintf(text, 16, "%.3g %s", x, units[unit]);
}

/* What to do, and where it would help most: the tasks of the longest gap. */
static void advise(const twill_trace *t, const tw_charge *c, char *text, size_t size)
{
    char first[128], second[128], length[16];
    const tw_reason *b = &c->longest;
    int used = snprintf(text, size, "%s", words[c->cause].advice);
    if (c->longest_ns <= 0 || b->first < 0)
        return;
    tw_task_label(t, b->first, first, sizeof first);
    if (b->second >= 0)
        tw_task_label(t, b->second, second, sizeof second);
    write_length(c->longest_ns, length);
    snprintf(text + used, size - (size_t)used, "; the longest gap, %s, %s %s%s%s", length,
             c->cause == TW_CAUSE_END ? "came after" : "was for", first,
             b->second < 0                   ? ""
             : c->cause == TW_CAUSE_PRIORITY ? ", while it waited behind "
                                             : ", before ",
             b->second < 0 ? "" : second);
}

static int largest_first(const void *a, const void *b)
{
    const tw_charge *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

static void open_row(tw_analysis *a, const twill_trace *t, const tw_charge *c, int left)
{
    int at = a->ncauses++;
    bool rest = at == TW_MOST_CAUSES - 1 && left > 1;
    tw_cause cause = rest ? TW_CAUSE_OTHER : c->cause;
    a->cause[at] = (twill_idle_cause){.size = sizeof(twill_idle_cause),
                                      .cause = words[cause].name,
                                      .detail = a->detail[at],
                                      .advice = a->advice[at]};
    if (rest) {
        snprintf(a->detail[at], TW_DETAIL, "%d smaller causes", left);
        snprintf(a->advice[at], TW_ADVICE, "%s", words[cause].advice);
    } else {
        describe(t, c, a->detail[at], TW_DETAIL);
        advise(t, c, a->advice[at], TW_ADVICE);
    }
}

void tw_charges_store(tw_charges *c, const twill_trace *t, tw_analysis *a)
{
    double total = 0;
    int row_of[TW_CHARGES] = {0};
    qsort(c->list, (size_t)c->n, sizeof *c->list, largest_first);
    for (int i = 0; i < c->n; i++)
        total += c->list[i].ns;
    for (int i = 0; i < c->n; i++) {
        if (i < TW_MOST_CAUSES)
            open_row(a, t, &c->list[i], c->n - i);
        twill_idle_cause *row = &a->cause[a->ncauses - 1];
        row->seconds += 1e-9 * c->list[i].ns;
        row->share += total > 0 ? c->list[i].ns / total : 0;
        row_of[c->list[i].id] = a->ncauses - 1;
    }
    for (int64_t i = 0; i < c->ngaps; i++)
        c->gaps[i].cause = row_of[c->gaps[i].cause];
    a->gaps = c->gaps;
    a->ngaps = c->ngaps;
}
