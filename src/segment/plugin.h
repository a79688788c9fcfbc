/* plugin.h - loads a segmenter from a shared object and checks its description. */
#ifndef BIPE_SEGMENT_PLUGIN_H
#define BIPE_SEGMENT_PLUGIN_H

#include <stdbool.h>

#include "base/status.h"
#include <bipe/segmenter.h>

typedef struct bipe_plugin bipe_plugin;

/* Loads the shared object at `path`. BIPE_ERR_IO: it cannot be read; BIPE_ERR_FORMAT: it is no plug-in, or one for
 * another version of the interface; BIPE_ERR_MEMORY. Error texts start with the path. */
int bipe_plugin_open(bipe_plugin **plugin, const char *path, bipe_error *err);

/* Looks for NAME.so in the folders of BIPE_SEGMENTER_PATH (colon-separated; empty names are skipped), then in the
 * installed folder, and opens the first one found. BIPE_ERR_ARGUMENT: there is none; the text lists the folders.
 * Otherwise as bipe_plugin_open(). name: valid. */
int bipe_plugin_find(bipe_plugin **plugin, const char *name, bipe_error *err);

/* The description; it lives until the plug-in is closed. */
const bipe_segmenter *bipe_plugin_segmenter(const bipe_plugin *plugin);

/* Unloads it, after all its states have been closed; NULL is allowed. */
void bipe_plugin_close(bipe_plugin *plugin);

/* Whether a name is valid: one or more ASCII letters, digits, '-', '_'. */
bool bipe_segmenter_name_is_valid(const char *name, size_t size);

#endif
