/* Epochs: three threads insert readers, writers and commuting tasks on shared tiles. Who writes is
 * alone, who reads is among readers, and no update is lost. */
#include "_common.h"

enum { THREADS = 3, TASKS = 8, TILES = 3 };
static twill *tw;
static twill_tile *tile[TILES];
static atomic_int inside[TILES]; /* readers, or -1 */
static atomic_int ran[THREADS * TASKS];

static void enter(int i, bool writes)
{
    int nobody = 0;
    if (writes)
        must(atomic_compare_exchange_strong(&inside[i], &nobody, -1), "a writer is not alone");
    else
        must(atomic_fetch_add(&inside[i], 1) >= 0, "a reader is beside a writer");
}

static void leave(int i, bool writes)
{
    atomic_fetch_add(&inside[i], writes ? 1 : -1);
}

/* Two tiles, each read or updated. */
static twill_outcome body(twill_task *t)
{
    atomic_fetch_add(&ran[twill_task_int(t, 2)], 1);
    for (int k = 0; k < 2; k++)
        enter((int)twill_task_int(t, 3 + 2 * k), twill_task_int(t, 4 + 2 * k));
    for (int k = 0; k < 2; k++)
        if (twill_task_int(t, 4 + 2 * k))
            ++*(int64_t *)twill_task_data(t, k);
    for (int k = 0; k < 2; k++)
        leave((int)twill_task_int(t, 3 + 2 * k), twill_task_int(t, 4 + 2 * k));
    progress();
    return TWILL_DONE;
}

static const twill_class cls = {
    .size = sizeof(twill_class), .name = "access", .chores = {TWILL_CPU(body)}};

static twill_arg random_access(unsigned i, bool writes)
{
    return twill_arg_tile(!writes   ? TWILL_ARG_READ
                          : draw(2) ? TWILL_ARG_COMMUTE
                                    : TWILL_ARG_READ_WRITE,
                          tile[i]);
}

static atomic_int updates[TILES];

static void *insert(void *arg)
{
    int number = *(int *)arg;
    twill_graph *g = begin(tw);
    for (int i = 0; i < TASKS; i++) {
        unsigned x = draw(TILES), y = (x + 1 + draw(TILES - 1)) % TILES;
        bool writes_x = draw(2), writes_y = draw(3) == 0;
        atomic_fetch_add(&updates[x], writes_x);
        atomic_fetch_add(&updates[y], writes_y);
        succeed(twill_insert(g, &cls, random_access(x, writes_x), random_access(y, writes_y),
                             TWILL_INT(number * TASKS + i), TWILL_INT(x), TWILL_INT(writes_x),
                             TWILL_INT(y), TWILL_INT(writes_y)),
                "twill_insert");
    }
    if (number)
        succeed(twill_wait(g), "twill_wait");
    twill_graph_free(g);
    return NULL;
}

int main(void)
{
    int number[THREADS];
    pthread_t threads[THREADS];
    tw = start();
    twill_array *a = integers(tw, TILES);
    for (int i = 0; i < TILES; i++)
        tile[i] = twill_tile_at(a, i, 0);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        threads[i] = thread(insert, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    each_once(ran, THREADS * TASKS);
    for (int i = 0; i < TILES; i++)
        must(read_integer(a, i) == updates[i], "an update was lost");
    twill_stop(tw);
    return 0;
}
