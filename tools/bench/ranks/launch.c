/* A program is a process group of its own, so that a signal reaches mpirun whatever it has started;
 * its output and its errors come through two pipes. */
#include "bench/ranks/launch.h"
#include "command/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 64, LINE = 4096, OUT = 0, ERR = 1, PIPES = 2, NOT_FOUND = 127 };
static const double patience_to_stop = 5.0;

bool launch_self(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* ---- the command ------------------------------------------------------------------------- */

typedef struct words {
    char text[PATH_MAX]; /* of --mpirun, cut at blanks */
    char ranks[16], map[32];
    const char *list[WORDS];
    int count;
} words;

static void add(words *w, const char *word)
{
    if (w->count + 1 < WORDS)
        w->list[w->count++] = word;
}

/* Ranks get cores of their own; when there are too few, they share all of them. */
static void add_binding(words *w, const launcher *l, const launch_program *p)
{
    if (p->ranks * p->workers > l->cores) {
        add(w, "--oversubscribe");
        add(w, "--bind-to");
        add(w, "none");
        return;
    }
    snprintf(w->map, sizeof w->map, "slot:PE=%d", p->workers);
    add(w, "--map-by");
    add(w, w->map);
    add(w, "--bind-to");
    add(w, "core");
}

static void compose(words *w, const launcher *l, const launch_program *p)
{
    char *rest = NULL;
    *w = (words){0};
    if (p->ranks > 0) {
        snprintf(w->text, sizeof w->text, "%s", l->mpirun ? l->mpirun : "mpirun");
        for (char *word = strtok_r(w->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            add(w, word);
        snprintf(w->ranks, sizeof w->ranks, "%d", p->ranks);
        add(w, "-np");
        add(w, w->ranks);
        if (!l->mpirun)
            add_binding(w, l, p);
    }
    if (p->ranks == 0) {
        add(w, "env");
        add(w, "TWILL_MPI=off");
    }
    for (int i = 0; p->argv[i]; i++)
        add(w, p->argv[i]);
}

/* ---- lines ------------------------------------------------------------------------------- */

typedef struct reader {
    int fd; /* -1: at its end */
    char line[LINE];
    size_t used;
} reader;

typedef struct listener {
    void (*see)(void *arg, const char *line);
    void *arg;
    char *why;
} listener;

/* Of errors, the first line with words: mpirun draws lines of dashes around its own. */
static void take(const listener *l, int pipe, reader *r)
{
    r->line[r->used] = '\0';
    r->used = 0;
    if (pipe == OUT)
        l->see(l->arg, r->line);
    else if (!*l->why && r->line[0] && r->line[0] != '-')
        snprintf(l->why, LAUNCH_WHY, "%.*s", LAUNCH_WHY - 1, r->line);
}

static void read_some(const listener *l, int pipe, reader *r)
{
    char bytes[LINE];
    ssize_t got = read(r->fd, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
        return;
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] != '\n' && r->used + 1 < LINE)
            r->line[r->used++] = bytes[i];
        if (bytes[i] == '\n')
            take(l, pipe, r);
    }
    if (got > 0)
        return;
    if (r->used > 0)
        take(l, pipe, r);
    close(r->fd);
    r->fd = -1;
}

/* Until both pipes have ended. False: time is up. */
static bool listen_to(const listener *l, reader r[PIPES], double limit)
{
    double deadline = system_seconds() + limit;
    while (r[OUT].fd >= 0 || r[ERR].fd >= 0) {
        struct pollfd wait[PIPES] = {{.fd = r[OUT].fd, .events = POLLIN},
                                     {.fd = r[ERR].fd, .events = POLLIN}};
        double left = deadline - system_seconds();
        if (left <= 0)
            return false;
        int ready = poll(wait, PIPES, (int)(1000 * left) + 1);
        for (int i = 0; i < PIPES && ready > 0; i++)
            if (wait[i].revents)
                read_some(l, i, &r[i]);
    }
    return true;
}

/* ---- processes --------------------------------------------------------------------------- */

/* In the child, where only calls that are safe after fork are allowed. mpirun ends its ranks when
 * it is asked to end, which it is when this process dies. */
static void become(const launcher *l, char *const *argv, const int out[2], const int err[2])
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (CPU_COUNT(&l->mask) > 0)
        sched_setaffinity(0, sizeof l->mask, &l->mask);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    execvp(argv[0], argv);
    _exit(NOT_FOUND);
}

static bool make_pipes(int out[2], int err[2])
{
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC) == 0)
        return true;
    close(out[0]);
    close(out[1]);
    return false;
}

/* -1 when it cannot be started; errno says why. */
static pid_t start(const launcher *l, const words *w, reader r[PIPES])
{
    int out[2], err[2];
    if (!make_pipes(out, err))
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        become(l, (char *const *)w->list, out, err);
    close(out[1]);
    close(err[1]);
    r[OUT] = (reader){.fd = out[0]};
    r[ERR] = (reader){.fd = err[0]};
    return pid;
}

/* Ask it to end, and end it if it does not. */
static void stop(pid_t pid)
{
    double deadline = system_seconds() + patience_to_stop;
    const struct timespec nap = {.tv_nsec = 20000000};
    siginfo_t gone = {0};
    kill(-pid, SIGTERM);
    while (gone.si_pid == 0 && system_seconds() < deadline) {
        nanosleep(&nap, NULL);
        if (waitid(P_PID, (id_t)pid, &gone, WEXITED | WNOHANG | WNOWAIT) != 0)
            break;
    }
    kill(-pid, SIGKILL);
}

static int exit_status(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool launch(const launcher *l, const launch_program *p, void (*see)(void *arg, const char *line),
            void *arg, char why[LAUNCH_WHY])
{
    words w;
    reader *r = calloc(PIPES, sizeof *r);
    const listener hear = {see, arg, why};
    compose(&w, l, p);
    why[0] = '\0';
    pid_t pid = r ? start(l, &w, r) : -1;
    if (pid < 0) {
        snprintf(why, LAUNCH_WHY, "%s could not be started: %s", w.list[0], strerror(errno));
        free(r);
        return false;
    }
    bool in_time = listen_to(&hear, r, l->limit);
    if (!in_time)
        stop(pid);
    int status = exit_status(pid);
    for (int i = 0; i < PIPES; i++)
        if (r[i].fd >= 0)
            close(r[i].fd);
    free(r);
    if (!in_time)
        snprintf(why, LAUNCH_WHY, "it did not finish within %.0f s", l->limit);
    else if (status == NOT_FOUND && !*why)
        snprintf(why, LAUNCH_WHY, "%s could not be started", w.list[0]);
    else if (status != 0 && !*why)
        snprintf(why, LAUNCH_WHY, "its exit status is %d", status);
    return in_time && status == 0;
}
