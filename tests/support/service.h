/* A service for tests: it completes tasks after so many polls. */
#ifndef TEST_SUPPORT_SERVICE_H
#define TEST_SUPPORT_SERVICE_H

#include "engine/engine.h"
#include "support/test.h"

struct test_delayed;

typedef struct test_service {
    tw_service service; /* first */
    tw_lock lock;       /* of the list */
    struct test_delayed *list;
    atomic_bool closed; /* polls do nothing meanwhile */
    atomic_int polls, handed, done;
    atomic_int by_helper;  /* tasks that the helper thread has completed */
    atomic_int by_workers; /* polls by threads that are workers */
    atomic_int inside;     /* threads in a poll: 1 at most */
    atomic_int crowded;    /* times there were more */
} test_service;

/* Fill it and add it to the context. */
void test_service_add(test_service *s, twill *tw);

/* A task that returns TWILL_ASYNC and is completed later. Arguments: the address of a test_service
 * (TWILL_VALUE), the number of polls (TWILL_INT), and a tile of integers, to which 1 is added then,
 * or something else. */
extern const twill_class test_delayed_class;

#endif
