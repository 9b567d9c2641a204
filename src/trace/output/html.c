/* The page to look at: the viewer that is built in, with the trace inside it as facts in JSON and
 * columns of numbers in base64. */
#include "trace/output/page.h"
#include "trace/output/report.h"
#include "trace/output/text.h"
#include "trace/output/viewer_page.h"
#include "trace/output/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- facts --------------------------------------------------------------------------------- */

static void write_rows(tw_json *j, const twill_trace *t)
{
    tw_json_key(j, "rows");
    fputc('[', j->out);
    for (int64_t i = 0; i < t->nrows; i++) {
        tw_json row = {.out = j->out};
        fputs(i ? ",{" : "{", j->out);
        tw_json_string(&row, "name", tw_row_name(t, i));
        tw_json_string(&row, "kind", tw_row_kind_names[t->row_kind[i]]);
        tw_json_whole(&row, "rank", t->row_rank[i]);
        fputc('}', j->out);
    }
    fputc(']', j->out);
}

/* How many parameters the tasks of each class have at most. */
static int *count_parameters(const twill_trace *t)
{
    int *most = calloc((size_t)t->nclasses + 1, sizeof *most);
    for (int64_t i = 0; most && i < t->ntasks; i++)
        if (t->nparameters[i] > most[t->cls[i]])
            most[t->cls[i]] = t->nparameters[i];
    return most;
}

static void write_classes(tw_json *j, const twill_trace *t)
{
    int *most = count_parameters(t);
    char name[64];
    tw_json_key(j, "classes");
    fputc('[', j->out);
    for (int64_t i = 0; i < t->nclasses; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", j->out);
        tw_json_text(j->out, tw_class_name(t, i));
        fputs(",\"parameters\":[", j->out);
        for (int k = 0; most && k < most[i]; k++) {
            if (k)
                fputc(',', j->out);
            tw_json_text(j->out, tw_parameter_name(t, i, k, name, sizeof name));
        }
        fputs("]}", j->out);
    }
    fputc(']', j->out);
    free(most);
}

static void write_lists(tw_json *j, const twill_trace *t)
{
    tw_json_key(j, "states");
    fputc('[', j->out);
    for (int i = 0; i < TW_STATES; i++) {
        if (i)
            fputc(',', j->out);
        tw_json_text(j->out, tw_state_names[i]);
    }
    fputc(']', j->out);
    tw_json_key(j, "graphs");
    fputc('[', j->out);
    for (int64_t i = 0; i < t->ngraphs; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", j->out);
        tw_json_text(j->out, tw_graph_name(t, i));
        fprintf(j->out, ",\"serial\":%" PRId64 "}", i + 1);
    }
    fputc(']', j->out);
    tw_json_key(j, "longest_path");
    fputc('[', j->out);
    for (int64_t i = 0; i < t->analysis->npath; i++)
        fprintf(j->out, "%s%" PRId32, i ? "," : "", t->analysis->path[i]);
    fputc(']', j->out);
}

static void write_columns(tw_json *j, const tw_page *page)
{
    uint64_t offset = 0;
    tw_json_key(j, "columns");
    fputc('[', j->out);
    for (int i = 0; i < page->n; i++) {
        const tw_page_column *c = &page->columns[i];
        tw_json row = {.out = j->out};
        fputs(i ? ",{" : "{", j->out);
        tw_json_string(&row, "name", c->name);
        tw_json_string(&row, "type", tw_type_names[c->type]);
        tw_json_whole(&row, "offset", (long long)offset);
        tw_json_whole(&row, "length", c->length);
        fputc('}', j->out);
        offset += tw_page_bytes(c);
    }
    fputc(']', j->out);
}

static void write_meta(FILE *out, const twill_trace *t, const tw_page *page)
{
    tw_json j = {.out = out};
    fputs("<script type=\"application/json\" id=\"twill-meta\">{", out);
    tw_json_whole(&j, "version", 1);
    tw_json_string(&j, "title", *t->text[TW_TEXT_TITLE] ? t->text[TW_TEXT_TITLE] : "A Twill run");
    tw_json_string(&j, "command", t->text[TW_TEXT_COMMAND]);
    tw_json_string(&j, "date", t->text[TW_TEXT_DATE]);
    tw_json_string(&j, "host", t->text[TW_TEXT_HOST]);
    tw_json_real(&j, "span_ns", t->span);
    tw_json_whole(&j, "lost", (long long)t->lost);
    write_rows(&j, t);
    write_classes(&j, t);
    write_lists(&j, t);
    tw_json_key(&j, "stats");
    tw_write_stats_json(out, t);
    write_columns(&j, page);
    fputs("}</script>", out);
}

/* ---- numbers ------------------------------------------------------------------------------- */

typedef struct base64 {
    FILE *out;
    unsigned char held[3];
    int n;
} base64;

static void encode(base64 *b)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = b->n; i < 3; i++)
        b->held[i] = 0;
    unsigned v = (unsigned)b->held[0] << 16 | (unsigned)b->held[1] << 8 | b->held[2];
    const char four[4] = {letters[v >> 18], letters[v >> 12 & 63],
                          b->n > 1 ? letters[v >> 6 & 63] : '=', b->n > 2 ? letters[v & 63] : '='};
    fwrite(four, 1, 4, b->out);
    b->n = 0;
}

static void put(base64 *b, const unsigned char *bytes, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        b->held[b->n++] = bytes[i];
        if (b->n == 3)
            encode(b);
    }
}

static void write_data(FILE *out, const tw_page *page)
{
    static const unsigned char zeros[8];
    base64 b = {.out = out};
    fputs("<script type=\"text/plain\" id=\"twill-data\">", out);
    for (int i = 0; i < page->n; i++) {
        const tw_page_column *c = &page->columns[i];
        uint64_t bytes = (uint64_t)c->length * tw_type_sizes[c->type];
        put(&b, c->data, bytes);
        put(&b, zeros, tw_page_bytes(c) - bytes);
    }
    if (b.n)
        encode(&b);
    fputs("</script>", out);
}

void tw_write_html(FILE *out, const twill_trace *t)
{
    tw_page page;
    const char *meta = strstr(tw_viewer_page, TW_VIEWER_META);
    const char *data = strstr(tw_viewer_page, TW_VIEWER_DATA);
    if (!meta || !data || data < meta || !tw_page_open(&page, t))
        return;
    fwrite(tw_viewer_page, 1, (size_t)(meta - tw_viewer_page), out);
    write_meta(out, t, &page);
    meta += strlen(TW_VIEWER_META);
    fwrite(meta, 1, (size_t)(data - meta), out);
    write_data(out, &page);
    fputs(data + strlen(TW_VIEWER_DATA), out);
    tw_page_close(&page);
}
