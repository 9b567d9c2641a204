/* A second memory with room for one of two tiles, or of three, whose copies are late and may fail:
 * tasks are parked, pushed again, sent to the host, and evict each other's data, while two threads
 * insert and one waits. Without failures the result is that of one memory; with them, of what ran.
 */
#include "_common.h"

enum { TILES = 3, TASKS = 8 };
static atomic_int ran[TILES];
static twill *tw;
static twill_array *a;
static twill_graph *g;
static bool fails;

static twill_outcome add_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 1;
    atomic_fetch_add(&ran[twill_task_int(t, 1)], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* A copy may fail, and who reads what was to be written then is canceled. */
static bool good(twill_status status)
{
    bool failed = status == TWILL_ERR_SYSTEM || status == TWILL_ERR_CANCELED;
    must(status == TWILL_OK || (fails && failed), "a status");
    return status == TWILL_OK;
}

static int64_t read_tile(int i)
{
    void *data = NULL;
    int64_t ld;
    twill_view v = twill_view_tile(a, i, 0);
    while (!good(twill_map(v, TWILL_READ, &data, &ld)))
        progress();
    int64_t value = *(int64_t *)data;
    succeed(twill_unmap(v, data), "twill_unmap");
    return value;
}

static void *insert_half(void *arg)
{
    for (int k = 0; k < TASKS / 2; k++) {
        int i = (int)draw(TILES), other = (i + 1) % TILES;
        if (draw(2))
            good(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, i, 0)), TWILL_INT(i)));
        else
            good(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, i, 0)), TWILL_INT(i),
                              TWILL_R(twill_tile_at(a, other, 0))));
    }
    return arg;
}

int main(void)
{
    char shadow[60];
    fails = draw(3) == 0;
    snprintf(shadow, sizeof shadow, "%s,room=%d,delay=%u,seed=%u%s", draw(2) ? "1" : "0.6",
             draw(2) ? 8 : 16, draw(4), draw(1000), fails ? ",fail=0.2" : "");
    tw = start_with((twill_options){.shadow = shadow});
    a = integers(tw, TILES);
    g = begin(tw);
    pthread_t other = thread(insert_half, NULL);
    insert_half(NULL);
    if (draw(2))
        twill_describe(tw, NULL, 0);
    good(twill_wait(g)); /* and others go on inserting */
    pthread_join(other, NULL);
    good(twill_wait(g));
    int sum = 0;
    for (int i = 0; i < TILES; i++) {
        must(read_tile(i) == atomic_load(&ran[i]), "what ran is there");
        sum += atomic_load(&ran[i]);
    }
    must(fails || sum == TASKS, "all ran");
    if (draw(2))
        twill_array_free(a);
    twill_stop(tw);
    return 0;
}
