/* Views as text: all of a small one, the corners of a large one. */
#include "array/array.h"

#include <stdarg.h>
#include <stdio.h>

enum { SMALL = 1000 /* elements that are all shown */ };

/* Text like snprintf's: what does not fit is only counted. */
typedef struct writer {
    char *text;
    size_t size, length;
    bool all; /* the view is small */
} writer;

TWILL_PRINTF(2, 3) static void say(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t at = w->length < w->size ? w->length : w->size;
    int n = vsnprintf(w->size ? w->text + at : NULL, w->size - at, format, list);
    va_end(list);
    w->length += n > 0 ? (size_t)n : 0;
}

static twill_status say_element(writer *w, twill_view v)
{
    union {
        float f[2];
        double d[2];
    } x;
    twill_status status = twill_get(v, &x);
    if (status != TWILL_OK)
        return status;
    switch (v.array->type) {
    case TWILL_FLOAT32:
        say(w, "%.6g", (double)x.f[0]);
        break;
    case TWILL_FLOAT64:
        say(w, "%.6g", x.d[0]);
        break;
    case TWILL_COMPLEX64:
        say(w, "%.6g%+.6gi", (double)x.f[0], (double)x.f[1]);
        break;
    default:
        say(w, "%.6g%+.6gi", x.d[0], x.d[1]);
    }
    return TWILL_OK;
}

/* Of a large view, three indices at each end of the last two dimensions, one of the others. */
static int64_t edge_of(const writer *w, int ndim, int64_t extent)
{
    int64_t edge = ndim > 2 ? 1 : 3;
    return w->all || extent <= 2 * edge + 1 ? extent : edge;
}

static twill_status say_view(writer *w, twill_view v, int depth)
{
    int n = twill_view_ndim(v);
    if (n == 0)
        return say_element(w, v);
    int64_t extent = twill_view_extent(v, 0), edge = edge_of(w, n, extent);
    twill_status status = TWILL_OK;
    say(w, "[");
    for (int64_t i = 0; i < extent && status == TWILL_OK; i++) {
        if (i > 0 && n > 1)
            say(w, "\n%*s", depth + 1, "");
        else if (i > 0)
            say(w, " ");
        if (i == edge) { /* and on from the other end */
            say(w, "...");
            i = extent - edge - 1;
            continue;
        }
        status = say_view(w, twill_view_slice(v, 0, i), depth + 1);
    }
    say(w, "]");
    return status;
}

twill_status twill_view_text(twill_view v, char *text, size_t size, size_t *length)
{
    writer w = {.text = text, .size = text ? size : 0};
    twill_status status = tw_array_check_elements("twill_view_text", &v, true);
    if (status == TWILL_OK)
        status = tw_view_check_local(&v);
    if (status == TWILL_OK && v.array->type == TWILL_BYTES)
        status =
            tw_fail(TWILL_ERR_ARGUMENT, "twill_view_text: elements of type BYTES have no text");
    if (status != TWILL_OK)
        return status;
    w.all = twill_view_size(v) <= SMALL;
    status = say_view(&w, v, 0);
    if (status == TWILL_OK && length)
        *length = w.length;
    return status;
}
