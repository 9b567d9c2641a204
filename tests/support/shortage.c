/* Every request for memory of a program, refused once. */
#include "support/shortage.h"

#include "support/inject.h"
#include "support/limit.h"

#include <stdio.h>
#include <string.h>

enum { PATIENCE = 20 }; /* seconds for a program that takes milliseconds */

typedef struct setup {
    int workers;
    const char *sched;
} setup;

static void explain(const shortage *p, const setup *s, int64_t k, bool rest)
{
    print_error("program %s, %d workers, %s, request %lld%s refused, last at +0x%jx; message: %s\n",
                p->name, s->workers, s->sched, (long long)k, rest ? " and all after it" : "",
                (uintmax_t)inject_place(), twill_message());
}

#define EXPLAINED(condition)        \
    do {                            \
        if (!(condition))           \
            explain(p, s, k, rest); \
        assert_true(condition);     \
    } while (0)

/* TWILL_ERR_SYSTEM is for threads, TWILL_ERR_CANCELED for who needs what another graph failed to
 * write. */
static bool is_clean(const shortage *p, twill_status status)
{
    bool known = status == TWILL_ERR_MEMORY || status == TWILL_ERR_SYSTEM ||
                 status == TWILL_ERR_CANCELED || status == p->also;
    return known && *twill_message();
}

/* True when something was refused: there may be more requests than k. */
static bool run(const shortage *p, const setup *s, int64_t k, bool rest)
{
    twill_options options = p->options;
    options.size = sizeof options;
    options.workers = s->workers;
    if (!options.sched)
        options.sched = s->sched;
    if (!options.topology)
        options.topology = "core:2 pu:1"; /* to read that of the machine takes long */
    twill *tw = NULL;
    atomic_int wrong = 0;
    limit_begin(NULL, PATIENCE, "program %s, %d workers, %s, request %lld%s refused", p->name,
                s->workers, s->sched, (long long)k, rest ? " and all after it" : "");
    inject_begin(k, rest ? INT64_MAX : 1);
    twill_status status = twill_start(&tw, &options);
    if (status == TWILL_OK)
        status = p->body(tw, k % 2, &wrong);
    bool refused = inject_refused() > 0;
    EXPLAINED(wrong == 0);
    EXPLAINED(status == TWILL_OK || (refused && is_clean(p, status)));
    if (tw && refused && !rest) {
        inject_end();
        status = p->body(tw, false, &wrong);
        EXPLAINED(status == TWILL_OK);
        EXPLAINED(wrong == 0);
    }
    twill_stop(tw);
    refused = inject_refused() > 0;
    inject_end();
    EXPLAINED(inject_left() == 0);
    limit_end();
    return refused;
}

void shortage_sweep(const shortage *p)
{
    static const setup setups[] = {{1, "lws"}, {3, "lws"}, {1, "serial"}, {2, "prio"}, {2, "rand"}};
    int nsetups = test_slow() ? 2 : COUNT(setups);
    if (p->setups && p->setups < nsetups)
        nsetups = p->setups;
    for (int i = 0; i < nsetups; i++)
        for (int rest = 0; rest < 2; rest++) {
            int64_t k = 1;
            while (run(p, &setups[i], k, rest))
                k++;
            if (!rest)
                print_message("%s, %d workers, %s: %lld requests\n", p->name, setups[i].workers,
                              setups[i].sched, (long long)k - 1);
        }
}

twill_status shortage_integers(twill *tw, int64_t tiles, twill_array **a)
{
    twill_pattern p = twill_tiled(tiles, 1, 1, 1);
    return twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), a);
}

twill_status shortage_get(twill_array *integers, int64_t tile, int64_t *value)
{
    void *data;
    int64_t ld;
    twill_view v = twill_view_tile(integers, tile, 0);
    twill_status status = twill_map(v, TWILL_READ, &data, &ld);
    if (status != TWILL_OK)
        return status;
    *value = *(int64_t *)data;
    return twill_unmap(v, data);
}
