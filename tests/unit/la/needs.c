/* Renaming the BLAS in a copy of a library: right files are changed, wrong ones left alone. */
#include "support/test.h"

#include "la/blas/needs.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A library as small as one can be: headers, one segment, what it needs, names. */
typedef struct tiny {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    Elf64_Dyn dynamic[4];
    char names[40];
} tiny;

static const char names[] = "\0libm.so.6\0libblas.so.3";
enum { LIBM = 1, LIBBLAS = 11, ADDRESS = 0x1000 };

static tiny make(void)
{
    tiny t = {.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                         .e_phoff = offsetof(tiny, segments),
                         .e_phnum = 2},
              .segments = {{.p_type = PT_LOAD, .p_vaddr = ADDRESS, .p_filesz = sizeof t},
                           {.p_type = PT_DYNAMIC,
                            .p_offset = offsetof(tiny, dynamic),
                            .p_filesz = sizeof t.dynamic}},
              .dynamic = {{DT_NEEDED, {LIBM}},
                          {DT_NEEDED, {LIBBLAS}},
                          {DT_STRTAB, {ADDRESS + offsetof(tiny, names)}},
                          {DT_NULL, {0}}}};
    memcpy(t.names, names, sizeof names);
    return t;
}

/* Redirect in a file of that content; leaves what it is then. */
static bool redirect(void *bytes, size_t size, const char *to)
{
    int fd = memfd_create("tiny", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    bool done = tw_needs_redirect(fd, to);
    assert_int_equal(pread(fd, bytes, size, 0), (ssize_t)size);
    close(fd);
    return done;
}

TEST(the_blas_gets_another_name)
{
    tiny t = make();
    assert_true(redirect(&t, sizeof t, "/dev/fd/12"));
    assert_string_equal(t.names + LIBBLAS, "/dev/fd/12");
    assert_string_equal(t.names + LIBM, "libm.so.6");
}

TEST(a_name_that_does_not_fit_is_not_written)
{
    tiny t = make();
    assert_false(redirect(&t, sizeof t, "/dev/fd/12345"));
    assert_string_equal(t.names + LIBBLAS, "libblas.so.3");
    assert_true(redirect(&t, sizeof t, "/dev/fd/1234"));
}

TEST(a_library_without_a_blas_is_left_alone)
{
    tiny t = make(), before;
    t.names[LIBBLAS] = 'x';
    before = t;
    assert_false(redirect(&t, sizeof t, "/dev/fd/12"));
    assert_memory_equal(&t, &before, sizeof t);
}

/* Cut short anywhere, or with any byte changed, nothing outside the file is touched. */
TEST(broken_files_do_no_harm)
{
    for (size_t size = 1; size < sizeof(tiny); size++) {
        tiny t = make();
        redirect(&t, size, "/dev/fd/12");
    }
    for (size_t i = 0; i < sizeof(tiny); i++)
        for (int v = 0; v < 3; v++) {
            tiny t = make();
            ((unsigned char *)&t)[i] = (unsigned char)(v == 0 ? 0xff : v == 1 ? 0x7f : 0x80);
            redirect(&t, sizeof t, "/dev/fd/12");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blas_gets_another_name),
        cmocka_unit_test(a_name_that_does_not_fit_is_not_written),
        cmocka_unit_test(a_library_without_a_blas_is_left_alone),
        cmocka_unit_test(broken_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
