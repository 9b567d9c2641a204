# libpcp: the interface of the PCP runtime on top of Twill, and its two examples.

file(GLOB pcp_sources CONFIGURE_DEPENDS src/compat/pcp/*.c)
foreach(library pcp pcp_static)
    if(library STREQUAL "pcp")
        add_library(pcp SHARED ${pcp_sources} src/base/barrier.c)
        target_link_libraries(pcp PUBLIC twill)
    else()
        add_library(pcp_static STATIC ${pcp_sources})
        target_link_libraries(pcp_static PUBLIC twill_static)
    endif()
    add_library(Twill::${library} ALIAS ${library})
    target_include_directories(${library}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/pcp>
               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:twill_flags> Threads::Threads)
endforeach()
set_target_properties(pcp PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 1 INSTALL_RPATH "$ORIGIN")
set_target_properties(pcp_static PROPERTIES OUTPUT_NAME pcp)

# The examples are programs for the original interface, which bring their own BLAS.
find_path(PCP_CBLAS_HEADER cblas.h)
find_library(PCP_CBLAS NAMES openblas cblas blas)
find_library(PCP_LAPACK NAMES openblas lapack)
if(TWILL_EXAMPLES AND PCP_CBLAS_HEADER AND PCP_CBLAS AND PCP_LAPACK)
    foreach(name dtrsm dpotrf)
        add_executable(example_pcp.${name} examples/pcp/${name}.c)
        set_target_properties(example_pcp.${name} PROPERTIES
            OUTPUT_NAME test-${name}.x RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples/pcp")
        target_include_directories(example_pcp.${name} PRIVATE "${PCP_CBLAS_HEADER}")
        target_link_libraries(example_pcp.${name} PRIVATE twill_flags pcp Threads::Threads m
                                                          ${PCP_CBLAS} ${PCP_LAPACK})
        list(APPEND twill_examples pcp.${name})
    endforeach()
endif()
