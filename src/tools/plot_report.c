/* plot_report.c - the report of bipe-plot: one file, with figures and results as data within it, of which a script makes tables. */
#include "config.h"

#include "tools/bipe_plot.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "plot/html.h"
#include "text/label.h"

enum { FIGURE_WIDTH = 110, PRE_WIDTH = 78, DIFFERENT_MOST = 256 };

static const char style[] =
    ":root{color-scheme:light dark}body{font:15px/1.5 sans-serif;max-width:75em;margin:1.5em auto;padding:0 1em}h1{font-size:1.5em}"
    "h2{font-size:1.2em;border-bottom:1px solid GrayText;margin-top:2em}h3{font-size:1em}code,pre{font-family:monospace;overflow-wrap:anywhere}"
    "pre{white-space:pre-wrap;background:rgba(128,128,128,.12);padding:.6em}table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1em 0}"
    "div.t{overflow-x:auto}td,th{padding:.15em .7em;text-align:right;white-space:nowrap;border-bottom:1px solid rgba(128,128,128,.4)}td:first-child,th:first-child,td.x,th.x"
    "{text-align:left}td code{white-space:normal}figure{display:inline-block;margin:.5em;max-width:100%;vertical-align:top}img{max-width:100%;background:#fff}"
    "@media print{h2,h3{break-after:avoid}figure,tr{break-inside:avoid}}";

/* Of the JSON that the page holds, results and the command of this page: shell commands, and tables of all lists of objects. Members that are the
 * same in all rows are in a line before the table. */
static const char script[] =
    "'use strict';(()=>{const make=(tag,text,name)=>{const e=document.createElement(tag);e.textContent=text;e.className=name||'';return e};"
    "const text=v=>v===null||v===undefined?'':typeof v==='boolean'?(v?'yes':'no'):typeof v==='number'&&!Number.isInteger(v)?v.toPrecision(5):String(v);"
    "const quote=w=>/^[\\w\\-./,:=+@%]+$/.test(w)?w:\"'\"+w.replaceAll(\"'\",\"'\\\\''\")+\"'\";"
    "const different=(list,key)=>[...new Set((Array.isArray(list)?list:[]).map(o=>o&&o[key]).filter(v=>typeof v==='string'&&v))];"
    /* The command that makes a result again, by what it says of itself: options where members are not as usual. */
    "const command=r=>{const words=[r.tool,'--json'],rows=r.results.length?r.results:r.probe||[],named=(r.combinations||[]).length?r.combinations:rows,"
    "p=r.protocol||{},m=r.model||{},s=r.sample||{},t=r.task||{},models=different(named,'model'),paper=p.name==='paper';"
    "const put=(option,value,usual)=>{if(value===true)words.push(option);else if(value&&value!==usual)words.push(option,String(value))};"
    "put('-L',[...new Set(rows.map(o=>o.length).filter(Number.isInteger))].join(','));for(const v of different(named,'segmenter'))put('-s',v);"
    "for(const v of models.slice(1))put('--against',v);if(r.tool==='bipe-score'){put(r.probe?'--probe':'--protocol',p.name,'paper');"
    "for(const key of ['stride','tail','last','common','count_bos','loss_after','group','seed'])put('--'+key.replace('_','-'),p[key]);put('--pack',p.pack,'stream');"
    "if(paper)put('--bos',p.bos,'document');put('--scheme',m.scheme,m.trained_scheme);put('--rope-scaling',m.rope_scaling);put('--precision',r.precision,'f32');"
    "put('--by',((r.results[0]||{}).by||{}).index)}else if(r.tool==='bipe-eval'){put('--task',t.name);put('--shots',t.shots);put('--precision',r.precision,'f32')}else{"
    "put('-t',r.tokenizer,'word');put('--squeeze',r.squeeze);put('--group-by',r.group_by);"
    "put('--sample',s.every);put('--seed',s.seed)}const files=different(r.per_file||rows,'file');"
    "return[...words,'-o',r.path,...models.slice(0,1),...(files.length?files:['FILE...'])]};"
    /* Pairs are intervals; longer lists are left out. */
    "const flat=(o,before)=>Object.entries(o).flatMap(([k,v])=>!v||typeof v!=='object'?[[before+k,v]]:!Array.isArray(v)?flat(v,before+k+'.'):"
    "v.length===2&&v.every(x=>x===null||typeof x==='number')?[[before+k+' from',v[0]],[before+k+' to',v[1]]]:[]);"
    "for(const data of document.querySelectorAll('[type=\"application/json\"]')){const root=JSON.parse(data.textContent),words=root.command||root.results&&command(root);"
    "if(words)data.parentNode.querySelector('pre').textContent=words.map(quote).join(' ');for(const [name,list] of Object.entries(root)){"
    "if(!Array.isArray(list)||!list.length||!list.every(o=>o&&typeof o==='object'&&!Array.isArray(o)))continue;"
    "const rows=list.map(o=>new Map(flat(o,''))),keys=[...new Set(rows.flatMap(r=>[...r.keys()]))].filter(k=>rows.some(r=>text(r.get(k))!==''));"
    "const same=keys.filter(k=>rows.length>1&&rows.every(r=>r.get(k)===rows[0].get(k))),columns=keys.filter(k=>!same.includes(k));"
    "const box=make('div','','t'),table=make('table',''),line=(tag,values)=>{const tr=make('tr','');for(const v of values)tr.append(make(tag,text(v),typeof v==='string'?'x':''));"
    "table.append(tr)};line('th',columns);for(const r of rows.slice(0,2000))line('td',columns.map(k=>r.get(k)));box.append(table);"
    "data.parentNode.append(make('h3',name),make('p',same.map(k=>k+': '+text(rows[0].get(k))).join('; ')),box);"
    "if(rows.length>2000)box.append(make('p',rows.length-2000+' more rows are left out.'))}}})()";

/* ---- files and their checksums ---- */

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
    const char *path[DIFFERENT_MOST] = {plot_text_of(input->root, "model.path")};
    size_t count = find_different(json_object_get(input->root, "combinations"), "path", path);
    count = count == 0 && path[0][0] != '\0' ? 1 : count;
    bipe_output_printf(output, NULL, "<h3>Files, with the SHA-256 that they have as this report is made</h3>\n<div class=\"t\"><table>\n");
    put_checksum(plot_source_names[input->source], input->path, output);
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

/* For the script; ends a section. */
static void put_data(const json_t *data, bipe_output *output)
{
    bipe_output_printf(output, NULL, "<script type=\"application/json\">");
    if (data == NULL || json_dump_callback(data, put_json, output, JSON_COMPACT) != 0)
        bipe_output_printf(output, NULL, "{}");
    bipe_output_printf(output, NULL, "</script></section>\n");
}

/* A text from the command line as JSON, which has well-formed text alone. */
static json_t *label_of(const char *text)
{
    char *label = bipe_label_copy(text);
    json_t *json = json_string(label != NULL ? label : "");
    bipe_free(label);
    return json;
}

static void put_input(const plot_input *input, bipe_output *output)
{
    bipe_output_printf(output, NULL, "<section><h2>");
    bipe_html_text(output, input->path);
    bipe_output_printf(output, NULL, "</h2>\n<p>%s%s", plot_source_names[input->source], input->root != NULL ? ", version " : "");
    bipe_html_text(output, plot_text_of(input->root, "version"));
    bipe_output_printf(output, NULL, "</p>\n%s", input->root != NULL ? "<p>A command that makes it again, by what it says of itself:</p>\n<pre></pre>\n" : "");
    put_files(input, output);
    if (input->root != NULL)
        json_object_set_new(input->root, "path", label_of(input->path));
    put_data(input->root, output);
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
    json_t *list = json_array(), *made_by = json_pack("{s:o}", "command", list);
    int status = made_by != NULL ? BIPE_OK : bipe_fail_memory(err);
    each.title = NULL;
    bipe_html_begin(output, title, style, script, "");
    bipe_output_printf(output, NULL, "<section><p>bipe-plot, version %s:</p>\n<pre></pre>\n", PACKAGE_VERSION);
    for (int i = 0; i < words; i++)
        json_array_append_new(list, label_of(command[i]));
    put_data(made_by, output);
    json_decref(made_by);
    bipe_output_printf(output, NULL, "<h2>Figures</h2>\n");
    for (int k = 0; k < PLOT_TEXT && status == BIPE_OK; k++)
        status = plot_figures_make(&figures, (plot_kind)k, input, count, &each, err);
    for (size_t i = 0; i < figures.count && status == BIPE_OK; i++) {
        figures.figure[i].titled = true;
        status = put_figure(&figures.figure[i], output, err);
    }
    plot_figures_close(&figures);
    for (size_t i = 0; i < count; i++)
        put_input(&input[i], output);
    bipe_output_printf(output, NULL, "<noscript>Commands and tables are shown by a script.</noscript>\n<script>%s</script>\n</body>\n</html>\n", script);
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
