/* Reading the text, and keeping and printing what is said about it. */
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longer lines are cut around the caret, so that a report stays readable. */
enum { SHOWN_COLUMNS = 120 };

/* Places are 32 bits wide. */
static const size_t most_bytes = (size_t)1 << 30;

void source_set(source *s, arena *memory, const char *path, const char *text, size_t length)
{
    /* Some editors begin files with a mark of UTF-8. */
    size_t mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    text += mark;
    length -= mark;
    *s = (source){.path = path, .text = text, .length = length, .memory = memory};
}

static bool read_all(FILE *in, arena *memory, char **text, size_t *length)
{
    size_t room = 64 * 1024, used = 0;
    char *bytes = arena_get(memory, room + 1);
    for (;;) {
        used += fread(bytes + used, 1, room - used, in);
        if (used < room || used > most_bytes)
            break;
        char *larger = arena_get(memory, 2 * room + 1);
        memcpy(larger, bytes, used);
        bytes = larger;
        room *= 2;
    }
    bytes[used] = '\0';
    *text = bytes;
    *length = used;
    return !ferror(in);
}

bool source_read(source *s, arena *memory, const char *path, const char **why)
{
    bool standard = strcmp(path, "-") == 0;
    errno = 0;
    FILE *in = standard ? stdin : fopen(path, "rb");
    char *text = NULL;
    size_t length = 0;
    bool fine = in && read_all(in, memory, &text, &length);
    *why = fine ? "the file is too large" : strerror(errno);
    if (in && !standard)
        fclose(in);
    if (!fine || length > most_bytes)
        return false;
    source_set(s, memory, standard ? "<stdin>" : path, text, length);
    return true;
}

static bool said_before(const source *s, place at, const char *text)
{
    for (int i = 0; i < s->diagnostic_count; i++) {
        const diagnostic *d = &s->diagnostics[i];
        if (d->at.line == at.line && d->at.column == at.column && strcmp(d->text, text) == 0)
            return true;
    }
    return false;
}

void source_say(source *s, severity how, place at, const char *format, ...)
{
    if (s->errors >= MOST_ERRORS || s->diagnostic_count >= 4 * MOST_ERRORS)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* Names come from the file: a sentence stays one line whatever they hold. */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    if (how != NOTE && said_before(s, at, text))
        return;
    diagnostic d = {how, at, arena_text(s->memory, text, strlen(text))};
    ARENA_ADD(s->memory, s->diagnostics, s->diagnostic_count, d);
    s->errors += how == ERROR;
}

const char *source_line(const source *s, int number, size_t *length)
{
    const char *line = s->text, *end = s->text + s->length;
    for (int i = 1; i < number; i++) {
        line = memchr(line, '\n', (size_t)(end - line));
        if (!line)
            return NULL;
        line++;
    }
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    *length = (size_t)((stop ? stop : end) - line);
    if (*length && line[*length - 1] == '\r')
        --*length;
    return number > 0 ? line : NULL;
}

/* Of UTF-8: a byte that takes no column of its own. */
static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The line, and below it the caret; tabs are kept so that it stands where the terminal puts it. */
static void show(const source *s, place at, FILE *out)
{
    size_t length;
    const char *line = source_line(s, at.line, &length);
    if (!line)
        return;
    size_t column = (size_t)at.column - 1, from = 0;
    if (length > SHOWN_COLUMNS) {
        from = column > SHOWN_COLUMNS / 2 ? column - SHOWN_COLUMNS / 2 : 0;
        length = length - from > SHOWN_COLUMNS ? from + SHOWN_COLUMNS : length;
    }
    fputs("    ", out);
    for (size_t i = from; i < length; i++)
        fputc((unsigned char)line[i] >= ' ' || line[i] == '\t' ? line[i] : '?', out);
    fputs("\n    ", out);
    for (size_t i = from; i < column; i++)
        if (i >= length || !continues_character(line[i]))
            fputc(i < length && line[i] == '\t' ? '\t' : ' ', out);
    fputs("^\n", out);
}

/* By place; notes stay behind the diagnostic that they explain. */
static int compare(const void *left, const void *right)
{
    const diagnostic *a = *(diagnostic *const *)left, *b = *(diagnostic *const *)right;
    while (a->severity == NOTE)
        a--;
    while (b->severity == NOTE)
        b--;
    if (a->at.line != b->at.line)
        return a->at.line < b->at.line ? -1 : 1;
    if (a->at.column != b->at.column)
        return a->at.column < b->at.column ? -1 : 1;
    const diagnostic *x = *(diagnostic *const *)left, *y = *(diagnostic *const *)right;
    return x < y ? -1 : x > y;
}

void source_report(const source *s, FILE *out)
{
    static const char *const names[] = {"note", "warning", "error"};
    size_t count = (size_t)s->diagnostic_count;
    const diagnostic **order = arena_get(s->memory, (count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = &s->diagnostics[i];
    if (count)
        qsort(order, count, sizeof *order, compare);
    for (size_t i = 0; i < count; i++) {
        const diagnostic *d = order[i];
        if (d->at.line > 0)
            fprintf(out, "%s:%d:%d: %s: %s\n", s->path, d->at.line, d->at.column,
                    names[d->severity], d->text);
        else
            fprintf(out, "%s: %s: %s\n", s->path, names[d->severity], d->text);
        show(s, d->at, out);
    }
    if (s->errors >= MOST_ERRORS)
        fprintf(out, "%s: error: too many errors, the rest is left out\n", s->path);
}
