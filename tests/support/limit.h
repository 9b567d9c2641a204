/* A limit on time: a test that hangs says so, with what is blocked on what, and ends the program.
 *
 * TW_LIMIT in the environment replaces the number of seconds. */
#ifndef TEST_SUPPORT_LIMIT_H
#define TEST_SUPPORT_LIMIT_H

#include <twill/twill.h>

/* From now on, until limit_end or the next limit_begin. `tw` may be NULL. */
void limit_begin(twill *tw, int seconds, const char *format, ...) TWILL_PRINTF(3, 4);
void limit_end(void);

/* A test that uses limits: when it fails before limit_end, it says what it was at. */
#define LIMITED_TEST(test) cmocka_unit_test_teardown(test, limit_report)
int limit_report(void **state);

/* A number from the environment, or what stands for it when the variable is not there. */
int64_t limit_number(const char *variable, int64_t fallback);

/* The same, but of a range as in 3-16 the number that `random` picks. */
int64_t limit_pick(const char *variable, uint64_t random, int64_t fallback);

#endif
