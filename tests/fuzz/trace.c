/* For libFuzzer: whatever the bytes are, reading them gives a trace or an error; and a trace can be
 * written in every form. */
#include "trace/output/file.h"
#include "trace/output/report.h"
#include "trace/output/write.h"

#include <stdlib.h>
#include <string.h>

static void write_all(FILE *out, const twill_trace *t)
{
    tw_write_chrome(out, t);
    tw_write_dot(out, t);
    tw_write_tikz(out, t);
    tw_write_html(out, t);
    tw_file_write(out, t);
    tw_write_stats(out, t);
    tw_write_idle(out, t);
    tw_write_stats_json(out, t);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    static FILE *nowhere;
    if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
        abort();
    unsigned char *copy = malloc(n ? n : 1); /* aligned, and ends where the data ends */
    twill_trace *t = NULL;
    if (!copy)
        return 0;
    if (n)
        memcpy(copy, data, n);
    if (tw_file_parse(copy, n, "fuzz", &t) == TWILL_OK) {
        write_all(nowhere, t);
        twill_trace_compare(t, t, true, NULL, 0);
        twill_trace_compare(t, t, false, NULL, 0);
        twill_trace_free(t);
    } else if (t || !*twill_message()) {
        abort();
    }
    free(copy);
    return 0;
}
