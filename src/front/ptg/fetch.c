/* Instances wait for tiles of other ranks that they take from memory. */
#include "front/ptg/id.h"
#include "front/ptg/remote.h"

/* ---- no transport ------------------------------------------------------------------------ */

static void send_nothing(twill_task *t, tw_ptg_parts *parts)
{
    (void)t, (void)parts;
}

static void fetch_nothing(tw_worker *w, tw_ptg_class *c, const int64_t *p, const tw_ptg_origin *o)
{
    (void)w, (void)c, (void)p, (void)o;
}

const tw_ptg_transport tw_ptg_no_transport = {
    .pack = send_nothing, .send = send_nothing, .fetch = fetch_nothing};

/* ---- asking ------------------------------------------------------------------------------ */

typedef struct request {
    tw_worker *w;
    tw_ptg_class *cls;
    const int64_t *p;
} request;

static void ask(const tw_ptg_origin *o, void *arg)
{
    const request *r = arg;
    const tw_ptg *ptg = r->cls->ptg;
    if (o->rank >= 0 && o->rank != ptg->rank)
        ptg->transport->fetch(r->w, r->cls, r->p, o);
}

/* When it is in the table its tiles may come, and it may run and be gone. */
twill_task *tw_pending_fetch(tw_worker *w, twill_task *t, const int64_t *p)
{
    tw_ptg_class *c = tw_ptg_class_of(t);
    tw_table *table = &c->ptg->waiting;
    int32_t tiles = tw_ptg_remote_origins(c, p);
    if (!tiles)
        return t;
    uint64_t id = tw_instance_id(c, p);
    tw_task_set_state(t, TW_TASK_WAITING);
    tw_bucket *b = tw_table_lock(table, tw_table_bucket(table, id), id);
    bool crowded = tw_bucket_enter(b, id, t, tiles);
    tw_unlock(&b->lock);
    tw_table_entered(table, w->index, crowded);
    tw_ptg_each_origin(c, p, ask, &(request){w, c, p});
    return NULL;
}
