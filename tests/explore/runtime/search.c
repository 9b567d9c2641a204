/* A forked process for each run; the search with seeds. */
#include "search.h"

#include "heap.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int explored_main(int argc, char **argv);

double ex_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- inside the process of a run ------------------------------------------------------------ */

static const ex_search *now;

static void crashed(int number)
{
    signal(number, SIG_DFL);
    if (ex.self)
        ex_report_at(EX_CRASHED, strsignal(number),
                     ex.self->recent[(ex.self->events - 1) % EX_RECENT].pc, NULL);
    _exit(EX_BROKEN); /* in the runtime itself, or in a report */
}

/* On a stack of its own: the program's may be what overflowed. */
static void catch_signals(void)
{
    static char stack[64 * 1024];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction act = {.sa_handler = crashed, .sa_flags = SA_ONSTACK};
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &act, NULL);
    alarm(120); /* real time: the runtime itself hangs */
}

static void first_fiber(void)
{
    int rc = explored_main(now->argc, now->argv);
    if (rc)
        ex_report(EX_WRONG, "the program did not return 0");
    if (ex_the_plan.leaks)
        ex_heap_close();
    ex.self = NULL;
    ex_leave(EX_OK);
}

/* What the environment leaves open belongs to the seed: enough cores for all workers, or two. */
static void set_environment(uint64_t seed)
{
    setenv("TWILL_TOPOLOGY", seed % 2 ? "core:2 pu:1" : "core:8 pu:1", 0);
}

static _Noreturn void explore(uint64_t seed)
{
    if (!ex_the_plan.verbose &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        _exit(EX_BROKEN);
    catch_signals();
    set_environment(seed);
    ex_begin(seed);
    ex_thread *t = ex_new_thread();
    ex_fiber here;
    ex_fiber_begin(&t->fiber, t->id, first_fiber);
    ex.self = t;
    ex_fiber_switch(&here, &t->fiber);
    abort();
}

/* ---- outside ------------------------------------------------------------------------------- */

int ex_run_one(const ex_search *s, uint64_t seed, bool verbose, ex_result *result)
{
    static ex_result *shared;
    if (!shared)
        shared =
            mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(shared, 0, sizeof *shared);
    ex.result = shared;
    now = s;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        ex_the_plan.verbose = verbose;
        explore(seed);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        perror("explore: cannot start a process");
        exit(2);
    }
    *result = *shared;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* FILE:LINE of up to two places, for the line about a failure. */
static void print_short_places(const ex_result *r)
{
    char command[256], line[512];
    for (int i = 0; i < 2; i++) {
        if (!r->place[i])
            continue;
        snprintf(command, sizeof command, "addr2line -s -e /proc/%d/exe %p", (int)getpid(),
                 (void *)((char *)r->place[i] - 1));
        FILE *pipe = popen(command, "r");
        if (pipe && fgets(line, sizeof line, pipe)) {
            line[strcspn(line, " \n")] = 0;
            printf("%s%s", i ? " and " : " at ", line);
        }
        if (pipe)
            pclose(pipe);
    }
}

void ex_print_failure(const ex_result *r, int end, uint64_t seed, const char *choices)
{
    printf("seed %llu%s%s: %s, %s", (unsigned long long)seed, choices ? " choices " : "",
           choices ? choices : "", ex_end_name(end), r->what);
    print_short_places(r);
    printf("; %llu steps, schedule %016llx\n", (unsigned long long)r->steps,
           (unsigned long long)r->hash);
    fflush(stdout);
}

/* PCT's bound for a bug of depth d with n threads and k steps, were there no spinning threads. */
static void print_bound(const ex_result *r)
{
    double p = 1.0 / (r->threads > 0 ? r->threads : 1);
    for (int i = 1; i < ex_the_plan.depth; i++)
        p /= (double)(ex_the_plan.length ? ex_the_plan.length : 1);
    printf(
        "pct: a bug of depth %d is found by a run with probability at least 1/(n k^(d-1)) = %.2g "
        "for n = %d threads, k = %llu steps at which more than one could run; this assumes that "
        "no thread spins: those that do lose their priority, which the bound does not count\n",
        ex_the_plan.depth, p, r->threads, (unsigned long long)ex_the_plan.length);
}

/* How long is a run? Without change points. */
static void measure(const ex_search *s)
{
    ex_result r;
    int depth = ex_the_plan.depth;
    ex_the_plan.depth = 1;
    ex_run_one(s, 0, false, &r);
    ex_the_plan.depth = depth;
    ex_the_plan.length = r.contested;
    print_bound(&r);
}

uint64_t ex_search_seeds(const ex_search *s)
{
    uint64_t runs = 0, steps = 0, failed = 0;
    double begin = ex_seconds();
    ex_result r;
    if (ex_the_plan.strategy == &ex_pct)
        measure(s);
    while (runs < s->seeds && (s->all || !failed)) {
        if (s->seconds > 0 && ex_seconds() - begin >= s->seconds)
            break;
        uint64_t seed = s->first + runs++;
        int end = ex_run_one(s, seed, false, &r);
        steps += r.steps;
        if (end == EX_OK)
            continue;
        failed++;
        ex_print_failure(&r, end, seed, NULL);
    }
    printf("%llu runs, %llu failed, %.2f million steps, %.2f s\n", (unsigned long long)runs,
           (unsigned long long)failed, 1e-6 * (double)steps, ex_seconds() - begin);
    return failed;
}
