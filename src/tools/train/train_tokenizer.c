/* train_tokenizer.c - opens the tokenizer of a training run, and makes it of the texts where that is asked for. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "tools/train/bipe_train.h"
#include "train/make_tokenizer.h"

static int read_for_tokenizer(bipe_train_run *run, bipe_tokenizer_maker *maker, const char *path, bipe_error *err)
{
    bipe_documents *documents;
    bipe_stream_options inputs = {0};
    bipe_inputs_stream(&run->given.inputs, &inputs);
    int status = bipe_stream_documents(&documents, path, &inputs, err);
    if (status != BIPE_OK)
        return status;
    bipe_tool_progress(&run->tool, "bytes", bipe_input_raw_size(bipe_documents_input(documents)));
    while ((status = bipe_documents_next(documents, err)) == BIPE_OK || status == BIPE_ERR_FORMAT) {
        if (status == BIPE_OK)
            status = bipe_tokenizer_maker_read(maker, documents, err);
        if (status == BIPE_ERR_FORMAT) /* reported when the text is read for training */
            continue;
        if (status != BIPE_OK || bipe_interrupted() != 0)
            break;
        bipe_progress_update(&run->tool.progress, path, bipe_input_raw_offset(bipe_documents_input(documents)));
    }
    bipe_documents_close(documents);
    bipe_progress_clear(&run->tool.progress);
    return bipe_interrupted() != 0 ? BIPE_STOPPED : status == BIPE_END ? BIPE_OK : status;
}

static int make_tokenizer(bipe_train_run *run, bipe_files files, const char *path, bipe_error *err)
{
    size_t count = (size_t)run->given.makes_count;
    bool words = run->given.makes == BIPE_MAKES_WORDS;
    bipe_tokenizer_options options = {.pieces = words ? 0 : count, .words = words ? count : 0};
    bipe_tokenizer_maker *maker;
    bipe_tokenizer_facts facts;
    bipe_output *output = NULL;
    struct stat info;
    int status = bipe_tokenizer_maker_open(&maker, &options, err);
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < files.count && status == BIPE_OK; i++)
        if (strcmp(files.path[i], "-") == 0 || (stat(files.path[i], &info) == 0 && S_ISFIFO(info.st_mode)))
            status = bipe_fail(err, BIPE_ERR_ARGUMENT, "%s can be read only once: a tokenizer is made from files",
                               bipe_input_shown(files.path[i]));
    for (size_t i = 0; i < files.count && status == BIPE_OK; i++)
        status = read_for_tokenizer(run, maker, files.path[i], err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, path, err);
    if (status == BIPE_OK) {
        status = bipe_tokenizer_maker_write(maker, output, &facts, err);
        if (status == BIPE_ERR_ARGUMENT)
            bipe_error_prefix(err, "option '--make-tokenizer'");
        if (status == BIPE_OK)
            status = bipe_output_commit(output, err);
        else
            bipe_output_abandon(output);
    }
    bipe_tokenizer_maker_close(maker);
    return status;
}

int bipe_train_open_tokenizer(bipe_train_run *run, bipe_files files, bipe_error *err)
{
    const char *spec = run->tokenizer_spec;
    bool makes = run->given.makes != BIPE_MAKES_NONE, exists = makes && access(spec, F_OK) == 0;
    int status = BIPE_OK;
    if (makes) {
        if (bipe_tokenizer_is_name(spec))
            status = bipe_fail(err, BIPE_ERR_ARGUMENT,
                               "option '--tokenizer': '%s' is the name of a tokenizer, expected the file that "
                               "--make-tokenizer writes",
                               spec);
        else if (!exists && run->ranks.rank == 0)
            status = make_tokenizer(run, files, spec, err);
        bool failed = bipe_ranks_any(&run->ranks, status != BIPE_OK); /* the others wait for the file */
        if (status == BIPE_OK && failed)
            return bipe_fail(err, BIPE_ERR_IO, "%s: could not be made", spec);
    }
    if (status == BIPE_OK)
        status = bipe_tokenizer_open(&run->tokenizer, spec, false, err);
    if (status != BIPE_OK)
        return makes || run->given.tokenizer != NULL
                   ? status
                   : bipe_error_prefix(err, "the model's tokenizer (-t gives another)");
    size_t size = bipe_tokenizer_size(run->tokenizer);
    if (size == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: a tokenizer without a vocabulary, expected one with ids", spec);
    if (exists && run->given.makes == BIPE_MAKES_PIECES && size != run->given.makes_count)
        bipe_tool_note(&run->tool, "%s: already exists and is used: it has %zu pieces, not %" PRIu64, spec, size,
                       run->given.makes_count);
    else if (exists)
        bipe_tool_note(&run->tool, "%s: already exists and is used (delete it to make one of these texts)", spec);
    return BIPE_OK;
}
