/* Poison: a task fails while readers of other graphs wait, and arrays are freed while the failure
 * is reported. Readers are canceled or see the data; once all is waited for, nothing refuses the
 * data any more. */
#include "_common.h"

enum { TILES = 3, READERS = 2 };
static twill *tw;
static twill_array *a, *gone[TILES];
static atomic_int ran, begun;

static twill_outcome fail_body(twill_task *t)
{
    nap_ns((long)twill_task_int(t, 1));
    progress();
    return twill_task_fail(t, "planted");
}

static twill_outcome slow_body(twill_task *t)
{
    nap_ns((long)twill_task_int(t, 1));
    progress();
    return TWILL_DONE;
}

static twill_outcome read_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class bad = {
    .size = sizeof(twill_class), .name = "bad", .chores = {TWILL_CPU(fail_body)}};
static const twill_class slow = {
    .size = sizeof(twill_class), .name = "slow", .chores = {TWILL_CPU(slow_body)}};
static const twill_class reader = {
    .size = sizeof(twill_class), .name = "reader", .chores = {TWILL_CPU(read_body)}};

static void *free_arrays(void *arg)
{
    (void)arg;
    while (!atomic_load(&begun))
        nap_ns(200);
    for (int i = TILES - 1; i >= 0; i--)
        twill_array_free(gone[i]);
    return NULL;
}

static void check_usable(twill_graph *g)
{
    for (int i = 0; i < TILES; i++) {
        int before = ran;
        succeed(twill_insert(g, &reader, TWILL_R(twill_tile_at(a, i, 0))), "twill_insert");
        succeed(twill_wait(g), "the data is refused although the failure was reported");
        must(ran == before + 1, "a reader did not run");
        read_integer(a, i);
    }
}

int main(void)
{
    tw = start();
    a = integers(tw, TILES);
    for (int i = 0; i < TILES; i++)
        gone[i] = integers(tw, 1);
    twill_graph *g = begin(tw), *other = begin(tw), *readers = begin(tw);
    twill_tile *x = twill_tile_at(a, 0, 0), *y = twill_tile_at(a, 1, 0);
    pthread_t thief = thread(free_arrays, NULL);
    for (int i = 0; i < TILES; i++)
        twill_insert(g, &slow, TWILL_RW(twill_tile_at(gone[i], 0, 0)), TWILL_INT(draw(2000)));
    twill_insert(g, &bad, TWILL_RW(x), TWILL_INT(draw(3000)));
    succeed(twill_insert(other, &slow, TWILL_RW(y), TWILL_INT(draw(20000))), "twill_insert");
    for (int i = 0; i < READERS; i++)
        twill_insert(readers, &reader, TWILL_R(x), TWILL_R(y));
    atomic_store(&begun, 1);
    must(twill_wait(g) == TWILL_ERR_TASK, "the failure is not reported");
    twill_status status = twill_wait(readers);
    must(status == TWILL_OK || status == TWILL_ERR_CANCELED, "readers fail in another way");
    must(status == TWILL_OK ? ran == READERS : ran < READERS, "readers ran and did not");
    succeed(twill_wait(other), "twill_wait");
    pthread_join(thief, NULL);
    check_usable(readers);
    check_usable(g);
    twill_stop(tw);
    return 0;
}
