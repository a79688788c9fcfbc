/* test_memory_available.c - what a process may take, from files like those of Linux that are made here. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory_available.h"
#include "tests/check.h"

#define ROOT "test_memory_available.tmp"

/* Writes ROOT/path and the folders above it. */
static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", ROOT, path);
    for (char *at = strchr(full, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(full, 0777);
        *at = '/';
    }
    FILE *file = fopen(full, "w");
    CHECKF(file != NULL && fputs(text, file) != EOF && fclose(file) == 0, "%s", full);
}

static void clear(void)
{
    CHECK(system("rm -rf " ROOT) == 0);
}

static void test_system(void)
{
    CHECK(bipe_memory_available(ROOT) == UINT64_MAX);
    put("proc/meminfo", "MemTotal:  100 kB\nMemFree:  7 kB\nMemAvailable:   40 kB\n");
    CHECK_UINT(bipe_memory_available(ROOT), 40 * 1024);
    put("proc/meminfo", "MemTotal:  100 kB\n"); /* of an old Linux */
    CHECK(bipe_memory_available(ROOT) == UINT64_MAX);
}

/* The innermost group has no bound, one around it does; files in memory do not count. */
static void test_second(void)
{
    put("proc/self/cgroup", "0::/a/b/c\n");
    put("sys/fs/cgroup/a/b/c/memory.max", "max\n");
    put("sys/fs/cgroup/a/b/c/memory.current", "5000\n");
    put("sys/fs/cgroup/a/b/memory.max", "10000\n");
    put("sys/fs/cgroup/a/b/memory.current", "9000\n");
    CHECK_UINT(bipe_memory_available(ROOT), 1000);
    put("sys/fs/cgroup/a/b/memory.stat", "anon 1\ninactive_file 500\nactive_file 250\nfile 750\n");
    CHECK_UINT(bipe_memory_available(ROOT), 1750);
    put("sys/fs/cgroup/a/memory.max", "800\n");
    put("sys/fs/cgroup/a/memory.current", "900\n");
    CHECK_UINT(bipe_memory_available(ROOT), 0);
    put("sys/fs/cgroup/a/memory.max", "max\n");
    put("proc/meminfo", "MemAvailable: 1 kB\n");
    CHECK_UINT(bipe_memory_available(ROOT), 1024);
    put("proc/self/cgroup", "0::/\n"); /* in a container */
    put("sys/fs/cgroup/memory.max", "1000\n");
    put("sys/fs/cgroup/memory.current", "100\n");
    CHECK_UINT(bipe_memory_available(ROOT), 900);
}

static void test_first(void)
{
    put("proc/self/cgroup", "9:cpu:/x\n4:memory:/seen/from/outside\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "4000\n");
    CHECK(bipe_memory_available(ROOT) > UINT64_C(1) << 62);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
    put("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 300\ntotal_active_file 9000\n");
    CHECK_UINT(bipe_memory_available(ROOT), 5000);
    put("proc/self/cgroup", "nonsense\n::\n4:memory:\n");
    CHECK_UINT(bipe_memory_available(ROOT), 5000);
}

static void test_message(void)
{
    bipe_error err = {0};
    CHECK(bipe_memory_check(100, 100, &err, "less", "%d windows take", 3) == BIPE_OK);
    CHECK(bipe_memory_check(2048, 1 << 20, &err, "fewer take less", "%d windows take", 3) == BIPE_ERR_MEMORY);
    CHECK_TEXT(err.text,
               "3 windows take 1.0 MiB more memory, expected at most the 2.0 KiB that are available: fewer take less");
    CHECK_UINT(bipe_bytes_of(5.5), 5);
    CHECK_UINT(bipe_bytes_of(1e30), UINT64_MAX);
}

int main(void)
{
    test_message();
    char text[BIPE_BYTES_TEXT];
    clear();
    test_system();
    clear();
    test_second();
    clear();
    test_first();
    clear();
    CHECK(bipe_memory_available("") > 0);
    CHECK_TEXT(bipe_format_bytes(text, 1023), "1023 bytes");
    CHECK_TEXT(bipe_format_bytes(text, 1536), "1.5 KiB");
    CHECK_TEXT(bipe_format_bytes(text, UINT64_C(3) << 40), "3.0 TiB");
    return test_result();
}
