/* Status codes, the sentence that goes with a failure, and versions.
 *
 * Threads: any thread, at any time. */
#ifndef TWILL_STATUS_H
#define TWILL_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TWILL_API __attribute__((visibility("default")))
#define TWILL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TWILL_API
#define TWILL_PRINTF(text, first)
#endif

#define TWILL_VERSION_MAJOR 0
#define TWILL_VERSION_MINOR 1
#define TWILL_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* Every function that can fail returns one of these; results are set only on TWILL_OK. */
typedef enum twill_status {
    TWILL_OK = 0,
    TWILL_ERR_ARGUMENT,   /* an argument is wrong */
    TWILL_ERR_OPTION,     /* an option or a TWILL_* variable is unknown or has a bad value */
    TWILL_ERR_MEMORY,     /* not enough memory */
    TWILL_ERR_SYSTEM,     /* the operating system, hwloc or a library refused */
    TWILL_ERR_STATE,      /* not allowed now: waiting inside a task, running a busy graph, ... */
    TWILL_ERR_TASK,       /* the body of a task failed */
    TWILL_ERR_CANCELED,   /* the graph was canceled, or it reads data of one that failed */
    TWILL_ERR_STUCK,      /* the graph can never finish */
    TWILL_ERR_CYCLE,      /* explicit edges form a cycle */
    TWILL_ERR_NUMERICAL,  /* numerical failure; LAPACK's info says where (twill_graph_info) */
    TWILL_ERR_UNSUPPORTED /* this build or this machine cannot do it */
} twill_status;

/* A short constant name such as "bad argument". Never NULL. Any thread. */
TWILL_API const char *twill_status_name(twill_status status);

/* The sentence of the last failure reported to the calling thread: what, where, what to do.
 * Valid until the next failing call in this thread; "" before the first one. */
TWILL_API const char *twill_message(void);

/* The version of the library in use, e.g. "0.1.0": compare it with TWILL_VERSION_*. */
TWILL_API const char *twill_version(void);

#ifdef __cplusplus
}
#endif
#endif
