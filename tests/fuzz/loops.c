/* libFuzzer on what reads the functions that clang prints: any text, as if it were one. */
#include "loops/c/tree.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_all(FILE *out, const c_stmt *s)
{
    if (s->cond)
        c_write(out, s->cond, NULL, NULL);
    if (s->step)
        c_write(out, s->step, NULL, NULL);
    if (s->init)
        write_all(out, s->init);
    for (int i = 0; i < s->declared_count; i++)
        if (s->declared[i].value)
            c_write(out, s->declared[i].value, NULL, NULL);
    for (int i = 0; i < s->clause_count; i++)
        if (s->clauses[i].expr && !c_same(s->clauses[i].expr, s->clauses[i].expr))
            abort();
    for (int i = 0; i < s->part_count; i++)
        write_all(out, s->parts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *out;
    static const char *names[] = {"tile", "size_t"};
    c_type types[] = {{.class = TYPE_INT, .text = "long"},
                      {.class = TYPE_UNSIGNED, .text = "long"}};
    c_names known = {.list = names, .types = types, .count = 2};
    c_places places = {.whole = {1, 1}};
    arena memory = {0};
    source s;
    if (!out)
        out = fopen("/dev/null", "w");
    if (!out)
        abort();
    const char *text = arena_text(&memory, (const char *)data, size);
    source_set(&s, &memory, "fuzz.c", text, size);
    c_stmt *tree = c_parse(&s, text, &places, &known);
    if (tree)
        write_all(out, tree);
    source_report(&s, out);
    arena_free(&memory);
    return 0;
}
