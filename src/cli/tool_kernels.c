/* tool_kernels.c - the kernels that compute with a model, in a file of its own: tools without models do not link them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tool.h"
#include "nn/cpu.h"

void bipe_tool_kernels(bipe_tool *tool)
{
    const char *wanted = getenv("BIPE_KERNELS");
    char names[128] = "";
    tool->kernels = nn_cpu_name(nn_cpu_best());
    if (wanted == NULL || wanted[0] == '\0' || strcmp(wanted, tool->kernels) == 0)
        return;
    for (size_t i = 0, used = 0; i < nn_cpu_count() && used < sizeof names; i++)
        if (nn_cpu_at(i) != NULL)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", nn_cpu_name(nn_cpu_at(i)));
    bipe_tool_note(tool, "BIPE_KERNELS: this machine has no kernels '%s', expected one of %s; %s is used", wanted, names, tool->kernels);
}
