/* NumPy's .npy: "\x93NUMPY", a version, the length of a header, the header, which is a dictionary
 * of Python, and the elements. Files come from anywhere: nothing in them is believed before it is
 * compared with what there is room for. */
#include "array/file/file.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER_MOST = 4096, ALIGNMENT = 64, PREFIX = 10 };

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

static const struct {
    const char *name;
    twill_type type;
} types[] = {{"<f4", TWILL_FLOAT32},
             {"<f8", TWILL_FLOAT64},
             {"<c8", TWILL_COMPLEX64},
             {"<c16", TWILL_COMPLEX128}};
enum { TYPES = sizeof types / sizeof *types };

/* ---- writing ----------------------------------------------------------------------------- */

static int write_header(const twill_file_info *info, char *text, size_t size)
{
    char name[24];
    snprintf(name, sizeof name, "|V%" PRId64, info->bytes);
    for (int t = 0; t < TYPES; t++)
        if (types[t].type == info->type)
            snprintf(name, sizeof name, "%s", types[t].name);
    int n = snprintf(text, size, "{'descr': '%s', 'fortran_order': %s, 'shape': (", name,
                     info->row_major ? "False" : "True");
    for (int d = 0; d < info->ndim; d++)
        n += snprintf(text + n, size - (size_t)n, "%s%" PRId64 "%s", d ? " " : "", info->extent[d],
                      d + 1 < info->ndim || info->ndim == 1 ? "," : "");
    return n + snprintf(text + n, size - (size_t)n, "), }");
}

/* The elements begin on a multiple of 64 bytes, so that they can be mapped. */
static twill_status create(const char *path, tw_file_shape *shape)
{
    char text[HEADER_MOST], all[HEADER_MOST + ALIGNMENT];
    int length = write_header(&shape->info, text, sizeof text);
    int whole = (PREFIX + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned padded = (unsigned)(whole - PREFIX);
    unsigned char prefix[PREFIX] = {
        [6] = 1, [8] = (unsigned char)(padded & 255), [9] = (unsigned char)(padded >> 8)};
    memcpy(prefix, magic, sizeof magic);
    memset(all, ' ', sizeof all);
    memcpy(all, prefix, PREFIX);
    memcpy(all + PREFIX, text, (size_t)length);
    all[whole - 1] = '\n';
    shape->offset = whole;
    int64_t bytes = tw_file_elements(&shape->info) * shape->info.bytes;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool made = file >= 0 && pwrite(file, all, (size_t)whole, 0) == whole &&
                ftruncate(file, whole + bytes) == 0;
    twill_status status = made ? TWILL_OK : tw_file_refused("twill_save", path);
    if (file >= 0)
        (void)close(file);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Where `text` goes on after `word` and blanks, or NULL when it does not begin with it. */
static const char *after(const char *text, const char *word)
{
    if (!text || strncmp(text, word, strlen(word)) != 0)
        return NULL;
    text += strlen(word);
    return text + strspn(text, " ");
}

/* '<f8', '|V24', '<i4': a byte order that is ours or none, a letter, bytes. */
static const char *read_type(const char *text, twill_file_info *info)
{
    char name[16];
    text = after(text, "'");
    size_t length = text ? strcspn(text, "'") : 0;
    if (length < 3 || length >= sizeof name || !strchr("<|", text[0]) ||
        !strchr("fciuVbS", text[1]))
        return NULL;
    memcpy(name, text, length);
    name[length] = '\0';
    char *end;
    errno = 0;
    info->bytes = strtoll(name + 2, &end, 10);
    info->type = TWILL_BYTES;
    for (int t = 0; t < TYPES; t++)
        if (strcmp(types[t].name, name) == 0)
            info->type = types[t].type;
    return *end || errno || info->bytes < 1 ? NULL : after(text + length, "'");
}

static const char *read_shape(const char *text, twill_file_info *info)
{
    text = after(text, "(");
    for (info->ndim = 0; text && *text != ')'; info->ndim++) {
        char *end;
        errno = 0;
        if (info->ndim == TWILL_DIMS || *text < '0' || *text > '9')
            return NULL;
        info->extent[info->ndim] = strtoll(text, &end, 10);
        text = end + strspn(end, " ");
        if (errno || (*text != ',' && *text != ')'))
            return NULL;
        text = *text == ',' ? after(text, ",") : text;
    }
    return after(text, ")");
}

/* One "key: value" of the dictionary; which key goes into *seen. */
static const char *read_entry(const char *text, twill_file_info *info, unsigned *seen)
{
    const char *rest;
    if ((rest = after(after(text, "'descr'"), ":"))) {
        *seen |= 1;
        return read_type(rest, info);
    }
    if ((rest = after(after(text, "'fortran_order'"), ":"))) {
        *seen |= 2;
        info->row_major = !after(rest, "True");
        return after(rest, info->row_major ? "False" : "True");
    }
    rest = after(after(text, "'shape'"), ":");
    *seen |= rest ? 4 : 0;
    return read_shape(rest, info);
}

/* The keys come in any order. */
static bool read_header(const char *text, twill_file_info *info)
{
    unsigned seen = 0;
    text = after(text, "{");
    while (text && *text != '}') {
        text = read_entry(text, info, &seen);
        const char *comma = after(text, ",");
        text = comma ? comma : text && *text == '}' ? text : NULL;
    }
    return text && seen == 7;
}

/* NULL, or what is wrong. */
static const char *read_all(int file, tw_file_shape *shape)
{
    unsigned char prefix[PREFIX + 2];
    char text[HEADER_MOST + 1];
    if (pread(file, prefix, sizeof prefix, 0) != sizeof prefix ||
        memcmp(prefix, magic, sizeof magic) != 0)
        return "it is not a .npy file";
    if (prefix[6] < 1 || prefix[6] > 3)
        return "its version of the format is unknown";
    size_t length = prefix[8] | (size_t)prefix[9] << 8, begin = PREFIX;
    if (prefix[6] > 1) {
        length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
        begin += 2;
    }
    if (length > HEADER_MOST)
        return "its header is too long for an array of 6 dimensions";
    if (pread(file, text, length, (off_t)begin) != (ssize_t)length)
        return "it ends inside its header";
    text[length] = '\0';
    shape->offset = (int64_t)(begin + length);
    return read_header(text, &shape->info)
               ? NULL
               : "its header is not that of 1 to 6 dimensions of elements of one size, in the byte "
                 "order of this machine";
}

static twill_status look(const char *path, tw_file_shape *shape)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return tw_file_refused("twill_load", path);
    const char *problem = read_all(file, shape);
    (void)close(file);
    return problem ? tw_fail(TWILL_ERR_ARGUMENT, "twill_load: %s: %s", path, problem) : TWILL_OK;
}

const tw_file_format tw_file_npy = {".npy", create, look};
