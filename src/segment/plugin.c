/* plugin.c - finds, loads and checks segmenters from shared objects. Does not run them. */
#include "segment/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/installed.h"

struct bipe_plugin {
    void *handle;
    const bipe_segmenter *segmenter;
};

bool bipe_segmenter_name_is_valid(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'))
            return false;
    }
    return size != 0;
}

/* Checks of a description that do not run it. */
static int check_description(const bipe_segmenter *segmenter, const char *path, bipe_error *err)
{
    if (segmenter->abi != BIPE_SEGMENTER_ABI)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: made for version %u of the segmenter interface, this is version %u",
                         path, (unsigned)segmenter->abi, BIPE_SEGMENTER_ABI);
    if (segmenter->reserved != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: reserved is %u, expected 0", path, (unsigned)segmenter->reserved);
    if (segmenter->name == NULL || !bipe_segmenter_name_is_valid(segmenter->name, strlen(segmenter->name)))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: the segmenter has no name made of letters, digits, '-' and '_'",
                         path);
    if ((segmenter->bytes == NULL) == (segmenter->tokens == NULL))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %s of the functions bytes and tokens are set, expected one",
                         path, segmenter->bytes == NULL ? "none" : "both");
    return BIPE_OK;
}

int bipe_plugin_open(bipe_plugin **plugin, const char *path, bipe_error *err)
{
    *plugin = NULL;
    struct stat info;
    if (stat(path, &info) != 0)
        return bipe_fail(err, BIPE_ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return bipe_fail(err, BIPE_ERR_IO, "%s: not a regular file, expected a segmenter plug-in", path);

    bipe_plugin *made = bipe_alloc(1, sizeof *made);
    /* A path without a slash would be looked for in the system's library folders. */
    size_t size = strlen(path);
    char *full = bipe_alloc(size + 3, 1);
    if (made == NULL || full == NULL) {
        bipe_free(made);
        bipe_free(full);
        return bipe_fail_memory(err);
    }
    if (strchr(path, '/') == NULL)
        memcpy(full, "./", 2);
    memcpy(full + strlen(full), path, size + 1);

    int status = BIPE_OK;
    made->handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    if (made->handle == NULL) {
        const char *why = dlerror();
        if (why != NULL && strncmp(why, full, strlen(full)) == 0 && why[strlen(full)] == ':')
            why += strlen(full) + 1 + (why[strlen(full) + 1] == ' ');
        status =
            bipe_fail(err, BIPE_ERR_FORMAT, "%s: cannot be loaded: %s", path, why != NULL ? why : "unknown reason");
    } else {
        made->segmenter = dlsym(made->handle, BIPE_SEGMENTER_SYMBOL);
        if (made->segmenter == NULL)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: not a segmenter plug-in: it does not define %s", path,
                               BIPE_SEGMENTER_SYMBOL);
        else
            status = check_description(made->segmenter, path, err);
    }
    bipe_free(full);
    if (status != BIPE_OK) {
        bipe_plugin_close(made);
        return status;
    }
    *plugin = made;
    return BIPE_OK;
}

/* Sets *path to FOLDER/NAME.so; *there: the file exists. */
static int try_folder(bipe_buffer *path, const char *folder, size_t size, const char *name, bool *there,
                      bipe_error *err)
{
    path->size = 0;
    int status = bipe_buffer_append(path, folder, size, err);
    if (status == BIPE_OK)
        status = bipe_buffer_printf(path, err, "/%s.so", name);
    if (status != BIPE_OK)
        return status;
    struct stat info;
    *there = stat((const char *)path->data, &info) == 0;
    return BIPE_OK;
}

int bipe_plugin_find(bipe_plugin **plugin, const char *name, bipe_error *err)
{
    *plugin = NULL;
    bipe_buffer path = {0}, looked = {0};
    bool there = false;
    int status = BIPE_OK;
    const char *folder = getenv("BIPE_SEGMENTER_PATH");
    while (folder != NULL && *folder != '\0' && status == BIPE_OK && !there) {
        size_t size = strcspn(folder, ":");
        if (size != 0) {
            status = try_folder(&path, folder, size, name, &there, err);
            if (status == BIPE_OK)
                status = bipe_buffer_append(&looked, folder, size, err);
            if (status == BIPE_OK)
                status = bipe_buffer_append(&looked, ", ", 2, err);
        }
        folder += size;
        folder += *folder == ':';
    }
    char installed[BIPE_INSTALLED_SIZE];
    if (status == BIPE_OK && !there) {
        bipe_installed_folder(BIPE_INSTALLED_SEGMENTERS, installed);
        status = try_folder(&path, installed, strlen(installed), name, &there, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(&looked, installed, strlen(installed) + 1, err);
    }
    if (status == BIPE_OK && there)
        status = bipe_plugin_open(plugin, (const char *)path.data, err);
    else if (status == BIPE_OK)
        status = bipe_fail(err, BIPE_ERR_ARGUMENT, "no %s.so in %s", name, (const char *)looked.data);
    bipe_buffer_free(&path);
    bipe_buffer_free(&looked);
    return status;
}

const bipe_segmenter *bipe_plugin_segmenter(const bipe_plugin *plugin)
{
    return plugin->segmenter;
}

void bipe_plugin_close(bipe_plugin *plugin)
{
    if (plugin == NULL)
        return;
    if (plugin->handle != NULL)
        dlclose(plugin->handle);
    bipe_free(plugin);
}
