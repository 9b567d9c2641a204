/* The .npy format: "\x93NUMPY", version, length of the header, a Python dictionary, the data. Files
 * come from anywhere, so nothing in the header is believed before it is compared with the file. */
#include "operation/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_MOST = 4096, ALIGNMENT = 64, PREFIX = 10 };

typedef struct type_name {
    const char *name;
    twill_type type;
} type_name;

static const type_name types[] = {{"<f4", TWILL_FLOAT32},
                                  {"<f8", TWILL_FLOAT64},
                                  {"<c8", TWILL_COMPLEX64},
                                  {"<c16", TWILL_COMPLEX128}};
enum { TYPES = sizeof types / sizeof *types };
static const char integers[] = "<i8";

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Where `text` goes on after `word` and blanks, or NULL when it does not start with it. */
static const char *after(const char *text, const char *word)
{
    if (!text || strncmp(text, word, strlen(word)) != 0)
        return NULL;
    text += strlen(word);
    return text + strspn(text, " ");
}

static const char *after_quoted(const char *text, const char *name)
{
    char quoted[16];
    snprintf(quoted, sizeof quoted, "'%s'", name);
    return after(text, quoted);
}

/* Integers are read as doubles. */
static const char *parse_type(const char *text, npy *f)
{
    const char *rest = after_quoted(text, integers);
    f->is_integer = rest;
    f->type = TWILL_FLOAT64;
    for (int t = 0; t < TYPES && !rest; t++) {
        rest = after_quoted(text, types[t].name);
        f->type = types[t].type;
    }
    return rest;
}

static const char *parse_size(const char *text, int64_t *value)
{
    if (!text || *text < '0' || *text > '9')
        return NULL;
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno ? NULL : end + strspn(end, " ");
}

/* "40, 3)", or "40,)", which is one column. */
static const char *parse_shape(const char *text, npy *f)
{
    text = after(parse_size(text, &f->rows), ",");
    f->cols = 1;
    if (after(text, ")"))
        return after(text, ")");
    text = parse_size(text, &f->cols);
    const char *comma = after(text, ",");
    return after(comma ? comma : text, ")");
}

/* One "key: value" of the dictionary; which key goes into *seen. */
static const char *parse_entry(const char *text, npy *f, unsigned *seen, const char **problem)
{
    const char *rest;
    if ((rest = after(after(text, "'descr'"), ":"))) {
        *seen |= 1;
        *problem = "its element type is not <f4, <f8, <c8, <c16 or <i8";
        return parse_type(rest, f);
    }
    if ((rest = after(after(text, "'fortran_order'"), ":"))) {
        *seen |= 2;
        f->by_columns = after(rest, "True");
        *problem = "its fortran_order is neither True nor False";
        return f->by_columns ? after(rest, "True") : after(rest, "False");
    }
    if ((rest = after(after(text, "'shape'"), ":"))) {
        *seen |= 4;
        *problem = "its shape is not that of a matrix";
        return parse_shape(after(rest, "("), f);
    }
    *problem = "its header is not one of .npy";
    return NULL;
}

/* The dictionary, whose keys may come in any order. Returns what is wrong, or NULL. */
static const char *parse_header(const char *text, npy *f)
{
    const char *problem = "its header is not one of .npy";
    unsigned seen = 0;
    text = after(text, "{");
    while (text && *text != '}') {
        text = parse_entry(text, f, &seen, &problem);
        const char *comma = after(text, ",");
        if (!comma && text && *text != '}')
            text = NULL;
        else if (comma)
            text = comma;
    }
    if (!text)
        return problem;
    text = after(text, "}");
    return seen == 7 && (*text == '\n' || !*text) ? NULL : "its header is not one of .npy";
}

/* Read the part before the data. Returns what is wrong, or NULL. */
static const char *read_header(npy *f, int64_t *offset)
{
    unsigned char prefix[PREFIX + 2];
    char text[HEADER_MOST + 1];
    if (fread(prefix, 1, PREFIX, f->file) != PREFIX || memcmp(prefix, magic, sizeof magic) != 0)
        return "it is not a .npy file";
    size_t length = prefix[8] | (size_t)prefix[9] << 8;
    *offset = PREFIX;
    if (prefix[6] != 1) {
        if (prefix[6] > 3 || fread(prefix + PREFIX, 1, 2, f->file) != 2)
            return "its version of the format is unknown";
        length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
        *offset += 2;
    }
    if (length > HEADER_MOST)
        return "its header is too long for a matrix";
    if (fread(text, 1, length, f->file) != length)
        return "it ends inside its header";
    text[length] = '\0';
    *offset += (int64_t)length;
    return strlen(text) == length ? parse_header(text, f) : "its header is not one of .npy";
}

bool npy_open(const char *path, npy *f, char error[NPY_ERROR])
{
    int64_t offset = 0;
    struct stat st;
    *f = (npy){.file = fopen(path, "rb")};
    if (!f->file || fstat(fileno(f->file), &st) != 0 || !S_ISREG(st.st_mode)) {
        snprintf(error, NPY_ERROR, "%s cannot be read: %s", path,
                 f->file ? "it is not a file" : strerror(errno));
        npy_close(f);
        return false;
    }
    const char *problem = read_header(f, &offset);
    f->element = twill_type_size(f->type);
    int64_t count, bytes;
    if (problem) {
        snprintf(error, NPY_ERROR, "%s cannot be used: %s", path, problem);
    } else if (__builtin_mul_overflow(f->rows, f->cols, &count) ||
               __builtin_mul_overflow(count, (int64_t)f->element, &bytes) ||
               bytes != st.st_size - offset) {
        snprintf(error, NPY_ERROR,
                 "%s cannot be used: %" PRId64 " bytes of data are not a matrix of %" PRId64
                 " by %" PRId64 " elements of %zu bytes",
                 path, (int64_t)st.st_size - offset, f->rows, f->cols, f->element);
    } else {
        f->offset = offset;
        return true;
    }
    npy_close(f);
    return false;
}

/* Header, and room for the data. */
static bool begin(const npy *f, const unsigned char *prefix, const char *header, int padded)
{
    int64_t bytes = f->rows * f->cols * (int64_t)f->element;
    return fwrite(prefix, 1, PREFIX, f->file) == PREFIX &&
           fprintf(f->file, "%-*s\n", padded - 1, header) == padded && fflush(f->file) == 0 &&
           ftruncate(fileno(f->file), f->offset + bytes) == 0;
}

bool npy_create(const char *path, twill_type type, int64_t rows, int64_t cols, bool more, npy *f,
                char error[NPY_ERROR])
{
    bool vector = type == TWILL_BYTES;
    const char *name = integers;
    for (int t = 0; t < TYPES; t++)
        if (types[t].type == type)
            name = types[t].name;
    char header[4 * ALIGNMENT], second[32] = "";
    if (!vector)
        snprintf(second, sizeof second, " %" PRId64, cols);
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': True, 'shape': (%" PRId64 ",%s), }",
                          name, rows, second);
    /* The data starts on a multiple of 64 bytes, so that it can be mapped. */
    int padded = (PREFIX + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - PREFIX;
    unsigned char prefix[PREFIX] = {[6] = 1, [8] = (unsigned char)padded};
    memcpy(prefix, magic, sizeof magic);
    *f = (npy){.file = fopen(path, more ? "r+b" : "wb"), .type = type, .rows = rows, .cols = cols};
    f->offset = PREFIX + padded;
    f->by_columns = true;
    f->element = vector ? sizeof(int64_t) : twill_type_size(type);
    if (f->file && (more || begin(f, prefix, header, padded)))
        return true;
    snprintf(error, NPY_ERROR, "%s cannot be written: %s", path, strerror(errno));
    npy_close(f);
    return false;
}

static void make_real(char *bytes, size_t n)
{
    for (size_t i = 0; i + sizeof(int64_t) <= n; i += sizeof(int64_t)) {
        int64_t x;
        memcpy(&x, bytes + i, sizeof x);
        double real = (double)x;
        memcpy(bytes + i, &real, sizeof real);
    }
}

/* All bytes, at a place of the file. */
static bool read_at(const npy *f, int64_t at, char *bytes, size_t n)
{
    if (f->memory) {
        memcpy(bytes, f->memory + at, n);
        return true;
    }
    ssize_t got = 1;
    char *to = bytes;
    for (size_t left = n; left > 0 && got > 0; at += got, to += got, left -= (size_t)got) {
        got = pread(fileno(f->file), to, left, at);
        if (got < 0)
            return false;
    }
    if (f->is_integer)
        make_real(bytes, n);
    return to == bytes + n;
}

static bool write_at(const npy *f, int64_t at, const char *bytes, size_t n)
{
    ssize_t put = 1;
    for (; n > 0 && put > 0; at += put, bytes += put, n -= (size_t)put) {
        put = pwrite(fileno(f->file), bytes, n, at);
        if (put < 0)
            return false;
    }
    return n == 0;
}

/* Where an element is in the file. */
static int64_t place(const npy *f, int64_t row, int64_t col)
{
    int64_t before = f->by_columns ? col * f->rows + row : row * f->cols + col;
    return f->offset + before * (int64_t)f->element;
}

static char *column(const npy *f, const npy_block *b, int64_t j)
{
    return (char *)b->data + (size_t)(j * b->ld) * f->element;
}

static bool read_rows(const npy *f, const npy_block *b)
{
    size_t size = f->element;
    char *row = malloc((size_t)b->cols * size + 1);
    bool good = row;
    for (int64_t i = 0; i < b->rows && good; i++) {
        good = read_at(f, place(f, b->row + i, b->col), row, (size_t)b->cols * size);
        for (int64_t j = 0; j < b->cols && good; j++)
            memcpy(column(f, b, j) + (size_t)i * size, row + (size_t)j * size, size);
    }
    free(row);
    return good;
}

bool npy_read(const npy *f, const npy_block *b)
{
    bool good = true;
    if (!f->by_columns)
        return read_rows(f, b);
    for (int64_t j = 0; j < b->cols && good; j++)
        good =
            read_at(f, place(f, b->row, b->col + j), column(f, b, j), (size_t)b->rows * f->element);
    return good;
}

bool npy_write(const npy *f, const npy_block *b)
{
    bool good = true;
    for (int64_t j = 0; j < b->cols && good; j++)
        good = write_at(f, place(f, b->row, b->col + j), column(f, b, j),
                        (size_t)b->rows * f->element);
    return good;
}

bool npy_close(npy *f)
{
    free(f->memory);
    f->memory = NULL;
    if (!f->file)
        return true;
    bool good = !ferror(f->file);
    good = fclose(f->file) == 0 && good;
    f->file = NULL;
    return good;
}
