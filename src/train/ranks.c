/* ranks.c - processes that train together, over MPI where bipe was configured with it. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "train/ranks.h"

#ifdef HAVE_MPI

#include <mpi.h>
#include <string.h>

#include "base/alloc.h"

bipe_ranks bipe_ranks_start(void)
{
    bipe_ranks ranks = {0, 1};
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
    return ranks;
}

void bipe_ranks_end(const bipe_ranks *ranks, bool failed)
{
    int started;
    MPI_Initialized(&started);
    if (started && failed && ranks->count > 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    else if (started)
        MPI_Finalize();
}

/* Values go through in pieces: rank 0 adds those of the others in the order of their ranks and sends them the sum. */
enum { PIECE = 1 << 18 };

static int add_over_ranks(const bipe_ranks *ranks, void *values, size_t count, bool is_double, bipe_error *err)
{
    if (ranks->count == 1)
        return BIPE_OK;
    size_t size = is_double ? sizeof(double) : sizeof(float);
    MPI_Datatype type = is_double ? MPI_DOUBLE : MPI_FLOAT;
    void *other = bipe_alloc(PIECE, size);
    int failed = bipe_ranks_any(ranks, other == NULL);
    for (size_t done = 0; done < count && !failed; done += PIECE) {
        int piece = (int)(count - done < PIECE ? count - done : PIECE);
        char *at = (char *)values + done * size;
        for (int rank = 1; rank < ranks->count; rank++) {
            if (ranks->rank == rank)
                MPI_Send(at, piece, type, 0, 0, MPI_COMM_WORLD);
            if (ranks->rank != 0)
                continue;
            MPI_Recv(other, piece, type, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < piece; i++) {
                if (is_double)
                    ((double *)(void *)at)[i] += ((const double *)other)[i];
                else
                    ((float *)(void *)at)[i] += ((const float *)other)[i];
            }
        }
        MPI_Bcast(at, piece, type, 0, MPI_COMM_WORLD);
    }
    bipe_free(other);
    return failed ? bipe_fail_memory(err) : BIPE_OK;
}

bool bipe_ranks_any(const bipe_ranks *ranks, bool here)
{
    int any = here;
    if (ranks->count > 1)
        MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    return any != 0;
}

#else

bipe_ranks bipe_ranks_start(void)
{
    return (bipe_ranks){0, 1};
}

void bipe_ranks_end(const bipe_ranks *ranks, bool failed)
{
    (void)ranks;
    (void)failed;
}

static int add_over_ranks(const bipe_ranks *ranks, void *values, size_t count, bool is_double, bipe_error *err)
{
    (void)ranks, (void)values, (void)count, (void)is_double, (void)err;
    return BIPE_OK;
}

bool bipe_ranks_any(const bipe_ranks *ranks, bool here)
{
    (void)ranks;
    return here;
}

#endif

const char *bipe_ranks_launched_alone(const bipe_ranks *ranks, unsigned long *count)
{
    /* Not SLURM_NTASKS, which a batch script has that starts one process. */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; ranks->count == 1 && i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        *count = text != NULL ? strtoul(text, NULL, 10) : 0;
        if (*count > 1)
            return names[i];
    }
    return NULL;
}

int bipe_ranks_add_floats(const bipe_ranks *ranks, float *values, size_t count, bipe_error *err)
{
    return add_over_ranks(ranks, values, count, false, err);
}

int bipe_ranks_add_doubles(const bipe_ranks *ranks, double *values, size_t count, bipe_error *err)
{
    return add_over_ranks(ranks, values, count, true, err);
}
