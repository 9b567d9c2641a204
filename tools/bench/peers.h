/* Peers: programs of other runtimes that benchmarks run beside Twill, each in a process of its
 * own. They print one number per measurement. */
#ifndef PEERS_H
#define PEERS_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* Where the programs are, and what they start with. */
typedef struct peers {
    cpu_set_t mask; /* the cores this process was given: Twill may bind the thread that forks */
    char *folders[2];
} peers;

/* Look around; before a context is started. False: no memory. */
bool peers_open(peers *all);
void peers_close(peers *all);

/* The path of a program. False: it is not there, which is said in one line on standard error. */
bool peers_find(const peers *all, const char *bench, const char *program, char path[PATH_MAX]);

/* A running one. */
typedef struct peer {
    pid_t pid; /* 0: none */
    int talk;  /* its standard input and output */
    const char *name;
    const char *bench;
} peer;

/* Start a program; argv ends with NULL. False after a complaint. */
bool peer_start(const peers *all, const char *bench, const char *name, const char *path,
                const char *const *argv, peer *p);

/* Wait at most `limit` seconds for a number. False, after a complaint, when none comes: then the
 * program is gone. */
bool peer_value(peer *p, double limit, double *value);

/* Ask a program that runs once per line of its input for another number. */
bool peer_ask(peer *p, const char *line, double limit, double *value);

/* End of its input, and of it. */
void peer_stop(peer *p);

#endif
