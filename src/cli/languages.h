/* languages.h - how many documents are in which language, where segmenters choose one for each (`sentence:auto`). */
#ifndef BIPE_CLI_LANGUAGES_H
#define BIPE_CLI_LANGUAGES_H

#include <jansson.h>

#include "cli/tool.h"
#include "measure/stream.h"

/* Whether the SPEC of a segmenter, which may be NULL, has it choose a language for each document. */
bool bipe_chooses_language(const char *spec);

/* Counts a document for which a segmenter chose this language; "": none fitted; NULL: it does not choose. */
void bipe_language_count(bipe_tool *tool, const char *spec, const char *choice);
/* A document has been read to its end: counts the languages that segmenters chose for it. specs: those of the
 * stream. */
void bipe_languages_count(bipe_tool *tool, const bipe_stream *stream, const char *const *specs);
/* Adds the counts of a part of the run, the member "languages" of its JSON; NULL: it has none. */
void bipe_languages_add(bipe_tool *tool, json_t *counts);

/* {SEGMENTER: {LANGUAGE: documents, ..., "none": documents}, ...}, sorted by names; NULL: nothing was chosen, or out of
 * memory. The caller releases it. */
json_t *bipe_languages(const bipe_tool *tool);

/* A note for each segmenter that chose; once. */
void bipe_languages_note(bipe_tool *tool);

#endif
