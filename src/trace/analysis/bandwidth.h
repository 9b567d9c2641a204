/* How fast one core and memory are together. */
#ifndef TW_TRACE_BANDWIDTH_H
#define TW_TRACE_BANDWIDTH_H

/* GB/s read and written by the calling thread, measured in a few hundredths of a second; 0 when
 * there is no memory for it. */
double tw_bandwidth(void);

#endif
