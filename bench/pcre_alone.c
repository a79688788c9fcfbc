/* pcre_alone.c - what PCRE2's JIT does alone: counts the matches of a pattern in a file that stands in memory whole,
 * and prints "MATCHES SEARCH ALL": seconds of processor time, of the search, and with starting, reading and compiling.
 * `make bench` prints it beside what -s regex reaches. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The whole file; NULL when that fails. */
static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long end = ftell(file);
    unsigned char *text = end >= 0 ? malloc((size_t)end + 1) : NULL;
    rewind(file);
    if (text != NULL)
        *size = fread(text, 1, (size_t)end, file);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    size_t size = 0;
    unsigned char *text = argc == 3 ? read_file(argv[2], &size) : NULL;
    if (text == NULL) {
        fputs("usage: pcre_alone PATTERN FILE\n", stderr);
        return 2;
    }
    int number;
    PCRE2_SIZE at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)argv[1], PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &number, &at, NULL);
    if (code == NULL || pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) != 0) {
        fputs("pcre_alone: the pattern cannot be compiled\n", stderr);
        return 1;
    }
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    double start = processor_seconds();
    size_t matches = 0;
    for (size_t from = 0; pcre2_match(code, text, size, from, PCRE2_NOTEMPTY, match, NULL) >= 0; matches++)
        from = pcre2_get_ovector_pointer(match)[1];
    double end = processor_seconds();
    printf("%zu %.6f %.6f\n", matches, end - start, end);
    pcre2_match_data_free(match);
    pcre2_code_free(code);
    free(text);
    return 0;
}
