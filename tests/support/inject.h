/* Fault injection: requests of the library for memory and threads that are refused.
 *
 * For programs that are linked with --wrap for the functions below (see tests/CMakeLists.txt), so
 * that requests of the C library, of hwloc and of a BLAS never fail. Requests are malloc, calloc,
 * realloc, aligned_alloc, strdup, mmap, hwloc_bitmap_alloc and pthread_create, by any thread. */
#ifndef TEST_SUPPORT_INJECT_H
#define TEST_SUPPORT_INJECT_H

#include <stdint.h>

/* From now on, requests number `first` to `first` + `n` - 1 are refused, counting from 1; none when
 * `n` is 0. What there was before is forgotten. */
void inject_begin(int64_t first, int64_t n);

/* The same, counting from here, but nothing is forgotten for inject_left. */
void inject_again(int64_t first, int64_t n);

/* Refuse nothing any more. */
void inject_end(void);

/* Requests since inject_begin, and how many of them were refused. */
int64_t inject_requests(void);
int64_t inject_refused(void);

/* The last refused one came from there: bytes after the beginning of the program, for addr2line. */
uintptr_t inject_place(void);

/* Blocks, and bytes of mappings, that have been there since inject_begin and were not given back.
 * Prints where each block was asked for. */
int64_t inject_left(void);

#endif
