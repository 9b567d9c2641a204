/* An MPI program of somebody else: it initialises MPI, splits its ranks into two halves, and runs
 * one Twill in each at the same time; MPI is its own before, meanwhile and afterwards.
 *
 *     halves            both halves factor a matrix of their own
 *     halves funneled   MPI for one thread only: Twill says what it needs
 *     halves often      a hundred contexts one after the other
 *     halves ours       the program leaves MPI to Twill */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

enum { NB = 20, N = 7 * NB + 5 };

static int failures;

static void expect(int good, const char *what)
{
    if (good)
        return;
    failures++;
    fprintf(stderr, "FAILED: %s: %s\n", what, twill_message());
}

static twill *start(const MPI_Comm *comm, const char *mpi)
{
    twill_options o = {.size = sizeof o, .workers = 1, .mpi = mpi, .mpi_comm = comm};
    twill *tw = NULL;
    expect(twill_start(&tw, &o) == TWILL_OK, "twill_start");
    return tw;
}

/* Factor a matrix that the ranks of this context share; the digest of the factor. */
static uint64_t factor(twill *tw, uint64_t seed)
{
    twill_pattern p = twill_block_cyclic(N, N, NB, NB, 1, twill_ranks(tw));
    twill_array *a;
    int64_t info = -1;
    uint64_t digest = 0;
    expect(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) == TWILL_OK, "twill_array_create");
    expect(twill_fill_spd(a, seed) == TWILL_OK, "twill_fill_spd");
    expect(twill_potrf(TWILL_LOWER, a, &info) == TWILL_OK && info == 0, "twill_potrf");
    expect(twill_digest(a, TWILL_LOWER, &digest) == TWILL_OK, "twill_digest");
    twill_array_free(a);
    return digest;
}

/* The same in a context of its own. */
static uint64_t factor_alone(uint64_t seed)
{
    twill *tw = start(NULL, "off");
    expect(twill_ranks(tw) == 1, "mpi=off is one rank");
    uint64_t digest = factor(tw, seed);
    twill_stop(tw);
    return digest;
}

/* MPI still does what the program wants of it. */
static void use_mpi(void)
{
    int rank, ranks, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == ranks * (ranks - 1) / 2, "MPI_Allreduce");
}

/* What is no communicator of this rank is refused, on all ranks alike or on some. */
static void refuse(const MPI_Comm *comm, const char *says)
{
    twill_options o = {.size = sizeof o, .workers = 1, .mpi_comm = comm};
    twill *tw = NULL;
    expect(twill_start(&tw, &o) != TWILL_OK && !tw, says);
    expect(strstr(twill_message(), says) != NULL, "the sentence says why");
}

static void run_halves(void)
{
    int rank, ranks, size;
    MPI_Comm half;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int which = rank < ranks / 2 ? 0 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, which, rank, &half);
    MPI_Comm_size(half, &size);
    twill *tw = start(&half, NULL);
    expect(twill_ranks(tw) == size, "as many ranks as the half has");
    uint64_t seed = 40 + (uint64_t)which, digest = factor(tw, seed);
    twill_stop(tw);
    expect(digest == factor_alone(seed), "the result of one rank");
    use_mpi();
    MPI_Comm between, none = MPI_COMM_NULL;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, which ? 0 : ranks / 2, 1, &between);
    refuse(&between, "an intercommunicator");
    refuse(&none, "MPI_COMM_NULL");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    use_mpi();
}

static void run_funneled(void)
{
    twill_options o = {.size = sizeof o, .mpi = "on"};
    twill *tw = NULL;
    expect(twill_start(&tw, &o) != TWILL_OK && !tw, "MPI for one thread is refused");
    expect(strstr(twill_message(), "MPI_THREAD_SERIALIZED") != NULL, "the sentence says why");
    use_mpi();
}

static void run_often(void)
{
    for (int i = 0; i < 100; i++) {
        MPI_Comm world = MPI_COMM_WORLD;
        twill *tw = start(&world, NULL);
        expect(twill_ranks(tw) > 1, "there are several ranks");
        if (i % 25 == 0)
            factor(tw, 7);
        twill_stop(tw);
    }
    use_mpi();
}

/* Twill initialises MPI, and leaves it to others until the program exits. */
static void run_ours(void)
{
    int initialized, finalized;
    for (int i = 0; i < 100; i++) {
        twill *tw = start(NULL, "on");
        expect(twill_ranks(tw) > 1, "there are several ranks");
        twill_stop(tw);
    }
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    expect(initialized && !finalized, "MPI lives as long as the program");
    use_mpi();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int provided = MPI_THREAD_SERIALIZED, ours = !strcmp(mode, "ours");
    int level = !strcmp(mode, "funneled") ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED;
    if (!ours)
        MPI_Init_thread(&argc, &argv, level, &provided);
    if (level == MPI_THREAD_FUNNELED && provided == MPI_THREAD_FUNNELED)
        run_funneled();
    else if (ours)
        run_ours();
    else if (!strcmp(mode, "often"))
        run_often();
    else
        run_halves();
    if (!ours)
        MPI_Finalize();
    if (!failures)
        printf("OK\n");
    return failures != 0;
}
