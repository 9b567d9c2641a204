/* Pragmas as C that clang keeps. */
#include "loops/c/pragma.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

static const char *skip_word(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    bool there = (size_t)(end - p) >= n && memcmp(p, word, n) == 0 &&
                 (p + n == end || !(isalnum((unsigned char)p[n]) || p[n] == '_'));
    return there ? skip_blanks(p + n, end) : NULL;
}

/* Behind "#pragma NAME", or NULL. */
static const char *clauses_of(const char *line, const char *end, const char *name)
{
    const char *p = skip_blanks(line, end);
    if (p == end || *p != '#')
        return NULL;
    p = skip_word(skip_blanks(p + 1, end), end, "pragma");
    return p ? skip_word(p, end, name) : NULL;
}

/* Is it a directive of OpenMP around tasks, in one line, that shares out no loops? */
static bool is_region(const char *p, const char *end)
{
    static const char *const regions[] = {"parallel", "single", "master", "masked", "taskgroup"};
    static const char *const others[] = {"for",      "sections", "loop",
                                         "taskloop", "simd",     "workshare"};
    bool found = false;
    for (size_t i = 0; i < sizeof regions / sizeof *regions && !found; i++)
        found = skip_word(p, end, regions[i]) != NULL;
    for (; p < end && found; p++) {
        found = *p != '"' && *p != '\\';
        bool begins = isalpha((unsigned char)*p) && !isalnum((unsigned char)p[-1]);
        for (size_t i = 0; i < sizeof others / sizeof *others && begins; i++)
            found = found && !skip_word(p, end, others[i]);
    }
    return found;
}

/* The end of what is in parentheses from p on, or NULL. */
static const char *closed(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0)
            return p + 1;
    }
    return NULL;
}

/* A, EXPR in parentheses. */
static bool read_tile(source *s, place at, const char *p, const char *close, pragma_tile *t)
{
    const char *comma = memchr(p, ',', (size_t)(close - p));
    *t = (pragma_tile){.at = at};
    if (!comma)
        return false;
    const char *end = comma, *size = skip_blanks(comma + 1, close);
    p = skip_blanks(p + 1, comma);
    while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    t->array = arena_text(s->memory, p, (size_t)(end - p));
    t->size = arena_text(s->memory, size, (size_t)(close - 1 - size));
    return *t->array && *t->size;
}

/* Only sizes of tiles? */
static bool read_tiles(source *s, int number, const char *p, const char *end, pragma_tile **tiles,
                       int *count)
{
    place at = {number, 1};
    if (!skip_word(p, end, "tile"))
        return false;
    while (p < end) {
        const char *open = skip_word(p, end, "tile");
        const char *close = open && open < end && *open == '(' ? closed(open, end) : NULL;
        pragma_tile tile;
        if (!close || !read_tile(s, at, open, close, &tile)) {
            source_say(s, ERROR, at,
                       "tile(A, ELEMENTS) says how large the tiles of A are, and is a pragma "
                       "without other clauses");
            return true;
        }
        ARENA_ADD(s->memory, *tiles, *count, tile);
        p = skip_blanks(close, end);
    }
    return true;
}

static void rewrite(source *s, int number, const char *p, const char *end, FILE *out)
{
    const char *between = "while (";
    place at = {number, 1};
    while (p < end) {
        const char *on = skip_word(p, end, "on"), *priority = skip_word(p, end, "priority");
        const char *open = on ? on : priority;
        const char *close = open && open < end && *open == '(' ? closed(open, end) : NULL;
        if (!close) {
            source_say(s, ERROR, at,
                       "#pragma twill has on(TILE), priority(NUMBER) and tile(ARRAY, ELEMENTS), "
                       "and this is none of them");
            return;
        }
        fprintf(out, "%s%s%.*s", between, on ? PRAGMA_ON : PRAGMA_PRIORITY, (int)(close - open),
                open);
        between = " + ";
        p = skip_blanks(close, end);
    }
    if (*between == 'w')
        source_say(s, ERROR, at,
                   "#pragma twill says nothing: it has on(TILE), priority(NUMBER) and "
                   "tile(ARRAY, ELEMENTS)");
    else
        fputc(')', out);
}

const char *pragma_rewrite(source *s, pragma_tile **tiles, int *count)
{
    char *text = NULL;
    size_t size, length;
    const char *line;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        exit(3);
    for (int i = 1; (line = source_line(s, i, &length)); i++) {
        const char *end = line + length, *p = clauses_of(line, end, "twill");
        const char *omp = clauses_of(line, end, "omp");
        if (p && !read_tiles(s, i, p, end, tiles, count))
            rewrite(s, i, p, end, out);
        else if (p)
            ; /* an empty line */
        else if (omp && is_region(omp, end))
            fprintf(out, "while (" PRAGMA_REGION "(\"%.*s\"))", (int)(end - omp), omp);
        else
            fwrite(line, 1, length, out);
        fputc('\n', out);
    }
    fclose(out);
    const char *result = arena_text(s->memory, text, size);
    free(text);
    return result;
}
