/* Threads without the kernel: a stack and a thread-local storage each, and a switch between them
 * that costs a few instructions.
 *
 * Real threads are started once, before anything is explored, for what the C library keeps per
 * thread. They sleep for ever. A forked process has their memory but not them, and its only kernel
 * thread goes on on the stack and with the storage of one or the other. */
#ifndef EX_FIBER_H
#define EX_FIBER_H

#include <stdint.h>

typedef struct ex_fiber {
    void *sp;        /* saved stack pointer while it does not run */
    uintptr_t local; /* thread pointer: the register fs */
    char *top;       /* where its stack begins */
} ex_fiber;

/* Start the threads whose memory fibers use. Once, in the process that forks. */
void ex_fibers_make(void);

/* Make fiber number `i` begin at `entry`, with fresh thread-local variables. */
void ex_fiber_begin(ex_fiber *fiber, int i, void (*entry)(void));

/* Go on as `to`; returns when somebody switches back to `from`. */
void ex_fiber_switch(ex_fiber *from, const ex_fiber *to);

#endif
