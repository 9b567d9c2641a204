/* Binding the threads of a library that does not do it itself. */
#ifndef TWILL_BENCH_PEERS_BIND_H
#define TWILL_BENCH_PEERS_BIND_H

/* Binds what threads the process has, each to a core of its own as long as there are cores. */
void bind_threads(void);

#endif
