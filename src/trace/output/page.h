/* The columns that the page gets: fewer and narrower than those of the trace. */
#ifndef TW_TRACE_PAGE_H
#define TW_TRACE_PAGE_H

#include "trace/analysis/analysis.h"

typedef struct tw_page_column {
    const char *name;
    tw_type type;
    const void *data;
    int64_t length;
    void *own; /* what to free */
} tw_page_column;

enum { TW_PAGE_COLUMNS = 48 };

typedef struct tw_page {
    tw_page_column columns[TW_PAGE_COLUMNS];
    int n;
} tw_page;

/* False: no memory. */
bool tw_page_open(tw_page *page, const twill_trace *t);
void tw_page_close(tw_page *page);

/* Bytes of a column, padded to a multiple of 8. */
static inline uint64_t tw_page_bytes(const tw_page_column *c)
{
    return ((uint64_t)c->length * tw_type_sizes[c->type] + 7) / 8 * 8;
}

#endif
