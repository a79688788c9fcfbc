/* loss_page.c - a text shaded by losses as a page of HTML. The page has the text and its losses as JSON; a script makes an element of each token,
 * whose classes are the shades of its losses, switches between models and shows values and positions. */
#include <math.h>

#include "base/json_writer.h"
#include "plot/html.h"
#include "plot/loss_text.h"

static const char style[] =
    ":root{color-scheme:light dark;--a:0.8;--up:213,94,0;--down:0,114,178}"
    "body{margin:0;font:16px/1.7 Georgia,'DejaVu Serif',serif}"
    "header{position:sticky;top:0;z-index:1;background:Canvas;color:CanvasText;border-bottom:1px solid GrayText;padding:.5em 1em;font:13px/1.5 sans-serif}"
    "h1{font-size:15px;margin:0 0 .2em;overflow-wrap:anywhere}fieldset{border:0;margin:0;padding:0}label{margin-right:1em}"
    "#i{min-height:3em;white-space:pre-wrap;font-variant-numeric:tabular-nums}.scale i{display:inline-block;width:1.3em;height:1em}"
    "main{padding:1em;display:grid;gap:2em;grid-template-columns:minmax(0,1fr)}main.side{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}"
    ".pane{white-space:pre-wrap;overflow-wrap:anywhere;max-width:46em}"
    ".c{content-visibility:auto;contain-intrinsic-size:auto 30em}.doc+.doc{border-top:3px double GrayText;margin-top:1em;padding-top:1em}"
    "b{font-weight:normal;border-radius:2px}span.g{color:GrayText}b.n::before{content:'\\21b5';opacity:.5}b.e::before{content:'\\b7'}"
    ".borders .p{box-shadow:inset 2px 0 0 CanvasText}.borders .w{box-shadow:inset 5px 0 0 CanvasText}b.on,b:hover{outline:2px solid Highlight}"
    "@media print{header{position:static}fieldset,#i{display:none}.c{content-visibility:visible}*{print-color-adjust:exact;"
    "-webkit-print-color-adjust:exact}}";

/* D.views: of each model the documents, lists of pieces: a text that was not scored, or [text, loss, token, window, segment, intra, start, end, id].
 * Elements are in blocks of about 400 that end at line ends, so that a browser lays out those that it shows alone. */
static const char script[] =
    "'use strict';(()=>{const $=s=>document.querySelector(s),D=JSON.parse($('#d').textContent),M=$('main'),I=$('#i'),F=$('fieldset'),two=D.names.length>1;"
    "const make=(tag,name,text)=>{const e=document.createElement(tag);e.className=name;if(text!==undefined)e.textContent=text;return e};"
    "const clean=t=>t.replace(/[\\0-\\x08\\x0b-\\x1f\\x7f]/g,c=>String.fromCharCode(c==='\\x7f'?0x2421:0x2400+c.charCodeAt(0)));"
    "const level=s=>Math.max(0,Math.min(12,Math.round(12*s))),less=(a,b)=>a[1]===null||b[1]===null?null:b[1]-a[1];"
    "const tokens=[],elements=[],places=new Map();let on=null,css='';"
    /* Shades: of a loss from nothing to orange, of a difference from blue to orange. */
    "for(let k=0;k<13;k++){const s=k/12;css+=`.L .l${k}{background:rgba(var(--up),calc(var(--a)*${s}))}"
    ".D .d${k}{background:rgba(var(--${s<.5?'down':'up'}),calc(var(--a)*${Math.abs(2*s-1)}))}`}document.head.append(make('style','',css));"
    /* The text. */
    "const panes=D.views.map((documents,v)=>{const pane=make('section','pane L'),list=tokens[v]=[],shown=elements[v]=[];for(const pieces of documents){"
    "const doc=make('div','doc');let c=make('div','c'),n=0,before=null;for(const t of pieces){const text=clean(typeof t==='string'?t:t[0]);let e;"
    "if(typeof t==='string')e=make('span','g',text);else{const d=D.same&&v?less(tokens[0][list.length],t):null;"
    "e=make('b',`l${level(t[1]/9)} d${level((d||0)/9+.5)}`+(!before?'':t[3]!==before[3]?' w':t[4]!==before[4]?' p':'')+(text[0]==='\\n'?' n':text?'':' e'),text);"
    "places.set(e,[v,list.length]);list.push(t);shown.push(e);before=t}"
    "c.append(e);if(++n>=400&&text.endsWith('\\n')){doc.append(c);c=make('div','c');n=0}}doc.append(c);pane.append(doc)}M.append(pane);return pane});"
    /* A token's values, and the way from one to the next. */
    "const value=(v,k)=>{const [,x,t,w,s,i]=tokens[v][k];return D.names[v]+': '+(x===null?'no finite loss':x.toFixed(4)+' nats (probability '+"
    "(100*Math.exp(-x)).toPrecision(3)+' %)')+'; token '+t+' of window '+w+', segment '+s+', place '+i+' in it'};"
    "const show=e=>{if(on)on.classList.remove('on');on=e;e.classList.add('on');const [v,k]=places.get(e),t=tokens[v][k];"
    "let s='bytes '+t[6]+' to '+t[7]+', id '+t[8]+'\\n'+value(D.same?0:v,k);if(D.same&&two){const d=less(tokens[0][k],tokens[1][k]);"
    "s+='\\n'+value(1,k)+(d===null?'':'\\ndifference: '+(d>0?'+':'')+d.toFixed(4)+' nats')}I.textContent=s};"
    "for(const event of['mouseover','click'])M.addEventListener(event,e=>{if(places.has(e.target))show(e.target)});"
    "document.addEventListener('keydown',e=>{if(e.altKey||e.ctrlKey||e.metaKey||e.target.tagName==='INPUT')return;"
    "const step={ArrowRight:1,ArrowLeft:-1,n:1,p:-1}[e.key];if(!step)return;let [v,k]=on?places.get(on):[panes.findIndex(p=>!p.hidden),-1];"
    "do k+=step;while(e.key.length===1&&tokens[v][k]&&!(tokens[v][k][1]>=6));const to=elements[v][k];"
    "if(to){e.preventDefault();show(to);to.scrollIntoView({block:'nearest'})}});"
    /* What is chosen. */
    "const view=v=>{M.classList.toggle('side',v==='S');panes.forEach((p,k)=>{p.hidden=v!=='S'&&k!==(v==='A'?0:1);p.classList.toggle('D',v==='D');"
    "p.classList.toggle('L',v!=='D')});document.querySelectorAll('.scale').forEach(s=>{s.hidden=s.classList.contains('D')!==(v==='D')})};"
    "const choose=(type,text,set,checked)=>{const l=make('label',''),b=make('input','');b.type=type;b.name=type;b.checked=checked;"
    "b.addEventListener('change',()=>set(b.checked));l.append(b,' '+text);F.append(l)};"
    "const views=[['A',D.names[0]]];if(two)views.push(['B',D.names[1]]);if(two&&D.same)views.push(['D','difference: second less first']);if(two)views.push(['S','side by side']);"
    "const first=views.some(([v])=>'#'+v===location.hash)?location.hash[1]:'A';for(const [v,text] of views)choose('radio',text,()=>view(v),v===first);"
    "const borders=b=>M.classList.toggle('borders',b);choose('checkbox','segment borders',borders,true);borders(true);"
    "for(const [name,from,to] of [['L','loss in nats: 0','9 and more'],['D','difference in nats: \\u22124.5, the second is better','4.5, the first is better']]){"
    "const s=make('div','scale '+name,from+' ');for(let k=0;k<13;k++)s.append(make('i',name.toLowerCase()+k));s.append(' '+to);F.after(s)}view(first)})()";

/* Failures stay in the writer. */
static int put_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before, const uint8_t *text, size_t size, bipe_error *err)
{
    bipe_json *json = context;
    (void)before, (void)err;
    if (token != NULL)
        bipe_json_begin_array(json);
    bipe_json_bytes(json, text, size);
    if (token == NULL)
        return BIPE_OK;
    const uint64_t numbers[] = {token->token, token->window, token->segment, token->intra, token->start, token->end, token->id};
    bipe_json_number(json, round(token->nll * 1e4) / 1e4);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        bipe_json_uint(json, numbers[i]);
    bipe_json_end_array(json);
    return BIPE_OK;
}

static int put_data(const bipe_loss_text *text, bipe_output *output, bipe_error *err)
{
    bipe_json json;
    bipe_output *data;
    int status = bipe_output_open_sink(&data, bipe_html_json, output, err);
    if (status != BIPE_OK)
        return status;
    bipe_json_open(&json, data, false);
    bipe_json_begin_object(&json);
    bipe_json_key_bool(&json, "same", text->views == 1 || bipe_loss_same_tokens(&text->view[0], &text->view[1]));
    bipe_json_key_array(&json, "names");
    for (size_t v = 0; v < text->views; v++)
        bipe_json_text(&json, text->name[v]);
    bipe_json_end_array(&json);
    bipe_json_key_array(&json, "views");
    for (size_t v = 0; v < text->views; v++) {
        size_t first = 0;
        bipe_json_begin_array(&json);
        for (size_t d = 0; d < text->documents && status == BIPE_OK; d++) {
            bipe_json_begin_array(&json);
            status = bipe_loss_walk(&text->document[d], &text->view[v], &first, put_piece, &json, err);
            bipe_json_end_array(&json);
        }
        bipe_json_end_array(&json);
    }
    bipe_json_end_array(&json);
    bipe_json_end_object(&json);
    if (status == BIPE_OK)
        status = bipe_json_close(&json, err);
    if (status == BIPE_OK)
        status = bipe_output_flush(data, err);
    bipe_output_abandon(data);
    return status;
}

int bipe_loss_text_page(const bipe_loss_text *text, bipe_output *output, bipe_error *err)
{
    bipe_html_begin(output, text->title, style, script, "<header>");
    bipe_output_printf(output, NULL, "<fieldset></fieldset>\n<div id=\"i\" role=\"status\">Point at a token, or go from one to the next by the arrow keys; n and p go to "
                                     "the next and the previous one of 6 nats and more.</div>\n<noscript>The text is shown by a script.</noscript></header>\n<main></main>\n"
                                     "<script type=\"application/json\" id=\"d\">");
    int status = put_data(text, output, err);
    bipe_output_printf(output, NULL, "</script>\n<script>%s</script>\n</body>\n</html>\n", script);
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
