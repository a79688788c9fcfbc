/* loss_page.c - a text shaded by losses as a page of HTML. Each token is an element whose classes are the shades of its losses, one per
 * model; a script switches between models and shows values and positions. Without scripts the first model is shown. */
#include <inttypes.h>
#include <math.h>

#include "base/json_writer.h"
#include "text/html.h"
#include "plot/loss_text.h"

/* Blocks end at line ends, so that a browser lays out those that it shows alone. */
enum { BLOCK_TOKENS = 400 };

static const char style[] =
    ":root{color-scheme:light dark;--a:0.8;--up:213,94,0;--down:0,114,178}"
    "body{margin:0;font:16px/1.7 Georgia,'DejaVu Serif',serif}"
    "header{position:sticky;top:0;z-index:1;background:Canvas;color:CanvasText;border-bottom:1px solid GrayText;padding:.5em 1em;"
    "font:13px/1.5 sans-serif}"
    "h1{font-size:15px;margin:0 0 .2em;overflow-wrap:anywhere}fieldset{border:0;margin:0;padding:0;display:inline}label{margin-right:1em}"
    "#i{min-height:3em;white-space:pre-wrap;font-variant-numeric:tabular-nums}.scale i{display:inline-block;width:1.3em;height:1em}"
    "main{padding:1em;display:grid;gap:2em;grid-template-columns:minmax(0,1fr)}main.side{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}"
    ".pane{white-space:pre-wrap;overflow-wrap:anywhere;max-width:46em;outline:0}.pane h2{font:bold 13px sans-serif}"
    ".c{content-visibility:auto;contain-intrinsic-size:auto 30em}.doc+.doc{border-top:3px double GrayText;margin-top:1em;padding-top:1em}"
    "b{font-weight:normal;border-radius:2px}.g{color:GrayText}b.n::before{content:'\\21b5';opacity:.5}b.e::before{content:'\\b7'}"
    ".A .p,.B .q,.D .p{box-shadow:inset 2px 0 0 CanvasText}.A .w,.B .w,.D .w{box-shadow:inset 5px 0 0 CanvasText}"
    ".nob .pane b{box-shadow:none}b.on,b:hover{outline:2px solid Highlight}"
    "@media print{header{position:static}fieldset,#i,.keys{display:none}.c{content-visibility:visible}*{print-color-adjust:exact;"
    "-webkit-print-color-adjust:exact}}";

static const char script[] =
    "'use strict';(()=>{const D=JSON.parse(document.getElementById('d').textContent),I=document.getElementById('i'),"
    "M=document.querySelector('main'),names=[...document.querySelectorAll('.name')].map(e=>e.textContent),panes=[...M.querySelectorAll('.pane')];"
    "const same=panes.length===1;let lists=new Map(),places=new WeakMap(),on=null;"
    "const list=p=>{if(!lists.has(p)){const l=[...p.getElementsByTagName('b')];l.forEach((b,k)=>places.set(b,k));lists.set(p,l)}return lists.get(p)};"
    "const view=()=>{const r=document.querySelector('[name=v]:checked');return r?r.value:'A'};"
    "const value=(v,k)=>{const [x,t,w,s,i]=D[v][k];return names[v]+': '+(x===null?'no finite loss':x.toFixed(4)+' nats (probability '+"
    "(100*Math.exp(-x)).toPrecision(3)+' %)')+'; token '+t+' of window '+w+', segment '+s+', place '+i+' in it'};"
    "const show=b=>{if(on)on.classList.remove('on');on=b;b.classList.add('on');const p=b.closest('.pane');list(p);const k=places.get(b),"
    "v=same?0:panes.indexOf(p),d=D[v][k];let t='bytes '+d[5]+' to '+d[6]+', id '+d[7]+'\\n'+value(v,k);"
    "if(same&&D[1]){const e=D[1][k];t+='\\n'+value(1,k);if(d[0]!==null&&e[0]!==null)t+='\\ndifference: '+(e[0]>d[0]?'+':'')+(e[0]-d[0]).toFixed(4)+' nats'}"
    "I.textContent=t};"
    "M.addEventListener('mouseover',e=>{if(e.target.tagName==='B')show(e.target)});"
    "M.addEventListener('click',e=>{if(e.target.tagName==='B')show(e.target)});"
    "document.addEventListener('keydown',e=>{if(e.altKey||e.ctrlKey||e.metaKey||e.target.tagName==='INPUT')return;"
    "const step={ArrowRight:1,ArrowLeft:-1,n:0,p:0}[e.key];if(step===undefined)return;const p=on?on.closest('.pane'):panes.find(q=>!q.hidden),l=list(p);"
    "if(!l.length)return;let k=on?places.get(on):-1;if(step)k+=step;else{const s=e.key==='n'?1:-1,d=D[same?(p.classList.contains('B')?1:0):panes.indexOf(p)];"
    "do k+=s;while(k>=0&&k<l.length&&!(d[k][0]>=6))}"
    "if(k<0||k>=l.length)return;e.preventDefault();show(l[k]);l[k].scrollIntoView({block:'nearest'})});"
    "const change=()=>{const v=view(),side=v==='S';M.classList.toggle('side',side);if(same){if(side&&!panes[1]){const c=panes[0].cloneNode(true);M.append(c);panes.push(c)}"
    "panes[0].className='pane '+(side?'A':v);if(panes[1]){panes[1].className='pane B';panes[1].hidden=!side}}"
    "else panes.forEach((p,k)=>{p.hidden=!side&&v!=='AB'[k]});"
    "document.querySelectorAll('.scale').forEach(s=>{s.hidden=(v==='D')!==s.classList.contains('D')})};"
    "document.querySelectorAll('[name=v]').forEach(r=>r.addEventListener('change',change));"
    "const h=[...document.querySelectorAll('[name=v]')].find(r=>'#'+r.value===location.hash);if(h)h.checked=true;"
    "const n=document.getElementById('b');n.addEventListener('change',()=>M.classList.toggle('nob',!n.checked));change();"
    "document.querySelectorAll('.js').forEach(e=>{e.hidden=false})})()";

/* One pane of the page. */
typedef struct page {
    bipe_output *output;
    const bipe_loss_view *first, *second; /* second: NULL unless its tokens are the same */
    size_t tokens;                        /* in the block */
    bool second_pane;
} page;

/* Failures stay in the output. */
static int put_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before, const uint8_t *text, size_t size, bipe_error *err)
{
    page *p = context;
    bipe_output *output = p->output;
    bool begins = token != NULL && bipe_loss_begins_segment(token, before), window = begins && token->window != before->window;
    if (token != NULL)
        bipe_output_printf(output, err, "<b class=\"%c%d%s%s%s%s", p->second_pane ? 'b' : 'a', bipe_loss_level(token->nll, false),
                           !begins ? "" : p->second_pane ? " q" : " p", window ? " w" : "", size > 0 && text[0] == '\n' ? " n" : "", size == 0 ? " e" : "");
    if (token != NULL && p->second != NULL) {
        const bipe_loss_token *twin = &p->second->token[token - p->first->token], *twin_before = before != NULL ? twin - 1 : NULL;
        bipe_output_printf(output, err, " b%d d%d%s", bipe_loss_level(twin->nll, false), bipe_loss_level((double)twin->nll - token->nll, true),
                           bipe_loss_begins_segment(twin, twin_before) ? " q" : "");
    }
    bipe_output_printf(output, err, token != NULL ? "\">" : "<span class=\"g\">");
    bipe_html_bytes(output, text, size);
    bipe_output_printf(output, err, token != NULL ? "</b>" : "</span>");
    p->tokens += token != NULL;
    if (p->tokens < BLOCK_TOKENS || size == 0 || text[size - 1] != '\n')
        return BIPE_OK;
    p->tokens = 0;
    return bipe_output_printf(output, err, "</div><div class=\"c\">");
}

static int put_pane(const bipe_loss_text *text, size_t number, bool same, bipe_output *output, bipe_error *err)
{
    page p = {.output = output, .first = &text->view[number], .second = same && text->views > 1 ? &text->view[1] : NULL, .second_pane = number > 0};
    size_t first = 0;
    int status = bipe_output_printf(output, err, "<section class=\"pane %c\">", number == 0 ? 'A' : 'B');
    for (size_t d = 0; d < text->documents && status == BIPE_OK; d++) {
        bipe_output_printf(output, err, "<div class=\"doc\"><div class=\"c\">");
        status = bipe_loss_walk(&text->document[d], p.first, &first, put_piece, &p, err);
        bipe_output_printf(output, NULL, "</div></div>");
        p.tokens = 0;
    }
    bipe_output_printf(output, NULL, "</section>\n");
    return status;
}

/* ---- data for the script: only numbers ---- */

static void put_data(const bipe_loss_text *text, bipe_output *output)
{
    char loss[32];
    bipe_output_printf(output, NULL, "<script type=\"application/json\" id=\"d\">[");
    for (size_t v = 0; v < text->views; v++) {
        bipe_output_printf(output, NULL, v > 0 ? ",[" : "[");
        for (size_t i = 0; i < text->view[v].count; i++) {
            const bipe_loss_token *t = &text->view[v].token[i];
            bool finite = bipe_format_number(loss, round(t->nll * 1e4) / 1e4)[0] != '\0';
            bipe_output_printf(output, NULL, "%s[%s,%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 "]", i > 0 ? "," : "",
                               finite ? loss : "null", t->token, t->window, t->segment, t->intra, t->start, t->end, t->id);
        }
        bipe_output_printf(output, NULL, "]");
    }
    bipe_output_printf(output, NULL, "]</script>\n<script>%s</script>\n", script);
}

/* ---- around the text ---- */

/* The shades of each step: of a loss from nothing to orange, of a difference from blue to orange. */
static void put_shades(bipe_output *output)
{
    bipe_output_printf(output, NULL, "<style>");
    for (int level = 0; level < BIPE_LOSS_LEVELS; level++) {
        double share = (double)level / (BIPE_LOSS_LEVELS - 1), side = 2 * share - 1;
        bipe_output_printf(output, NULL, ".A .a%d,.B .b%d{background:rgba(var(--up),calc(var(--a)*%.3f))}", level, level, share);
        bipe_output_printf(output, NULL, ".D .d%d{background:rgba(var(--%s),calc(var(--a)*%.3f))}", level, side < 0 ? "down" : "up", fabs(side));
    }
    bipe_output_printf(output, NULL, "</style>\n");
}

static void put_scale(bool difference, bipe_output *output)
{
    bipe_output_printf(output, NULL, "<div class=\"scale %c\"%s>%s ", difference ? 'D' : 'A', difference ? " hidden" : "",
                       difference ? "difference in nats: &minus;4.5, the second is better" : "loss in nats: 0");
    for (int level = 0; level < BIPE_LOSS_LEVELS; level++)
        bipe_output_printf(output, NULL, "<i class=\"%c%d\"></i>", difference ? 'd' : 'a', level);
    bipe_output_printf(output, NULL, " %s</div>\n", difference ? "4.5, the first is better" : "9 and more");
}

static void put_choice(const char *value, const char *name, bool of_view, bipe_output *output)
{
    bipe_output_printf(output, NULL, "<label><input type=\"radio\" name=\"v\" value=\"%s\"%s> <span%s>", value, value[0] == 'A' ? " checked" : "",
                       of_view ? " class=\"name\"" : "");
    bipe_html_text(output, name);
    bipe_output_printf(output, NULL, "</span></label>");
}

int bipe_loss_text_page(const bipe_loss_text *text, bipe_output *output, bipe_error *err)
{
    static const char *const values[] = {"A", "B"};
    bool same = text->views == 1 || bipe_loss_same_tokens(&text->view[0], &text->view[1]), difference = same && text->views > 1;
    int status = BIPE_OK;
    bipe_html_begin(output, text->title, style, script);
    put_shades(output);
    bipe_output_printf(output, NULL, "<body>\n<header><h1>");
    bipe_html_text(output, text->title);
    bipe_output_printf(output, NULL, "</h1><fieldset class=\"js\" hidden>");
    for (size_t v = 0; v < text->views; v++)
        put_choice(values[v], text->view[v].name, true, output);
    if (difference)
        put_choice("D", "difference: second less first", false, output);
    if (text->views > 1)
        put_choice("S", "side by side", false, output);
    bipe_output_printf(output, NULL, "<label><input type=\"checkbox\" id=\"b\" checked> segment borders</label></fieldset>\n");
    put_scale(false, output);
    if (difference)
        put_scale(true, output);
    bipe_output_printf(output, NULL, "<div id=\"i\" class=\"js\" role=\"status\" hidden>Point at a token, or go from one to the next by the arrow keys; "
                                     "n and p go to the next and the previous one of 6 nats and more.</div></header>\n<main>\n");
    for (size_t v = 0; v < (same ? 1 : text->views) && status == BIPE_OK; v++)
        status = put_pane(text, v, same, output, err);
    bipe_output_printf(output, NULL, "</main>\n");
    put_data(text, output);
    bipe_output_printf(output, NULL, "</body>\n</html>\n");
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
