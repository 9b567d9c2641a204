/* What the StarPU peers share: starting it. */
#ifndef TWILL_BENCH_PEERS_STARPU_BEGIN_H
#define TWILL_BENCH_PEERS_STARPU_BEGIN_H

/*
 * Starts StarPU with that many workers and a throw-away home, since it writes a description of the
 * machine there; the home is gone again before the measurement, so that a time limit cannot leave
 * it behind.
 */
void starpu_begin(const char *threads);

#endif
