/* A transport around another one, which lets each message wait for a random time before it leaves.
 * The order between two ranks stays. */
#ifndef TEST_SUPPORT_DELAYS_H
#define TEST_SUPPORT_DELAYS_H

#include "comm/comm.h"

/* Takes over the endpoint, before its handlers are set. Most messages leave at once, some after up
 * to 200 us, few after 3 ms. */
tw_comm *test_delay(tw_comm *inner, uint64_t seed);

/* Sleep for a random time, mostly none. */
void test_dawdle(uint64_t *random);

#endif
