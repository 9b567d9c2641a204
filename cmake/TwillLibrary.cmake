# The library: one object library per folder of src, put together once shared and once static.

include(EmbedViewer)

# In the order of the layers; folders without sources yet are skipped.
set(TWILL_FOLDERS base data data/pattern sched comm trace trace/analysis trace/output device engine
                  engine/device engine/report engine/reach engine/remote engine/service engine/critical front/ptg
                  front/stf front/dag simulate array array/file
                  la/blas la/kernel la/team la la/matrix la/level3 la/hybrid la/cholesky la/lu la/qr la/indefinite
                  la/mixed la/path la/device compat)

set(twill_objects $<TARGET_OBJECTS:twill_common>)
foreach(folder IN LISTS TWILL_FOLDERS)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.c")
    if(folder STREQUAL "base")
        # The rate of the processor, not that of a build without optimisation.
        set_source_files_properties("${PROJECT_SOURCE_DIR}/src/base/fma_plain.c" PROPERTIES
            COMPILE_OPTIONS "-O3;-fno-lto;-ffp-contract=fast")
        if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
            list(FILTER sources EXCLUDE REGEX "/fma_plain\\.c$")
        else()
            list(FILTER sources EXCLUDE REGEX "/fma_x86\\.c$")
        endif()
    endif()
    if(folder STREQUAL "comm")
        # A module of its own for each MPI: TwillMpi.cmake
        list(FILTER sources EXCLUDE REGEX "/mpi_module\\.c$")
    endif()
    if(folder STREQUAL "la/blas")
        # One BLAS provider: loaded at run time, or linked so that sanitizers see through it.
        if(TWILL_BLAS_LINKED)
            list(FILTER sources EXCLUDE REGEX "/blas_load\\.c$")
        else()
            list(FILTER sources EXCLUDE REGEX "/blas_linked\\.c$")
        endif()
    endif()
    if(folder STREQUAL "la/kernel")
        set(kernel "${PROJECT_SOURCE_DIR}/src/la/kernel")
        # Pivots are LAPACK's because no operation is fused with another; only the width differs.
        set_source_files_properties("${kernel}/leaf_plain.c" "${kernel}/leaf_wide.c" PROPERTIES
                                    COMPILE_OPTIONS "-ffp-contract=off")
        # sums in any order, where the text says so
        set_source_files_properties("${kernel}/house_plain.c" "${kernel}/house_wide.c" PROPERTIES
                                    COMPILE_OPTIONS "-O3;-fopenmp-simd")
        if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
            set_source_files_properties("${kernel}/house_wide.c" PROPERTIES
                COMPILE_OPTIONS "-O3;-fno-lto;-fopenmp-simd;-mavx2;-mfma;-ffp-contract=fast")
            set_source_files_properties("${kernel}/leaf_wide.c" PROPERTIES
                COMPILE_OPTIONS "-ffp-contract=off;-mavx2")
            list(FILTER sources EXCLUDE REGEX "/multiply_none\\.c$")
            # not at link time, when loops are no longer unrolled as the text says
            set_source_files_properties("${kernel}/multiply_avx512.c" PROPERTIES
                COMPILE_OPTIONS "-O3;-fno-lto;-mavx512f;-mfma;-ffp-contract=fast")
        else()
            list(FILTER sources EXCLUDE REGEX "/multiply_avx512\\.c$")
        endif()
    endif()
    if(NOT sources)
        continue()
    endif()
    if(folder STREQUAL "trace/output")
        twill_embed_viewer(viewer_page)
        list(APPEND sources "${viewer_page}")
    endif()
    # Algorithms that are written as JDF files are compiled to C first.
    file(GLOB graphs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.jdf")
    foreach(graph IN LISTS graphs)
        get_filename_component(name "${graph}" NAME_WE)
        set(output "${PROJECT_BINARY_DIR}/jdf/${folder}")
        file(MAKE_DIRECTORY "${output}")
        add_custom_command(
            OUTPUT "${output}/${name}_graph.c" "${output}/${name}_graph.h"
            COMMAND twillc "${graph}" -n ${name} -o "${output}/${name}_graph.c"
            DEPENDS twillc "${graph}"
            COMMENT "Compiling ${name}.jdf")
        list(APPEND sources "${output}/${name}_graph.c")
    endforeach()
    string(REPLACE "/" "_" name "twill_${folder}")
    add_library(${name} OBJECT ${sources})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include"
                                               "${PROJECT_SOURCE_DIR}/src"
                                               "${PROJECT_SOURCE_DIR}"
                                               "${PROJECT_BINARY_DIR}/jdf")
    target_compile_options(${name} PRIVATE -fno-semantic-interposition)
    set_target_properties(${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ${twill_ipo})
    target_link_libraries(${name} PRIVATE twill_flags Hwloc::hwloc Threads::Threads)
    list(APPEND twill_objects $<TARGET_OBJECTS:${name}>)
endforeach()

if(NOT twill_objects)
    return()
endif()

# Written once, in the header that programs compare with.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/twill/status.h)
file(STRINGS "${PROJECT_SOURCE_DIR}/include/twill/status.h" twill_abi
     REGEX "^#define TWILL_ABI [0-9]+$")
string(REGEX REPLACE "[^0-9]" "" twill_abi "${twill_abi}")

add_library(twill SHARED ${twill_objects})
add_library(twill_static STATIC ${twill_objects})
add_library(Twill::twill ALIAS twill)
add_library(Twill::twill_static ALIAS twill_static)
set_target_properties(twill PROPERTIES VERSION ${PROJECT_VERSION}
                                       SOVERSION ${twill_abi}
                                       INTERPROCEDURAL_OPTIMIZATION ${twill_ipo})
set_target_properties(twill_static PROPERTIES OUTPUT_NAME twill)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Every symbol is found here or in the libraries named below (clang's sanitizers forbid this).
    target_link_options(twill PRIVATE LINKER:-z,defs)
endif()

if(TWILL_BLAS_LINKED)
    # Built with threads, hence with locks, of which tests then use one (tests/run.sh).
    find_library(TWILL_OPENBLAS NAMES openblasp openblas libopenblas.so.0
        PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread
              /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib /usr/local/lib
        NO_DEFAULT_PATH)
    if(NOT TWILL_OPENBLAS)
        message(FATAL_ERROR "TWILL_BLAS_LINKED needs OpenBLAS: say where it is with "
                            "-DTWILL_OPENBLAS=/path/libopenblas.so")
    endif()
endif()

foreach(library twill twill_static)
    target_include_directories(${library} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE Hwloc::hwloc Threads::Threads ${CMAKE_DL_LIBS} m
                                             ${TWILL_OPENBLAS})
endforeach()
