/* loss_page.c - a text shaded by losses as a page of HTML. A token's element has the shades of its losses as classes;
 * the style sheet chooses what is shown of two models. A script only shows values of the token under the pointer. */
#include <inttypes.h>
#include <math.h>

#include "plot/html.h"
#include "plot/loss_text.h"

/* Tokens of a model on one page, which browsers still show. Elements are in blocks of about so many that end at line
 * ends: a browser lays out those that it shows alone. */
enum { PAGE_MOST = 1 << 19, BLOCK = 400 };

/* Shades: of a loss from nothing to orange, of a difference from blue to orange. */
static const char style[] =
    ":root{color-scheme:light dark;--up:213,94,0;--down:0,114,178}"
    "body{margin:0;font:16px/1.7 Georgia,'DejaVu Serif',serif}"
    "header{position:sticky;top:0;z-index:1;background:Canvas;color:CanvasText;border-bottom:1px solid "
    "GrayText;padding:.5em 1em;font:13px/1.5 sans-serif}"
    "h1{font-size:15px;margin:0 0 "
    ".2em;overflow-wrap:anywhere}fieldset{border:0;margin:0;padding:0}label{margin-right:1em}"
    "#i{min-height:3em;white-space:pre-wrap;font-variant-numeric:tabular-nums}.scale "
    "b{display:inline-block;width:1.3em;height:1em}"
    "main{padding:1em;display:grid;gap:2em;grid-template-columns:repeat(auto-fit,minmax(20em,1fr))}"
    ".pane{white-space:pre-wrap;overflow-wrap:anywhere;max-width:46em}"
    ".c{content-visibility:auto;contain-intrinsic-size:auto 30em}.doc+.doc{border-top:3px double "
    "GrayText;margin-top:1em;padding-top:1em}"
    "b{font-weight:normal;border-radius:2px;background:rgba(var(--h),calc(.8*var(--s)/"
    "12))}span.g,p{color:GrayText}b.n::before{content:'\\21b5';opacity:.5}"
    "b.e::before{content:'\\b7'}b.on,main b:hover{outline:2px solid Highlight}"
    "body:has(#K:checked) .k{text-decoration:underline 2px}"
    "body:has(#E:checked) .p{box-shadow:inset 2px 0 0 CanvasText}body:has(#E:checked) .w{box-shadow:inset 5px 0 0 "
    "CanvasText}"
    "body:has(#A:checked) .pane+.pane,body:has(#B:checked) .pane:first-child,body:has(#D:checked) "
    ".pane:first-child{display:none}"
    "b{--s:var(--l);--h:var(--up)}body:has(#D:checked) .pane b,.scale.D b{--s:var(--d);--h:var(--dh)}"
    ".scale.D,body:has(#D:checked) .scale.L{display:none}body:has(#D:checked) .scale.D{display:block}"
    ".l0{--l:0}.l1{--l:1}.l2{--l:2}.l3{--l:3}.l4{--l:4}.l5{--l:5}.l6{--l:6}.l7{--l:7}.l8{--l:8}.l9{--l:9}.l10{--l:10}."
    "l11{--l:11}.l12{--l:12}"
    ".d0{--d:12}.d1{--d:10}.d2{--d:8}.d3{--d:6}.d4{--d:4}.d5{--d:2}.d6{--d:0}.d7{--d:2}.d8{--d:4}.d9{--d:6}.d10{--d:8}."
    "d11{--d:10}.d12{--d:12}"
    "b{--dh:var(--up)}.d0,.d1,.d2,.d3,.d4,.d5{--dh:var(--down)}"
    "@media "
    "print{header{position:static}fieldset,#i{display:none}.c{content-visibility:visible}*{print-color-adjust:exact;"
    "-webkit-print-color-adjust:exact}}";

/* A token has its numbers in data-v: loss ("": none), token, window, segment, place, start, end, id. */
static const char script[] =
    "'use strict';(()=>{const "
    "$=s=>document.querySelector(s),M=$('main'),I=$('#i'),panes=[...document.querySelectorAll('.pane')],same=M.dataset."
    "same,"
    "tokens=panes.map(p=>[...p.querySelectorAll('b')]),part=e=>e.dataset.v.split(' ');let on=null;"
    "const first=document.getElementById(location.hash.slice(1));if(first&&first.name==='v')first.checked=true;"
    "I.textContent='Point at a token, or go from one to the next by the arrow keys; n and p go to the next and the "
    "previous one of 6 nats and more'+(M.querySelector('.k')?', k and K to key tokens.':'.');"
    "const place=e=>{const v=panes.findIndex(p=>p.contains(e));return[v,tokens[v].indexOf(e)]};"
    "const value=(v,[x,t,w,s,i])=>panes[v].dataset.name+': '+(x?(+x).toFixed(4)+' nats (probability "
    "'+(100*Math.exp(-x)).toPrecision(3)+' %)':"
    "'no finite loss')+'; token '+t+' of window '+w+', segment '+s+', place '+i+' in it';"
    "const show=e=>{if(on)on.classList.remove('on');on=e;e.classList.add('on');const [v,k]=place(e),t=part(e);"
    "let s='bytes '+t[5]+' to '+t[6]+', id '+t[7]"
    "+(e.classList.contains('k')?', key token':'')+'\\n';if(same&&panes[1]){const "
    "a=part(tokens[0][k]),b=part(tokens[1][k]);"
    "s+=value(0,a)+'\\n'+value(1,b);if(a[0]&&b[0])s+='\\ndifference: '+(b[0]-a[0]>0?'+':'')+(b[0]-a[0]).toFixed(4)+' "
    "nats'}else s+=value(v,t);I.textContent=s};"
    "for(const event of['mouseover','click'])M.addEventListener(event,e=>{if(e.target.dataset.v)show(e.target)});"
    "document.addEventListener('keydown',e=>{if(e.altKey||e.ctrlKey||e.metaKey||e.target.tagName==='INPUT')return;"
    "const step={ArrowRight:1,ArrowLeft:-1,n:1,p:-1,k:1,K:-1}[e.key];if(!step)return;"
    "const stop=b=>e.key.length>1||(/k/i.test(e.key)?b.classList.contains('k'):+part(b)[0]>=6);let "
    "[v,k]=on?place(on):[Math.max(0,panes.findIndex(p=>p.offsetParent)),-1];"
    "do k+=step;while(tokens[v][k]&&!stop(tokens[v][k]));const to=tokens[v][k];"
    "if(to){e.preventDefault();show(to);to.scrollIntoView({block:'nearest'})}})})()";

/* A pane as it is written. */
typedef struct pane {
    bipe_output *output;
    const bipe_loss_token *own, *reference; /* all of them, and those of the first model where they are the same; NULL:
                                               none */
    size_t tokens, block;                   /* written; elements of the block */
} pane;

static int level_of(double share)
{
    return !(share > 0) ? 0 : share > 1 ? 12 : (int)lround(share * 12);
}

static void write_token(pane *p, const bipe_loss_token *t, const bipe_loss_token *before, const uint8_t *text,
                        size_t size)
{
    const char *border = before == NULL                  ? ""
                         : t->window != before->window   ? " w"
                         : t->segment != before->segment ? " p"
                                                         : "";
    double less = p->reference != NULL ? t->nll - p->reference[t - p->own].nll : 0;
    bipe_output_printf(p->output, NULL, "<b class=\"l%d d%d%s%s%s\" data-v=\"", level_of(t->nll / 9),
                       level_of(isfinite(less) ? less / 9 + 0.5 : 0.5), border,
                       size == 0         ? " e"
                       : text[0] == '\n' ? " n"
                                         : "",
                       t->key ? " k" : "");
    if (isfinite(t->nll))
        bipe_output_printf(p->output, NULL, "%.4f", t->nll);
    bipe_output_printf(p->output, NULL,
                       " %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 "\">",
                       t->token, t->window, t->segment, t->intra, t->start, t->end, t->id);
    bipe_html_bytes(p->output, text, size);
    bipe_output_printf(p->output, NULL, "</b>");
}

/* Failures stay in the output. */
static int write_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before,
                       const uint8_t *text, size_t size, bipe_error *err)
{
    pane *p = context;
    (void)err;
    if (p->tokens == PAGE_MOST)
        return BIPE_STOPPED;
    if (token != NULL) {
        write_token(p, token, before, text, size);
        p->tokens++;
    } else {
        bipe_output_printf(p->output, NULL, "<span class=\"g\">");
        bipe_html_bytes(p->output, text, size);
        bipe_output_printf(p->output, NULL, "</span>");
    }
    if (++p->block >= BLOCK && size > 0 && text[size - 1] == '\n') {
        bipe_output_printf(p->output, NULL, "</div><div class=\"c\">");
        p->block = 0;
    }
    return BIPE_OK;
}

static int write_pane(const bipe_loss_text *text, size_t number, bool same, bipe_output *output, bipe_error *err)
{
    pane p = {.output = output, .own = text->view[number].token,
              .reference = same && number > 0 ? text->view[0].token : NULL};
    size_t first = 0;
    int status = BIPE_OK;
    bipe_output_printf(output, NULL, "<section class=\"pane\" data-name=\"");
    bipe_html_text(output, text->name[number]);
    bipe_output_printf(output, NULL, "\">");
    for (size_t d = 0; d < text->documents && status == BIPE_OK; d++) {
        bipe_output_printf(output, NULL, "<div class=\"doc\"><div class=\"c\">");
        p.block = 0;
        status = bipe_loss_walk(&text->document[d], &text->view[number], &first, write_piece, &p, err);
        bipe_output_printf(output, NULL, "</div></div>");
    }
    if (status == BIPE_STOPPED)
        bipe_output_printf(output, NULL, "<p>The first %d tokens of %zu are shown.</p>", PAGE_MOST,
                           text->view[number].count);
    bipe_output_printf(output, NULL, "</section>\n");
    return status == BIPE_STOPPED ? BIPE_OK : status;
}

static void write_choice(bipe_output *output, const char *type, const char *id, bool checked, const char *text)
{
    bipe_output_printf(output, NULL, "<label><input type=\"%s\" name=\"v\" id=\"%s\"%s> ", type, id,
                       checked ? " checked" : "");
    bipe_html_text(output, text);
    bipe_output_printf(output, NULL, "</label>");
}

static void write_scale(bipe_output *output, const char *name, const char *shade, const char *from, const char *to)
{
    bipe_output_printf(output, NULL, "<div class=\"scale %s\">%s ", name, from);
    for (int k = 0; k < 13; k++)
        bipe_output_printf(output, NULL, "<b class=\"%s%d\"></b>", shade, k);
    bipe_output_printf(output, NULL, " %s</div>\n", to);
}

int bipe_loss_text_page(const bipe_loss_text *text, bipe_output *output, bipe_error *err)
{
    bool two = text->views > 1, same = two && bipe_loss_same_tokens(&text->view[0], &text->view[1]);
    int status = BIPE_OK;
    bipe_html_begin(output, text->title, style, script, "<header>");
    bipe_output_printf(output, NULL, "<fieldset>");
    write_choice(output, "radio", "A", true, text->name[0]);
    if (two)
        write_choice(output, "radio", "B", false, text->name[1]);
    if (same)
        write_choice(output, "radio", "D", false, "difference: second less first");
    if (two)
        write_choice(output, "radio", "S", false, "side by side");
    write_choice(output, "checkbox", "E", true, "segment borders");
    if (text->view[0].keys + text->view[1].keys > 0)
        write_choice(output, "checkbox", "K", true, "key tokens (underlined)");
    bipe_output_printf(output, NULL, "</fieldset>\n");
    write_scale(output, "L", "l", "loss in nats: 0", "9 and more");
    if (same)
        write_scale(output, "D", "d",
                    "difference in nats: \xE2\x88\x92"
                    "4.5, the second is better",
                    "4.5, the first is better");
    bipe_output_printf(output, NULL, "<div id=\"i\" role=\"status\"></div></header>\n<main%s>\n",
                       same ? " data-same=\"1\"" : "");
    for (size_t v = 0; v < text->views && status == BIPE_OK; v++)
        status = write_pane(text, v, same, output, err);
    bipe_output_printf(output, NULL, "</main>\n<script>%s</script>\n</body>\n</html>\n", script);
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
