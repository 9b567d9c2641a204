/* Raw files: elements and nothing else. */
#include "array/file/file.h"

#include <fcntl.h>
#include <unistd.h>

static twill_status create(const char *path, tw_file_shape *shape)
{
    int64_t bytes = tw_file_elements(&shape->info) * shape->info.bytes;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool made = file >= 0 && ftruncate(file, bytes) == 0;
    twill_status status = made ? TWILL_OK : tw_file_refused("twill_save", path);
    if (file >= 0)
        (void)close(file);
    return status;
}

const tw_file_format tw_file_raw = {".raw .bin", create, NULL};
