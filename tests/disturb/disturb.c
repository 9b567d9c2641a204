/* A library to preload that disturbs a program at random times, without the program's help.
 *
 * TW_DISTURB=interrupts: 10,000 signals a second, each to one of its threads; some of them make the
 * thread give up its core or sleep where it stands. TW_DISTURB=stop: another process stops all
 * threads at once and lets them go on. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_NS = 100000, MOST_THREADS = 256, TICKS_PER_LOOK = 64 };

/* Not ours alone to use, but whoever does not handle it does not notice it. */
static const int signal_number = SIGURG;

static uint64_t step(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void nap(uint64_t ns)
{
    nanosleep(&(struct timespec){0, (long)ns}, NULL);
}

/* ---- interrupts ---------------------------------------------------------------------------- */

static void interrupted(int number)
{
    static _Thread_local uint64_t state;
    int before = errno;
    (void)number;
    if (!state)
        state = (uint64_t)(uintptr_t)&state;
    uint64_t r = step(&state);
    if (r % 64 == 0)
        nap(r / 64 % 200000);
    else if (r % 8 == 0)
        sched_yield();
    errno = before;
}

static int list_threads(int *threads)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *e; folder && n < MOST_THREADS && (e = readdir(folder));)
        if (*e->d_name != '.' && atoi(e->d_name) != gettid())
            threads[n++] = atoi(e->d_name);
    if (folder)
        closedir(folder);
    return n;
}

static void *interrupt_for_ever(void *arg)
{
    int threads[MOST_THREADS], n = 0;
    uint64_t state = (uint64_t)getpid() | (uint64_t)(uintptr_t)arg;
    struct timespec next;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_TIMERSLACK, 1);
    clock_gettime(CLOCK_MONOTONIC, &next);
    /* times are absolute: a tick that comes late is followed by those that it delayed */
    for (uint64_t tick = 0;; tick++) {
        if (tick % TICKS_PER_LOOK == 0)
            n = list_threads(threads);
        if (n > 0) /* a thread that has ended meanwhile gets nothing */
            syscall(SYS_tgkill, getpid(), threads[step(&state) % (uint64_t)n], signal_number);
        next.tv_nsec += PERIOD_NS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    return NULL;
}

static void interrupt(void)
{
    /* system calls that can be interrupted are: nothing restarts them */
    struct sigaction action = {.sa_handler = interrupted};
    pthread_t thread;
    sigaction(signal_number, &action, NULL);
    pthread_create(&thread, NULL, interrupt_for_ever, NULL);
    pthread_detach(thread);
}

/* ---- stops --------------------------------------------------------------------------------- */

static void stop_for_ever(pid_t program)
{
    uint64_t state = (uint64_t)program;
    /* It ends with the program, and keeps none of its files open. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < 64; fd++)
        close(fd);
    while (getppid() == program) {
        nap(step(&state) % 3000000);
        kill(program, SIGSTOP);
        nap(step(&state) % 1000000);
        kill(program, SIGCONT);
    }
    _exit(0);
}

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("TW_DISTURB");
    pid_t program = getpid();
    if (kind && !strcmp(kind, "interrupts"))
        interrupt();
    else if (kind && !strcmp(kind, "stop") && fork() == 0)
        stop_for_ever(program);
}
