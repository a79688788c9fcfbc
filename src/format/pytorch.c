/* pytorch.c - tensors of a file that torch.save() wrote: a zip archive FOLDER/data.pkl, FOLDER/data/KEY. Joins what
 * pickle.c describes and what zip.c finds, and checks that they fit.
 *
 * Layout: torch/serialization.py, since PyTorch 1.6. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "format/pickle.h"
#include "format/readers.h"
#include "format/zip.h"

enum { FOLDER_LIMIT = 256, KEY_LIMIT = 64 };

typedef struct reader {
    bipe_tensor_table *table;
    bipe_names *names;
    bipe_zip zip;
    const char *folder; /* with its slash */
    size_t folder_size;
} reader;

/* The entry FOLDER/NAME, or NULL. */
static const bipe_zip_entry *find_zip_entry(const reader *r, const char *name, size_t name_size)
{
    char path[FOLDER_LIMIT + KEY_LIMIT + 16];
    if (r->folder_size + name_size > sizeof path)
        return NULL;
    memcpy(path, r->folder, r->folder_size);
    memcpy(path + r->folder_size, name, name_size);
    return bipe_zip_find(&r->zip, path, r->folder_size + name_size);
}

/* Row-major without gaps; the stride of a dimension of 1 says nothing. */
static bool is_contiguous(const bipe_pickle_tensor *t)
{
    uint64_t want = 1;
    for (int i = t->dims - 1; i >= 0; i--) {
        if (t->shape[i] == 0)
            return true;
        if (t->shape[i] != 1 && t->stride[i] != want)
            return false;
        want *= t->shape[i];
    }
    return true;
}

static int place_tensor(const reader *r, const bipe_pickle_tensor *t, bipe_tensor *tensor, bipe_error *err)
{
    char name[KEY_LIMIT + 8] = "data/", quoted[BIPE_QUOTED_SIZE];
    int status = bipe_tensor_data_size(t->dtype, t->dims, t->shape, &tensor->size, err);
    if (status != BIPE_OK)
        return status;
    uint64_t item_size = bipe_dtype_of(t->dtype)->bytes, items = tensor->size / item_size;
    if (!is_contiguous(t))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "its values are not in the order of its shape (a transposed or cut view), "
                         "expected a contiguous tensor");
    bipe_quoted(quoted, t->storage, t->storage_size);
    const bipe_zip_entry *entry = NULL;
    if (t->storage_size <= KEY_LIMIT) {
        memcpy(name + 5, t->storage, t->storage_size);
        entry = find_zip_entry(r, name, 5 + t->storage_size);
    }
    if (entry == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "its storage 'data/%s' is not in the archive", quoted);
    if (t->storage_items > entry->size / item_size)
        return bipe_fail(err, BIPE_ERR_FORMAT, "its storage '%s' of %" PRIu64 " values has only %" PRIu64 " bytes",
                         quoted, t->storage_items, entry->size);
    if (t->offset > t->storage_items || items > t->storage_items - t->offset)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "%" PRIu64 " values from number %" PRIu64 ", but its storage '%s' has only %" PRIu64, items,
                         t->offset, quoted, t->storage_items);
    tensor->data = entry->data + t->offset * item_size;
    return BIPE_OK;
}

static int add_tensor(void *context, const bipe_pickle_tensor *t, bipe_error *err)
{
    reader *r = context;
    char quoted[BIPE_QUOTED_SIZE];
    bipe_quoted(quoted, t->name, t->name_size);
    if (!bipe_name_is_plain(t->name, t->name_size))
        return bipe_fail(err, BIPE_ERR_FORMAT, "tensor '%s': its name is empty or holds control characters", quoted);
    bipe_tensor tensor = { .dtype = t->dtype, .dims = t->dims };
    const bipe_dtype_row *row = bipe_dtype_of(t->dtype);
    tensor.dtype_name = row->read != NULL ? row->name : row->storage;
    memcpy(tensor.shape, t->shape, sizeof tensor.shape);
    int status = place_tensor(r, t, &tensor, err);
    if (status != BIPE_OK) {
        bipe_error_prefix(err, "tensor '%s'", quoted);
        return status;
    }
    tensor.name = bipe_names_copy(r->names, t->name, t->name_size);
    if (tensor.name == NULL)
        return bipe_fail_memory(err);
    return bipe_table_add(r->table, &tensor, err);
}

/* The folder is named after the file, or "archive": it is where data.pkl is. */
static const bipe_zip_entry *find_pickle(reader *r)
{
    static const char ending[] = "/data.pkl";
    const size_t size = sizeof ending - 1;
    for (size_t i = 0; i < r->zip.count; i++) {
        const bipe_zip_entry *entry = &r->zip.entry[i];
        if (entry->name_size <= size || entry->name_size > FOLDER_LIMIT)
            continue;
        size_t folder = entry->name_size - size;
        if (memcmp(entry->name + folder, ending, size) == 0 && memchr(entry->name, '/', folder) == NULL) {
            r->folder = entry->name;
            r->folder_size = folder + 1;
            return entry;
        }
    }
    return NULL;
}

static int read_archive(reader *r, bipe_error *err)
{
    const bipe_zip_entry *pickle = find_pickle(r);
    if (pickle == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "a zip archive without FOLDER/data.pkl, which PyTorch would have written");
    const bipe_zip_entry *order = find_zip_entry(r, "byteorder", 9);
    if (order != NULL && (order->size != 6 || memcmp(order->data, "little", 6) != 0))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "its byte order is not \"little\"");
    size_t before = r->table->count;
    int status = bipe_pickle_read(pickle->data, (size_t)pickle->size, add_tensor, r, err);
    if (status == BIPE_OK && r->table->count == before)
        return bipe_fail(err, BIPE_ERR_FORMAT, "there is no tensor in its dict, expected a state dict");
    return status;
}

int bipe_pytorch_read(bipe_tensor_table *table, bipe_names *names, const uint8_t *bytes, size_t size, bipe_error *err)
{
    /* The pickled long 0x1950A86A20F9469CFC6C. */
    static const uint8_t old[] = { 0x8A, 0x0A, 0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19 };
    if (size >= 2 + sizeof old && bytes[0] == 0x80 && memcmp(bytes + 2, old, sizeof old) == 0)
        return bipe_fail(
            err, BIPE_ERR_UNSUPPORTED,
            "the format of PyTorch before 1.6, expected a zip archive: load and save it with a newer PyTorch, "
            "or convert it to safetensors");
    reader r = { .table = table, .names = names };
    int status = bipe_zip_open(&r.zip, bytes, size, err);
    if (status == BIPE_OK)
        status = read_archive(&r, err);
    bipe_zip_close(&r.zip);
    return status;
}
