/* Messages to runs that have not begun, without memory for any of them: each counts, though nobody
 * can say what it was. */
#include "support/inject.h"
#include "support/test.h"

#include "engine/remote/keep.h"

#include <stdlib.h>

static void add(tw_keep *all, uint64_t graph)
{
    const tw_remote_head head = {.graph = graph, .run = 1, .what = TW_REMOTE_FRONT};
    tw_keep_add(all, &head, "message", sizeof "message");
}

static bool count(void *arg, const tw_kept *k)
{
    assert_null(k->bytes);
    ((int64_t *)arg)[k->head.graph] += 1 + k->more;
    return true;
}

/* Runs for all spare records; then another message to each of them. */
TEST(messages_count_when_no_spare_record_is_left)
{
    enum { MESSAGES = 3 };
    tw_keep *all = calloc(1, sizeof *all);
    int64_t came[TW_KEEP_SPARES] = {0};
    tw_keep_open(all);
    inject_begin(1, INT64_MAX / 2);
    for (int i = 0; i < MESSAGES; i++)
        for (uint64_t graph = 0; graph < TW_KEEP_SPARES; graph++)
            add(all, graph);
    inject_end();
    tw_keep_offer(all, count, came);
    for (int graph = 0; graph < TW_KEEP_SPARES; graph++)
        assert_int_equal(came[graph], MESSAGES);
    tw_keep_close(all);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_count_when_no_spare_record_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
