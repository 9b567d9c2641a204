/* The names of needed libraries in an ELF file. Nothing in the file is believed: a place outside of
 * it is as good as none. */
#include "la/blas/needs.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* What libraries with a BLAS are called. */
static const char *const blas_names[] = {"libblas.so", "libopenblas", "libblis", "libmkl_rt"};

typedef struct image {
    char *bytes;
    size_t size;
} image;

/* `size` bytes at an offset of the file, or NULL. */
static void *at(const image *file, size_t offset, size_t size)
{
    bool inside = offset <= file->size && size <= file->size - offset;
    return inside ? file->bytes + offset : NULL;
}

/* The same for what can be read only at multiples of eight. */
static void *record_at(const image *file, size_t offset, size_t size)
{
    return offset % 8 == 0 ? at(file, offset, size) : NULL;
}

static const Elf64_Phdr *segment(const image *file, const Elf64_Ehdr *h, int i)
{
    return record_at(file, h->e_phoff + (size_t)i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
}

/* Where the file has what is at an address once it is loaded; its size when nowhere. */
static size_t offset_of(const image *file, const Elf64_Ehdr *h, size_t address)
{
    for (int i = 0; i < h->e_phnum; i++) {
        const Elf64_Phdr *p = segment(file, h, i);
        if (p && p->p_type == PT_LOAD && address >= p->p_vaddr &&
            address - p->p_vaddr < p->p_filesz)
            return address - p->p_vaddr + p->p_offset;
    }
    return file->size;
}

static const Elf64_Dyn *dynamic(const image *file, const Elf64_Ehdr *h, size_t *entries)
{
    for (int i = 0; i < h->e_phnum; i++) {
        const Elf64_Phdr *p = segment(file, h, i);
        if (p && p->p_type == PT_DYNAMIC) {
            *entries = p->p_filesz / sizeof(Elf64_Dyn);
            return record_at(file, p->p_offset, p->p_filesz);
        }
    }
    return NULL;
}

static bool is_blas(const char *name)
{
    for (size_t i = 0; i < sizeof blas_names / sizeof *blas_names; i++)
        if (!strncmp(name, blas_names[i], strlen(blas_names[i])))
            return true;
    return false;
}

static bool redirect_one(const image *file, size_t offset, const char *to)
{
    char *name = at(file, offset, 1);
    size_t room = name ? strnlen(name, file->size - offset) : 0;
    if (!name || offset + room >= file->size || !is_blas(name) || strlen(to) > room)
        return false;
    strcpy(name, to);
    return true;
}

static bool redirect(const image *file, const char *to)
{
    const Elf64_Ehdr *h = at(file, 0, sizeof *h);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    size_t entries = 0, names = file->size;
    const Elf64_Dyn *d = dynamic(file, h, &entries);
    for (size_t i = 0; d && i < entries; i++)
        if (d[i].d_tag == DT_STRTAB)
            names = offset_of(file, h, d[i].d_un.d_ptr);
    bool done = false;
    for (size_t i = 0; d && i < entries && names < file->size; i++)
        if (d[i].d_tag == DT_NEEDED && d[i].d_un.d_val < file->size)
            done |= redirect_one(file, names + d[i].d_un.d_val, to);
    return done;
}

bool tw_needs_redirect(int fd, const char *to)
{
    struct stat info;
    if (fstat(fd, &info) || info.st_size <= 0)
        return false;
    image file = {NULL, (size_t)info.st_size};
    void *bytes = mmap(NULL, file.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    file.bytes = bytes;
    bool done = redirect(&file, to);
    munmap(bytes, file.size);
    return done;
}
