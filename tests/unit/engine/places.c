/* Where ranks are: they tell each other, and those that may use the same cores share them. */
#include "support/ranks.h"

#include "engine/remote/places.h"

#include <string.h>

static void take_report(void *arg, const char *text)
{
    assert_non_null(strstr(text, "3 ranks of host"));
    *(int *)arg += 1;
}

/* Rank 0 says it once to who listens, and nobody prints. */
static void check_ranks(twill *tw, void *arg)
{
    int reports = 0;
    (void)arg;
    tw->report = take_report;
    tw->report_arg = &reports;
    twill_rank_info p = {.size = sizeof p};
    int core, pu;
    /* others may have told already */
    if (twill_rank_place(tw, 0, &p) != TWILL_OK)
        assert_non_null(strstr(twill_message(), "have not told"));
    OK(tw_places_exchange(tw));
    assert_int_equal(reports, twill_rank(tw) == 0);
    tw->report = NULL;
    for (int r = 0; r < twill_ranks(tw); r++) {
        OK(twill_rank_place(tw, r, &p));
        assert_int_equal(p.sharing, twill_ranks(tw)); /* of one process */
        assert_int_equal(p.workers, 2);
        assert_true(*p.host && *p.cpus);
        assert_string_equal(p.pus, "");
    }
    OK(twill_worker_place(tw, 1, &core, &pu));
    assert_int_equal(pu, -1);
    assert_true(tw_is_crowded(tw) && !tw_is_bound(tw));
    assert_string_equal(twill_transport(tw), "loopback");
    REFUSED(twill_rank_place(tw, twill_ranks(tw), &p), TWILL_ERR_ARGUMENT, "there is no rank 3");
    assert_true(tw_places_all_record(tw) == false);
}

TEST(ranks_of_one_host_share_its_cores)
{
    test_on_ranks(&(test_ranks){.ranks = 3, .workers = 2}, check_ranks, NULL);
}

TEST(a_context_of_its_own_shares_with_nobody)
{
    twill *tw = test_start(1, NULL);
    twill_rank_info p = {.size = sizeof p};
    OK(twill_rank_place(tw, 0, &p));
    assert_int_equal(p.sharing, 1);
    assert_int_equal(p.workers, 1);
    assert_true(*p.host && *p.cpus);
    assert_string_equal(twill_transport(tw), "");
    REFUSED(twill_rank_place(tw, 1, &p), TWILL_ERR_ARGUMENT, "there is no rank 1");
    REFUSED(twill_rank_place(tw, 0, NULL), TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(ranks_of_one_host_share_its_cores),
        cmocka_unit_test(a_context_of_its_own_shares_with_nobody),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
