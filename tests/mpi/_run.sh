# For the scripts here: run RANKS COMMAND... as that many ranks of MPI, with the module of this build.
module=$TW_BUILD_DIR/libtwill-openmpi.so
if [ ! -e "$module" ] || ! command -v mpirun >/dev/null 2>&1; then
    echo 'there is no Open MPI here, or no module for it'
    exit 77
fi

run() {
    ranks=$1
    shift
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        OMPI_MCA_hwloc_base_binding_policy=none TWILL_MPI=$module \
        timeout -k 5 "${TW_LIMIT:-100}" mpirun -np "$ranks" "$@"
}
