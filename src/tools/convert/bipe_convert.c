/* bipe_convert.c - the tool bipe-convert: describes a model, or writes it: as a native file, or for other programs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool.h"
#include "cli/write_model.h"
#include "format/gguf.h"
#include "segment/segment_levels.h"
#include "model/architecture.h"
#include "model/automaton.h"
#include "tools/convert/convert_automaton.h"

/* The tool and the options given. */
typedef struct settings {
    bipe_tool tool;
    const char *output, *segmenter, *tokenizer, *automaton;
    uint64_t length;
    int type; /* index into the mixes; -1: not given */
    int form; /* index into form_names; -1: not given */
    bool json, tensors, list, families;
} settings;

/* The rule of options about what is written. */
#define WRITES "output: it is about a file that is written"

enum { NATIVE, HF, LLAMA };
static const char *const form_names[] = {"native", "hf", "llama", NULL};

/* bipe.segmenter is read into a field of 256 bytes; mixes of types. */
enum { SEGMENTER_LIMIT = 255, TYPE_LIMIT = 32 };

static int check_convert_settings(bipe_tool *tool, const settings *set)
{
    if (set->segmenter != NULL && strlen(set->segmenter) > SEGMENTER_LIMIT)
        return bipe_tool_usage(tool, "option '--segmenter': a SPEC of %zu bytes, expected at most %d",
                               strlen(set->segmenter), SEGMENTER_LIMIT);
    if (set->output != NULL && strcmp(set->output, "-") == 0 && isatty(STDOUT_FILENO))
        return bipe_tool_usage(tool, "a model is not written to a terminal: give a file name with '--output'");
    return BIPE_EXIT_DONE;
}

/* ---- describing ---- */

/* Those that bipe-train does not train. */
static int list_untrained(bipe_output *output, bipe_error *err)
{
    bipe_family_names names;
    int status = bipe_output_printf(output, err, "\nbipe-train --init trains all of them");
    bool any = false;
    for (size_t i = 0; status == BIPE_OK && bipe_family_at(i, &names); i++) {
        bipe_decoder decoder;
        const bipe_hyperparameters hyper = {.decoder = &decoder};
        char lacking[BIPE_LACKING_TEXT];
        bipe_family_decoder(i, &decoder);
        if (bipe_decoder_trains(&hyper, lacking))
            continue;
        status = bipe_output_printf(output, err, "%s %s", any ? "," : " but", names.name);
        any = true;
    }
    return status == BIPE_OK ? bipe_output_printf(output, err, "\n") : status;
}

/* A line for each family. */
static int list_families(bipe_output *output, bipe_error *err)
{
    bipe_family_names names;
    int status = bipe_output_printf(output, err, "%-16s %-12s %-28s %s\n", "FAMILY", "GGUF", "config.json",
                                    "UNLIKE LLAMA");
    for (size_t i = 0; status == BIPE_OK && bipe_family_at(i, &names); i++) {
        const char *about = names.decoder[0] != '\0' ? names.decoder : "-";
        status = bipe_output_printf(output, err, "%-16s %-12s %-28s %s\n", names.name,
                                   names.architecture != NULL ? names.architecture : "-",
                                   names.model_types[0] != '\0' ? names.model_types : "-", about);
    }
    return status == BIPE_OK ? list_untrained(output, err) : status;
}

/* source: NULL for a list of models, or of families. */
static void describe_source(bipe_tool *tool, const settings *set, convert_source *source)
{
    bipe_error err = {0};
    /* A tokenizer that cannot be used is an error; the rest is reported anyway. */
    if (source != NULL && source->tokenizer_kind[0] != '\0' &&
        convert_source_tokenizer(source, tool, NULL, &err) != BIPE_OK)
        bipe_tool_error(tool, &err);
    bipe_output *output;
    int status = bipe_output_open(&output, NULL, &err);
    if (status == BIPE_OK && source == NULL)
        status = set->families ? list_families(output, &err) : convert_list(output, &err);
    else if (status == BIPE_OK && set->json)
        convert_describe_json(&set->tool, source, set->tensors, output);
    else if (status == BIPE_OK)
        convert_describe(&set->tool, source, set->tensors, output);
    bipe_tool_end(tool, status, &output, &err);
}

/* ---- writing ---- */

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    bipe_tool *tool = context;
    tool->progress.total = total;
    bipe_progress_update(&tool->progress, "writing", done);
}

/* A SPEC that nobody could open later must not be stored. */
static int check_segmenter(const char *spec, bipe_error *err)
{
    size_t levels;
    return bipe_levels_count(&levels, spec, err);
}

/* Keys about its training, from one native file to another. */
static int keep_training(const bipe_model *model, bipe_gguf_writer *writer, bipe_error *err)
{
    bipe_gguf_writer *keys = NULL;
    int status = bipe_model_gguf(model) != NULL
                     ? bipe_gguf_copy_keys(&keys, bipe_model_gguf(model), BIPE_TRAINING_PREFIX, err)
                     : BIPE_OK;
    if (status == BIPE_OK && keys != NULL)
        bipe_gguf_set_keys(writer, keys);
    bipe_gguf_writer_close(keys);
    return status;
}

static int write_gguf(bipe_tool *tool, const settings *set, const convert_source *source, const bipe_mix *mix,
                      bipe_error *err)
{
    bipe_gguf_writer *writer;
    int status = bipe_gguf_writer_open(&writer, err);
    if (status != BIPE_OK)
        return status;
    bipe_tensor_list *list = bipe_gguf_tensor_list(writer);
    list->progress = show_progress;
    list->progress_context = tool;
    status =
        set->form == LLAMA
            ? bipe_write_model_fill_llama(source->model, mix, source->name, source->tokenizer, writer, err)
            : bipe_write_model_fill(source->model, mix, source->name, source->tokenizer, set->segmenter, writer, err);
    if (status == BIPE_OK && set->form != LLAMA)
        status = keep_training(source->model, writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write(writer, set->output, err);
    bipe_gguf_writer_close(writer);
    return status;
}

static int write_model(bipe_tool *tool, const settings *set, convert_source *source, bipe_error *err)
{
    const bipe_tool_output output = {"output", set->output};
    const bipe_files read[] = {{&set->tokenizer, 1}, {&set->automaton, 1}}; /* the model may be written anew */
    int status = bipe_tool_check_outputs(&output, 1, read, 2, err);
    if (status == BIPE_OK && set->segmenter != NULL)
        status = check_segmenter(set->segmenter, err);
    if (status == BIPE_OK && (set->tokenizer != NULL || source->tokenizer_kind[0] != '\0')) {
        status = convert_source_tokenizer(source, tool, set->tokenizer, err);
        if (status != BIPE_OK && set->tokenizer == NULL) {
            bipe_error_prefix(err, "the model's tokenizer (-t gives another)");
            return err->status = status == BIPE_ERR_ARGUMENT ? BIPE_ERR_FORMAT : (bipe_status)status;
        }
    }
    if (status != BIPE_OK)
        return status;
    if (source->tokenizer == NULL && set->form == LLAMA)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: has no tokenizer, which llama.cpp needs (-t gives one)",
                         source->path);
    if (source->tokenizer == NULL)
        bipe_tool_note(tool, "%s: has no tokenizer, so that '%s' will have none (-t gives one)", source->path,
                       set->output);
    const bipe_mix *mix = set->type >= 0                       ? bipe_mix_at((size_t)set->type)
                          : bipe_model_gguf(source->model) == NULL ? bipe_mix_of(source->dtype)
                                                                   : NULL;
    bipe_dtype dtype = mix != NULL ? mix->main : source->dtype;
    bipe_tool_progress(tool, "bytes", 0);
    if (set->form == HF && bipe_dtype_of(dtype)->config == NULL)
        dtype = BIPE_F32; /* which holds its values */
    status = set->form == HF
                 ? convert_folder_write(source, dtype, set->segmenter, set->output, show_progress, tool, err)
                 : write_gguf(tool, set, source, mix, err);
    if (status == BIPE_ERR_UNSUPPORTED && (set->form == HF || set->form == LLAMA))
        bipe_error_prefix(err, "%s: cannot be written for %s", source->path,
                          set->form == HF ? "transformers" : "llama.cpp");
    bipe_progress_clear(&tool->progress);
    if (status == BIPE_OK && set->form == HF && !bipe_model_is_common(source->model))
        bipe_tool_note(
            tool,
            "%s: the position scheme is bipe's own: transformers would compute a different model with this folder",
            set->output);
    return status;
}

static int run_convert(void *context, const bipe_texts *operands)
{
    settings *set = context;
    bipe_tool *tool = &set->tool;
    if (check_convert_settings(tool, set) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    if (set->list || set->families) {
        describe_source(tool, set, NULL);
        return tool->status;
    }
    bipe_error err = {0};
    convert_source source = {.path = ""};
    if ((set->automaton != NULL ? convert_automaton_open(&source, set->automaton, (size_t)set->length, &err)
                                : convert_source_open(&source, operands->text[0], &err)) != BIPE_OK)
        bipe_tool_error(tool, &err);
    else if (set->output == NULL)
        describe_source(tool, set, &source);
    else if (write_model(tool, set, &source, &err) != BIPE_OK)
        bipe_tool_open_error(tool, &err);
    convert_source_close(&source);
    return tool->status;
}

int main(int argc, char **argv)
{
    settings set = {.type = -1, .form = -1, .length = 255};
    const char *type_names[TYPE_LIMIT + 1] = {NULL};
    for (size_t i = 0; i < TYPE_LIMIT && bipe_mix_at(i) != NULL; i++)
        type_names[i] = bipe_mix_at(i)->name;
    bipe_tool_start(&set.tool, "bipe-convert");
    const bipe_option table[] = {
        {'o', "output", BIPE_OPTION_TEXT, &set.output, "FILE", .group = "Writing", .must = "tokenizer? " WRITES,
         .help = "write the model to FILE (with --to hf, a folder), which appears complete or not at all; without it, "
                 "MODEL is described"},
        {0, "to", BIPE_OPTION_CHOICE, &set.form, "FORM", .choices = form_names, .needs = WRITES,
         .excludes = "to=hf? output=-: a folder is written",
         .help = "what is written: native, a file for bipe (default); hf, a folder as transformers reads it; llama, a "
                 "GGUF file for llama.cpp"},
        {0, "type", BIPE_OPTION_CHOICE, &set.type, "TYPE", .choices = type_names, .needs = WRITES,
         .excludes = "type!=f32|f16|bf16? to=hf: a Hugging Face folder holds f32, f16 or bf16",
         .help = "the number type of matrices, or a mix of types as llama-quantize makes it; vectors are f32, and rows "
                 "that blocks cannot hold fall back to smaller blocks or f16; default: the types that MODEL has"},
        {'s', "segmenter", BIPE_OPTION_TEXT, &set.segmenter, "SPEC", .needs = WRITES,
         .excludes = "to=llama: a file of llama.cpp has no segmenter", .words = bipe_segmenter_words,
         .help = "what ends a segment by default: " BIPE_SEGMENTERS_HELP "; default: MODEL's"},
        BIPE_OPTION_ROW_TOKENIZER(&set.tokenizer, "MODEL's"),
        {0, "automaton", BIPE_OPTION_TEXT, &set.automaton, "FILE", .no_model = true, .needs = WRITES,
         .excludes = "MODEL tokenizer segmenter: the model is built", .about = BIPE_ABOUT_FILE,
         .help = "instead of reading a model, build one that runs the two-level automaton that this JSON file "
                 "describes, as Theorem 3.2 of the BiPE paper does"},
        {0, "length", BIPE_OPTION_SIZE, &set.length, "N", .minimum = 1, .maximum = BIPE_AUTOMATON_LENGTH,
         .needs = "automaton",
         .help = "tokens of the longest text that it runs on, after BOS; default: 255"},
        {0, "tensors", BIPE_OPTION_FLAG, &set.tensors, .group = "Describing",
         .excludes = "output: a model is either described or written",
         .help = "also list the tensors: name, type, shape, bytes"},
        {0, "list", BIPE_OPTION_FLAG, &set.list, .no_model = true,
         .excludes = "MODEL output json tensors: only names are listed",
         .help = "list the installed models; each name can be used as a MODEL"},
        {0, "families", BIPE_OPTION_FLAG, &set.families, .no_model = true,
         .excludes = "MODEL output json tensors list: only families are listed",
         .help = "list the families of models that are read, with their names in GGUF files and in config.json"},
        {0, "json", BIPE_OPTION_FLAG, &set.json, .excludes = "output: a model is either described or written",
         .help = "describe as JSON"},
        BIPE_OPTION_ROWS_RUNNING(&set.tool, ""),
    };
    const bipe_options options = {
        .tool = "bipe-convert",
        .summary = "describe a language model, or write it as a file for bipe or for other programs",
        .usage = "[OPTION...] MODEL | --automaton FILE -o FILE | --list | --families",
        .description =
            "Reads and checks a model and describes it. With --output, writes it as a native file: weights, tokenizer, "

            "segmenter and position scheme in one; or, with --to, for transformers or llama.cpp. Nothing in a model is "
            "ever executed.",
        .option = table,
        .option_count = sizeof table / sizeof table[0],
        .model_operand = true,
        .min_operands = 1,
        .max_operands = 1,
        .operand_help = "MODEL is a native file, a GGUF file, a Hugging Face folder of a family that --families lists, "
                        "or the name of an installed model such as default; --list names those that are installed",
    };
    return bipe_tool_run(&set.tool, &options, argc, argv, run_convert, &set);
}
