/* pcre2_memory.c - PCRE2's allocations, options and errors. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "text/pcre2_memory.h"
#include "text/pcre2_search.h"

static void *take_memory(PCRE2_SIZE size, void *unused)
{
    (void)unused;
    return bipe_alloc(1, size);
}

static void give_memory(void *memory, void *unused)
{
    (void)unused;
    bipe_free(memory);
}

pcre2_general_context *bipe_pcre2_memory(void)
{
    return pcre2_general_context_create(take_memory, give_memory, NULL);
}

int bipe_pcre2_compile(pcre2_code **code, pcre2_general_context *general, const char *pattern, size_t size, uint32_t options,
                       bipe_error *err)
{
    int number;
    PCRE2_SIZE place;
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    if (context == NULL)
        return bipe_fail_memory(err);
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_set_bsr(context, PCRE2_BSR_UNICODE);
    *code = pcre2_compile((PCRE2_SPTR)pattern, size, options | PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &number, &place, context);
    pcre2_compile_context_free(context);
    if (*code != NULL)
        return BIPE_OK;
    if (number == PCRE2_ERROR_HEAP_FAILED)
        return bipe_fail_memory(err);
    char why[256] = "";
    pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "offset %zu of the pattern: %s", (size_t)place, why);
}

int bipe_pcre2_check(const char *pattern, bipe_error *err)
{
    pcre2_code *code = NULL;
    pcre2_general_context *general = bipe_pcre2_memory();
    int status = general != NULL ? bipe_pcre2_compile(&code, general, pattern, PCRE2_ZERO_TERMINATED, 0, err) : bipe_fail_memory(err);
    pcre2_code_free(code);
    pcre2_general_context_free(general);
    return status;
}

int bipe_pcre2_fail(int number, bipe_error *err)
{
    if (number == PCRE2_ERROR_NOMEMORY)
        return bipe_fail_memory(err);
    char why[128] = "";
    pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
    bool limit = number == PCRE2_ERROR_MATCHLIMIT || number == PCRE2_ERROR_DEPTHLIMIT || number == PCRE2_ERROR_HEAPLIMIT ||
                 number == PCRE2_ERROR_JIT_STACKLIMIT || number == PCRE2_ERROR_RECURSELOOP;
    return bipe_fail(err, limit ? BIPE_ERR_LIMIT : BIPE_ERR_UNSUPPORTED, "%s (PCRE2 error %d)%s", why, number,
                     limit ? ", expected a pattern that backtracks less" : "");
}

/* PCRE2 tells how far a pattern looks behind, and so how long the longest match of what is looked behind for is. What stands in front of it
 * here is longer than anything that the pattern itself may look behind for. */
bool bipe_pcre2_is_empty(const char *pattern)
{
    enum { MARGIN = 100 };
    bipe_buffer behind = {0};
    bipe_error err;
    uint32_t longest = 0;
    pcre2_code *code = NULL;
    pcre2_general_context *general = bipe_pcre2_memory();
    if (general != NULL && bipe_buffer_printf(&behind, &err, "(?<=.{%d}(?:%s))", MARGIN, pattern) == BIPE_OK &&
        bipe_pcre2_compile(&code, general, (const char *)behind.data, behind.size, 0, &err) == BIPE_OK)
        pcre2_pattern_info(code, PCRE2_INFO_MAXLOOKBEHIND, &longest);
    pcre2_code_free(code);
    pcre2_general_context_free(general);
    bipe_buffer_free(&behind);
    return longest == MARGIN;
}
