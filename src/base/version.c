/* version.c - which version of the library is running. */
#include "config.h"

#include "base/version.h"

const char *bipe_version(void)
{
    return PACKAGE_VERSION;
}

unsigned bipe_abi(void)
{
    return BIPE_ABI;
}
