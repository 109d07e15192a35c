/*
 * Ranks of parallel jobs. The order of the variables matters: an mpirun inside a Slurm job inherits
 * SLURM_PROCID, which is then 0 in every rank, and variables of one launcher may remain in
 * another's environment. The launcher closest to the program comes first.
 */
#include "cmd/cli/mpi-rank.h"

#include <stdlib.h>
#include <sys/utsname.h>

const char *sprof_rank_find(void)
{
	static const char *const variables[] = {
		"SPROF_RANK",           /* the user's word */
		"PMIX_RANK",            /* Open MPI, Slurm with PMIx */
		"OMPI_COMM_WORLD_RANK", /* Open MPI */
		"PMI_RANK",             /* MPICH, Intel MPI */
		"MV2_COMM_WORLD_RANK",  /* MVAPICH */
		"ALPS_APP_PE",          /* Cray */
		"SLURM_PROCID",         /* srun */
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *rank = getenv(variables[i]);

		if (rank && rank[0])
			return rank;
	}
	return NULL;
}

bool sprof_rank_has_others(void)
{
	static const char *const variables[] = {
		"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS"};

	if (!sprof_rank_find())
		return false;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *size = getenv(variables[i]);

		if (size && size[0])
			return atol(size) != 1;
	}
	return true;
}

const char *sprof_host_name(void)
{
	static struct utsname name;

	return uname(&name) || !name.nodename[0] ? "localhost" : name.nodename;
}
