/* plot_report.c - the report of bipe-plot: one file, with figures and results as data within it, of which a script makes tables. */
#include "config.h"

#include "tools/bipe_plot.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "plot/html.h"

enum { FIGURE_WIDTH = 110, PRE_WIDTH = 78, DIFFERENT_MOST = 256 };

static const char style[] =
    ":root{color-scheme:light dark}body{font:15px/1.5 sans-serif;max-width:75em;margin:1.5em auto;padding:0 1em}h1{font-size:1.5em}"
    "h2{font-size:1.2em;border-bottom:1px solid GrayText;margin-top:2em}h3{font-size:1em}code,pre{font-family:monospace;overflow-wrap:anywhere}"
    "pre{white-space:pre-wrap;background:rgba(128,128,128,.12);padding:.6em}table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1em 0}"
    "div.t{overflow-x:auto}td,th{padding:.15em .7em;text-align:right;white-space:nowrap;border-bottom:1px solid rgba(128,128,128,.4)}td:first-child,th:first-child,td.x,th.x"
    "{text-align:left}td code{white-space:normal}figure{display:inline-block;margin:.5em;max-width:100%;vertical-align:top}img{max-width:100%;background:#fff}"
    "@media print{h2,h3{break-after:avoid}figure,tr{break-inside:avoid}}";

/* Tables of all lists of objects in the JSON that the page holds. Members that are the same in all rows are in a line before the table. */
static const char script[] =
    "'use strict';(()=>{const make=(tag,text,name)=>{const e=document.createElement(tag);e.textContent=text;e.className=name||'';return e};"
    "const text=v=>v===null||v===undefined?'':typeof v==='boolean'?(v?'yes':'no'):typeof v==='number'&&!Number.isInteger(v)?v.toPrecision(5):String(v);"
    /* Pairs are intervals; longer lists are left out. */
    "const flat=(o,before)=>Object.entries(o).flatMap(([k,v])=>!v||typeof v!=='object'?[[before+k,v]]:!Array.isArray(v)?flat(v,before+k+'.'):"
    "v.length===2&&v.every(x=>x===null||typeof x==='number')?[[before+k+' from',v[0]],[before+k+' to',v[1]]]:[]);"
    "for(const data of document.querySelectorAll('[type=\"application/json\"]'))for(const [name,list] of Object.entries(JSON.parse(data.textContent))){"
    "if(!Array.isArray(list)||!list.length||!list.every(o=>o&&typeof o==='object'&&!Array.isArray(o)))continue;"
    "const rows=list.map(o=>new Map(flat(o,''))),keys=[...new Set(rows.flatMap(r=>[...r.keys()]))].filter(k=>rows.some(r=>text(r.get(k))!==''));"
    "const same=keys.filter(k=>rows.length>1&&rows.every(r=>r.get(k)===rows[0].get(k))),columns=keys.filter(k=>!same.includes(k));"
    "const box=make('div','','t'),table=make('table',''),line=(tag,values)=>{const tr=make('tr','');for(const v of values)tr.append(make(tag,text(v),typeof v==='string'?'x':''));"
    "table.append(tr)};line('th',columns);for(const r of rows.slice(0,2000))line('td',columns.map(k=>r.get(k)));box.append(table);"
    "data.parentNode.append(make('h3',name),make('p',same.map(k=>k+': '+text(rows[0].get(k))).join('; ')),box);"
    "if(rows.length>2000)box.append(make('p',rows.length-2000+' more rows are left out.'))}})()";

/* ---- the commands that reproduce a result, made from its members ---- */

/* Options and the members that they come from: a text other than the usual one, a number above 0, or true. A path for the usual one is that
 * of another member. */
typedef struct member_option {
    const char *option, *path, *usual;
} member_option;
static const member_option score_options[] = {
    {"--protocol", "protocol.name", "paper"}, {"--stride", "protocol.stride", NULL}, {"--tail", "protocol.tail", NULL}, {"--last", "protocol.last", NULL},
    {"--common", "protocol.common", NULL}, {"--bos", "protocol.bos", "document"}, {"--count-bos", "protocol.count_bos", NULL},
    {"--pack", "protocol.pack", "stream"}, {"--loss-after", "protocol.loss_after", NULL}, {"--group", "protocol.group", NULL},
    {"--seed", "protocol.seed", NULL}, {"--scheme", "model.scheme", "model.trained_scheme"}, {"--rope-scaling", "model.rope_scaling", NULL},
    {"--precision", "precision", "f32"}, {"--by", "results.0.by.index", NULL}, {NULL, NULL, NULL}};
static const member_option stats_options[] = {{"-t", "tokenizer", "word"}, {"--squeeze", "squeeze", NULL}, {"--group-by", "group_by", NULL},
                                              {"--sample", "sample.every", NULL}, {"--seed", "sample.seed", NULL}, {NULL, NULL, NULL}};

/* A word of a command, quoted where a shell needs it, and a blank. */
static void put_word(const char *word, bipe_output *output)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
    bool quoted = word[0] == '\0' || word[strspn(word, plain)] != '\0';
    bipe_output_printf(output, NULL, quoted ? "'" : "");
    for (size_t size; *word != '\0'; word += size + (word[size] == '\'')) {
        size = strcspn(word, "'");
        bipe_html_bytes(output, word, size);
        bipe_output_printf(output, NULL, word[size] == '\'' ? "'\\''" : "");
    }
    bipe_output_printf(output, NULL, quoted ? "' " : " ");
}

/* The different texts under a key of a list's objects, in order; they belong to the list. Returns how many. */
static size_t find_different(const json_t *list, const char *key, const char *text[DIFFERENT_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < DIFFERENT_MOST; i++) {
        const char *one = plot_text_of(json_array_get(list, i), key);
        size_t k = 0;
        while (k < count && strcmp(text[k], one) != 0)
            k++;
        if (one[0] != '\0' && k == count)
            text[count++] = one;
    }
    return count;
}

static void put_option(const json_t *root, const member_option *o, bipe_output *output)
{
    const json_t *member = plot_member(root, o->path);
    const char *text = json_string_value(member), *usual = o->usual == NULL ? "" : strchr(o->usual, '.') != NULL ? plot_text_of(root, o->usual) : o->usual;
    bool probe = strcmp(o->path, "protocol.name") == 0 && json_object_get(root, "probe") != NULL;
    bool counted = json_is_integer(member) && json_integer_value(member) > 0;
    if (!json_is_true(member) && !counted && (text == NULL || strcmp(text, usual) == 0))
        return;
    bipe_output_printf(output, NULL, "%s ", probe ? "--probe" : o->option);
    if (counted)
        bipe_output_printf(output, NULL, "%lld ", (long long)json_integer_value(member));
    else if (text != NULL)
        put_word(text, output);
}

/* The different lengths of windows, joined by commas. Those of a model and segmenter rise, and others have the same. */
static void put_lengths(const json_t *rows, bipe_output *output)
{
    json_int_t before = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_int_t length = json_integer_value(json_object_get(json_array_get(rows, i), "length"));
        if (length > before)
            bipe_output_printf(output, NULL, "%s%lld", before == 0 ? "-L " : ",", (long long)length);
        before = length > before ? length : before;
    }
    bipe_output_printf(output, NULL, before > 0 ? " " : "");
}

/* The words, from number `first` on, each after the option (NULL: none). */
static void put_words(const char *option, const char *const *text, size_t first, size_t count, bipe_output *output)
{
    for (size_t i = first; i < count; i++) {
        bipe_output_printf(output, NULL, option != NULL ? "%s " : "", option);
        put_word(text[i], output);
    }
}

static void put_command(const plot_input *input, bipe_output *output)
{
    bool score = input->source == PLOT_SCORE;
    const json_t *root = input->root, *rows = json_object_get(root, "results"), *named = json_object_get(root, "combinations");
    const char *text[DIFFERENT_MOST], *model[DIFFERENT_MOST];
    rows = json_array_size(rows) > 0 ? rows : json_object_get(root, "probe");
    named = json_array_size(named) > 0 ? named : rows;
    bipe_output_printf(output, NULL, "%s --json ", score ? "bipe-score" : "bipe-stats");
    put_lengths(rows, output);
    put_words("-s", text, 0, find_different(named, "segmenter", text), output);
    size_t models = find_different(named, "model", model);
    put_words("--against", model, 1, models, output);
    bool paper = strcmp(plot_text_of(root, "protocol.name"), "paper") == 0;
    for (const member_option *o = score ? score_options : stats_options; o->option != NULL; o++)
        if (paper || strcmp(o->path, "protocol.bos") != 0) /* other protocols have a rule of their own for BOS */
            put_option(root, o, output);
    bipe_output_printf(output, NULL, "-o ");
    put_word(input->path, output);
    put_words(NULL, model, 0, models > 0, output);
    size_t files = find_different(score ? rows : json_object_get(root, "per_file"), "file", text);
    put_words(NULL, text, 0, files, output);
    bipe_output_printf(output, NULL, files == 0 ? "FILE..." : "");
}

/* ---- files and their checksums ---- */

static void put_checksum(const char *what, const char *path, bipe_output *output)
{
    struct stat info;
    uint8_t bytes[1 << 14], sum[SHA256_DIGEST_SIZE];
    struct sha256_ctx sha;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    bipe_output_printf(output, NULL, "<tr><td>%s</td><td class=\"x\"><code>", what);
    bipe_html_text(output, path);
    bipe_output_printf(output, NULL, "</code></td><td class=\"x\"><code>");
    sha256_init(&sha);
    for (size_t size; file != NULL && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        sha256_update(&sha, size, bytes);
    bool read = file != NULL && !ferror(file);
    if (file != NULL)
        fclose(file);
    sha256_digest(&sha, sizeof sum, sum);
    for (size_t i = 0; i < sizeof sum && read; i++)
        bipe_output_printf(output, NULL, "%02x", sum[i]);
    bipe_output_printf(output, NULL, "%s</code></td></tr>\n", read ? "" : "no file of that name can be read now");
}

static void put_files(const plot_input *input, bipe_output *output)
{
    const json_t *combinations = json_object_get(input->root, "combinations"), *model = json_object_get(json_object_get(input->root, "model"), "path");
    const char *path[DIFFERENT_MOST];
    size_t count = find_different(combinations, "path", path);
    bipe_output_printf(output, NULL, "<h3>Files, with the SHA-256 that they have as this report is made</h3>\n<div class=\"t\"><table>\n");
    put_checksum(plot_source_names[input->source], input->path, output);
    if (count == 0 && json_is_string(model))
        path[count++] = json_string_value(model);
    for (size_t i = 0; i < count; i++)
        put_checksum("model", path[i], output);
    count = find_different(json_object_get(input->root, input->source == PLOT_STATS ? "per_file" : "results"), "file", path);
    for (size_t i = 0; i < count; i++)
        put_checksum("text", path[i], output);
    bipe_output_printf(output, NULL, "</table></div>\n");
}

/* ---- inputs ---- */

static int put_json(const char *bytes, size_t size, void *output)
{
    return bipe_html_json(output, (const uint8_t *)bytes, size, NULL) == BIPE_OK ? 0 : -1;
}

static void put_input(const plot_input *input, bipe_output *output)
{
    const char *version = plot_text_of(input->root, "version");
    bipe_output_printf(output, NULL, "<section><h2>");
    bipe_html_text(output, input->path);
    bipe_output_printf(output, NULL, "</h2>\n<p>%s%s", plot_source_names[input->source], version[0] != '\0' ? ", version " : "");
    bipe_html_text(output, version);
    bipe_output_printf(output, NULL, "</p>\n");
    if (input->source == PLOT_STATS || input->source == PLOT_SCORE) {
        bipe_output_printf(output, NULL, "<p>A command that makes it again, by what it says of itself:</p>\n<pre>");
        put_command(input, output);
        bipe_output_printf(output, NULL, "</pre>\n");
    }
    put_files(input, output);
    bipe_output_printf(output, NULL, "<script type=\"application/json\">");
    if (input->root == NULL || json_dump_callback(input->root, put_json, output, JSON_COMPACT) != 0)
        bipe_output_printf(output, NULL, "{}");
    bipe_output_printf(output, NULL, "</script></section>\n");
}

/* ---- figures ---- */

/* As a picture, or without Cairo as it would be on a terminal. */
static int put_figure(const bipe_figure *figure, bipe_output *output, bipe_error *err)
{
    bipe_output *part = NULL;
    size_t gaps = 0;
    for (size_t i = 0; i < figure->count; i++)
        gaps += bipe_figure_gaps(figure, i);
    bipe_output_printf(output, NULL, "<figure>");
    int status = bipe_output_open_memory(&part, err);
    if (status == BIPE_OK)
        status = bipe_figures_draw(figure, 1, BIPE_PICTURE_SVG, FIGURE_WIDTH, part, err);
    if (status == BIPE_OK) {
        bipe_output_printf(output, NULL, "<img alt=\"");
        bipe_html_text(output, figure->title);
        bipe_output_printf(output, NULL, "\" src=\"data:image/svg+xml;base64,");
        bipe_html_base64(output, bipe_output_kept(part)->data, bipe_output_kept(part)->size);
        bipe_output_printf(output, NULL, "\">");
    } else if (status == BIPE_ERR_UNSUPPORTED) {
        status = bipe_figures_print(figure, 1, (bipe_look){.width = PRE_WIDTH, .utf8 = true}, part, err);
        bipe_output_printf(output, NULL, "<pre>");
        bipe_html_bytes(output, bipe_output_kept(part)->data, bipe_output_kept(part)->size);
        bipe_output_printf(output, NULL, "</pre>");
    }
    if (gaps > 0)
        bipe_output_printf(output, NULL, "<figcaption>Gaps, where the axes cannot show a value: %zu</figcaption>", gaps);
    bipe_output_printf(output, NULL, "</figure>\n");
    bipe_output_abandon(part);
    return status;
}

int plot_report_write(const plot_input *input, size_t count, const plot_wish *wish, char *const *command, int words, bipe_output *output,
                      bipe_error *err)
{
    const char *title = wish->title != NULL ? wish->title : "Results of bipe";
    plot_figures figures = {0};
    plot_wish each = *wish;
    int status = BIPE_OK;
    each.title = NULL;
    bipe_html_begin(output, title, style, script);
    bipe_output_printf(output, NULL, "<body>\n<h1>");
    bipe_html_text(output, title);
    bipe_output_printf(output, NULL, "</h1>\n<p>bipe-plot, version %s:</p>\n<pre>", PACKAGE_VERSION);
    for (int i = 0; i < words; i++)
        put_word(command[i], output);
    bipe_output_printf(output, NULL, "</pre>\n<h2>Figures</h2>\n");
    for (int k = 0; k < PLOT_TEXT && status == BIPE_OK; k++)
        status = plot_figures_make(&figures, (plot_kind)k, input, count, &each, err);
    for (size_t i = 0; i < figures.count && status == BIPE_OK; i++) {
        figures.figure[i].titled = true;
        status = put_figure(&figures.figure[i], output, err);
    }
    plot_figures_close(&figures);
    for (size_t i = 0; i < count; i++)
        put_input(&input[i], output);
    bipe_output_printf(output, NULL, "<noscript>Tables are shown by a script.</noscript>\n<script>%s</script>\n</body>\n</html>\n", script);
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
