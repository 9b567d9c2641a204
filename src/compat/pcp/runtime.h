/* The one runtime of the process. The interface has no handle for it, so it is the only state that
 * is not in a context. */
#ifndef TW_COMPAT_PCP_RUNTIME_H
#define TW_COMPAT_PCP_RUNTIME_H

#include <pcp/pcp.h>

#include <stdatomic.h>
#include <twill/twill.h>

/* A registered type, as a class of tasks. */
typedef struct tw_pcp_type {
    struct pcp_task_type bodies;
    twill_class cls;
    char name[32];
} tw_pcp_type;

/* A task, and what became of it. Times are those of pcp_get_time. */
typedef struct tw_pcp_task {
    const tw_pcp_type *type;
    void *arg;
    int handle, first, members;
    bool critical;
    double begin;
    _Atomic double end; /* the latest of all members */
} tw_pcp_task;

typedef struct tw_pcp_change {
    double time;
    int size;
} tw_pcp_change;

typedef struct tw_pcp {
    twill *tw;
    int mode, wanted; /* as the program says */
    int size;         /* of the reserved set, as the types were told last */

    tw_pcp_type **types;
    int ntypes, type_room;

    twill_graph *graph;
    tw_pcp_task **tasks;
    int ntasks, task_room;
    enum { TW_PCP_NO_GRAPH, TW_PCP_OPEN, TW_PCP_CLOSED, TW_PCP_RAN } stage;

    tw_pcp_change *changes; /* of the last run */
    int nchanges, change_room;

    twill_account account;
} tw_pcp;
extern tw_pcp tw_pcp_state;

/* One line on standard error. */
void tw_pcp_complain(const char *format, ...) TWILL_PRINTF(1, 2);

/* Has pcp_start been called? If not, that is said. */
bool tw_pcp_is_started(const char *who);

/* Room for one more in a list; a line if there is none. */
bool tw_pcp_grow(void *list, int n, int *room, size_t size);

/* Put mode and size into force, with these sizes in prescribed mode. */
void tw_pcp_configure(const int *prescribed, int64_t count);

/* Forget the graph, and what became of it. */
void tw_pcp_drop_graph(void);

/* The bodies that Twill calls; argument 0 is the address of the task. */
twill_outcome tw_pcp_run_alone(twill_task *t);
twill_outcome tw_pcp_run_together(twill_task *t, twill_team *team);

#endif
