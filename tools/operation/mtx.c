/* The text as a stream of words, whatever its lines are; line numbers are for complaints. */
#include "operation/mtx.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool mtx_is_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".mtx") == 0;
}

static bool refuse(const mtx *m, char error[NPY_ERROR], const char *what)
{
    if (m->line)
        snprintf(error, NPY_ERROR, "%s cannot be used: line %" PRId64 ": %s", m->path, m->line,
                 what);
    else
        snprintf(error, NPY_ERROR, "%s cannot be used: %s", m->path, what);
    return false;
}

/* The next line; false at the end of the file. */
static bool next_line(mtx *m)
{
    if (getline(&m->text, &m->room, m->file) < 0)
        return false;
    m->line++;
    m->at = m->text;
    return true;
}

/* To the next word, which is not that of a comment. */
static bool find_word(mtx *m)
{
    static const char blanks[] = " \t\r\n";
    m->at += strspn(m->at, blanks);
    while (!*m->at) {
        if (!next_line(m))
            return false;
        m->at += *m->at == '%' ? strlen(m->at) : strspn(m->at, blanks);
    }
    return true;
}

static bool next_number(mtx *m, double *x)
{
    char *end;
    if (!find_word(m))
        return false;
    *x = strtod(m->at, &end);
    bool good = end > m->at && strchr(" \t\r\n", *end); /* also at the end of the text */
    m->at = end;
    return good;
}

static bool next_integer(mtx *m, int64_t least, int64_t most, int64_t *value)
{
    char *end;
    if (!find_word(m))
        return false;
    errno = 0;
    *value = strtoll(m->at, &end, 10);
    bool good = end > m->at && strchr(" \t\r\n", *end) && !errno;
    m->at = end;
    return good && *value >= least && *value <= most;
}

/* ---- header -------------------------------------------------------------------------------- */

/* Which of the words that '|' separates is the next one of the line; -1: none of them. */
static int next_choice(mtx *m, const char *words)
{
    m->at += strspn(m->at, " \t");
    size_t length = strcspn(m->at, " \t\r\n");
    const char *word = m->at;
    m->at += length;
    for (int i = 0; *words; i++) {
        size_t n = strcspn(words, "|");
        if (n == length && strncasecmp(words, word, n) == 0)
            return i;
        words += n + (words[n] == '|');
    }
    return -1;
}

static bool read_banner(mtx *m, char error[NPY_ERROR])
{
    static const char symmetries[] = "gshk";
    if (!next_line(m) || next_choice(m, "%%MatrixMarket") != 0)
        return refuse(m, error, "it must begin with %%MatrixMarket");
    if (next_choice(m, "matrix") != 0)
        return refuse(m, error, "%%MatrixMarket must be followed by 'matrix'");
    int format = next_choice(m, "array|coordinate");
    if (format < 0)
        return refuse(m, error, "the format must be array or coordinate");
    int field = next_choice(m, "real|double|integer|complex|pattern");
    if (field < 0)
        return refuse(m, error, "entries must be real, complex, integer or pattern");
    int symmetry = next_choice(m, "general|symmetric|hermitian|skew-symmetric");
    if (symmetry < 0)
        return refuse(m, error,
                      "the symmetry must be general, symmetric, hermitian or skew-symmetric");
    m->coordinates = format == 1;
    m->is_complex = field == 3;
    m->is_pattern = field == 4;
    m->symmetry = symmetries[symmetry];
    if (m->is_pattern && !m->coordinates)
        return refuse(m, error, "a pattern needs coordinates");
    return true;
}

/* How many entries an array has: all, or those of the lower triangle. */
static int64_t array_entries(const mtx *m)
{
    if (m->symmetry == 'g')
        return m->rows * m->cols;
    return m->symmetry == 'k' ? m->rows * (m->rows - 1) / 2 : m->rows * (m->rows + 1) / 2;
}

static bool read_sizes(mtx *m, char error[NPY_ERROR])
{
    enum { MOST = INT32_MAX };
    m->at += strlen(m->at);
    if (!next_integer(m, 0, MOST, &m->rows) || !next_integer(m, 0, MOST, &m->cols))
        return refuse(m, error, "there must be the numbers of rows and columns");
    if (m->symmetry != 'g' && m->rows != m->cols)
        return refuse(m, error, "a matrix with symmetry must be square");
    m->entries = array_entries(m);
    if (m->coordinates && !next_integer(m, 0, INT64_MAX, &m->entries))
        return refuse(m, error, "there must be the number of entries");
    return true;
}

bool mtx_open(const char *path, mtx *m, char error[NPY_ERROR])
{
    *m = (mtx){.path = path, .file = fopen(path, "r"), .at = (char[1]){0}};
    if (!m->file) {
        snprintf(error, NPY_ERROR, "%s cannot be read: %s", path, strerror(errno));
        return false;
    }
    bool good = read_banner(m, error) && read_sizes(m, error);
    if (!good)
        mtx_close(m);
    return good;
}

void mtx_close(mtx *m)
{
    if (m->file)
        fclose(m->file);
    free(m->text);
    m->file = NULL;
    m->text = NULL;
}

/* ---- entries ------------------------------------------------------------------------------- */

/* Add to an element. */
static void add(const npy *f, int64_t i, int64_t j, const double x[2])
{
    bool is_complex = f->type == TWILL_COMPLEX64 || f->type == TWILL_COMPLEX128;
    bool single = f->type == TWILL_FLOAT32 || f->type == TWILL_COMPLEX64;
    int64_t parts = is_complex ? 2 : 1, at = (i + j * f->rows) * parts;
    for (int64_t p = 0; p < parts; p++) {
        if (single)
            ((float *)f->memory)[at + p] += (float)x[p];
        else
            ((double *)f->memory)[at + p] += x[p];
    }
}

/* An entry, and its mirror image where there is one. */
static void add_both(const mtx *m, const npy *f, int64_t i, int64_t j, const double x[2])
{
    double sign = m->symmetry == 'k' ? -1 : 1;
    double mirrored[2] = {sign * x[0], m->symmetry == 'h' ? -x[1] : sign * x[1]};
    add(f, i, j, x);
    if (m->symmetry != 'g' && i != j)
        add(f, j, i, mirrored);
}

static bool read_value(mtx *m, double x[2])
{
    x[0] = 1;
    x[1] = 0;
    if (m->is_pattern)
        return true;
    return next_number(m, &x[0]) && (!m->is_complex || next_number(m, &x[1]));
}

static bool read_coordinates(mtx *m, const npy *f, char error[NPY_ERROR])
{
    double x[2];
    int64_t i, j;
    for (int64_t e = 0; e < m->entries; e++) {
        if (!next_integer(m, 1, m->rows, &i) || !next_integer(m, 1, m->cols, &j))
            return refuse(m, error, "an entry must begin with its row and column, from 1");
        if (!read_value(m, x))
            return refuse(m, error, "an entry has no value that is a number");
        add_both(m, f, i - 1, j - 1, x);
    }
    return true;
}

static bool read_array(mtx *m, const npy *f, char error[NPY_ERROR])
{
    double x[2];
    for (int64_t j = 0; j < m->cols; j++) {
        int64_t first = m->symmetry == 'g' ? 0 : m->symmetry == 'k' ? j + 1 : j;
        for (int64_t i = first; i < m->rows; i++) {
            if (!read_value(m, x))
                return refuse(m, error, "an entry is missing or is no number");
            add_both(m, f, i, j, x);
        }
    }
    return true;
}

bool mtx_read(mtx *m, twill_type type, npy *f, char error[NPY_ERROR])
{
    size_t element = twill_type_size(type), count = (size_t)(m->rows * m->cols);
    *f = (npy){.type = type,
               .element = element,
               .rows = m->rows,
               .cols = m->cols,
               .by_columns = true,
               .memory = calloc(count + 1, element)};
    if (!f->memory)
        return refuse(m, error, "there is no memory for all entries, zeros included");
    bool good = m->coordinates ? read_coordinates(m, f, error) : read_array(m, f, error);
    if (good && find_word(m))
        good = refuse(m, error, "there are more entries than the header says");
    if (!good)
        npy_close(f);
    return good;
}
