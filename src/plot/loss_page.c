/* loss_page.c - a text shaded by losses as a page of HTML. Each token is an element whose classes are the steps of its losses; the style
 * shows one of them, and a script changes which, and reports values and positions. Without scripts the first model is shown. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "plot/html.h"
#include "plot/loss_walk.h"

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
    "const value=(v,k)=>{const d=D[v],x=d.n[k];return names[v]+': '+(x===null?'no finite loss':x.toFixed(4)+' nats (probability '+"
    "(100*Math.exp(-x)).toPrecision(3)+' %)')+'; token '+d.t[k]+' of window '+d.w[k]+', segment '+d.s[k]+', place '+d.i[k]+' in it'};"
    "const show=b=>{if(on)on.classList.remove('on');on=b;b.classList.add('on');const p=b.closest('.pane');list(p);const k=places.get(b),"
    "v=same?0:panes.indexOf(p),d=D[v];let t='bytes '+d.b[k]+' to '+d.e[k]+', id '+d.id[k]+'\\n'+value(v,k);"
    "if(same&&D[1]){t+='\\n'+value(1,k);const x=D[1].n[k]-D[0].n[k];if(D[0].n[k]!==null&&D[1].n[k]!==null)t+='\\ndifference: '+(x>0?'+':'')+x.toFixed(4)+' nats'}"
    "I.textContent=t};"
    "M.addEventListener('mouseover',e=>{if(e.target.tagName==='B')show(e.target)});"
    "M.addEventListener('click',e=>{if(e.target.tagName==='B')show(e.target)});"
    "document.addEventListener('keydown',e=>{if(e.altKey||e.ctrlKey||e.metaKey||e.target.tagName==='INPUT')return;"
    "const step={ArrowRight:1,ArrowLeft:-1,n:0,p:0}[e.key];if(step===undefined)return;const p=on?on.closest('.pane'):panes.find(q=>!q.hidden),l=list(p);"
    "if(!l.length)return;let k=on?places.get(on):-1;if(step)k+=step;else{const s=e.key==='n'?1:-1,d=D[same?(p.classList.contains('B')?1:0):panes.indexOf(p)];"
    "do k+=s;while(k>=0&&k<l.length&&!(d.n[k]>=6))}"
    "if(k<0||k>=l.length)return;e.preventDefault();show(l[k]);l[k].scrollIntoView({block:'nearest'})});"
    "const change=()=>{const v=view(),side=v==='S';M.classList.toggle('side',side);if(same){if(side&&!panes[1]){const c=panes[0].cloneNode(true);M.append(c);panes.push(c)}"
    "panes[0].className='pane '+(side?'A':v);if(panes[1]){panes[1].className='pane B';panes[1].hidden=!side}}"
    "else panes.forEach((p,k)=>{p.hidden=!side&&v!=='AB'[k]});"
    "document.querySelectorAll('.scale').forEach(s=>{s.hidden=(v==='D')!==s.classList.contains('D')})};"
    "document.querySelectorAll('[name=v]').forEach(r=>r.addEventListener('change',change));"
    "const h=[...document.querySelectorAll('[name=v]')].find(r=>'#'+r.value===location.hash);if(h)h.checked=true;"
    "const n=document.getElementById('b');n.addEventListener('change',()=>M.classList.toggle('nob',!n.checked));change();"
    "document.querySelectorAll('.js').forEach(e=>{e.hidden=false})})()";

/* What is written of one pane. */
typedef struct page {
    bipe_output *output;
    const bipe_loss_view *first, *second; /* second: NULL unless its tokens are the same */
    size_t tokens;                        /* in the block */
    bool second_pane;
} page;

/* An end of the line after many tokens ends the block. */
static int end_block(page *p, const uint8_t *text, size_t size, bipe_error *err)
{
    if (p->tokens < BLOCK_TOKENS || size == 0 || text[size - 1] != '\n')
        return BIPE_OK;
    p->tokens = 0;
    return bipe_output_printf(p->output, err, "</div><div class=\"c\">");
}

static int put_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before, const uint8_t *text, size_t size, bipe_error *err)
{
    page *p = context;
    if (token == NULL) {
        int status = bipe_output_printf(p->output, err, "<span class=\"g\">");
        if (status == BIPE_OK)
            status = bipe_html_text(p->output, text, size, err);
        if (status == BIPE_OK)
            status = bipe_output_printf(p->output, err, "</span>");
        return status == BIPE_OK ? end_block(p, text, size, err) : status;
    }
    bool begins = bipe_loss_begins_segment(token, before), window = before != NULL && token->window != before->window;
    int level = bipe_loss_level(token->nll, false), status;
    char other[48] = "", own[16];
    if (p->second != NULL) {
        const bipe_loss_token *twin = &p->second->token[token - p->first->token], *twin_before = before != NULL ? twin - 1 : NULL;
        snprintf(other, sizeof other, " b%d d%d%s", bipe_loss_level(twin->nll, false), bipe_loss_level((double)twin->nll - token->nll, true),
                 bipe_loss_begins_segment(twin, twin_before) ? " q" : "");
    }
    snprintf(own, sizeof own, "%c%d", p->second_pane ? 'b' : 'a', level);
    status = bipe_output_printf(p->output, err, "<b class=\"%s%s%s%s%s%s\">", own, other, begins ? p->second_pane ? " q" : " p" : "", window ? " w" : "",
                                size > 0 && text[0] == '\n' ? " n" : "", size == 0 ? " e" : "");
    if (status == BIPE_OK)
        status = bipe_html_text(p->output, text, size, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(p->output, err, "</b>");
    p->tokens++;
    return status == BIPE_OK ? end_block(p, text, size, err) : status;
}

static int put_pane(const bipe_loss_text *text, size_t number, bool same, bipe_output *output, bipe_error *err)
{
    page p = {.output = output, .first = &text->view[number], .second = same && text->views > 1 ? &text->view[1] : NULL, .second_pane = number > 0};
    size_t first = 0;
    int status = bipe_output_printf(output, err, "<section class=\"pane %c\">", number == 0 ? 'A' : 'B');
    for (size_t d = 0; d < text->documents && status == BIPE_OK; d++) {
        status = bipe_output_printf(output, err, "<div class=\"doc\"><div class=\"c\">");
        p.tokens = 0;
        if (status == BIPE_OK)
            status = bipe_loss_walk(&text->document[d], p.first, &first, put_piece, &p, err);
        if (status == BIPE_OK)
            status = bipe_output_printf(output, err, "</div></div>");
    }
    return status == BIPE_OK ? bipe_output_printf(output, err, "</section>\n") : status;
}

/* ---- what the script reads: numbers alone ---- */

static double member_of(const bipe_loss_token *token, char member)
{
    switch (member) {
    case 't': return token->token;
    case 's': return token->segment;
    case 'i': return token->intra;
    case 'w': return (double)token->window;
    case 'b': return (double)token->start;
    case 'e': return (double)token->end;
    default: return token->id;
    }
}

static int put_data(const bipe_loss_text *text, bipe_output *output, bipe_error *err)
{
    bipe_json json;
    int status = bipe_output_printf(output, err, "<script type=\"application/json\" id=\"d\">");
    if (status != BIPE_OK)
        return status;
    bipe_json_open(&json, output, false);
    bipe_json_begin_array(&json);
    for (size_t v = 0; v < text->views; v++) {
        const bipe_loss_view *view = &text->view[v];
        bipe_json_begin_object(&json);
        bipe_json_key(&json, "n");
        bipe_json_begin_array(&json);
        for (size_t i = 0; i < view->count; i++)
            bipe_json_number(&json, round(view->token[i].nll * 1e4) / 1e4);
        bipe_json_end_array(&json);
        for (const char *member = "tsiwbex"; *member != '\0'; member++) {
            const char key[] = {*member, '\0'};
            bipe_json_key(&json, *member == 'x' ? "id" : key);
            bipe_json_begin_array(&json);
            for (size_t i = 0; i < view->count; i++)
                bipe_json_uint(&json, (uint64_t)member_of(&view->token[i], *member));
            bipe_json_end_array(&json);
        }
        bipe_json_end_object(&json);
    }
    bipe_json_end_array(&json);
    status = bipe_json_close(&json, err);
    return status == BIPE_OK ? bipe_output_printf(output, err, "</script>\n<script>%s</script>\n", script) : status;
}

/* ---- around the text ---- */

/* The shades of each step: of a loss from nothing to orange, of a difference from blue to orange. */
static int put_shades(bipe_output *output, bipe_error *err)
{
    int status = bipe_output_printf(output, err, "<style>");
    for (int level = 1; level < BIPE_LOSS_LEVELS && status == BIPE_OK; level++)
        status = bipe_output_printf(output, err, ".A .a%d,.B .b%d{background:rgba(var(--up),calc(var(--a)*%.3f))}", level, level,
                                    (double)level / (BIPE_LOSS_LEVELS - 1));
    for (int level = 0; level < BIPE_LOSS_LEVELS && status == BIPE_OK; level++) {
        double share = 2.0 * level / (BIPE_LOSS_LEVELS - 1) - 1;
        status = bipe_output_printf(output, err, ".D .d%d{background:rgba(var(--%s),calc(var(--a)*%.3f))}", level, share < 0 ? "down" : "up", fabs(share));
    }
    return status == BIPE_OK ? bipe_output_printf(output, err, "</style>\n") : status;
}

static int put_scale(bool difference, bipe_output *output, bipe_error *err)
{
    int status = bipe_output_printf(output, err, "<div class=\"scale %c\"%s>%s ", difference ? 'D' : 'A', difference ? " hidden" : "",
                                    difference ? "difference in nats: &minus;4.5, the second is better" : "loss in nats: 0");
    for (int level = 0; level < BIPE_LOSS_LEVELS && status == BIPE_OK; level++)
        status = bipe_output_printf(output, err, "<i class=\"%c%d\"></i>", difference ? 'd' : 'a', level);
    return status == BIPE_OK ? bipe_output_printf(output, err, " %s</div>\n", difference ? "4.5, the first is better" : "9 and more") : status;
}

static int put_choice(const char *value, const char *name, bool own, bool checked, bipe_output *output, bipe_error *err)
{
    int status = bipe_output_printf(output, err, "<label><input type=\"radio\" name=\"v\" value=\"%s\"%s> <span%s>", value, checked ? " checked" : "",
                                    own ? " class=\"name\"" : "");
    if (status == BIPE_OK)
        status = bipe_html_text(output, name, strlen(name), err);
    return status == BIPE_OK ? bipe_output_printf(output, err, "</span></label>") : status;
}

static int put_header(const bipe_loss_text *text, bool same, bipe_output *output, bipe_error *err)
{
    static const char *const values[] = {"A", "B"};
    int status = bipe_output_printf(output, err, "<body>\n<header><h1>");
    if (status == BIPE_OK)
        status = bipe_html_text(output, text->title, strlen(text->title), err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "</h1><fieldset class=\"js\" hidden>");
    for (size_t v = 0; v < text->views && status == BIPE_OK; v++)
        status = put_choice(values[v], text->view[v].name, true, v == 0, output, err);
    if (status == BIPE_OK && text->views > 1 && same)
        status = put_choice("D", "difference: second less first", false, false, output, err);
    if (status == BIPE_OK && text->views > 1)
        status = put_choice("S", "side by side", false, false, output, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "<label><input type=\"checkbox\" id=\"b\" checked> segment borders</label></fieldset>\n");
    if (status == BIPE_OK)
        status = put_scale(false, output, err);
    if (status == BIPE_OK && text->views > 1 && same)
        status = put_scale(true, output, err);
    return status == BIPE_OK ? bipe_output_printf(output, err, "<div id=\"i\" class=\"js\" role=\"status\" hidden>Point at a token, or go from one to the "
                                                               "next by the arrow keys; n and p go to the next and the previous one of 6 nats and "
                                                               "more.</div></header>\n<main>\n")
                             : status;
}

int bipe_loss_text_page(const bipe_loss_text *text, bipe_output *output, bipe_error *err)
{
    bool same = text->views == 1 || bipe_loss_same_tokens(&text->view[0], &text->view[1]);
    int status = bipe_html_begin(output, text->title, style, script, err);
    if (status == BIPE_OK)
        status = put_shades(output, err);
    if (status == BIPE_OK)
        status = put_header(text, same, output, err);
    for (size_t v = 0; v < (same ? 1 : text->views) && status == BIPE_OK; v++)
        status = put_pane(text, v, same, output, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "</main>\n");
    if (status == BIPE_OK)
        status = put_data(text, output, err);
    return status == BIPE_OK ? bipe_output_printf(output, err, "</body>\n</html>\n") : status;
}
