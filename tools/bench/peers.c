/* Programs and their processes. One socket is a peer's input and output: unlike a pipe it can be
 * written without a signal when the peer is gone. */
#include "bench/peers.h"
#include "command/command.h"
#include "command/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FOLDERS = 2 };
static const double patience_to_stop = 5.0;

bool peers_open(peers *all)
{
    static const char *const places[FOLDERS] = {"peers", "../libexec/twill/peers"};
    char self[PATH_MAX] = "";
    *all = (peers){0};
    if (sched_getaffinity(0, sizeof all->mask, &all->mask) != 0)
        CPU_ZERO(&all->mask);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = '\0';
    for (int f = 0; f < FOLDERS; f++) {
        size_t size = strlen(self) + strlen(places[f]) + 2;
        all->folders[f] = malloc(size);
        if (all->folders[f])
            snprintf(all->folders[f], size, "%s/%s", slash ? self : ".", places[f]);
    }
    if (all->folders[0] && all->folders[1])
        return true;
    peers_close(all);
    return false;
}

void peers_close(peers *all)
{
    for (int f = 0; f < FOLDERS; f++)
        free(all->folders[f]);
    *all = (peers){0};
}

bool peers_find(const peers *all, const char *bench, const char *program, char path[PATH_MAX])
{
    for (int f = 0; f < FOLDERS; f++) {
        int length = snprintf(path, PATH_MAX, "%s/%s", all->folders[f], program);
        if (length < PATH_MAX && access(path, X_OK) == 0)
            return true;
    }
    complain(bench, "%s is missing: not in %s or %s", program, all->folders[0], all->folders[1]);
    return false;
}

/* In the child, where only calls that are safe after fork are allowed. */
static void become(const peers *all, const char *path, char *const *argv, int talk)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (CPU_COUNT(&all->mask) > 0)
        sched_setaffinity(0, sizeof all->mask, &all->mask);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(talk, STDIN_FILENO);
    dup2(talk, STDOUT_FILENO);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    execv(path, argv);
    _exit(127);
}

bool peer_start(const peers *all, const char *bench, const char *name, const char *path,
                const char *const *argv, peer *p)
{
    int ends[2];
    *p = (peer){.name = name, .bench = bench};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        complain(bench, "%s could not be started: %s", name, strerror(errno));
        return false;
    }
    pid_t pid = fork();
    if (pid == 0)
        become(all, path, (char *const *)argv, ends[1]);
    close(ends[1]);
    if (pid < 0) {
        complain(bench, "%s could not be started: %s", name, strerror(errno));
        close(ends[0]);
        return false;
    }
    p->pid = pid;
    p->talk = ends[0];
    return true;
}

/* Read a line, or to the end of the output. Returns its length, -1 when time is up. */
static ssize_t read_line(int fd, double limit, char *line, size_t size)
{
    double deadline = system_seconds() + limit;
    size_t used = 0;
    while (used + 1 < size) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        double left = deadline - system_seconds();
        if (left <= 0)
            return -1;
        int ready = poll(&wait, 1, (int)(1000 * left) + 1);
        if (ready < 0 && errno != EINTR)
            return -1;
        if (ready <= 0)
            continue;
        ssize_t got = read(fd, line + used, 1);
        if (got <= 0 || line[used] == '\n')
            break;
        used++;
    }
    line[used] = '\0';
    return (ssize_t)used;
}

static void end(peer *p, bool now)
{
    if (now)
        kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(p->talk);
    p->pid = 0;
}

bool peer_value(peer *p, double limit, double *value)
{
    char line[256];
    char *after;
    ssize_t length = read_line(p->talk, limit, line, sizeof line);
    if (length > 0) {
        double v = strtod(line, &after);
        if (after != line && !after[strspn(after, " \r")] && v > 0) {
            *value = v;
            return true;
        }
    }
    if (length < 0)
        complain(p->bench, "%s did not finish within %.0f s and is left out", p->name, limit);
    else
        complain(p->bench, "%s failed and is left out", p->name);
    end(p, true);
    return false;
}

bool peer_ask(peer *p, const char *line, double limit, double *value)
{
    /* When the peer is gone there is nothing to read either, and that is reported. */
    (void)!send(p->talk, line, strlen(line), MSG_NOSIGNAL);
    return peer_value(p, limit, value);
}

void peer_stop(peer *p)
{
    char line[256];
    if (p->pid <= 0)
        return;
    shutdown(p->talk, SHUT_WR);
    double deadline = system_seconds() + patience_to_stop;
    ssize_t length = 1;
    while (length > 0 && system_seconds() < deadline)
        length = read_line(p->talk, deadline - system_seconds(), line, sizeof line);
    end(p, length != 0);
}
