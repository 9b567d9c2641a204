/*
 * What every peer program shares: the environment it must start with, clock, number parsing,
 * storage, and the loop that runs repetitions by count or on request.
 */
#ifndef TWILL_BENCH_PEERS_PEER_H
#define TWILL_BENCH_PEERS_PEER_H

#include <stdbool.h>
#include <stddef.h>

struct peer_setting {
    const char *name;
    const char *value;
};

/* Prints the message and ends the process with status 1. */
_Noreturn void peer_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The number in text, which must lie between least and most; anything else ends the process. */
long peer_number(const char *text, const char *what, long least, long most);

/*
 * Sets the variables, up to one with a null name, and starts the program afresh if that changed
 * any: OpenMP runtimes read their environment when they are loaded, before main.
 */
void peer_environment(const struct peer_setting *settings, char **argv);

double peer_seconds(void);

/* Storage on huge pages where the system grants them, untouched; never null. */
void *peer_allocate(size_t bytes);

/*
 * Is there a repetition number `round` to run? With repeat > 0 there are that many. With
 * repeat = 0 the program serves: each line of standard input asks for one, end of file for none.
 */
bool peer_next_round(long repeat, long round);

/*
 * Prints one result. A server answers only when its threads have stopped spinning, because the
 * caller then measures somebody else on the same cores.
 */
void peer_answer(long repeat, double value);

#endif
