/* answer_lines.c - for comparisons with other programs: scores each record of standard input, JSON Lines of
 * "prediction" and "references", and prints em, f1, rouge1, rouge2, rougeL, the three with stems, sub_em and recall, a
 * line each, with all their digits. Lines that are no records are words, whose stem is printed. Usage: answer_lines
 * < RECORDS */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task/answers.h"
#include "text/porter_stemmer.h"

static bipe_answer answer_of(const json_t *text)
{
    return (bipe_answer){json_string_value(text), json_string_length(text)};
}

static int score_record(const char *line, size_t size)
{
    bipe_error err;
    bipe_answer_scores plain, stem;
    bipe_answer reference[16];
    json_t *record = json_loadb(line, size, 0, NULL), *references = json_object_get(record, "references");
    size_t count = json_array_size(references);
    if (record == NULL || count > 16)
        return 1;
    for (size_t i = 0; i < count; i++)
        reference[i] = answer_of(json_array_get(references, i));
    bipe_answer prediction = answer_of(json_object_get(record, "prediction"));
    if (bipe_answer_score(&plain, prediction, reference, count, false, &err) != BIPE_OK ||
        bipe_answer_score(&stem, prediction, reference, count, true, &err) != BIPE_OK)
        return 1;
    printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", plain.em, plain.f1, plain.rouge1,
           plain.rouge2, plain.rouge_l, stem.rouge1, stem.rouge2, stem.rouge_l, plain.sub_em,
           plain.recall);
    json_decref(record);
    return 0;
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    int status = 0;
    while (status == 0 && (size = getline(&line, &capacity, stdin)) > 0)
        if (line[0] == '{')
            status = score_record(line, (size_t)size);
        else
            printf("%.*s\n", (int)bipe_porter_stem(line, strcspn(line, "\n")), line);
    free(line);
    return status;
}
