/* Replicas: staging, room, eviction, copies that are late or fail. */
#include "support/test.h"

#include "data/replica.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 4, COLS = 3, BYTES = ROWS * COLS * 8 };

/* ---- a space whose copies end when the test says so ------------------------------------------ */

typedef struct slow {
    tw_space space;
    tw_copy *late;
    int copies, bytes;
    twill_status status;
} slow;

static void *slow_alloc(const tw_space *space, size_t bytes)
{
    ((slow *)(uintptr_t)space)->bytes += (int)bytes;
    return calloc(1, bytes);
}

static void slow_free(const tw_space *space, void *memory, size_t bytes)
{
    ((slow *)(uintptr_t)space)->bytes -= (int)bytes;
    free(memory);
}

static void slow_start(tw_space *space, tw_copy *copy)
{
    slow *s = (slow *)space;
    copy->next = s->late;
    s->late = copy;
    s->copies++;
}

static bool slow_poll(tw_space *space, void *poller)
{
    slow *s = (slow *)space;
    tw_copy *copy = s->late;
    if (!copy)
        return false;
    s->late = copy->next;
    if (s->status == TWILL_OK)
        tw_host.copy_2d(&tw_host, copy->to, copy->ld_to, copy->from, copy->ld_from, copy->rows,
                        copy->cols);
    copy->done(copy, s->status, poller);
    return true;
}

typedef struct fixture {
    tw_replicas all;
    slow slow;
    int expected;
    int told; /* stagings that were */
} fixture;

static void expect(tw_replicas *all, int copies, void *poller)
{
    (void)poller;
    ((fixture *)all)->expected += copies;
}

static int open_fixture(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    tw_replicas_open(&f.all, expect);
    f.slow.space = (tw_space){.name = "slow",
                              .alloc = slow_alloc,
                              .free = slow_free,
                              .start = slow_start,
                              .poll = slow_poll,
                              .room = 2 * BYTES};
    assert_int_equal(tw_replicas_add(&f.all, &f.slow.space), 1);
    *state = &f;
    return 0;
}

/* Everything was given back. */
static int close_fixture(void **state)
{
    const fixture *f = *state;
    assert_int_equal(f->slow.bytes, 0);
    assert_int_equal(f->expected, 0);
    return 0;
}

/* ---- values and stagings --------------------------------------------------------------------- */

static tw_value new_value(double first)
{
    double *data = malloc(2 * BYTES);
    for (int i = 0; i < 2 * ROWS * COLS; i++)
        data[i] = first + i;
    return (tw_value){.host = {data, 2 * ROWS},
                      .rows = ROWS,
                      .cols = COLS,
                      .element = 8,
                      .valid = 1,
                      .region = TW_FULL};
}

static void end_value(fixture *f, tw_value *v)
{
    tw_replicas_drop(&f->all, v);
    free(v->host.data);
}

static void told(tw_staging *s, void *poller)
{
    (void)poller;
    ((fixture *)s->owner)->told++;
}

static tw_staging *new_staging(fixture *f, int space, int n, ...)
{
    tw_staging *s = calloc(1, sizeof *s + (size_t)n * sizeof *s->datum);
    va_list args;
    *s = (tw_staging){.owner = f, .ready = told, .space = space, .n = n};
    va_start(args, n);
    for (int i = 0; i < n; i++) {
        s->datum[i].value = va_arg(args, tw_value *);
        const char *mode = va_arg(args, const char *);
        s->datum[i].reads = strchr(mode, 'R');
        s->datum[i].writes = strchr(mode, 'W');
    }
    va_end(args);
    return s;
}

static bool stage(fixture *f, tw_staging *s)
{
    return tw_stage(&f->all, s, NULL);
}

static void unstage(fixture *f, tw_staging *s)
{
    tw_unstage(&f->all, s, s->status == TWILL_OK, NULL);
    free(s);
}

static bool poll(fixture *f)
{
    return tw_replicas_poll(&f->all, NULL);
}

/* Element (i, j) of a staged value. */
static double *element(const tw_staging *s, const tw_value *v, int i, int j)
{
    const tw_replica *r = tw_staged_replica(s, v);
    return (double *)r->data + i + j * r->ld;
}

static int valid(const tw_value *v)
{
    return v->valid & ~TW_REPLICATED;
}

/* ---------------------------------------------------------------------------------------------- */

static void a_value_goes_there_and_back(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(100);
    tw_staging *s = new_staging(f, 1, 1, &v, "RW");
    assert_false(stage(f, s));
    assert_true(poll(f));
    assert_int_equal(f->told, 1);
    assert_int_equal(*element(s, &v, 3, 2), 100 + 3 + 2 * 2 * ROWS);
    *element(s, &v, 3, 2) = -1;
    unstage(f, s);
    assert_int_equal(valid(&v), 2);
    s = new_staging(f, 0, 1, &v, "R");
    assert_false(stage(f, s));
    assert_true(poll(f));
    assert_ptr_equal(element(s, &v, 0, 0), v.host.data);
    assert_int_equal(*element(s, &v, 3, 2), -1);
    /* what lies between the columns is not the value's */
    assert_int_equal(((double *)v.host.data)[ROWS], 100 + ROWS);
    assert_int_equal(valid(&v), 3);
    unstage(f, s);
    end_value(f, &v);
}

static void readers_share_one_copy(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(0);
    tw_staging *a = new_staging(f, 1, 1, &v, "R"), *b = new_staging(f, 1, 1, &v, "R");
    assert_false(stage(f, a));
    assert_false(stage(f, b));
    assert_int_equal(f->slow.copies, 1);
    assert_true(poll(f));
    assert_int_equal(f->told, 2);
    assert_int_equal(valid(&v), 3);
    unstage(f, a);
    unstage(f, b);
    a = new_staging(f, 1, 1, &v, "R"); /* it is still there */
    assert_true(stage(f, a));
    unstage(f, a);
    end_value(f, &v);
}

static void a_writer_makes_other_replicas_invalid(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(0);
    tw_staging *s = new_staging(f, 1, 1, &v, "R");
    assert_false(stage(f, s));
    poll(f);
    unstage(f, s);
    s = new_staging(f, 0, 1, &v, "RW");
    assert_true(stage(f, s));
    unstage(f, s);
    assert_int_equal(valid(&v), 1);
    /* who does not read needs no copy */
    s = new_staging(f, 1, 1, &v, "W");
    assert_true(stage(f, s));
    assert_int_equal(f->slow.copies, 1);
    unstage(f, s);
    assert_int_equal(valid(&v), 2);
    tw_replicas_changed(&f->all, &v);
    assert_int_equal(valid(&v), 1);
    end_value(f, &v);
}

static void who_fails_to_write_changes_nothing(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(5);
    tw_staging *s = new_staging(f, 1, 1, &v, "RW");
    assert_false(stage(f, s));
    poll(f);
    *element(s, &v, 0, 0) = -5;
    s->status = TWILL_ERR_TASK;
    unstage(f, s);
    assert_int_equal(valid(&v), 1);
    assert_int_equal(*(double *)v.host.data, 5);
    end_value(f, &v);
}

static void the_least_recently_used_makes_room(void **state)
{
    fixture *f = *state;
    tw_value v[3] = {new_value(0), new_value(100), new_value(200)};
    for (int i = 0; i < 2; i++) {
        tw_staging *s = new_staging(f, 1, 1, &v[i], i ? "RW" : "R");
        stage(f, s);
        poll(f);
        unstage(f, s);
    }
    tw_staging *s = new_staging(f, 1, 1, &v[2], "R");
    assert_false(stage(f, s)); /* v[0] was clean, and went at once */
    assert_int_equal(valid(&v[0]), 1);
    assert_int_equal(f->slow.bytes, 2 * BYTES);
    poll(f);
    unstage(f, s);
    s = new_staging(f, 1, 1, &v[0], "R");
    assert_false(stage(f, s)); /* v[1] is dirty: it goes home first */
    assert_int_equal(f->slow.bytes, 2 * BYTES);
    poll(f);
    assert_int_equal(valid(&v[1]), 1);
    poll(f);
    assert_int_equal(f->told, 4);
    unstage(f, s);
    for (int i = 0; i < 3; i++)
        end_value(f, &v[i]);
}

static void who_waits_for_room_holds_none(void **state)
{
    fixture *f = *state;
    tw_value v[4] = {new_value(0), new_value(1), new_value(2), new_value(3)};
    tw_staging *a = new_staging(f, 1, 2, &v[0], "RW", &v[1], "R");
    tw_staging *b = new_staging(f, 1, 2, &v[2], "RW", &v[3], "R");
    tw_staging *c = new_staging(f, 1, 2, &v[3], "RW", &v[0], "R");
    assert_false(stage(f, a));
    assert_false(stage(f, b));
    assert_false(stage(f, c));
    while (poll(f))
        ;
    assert_int_equal(f->told, 1);
    unstage(f, a);
    while (poll(f))
        ;
    assert_int_equal(f->told, 2);
    unstage(f, b);
    while (poll(f))
        ;
    assert_int_equal(f->told, 3);
    unstage(f, c);
    for (int i = 0; i < 4; i++)
        end_value(f, &v[i]);
}

static void what_can_never_fit_is_refused(void **state)
{
    fixture *f = *state;
    tw_value v[3] = {new_value(0), new_value(1), new_value(2)};
    tw_staging *s = new_staging(f, 1, 3, &v[0], "R", &v[1], "R", &v[2], "R");
    assert_true(stage(f, s));
    assert_int_equal(s->status, TWILL_ERR_MEMORY);
    unstage(f, s);
    for (int i = 0; i < 3; i++)
        end_value(f, &v[i]);
}

static void a_copy_that_fails_is_told_and_loses_nothing(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(7), others[2] = {new_value(0), new_value(1)};
    tw_staging *s = new_staging(f, 1, 1, &v, "RW");
    f->slow.status = TWILL_ERR_SYSTEM;
    assert_false(stage(f, s));
    poll(f);
    assert_int_equal(f->told, 1);
    assert_int_equal(s->status, TWILL_ERR_SYSTEM);
    assert_int_equal(valid(&v), 1);
    unstage(f, s);
    s = new_staging(f, 1, 1, &v, "W");
    assert_true(stage(f, s));
    *element(s, &v, 0, 0) = -7;
    unstage(f, s);
    /* it cannot go home, so there is no room for two others */
    tw_staging *two = new_staging(f, 1, 2, &others[0], "R", &others[1], "R");
    assert_false(stage(f, two));
    poll(f);
    assert_int_equal(f->told, 2);
    assert_int_equal(two->status, TWILL_ERR_SYSTEM);
    unstage(f, two);
    f->slow.status = TWILL_OK;
    s = new_staging(f, 0, 1, &v, "R");
    assert_false(stage(f, s));
    poll(f);
    assert_int_equal(*(double *)v.host.data, -7);
    unstage(f, s);
    end_value(f, &v);
    end_value(f, &others[0]);
    end_value(f, &others[1]);
}

static void nobody_writes_what_is_being_copied(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(0), others[2] = {new_value(0), new_value(1)};
    tw_staging *s = new_staging(f, 1, 1, &v, "W");
    assert_true(stage(f, s));
    unstage(f, s);
    tw_staging *two = new_staging(f, 1, 2, &others[0], "W", &others[1], "W");
    assert_false(stage(f, two)); /* v goes home */
    s = new_staging(f, 1, 1, &v, "RW");
    assert_false(stage(f, s)); /* and is wanted again meanwhile */
    poll(f);
    assert_int_equal(f->told, 1);
    assert_int_equal(valid(&v), 3);
    unstage(f, s);
    assert_int_equal(valid(&v), 2);
    while (poll(f)) /* so it goes home again */
        ;
    assert_int_equal(f->told, 2);
    unstage(f, two);
    end_value(f, &v);
    end_value(f, &others[0]);
    end_value(f, &others[1]);
}

/* Make it dirty in space 1. */
static void write_there(fixture *f, tw_value *v, double first)
{
    tw_staging *s = new_staging(f, 1, 1, v, "W");
    assert_true(stage(f, s));
    *element(s, v, 0, 0) = first;
    unstage(f, s);
}

/* Others take all of the room there is, whatever has to go home for it. */
static void fill_room(fixture *f, tw_value others[2])
{
    tw_staging *two = new_staging(f, 1, 2, &others[0], "W", &others[1], "W");
    stage(f, two);
    while (poll(f))
        ;
    assert_int_equal(two->status, TWILL_OK);
    unstage(f, two);
}

static void who_fails_on_the_host_leaves_what_is_there(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(0), others[2] = {new_value(0), new_value(1)};
    write_there(f, &v, 9);
    tw_staging *s = new_staging(f, 0, 1, &v, "RW");
    assert_false(stage(f, s));
    poll(f);
    *element(s, &v, 0, 0) = -9;
    s->status = TWILL_ERR_TASK;
    unstage(f, s);
    fill_room(f, others); /* the other one was clean, and goes */
    assert_int_equal(valid(&v), 1);
    assert_int_equal(*(double *)v.host.data, -9);
    end_value(f, &v);
    end_value(f, &others[0]);
    end_value(f, &others[1]);
}

static void nothing_goes_where_somebody_writes(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(0), others[2] = {new_value(0), new_value(1)};
    write_there(f, &v, 9);
    tw_staging *s = new_staging(f, 0, 1, &v, "W");
    assert_true(stage(f, s));
    tw_staging *two = new_staging(f, 1, 2, &others[0], "W", &others[1], "W");
    assert_false(stage(f, two)); /* v is in the way */
    *element(s, &v, 0, 0) = 10;
    assert_false(poll(f));
    unstage(f, s); /* what was there is worth nothing now */
    assert_int_equal(f->told, 1);
    assert_int_equal(*(double *)v.host.data, 10);
    assert_int_equal(valid(&v), 1);
    unstage(f, two);
    end_value(f, &v);
    end_value(f, &others[0]);
    end_value(f, &others[1]);
}

static void without_a_queue_nobody_waits_for_other_work(void **state)
{
    fixture *f = *state;
    tw_value v[4] = {new_value(0), new_value(1), new_value(2), new_value(3)};
    f->slow.space.no_queue = true;
    write_there(f, &v[0], 9);
    tw_staging *a = new_staging(f, 1, 2, &v[1], "W", &v[2], "W");
    tw_staging *b = new_staging(f, 1, 1, &v[3], "W");
    assert_false(stage(f, a)); /* for copies, yes */
    assert_false(stage(f, b));
    poll(f);
    assert_int_equal(f->told, 2);
    assert_int_equal(a->status, TWILL_OK);
    assert_int_equal(b->status, TWILL_ERR_MEMORY);
    assert_true(stage(f, b));
    assert_int_equal(b->status, TWILL_ERR_MEMORY);
    unstage(f, b);
    unstage(f, a);
    for (int i = 0; i < 4; i++)
        end_value(f, &v[i]);
}

static void what_cannot_come_home_is_lost(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(5);
    write_there(f, &v, 9);
    tw_staging *s = new_staging(f, 0, 1, &v, "R");
    s->datum[0].home = true;
    f->slow.status = TWILL_ERR_SYSTEM;
    assert_false(stage(f, s));
    poll(f);
    assert_int_equal(s->status, TWILL_ERR_SYSTEM);
    assert_int_equal(valid(&v), 1); /* so nobody will copy it when the value ends */
    assert_int_equal(*(double *)v.host.data, 5);
    unstage(f, s);
    end_value(f, &v);
}

static void what_nobody_wants_is_not_copied(void **state)
{
    fixture *f = *state;
    tw_value v = new_value(0), other = new_value(0);
    tw_value others[2] = {new_value(0), new_value(1)};
    write_there(f, &v, 9);
    write_there(f, &other, 9);
    tw_staging *two = new_staging(f, 1, 2, &others[0], "W", &others[1], "W");
    assert_false(stage(f, two)); /* both go home */
    assert_false(tw_replicas_forget(&f->all, &v));
    while (poll(f))
        ;
    assert_true(tw_replicas_forget(&f->all, &v));
    end_value(f, &v);
    assert_int_equal(f->told, 1);
    unstage(f, two);
    assert_true(tw_replicas_forget(&f->all, &others[0]));
    end_value(f, &others[0]);
    end_value(f, &others[1]);
    end_value(f, &other);
}

int main(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        test(a_value_goes_there_and_back),
        test(readers_share_one_copy),
        test(a_writer_makes_other_replicas_invalid),
        test(who_fails_to_write_changes_nothing),
        test(the_least_recently_used_makes_room),
        test(who_waits_for_room_holds_none),
        test(what_can_never_fit_is_refused),
        test(a_copy_that_fails_is_told_and_loses_nothing),
        test(nobody_writes_what_is_being_copied),
        test(who_fails_on_the_host_leaves_what_is_there),
        test(nothing_goes_where_somebody_writes),
        test(without_a_queue_nobody_waits_for_other_work),
        test(what_cannot_come_home_is_lost),
        test(what_nobody_wants_is_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
