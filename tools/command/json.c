/* Text is written as it comes, so it should be UTF-8; only what JSON forbids is escaped. */
#include "command/json.h"

#include <inttypes.h>
#include <math.h>

static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < ' ')
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void begin(json *j, const char *key)
{
    if (j->more)
        fputc(',', j->out);
    j->more = true;
    if (key) {
        quoted(j->out, key);
        fputc(':', j->out);
    }
}

void json_open(json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->out);
    j->more = false;
}

void json_close(json *j, char bracket)
{
    fputc(bracket, j->out);
    j->more = true;
}

void json_text(json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text)
        quoted(j->out, text);
    else
        fputs("null", j->out);
}

void json_integer(json *j, const char *key, int64_t value)
{
    begin(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void json_real(json *j, const char *key, double value)
{
    begin(j, key);
    if (isfinite(value))
        fprintf(j->out, "%.9g", value);
    else
        fputs("null", j->out);
}

void json_bool(json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_hex(json *j, const char *key, uint64_t value)
{
    begin(j, key);
    fprintf(j->out, "\"%016" PRIx64 "\"", value);
}

void json_raw(json *j, const char *key, const char *text)
{
    begin(j, key);
    fputs(text, j->out);
}

void json_null(json *j, const char *key)
{
    json_text(j, key, NULL);
}

void json_end(json *j)
{
    fputc('\n', j->out);
    j->more = false;
}
