/* The end of a run, and what people are told about it. */
#include "run.h"

#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const end_names[] = {"DEADLOCK", "ENDLESS", "WRONG",   "FREED",
                                        "RACE",     "LEAK",    "CRASHED", "BROKEN"};

const char *ex_end_name(int end)
{
    static char text[32];
    if (end >= EX_DEADLOCK && end <= EX_BROKEN)
        return end_names[end - EX_DEADLOCK];
    snprintf(text, sizeof text, end > 128 ? "SIGNAL %d" : "EXIT %d", end > 128 ? end - 128 : end);
    return text;
}

/* Function, file and line of each place, after its text. */
void ex_print_places(void *const *pc, const char *const *text, int n)
{
    char command[2048], line[512];
    int at = snprintf(command, sizeof command, "addr2line -s -p -f -e /proc/%d/exe", (int)getpid());
    for (int i = 0; i < n; i++) /* the call, not what follows it */
        at +=
            snprintf(command + at, sizeof command - (size_t)at, " %p", (void *)((char *)pc[i] - 1));
    FILE *pipe = popen(command, "r");
    for (int i = 0; i < n; i++) {
        if (!pipe || !fgets(line, sizeof line, pipe))
            snprintf(line, sizeof line, "%p\n", pc[i]);
        fprintf(stderr, "    %s%s", text ? text[i] : "called from ", line);
    }
    if (pipe)
        pclose(pipe);
}

static const char *state_name(const ex_thread *t)
{
    static const char *const name[] = {
        [EX_RUNNABLE] = "can run",
        [EX_ON_MUTEX] = "waits for a mutex",
        [EX_ON_SIGNAL] = "waits for a signal",
        [EX_ON_JOIN] = "waits for an end",
        [EX_ASLEEP] = "sleeps",
        [EX_DONE] = "has ended",
    };
    return name[t->state];
}

static void print_thread(const ex_thread *t, bool running)
{
    void *pc[EX_RECENT], *calls[EX_RECENT];
    char text[EX_RECENT][96];
    const char *line[EX_RECENT];
    int n = 0, m = 0;
    fprintf(stderr, "  thread %d %s%s%s\n", t->id, state_name(t),
            t->deadline ? " (with a deadline)" : "", running ? " (running)" : "");
    if (t->state == EX_DONE)
        return;
    for (unsigned i = t->events > EX_RECENT ? t->events - EX_RECENT : 0; i < t->events; i++, n++) {
        const ex_event *e = &t->recent[i % EX_RECENT];
        snprintf(text[n], sizeof text[n], "%8llu %-10s %-14p ", (unsigned long long)e->step,
                 e->what, (const void *)(uintptr_t)e->address);
        pc[n] = e->pc;
        line[n] = text[n];
    }
    ex_print_places(pc, line, n);
    int depth = t->depth < EX_CALLS ? t->depth : EX_CALLS;
    while (depth-- > 0 && m < EX_RECENT)
        calls[m++] = t->calls[depth];
    ex_print_places(calls, NULL, m);
}

_Noreturn void ex_leave(ex_end end)
{
    ex_result *r = ex.result;
    r->steps = ex.steps;
    r->contested = ex.contested;
    r->switches = ex.switches;
    r->hash = ex.hash;
    r->allocations = ex.allocations;
    r->threads = ex.threads;
    fflush(NULL);
    _exit((int)end);
}

static void print_run(const ex_thread *me, const char *what, void *pc, void *other)
{
    fprintf(stderr, "seed %llu: %s\n  at step %llu, %.6f s of virtual time, %llu switches\n",
            (unsigned long long)ex.seed, what, (unsigned long long)ex.steps,
            1e-9 * (double)ex_now(), (unsigned long long)ex.switches);
    if (pc)
        ex_print_places((void *const[]){pc}, (const char *const[]){"here: "}, 1);
    if (other)
        ex_print_places((void *const[]){other}, (const char *const[]){"and there: "}, 1);
    for (int i = 0; i < ex.threads; i++)
        if (ex_threads[i].state != EX_UNUSED)
            print_thread(&ex_threads[i], &ex_threads[i] == me);
}

_Noreturn void ex_report_at(ex_end end, const char *what, void *pc, void *other)
{
    ex_thread *me = ex.self;
    ex.self = NULL; /* no hook does anything from here on */
    snprintf(ex.result->what, sizeof ex.result->what, "%s", what);
    ex.result->place[0] = pc;
    ex.result->place[1] = other;
    if (ex_the_plan.verbose)
        print_run(me, what, pc, other);
    ex_leave(end);
}

_Noreturn void ex_report(ex_end end, const char *what)
{
    ex_report_at(end, what, NULL, NULL);
}

void explore_wrong(const char *what)
{
    ex_report(EX_WRONG, what);
}

void explore_check(bool right, const char *what)
{
    if (!right)
        ex_report(EX_WRONG, what);
}
