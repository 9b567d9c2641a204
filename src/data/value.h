/* Values and replicas: one version of some bytes, and where copies of it are. */
#ifndef TW_DATA_VALUE_H
#define TW_DATA_VALUE_H

#include <stdint.h>

enum { TW_SPACE_HOST = 0 };

typedef enum tw_region { TW_FULL, TW_LOWER_PART, TW_UPPER_PART } tw_region;

/* A value's bytes in one space. */
typedef struct tw_replica {
    void *data;
    int64_t ld; /* elements */
} tw_replica;

/* The host replica is part of the value; those of other spaces will hang off it. `valid` has a bit
 * per space, so "are the inputs here?" is one test. */
typedef struct tw_value {
    tw_replica host;
    int64_t rows, cols; /* elements */
    uint32_t valid;
    tw_region region;
} tw_value;

#endif
