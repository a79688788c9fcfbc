/* hf_text_config.c - see hf_text_config.h. */
#include "model/hf_text_config.h"

#include <string.h>

#include "model/hf_keys.h"
#include "model/weights.h"

/* What a model has beside that of texts, each with a key of its configuration. */
static const char *const towers_keys[] = {"vision_config", "audio_config"};

bool bipe_hf_of_tower(const char *name, unsigned towers)
{
    static const struct {
        const char *name;
        unsigned tower; /* index in towers_keys */
    } parts[] = {{"vision_tower.", 0}, {"multi_modal_projector.", 0}, {"embed_vision.", 0},
                 {"audio_tower.", 1},  {"embed_audio.", 1}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if ((towers >> parts[i].tower & 1) != 0 && strncmp(name, parts[i].name, strlen(parts[i].name)) == 0)
            return true;
    return false;
}

static bool may_be_within(const bipe_family *family, const char *type)
{
    for (size_t i = 0; i < BIPE_MODEL_TYPES && family != NULL && family->within[i] != NULL; i++)
        if (strcmp(family->within[i], type) == 0)
            return true;
    return false;
}

static bool is_outer(const char *type)
{
    for (size_t i = 0; i < bipe_family_count; i++)
        if (may_be_within(&bipe_families[i], type))
            return true;
    return false;
}

int bipe_hf_text_config(json_t *root, json_t **text, unsigned *towers, bipe_error *err)
{
    static const char *const shared[] = {"tie_word_embeddings", "quantization_config"};
    const char *type = json_string_value(json_object_get(root, "model_type"));
    *text = root;
    *towers = 0;
    if (type == NULL || !is_outer(type))
        return BIPE_OK;
    json_t *inner = json_object_get(root, "text_config");
    const char *own = json_string_value(json_object_get(inner, "model_type"));
    char shown[BIPE_SHOWN_SIZE];
    if (own == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "key \"text_config\" is missing, or has no \"model_type\"");
    if (!may_be_within(bipe_family_of_model_type(own), type))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "key \"text_config.model_type\" is '%s', which is not read in %s",
                         bipe_model_shown(shown, own, strlen(own)), type);
    int status = bipe_hf_keys_check(root, BIPE_HF_OUTER, NULL, "", err);
    for (size_t i = 0; i < 2 && status == BIPE_OK; i++) {
        json_t *one = json_object_get(root, shared[i]), *other = json_object_get(inner, shared[i]);
        if (one != NULL && other == NULL)
            status = json_object_set(inner, shared[i], one) == 0 ? BIPE_OK : bipe_fail_memory(err);
        else if (one != NULL && !json_equal(one, other))
            status = bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                               "key \"%s\" differs from that of \"text_config\", expected the same", shared[i]);
        *towers |= json_is_object(json_object_get(root, towers_keys[i])) ? 1U << i : 0;
    }
    *text = inner;
    return status;
}
