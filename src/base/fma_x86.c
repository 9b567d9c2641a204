/* Multiply-adds for x86-64. In assembly, so that a build without optimisation, with a sanitizer or
 * with counters of coverage measures the processor all the same. */
#include "base/fma.h"

/* The first 14 registers are sums that do not depend on one another: more than two units with a
 * latency of four cycles need. The last two are factors. All are 0, so that nothing overflows. */
enum { SUMS = 14 };
#define ROUNDS(rounds, ZERO, STEP, END)                                                      \
    __asm__ volatile(".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t" ZERO "\n\t.endr\n"   \
                     "0:\n\t.irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13\n\t" STEP "\n\t.endr\n\t" \
                     "decl %0\n\tjnz 0b\n\t" END                                             \
                     : "+r"(rounds)                                                          \
                     :                                                                       \
                     : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", \
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

static void run_avx512(int rounds)
{
    ROUNDS(rounds, "vxorps %%xmm\\i, %%xmm\\i, %%xmm\\i", "vfmadd231pd %%zmm15, %%zmm14, %%zmm\\i",
           "vzeroupper");
}

static void run_fma(int rounds)
{
    ROUNDS(rounds, "vxorps %%xmm\\i, %%xmm\\i, %%xmm\\i", "vfmadd231pd %%ymm15, %%ymm14, %%ymm\\i",
           "vzeroupper");
}

static void run_avx(int rounds)
{
    ROUNDS(rounds, "vxorps %%xmm\\i, %%xmm\\i, %%xmm\\i",
           "vmulpd %%ymm15, %%ymm\\i, %%ymm\\i\n\tvaddpd %%ymm14, %%ymm\\i, %%ymm\\i",
           "vzeroupper");
}

static void run_sse2(int rounds)
{
    ROUNDS(rounds, "xorps %%xmm\\i, %%xmm\\i", "mulpd %%xmm15, %%xmm\\i\n\taddpd %%xmm14, %%xmm\\i",
           "");
}

static const tw_fma avx512 = {"AVX-512", 2 * 8 * SUMS, run_avx512};
static const tw_fma fma = {"AVX2", 2 * 4 * SUMS, run_fma};
static const tw_fma avx = {"AVX", 2 * 4 * SUMS, run_avx};
static const tw_fma sse2 = {"SSE2", 2 * 2 * SUMS, run_sse2};

const tw_fma *tw_fma_widest(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return &avx512;
    if (__builtin_cpu_supports("fma"))
        return &fma;
    return __builtin_cpu_supports("avx") ? &avx : &sse2;
}
