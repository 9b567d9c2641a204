/* JSON, and texts in memory. */
#include "trace/output/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 sequence that begins here, 0 when it is none. */
static int sequence(const unsigned char *c)
{
    int n = *c < 0x80 ? 1 : *c >= 0xc2 && *c < 0xe0 ? 2 : (*c & 0xf0) == 0xe0 ? 3 : 0;
    if (*c >= 0xf0 && *c < 0xf5)
        n = 4;
    for (int i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    /* forms that are too long, halves of pairs, and what is beyond the last character */
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) || (*c == 0xf0 && c[1] < 0x90) ||
        (*c == 0xf4 && c[1] > 0x8f))
        return 0;
    return n;
}

void tw_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int n = sequence(c);
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (n == 0 || *c < ' ' || *c == '<' || *c == 0x7f)
            fprintf(out, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)n, out);
        c += n ? n : 1;
    }
    fputc('"', out);
}

void tw_json_number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "%.12g", x);
    else
        fputs("null", out);
}

void tw_json_key(tw_json *j, const char *key)
{
    if (j->n++)
        fputc(',', j->out);
    tw_json_text(j->out, key);
    fputc(':', j->out);
}

void tw_json_real(tw_json *j, const char *key, double x)
{
    tw_json_key(j, key);
    tw_json_number(j->out, x);
}

void tw_json_whole(tw_json *j, const char *key, long long x)
{
    tw_json_key(j, key);
    fprintf(j->out, "%lld", x);
}

void tw_json_string(tw_json *j, const char *key, const char *text)
{
    tw_json_key(j, key);
    tw_json_text(j->out, text);
}

size_t tw_text_copy(tw_writer *write, const void *arg, char *text, size_t size)
{
    char *whole = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&whole, &length);
    if (size)
        text[0] = '\0';
    if (!out)
        return 0;
    write(out, arg);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(whole);
        return 0;
    }
    if (size) {
        size_t n = length < size ? length : size - 1;
        memcpy(text, whole, n);
        text[n] = '\0';
    }
    free(whole);
    return length + 1;
}
