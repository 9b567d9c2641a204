/* Writing: JSON values, and texts of unknown length into memory of known size. */
#ifndef TW_TRACE_TEXT_H
#define TW_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A string with its quotes. '<' is escaped, so that it can stand inside a page; bytes that are not
 * UTF-8 are taken for Latin 1. */
void tw_json_text(FILE *out, const char *text);

/* A number with enough digits to tell it from others; null when it is not finite. */
void tw_json_number(FILE *out, double x);

/* Names and values of one object: "name":value, with commas between them. */
typedef struct tw_json {
    FILE *out;
    int n;
} tw_json;
void tw_json_key(tw_json *j, const char *key);
void tw_json_real(tw_json *j, const char *key, double x);
void tw_json_whole(tw_json *j, const char *key, long long x);
void tw_json_string(tw_json *j, const char *key, const char *text);

/* Call `write` with a stream, and copy what it wrote to `text` as snprintf would. Returns the bytes
 * that all of it needs, the end included; 0 when there is no memory. */
typedef void tw_writer(FILE *out, const void *arg);
size_t tw_text_copy(tw_writer *write, const void *arg, char *text, size_t size);

#endif
