/* libFuzzer on the compiler: everything it does with a file, for any bytes. */
#include "emit/emit.h"
#include "eval/tasks.h"
#include "ir/lower.h"
#include "syntax/ast.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small graph: all values are 3. */
static void enumerate(const ir_file *ir, FILE *out)
{
    eval v;
    eval_start(&v, ir, ir->source->memory, 50 * 1000);
    for (int i = 0; i < ir->global_count; i++)
        eval_set(&v, ir->globals[i].name, 3);
    for (int i = 0; i < ir->member_count; i++)
        eval_set(&v, ir->members[i].text, 3);
    eval_settle(&v);
    tasks_print(out, ir, &v);
}

static void compile(source *s, FILE *out)
{
    ast_file *ast = parse(s);
    ast_print(out, ast);
    if (ast->damaged)
        return;
    ir_file *ir = lower(ast, "fuzz", false);
    if (s->errors)
        return;
    ir_print(out, ir);
    enumerate(ir, out);
    emit_to(ir, "fuzz", true, out, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *out;
    arena memory = {0};
    source s;
    if (!out)
        out = fopen("/dev/null", "w");
    if (!out)
        abort();
    source_set(&s, &memory, "fuzz.jdf", arena_text(&memory, (const char *)data, size), size);
    compile(&s, out);
    source_report(&s, out);
    arena_free(&memory);
    return 0;
}
