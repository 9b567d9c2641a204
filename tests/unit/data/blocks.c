/* Blocks of memory: apart from each other, used again, of any size, by several threads. */
#include "data/blocks.h"

#include "support/test.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 300000, MANY = 120, ROUNDS = 200 };

TEST(blocks_lie_apart_on_lines)
{
    unsigned char *block[MANY];
    for (int i = 0; i < MANY; i++) {
        block[i] = tw_block_new(SIZE + (size_t)(i % 3));
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
        memset(block[i], i, SIZE);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(block[i][0], i);
        assert_int_equal(block[i][SIZE - 1], i);
        tw_block_free(block[i]);
    }
}

TEST(a_block_that_was_given_back_is_the_next_one)
{
    void *first = tw_block_new(SIZE), *second = tw_block_new(SIZE);
    tw_block_free(first);
    assert_ptr_equal(tw_block_new(SIZE), first);
    tw_block_free(first);
    tw_block_free(second);
}

/* What no block is in is there for blocks of another size. */
TEST(memory_is_used_again_for_another_size)
{
    void *small = tw_block_new(SIZE);
    tw_block_free(small);
    void *large = tw_block_new(TW_BLOCK_MOST);
    assert_ptr_equal(large, small);
    memset(large, 1, TW_BLOCK_MOST);
    tw_block_free(large);
}

/* Of the process, mapped memory included. */
static long long pages(void)
{
    long long n = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lld", &n), 1);
    fclose(f);
    return n;
}

/* More than what stays. */
TEST(what_nobody_uses_goes_back_but_for_some)
{
    void *block[MANY];
    for (int i = 0; i < MANY; i++)
        assert_non_null(block[i] = tw_block_new(TW_BLOCK_MOST));
    long long most = pages();
    for (int i = 0; i < MANY; i++)
        tw_block_free(block[i]);
    assert_true(pages() < most - MANY / 2 * (TW_BLOCK_MOST / 4096));
}

static void *take_and_give(void *arg)
{
    uintptr_t own = (uintptr_t)arg;
    for (int round = 0; round < ROUNDS; round++) {
        uintptr_t *block[8];
        for (int i = 0; i < 8; i++) {
            block[i] = tw_block_new(SIZE + (size_t)(round % 2) * 100000);
            *block[i] = own + (uintptr_t)i;
        }
        for (int i = 0; i < 8; i++) {
            if (*block[i] != own + (uintptr_t)i)
                return arg;
            tw_block_free(block[i]);
        }
    }
    return NULL;
}

TEST(threads_get_blocks_of_their_own)
{
    pthread_t thread[3];
    for (uintptr_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, (void *)(100 * i + 8)), 0);
    for (int i = 0; i < 3; i++) {
        void *wrong;
        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_lie_apart_on_lines),
        cmocka_unit_test(a_block_that_was_given_back_is_the_next_one),
        cmocka_unit_test(memory_is_used_again_for_another_size),
        cmocka_unit_test(what_nobody_uses_goes_back_but_for_some),
        cmocka_unit_test(threads_get_blocks_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
