/* The page that shows a trace, without a trace in it; the build makes it from viewer/. */
#ifndef TW_TRACE_VIEWER_PAGE_H
#define TW_TRACE_VIEWER_PAGE_H

#include <stddef.h>

/* Where the writer puts what the page shows: each stands in the page once. */
#define TW_VIEWER_META "<!--TWILL_META-->"
#define TW_VIEWER_DATA "<!--TWILL_DATA-->"

/* UTF-8, ends with a zero byte that the length does not count. */
extern const char tw_viewer_page[];
extern const size_t tw_viewer_page_length;

#endif
