/* Multiply-adds in C, for processors of which we know nothing; the build asks for all that the
 * compiler can make of it. */
#include "base/fma.h"

typedef double vector __attribute__((vector_size(16)));

/* Independent sums: enough for four units with a latency of four cycles, and they stay in the
 * registers of processors that have 32. */
enum { SUMS = 16, LANES = sizeof(vector) / sizeof(double) };

static void run(int rounds)
{
    vector sums[SUMS] = {0}, x = {0}, y = {0};
    __asm__ volatile("" : "+m"(x), "+m"(y)); /* their values are unknown to the compiler */
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < SUMS; i++)
            sums[i] = sums[i] * x + y;
    __asm__ volatile("" : : "m"(sums));
}

static const tw_fma plain = {"compiled C", 2.0 * LANES *SUMS, run};

const tw_fma *tw_fma_widest(void)
{
    return &plain;
}
