/* zip.c - the directory of a zip archive, checked against the bytes that are there.
 *
 * Format: PKWARE's APPNOTE.TXT 6.3, sections 4.3 (records) and 4.5.3 (zip64). Checksums are not compared: it would mean
 * reading every weight once more. */
#include "format/zip.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "format/little.h"
#include "format/names.h"

enum {
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56, /* fixed parts of the records */
    COMMENT_LIMIT = 65535,
    ENTRY_LIMIT = 1 << 20
};

typedef struct directory {
    uint64_t offset, size, count;
} directory;

typedef struct archive {
    const uint8_t *bytes;
    size_t size;
} archive;

/* The offset of the record that ends the archive, or SIZE_MAX. */
static size_t find_end(const archive *a)
{
    if (a->size < END_SIZE)
        return SIZE_MAX;
    for (size_t comment = 0; comment <= COMMENT_LIMIT && comment <= a->size - END_SIZE; comment++) {
        size_t at = a->size - END_SIZE - comment;
        if (bipe_load32(a->bytes + at) == 0x06054b50 && bipe_load16(a->bytes + at + 20) == comment)
            return at;
    }
    return SIZE_MAX;
}

static int read_end64(const archive *a, const uint8_t *locator, directory *dir, bipe_error *err)
{
    uint64_t at = bipe_load64(locator + 8), room = (uint64_t)(locator - a->bytes);
    if (room < END64_SIZE || at > room - END64_SIZE || bipe_load32(a->bytes + at) != 0x06064b50)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: no zip64 end record at byte %" PRIu64, at);
    const uint8_t *end = a->bytes + at;
    if (bipe_load32(end + 16) != 0 || bipe_load32(end + 20) != 0 || bipe_load64(end + 24) != bipe_load64(end + 32))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "zip: an archive in several parts");
    *dir = (directory){.offset = bipe_load64(end + 48), .size = bipe_load64(end + 40), .count = bipe_load64(end + 32)};
    return BIPE_OK;
}

static int read_end(const archive *a, directory *dir, bipe_error *err)
{
    size_t at = find_end(a);
    if (at == SIZE_MAX)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: no end record: the file is cut short or not a zip archive");
    const uint8_t *end = a->bytes + at;
    *dir = (directory){.offset = bipe_load32(end + 16), .size = bipe_load32(end + 12), .count = bipe_load16(end + 10)};
    if (at >= LOCATOR_SIZE && bipe_load32(end - LOCATOR_SIZE) == 0x07064b50) {
        int status = read_end64(a, end - LOCATOR_SIZE, dir, err);
        if (status != BIPE_OK)
            return status;
    } else if (bipe_load16(end + 4) != 0 || bipe_load16(end + 6) != 0 || bipe_load16(end + 8) != dir->count) {
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "zip: an archive in several parts");
    }
    if (dir->offset > at || dir->size > at - dir->offset)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "zip: a directory of %" PRIu64 " bytes at byte %" PRIu64 ", which is not inside the file",
                         dir->size, dir->offset);
    if (dir->count > dir->size / CENTRAL_SIZE)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: %" PRIu64 " entries claimed in a directory of %" PRIu64 " bytes",
                         dir->count, dir->size);
    if (dir->count > ENTRY_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "zip: %" PRIu64 " entries, expected at most %d", dir->count, ENTRY_LIMIT);
    return BIPE_OK;
}

/* Replaces values that are all ones by those of the zip64 extra field, which has them in this order. False when one is
 * missing. */
static bool read_extra64(const uint8_t *extra, size_t size, uint64_t *values[3])
{
    while (size >= 4) {
        size_t field = bipe_load16(extra + 2);
        if (field > size - 4)
            break;
        if (bipe_load16(extra) == 0x0001) {
            const uint8_t *at = extra + 4;
            for (int i = 0; i < 3; i++)
                if (*values[i] == UINT32_MAX) {
                    if (field < 8)
                        return false;
                    *values[i] = bipe_load64(at);
                    at += 8, field -= 8;
                }
            return true;
        }
        extra += 4 + field, size -= 4 + field;
    }
    return *values[0] != UINT32_MAX && *values[1] != UINT32_MAX && *values[2] != UINT32_MAX;
}

static int place_data(const archive *a, bipe_zip_entry *entry, uint64_t offset, const char *quoted, bipe_error *err)
{
    if (offset > a->size || a->size - offset < LOCAL_SIZE || bipe_load32(a->bytes + offset) != 0x04034b50)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: entry '%s': no header at byte %" PRIu64, quoted, offset);
    const uint8_t *local = a->bytes + offset;
    size_t name_size = bipe_load16(local + 26), skip = LOCAL_SIZE + name_size + bipe_load16(local + 28);
    size_t room = a->size - (size_t)offset;
    if (skip > room || name_size != entry->name_size || memcmp(local + LOCAL_SIZE, entry->name, name_size) != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: entry '%s': its header names another", quoted);
    if (entry->size > room - skip)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: entry '%s': %" PRIu64 " bytes, but only %zu are there", quoted,
                         entry->size, room - skip);
    entry->data = local + skip;
    return BIPE_OK;
}

/* Reads the directory's entry at central[0 .. room); *used: its size. */
static int read_entry(const archive *a, const uint8_t *central, size_t room, bipe_zip_entry *entry, size_t *used,
                      bipe_error *err)
{
    if (room < CENTRAL_SIZE || bipe_load32(central) != 0x02014b50)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: the directory is cut short or damaged");
    size_t name_size = bipe_load16(central + 28), extra_size = bipe_load16(central + 30);
    *used = CENTRAL_SIZE + name_size + extra_size + bipe_load16(central + 32);
    if (*used > room)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: the directory is cut short or damaged");
    entry->name = (const char *)central + CENTRAL_SIZE;
    entry->name_size = name_size;
    char quoted[BIPE_QUOTED_SIZE];
    bipe_quoted(quoted, entry->name, name_size);
    uint64_t size = bipe_load32(central + 24), packed = bipe_load32(central + 20), offset = bipe_load32(central + 42);
    uint64_t *values[3] = { &size, &packed, &offset };
    if (!read_extra64(central + CENTRAL_SIZE + name_size, extra_size, values))
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: entry '%s': its zip64 sizes are missing", quoted);
    if ((bipe_load16(central + 8) & 1u) != 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "zip: entry '%s' is encrypted", quoted);
    if (bipe_load16(central + 10) != 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "zip: entry '%s' is compressed (method %u), expected a stored one",
                         quoted, bipe_load16(central + 10));
    if (size != packed)
        return bipe_fail(err, BIPE_ERR_FORMAT, "zip: entry '%s': two sizes, %" PRIu64 " and %" PRIu64, quoted, size,
                         packed);
    entry->size = size;
    return place_data(a, entry, offset, quoted, err);
}

static int compare_entries(const void *a, const void *b)
{
    const bipe_zip_entry *x = a, *y = b;
    return bipe_names_compare(x->name, x->name_size, y->name, y->name_size);
}

int bipe_zip_open(bipe_zip *zip, const uint8_t *bytes, size_t size, bipe_error *err)
{
    *zip = (bipe_zip){0};
    archive a = { bytes, size };
    directory dir = {0};
    int status = read_end(&a, &dir, err);
    if (status != BIPE_OK)
        return status;
    zip->entry = bipe_alloc((size_t)dir.count, sizeof *zip->entry);
    if (zip->entry == NULL)
        return bipe_fail_memory(err);
    const uint8_t *at = bytes + dir.offset;
    size_t room = (size_t)dir.size, used = 0;
    while (status == BIPE_OK && zip->count < dir.count) {
        status = read_entry(&a, at, room, &zip->entry[zip->count], &used, err);
        if (status == BIPE_OK) {
            zip->count++;
            at += used;
            room -= used;
        }
    }
    if (status == BIPE_OK) {
        qsort(zip->entry, zip->count, sizeof *zip->entry, compare_entries);
        for (size_t i = 1; status == BIPE_OK && i < zip->count; i++)
            if (compare_entries(&zip->entry[i - 1], &zip->entry[i]) == 0) {
                char quoted[BIPE_QUOTED_SIZE];
                status = bipe_fail(err, BIPE_ERR_FORMAT, "zip: entry '%s' occurs twice",
                                   bipe_quoted(quoted, zip->entry[i].name, zip->entry[i].name_size));
            }
    }
    if (status != BIPE_OK)
        bipe_zip_close(zip);
    return status;
}

const bipe_zip_entry *bipe_zip_find(const bipe_zip *zip, const char *name, size_t name_size)
{
    const bipe_zip_entry wanted = {.name = name, .name_size = name_size};
    return bsearch(&wanted, zip->entry, zip->count, sizeof wanted, compare_entries);
}

void bipe_zip_close(bipe_zip *zip)
{
    bipe_free(zip->entry);
    *zip = (bipe_zip){0};
}
