/* Starting and stopping, modes, and types of tasks. */
#include "compat/pcp/runtime.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

tw_pcp tw_pcp_state;

void tw_pcp_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("pcp: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\n", stderr);
    va_end(args);
}

bool tw_pcp_is_started(const char *who)
{
    if (!tw_pcp_state.tw)
        tw_pcp_complain("%s: call pcp_start first", who);
    return tw_pcp_state.tw;
}

bool tw_pcp_grow(void *list, int n, int *room, size_t size)
{
    void **at = list;
    if (n < *room)
        return true;
    int more = *room ? 2 * *room : 64;
    void *bigger = realloc(*at, (size_t)more * size);
    if (!bigger) {
        tw_pcp_complain("no memory");
        return false;
    }
    *at = bigger;
    *room = more;
    return true;
}

double pcp_get_time(void)
{
    return tw_seconds();
}

/* ---- the reserved set
 * ---------------------------------------------------------------------------- */

/* By whoever leads the set, between critical tasks, or by the program's thread. */
static void resized(void *arg, int size)
{
    tw_pcp *p = arg;
    p->size = size;
    if (tw_pcp_grow(&p->changes, p->nchanges, &p->change_room, sizeof *p->changes))
        p->changes[p->nchanges++] = (tw_pcp_change){tw_seconds(), size};
    for (int i = 0; i < p->ntypes; i++)
        if (p->types[i]->bodies.parallel_reconfigure)
            p->types[i]->bodies.parallel_reconfigure(size);
}

void tw_pcp_configure(const int *prescribed, int64_t count)
{
    tw_pcp *p = &tw_pcp_state;
    /* prescribed sizes come when a graph is run */
    bool waits = p->mode == PCP_PRESCRIBED && count == 0;
    twill_critical critical = {.size = sizeof critical,
                               .mode = waits ? TWILL_MODE_FIXED : (twill_mode)p->mode,
                               .reserved = waits ? 1 : p->wanted,
                               .prescribed = prescribed,
                               .prescribed_count = count,
                               .resized = resized,
                               .arg = p};
    if (twill_critical_set(p->tw, &critical) != TWILL_OK)
        tw_pcp_complain("%s", twill_message());
}

void pcp_set_mode(int mode)
{
    if (!tw_pcp_is_started("pcp_set_mode"))
        return;
    if (mode < PCP_REGULAR || mode > PCP_PRESCRIBED) {
        tw_pcp_complain("pcp_set_mode: there is no mode %d", mode);
        return;
    }
    tw_pcp_state.mode = mode;
    tw_pcp_configure(NULL, 0);
}

void pcp_set_reserved_set_size(int size)
{
    if (!tw_pcp_is_started("pcp_set_reserved_set_size"))
        return;
    int workers = twill_workers(tw_pcp_state.tw);
    if (size < 0) {
        tw_pcp_complain("pcp_set_reserved_set_size: %d is negative", size);
        return;
    }
    if (size >= workers)
        tw_pcp_complain("pcp_set_reserved_set_size: of %d worker%s at most %d can be reserved, "
                        "not %d",
                        workers, workers == 1 ? "" : "s", workers - 1, size);
    tw_pcp_state.wanted = size;
    tw_pcp_configure(NULL, 0);
}

/* ---- starting and stopping
 * ----------------------------------------------------------------------- */

void pcp_start(int n)
{
    tw_pcp *p = &tw_pcp_state;
    if (p->tw) {
        tw_pcp_complain("pcp_start: it has been called already");
        return;
    }
    /* a shared queue, the highest tasks first */
    twill_options options = {
        .size = sizeof options, .workers = n > 0 ? n : 0, .sched = "prio", .mpi = "off"};
    if (twill_start(&p->tw, &options) != TWILL_OK) {
        tw_pcp_complain("pcp_start: %s", twill_message());
        return;
    }
    p->mode = PCP_FIXED;
    p->wanted = 1;
    tw_pcp_configure(NULL, 0);
}

void pcp_stop(void)
{
    tw_pcp *p = &tw_pcp_state;
    if (!tw_pcp_is_started("pcp_stop"))
        return;
    tw_pcp_drop_graph();
    twill_stop(p->tw);
    for (int i = 0; i < p->ntypes; i++) {
        if (p->types[i]->bodies.parallel_finalize)
            p->types[i]->bodies.parallel_finalize();
        free(p->types[i]);
    }
    free(p->types);
    free(p->tasks);
    free(p->changes);
    *p = (tw_pcp){0};
}

/* ---- types
 * --------------------------------------------------------------------------------------- */

pcp_task_type_handle_t pcp_register_task_type(struct pcp_task_type *bodies)
{
    tw_pcp *p = &tw_pcp_state;
    if (!tw_pcp_is_started("pcp_register_task_type"))
        return -1;
    if (!bodies || !bodies->sequential_impl) {
        tw_pcp_complain("pcp_register_task_type: a type needs a sequential_impl");
        return -1;
    }
    if (!tw_pcp_grow(&p->types, p->ntypes, &p->type_room, sizeof *p->types))
        return -1;
    tw_pcp_type *type = calloc(1, sizeof *type);
    if (!type) {
        tw_pcp_complain("pcp_register_task_type: no memory");
        return -1;
    }
    type->bodies = *bodies;
    snprintf(type->name, sizeof type->name, "type %d", p->ntypes);
    type->cls = (twill_class){
        .size = sizeof type->cls, .name = type->name, .chores = {TWILL_CPU(tw_pcp_run_alone)}};
    if (bodies->parallel_impl)
        type->cls.chores[1] = (twill_chore)TWILL_TEAM(tw_pcp_run_together, 0);
    if (bodies->parallel_reconfigure)
        bodies->parallel_reconfigure(p->size);
    p->types[p->ntypes] = type;
    return p->ntypes++;
}
