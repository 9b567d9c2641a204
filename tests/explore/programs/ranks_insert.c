/* Two ranks that insert the same tasks, twice: tiles go from one to the other, lent or copied,
 * early or promised, and two tasks send each other messages while they run. A task may fail and a
 * rank may cancel at any time; without failures the numbers are those of the sequence. */
#include "_common.h"

#include "comm/loopback.h"
#include "engine/remote/remote.h"
#include "front/stf/mailbox.h"

enum { RANKS = 2, ROUNDS = 2, RUNS = 2, ROWS = 2 };

static bool fails;
static int64_t bound;
static char lend[8];

static twill_outcome swap_body(twill_task *t)
{
    progress();
    int64_t *mine = twill_task_data(t, 0);
    int own = (int)twill_task_int(t, 1);
    if (fails && draw(8) == 0)
        return twill_task_fail(t, "planted");
    tw_mailbox *b = tw_mailbox_open(t, twill_task_int(t, 2) + own, sizeof(int64_t));
    if (!b)
        return TWILL_ERROR;
    int64_t *sent = tw_mailbox_state(b);
    if (!*sent)
        tw_mailbox_send(b, 1 - own, twill_task_int(t, 2) + 1 - own, own, mine, sizeof *mine);
    *sent = 1;
    const tw_mail *m = tw_mailbox_take(b, 1 - own, draw(2) * 2e-6);
    if (!m)
        return TWILL_AGAIN;
    *mine += 10 * *(const int64_t *)m->bytes;
    tw_mailbox_close(b);
    return TWILL_DONE;
}

static twill_outcome add_body(twill_task *t)
{
    progress();
    *(int64_t *)twill_task_data(t, 1) += *(const int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class swap = {
    .size = sizeof(twill_class), .name = "swap", .chores = {TWILL_CPU(swap_body)}};
static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* It may have failed. */
static void insert(twill_graph *g, twill_array *a)
{
    for (int i = 0; i < ROUNDS; i++) {
        int64_t number = tw_mailbox_numbers(g, RANKS);
        for (int own = 0; own < RANKS; own++)
            twill_insert(g, &swap, TWILL_RW(twill_tile_at(a, own, 0)), TWILL_INT(own),
                         TWILL_INT(number));
        twill_insert(g, &add, TWILL_R(twill_tile_at(a, i % 2, 0)),
                     TWILL_RW(twill_tile_at(a, 1 - i % 2, 0)));
    }
}

static int64_t expected(int rank)
{
    int64_t x[RANKS] = {1, 2};
    for (int i = 0; i < RUNS * ROUNDS; i++) {
        int64_t before = x[0];
        x[0] += 10 * x[1];
        x[1] += 10 * before;
        x[1 - i % 2] += x[i % 2];
    }
    return x[rank];
}

static int64_t *number_of(twill_array *a, twill_view *v)
{
    void *data;
    int64_t ld;
    *v = twill_view_tile(a, twill_rank(twill_array_context(a)), 0);
    succeed(twill_map(*v, TWILL_READ_WRITE, &data, &ld), "twill_map");
    return data;
}

static void *act(void *comm)
{
    twill_graph *g;
    twill_array *a;
    twill_view v;
    twill *tw = start_with((twill_options){.workers = 1 + draw(2)});
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){RANKS * ROWS}, (int64_t[]){ROWS}, (int64_t[]){RANKS});
    succeed(tw_remote_open(tw, comm), "tw_remote_open");
    succeed(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a), "twill_array_create");
    int64_t *mine = number_of(a, &v);
    *mine = 1 + twill_rank(tw);
    succeed(twill_unmap(v, mine), "twill_unmap");
    succeed(twill_stf_begin(tw, &g), "twill_stf_begin");
    ((tw_stf_ranks *)g->front)->most_early = bound;
    for (int i = 0; i < RUNS; i++) {
        insert(g, a);
        if (fails && draw(3) == 0)
            twill_cancel(g);
        twill_status status = twill_wait(g);
        must(status == TWILL_OK || fails, twill_message());
    }
    mine = number_of(a, &v);
    must(fails || *mine == expected(twill_rank(tw)), "a number");
    succeed(twill_unmap(v, mine), "twill_unmap");
    twill_graph_free(g);
    twill_array_free(a);
    twill_stop(tw);
    return NULL;
}

int main(void)
{
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    fails = draw(2);
    bound = draw(2) ? 8 : 1 << 20;
    snprintf(lend, sizeof lend, "%d", draw(2) ? 1 : 100);
    setenv("TWILL_LEND", lend, 1);
    succeed(
        tw_loopback_open(RANKS, &(tw_loopback_options){.seed = draw(1000), .delay = draw(2)}, &hub),
        "tw_loopback_open");
    for (int i = 0; i < RANKS; i++)
        succeed(tw_loopback_join(hub, i, &comm[i]), "tw_loopback_join");
    tw_loopback_close(hub);
    pthread_t other = thread(act, comm[1]);
    act(comm[0]);
    pthread_join(other, NULL);
    return 0;
}
