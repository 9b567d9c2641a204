# For the scripts here: run RANKS COMMAND... as that many ranks of MPI, with the module of this build,
# for at most $limit, TW_SECONDS or TW_LIMIT seconds.
# TW_MPI: openmpi or mpich. TW_MPIRUN: another launcher than its own, as scripts/netns makes one.
mpi=${TW_MPI:-openmpi}
module=$TW_BUILD_DIR/libtwill-$mpi.so
launcher=${TW_MPIRUN:-mpirun.$mpi}
if [ "$mpi" = openmpi ] && ! command -v "$launcher" >/dev/null 2>&1; then
    launcher=mpirun
fi
if [ ! -e "$module" ] || ! command -v "$launcher" >/dev/null 2>&1; then
    echo "there is no $launcher here, or no module for it"
    exit 77
fi

run() {
    ranks=$1
    shift
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        OMPI_MCA_hwloc_base_binding_policy=none TWILL_MPI=$module \
        timeout -k 5 "${limit:-${TW_SECONDS:-${TW_LIMIT:-100}}}" "$launcher" -np "$ranks" "$@"
}
