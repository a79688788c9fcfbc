/* ruler_questions.c - RULER's tasks of questions about documents: the files of SQuAD and HotpotQA, and samples; see
 * ruler.h. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "corpora/ruler.h"
#include "format/readers.h"

enum { TRIES = 1000 };

/* ---- files ---- */

/* Where in the file a value is: "data[0].paragraphs[3]". */
typedef struct place {
    const char *path;
    char text[160];
} place;

static int wrong(const place *at, const char *name, const char *expected, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %s%s%s: expected %s", at->path, at->text,
                     at->text[0] != '\0' && name[0] != '\0' ? "." : "", name, expected);
}

static int get_text(json_t *object, const char *name, const place *at, const char **text, bipe_error *err)
{
    *text = json_string_value(json_object_get(object, name));
    return *text != NULL ? BIPE_OK : wrong(at, name, "a text", err);
}

static int get_list(json_t *object, const char *name, const place *at, json_t **list, bipe_error *err)
{
    *list = json_object_get(object, name);
    return json_is_array(*list) ? BIPE_OK : wrong(at, name, "a list", err);
}

static int add_document(ruler_questions *q, const char *text, bipe_error *err)
{
    if (bipe_grow(&q->document, &q->document_capacity, q->documents + 1, sizeof *q->document) != 0)
        return bipe_fail_memory(err);
    q->document[q->documents] = (ruler_document){bipe_strdup(text), q->documents};
    return q->document[q->documents++].text != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int add_question(ruler_questions *q, const ruler_question *question, bipe_error *err)
{
    if (bipe_grow(&q->question, &q->question_capacity, q->questions + 1, sizeof *q->question) != 0)
        return bipe_fail_memory(err);
    q->question[q->questions++] = *question;
    return BIPE_OK;
}

static int read_answers(json_t *answers, place *at, bipe_error *err)
{
    json_t *answer;
    const char *text;
    size_t i;
    int status = BIPE_OK;
    const size_t length = strlen(at->text);
    json_array_foreach(answers, i, answer) {
        snprintf(at->text + length, sizeof at->text - length, ".answers[%zu]", i);
        if ((status = get_text(answer, "text", at, &text, err)) != BIPE_OK)
            return status;
    }
    at->text[length] = '\0';
    return i > 0 ? BIPE_OK : wrong(at, "answers", "at least one", err);
}

static int read_paragraph(ruler_questions *q, json_t *paragraph, ruler_question in, place *at, bipe_error *err)
{
    json_t *questions, *item;
    const char *context;
    size_t i;
    const size_t length = strlen(at->text);
    int status = get_text(paragraph, "context", at, &context, err);
    if (status == BIPE_OK)
        status = add_document(q, context, err);
    if (status == BIPE_OK)
        status = get_list(paragraph, "qas", at, &questions, err);
    if (status != BIPE_OK)
        return status;
    json_array_foreach(questions, i, item) {
        snprintf(at->text + length, sizeof at->text - length, ".qas[%zu]", i);
        if (json_is_true(json_object_get(item, "is_impossible")))
            continue;
        if ((status = get_text(item, "question", at, &in.query, err)) != BIPE_OK ||
            (status = get_list(item, "answers", at, &in.answers, err)) != BIPE_OK ||
            (status = read_answers(in.answers, at, err)) != BIPE_OK ||
            (status = add_question(q, &in, err)) != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int read_squad(ruler_questions *q, const char *path, bipe_error *err)
{
    json_t *articles, *article, *paragraphs, *paragraph;
    size_t i, k;
    place at = {path, ""};
    int status = get_list(q->file, "data", &at, &articles, err);
    if (status != BIPE_OK)
        return status;
    json_array_foreach(articles, i, article) {
        snprintf(at.text, sizeof at.text, "data[%zu]", i);
        if ((status = get_list(article, "paragraphs", &at, &paragraphs, err)) != BIPE_OK)
            return status;
        const size_t first = q->documents, count = json_array_size(paragraphs);
        json_array_foreach(paragraphs, k, paragraph) {
            snprintf(at.text, sizeof at.text, "data[%zu].paragraphs[%zu]", i, k);
            const ruler_question in = {.own = first + k, .owns = 1, .article = first, .article_end = first + count};
            if ((status = read_paragraph(q, paragraph, in, &at, err)) != BIPE_OK)
                return status;
        }
    }
    return BIPE_OK;
}

static int read_hotpot_document(ruler_questions *q, json_t *document, const place *at, bipe_error *err)
{
    const char *title = json_string_value(json_array_get(document, 0));
    json_t *sentences = json_array_get(document, 1), *sentence;
    bipe_buffer text = {0};
    size_t i;
    if (title == NULL || !json_is_array(sentences))
        return wrong(at, "", "[title, [sentences]]", err);
    ruler_put(&text, title, "\n", NULL);
    json_array_foreach(sentences, i, sentence) {
        if (!json_is_string(sentence)) {
            bipe_buffer_free(&text);
            return wrong(at, "", "[title, [sentences]]", err);
        }
        ruler_put(&text, json_string_value(sentence), NULL);
    }
    bipe_buffer_write(&text, "", 1);
    int status = text.failed ? bipe_fail_memory(err) : add_document(q, (const char *)text.data, err);
    bipe_buffer_free(&text);
    return status;
}

static int read_hotpot(ruler_questions *q, const char *path, bipe_error *err)
{
    json_t *item, *documents, *document;
    size_t i, k;
    place at = {path, ""};
    int status = BIPE_OK;
    if (!json_is_array(q->file))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: JSON that is not a list, expected [...]", path);
    json_array_foreach(q->file, i, item) {
        ruler_question in = {.own = q->documents, .one = json_object_get(item, "answer")};
        snprintf(at.text, sizeof at.text, "[%zu]", i);
        if (!json_is_string(in.one))
            return wrong(&at, "answer", "a text", err);
        if ((status = get_text(item, "question", &at, &in.query, err)) != BIPE_OK ||
            (status = get_list(item, "context", &at, &documents, err)) != BIPE_OK)
            return status;
        json_array_foreach(documents, k, document) {
            snprintf(at.text, sizeof at.text, "[%zu].context[%zu]", i, k);
            if ((status = read_hotpot_document(q, document, &at, err)) != BIPE_OK)
                return status;
        }
        in.owns = q->documents - in.own;
        if ((status = add_question(q, &in, err)) != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int compare_documents(const void *a, const void *b)
{
    const ruler_document *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* Sorts the documents, each once, and finds which one each of them became. */
static int join_documents(ruler_questions *q, bipe_error *err)
{
    size_t kept = 0;
    if (q->documents == 0)
        return BIPE_OK;
    qsort(q->document, q->documents, sizeof *q->document, compare_documents);
    if ((q->became = bipe_alloc(q->documents, sizeof *q->became)) == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < q->documents; i++) {
        const ruler_document document = q->document[i];
        if (kept == 0 || strcmp(q->document[kept - 1].text, document.text) != 0)
            q->document[kept++] = document;
        else
            bipe_free(document.text);
        q->became[document.number] = kept - 1;
    }
    q->documents = kept;
    return BIPE_OK;
}

int ruler_questions_read(ruler_questions *questions, const char *path, bool hotpot, bipe_error *err)
{
    bipe_buffer text = {0};
    int status = ruler_read_text(&text, path, err);
    if (status == BIPE_OK && (status = bipe_json_value_read(&questions->file, text.data, text.size, err)) != BIPE_OK)
        bipe_error_prefix(err, "%s", path);
    bipe_buffer_free(&text);
    if (status == BIPE_OK)
        status = hotpot ? read_hotpot(questions, path, err) : read_squad(questions, path, err);
    if (status == BIPE_OK && questions->questions == 0)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: no questions, expected the file of %s", path,
                           hotpot ? "HotpotQA" : "SQuAD");
    return status == BIPE_OK ? join_documents(questions, err) : status;
}

void ruler_questions_free(ruler_questions *questions)
{
    for (size_t i = 0; i < questions->documents; i++)
        bipe_free(questions->document[i].text);
    bipe_free(questions->document);
    bipe_free(questions->became);
    bipe_free(questions->question);
    json_decref(questions->file);
}

/* ---- samples ---- */

static const char *answer_of(const ruler_question *question, size_t i)
{
    return json_string_value(question->one != NULL ? question->one
                                                   : json_object_get(json_array_get(question->answers, i), "text"));
}

static size_t answers_of(const ruler_question *question)
{
    return question->one != NULL ? 1 : json_array_size(question->answers);
}

static bool is_answer(const ruler_question *question, const char *text)
{
    for (size_t i = 0; i < answers_of(question); i++)
        if (strcmp(answer_of(question, i), text) == 0)
            return true;
    return false;
}

/* Which documents a text has, in sample->words: the question's own, others of its article, and any. */
static int draw_documents(ruler_draw *draw, const ruler_questions *q, const ruler_question *question, size_t count,
                          ruler_sample *sample, bipe_error *err)
{
    const size_t all = q->documents;
    size_t used = 0;
    if (bipe_grow(&sample->words.item, &sample->words.capacity, count, sizeof *sample->words.item) != 0 ||
        bipe_grow(&sample->mark.item, &sample->mark.capacity, all, sizeof *sample->mark.item) != 0)
        return bipe_fail_memory(err);
    size_t *document = sample->words.item, *mark = sample->mark.item;
    if (count >= all) { /* all of them, again and again */
        for (; used < count; used++)
            document[used] = used % all;
        return BIPE_OK;
    }
    memset(mark, 0, all * sizeof *mark);
    for (; used < question->owns; used++) {
        document[used] = q->became[question->own + used];
        mark[document[used]] = 1;
    }
    const size_t more = question->article_end - question->article;
    int status = ruler_draw_order(&draw->random, more, &sample->order, err);
    for (size_t i = 0; i < more && used < count; i++) {
        size_t next = q->became[question->article + sample->order.item[i]];
        if (mark[next] == 0)
            document[used++] = next;
        mark[next] = 1;
    }
    while (used < count) {
        size_t next = (size_t)bipe_random_below(&draw->random, all);
        if (mark[next] == 0)
            document[used++] = next;
        mark[next] = 1;
    }
    return status;
}

int ruler_build_questions(ruler_draw draw, size_t units, ruler_sample *sample, bipe_error *err)
{
    const ruler_questions *q = &draw.from->questions[draw.task->hotpot];
    const ruler_question *question = &q->question[draw.index];
    bipe_buffer *text = &sample->text;
    int status = draw_documents(&draw, q, question, units, sample, err);
    if (status == BIPE_OK)
        status = ruler_draw_order(&draw.random, units, &sample->order, err);
    if (status != BIPE_OK)
        return status;
    ruler_put(text, "Answer the question based on the given documents. Only give me the answer and do not output any "
                    "other words.\n\nThe following are given documents.\n\n", NULL);
    for (size_t i = 0; i < units; i++) {
        ruler_put_number(text, i > 0 ? "\n\nDocument " : "Document ", i + 1, ":\n");
        ruler_put(text, q->document[sample->words.item[sample->order.item[i]]].text, NULL);
    }
    ruler_put(text, "\n\nAnswer the question based on the given documents. Only give me the answer and do not output "
                    "any other words.\n\nQuestion: ", question->query, NULL);
    sample->prefix = text->size;
    ruler_put(text, " Answer:", NULL);
    for (size_t i = 0; i < answers_of(question) && status == BIPE_OK; i++)
        status = ruler_add(sample, 0, answer_of(question, i), err);
    for (size_t choice = 1; choice < RULER_CHOICES && status == BIPE_OK; choice++) { /* of other questions */
        const char *other = NULL;
        for (size_t i = 0; i < TRIES && (other == NULL || is_answer(question, other)); i++)
            other = answer_of(&q->question[bipe_random_below(&draw.random, q->questions)], 0);
        status = ruler_add(sample, choice, is_answer(question, other) ? "unanswerable" : other, err);
    }
    return status;
}

size_t ruler_question_least(const ruler_questions *questions, uint64_t index)
{
    return questions->question[index].owns > 0 ? questions->question[index].owns : 1;
}
