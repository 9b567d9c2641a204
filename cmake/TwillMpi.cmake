# A module for each MPI that is found here: what the transport over MPI calls (comm/mpi_calls.h), and
# what benchmarks compare it with (bench/mpi/raw.h).
# Without any, Twill works on one node.
option(TWILL_MPI "Build modules for the MPI libraries that are found" ON)

set(TWILL_MPI_MODULES "")

# twill_mpi_module(NAME LABEL LIBRARIES...): the module libtwill-NAME.so for the MPI called LABEL.
function(twill_mpi_module name label)
    set(target twill_${name})
    add_library(${target} MODULE "${PROJECT_SOURCE_DIR}/src/comm/mpi_module.c"
                                 "${PROJECT_SOURCE_DIR}/bench/mpi/raw.c"
                                 "${PROJECT_SOURCE_DIR}/bench/mpi/steps.c")
    set_target_properties(${target} PROPERTIES OUTPUT_NAME twill-${name})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                                 "${PROJECT_SOURCE_DIR}/bench")
    target_compile_definitions(${target} PRIVATE "TW_MPI_NAME=\"${label}\"")
    # MPICH's MPI_STATUSES_IGNORE is a pointer to nothing, and its header says how long the array is.
    target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
    target_link_libraries(${target} PRIVATE twill_flags ${ARGN})
    set(TWILL_MPI_MODULES ${TWILL_MPI_MODULES} ${target} PARENT_SCOPE)
endfunction()

if(NOT TWILL_MPI)
    return()
endif()

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(OpenMPI QUIET IMPORTED_TARGET ompi-c)
    pkg_check_modules(MPICH QUIET IMPORTED_TARGET mpich)
endif()
if(OpenMPI_FOUND)
    twill_mpi_module(openmpi "Open MPI" PkgConfig::OpenMPI)
endif()
if(MPICH_FOUND)
    twill_mpi_module(mpich "MPICH" PkgConfig::MPICH)
endif()
if(NOT TWILL_MPI_MODULES)
    # One that pkg-config does not know: mpicc says where it is, and its header which one it is.
    find_package(MPI QUIET COMPONENTS C)
    if(MPI_C_FOUND)
        include(CheckCSourceCompiles)
        set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
        check_c_source_compiles("#include <mpi.h>\n#ifndef OPEN_MPI\n#error\n#endif\nint main(void) { return 0; }"
                                TWILL_MPI_IS_OPEN)
        unset(CMAKE_REQUIRED_LIBRARIES)
        if(TWILL_MPI_IS_OPEN)
            twill_mpi_module(openmpi "Open MPI" MPI::MPI_C)
        else()
            twill_mpi_module(mpich "MPICH" MPI::MPI_C)
        endif()
    endif()
endif()
