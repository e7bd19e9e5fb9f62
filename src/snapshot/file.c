// SPDX-License-Identifier: MIT
// Files: written beside the old one, flushed to the disk and renamed, so that whoever opens the
// name finds the old file or the new one, whole.
#include "base/platform.h"
#include "snapshot/chunk.h"

#include <errno.h>
#include <stdlib.h>

#define BESIDE_ENDING ".new"
#define READ_BYTES    (1u << 20)

static kith_result file_fault(const char *what, const char *path, int number)
{
    return kith_result_of(KITH_ERROR_IO, 0, "%s %s: %s", what, path, strerror(number));
}

static bool write_stream(const void *bytes, size_t size, void *context)
{
    return fwrite(bytes, 1, size, context) == size;
}

// Writes the whole file under its other name, or leaves none that it began.
static kith_result write_beside(const kith_world *world, const kith_save_desc *desc,
                                const char *beside)
{
    FILE *stream = fopen(beside, "wb");
    if (stream == NULL) {
        return file_fault("cannot create", beside, errno);
    }
    kith_result result = kith_world_save(world, desc, write_stream, stream);
    errno              = 0;
    bool synced        = result.code == KITH_OK && kith_platform_flush(stream);
    int  number        = errno;
    bool closed        = fclose(stream) == 0;
    if (result.code == KITH_ERROR_IO || (result.code == KITH_OK && !(synced && closed))) {
        result = file_fault("cannot write", beside, number != 0 ? number : errno);
    }
    if (result.code != KITH_OK) {
        remove(beside);
    }
    return result;
}

KITH_API kith_result kith_world_save_file(const kith_world *world, const kith_save_desc *desc,
                                          const char *path)
{
    char *beside = malloc(strlen(path) + sizeof BESIDE_ENDING);
    if (beside == NULL) {
        return kith_result_of(KITH_ERROR_MEMORY, 0, "there is no memory for a name");
    }
    strcat(strcpy(beside, path), BESIDE_ENDING);
    kith_result result = write_beside(world, desc, beside);
    if (result.code == KITH_OK && !kith_platform_replace(beside, path)) {
        result = file_fault("cannot replace", path, errno);
        remove(beside);
    } else if (result.code == KITH_OK && !kith_platform_flush_folder(beside)) {
        result = file_fault("cannot flush the folder of", path, errno);
    }
    free(beside);
    return result;
}

// Makes room for a whole file at once, if it says how long it is; what it says is not believed.
// A folder says anything: it can be opened, but not read.
static bool foresee_length(FILE *stream, kith_bytes *bytes)
{
    long length = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : 0;
    rewind(stream);
    if (length <= 0 || fgetc(stream) == EOF) {
        return true;
    }
    bool there  = kith_bytes_extend(bytes, (size_t)length + READ_BYTES);
    bytes->size = 0;
    rewind(stream);
    return there;
}

// Reads what is left of a stream.
static kith_result read_stream(FILE *stream, kith_bytes *bytes, const char *path)
{
    size_t got = 1;
    setvbuf(stream, NULL, _IONBF, 0); // pieces are large
    bool there = foresee_length(stream, bytes);
    while (there && got != 0) {
        there = kith_bytes_extend(bytes, READ_BYTES);
        if (!there) {
            break;
        }
        got = fread(bytes->data + bytes->size - READ_BYTES, 1, READ_BYTES, stream);
        bytes->size -= READ_BYTES - got;
    }
    if (!there) {
        return kith_result_of(KITH_ERROR_MEMORY, 0, "there is no memory for %s", path);
    }
    return ferror(stream) != 0 ? file_fault("cannot read", path, errno)
                               : (kith_result){ .code = KITH_OK };
}

KITH_API kith_result kith_world_load_file(kith_world *world, const kith_load_desc *desc,
                                          const char *path)
{
    kith_bytes bytes  = { .data = NULL };
    FILE      *stream = fopen(path, "rb");
    if (stream == NULL) {
        return file_fault("cannot open", path, errno);
    }
    kith_result result = read_stream(stream, &bytes, path);
    if (result.code == KITH_OK) {
        result = kith_world_load(world, desc, bytes.data, bytes.size);
    }
    fclose(stream);
    kith_bytes_free(&bytes);
    return result;
}
