/* The text being compiled, places in it, and what there is to say about them. */
#ifndef SOURCE_H
#define SOURCE_H

#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A place in the text; both count from 1. Line 0 stands for the file as a whole. */
typedef struct place {
    int32_t line, column;
} place;

typedef enum severity { NOTE, WARNING, ERROR } severity;

typedef struct diagnostic {
    severity severity;
    place at;
    const char *text; /* one sentence */
} diagnostic;

typedef struct source {
    const char *path; /* as the user wrote it */
    const char *text; /* ends with a zero byte, and may hold others */
    size_t length;
    arena *memory; /* holds the text, the diagnostics, and everything made from the text */
    diagnostic *diagnostics;
    int diagnostic_count;
    int errors; /* how many of them are errors */
} source;

/* After this many errors the rest is not worth reading. */
enum { MOST_ERRORS = 50 };

/* Read the file, or standard input for "-". False: *why says what went wrong. */
bool source_read(source *s, arena *memory, const char *path, const char **why);

/* Use text that is already in memory and stays there; text[length] must be a zero byte. */
void source_set(source *s, arena *memory, const char *path, const char *text, size_t length);

/* Say something about a place. Diagnostics are kept and printed by source_report; the same sentence
 * about the same place is kept once. A NOTE belongs to the diagnostic before it. */
void source_say(source *s, severity how, place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Print the diagnostics in the order of their places, each as
 *     FILE:LINE:COLUMN: error: SENTENCE
 * followed by the line and a caret under the column. */
void source_report(const source *s, FILE *out);

/* The line `number` without its end; its length goes to *length. NULL if there is no such line. */
const char *source_line(const source *s, int number, size_t *length);

#endif
