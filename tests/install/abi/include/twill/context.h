/* The context: one running Twill in one process. It holds all there is: workers, pools, options.
 *
 * Structs that a program fills, or has filled, begin with `size`, the sizeof of the struct as the
 * program was compiled: `twill_counters c = {.size = sizeof c};`. Later versions of Twill add
 * members at the end, and Twill reads and writes no more of a struct than its size says; so a
 * program goes on working with a newer library that has the same TWILL_ABI. A struct whose size is
 * 0 or too small is refused with TWILL_ERR_ARGUMENT.
 *
 * Threads: any thread may call these functions at any time while the context lives, also inside
 * tasks, unless they say otherwise. */
#ifndef TWILL_CONTEXT_H
#define TWILL_CONTEXT_H

#include <twill/sched.h>
#include <twill/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct twill twill;

/* Options of a context. Zero means "not given": then TWILL_<NAME> decides, then the default.
 * Start from `twill_options o = {.size = sizeof o};`. The strings are copied. A 0 itself is set by
 * the variable. */
typedef struct twill_options {
    size_t size;       /* sizeof(twill_options) */
    int workers;       /* workers, the waiting thread included; default one per core in the mask */
    const char *sched; /* lws (default), prio, eager, rand, serial, or one of `schedulers` */
    const char *sched_seed; /* seed of rand, a number */
    const char *bind;       /* on (default), off: bind workers to cores, if these are enough */
    const char *topology;   /* an hwloc synthetic description or XML file instead of this machine */
    int64_t window;         /* most tasks in flight per STF graph */
    int64_t spin_us;        /* how long an idle worker searches before it sleeps */
    int64_t patience_us;    /* how long a team gathers before it runs with whoever came */
    double watchdog;        /* seconds without progress before the stall is reported; 0: off */
    const char *blas;       /* BLAS provider: auto, openblas, blis, mkl, reference or a full path */
    const char *lapack;     /* for a BLAS without: auto, reference, openblas, mkl or a full path */
    const char *kernels;    /* kernel set of the provider: auto, or e.g. Haswell */
    const char *tune;       /* file of `twill tune`: auto, off or a full path */
    const char *trace;      /* file for a trace from start to stop; its ending says which kind */
    int64_t trace_mib;      /* most MiB that a trace may take while it is recorded */
    const char *stats;      /* on: report statistics when the context stops; off (default) */
    const char *shadow; /* share of tasks that run on copies of their data, to test bodies; off */

    /* Not settable by variables. */
    const twill_sched_ops *const
        *schedulers; /* the program's own, NULL-terminated; must outlive it */
    void (*report)(void *arg,
                   const char *text); /* receives reports (watchdog, stats); NULL: stderr */
    void *report_arg;

    /* In an MPI program: contexts that are started together share arrays and graphs. auto
     * (default): under mpirun, if the program has not initialised MPI itself; on; off; or the full
     * path of a module. Then twill_start and twill_stop are collective, and MPI is called by
     * Twill's threads, one at a time: MPI_THREAD_SERIALIZED is enough if the program does not call
     * it meanwhile. */
    const char *mpi;
    const void *mpi_comm; /* an MPI_Comm, duplicated; NULL: the world. Not settable by a variable */

    /* How a value gets to many ranks: auto (default), star, chain, binomial; and bytes from which
     * on values go to other ranks without a copy. */
    const char *broadcast;
    int64_t lend;

    /* Critical tasks, see twill/critical.h: regular (default), fixed, adaptive, prescribed; the
     * sizes of mode prescribed, "2,2,3"; workers reserved in mode fixed. */
    const char *mode;
    const char *prescribed;
    int64_t reserved;

    /* Who runs tasks: auto (default), the workers and every GPU; all, processors that a driver
     * takes for devices, too; or a list, each kind[:number][*times][/setting=value]: cpu, cuda:0,
     * opencl:1*2/room=4G/lanes=2. Without cpu, workers run only what no device in the list can.
     * See twill/device.h. */
    const char *devices;
} twill_options;

/* Start a context: discover the machine, start and bind the workers. `options` may be NULL.
 * A TWILL_* variable that is nearly the name of an option is an error (TWILL_ERR_OPTION) that tells
 * the name. Others are ignored, since module systems set such variables (TWILL_ROOT): `report` of
 * the options is told, if there is one, and twill_option lists them.
 * Contexts may follow one another and live side by side. Any thread outside tasks. */
TWILL_API twill_status twill_start(twill **tw, const twill_options *options);

/* Wait for all graphs, stop the workers, free the context and every array and graph left in it.
 * NULL is allowed. Not from inside a task, and not while other threads use the context, except that
 * one may be on its way out of twill_task_done. It needs no memory. In a process forked from the
 * one that started the context it does nothing, because there are no workers; what would need them
 * is refused there with TWILL_ERR_STATE. */
TWILL_API void twill_stop(twill *tw);

/* Number of workers, the waiting thread included. */
TWILL_API int twill_workers(const twill *tw);

/* Which of the contexts that share arrays and graphs this is, from 0, and how many there are: 0 and
 * 1 for a context of its own; see `mpi` among the options. Any thread. */
TWILL_API int twill_rank(const twill *tw);
TWILL_API int twill_ranks(const twill *tw);

/* What connects the ranks, for people: "Open MPI v4.1.4, MPI_THREAD_SERIALIZED"; "" for a context
 * of its own. It lives with the context. Any thread. */
TWILL_API const char *twill_transport(const twill *tw);

/* Where a rank is. */
typedef struct twill_rank_info {
    size_t size;      /* sizeof(twill_rank_info) */
    const char *host; /* its name */
    const char *cpus; /* numbers of the PUs of the cores that it may use: "0-3,8" */
    const char *pus;  /* those that its workers are bound to; "": they are not bound */
    int workers;
    int sharing; /* ranks, itself included, that may use some of these cores: more than 1 is slow */
} twill_rank_info;

/* Fill *place for any rank: all have told the others in twill_start. Ranks that share cores do not
 * bind their workers, and these yield to others when they look for work; rank 0 says so to `report`
 * of the options, if there is one. Strings live with the context. TWILL_ERR_ARGUMENT when there is
 * no such rank. Any thread. */
TWILL_API twill_status twill_rank_place(twill *tw, int rank, twill_rank_info *place);

/* One option as `twill info` prints it. */
typedef struct twill_option_info {
    size_t size;          /* sizeof(twill_option_info) */
    const char *name;     /* e.g. "sched" */
    const char *variable; /* e.g. "TWILL_SCHED" */
    const char *value;    /* in force */
    const char *origin;   /* "default", "environment" or "program"; "ignored" */
    const char *help;
} twill_option_info;

/* Option number i, from 0, and then, with an empty name, the TWILL_* variables that are ignored;
 * TWILL_ERR_ARGUMENT past the last one. Strings live with the context. */
TWILL_API twill_status twill_option(const twill *tw, int i, twill_option_info *info);

/* Scheduler number i that this context knows, its own first; NULL past the last one. */
TWILL_API const twill_sched_ops *twill_scheduler(const twill *tw, int i);

/* What the machine looks like from inside the inherited CPU mask. */
typedef struct twill_machine {
    size_t size;     /* sizeof(twill_machine) */
    const char *cpu; /* model name */
    int packages, numa_nodes, cores, pus;
    int cores_allowed;    /* cores inside the mask this process inherited */
    int64_t l1, l2, l3;   /* bytes of one cache, 0 when unknown */
    int64_t memory;       /* bytes of RAM */
    double peak_gflops;   /* of the allowed cores in double precision, see below; 0 unknown */
    const char *peak_how; /* how that figure was made */
} twill_machine;

/* Fill *machine; its strings live with the context. The peak is the rate of multiply-adds of the
 * widest kind in the registers of one core, times the cores; the first call in a context measures
 * it, which takes some milliseconds. It is unknown when option topology describes another machine.
 * May be called from any thread. */
TWILL_API twill_status twill_machine_info(twill *tw, twill_machine *machine);

/* Where worker w is bound: logical core number and operating system PU; -1 when not bound. */
TWILL_API twill_status twill_worker_place(const twill *tw, int w, int *core, int *pu);

/* Which BLAS is in use. */
typedef struct twill_blas {
    size_t size;          /* sizeof(twill_blas) */
    const char *provider; /* e.g. "OpenBLAS 0.3.21" */
    const char *path;     /* the file it was loaded from */
    const char *lapack;   /* the file LAPACK comes from, mostly the same */
    const char *kernels;  /* kernel set it runs, e.g. "Haswell" */
    const char *why;      /* why this provider and this kernel set */
    int threads;          /* always 1 */
    int reserved;         /* 0 */
} twill_blas;

/* Fill *blas, loading the provider if this is its first use; that sets environment variables for a
 * moment, so do it before other threads read theirs. Errors: TWILL_ERR_UNSUPPORTED when
 * none is found. Its strings live with the context. */
TWILL_API twill_status twill_blas_info(twill *tw, twill_blas *blas);

/* Counters since the context started; they only grow. Any thread. */
typedef struct twill_counters {
    size_t size;          /* sizeof(twill_counters) */
    int64_t inserted;     /* tasks made ready to be tracked: insertions and DAG runs */
    int64_t executed;     /* bodies that ran and need not run again */
    int64_t skipped;      /* tasks whose body did not run because their graph was canceled */
    int64_t stolen;       /* tasks that moved to another worker */
    int64_t sleeps;       /* times a worker went to sleep */
    int64_t messages;     /* sent by this rank to graphs on others */
    int64_t bytes;        /* of data in them */
    int64_t copies;       /* transfers that copies of elements of other ranks took */
    int64_t copy_bytes;   /* of these elements */
    int64_t copy_ns;      /* nanoseconds in which some of these transfers were under way, */
    int64_t copy_wait_ns; /* and in which a thread waited for them: the rest was hidden */
} twill_counters;
TWILL_API twill_status twill_count(const twill *tw, twill_counters *counters);

/* Write into `text` (at most `size` bytes, always terminated) what runs, and what is blocked on
 * what: the report of the watchdog, on demand. Returns the bytes the whole report needs. Tasks that
 * run go on meanwhile; nothing begins or ends. Any thread, and inside tasks. */
TWILL_API size_t twill_describe(twill *tw, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
