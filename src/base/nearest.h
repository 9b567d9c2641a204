/* The nearest known name to a misspelt one. */
#ifndef TW_BASE_NEAREST_H
#define TW_BASE_NEAREST_H

/* Index of the name closest to `word` by edit distance, or -1 when none is near enough to be what
 * was meant. Case does not count. */
int tw_nearest(const char *word, const char *const *names, int n);

#endif
