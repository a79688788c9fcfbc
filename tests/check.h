/* check.h - what unit tests are written with. A failed check says where and goes on; test_result() is main's value.
 * A test that needs data that is not there calls test_skip() (automake: exit status 77). */
#ifndef BIPE_TESTS_CHECK_H
#define BIPE_TESTS_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long test_checks, test_failures;
static char case_place[64]; /* "FILE:LINE: " of the case that is tried, where it comes from a file (cases.h) */

/* Counts a check, and says where one failed. */
static inline int test_check(int holds, const char *file, int line, const char *condition, const char *more)
{
    test_checks++;
    test_failures += !holds;
    if (!holds)
        fprintf(stderr, "%s:%d: %s%s does not hold%s", file, line, case_place, condition, more);
    return holds;
}

#define CHECK(condition) (void)test_check(!!(condition), __FILE__, __LINE__, #condition, "\n")

/* As CHECK, with a printf-style explanation. */
#define CHECKF(condition, ...) \
    do { \
        if (!test_check(!!(condition), __FILE__, __LINE__, #condition, ": ")) { \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
        } \
    } while (0)

#define CHECK_TEXT(got, want) \
    do { \
        const char *check_got = (got), *check_want = (want); \
        CHECKF(strcmp(check_got, check_want) == 0, "got \"%s\", want \"%s\"", check_got, check_want); \
    } while (0)

#define CHECK_UINT(got, want) \
    do { \
        uint64_t check_got = (got), check_want = (want); \
        CHECKF(check_got == check_want, "got %" PRIu64 ", want %" PRIu64, check_got, check_want); \
    } while (0)

/* |got - want| <= tolerance; a NaN on either side fails. */
#define CHECK_NEAR(got, want, tolerance) \
    do { \
        double check_got = (got), check_want = (want); \
        CHECKF(fabs(check_got - check_want) <= (tolerance), "got %.17g, want %.17g", check_got, check_want); \
    } while (0)

/* The larger of two errors; a NaN stays, which fmax() would forget. */
static inline double test_worse(double worst, double error)
{
    return isnan(worst) || error <= worst ? worst : error;
}

static inline int test_result(void)
{
    if (test_checks == 0) {
        fputs("no check was made\n", stderr);
        return 1;
    }
    if (test_failures != 0)
        fprintf(stderr, "%lu of %lu checks failed\n", test_failures, test_checks);
    return test_failures != 0;
}

static inline void test_skip(const char *why)
{
    fprintf(stderr, "skipped: %s\n", why);
    exit(77);
}

/* The folder of reference data beside the project, or NULL when it is not there. */
static inline const char *test_shared(void)
{
    const char *folder = getenv("BIPE_SHARED");
    return folder != NULL && folder[0] != '\0' && access(folder, R_OK | X_OK) == 0 ? folder : NULL;
}

/* How many of `rounds` random rounds to make. Where each takes long (sanitizers, Valgrind) BIPE_TEST_SHARE=N makes one
 * in N. */
static inline int test_rounds(int rounds)
{
    const char *share = getenv("BIPE_TEST_SHARE");
    int n = share != NULL ? atoi(share) : 1;
    return n > 1 ? (rounds + n - 1) / n : rounds;
}

/* Whether all of them are made, so that rare cases must have been among them. */
static inline int test_all_rounds(void)
{
    return test_rounds(1000) == 1000;
}

/* The step through what is tried in turn, such as the allocation that fails: 1, or up to `most` where rounds are
 * few. */
static inline int test_stride(int most)
{
    return most / test_rounds(most);
}

/* What tests write need not outlive the machine: nothing waits for a slow disk. A test may look at what is asked
 * for. */
static void (*test_on_sync)(int fd);

__attribute__((weak)) int fsync(int fd)
{
    if (test_on_sync != NULL)
        test_on_sync(fd);
    return 0;
}

/* A small repeatable generator (xorshift64*), for random inputs. */
static inline uint64_t test_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

#endif
