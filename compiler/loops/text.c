/* Values and conditions as expressions of JDF. */
#include "loops/box.h"

#include <isl/ast.h>
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

static void write_expr(FILE *out, isl_ast_expr *e, int around);

/* How strongly an operator of C binds; 0: it is a leaf. */
static const struct {
    enum isl_ast_expr_op_type type;
    const char *sign;
    int level;
} operators[] = {{isl_ast_expr_op_and, " && ", 2}, {isl_ast_expr_op_and_then, " && ", 2},
                 {isl_ast_expr_op_or, " || ", 1},  {isl_ast_expr_op_or_else, " || ", 1},
                 {isl_ast_expr_op_eq, " == ", 3},  {isl_ast_expr_op_le, " <= ", 4},
                 {isl_ast_expr_op_lt, " < ", 4},   {isl_ast_expr_op_ge, " >= ", 4},
                 {isl_ast_expr_op_gt, " > ", 4},   {isl_ast_expr_op_add, "+", 5},
                 {isl_ast_expr_op_sub, "-", 5},    {isl_ast_expr_op_mul, "*", 6},
                 {isl_ast_expr_op_div, "/", 6},    {isl_ast_expr_op_pdiv_q, "/", 6},
                 {isl_ast_expr_op_pdiv_r, "%", 6}, {isl_ast_expr_op_zdiv_r, "%", 6}};

static void write_arg(FILE *out, isl_ast_expr *e, int i, int around)
{
    isl_ast_expr *arg = isl_ast_expr_op_get_arg(e, i);
    write_expr(out, arg, around);
    isl_ast_expr_free(arg);
}

static void open_if(FILE *out, bool needed, const char *sign)
{
    if (needed)
        fputs(sign, out);
}

/* x / d rounded down, where x may be negative. */
static void write_floor(FILE *out, isl_ast_expr *e)
{
    fputs("((", out);
    write_arg(out, e, 0, 0);
    fputs(" - ((", out);
    write_arg(out, e, 0, 6);
    fputc('%', out);
    write_arg(out, e, 1, 7);
    fputc('+', out);
    write_arg(out, e, 1, 6);
    fputs(")%", out);
    write_arg(out, e, 1, 7);
    fputs("))/", out);
    write_arg(out, e, 1, 7);
    fputc(')', out);
}

static void write_choice(FILE *out, isl_ast_expr *e, int around)
{
    open_if(out, around > 0, "(");
    write_arg(out, e, 0, 1);
    fputs(" ? ", out);
    write_arg(out, e, 1, 1);
    fputs(" : ", out);
    write_arg(out, e, 2, 0);
    open_if(out, around > 0, ")");
}

static void write_extreme(FILE *out, isl_ast_expr *e, const char *sign, int from)
{
    int n = (int)isl_ast_expr_op_get_n_arg(e);
    /* a < b && a < c ? a : (b < c ? b : c) */
    fputc('(', out);
    if (from < n - 1) {
        for (int i = from + 1; i < n; i++) {
            fputs(i > from + 1 ? " && " : "", out);
            write_arg(out, e, from, 5);
            fprintf(out, " %s ", sign);
            write_arg(out, e, i, 5);
        }
        fputs(" ? ", out);
        write_arg(out, e, from, 1);
        fputs(" : ", out);
        write_extreme(out, e, sign, from + 1);
    } else
        write_arg(out, e, from, 0);
    fputc(')', out);
}

static void write_operator(FILE *out, isl_ast_expr *e, int around)
{
    enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(e);
    int n = (int)isl_ast_expr_op_get_n_arg(e);
    if (type == isl_ast_expr_op_minus) {
        open_if(out, around > 4, "(");
        fputc('-', out);
        write_arg(out, e, 0, 7);
        open_if(out, around > 4, ")");
        return;
    }
    if (type == isl_ast_expr_op_fdiv_q) {
        write_floor(out, e);
        return;
    }
    if (type == isl_ast_expr_op_cond || type == isl_ast_expr_op_select) {
        write_choice(out, e, around);
        return;
    }
    if (type == isl_ast_expr_op_min || type == isl_ast_expr_op_max) {
        write_extreme(out, e, type == isl_ast_expr_op_min ? "<=" : ">=", 0);
        return;
    }
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        if (operators[k].type != type)
            continue;
        int level = operators[k].level;
        open_if(out, level < around, "(");
        for (int i = 0; i < n; i++) {
            fputs(i ? operators[k].sign : "", out);
            write_arg(out, e, i, i || level == 6 ? level + 1 : level);
        }
        open_if(out, level < around, ")");
        return;
    }
    fputs("?", out); /* no other is made of affine expressions; the parser stumbles over this one */
}

static void write_expr(FILE *out, isl_ast_expr *e, int around)
{
    enum isl_ast_expr_type type = isl_ast_expr_get_type(e);
    if (type == isl_ast_expr_int) {
        isl_val *v = isl_ast_expr_get_val(e);
        long value = isl_val_get_num_si(v);
        fprintf(out, value < 0 && around > 4 ? "(%ld)" : "%ld", value);
        isl_val_free(v);
    } else if (type == isl_ast_expr_id) {
        isl_id *id = isl_ast_expr_get_id(e);
        fputs(isl_id_get_name(id), out);
        isl_id_free(id);
    } else if (type == isl_ast_expr_op)
        write_operator(out, e, around);
}

static const char *text_of(arena *a, isl_ast_expr *e, int around)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        exit(3);
    if (e)
        write_expr(out, e, around);
    fclose(out);
    const char *result = arena_text(a, text, size);
    free(text);
    isl_ast_expr_free(e);
    return result;
}

const char *value_text(arena *a, isl_pw_aff *value, isl_set *context)
{
    isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(context));
    isl_ast_expr *e = isl_ast_build_expr_from_pw_aff(build, isl_pw_aff_copy(value));
    isl_ast_build_free(build);
    return text_of(a, e, 0);
}

const char *condition_text(arena *a, isl_set *set, isl_set *context)
{
    isl_set *rest = isl_set_gist_params(isl_set_copy(set), isl_set_copy(context));
    rest = isl_set_coalesce(rest);
    if (isl_set_plain_is_universe(rest) == isl_bool_true) {
        isl_set_free(rest);
        return NULL;
    }
    isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(context));
    isl_ast_expr *e = isl_ast_build_expr_from_set(build, rest);
    isl_ast_build_free(build);
    return text_of(a, e, 1);
}
