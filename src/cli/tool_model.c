/* tool_model.c - see tool_model.h. In a file of its own: tools without models do not link them. */
#include "cli/tool_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run_record.h"
#include "nn/cpu.h"

const char *const bipe_precision_words[] = {"f32", "bf16", NULL};
const char *const bipe_window_precision_words[] = {"f32", "bf16", "int16", NULL};

void bipe_tool_kernels(bipe_tool *tool)
{
    const char *wanted = getenv("BIPE_KERNELS");
    char names[128] = "";
    tool->kernels = nn_cpu_name(nn_cpu_best());
    if (wanted == NULL || wanted[0] == '\0' || strcmp(wanted, tool->kernels) == 0)
        return;
    for (size_t i = 0, used = 0; i < nn_cpu_count() && used < sizeof names; i++)
        if (nn_cpu_at(i) != NULL)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                                     nn_cpu_name(nn_cpu_at(i)));
    bipe_tool_note(tool, "BIPE_KERNELS: this machine has no kernels '%s', expected one of %s; %s is used", wanted,
                   names, tool->kernels);
}

int bipe_tool_hint_model(int status, bipe_error *err)
{
    if (status == BIPE_ERR_FORMAT && strstr(err->text, ": not a model, ") != NULL)
        strncat(err->text, "; FILEs come after MODEL", sizeof err->text - 1 - strlen(err->text));
    return status;
}

int bipe_tool_check_vocabulary(bipe_tool *tool, const bipe_tokenizer *tokenizer, size_t vocabulary, bipe_error *err)
{
    int status = bipe_tokenizer_suits(tokenizer, vocabulary, err);
    size_t size = bipe_tokenizer_size(tokenizer);
    if (status == BIPE_OK && tool != NULL && size < vocabulary)
        bipe_tool_note(tool, "%s: has %zu tokens, the model %zu: was the model trained with another tokenizer?",
                       bipe_tokenizer_spec(tokenizer), size, vocabulary);
    return status;
}

int bipe_tool_tokenizer(bipe_tool *tool, bipe_tokenizer **tokenizer, const char *spec, bool special, const char *path,
                        size_t vocabulary, const char *otherwise, bipe_error *err)
{
    const char *name = spec != NULL ? spec : path;
    int status = bipe_tokenizer_open(tokenizer, name, special, err);
    if (status != BIPE_OK)
        return spec != NULL ? status : bipe_error_prefix(err, "the model's tokenizer (-t gives another)");
    if (spec != NULL)
        status = bipe_tool_check_vocabulary(tool, *tokenizer, vocabulary, err);
    size_t leading = bipe_tokenizer_leading(*tokenizer);
    if (status == BIPE_OK && leading > 1 && otherwise != NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "%s: documents start with %zu special tokens, expected at most one%s", name, leading,
                         otherwise);
    return status;
}

void bipe_tool_note_ends(bipe_tool *tool, const bipe_tokenizer *tokenizer)
{
    int64_t id;
    const char *file = bipe_tokenizer_stray_end(tokenizer, &id);
    if (file != NULL)
        bipe_tool_note(tool, "%s: eos_token_id %" PRId64 " of %s ends no text: the vocabulary has %zu tokens",
                       bipe_tokenizer_spec(tokenizer), id, file, bipe_tokenizer_size(tokenizer));
}

int bipe_tool_scheme(bipe_tool *tool, const char *scheme, bipe_scheme *parsed, const char *scaling,
                     bipe_rope_scaling *parsed_scaling)
{
    bipe_error err;
    if (scheme != NULL && bipe_scheme_parse(parsed, scheme, &err) != BIPE_OK)
        return bipe_tool_usage(tool, "option '--scheme': %s", err.text);
    if (scaling != NULL && bipe_rope_scaling_parse(parsed_scaling, scaling, &err) != BIPE_OK)
        return bipe_tool_usage(tool, "option '--rope-scaling': %s", err.text);
    return BIPE_EXIT_DONE;
}

void bipe_run_in_force_model(bipe_tool *tool, const bipe_scheme *scheme, const bipe_rope_scaling *scaling,
                             const char *segmenter)
{
    char text[BIPE_SCALING_TEXT > 256 ? BIPE_SCALING_TEXT : 256];
    bipe_run_in_force_text(tool, "scheme", bipe_scheme_format(scheme, text));
    bipe_run_in_force_text(tool, "rope-scaling", bipe_rope_scaling_format(scaling, text));
    bipe_run_in_force_text(tool, "segmenter", segmenter);
}
