/* How fast one core multiplies and adds at best. */
#ifndef TW_BASE_PEAK_H
#define TW_BASE_PEAK_H

/* GFLOP/s of the calling thread in double precision, measured in a few milliseconds; *kind: the
 * instructions that it was measured with. */
double tw_peak(const char **kind);

#endif
