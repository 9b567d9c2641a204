/* The .twt file: a header, a directory, and the columns of a trace. Little endian.
 *
 *   header      8 bytes  "twilltrc"
 *               u32      version, 1
 *               u32      number of columns
 *               u64      bytes of the file
 *               f64      span in ns
 *               f64      GFLOP/s of a core, 0: unknown
 *               f64      GB/s between a core and memory, 0: unknown
 *               u64      records lost
 *               u32 × 3  rows, classes, graphs
 *               u32      0
 *   directory   per column: 16 bytes name (ended by 0), u32 type (see tw_type), u32 0,
 *               u64 offset in the file (a multiple of 8), u64 length in entries
 *   columns     those of columns.c, and "text" (u8): the texts, each ended by 0, in the order that
 *               trace.h gives: title, command, date, host, rows, classes, parameters of the
 *               classes, graphs
 *
 * A reader ignores columns that it does not know, and refuses a file that lacks one that it does,
 * unless that was added later (optional in columns.c). */
#ifndef TW_TRACE_FILE_H
#define TW_TRACE_FILE_H

#include "trace/trace.h"

#include <stdio.h>

#define TW_FILE_MAGIC "twilltrc"
enum { TW_FILE_VERSION = 1, TW_FILE_NAME = 16 };

typedef struct tw_file_header {
    char magic[8];
    uint32_t version, columns;
    uint64_t size;
    double span, peak, bandwidth;
    uint64_t lost;
    uint32_t rows, classes, graphs, unused;
} tw_file_header;

typedef struct tw_file_column {
    char name[TW_FILE_NAME];
    uint32_t type, unused;
    uint64_t offset, length;
} tw_file_column;

_Static_assert(sizeof(tw_file_header) == 72 && sizeof(tw_file_column) == 40,
               "the structs are the file");

/* Write a trace. Errors show in the stream. */
void tw_file_write(FILE *out, const twill_trace *t);

/* The trace that `n` bytes of a file hold, aligned to 8; `name` is for the message. */
twill_status tw_file_parse(const void *bytes, size_t n, const char *name, twill_trace **trace);

/* check.c: whether all numbers of a trace make sense together, so that nobody after this need
 * doubt them. */
twill_status tw_trace_check(const twill_trace *t, const char *name);

#endif
