/* tool_members.c - counts documents without a member, and names the members that there are. */
#include "cli/tool.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/input.h"

enum { LINE_MOST = 1 << 20, AT_ONCE = 1 << 14, NAMES_SIZE = 400 };

void bipe_member_see(bipe_member_use *use, bool there, size_t index, const char *path)
{
    use->documents++;
    if (!there && (use->without++ == 0 || index < use->index)) {
        use->index = index;
        use->path = path;
    }
}

void bipe_member_add(bipe_member_use *into, const bipe_member_use *from)
{
    if (from->without != 0 && (into->without == 0 || from->index < into->index)) {
        into->index = from->index;
        into->path = from->path;
    }
    into->documents += from->documents;
    into->without += from->without;
}

/* "id", "meta.kind", as far as they fit. */
static void list_names(json_t *object, const char *outer, char names[NAMES_SIZE])
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        size_t used = strlen(names);
        if (json_is_object(value) && outer[0] == '\0') {
            list_names(value, name, names);
            continue;
        }
        size_t size = strlen(outer) + strlen(name) + 6;
        if (used + size + 4 > NAMES_SIZE) {
            if (used < 4 || strcmp(names + used - 3, "...") != 0)
                snprintf(names + used, NAMES_SIZE - used, "%s...", used != 0 ? ", " : "");
            return;
        }
        snprintf(names + used, NAMES_SIZE - used, "%s\"%s%s%s\"", used != 0 ? ", " : "", outer,
                 outer[0] != '\0' ? "." : "", name);
    }
}

/* The members of the first record of a file; nothing where it is standard input, has no records, or has a very long
 * first one. */
static void name_members(const char *path, char names[NAMES_SIZE])
{
    bipe_buffer line = {0};
    bipe_input *input = NULL;
    bipe_error unused;
    const uint8_t *end = NULL;
    size_t size = 1;
    int status = strcmp(path, "-") != 0 ? bipe_input_open(&input, path, &unused) : BIPE_ERR_IO;
    while (status == BIPE_OK && size != 0 && end == NULL && line.size < LINE_MOST &&
           (status = bipe_buffer_reserve(&line, AT_ONCE, &unused)) == BIPE_OK) {
        status = bipe_input_read(input, line.data + line.size, AT_ONCE, &size, &unused);
        end = status == BIPE_OK && size != 0 ? memchr(line.data + line.size, '\n', size) : NULL;
        line.size += status == BIPE_OK ? size : 0;
    }
    json_t *record =
        status == BIPE_OK && line.size != 0
            ? json_loadb((const char *)line.data, end != NULL ? (size_t)(end - line.data) : line.size, 0, NULL)
            : NULL;
    list_names(record, "", names);
    json_decref(record);
    bipe_input_close(input);
    bipe_buffer_free(&line);
}

void bipe_member_note(bipe_tool *tool, const bipe_member_use *use)
{
    static const char what[] = "that is a string, number, true or false";
    char names[NAMES_SIZE] = "", quoted[NAMES_SIZE];
    if (use->option == NULL || use->without == 0)
        return;
    if (use->without == use->documents)
        name_members(use->path, names);
    snprintf(quoted, sizeof quoted, "\"%.300s\"", use->name);
    /* The first record may be of another shard, or have null there. */
    if (use->without < use->documents || (!use->needed && strstr(names, quoted) != NULL)) {
        bipe_tool_note(tool, "%s: %" PRIu64 " of %" PRIu64 " documents %s no member \"%.100s\" %s", use->option,
                       use->without, use->documents, use->without == 1 ? "has" : "have", use->name, what);
        return;
    }
    bipe_error err;
    bipe_fail(&err, BIPE_ERR_ARGUMENT, "%s: no document has a member \"%.100s\" %s%s%s%s", use->option, use->name, what,
              use->hint != NULL ? use->hint : "", names[0] != '\0' ? "; the first record has " : "", names);
    if (use->needed)
        bipe_tool_error(tool, &err);
    else
        bipe_tool_note(tool, "%s", err.text);
}
