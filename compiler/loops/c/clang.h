/* libclang, loaded when it is needed: it takes longer to load than most files take to compile. */
#ifndef LOOPS_CLANG_H
#define LOOPS_CLANG_H

#include <clang-c/Index.h>
#include <stdbool.h>

#define CLANG_FUNCTIONS(F)        \
    F(createIndex)                \
    F(disposeIndex)               \
    F(parseTranslationUnit2)      \
    F(disposeTranslationUnit)     \
    F(getTranslationUnitCursor)   \
    F(getNumDiagnostics)          \
    F(getDiagnostic)              \
    F(disposeDiagnostic)          \
    F(getDiagnosticSeverity)      \
    F(getDiagnosticSpelling)      \
    F(getDiagnosticLocation)      \
    F(getExpansionLocation)       \
    F(getFileName)                \
    F(getCString)                 \
    F(disposeString)              \
    F(visitChildren)              \
    F(getCursorKind)              \
    F(getCursorSpelling)          \
    F(getCursorLocation)          \
    F(getCursorExtent)            \
    F(getRangeStart)              \
    F(getRangeEnd)                \
    F(getCursorType)              \
    F(getCursorResultType)        \
    F(getCanonicalType)           \
    F(getPointeeType)             \
    F(getTypeSpelling)            \
    F(isConstQualifiedType)       \
    F(Type_getSizeOf)             \
    F(isFunctionTypeVariadic)     \
    F(isCursorDefinition)         \
    F(getCursorReferenced)        \
    F(equalCursors)               \
    F(getEnumConstantDeclValue)   \
    F(Cursor_getStorageClass)     \
    F(Cursor_getNumArguments)     \
    F(Cursor_getArgument)         \
    F(getCursorPrintingPolicy)    \
    F(PrintingPolicy_setProperty) \
    F(PrintingPolicy_dispose)     \
    F(getCursorPrettyPrinted)

typedef struct clang_calls {
#define CLANG_MEMBER(name) __typeof__(clang_##name) *name;
    CLANG_FUNCTIONS(CLANG_MEMBER)
#undef CLANG_MEMBER
} clang_calls;

/* Load it, once; NULL with a sentence in *why. */
const clang_calls *clang_load(const char **why);

#endif
