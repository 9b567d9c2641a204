/* Which kernels suit which processor. */
#include "la/blas/blas.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

typedef struct row {
    const char *vendor;
    unsigned family, first_model, last_model;
    const char *kernels, *why;
} row;

/* Measured on tiles that come from memory, as tile algorithms see them. Processors that are not
 * listed do best with the provider's own choice. */
static const row table[] = {
    {"AuthenticAMD", 0x19, 0x10, 0x1f, "Haswell",
     "Zen 4: on tiles of 256 to 384 the AVX2 kernels are 10% faster than the AVX-512 ones"},
    {"AuthenticAMD", 0x19, 0x60, 0x7f, "Haswell",
     "Zen 4: on tiles of 256 to 384 the AVX2 kernels are 10% faster than the AVX-512 ones"},
    {"AuthenticAMD", 0x19, 0xa0, 0xaf, "Haswell",
     "Zen 4c: on tiles of 256 to 384 the AVX2 kernels are 10% faster than the AVX-512 ones"},
};

const char *tw_cpu_kernels(const char **why)
{
    unsigned a, b, c, d;
    char vendor[13] = "";
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return NULL;
    memcpy(vendor, &b, 4);
    memcpy(vendor + 4, &d, 4);
    memcpy(vendor + 8, &c, 4);
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return NULL;
    unsigned family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
    unsigned model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const row *r = &table[i];
        if (!strcmp(vendor, r->vendor) && family == r->family && model >= r->first_model &&
            model <= r->last_model) {
            *why = r->why;
            return r->kernels;
        }
    }
    return NULL;
}

bool tw_cpu_has_wide_vectors(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
const char *tw_cpu_kernels(const char **why)
{
    *why = "";
    return NULL;
}

bool tw_cpu_has_wide_vectors(void)
{
    return false;
}
#endif
