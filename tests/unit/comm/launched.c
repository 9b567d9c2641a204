/* Which launchers are known, by the variables that they set. */
#include "support/test.h"

#include "comm/mpi.h"

#include <stdlib.h>

static const char *const names[] = {
    "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",  "MV2_COMM_WORLD_SIZE",  "PALS_SIZE",
    "FLUX_JOB_SIZE",        "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"};

static void forget_all(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

TEST(launchers_say_how_many_ranks_there_are)
{
    forget_all();
    assert_int_equal(tw_mpi_launched(), 1);
    for (int i = 0; i < 5; i++) {
        setenv(names[i], "6", 1);
        assert_int_equal(tw_mpi_launched(), 6);
        setenv(names[i], "nonsense", 1);
        assert_int_equal(tw_mpi_launched(), 1);
        forget_all();
    }
}

/* A job of Slurm is no MPI program unless PMIx is there, and a step may have fewer tasks than it.
 */
TEST(slurm_alone_is_no_launcher)
{
    forget_all();
    setenv("SLURM_NTASKS", "8", 1);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    assert_int_equal(tw_mpi_launched(), 1);
    setenv("PMIX_RANK", "0", 1);
    assert_int_equal(tw_mpi_launched(), 4);
    unsetenv("SLURM_STEP_NUM_TASKS");
    assert_int_equal(tw_mpi_launched(), 8);
    forget_all();
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(launchers_say_how_many_ranks_there_are),
        cmocka_unit_test(slurm_alone_is_no_launcher),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
