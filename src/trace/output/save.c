/* Writing .twt files. */
#include "trace/output/file.h"

#include <string.h>

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static uint64_t text_bytes(const twill_trace *t)
{
    uint64_t n = 0;
    for (int64_t i = 0; i < t->ntexts; i++)
        n += strlen(t->text[i]) + 1;
    return n;
}

static tw_file_column entry(const char *name, tw_type type, uint64_t offset, uint64_t length)
{
    tw_file_column c = {.type = type, .offset = offset, .length = length};
    memcpy(c.name, name, strlen(name));
    return c;
}

static void pad(FILE *out, uint64_t bytes)
{
    static const char zeros[8];
    fwrite(zeros, 1, (size_t)(aligned(bytes) - bytes), out);
}

static uint64_t column_bytes(const twill_trace *t, const tw_column *c)
{
    return (uint64_t)tw_column_length(t, c) * tw_type_sizes[c->type];
}

/* Writes it, or, without a stream, only adds up where it ends. */
static uint64_t write_directory(FILE *out, const twill_trace *t)
{
    uint64_t at = sizeof(tw_file_header) + (uint64_t)(tw_ncolumns + 1) * sizeof(tw_file_column);
    for (int i = 0; i < tw_ncolumns; i++) {
        const tw_column *c = &tw_columns[i];
        tw_file_column e = entry(c->name, c->type, at, (uint64_t)tw_column_length(t, c));
        if (out)
            fwrite(&e, sizeof e, 1, out);
        at += aligned(column_bytes(t, c));
    }
    tw_file_column e = entry("text", TW_U8, at, text_bytes(t));
    if (out)
        fwrite(&e, sizeof e, 1, out);
    return at + aligned(text_bytes(t));
}

void tw_file_write(FILE *out, const twill_trace *t)
{
    tw_file_header h = {.version = TW_FILE_VERSION,
                        .columns = (uint32_t)tw_ncolumns + 1,
                        .size = write_directory(NULL, t),
                        .span = t->span,
                        .peak = t->peak,
                        .bandwidth = t->bandwidth,
                        .lost = t->lost,
                        .rows = (uint32_t)t->nrows,
                        .classes = (uint32_t)t->nclasses,
                        .graphs = (uint32_t)t->ngraphs};
    memcpy(h.magic, TW_FILE_MAGIC, sizeof h.magic);
    fwrite(&h, sizeof h, 1, out);
    write_directory(out, t);
    for (int i = 0; i < tw_ncolumns; i++) {
        const tw_column *c = &tw_columns[i];
        size_t length = (size_t)tw_column_length(t, c);
        if (length > 0) /* else there may be no array */
            fwrite(*tw_column_data(t, c), tw_type_sizes[c->type], length, out);
        pad(out, column_bytes(t, c));
    }
    for (int64_t i = 0; i < t->ntexts; i++)
        fwrite(t->text[i], 1, strlen(t->text[i]) + 1, out);
    pad(out, text_bytes(t));
}
