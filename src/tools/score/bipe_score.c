/* bipe_score.c - losses and perplexity of a model on texts: the option table and what options ask for together.
 * The work is done by the files beside this one. */
#include <stdio.h>

#include "cli/clusters.h"
#include "cli/power.h"
#include "tools/score/bipe_score.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char description[] = "Runs a language model over texts and prints its loss and perplexity. MODEL is a "
                                  "file or folder with a model, or the name of an "
                                  "installed one, such as default. The documents of each FILE, each after the "
                                  "tokenizer's BOS, are joined and cut into windows "
                                  "of each length. The first token of a window is its context; the others are scored.";

/* Parses scheme and scaling, and checks lengths and operands. BIPE_EXIT_USAGE and a line, or BIPE_EXIT_DONE. */
static int check_score_options(bipe_score_run *run, const bipe_texts *operands)
{
    const bipe_score_options *given = &run->given;
    for (size_t i = 0; i < given->lengths.count; i++)
        if (run->setup.rules.protocol == BIPE_PROTOCOL_LLAMA_CPP && given->lengths.value[i] < 4)
            return bipe_tool_usage(&run->tool, "option '--length': %llu tokens have no second half to score, as "
                                   "'--protocol llama.cpp' does", (unsigned long long)given->lengths.value[i]);
    if (run->setup.divergence && run->setup.group != NULL && given->resume != NULL)
        return bipe_tool_usage(&run->tool, "option '--resume': not with '--divergence' and '--group' together: the "
                               "journal does not keep divergences by group");
    bipe_score_key_setup *key = &run->setup.key;
    key->wanted = (given->key_tokens != NULL || key->spans != NULL) && given->ladder.count == 0;
    if (given->key_tokens != NULL)
        bipe_score_key_numbers(given->key_tokens, &key->rule);
    if (key->rule.step == 0)
        key->rule.step = key->rule.context < 4 ? 1 : key->rule.context / 4;
    if (run->setup.rules.protocol == BIPE_PROTOCOL_LONGPPL)
        run->setup.rules.bos = BIPE_BOS_NONE;
    if (given->records.records) {
        run->given.inputs.jsonl = true;
        run->setup.rules.tail = run->setup.rules.protocol == BIPE_PROTOCOL_PAPER;
    }
    bool texts = !given->inputs.text && given->inputs.ids < 0;
    if (texts && bipe_inputs_refuse_models(&run->tool, operands) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    return bipe_tool_scheme(&run->tool, given->scheme, &run->scheme, given->scaling, &run->scaling);
}

static int merge_results(bipe_score_run *run, const bipe_texts *operands)
{
    const bipe_score_options *given = &run->given;
    bipe_files files;
    bipe_error err = {0};
    const bipe_tool_output output = { "output", given->output };
    const char *const lists[] = { given->inputs.files_from, given->inputs.files0_from };
    if (bipe_inputs_files(&run->given.inputs, &run->tool, operands, 0, &files, &err) != BIPE_OK ||
        bipe_tool_check_outputs(&output, 1, (bipe_files[]){ files, { lists, 2 } }, 2, &err) != BIPE_OK) {
        bipe_tool_open_error(&run->tool, &err);
        return run->tool.status;
    }
    return bipe_score_merge(&run->tool, files,
                            given->json  ? BIPE_SCORE_JSON
                            : given->csv ? BIPE_SCORE_CSV
                                         : BIPE_SCORE_TABLE,
                            given->output);
}

static int run_score(void *context, const bipe_texts *operands)
{
    bipe_score_run *run = context;
    const bipe_score_options *given = &run->given;
    if (given->merge)
        return merge_results(run, operands);
    int status = check_score_options(run, operands);
    if (status != BIPE_EXIT_DONE)
        return status;
    bipe_files files;
    bipe_error err = {0};
    if ((given->records.records && bipe_score_check_records(run, &err) != BIPE_OK) ||
        bipe_inputs_files(&run->given.inputs, &run->tool, operands, 1, &files, &err) != BIPE_OK ||
        bipe_score_open(run, operands->text[0], files, &err) != BIPE_OK) {
        bipe_tool_open_error(&run->tool, &err);
        return run->tool.status;
    }
    if (given->probe >= 0)
        return bipe_score_probe(run);
    if (given->records.records)
        return bipe_score_records(run, files);
    if (given->ladder.count > 0)
        return bipe_score_ladder(run, files);
    return given->limit ? bipe_score_limits(run, files) : bipe_score_files(run, files);
}

static bipe_score_run this_run;
static const char *const group_words[] = { BIPE_GROUP_FOLDER, NULL };
static const char *const cluster_words[] = { BIPE_CLUSTER_DOCUMENT, BIPE_CLUSTER_FILE, NULL };

static const bipe_option table[] = {
    {'L', "length", BIPE_OPTION_SIZES, &this_run.given.lengths, "N[,N...]", .minimum = 2, .maximum = BIPE_SCORE_LONGEST,
     .group = "What is scored",
     .help = "tokens per window; each length in turn; default: the training length times 1, 2, 4 and 8, as far as "
             "the text reaches"},
    {0, "stride", BIPE_OPTION_SIZE, &this_run.setup.rules.stride, "N", .minimum = 1, .maximum = BIPE_SCORE_LONGEST,
     .excludes = "protocol!=sliding: the protocol has its own rules for windows",
     .help = "slide the window by N tokens and count each token once, with the most context that it gets; default: "
             "windows do not overlap"},
    {0, "tail", BIPE_OPTION_FLAG, &this_run.setup.rules.tail,
     .help = "also score the rest of the text, which does not fill a window"},
    {0, "bos", BIPE_OPTION_CHOICE, &this_run.setup.rules.bos, "WHERE", .choices = bipe_bos_names,
     .help = "put the tokenizer's BOS before each document, before each window (which then holds one token less of "
             "the text), or nowhere; default: document"},
    {0, "count-bos", BIPE_OPTION_FLAG, &this_run.setup.rules.count_bos,
     .help = "count the losses of BOS tokens, as the authors' code does; default: BOS is only context"},
    {0, "protocol", BIPE_OPTION_CHOICE, &this_run.setup.rules.protocol, "NAME", .choices = bipe_protocol_names,
     .excludes = "tail bos count-bos last common pack: the protocol has its own rules for windows",
     .help = "the rules for windows. paper: as in the BiPE paper, but BOS is not counted; --stride, --tail, --bos "
             "and --count-bos change these rules. sliding: Hugging Face's strided perplexity, --stride being half "
             "a window unless it is given. llama.cpp: as llama-perplexity, which leaves out a newline at the end "
             "of the file. lm-eval: as loglikelihood_rolling, each document by itself, with that program's words "
             "and bytes. yarn: the first tokens of each document, one window. longppl: the same of documents of any "
             "length, without BOS, as LongPPL's program with --key-tokens; default: paper"},
    {0, "last", BIPE_OPTION_SIZE, &this_run.setup.rules.last, "N", .minimum = 1, .maximum = BIPE_SCORE_LONGEST,
     .help = "count only the last N tokens of each window"},
    {0, "common", BIPE_OPTION_FLAG, &this_run.setup.common,
     .help = "count only tokens that are scored at every length, so that all rows of a file are about the same "
             "tokens"},
    {0, "pack", BIPE_OPTION_CHOICE, &this_run.setup.pack, "HOW", .choices = bipe_score_pack_names,
     .excludes = "stride tail bos ids: each line is a window",
     .help = "join documents to one stream, or take each line of plain text, or each record, as a window of its "
             "own if it has at most -L tokens, as bipe-train does; default: stream"},
    {0, "loss-after", BIPE_OPTION_TEXT, &this_run.setup.loss_after, "REGEX", .needs = "pack=line: it looks at lines",
     .help = "with --pack line, count only what follows the first match of this PCRE2 pattern in each line"},
    {'s', "segmenter", BIPE_OPTION_TEXTS, &this_run.given.segmenters, "SPEC", .words = bipe_segmenter_words,
     .help = "what ends a segment: " BIPE_SEGMENTERS_HELP "; may be repeated, and each is scored; default: what "
             "the model was trained with"},
    {0, "against", BIPE_OPTION_TEXTS, &this_run.given.against, "MODEL", .names = BIPE_NAMES_MODELS,
     .help = "also score this model on the same tokens, with each segmenter, and compare it with the first; may be "
             "repeated"},
    {0, "divergence", BIPE_OPTION_FLAG, &this_run.setup.divergence, .needs = "against segmenter",
     .help = "also find at each token how far the predictions of each of the others are from those of the first model: "
             "KL divergence over the vocabulary, changes of probability, equal first choices"},
    BIPE_OPTION_ROW_TOKENIZER(&this_run.given.tokenizer, "the model's own"),
    BIPE_OPTION_ROW_SPECIAL(&this_run.given.special),
    {0, "scheme", BIPE_OPTION_TEXT, &this_run.given.scheme, "SCHEME", .words = bipe_scheme_words, .group = "Model",
     .help = "use another position scheme: terms KIND@INDEX joined by +, or a short name such as bipe-alibi or "
             "rope; default: the model's"},
    {0, "without", BIPE_OPTION_CHOICE, &this_run.given.without, "PART", .choices = bipe_score_without_names,
     .help = "leave out the part of the scheme within segments (intra) or between them (inter)"},
    {0, "rope-scaling", BIPE_OPTION_TEXT, &this_run.given.scaling, "S",
     .help = "scale the frequencies of rope: none, linear:F, dynamic:F, yarn:F[:ORIGINAL] or "
             "llama3:F:LOW:HIGH:ORIGINAL; default: the model's"},
    {0, "precision", BIPE_OPTION_CHOICE, &this_run.setup.precision, "TYPE", .choices = bipe_window_precision_words,
     .help = "the numbers in matrix products: f32; bf16, to which weights are rounded and, where the processor has dot "
             "products of bf16, activations too; or int16, 14-bit integers with a scale for each 32 weights or "
             "activations; default: f32"},
    {0, "seed", BIPE_OPTION_SIZE, &this_run.setup.seed, "N",
     .help = "the seed of randomized-rope and of the resampling that errors come from; default: 0"},
    {0, "json", BIPE_OPTION_FLAG, &this_run.given.json, .group = "Output", .excludes = "csv",
     .help = "print JSON instead of a table"},
    {0, "csv", BIPE_OPTION_FLAG, &this_run.given.csv, .help = "print comma-separated values instead of a table"},
    {0, "by", BIPE_OPTION_CHOICE, &this_run.given.by, "INDEX", .choices = bipe_score_by_names,
     .help = "add the mean loss by the index of the token in its window, by the segment index, or by the index in "
             "its segment"},
    {0, "group", BIPE_OPTION_TEXT, &this_run.setup.group, "MEMBER", .words = group_words,
     .check = bipe_documents_check_field,
     .help = "add rows for each group of JSON Lines records: those with the same value of this member, or path "
             "such as meta.register; folder: of files in the same folder"},
    {0, "power", BIPE_OPTION_TEXT, &this_run.setup.power, BIPE_POWER_VALUE, .check = bipe_power_check,
     .needs = "against segmenter",
     .help = BIPE_POWER_HELP("documents, clusters or blocks", "in nats per token")},
    {0, "cluster", BIPE_OPTION_TEXT, &this_run.setup.cluster, "MEMBER", .words = cluster_words,
     .check = bipe_documents_check_field,
     .help = "find errors from clusters of JSON Lines records that depend on each other: those with the same value of "
             "this member, or path such as meta.source; document: each document, however few; file: each FILE; "
             "default: documents where there are 20, else blocks of tokens"},
    {0, "tokens", BIPE_OPTION_TEXT, &this_run.given.dump[BIPE_SCORE_TOKENS], "FILE",
     .help = "write each scored token with its positions and loss to FILE, tab-separated, or comma-separated if its "
             "name ends in .csv"},
    {0, "token-text", BIPE_OPTION_FLAG, &this_run.given.text, .needs = "tokens",
     .help = "add the text of each token to what --tokens writes, escaped"},
    {0, "segments", BIPE_OPTION_TEXT, &this_run.given.dump[BIPE_SCORE_SEGMENTS], "FILE",
     .help = "write the loss of each segment of each window to FILE, in the same way"},
    {0, "documents", BIPE_OPTION_TEXT, &this_run.given.dump[BIPE_SCORE_DOCUMENT_ROWS], "FILE",
     .help = "write the loss of each document to FILE, in the same way"},
    {0, "id", BIPE_OPTION_TEXT, &this_run.given.id, "MEMBER", .check = bipe_documents_check_field,
     .needs = "tokens segments documents",
     .help = "the member, or path to it, that holds the id of a JSON Lines record, for --documents; default: id. "
             "--tokens and --segments then have a column record with it"},
    {0, "limit", BIPE_OPTION_FLAG, &this_run.given.limit,
     .excludes = "protocol stride tail bos=window count-bos last common pack: '--limit' has its own rules for "
                 "windows; csv by group contrast divergence power key-tokens key-spans tokens segments documents "
                 "resume shard: '--limit' prints a table or JSON of its own",
     .help = "find the longest windows whose loss on the same tokens is not significantly worse than at the "
             "training length (5 % for all tests together), at the lengths of -L and between them; all FILEs are "
             "one text"},
    {0, "contrast", BIPE_OPTION_SIZE, &this_run.setup.contrast, "K", .minimum = 1, .maximum = BIPE_SCORE_LONGEST / 2,
     .excludes = "resume shard: a whole run is needed",
     .help = "contrast the loss of each token with that when the model sees K tokens before it (and up to a "
             "quarter more): where it is negative, distant text helps"},
    {0, "key-tokens", BIPE_OPTION_TEXT, &this_run.given.key_tokens, "ALPHA,BETA", .alone = "2,2",
     .check = bipe_score_key_parse,
     .excludes = "protocol=sliding|llama.cpp|lm-eval: the protocol has its own rules for windows; bos=window ids; "
                 "divergence resume shard: a whole run is needed",
     .help = "also find the key tokens, which need distant text: their loss with a short context is more than ALPHA "
             "nats above that with the whole window, and the latter is below BETA (2,2 without a value); LongPPL is "
             "the perplexity over them. They are those of the first model"},
    {0, "key-from", BIPE_OPTION_TEXT, &this_run.given.key_from, "MODEL", .names = BIPE_NAMES_MODELS,
     .needs = "key-tokens", .help = "the model that finds the key tokens; others count tokens whose bytes lie in them"},
    {0, "short-context", BIPE_OPTION_SIZE, &this_run.setup.key.rule.context, "N", .minimum = 1,
     .maximum = BIPE_SCORE_LONGEST / 2, .needs = "key-tokens",
     .help = "tokens of the short context of --key-tokens; default: 4096"},
    {0, "short-step", BIPE_OPTION_SIZE, &this_run.setup.key.rule.step, "N", .minimum = 1,
     .maximum = BIPE_SCORE_LONGEST / 2, .needs = "key-tokens",
     .help = "begin the short context of --key-tokens anew every N tokens, so that it has up to N tokens more; "
             "default: a quarter of --short-context"},
    {0, "key-spans", BIPE_OPTION_TEXT, &this_run.setup.key.spans, "FILE", .about = BIPE_ABOUT_FILE,
     .excludes = "key-tokens: key tokens are read or found; protocol=sliding|llama.cpp|lm-eval: the protocol has its "
                 "own rules for windows; ids; divergence resume shard: a whole run is needed",
     .help = "read key tokens from FILE, which --key-spans-out has written of the same texts, or which LongPPL's "
             "program has (a folder: slice_0.txt and so on, one for each document)"},
    {0, "key-spans-out", BIPE_OPTION_TEXT, &this_run.given.key_out, "FILE", .needs = "key-tokens",
     .help = "write the key tokens of each document to FILE as JSON Lines"},
    {0, "probe", BIPE_OPTION_CHOICE, &this_run.given.probe, "NAME", .choices = bipe_score_probe_names,
     .takes = "length segmenter against tokenizer special scheme without rope-scaling precision seed json csv "
              "trials recursive: answers in its own texts are counted, not losses",
     .excludes = "FILE resume shard: answers in its own texts are counted, not losses",
     .help = "instead of scoring FILEs, count how often the model finds a key that is hidden in a text of each "
             "length, at several depths: passkey"},
    {0, "ladder", BIPE_OPTION_SIZES, &this_run.given.ladder, "C[,C...]", .minimum = 1, .maximum = BIPE_SCORE_LONGEST,
     .takes = "last bos segmenter tokenizer special scheme without rope-scaling precision seed json csv documents "
              "id cluster key-tokens records member keep broken field jsonl ids encoding text recursive files-from "
              "files0-from FILE: '--ladder' has its own windows",
     .excludes = "against divergence power: '--ladder' takes one model; bos=document: BOS is before each window, or "
                 "nowhere; by group tokens segments: '--ladder' reports all documents together, and '--documents' "
                 "each; key-from short-context short-step key-spans key-spans-out: '--ladder' finds key tokens by its "
                 "first rung; resume shard: a whole run is needed",
     .help = "instead of windows, score the last tokens of each document (256, or as many as --last says) with the C "
             "tokens before them for each C, such as 1k,4k,16k, and print what a longer context than the first gains"},
    {0, "trials", BIPE_OPTION_SIZE, &this_run.given.trials, "N", .minimum = 1, .maximum = 1000000, .needs = "probe",
     .help = "texts of each length and depth with --probe; default: 20"},
    {0, "resume", BIPE_OPTION_TEXT, &this_run.given.resume, "FILE", .about = BIPE_ABOUT_MANNER,
     .excludes = "tokens segments documents: what was scored before would be missing there",
     .help = "keep a journal of finished windows in FILE; skip those already done"},
    {0, "shard", BIPE_OPTION_TEXT, &this_run.given.shard, "I/N", .about = BIPE_ABOUT_MANNER,
     .excludes = BIPE_SHARD_NO_RECORDS, .needs = "json: '--merge' reads JSON",
     .help = "score the windows that begin in part I, from 0 to N - 1, of each FILE, and write with --json what "
             "--merge needs; auto: take I and N from the job array, MPI or srun; auto/N: take only I from there"},
    {0, "merge", BIPE_OPTION_FLAG, &this_run.given.merge, .instead = true, .no_model = true,
     .takes = "json csv recursive files-from files0-from: results are read, not models and texts",
     .excludes = "resume shard: results are read, not models and texts; json? csv",
     .needs = "RESULT files-from files0-from",
     .help = "the operands are results of all shards of a run: print what one run would have"},
    {0, "verbose", BIPE_OPTION_FLAG, &this_run.given.verbose, .about = BIPE_ABOUT_MANNER,
     .help = "report on standard error which kernels were used, the speed, and the work saved"},
    BIPE_OPTION_ROWS_RECORDS(&this_run.given.records,
                             " length stride bos protocol last segmenter tokenizer special scheme without rope-scaling "
                             "precision seed ladder key-tokens",
                             "resume",
                             "tokens (that were scored), bytes (of these), segments, nll, ppl, bits_per_byte. Each "
                             "record is a text by itself, scored to its end (as with --tail, unless --last or "
                             "--protocol says otherwise) in windows of one length; default: the training length. "
                             "With --ladder: context and tokens (scored), nll, gain, gain_low, gain_high and key on "
                             "the longest rung, and rungs, a list with all"),
    BIPE_OPTION_ROW_OUTPUT(&this_run.given.output),
    BIPE_OPTION_ROWS_INPUT(&this_run.given.inputs, NULL),
    BIPE_OPTION_ROWS_RUNNING(&this_run.tool, ""),
};

static const bipe_options options = {
    .tool = "bipe-score",
    .summary = "loss and perplexity of a language model at many lengths",
    .usage = "[OPTION...] MODEL [FILE...] | --merge [OPTION...] RESULT...",
    .description = description,
    .option = table,
    .option_count = COUNT(table),
    .model_operand = true,
    .min_operands = 1,
    .operand_help = BIPE_MODEL_OPERAND_HELP BIPE_OPERAND_HELP,
};

int main(int argc, char **argv)
{
    bipe_score_options *given = &this_run.given;
    bipe_score_setup *setup = &this_run.setup;
    given->without = given->by = given->probe = -1;
    given->inputs = (bipe_inputs)BIPE_INPUTS_NONE;
    setup->key.rule = (bipe_key_rule){.alpha = BIPE_KEY_NATS, .beta = BIPE_KEY_NATS, .context = BIPE_KEY_CONTEXT};
    given->records = (bipe_record_options)BIPE_RECORDS_NONE;
    bipe_tool_start(&this_run.tool, "bipe-score");
    setup->tool = &this_run.tool;
    int status = bipe_tool_run(&this_run.tool, &options, argc, argv, run_score, &this_run);
    bipe_score_close(&this_run);
    bipe_inputs_free(&given->inputs);
    return status;
}
