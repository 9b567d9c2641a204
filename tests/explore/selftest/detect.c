/* Small faults, one per kind that the explorer detects, beside programs without one that are like
 * them; tests/explore/litmus.sh says which are found as what. */
#include "explore.h"

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int data;
static atomic_int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct {
    char a, b;
} pair;
static int *block;

/* Both at the same time. */
static void together(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t ta, tb;
    pthread_create(&ta, NULL, a, NULL);
    pthread_create(&tb, NULL, b, NULL);
    pthread_join(ta, NULL);
    pthread_join(tb, NULL);
}

/* ---- races --------------------------------------------------------------------------------- */

static void *plain(void *arg)
{
    data++;
    return arg;
}

static void race(void)
{
    together(plain, plain);
}

static void *under_mutex(void *arg)
{
    pthread_mutex_lock(&mutex);
    data++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void mutexes(void)
{
    together(under_mutex, under_mutex);
}

static void joined(void)
{
    pthread_t t;
    data = 1;
    pthread_create(&t, NULL, plain, NULL);
    pthread_join(t, NULL);
    explore_check(data == 2, "not what was written");
}

static void *write_first(void *arg)
{
    pair.a = 1;
    return arg;
}

static void *write_second(void *arg)
{
    pair.b = 1;
    return arg;
}

/* Bytes of one word are apart. */
static void neighbours(void)
{
    together(write_first, write_second);
}

static void *publish_relaxed(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *publish_release(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void *publish_fence(void *arg)
{
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *consume(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_acquire))
        explore_check(data == 1, "not what was written");
    return arg;
}

static void *consume_fence(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        explore_check(data == 1, "not what was written");
    }
    return arg;
}

static void relaxed_flag(void)
{
    together(publish_relaxed, consume);
}

static void released_flag(void)
{
    together(publish_release, consume);
}

static void fenced_flag(void)
{
    together(publish_fence, consume_fence);
}

static void *free_block(void *arg)
{
    free(block);
    return arg;
}

static void *use_block(void *arg)
{
    *block = 1;
    return arg;
}

static void free_race(void)
{
    block = malloc(sizeof *block);
    together(free_block, use_block);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void use_after_free(void)
{
    block = malloc(sizeof *block);
    free(block);
    *block = 1;
}

static void free_twice(void)
{
    block = malloc(sizeof *block);
    free(block);
    free(block);
}

static void overflow(void)
{
    block = malloc(16 * sizeof *block);
    memset(block, 0, 17 * sizeof *block);
    (void)malloc(1); /* what lies behind the block */
    memset(block, 0, 17 * sizeof *block);
    free(block);
}

static void leak(void)
{
    block = malloc(sizeof *block);
}

static void no_memory(void)
{
    for (int i = 0; i < 20; i++) {
        int *p = malloc(sizeof *p);
        *p = i;
        free(p);
    }
}

/* ---- waits --------------------------------------------------------------------------------- */

static void *one_way(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *other_way(void *arg)
{
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&other);
    return arg;
}

static void two_orders(void)
{
    together(one_way, other_way);
}

static void *wait_blindly(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&flag)) {
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&cond, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *wait_well(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&flag))
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *wake(void *arg)
{
    pthread_mutex_lock(&mutex);
    atomic_store(&flag, 1);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void lost_signal(void)
{
    together(wait_blindly, wake);
}

static void signals(void)
{
    together(wait_well, wake);
}

static long futex(int operation, int value, const struct timespec *t)
{
    return syscall(SYS_futex, &flag, operation, value, t, NULL, 0);
}

static void *futex_wait(void *arg)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        futex(FUTEX_WAIT_PRIVATE, 0, NULL);
    return arg;
}

static void *futex_wake(void *arg)
{
    atomic_store_explicit(&flag, 1, memory_order_release);
    futex(FUTEX_WAKE_PRIVATE, 1, NULL);
    return arg;
}

static void *futex_no_wake(void *arg)
{
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void futexes(void)
{
    together(futex_wait, futex_wake);
}

static void lost_futex(void)
{
    together(futex_wait, futex_no_wake);
}

static void futex_time(void)
{
    struct timespec t = {1, 0}, before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    while (!futex(FUTEX_WAIT_PRIVATE, 0, &t)) /* woken for nothing */
        ;
    clock_gettime(CLOCK_MONOTONIC, &after);
    explore_check(after.tv_sec > before.tv_sec, "too early");
}

static void *spin(void *arg)
{
    while (!atomic_load(&flag))
        ;
    return arg;
}

static void *nothing(void *arg)
{
    return arg;
}

static void endless(void)
{
    together(spin, nothing);
}

static sem_t semaphore;

static void *post(void *arg)
{
    data = 1;
    sem_post(&semaphore);
    return arg;
}

static void *wait_post(void *arg)
{
    sem_wait(&semaphore);
    explore_check(data == 1, "not what was written");
    pthread_exit(arg);
}

static void semaphores(void)
{
    sem_init(&semaphore, 0, 0);
    together(post, wait_post);
    sem_destroy(&semaphore);
}

/* A weak compare-and-exchange that is tried once may fail. */
static void *try_once(void *arg)
{
    int zero = 0;
    explore_check(atomic_compare_exchange_weak(&flag, &zero, 1), "failed for nothing");
    return arg;
}

static void weak_cas(void)
{
    together(try_once, nothing);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"race", race},
    {"mutexes", mutexes},
    {"joined", joined},
    {"neighbours", neighbours},
    {"relaxed_flag", relaxed_flag},
    {"released_flag", released_flag},
    {"fenced_flag", fenced_flag},
    {"free_race", free_race},
    {"use_after_free", use_after_free},
    {"free_twice", free_twice},
    {"overflow", overflow},
    {"leak", leak},
    {"no_memory", no_memory},
    {"two_orders", two_orders},
    {"lost_signal", lost_signal},
    {"signals", signals},
    {"futexes", futexes},
    {"lost_futex", lost_futex},
    {"futex_time", futex_time},
    {"endless", endless},
    {"semaphores", semaphores},
    {"weak_cas", weak_cas},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (argc > 1 && !strcmp(tests[i].name, argv[1])) {
            tests[i].run();
            return 0;
        }
    explore_wrong("no such test");
    return 2;
}
