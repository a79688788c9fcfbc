/* languages.c - counts the languages that segmenters chose; see languages.h. */
#include "cli/languages.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/tool_alloc.h"
#include "segment/segment_levels.h"
#include "text/sentence_language.h"

#define MOST ((json_int_t)1 << 53) /* documents that a part of a run can have */

static const char none[] = "none"; /* no language fitted */

static bool is_auto(const char *spec)
{
    static const char sentence[] = "sentence:";
    return strncmp(spec, sentence, sizeof sentence - 1) == 0 && bipe_sentence_is_auto(spec + sizeof sentence - 1);
}

bool bipe_chooses_language(const char *spec)
{
    if (spec == NULL || strchr(spec, '/') == NULL)
        return spec != NULL && is_auto(spec);
    bipe_levels levels;
    bipe_error unused;
    bool found = false;
    bipe_levels_open(&levels, spec, &unused);
    for (size_t i = 0; i < levels.count; i++)
        found = found || is_auto(bipe_segmentation_spec(levels.segmentation[i]));
    bipe_levels_close(&levels);
    return found;
}

static void add_documents(bipe_tool *tool, const char *spec, const char *language, json_int_t count)
{
    if (tool->languages == NULL)
        tool->languages = bipe_tool_need(json_object());
    json_t *own = json_object_get(tool->languages, spec);
    if (own == NULL)
        json_object_set_new(tool->languages, spec, own = bipe_tool_need(json_object()));
    json_t *known = json_object_get(own, language);
    if (known != NULL)
        json_integer_set(known, json_integer_value(known) + count);
    else
        json_object_set_new(own, language, bipe_tool_need(json_integer(count)));
}

void bipe_language_count(bipe_tool *tool, const char *spec, const char *choice)
{
    if (choice != NULL)
        add_documents(tool, spec, *choice != '\0' ? choice : none, 1);
}

void bipe_languages_count(bipe_tool *tool, const bipe_stream *stream, const char *const *specs)
{
    for (size_t i = 0; i < bipe_stream_options_of(stream)->spec_count; i++)
        bipe_language_count(tool, specs[i], bipe_stream_choice(stream, i));
}

void bipe_languages_add(bipe_tool *tool, json_t *counts)
{
    const char *spec, *language;
    json_t *own, *count;
    json_object_foreach(counts, spec, own)
        json_object_foreach(own, language, count)
            if (json_integer_value(count) > 0 && json_integer_value(count) < MOST)
                add_documents(tool, spec, language, json_integer_value(count));
}

/* The same members, by names. */
static json_t *sort_object(json_t *object)
{
    char *text = json_dumps(object, JSON_SORT_KEYS | JSON_COMPACT);
    json_t *sorted = text != NULL ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return sorted;
}

json_t *bipe_languages(const bipe_tool *tool)
{
    return tool->languages != NULL ? sort_object(tool->languages) : NULL;
}

void bipe_languages_note(bipe_tool *tool)
{
    const char *spec, *language;
    json_t *own, *count, *all = !tool->languages_noted ? bipe_languages(tool) : NULL;
    json_object_foreach(all, spec, own) {
        bipe_buffer line = {0};
        json_object_foreach(own, language, count) {
            bool plain = strcmp(language, none) == 0;
            bipe_buffer_printf(&line, NULL, "%s%s%s: %" JSON_INTEGER_FORMAT, line.size != 0 ? ", " : "", language,
                               plain ? " (plain rules)" : "", json_integer_value(count));
        }
        if (line.size != 0)
            bipe_tool_note(tool, "segmenter '%s': documents by language: %s", spec, (const char *)line.data);
        bipe_buffer_free(&line);
    }
    json_decref(all);
    tool->languages_noted = true;
}
