/* What libclang says about a file. */
#include "loops/c/read.h"

#include "loops/c/pragma.h"

#include <stdlib.h>
#include <string.h>

static const char *take(c_file *f, CXString string)
{
    const char *text = f->clang->getCString(string);
    const char *copy = arena_text(f->source->memory, text ? text : "", text ? strlen(text) : 0);
    f->clang->disposeString(string);
    return copy;
}

/* A place in the file itself; line 0 if it is somewhere else. */
static place place_at(c_file *f, CXSourceLocation location)
{
    CXFile file = NULL;
    unsigned line = 0, column = 0;
    f->clang->getExpansionLocation(location, &file, &line, &column, NULL);
    bool here = file && strcmp(take(f, f->clang->getFileName(file)), f->source->path) == 0;
    return here ? (place){(int32_t)line, (int32_t)column} : (place){0, 0};
}

static place place_of(c_file *f, CXCursor cursor)
{
    return place_at(f, f->clang->getCursorLocation(cursor));
}

/* ---- Types ------------------------------------------------------------------------------- */

static bool is_array(enum CXTypeKind kind)
{
    return kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
           kind == CXType_VariableArray;
}

static int64_t size_of(c_file *f, CXType type)
{
    long long size = f->clang->Type_getSizeOf(type);
    return size > 0 ? size : 0;
}

static c_class class_of(CXType type)
{
    switch (type.kind) {
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
    case CXType_Short:
    case CXType_SChar:
    case CXType_Char_S:
    case CXType_UShort:
    case CXType_UChar:
    case CXType_Char_U:
    case CXType_Bool:
    case CXType_Enum:
        return TYPE_INT;
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        return TYPE_UNSIGNED;
    case CXType_Pointer:
        return TYPE_POINTER;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Float128:
    case CXType_Half:
    case CXType_Float16:
    case CXType_Complex:
        return TYPE_FLOAT;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
    case CXType_Void:
        return TYPE_OTHER;
    default:
        return is_array(type.kind) ? TYPE_ARRAY : TYPE_VALUE;
    }
}

/* They become int before anything is done to them. */
static bool is_narrow(enum CXTypeKind kind)
{
    return kind == CXType_Bool || kind == CXType_Short || kind == CXType_UShort ||
           kind == CXType_SChar || kind == CXType_UChar || kind == CXType_Char_S ||
           kind == CXType_Char_U;
}

static c_type type_of(c_file *f, CXType written)
{
    const clang_calls *c = f->clang;
    CXType type = c->getCanonicalType(written);
    bool fixed = c->isConstQualifiedType(type);
    c_type t = {.class = class_of(type),
                .fixed = fixed,
                .itself = fixed,
                .narrow = is_narrow(type.kind),
                .text = take(f, c->getTypeSpelling(written))};
    if (t.class == TYPE_POINTER) {
        CXType target = c->getCanonicalType(c->getPointeeType(type));
        t.fixed = c->isConstQualifiedType(target);
        t.size = target.kind == CXType_Void ? 0 : size_of(f, target);
    }
    return t;
}

/* ---- Declarations of the file ------------------------------------------------------------ */

static void read_function(c_file *f, CXCursor cursor)
{
    const clang_calls *c = f->clang;
    arena *memory = f->source->memory;
    c_function new = {.name = take(f, c->getCursorSpelling(cursor)), .cursor = cursor};
    c_function *old = c_function_of(f, new.name);
    new.at = place_of(f, cursor);
    new.here = new.at.line > 0;
    new.defined = c->isCursorDefinition(cursor);
    new.is_static = c->Cursor_getStorageClass(cursor) == CX_SC_Static;
    new.result = type_of(f, c->getCursorResultType(cursor));
    CXType type = c->getCursorType(cursor);
    new.variadic =
        c->getCanonicalType(type).kind != CXType_FunctionProto || c->isFunctionTypeVariadic(type);
    for (int i = 0; i < c->Cursor_getNumArguments(cursor); i++) {
        CXCursor arg = c->Cursor_getArgument(cursor, (unsigned)i);
        c_param p = {take(f, c->getCursorSpelling(arg)), type_of(f, c->getCursorType(arg))};
        ARENA_ADD(memory, new.params, new.param_count, p);
    }
    if (!old)
        ARENA_ADD(memory, f->functions, f->function_count, new);
    else if (new.defined || !old->defined) {
        new.is_static |= old->is_static;
        *old = new;
    }
}

static void read_variable(c_file *f, CXCursor cursor)
{
    c_variable v = {take(f, f->clang->getCursorSpelling(cursor)),
                    type_of(f, f->clang->getCursorType(cursor))};
    ARENA_ADD(f->source->memory, f->variables, f->variable_count, v);
}

static void read_typedef(c_file *f, CXCursor cursor)
{
    int count = f->types.count;
    ARENA_ADD(f->source->memory, f->types.types, count,
              type_of(f, f->clang->getCursorType(cursor)));
    ARENA_ADD(f->source->memory, f->types.list, f->types.count,
              take(f, f->clang->getCursorSpelling(cursor)));
}

static enum CXChildVisitResult visit_file(CXCursor cursor, CXCursor parent, CXClientData user)
{
    c_file *f = user;
    const clang_calls *c = f->clang;
    (void)parent;
    switch (c->getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
        read_function(f, cursor);
        return CXChildVisit_Continue;
    case CXCursor_TypedefDecl:
        read_typedef(f, cursor);
        return CXChildVisit_Continue;
    case CXCursor_EnumDecl:
        return CXChildVisit_Recurse;
    case CXCursor_EnumConstantDecl: {
        c_constant k = {take(f, c->getCursorSpelling(cursor)), c->getEnumConstantDeclValue(cursor)};
        ARENA_ADD(f->source->memory, f->constants, f->constant_count, k);
        return CXChildVisit_Continue;
    }
    case CXCursor_VarDecl:
        read_variable(f, cursor);
        return CXChildVisit_Continue;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
        return CXChildVisit_Recurse;
    case CXCursor_FieldDecl: {
        c_variable m = {take(f, c->getCursorSpelling(cursor)),
                        type_of(f, c->getCursorType(cursor))};
        ARENA_ADD(f->source->memory, f->members, f->member_count, m);
        return CXChildVisit_Continue;
    }
    default:
        return CXChildVisit_Continue;
    }
}

static enum CXChildVisitResult visit_calls(CXCursor cursor, CXCursor parent, CXClientData user)
{
    c_file *f = user;
    (void)parent;
    if (f->clang->getCursorKind(cursor) == CXCursor_CallExpr) {
        c_function *called = c_function_of(f, take(f, f->clang->getCursorSpelling(cursor)));
        if (called)
            called->called = true;
    }
    return CXChildVisit_Recurse;
}

c_function *c_function_of(c_file *f, const char *name)
{
    for (int i = 0; i < f->function_count; i++)
        if (strcmp(f->functions[i].name, name) == 0)
            return &f->functions[i];
    return NULL;
}

const c_constant *c_constant_of(const c_file *f, const char *name)
{
    for (int i = 0; i < f->constant_count; i++)
        if (strcmp(f->constants[i].name, name) == 0)
            return &f->constants[i];
    return NULL;
}

const c_variable *c_variable_of(const c_file *f, const char *name)
{
    for (int i = f->variable_count - 1; i >= 0; i--)
        if (strcmp(f->variables[i].name, name) == 0)
            return &f->variables[i];
    return NULL;
}

c_type c_member_of(const c_file *f, const char *name)
{
    c_type found = {.class = TYPE_OTHER, .text = ""};
    int count = 0;
    for (int i = 0; i < f->member_count; i++) {
        const c_type *t = &f->members[i].type;
        if (strcmp(f->members[i].name, name) != 0)
            continue;
        if (count++ && (t->class != found.class || strcmp(t->text, found.text) != 0))
            return (c_type){.class = TYPE_OTHER, .text = ""};
        found = *t;
    }
    return found;
}

/* ---- The file ---------------------------------------------------------------------------- */

/* What is wrong with the C is the user's C compiler's to say, and clang says it here. */
static bool is_c(c_file *f)
{
    const clang_calls *c = f->clang;
    bool fine = true;
    for (unsigned i = 0; i < c->getNumDiagnostics(f->unit); i++) {
        CXDiagnostic d = c->getDiagnostic(f->unit, i);
        if (c->getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            place at = place_at(f, c->getDiagnosticLocation(d));
            source_say(f->source, ERROR, at, "%s", take(f, c->getDiagnosticSpelling(d)));
            fine = false;
        }
        c->disposeDiagnostic(d);
    }
    return fine;
}

static void find_includes(c_file *f)
{
    size_t length;
    const char *line;
    for (int i = 1; (line = source_line(f->source, i, &length)); i++) {
        const char *text = arena_text(f->source->memory, line, length);
        const char *word = text + strspn(text, " \t");
        if (*word == '#' && strncmp(word + 1 + strspn(word + 1, " \t"), "include", 7) == 0)
            ARENA_ADD(f->source->memory, f->includes, f->include_count, text);
    }
}

static const char prelude[] = "/twillc/prelude.h"; /* in memory only */

static bool parse_unit(c_file *f, const char *const *args, int arg_count)
{
    arena *memory = f->source->memory;
    const char **all = arena_get(memory, sizeof *all * (size_t)(arg_count + 8));
    int n = 0;
    all[n++] = "-std=gnu17";
    all[n++] = "-xc";
    all[n++] = "-fopenmp";
    all[n++] = "-Wno-everything";
    all[n++] = "-D__TWILLC__=1";
    all[n++] = "-include";
    all[n++] = prelude;
    for (int i = 0; i < arg_count; i++)
        all[n++] = args[i];
    const char *text = pragma_rewrite(f->source, &f->tiles, &f->tile_count);
    struct CXUnsavedFile files[] = {{f->source->path, text, strlen(text)},
                                    {prelude, PRAGMA_PRELUDE, strlen(PRAGMA_PRELUDE)}};
    return f->clang->parseTranslationUnit2(f->index, f->source->path, all, n, files, 2,
                                           CXTranslationUnit_None, &f->unit) == CXError_Success;
}

bool c_open(c_file *f, source *s, const char *const *args, int arg_count, const char **why)
{
    *f = (c_file){.source = s};
    f->clang = clang_load(why);
    if (!f->clang)
        return false;
    if (strlen(s->text) != s->length) {
        source_say(s, ERROR, (place){0, 0}, "the file is not text: it holds a zero byte");
        return true;
    }
    f->index = f->clang->createIndex(0, 0);
    if (!parse_unit(f, args, arg_count)) {
        source_say(s, ERROR, (place){0, 0}, "clang cannot read the file");
        return true;
    }
    if (!is_c(f))
        return true;
    CXCursor root = f->clang->getTranslationUnitCursor(f->unit);
    f->clang->visitChildren(root, visit_file, f);
    f->clang->visitChildren(root, visit_calls, f);
    find_includes(f);
    return true;
}

void c_close(c_file *f)
{
    if (!f->clang)
        return;
    if (f->unit)
        f->clang->disposeTranslationUnit(f->unit);
    if (f->index)
        f->clang->disposeIndex(f->index);
}

/* ---- A function -------------------------------------------------------------------------- */

typedef struct found {
    c_where where;
    place at;
    int number;
    const char *name;
} found;

typedef struct search {
    c_file *file;
    found *list;
    int count;
} search;

static bool where_of(enum CXCursorKind kind, c_where *where)
{
    switch (kind) {
    case CXCursor_ForStmt:
        *where = AT_FOR;
        return true;
    case CXCursor_IfStmt:
        *where = AT_IF;
        return true;
    case CXCursor_WhileStmt:
        *where = AT_WHILE;
        return true;
    case CXCursor_VarDecl:
        *where = AT_DECLARE;
        return true;
    case CXCursor_CallExpr:
        *where = AT_CALL;
        return true;
    case CXCursor_GotoStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_DoStmt:
    case CXCursor_BreakStmt:
    case CXCursor_CaseStmt:
    case CXCursor_GCCAsmStmt:
    case CXCursor_LabelStmt:
    case CXCursor_ReturnStmt:
    case CXCursor_ContinueStmt:
        *where = AT_OTHER;
        return true;
    default:
        *where = AT_OMP;
        return kind >= CXCursor_OMPParallelDirective && kind <= CXCursor_LastStmt;
    }
}

static enum CXChildVisitResult visit_body(CXCursor cursor, CXCursor parent, CXClientData user)
{
    search *s = user;
    c_file *f = s->file;
    found one = {.number = s->count};
    (void)parent;
    if (!where_of(f->clang->getCursorKind(cursor), &one.where))
        return CXChildVisit_Recurse;
    one.at = place_of(f, cursor);
    if (one.where == AT_DECLARE)
        one.name = take(f, f->clang->getCursorSpelling(cursor));
    ARENA_ADD(f->source->memory, s->list, s->count, one);
    return CXChildVisit_Recurse;
}

static int compare(const void *x, const void *y)
{
    const found *a = x, *b = y;
    if (a->at.line != b->at.line)
        return a->at.line < b->at.line ? -1 : 1;
    if (a->at.column != b->at.column)
        return a->at.column < b->at.column ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void fill_places(c_file *f, const c_function *function, c_places *places)
{
    search s = {.file = f};
    arena *memory = f->source->memory;
    *places = (c_places){.whole = function->at};
    f->clang->visitChildren(function->cursor, visit_body, &s);
    if (s.count)
        qsort(s.list, (size_t)s.count, sizeof *s.list, compare);
    for (int i = 0; i < s.count; i++) {
        const found *one = &s.list[i];
        if (one->where == AT_DECLARE) {
            int names = places->count[AT_DECLARE];
            ARENA_ADD(memory, places->names, names, one->name);
        }
        ARENA_ADD(memory, places->list[one->where], places->count[one->where], one->at);
    }
}

c_stmt *c_body(c_file *f, const c_function *function)
{
    c_places places;
    CXPrintingPolicy policy = f->clang->getCursorPrintingPolicy(function->cursor);
    const char *text = take(f, f->clang->getCursorPrettyPrinted(function->cursor, policy));
    f->clang->PrintingPolicy_dispose(policy);
    fill_places(f, function, &places);
    return c_parse(f->source, text, &places, &f->types);
}

const char *c_prototype(c_file *f, const c_function *function)
{
    CXPrintingPolicy policy = f->clang->getCursorPrintingPolicy(function->cursor);
    f->clang->PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    const char *text = take(f, f->clang->getCursorPrettyPrinted(function->cursor, policy));
    f->clang->PrintingPolicy_dispose(policy);
    return text;
}

static size_t offset_of(const c_file *f, place at)
{
    size_t length;
    const char *line = source_line(f->source, at.line, &length);
    return line ? (size_t)(line - f->source->text) + (size_t)at.column - 1 : f->source->length;
}

static enum CXChildVisitResult find_body(CXCursor cursor, CXCursor parent, CXClientData user)
{
    CXCursor *body = user;
    (void)parent;
    *body = cursor; /* the last one */
    return CXChildVisit_Continue;
}

bool c_extent(c_file *f, const c_function *function, size_t *begin, size_t *name, size_t *body)
{
    const clang_calls *c = f->clang;
    CXCursor last = function->cursor;
    c->visitChildren(function->cursor, find_body, &last);
    place first = place_at(f, c->getRangeStart(c->getCursorExtent(function->cursor)));
    place brace = place_at(f, c->getRangeStart(c->getCursorExtent(last)));
    *begin = offset_of(f, first);
    *name = offset_of(f, function->at);
    *body = offset_of(f, brace);
    return c->getCursorKind(last) == CXCursor_CompoundStmt && *begin <= *name && *name < *body &&
           *body < f->source->length && f->source->text[*body] == '{' &&
           strncmp(f->source->text + *name, function->name, strlen(function->name)) == 0;
}
