/* version.c - which version of the library is running. */
#include <bipe/version.h>

const char *bipe_version(void)
{
    return BIPE_VERSION;
}

unsigned bipe_abi(void)
{
    return BIPE_ABI;
}
