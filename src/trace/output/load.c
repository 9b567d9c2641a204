/* Reading .twt files, which may be anything. */
#include "trace/output/file.h"

#include "trace/analysis/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 65535 };

typedef struct source {
    const char *name;
    const unsigned char *bytes;
    size_t size;
    const tw_file_header *header;
    const tw_file_column *columns;
} source;

static twill_status bad(const source *s, const char *why)
{
    return tw_fail(TWILL_ERR_ARGUMENT, "%s is not a trace that can be read: %s", s->name, why);
}

static twill_status check_header(source *s)
{
    const tw_file_header *h = (const tw_file_header *)s->bytes;
    if (s->size < sizeof *h || memcmp(h->magic, TW_FILE_MAGIC, sizeof h->magic) != 0)
        return bad(s, "it does not begin as a .twt file does");
    if (h->version != TW_FILE_VERSION)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s is a trace of version %" PRIu32 ", and this Twill reads version %d",
                       s->name, h->version, TW_FILE_VERSION);
    if (h->size != s->size)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s is not a trace that can be read: it has %zu bytes and should have "
                       "%" PRIu64 "; is it complete?",
                       s->name, s->size, h->size);
    if (h->columns > (s->size - sizeof *h) / sizeof(tw_file_column))
        return bad(s, "its directory goes past its end");
    if (h->rows > MOST_NAMES || h->classes > MOST_NAMES || h->graphs > MOST_NAMES)
        return bad(s, "it has more rows, classes or graphs than there can be");
    s->header = h;
    s->columns = (const tw_file_column *)(h + 1);
    return TWILL_OK;
}

/* The directory's entry of a column, checked against the size of the file; NULL when it has none or
 * a bad one. */
static const tw_file_column *find(const source *s, const char *name, tw_type type)
{
    for (uint32_t i = 0; i < s->header->columns; i++) {
        const tw_file_column *c = &s->columns[i];
        if (strncmp(c->name, name, sizeof c->name) != 0)
            continue;
        bool inside = c->type == (uint32_t)type && c->offset % 8 == 0 && c->offset <= s->size &&
                      c->length <= (s->size - c->offset) / tw_type_sizes[type];
        return inside ? c : NULL;
    }
    return NULL;
}

static bool has(const source *s, const char *name)
{
    uint32_t i = 0;
    while (i < s->header->columns &&
           strncmp(s->columns[i].name, name, sizeof s->columns[i].name) != 0)
        i++;
    return i < s->header->columns;
}

static twill_status read_column(const source *s, twill_trace *t, const tw_column *c)
{
    const tw_file_column *from = find(s, c->name, c->type);
    if (!from && c->optional && !has(s, c->name))
        return TWILL_OK; /* zeros, as the columns beside it made room for */
    if (!from)
        return tw_fail(
            TWILL_ERR_ARGUMENT,
            "%s is not a trace that can be read: its column %s is missing, or not inside "
            "the file",
            s->name, c->name);
    int64_t *length = (int64_t *)((char *)t + c->length);
    if (!*tw_column_data(t, c) && !tw_trace_room(t, length, (int64_t)from->length))
        return tw_fail(TWILL_ERR_MEMORY, "no memory to read %s", s->name);
    if (*length != (int64_t)from->length)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s is not a trace that can be read: its column %s has another length than "
                       "those beside it",
                       s->name, c->name);
    if (from->length)
        memcpy(*tw_column_data(t, c), s->bytes + from->offset,
               (size_t)from->length * tw_type_sizes[c->type]);
    return TWILL_OK;
}

static twill_status read_texts(const source *s, twill_trace *t)
{
    const tw_file_column *from = find(s, "text", TW_U8);
    if (!from)
        return bad(s, "its texts are missing");
    const char *text = (const char *)s->bytes + from->offset, *end = text + from->length;
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < t->ntexts && status == TWILL_OK; i++) {
        const char *zero = memchr(text, 0, (size_t)(end - text));
        if (!zero)
            return bad(s, "it has fewer texts than it needs");
        status = tw_trace_set_text(t, i, text);
        text = zero + 1;
    }
    return status;
}

static twill_status fill(const source *s, twill_trace *t)
{
    const tw_file_header *h = s->header;
    t->span = h->span;
    t->peak = h->peak;
    t->bandwidth = h->bandwidth;
    t->lost = h->lost;
    twill_status status = read_texts(s, t);
    for (int i = 0; i < tw_ncolumns && status == TWILL_OK; i++)
        status = read_column(s, t, &tw_columns[i]);
    if (status == TWILL_OK)
        status = tw_trace_check(t, s->name);
    return status == TWILL_OK ? tw_analyse(t) : status;
}

twill_status tw_file_parse(const void *bytes, size_t n, const char *name, twill_trace **out)
{
    source s = {.name = name, .bytes = bytes, .size = n};
    twill_status status = check_header(&s);
    if (status != TWILL_OK)
        return status;
    twill_trace *t = tw_trace_make(s.header->rows, s.header->classes, s.header->graphs);
    if (!t)
        return tw_fail(TWILL_ERR_MEMORY, "no memory to read %s", name);
    status = fill(&s, t);
    if (status == TWILL_OK)
        *out = t;
    else
        twill_trace_free(t);
    return status;
}

/* The whole file in memory, whatever it is; a pipe has no size to ask for. */
static twill_status read_file(const char *path, unsigned char **bytes, size_t *n)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s cannot be read: %s", path, strerror(errno));
    size_t room = 1 << 16, used = 0, got;
    unsigned char *data = malloc(room);
    errno = 0;
    while (data && (got = fread(data + used, 1, room - used, in)) > 0) {
        used += got;
        if (used < room)
            continue;
        unsigned char *wider = realloc(data, 2 * room);
        if (!wider)
            free(data);
        data = wider;
        room *= 2;
    }
    bool failed = ferror(in);
    twill_status status = TWILL_OK;
    if (!data)
        status = tw_fail(TWILL_ERR_MEMORY, "no memory to read %s", path);
    else if (failed)
        status = tw_fail(TWILL_ERR_ARGUMENT, "%s cannot be read: %s", path, strerror(errno));
    fclose(in);
    if (status != TWILL_OK) {
        free(data);
        return status;
    }
    *bytes = data;
    *n = used;
    return TWILL_OK;
}

twill_status twill_trace_load(const char *path, twill_trace **trace)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    if (!path || !trace)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_trace_load: an argument is NULL");
    twill_status status = read_file(path, &bytes, &n);
    if (status != TWILL_OK)
        return status;
    status = tw_file_parse(bytes, n, path, trace);
    free(bytes);
    return status;
}
