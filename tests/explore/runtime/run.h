/* What the files of the runtime share: the plan of a search, the state of one run, its threads.
 *
 * A run is one process with one kernel thread: the explored threads are fibers (fiber.h), and at
 * each hook a strategy says which one goes on. So nothing here needs a lock. */
#ifndef EX_RUN_H
#define EX_RUN_H

#include "clock.h"
#include "fiber.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
    EX_RECENT = 8,        /* hooks per thread that a report shows */
    EX_CALLS = 256,       /* calls per thread that are remembered */
    EX_CHANGES = 16,      /* change points of PCT */
    EX_FAIR_STEPS = 2000, /* who runs for about so long while others could is taken for a spinner */
    EX_JUMPS = 20000,     /* of the clock without progress */
};

/* How the process of one run ends. */
typedef enum ex_end {
    EX_OK = 0,
    EX_DEADLOCK = 70,
    EX_ENDLESS,
    EX_WRONG,
    EX_FREED,
    EX_RACE,
    EX_LEAK,
    EX_CRASHED,
    EX_BROKEN,
} ex_end;

typedef enum ex_state {
    EX_RUNNABLE,
    EX_ON_MUTEX,
    EX_ON_SIGNAL,
    EX_ON_JOIN,
    EX_ASLEEP,
    EX_DONE,
    EX_UNUSED,
} ex_state;

typedef struct ex_event {
    const char *what;
    const volatile void *address;
    void *pc;
    uint64_t step;
} ex_event;

typedef struct ex_thread {
    int id;
    ex_state state;
    bool timed_out, detached;
    const volatile void *on; /* the mutex, condition, futex or thread it waits for */
    uint64_t deadline;       /* 0: none */
    int64_t priority;        /* PCT */
    uint64_t since;          /* the step at which it was handed the processor */
    uint64_t patience;       /* so many steps later it is taken for a spinner */
    int repeats;             /* of the same hook at the same address: a loop that waits */
    ex_fiber fiber;
    void *(*body)(void *);
    void *arg, *value;

    ex_know know;       /* own component: its time */
    ex_know acquired;   /* by relaxed loads: an acquire fence makes it known */
    ex_released *fence; /* by the last release fence: relaxed stores carry it */

    ex_event recent[EX_RECENT];
    unsigned events;
    void *calls[EX_CALLS]; /* call sites, from the hooks at entry and exit */
    int depth;
} ex_thread;

typedef struct ex_strategy {
    const char *name;
    void (*begin)(void);
    /* Who goes on; NULL when nobody can. yields: `me` waits for somebody else. Sets
     * ex.next_choice, the step at which it wants to be asked again. */
    ex_thread *(*choose)(ex_thread *me, bool yields);
} ex_strategy;

extern const ex_strategy ex_walk, ex_pct, ex_bounded;

typedef struct ex_plan {
    const ex_strategy *strategy;
    int depth;        /* PCT: change points + 1 */
    uint64_t length;  /* PCT: the contested steps of a run, measured once */
    uint64_t budget;  /* steps without progress */
    uint64_t step_ns; /* virtual time per step; 0: drawn by the seed */
    bool weak;        /* stale reads that C's memory orders allow */
    bool plain;       /* plain accesses are points, too */
    bool oom;         /* one allocation fails */
    bool races, leaks;
    bool verbose;
} ex_plan;

extern ex_plan ex_the_plan;

/* What a run tells the process that started it. */
typedef struct ex_result {
    uint64_t steps, contested, switches, hash, allocations;
    char what[96];
    void *place[2];
    int threads;
} ex_result;

typedef struct ex_run {
    ex_thread *self; /* NULL outside the explored program: hooks then do nothing */
    uint64_t steps, alarm, next_choice, next_deadline;
    uint64_t seed, rng, contested, last_progress, jumps, switches, hash;
    uint64_t base_ns, step_ns, usual_step_ns;
    bool hurry;           /* long without progress: time passes faster */
    uint32_t runnable;    /* a bit per thread */
    unsigned stay;        /* random walk: hand over at one in about so many points */
    unsigned weak_cas;    /* one in so many weak CAS fails; 0: none */
    unsigned spurious;    /* one in so many waits ends without a signal; 0: none */
    unsigned stale;       /* weak memory: one in so many loads looks for an older value */
    uint64_t oom_at;      /* the allocation that fails; 0: none */
    uint64_t allocations; /* so far */
    ex_clock sc;          /* weak memory: what fences of total order have seen */
    ex_result *result;
    int threads; /* ever used */
} ex_run;

extern ex_run ex;
extern ex_thread ex_threads[EX_THREADS];

#define EX_HERE __builtin_return_address(0)

/* schedule.c */
uint64_t ex_draw(void);
bool ex_one_in(unsigned n); /* false for 0 */
uint64_t ex_now(void);
void ex_slow_point(ex_thread *me, bool yields);
void ex_yield_point(const char *what, void *pc);
void ex_block(ex_state state, const volatile void *on, uint64_t deadline);
void ex_wake(ex_thread *t);
/* Wake up to `most` of those who wait in `state` on `on`, drawn by the seed; how many. */
int ex_wake_some(ex_state state, const volatile void *on, int most);
_Noreturn void ex_end_thread(ex_thread *me);
void ex_begin(uint64_t seed);

/* strategies.c: whether the thread seems to wait for another one without saying so */
bool ex_spins(ex_thread *me);

/* threads.c */
ex_thread *ex_new_thread(void);

/* report.c */
_Noreturn void ex_leave(ex_end end);
_Noreturn void ex_report(ex_end end, const char *what);
/* The same, about a place other than the last hook; `other` may be NULL. */
_Noreturn void ex_report_at(ex_end end, const char *what, void *pc, void *other);
void ex_print_places(void *const *pc, const char *const *text, int n);
const char *ex_end_name(int end);

static inline uint64_t ex_ns(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static inline void ex_note(ex_thread *me, const char *what, const volatile void *address, void *pc)
{
    me->recent[me->events++ % EX_RECENT] = (ex_event){what, address, pc, ex.steps};
}

/* A point where another thread may go on. */
static inline void ex_point(const char *what, const volatile void *address, void *pc)
{
    ex_thread *me = ex.self;
    if (!me)
        return;
    ex.steps++;
    ex_note(me, what, address, pc);
    if (ex.steps >= ex.alarm)
        ex_slow_point(me, false);
}

#endif
