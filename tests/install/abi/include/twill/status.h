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

/* The same as one number that grows: 1.2.3 is 10203. */
#define TWILL_VERSION \
    (TWILL_VERSION_MAJOR * 10000 + TWILL_VERSION_MINOR * 100 + TWILL_VERSION_PATCH)

/* What programs and the library agree on: layouts, numbers, functions. Programs work with every
 * library that has the same number and is not older than their headers. The shared library is
 * called libtwill.so.TWILL_ABI, so that the loader finds the right one. */
#define TWILL_ABI 1

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

/* The version of the library in use: "0.1.0", the same as a number to compare with TWILL_VERSION,
 * and its TWILL_ABI. */
TWILL_API const char *twill_version(void);
TWILL_API int twill_version_number(void);
TWILL_API int twill_abi(void);

/* Can a program that was compiled with headers of this ABI and this version use the library? If
 * not, TWILL_ERR_STATE and a sentence with both versions. */
TWILL_API twill_status twill_version_check(int abi, int version);

/* The same for this program: for those that load the library themselves, or link it statically. */
static inline twill_status twill_check_version(void)
{
    return twill_version_check(TWILL_ABI, TWILL_VERSION);
}

#ifdef __cplusplus
}
#endif
#endif
