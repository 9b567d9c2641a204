# Find hwloc. Gives Hwloc_FOUND, Hwloc_VERSION and the target Hwloc::hwloc.
#
# pkg-config is asked where to look, but its static line is not used: hwloc itself is linked
# dynamically even into static users, so its own private libraries are not needed.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_HWLOC QUIET hwloc)
endif()

find_path(Hwloc_INCLUDE_DIR hwloc.h HINTS ${PC_HWLOC_INCLUDE_DIRS})
find_library(Hwloc_LIBRARY NAMES hwloc HINTS ${PC_HWLOC_LIBRARY_DIRS})
mark_as_advanced(Hwloc_INCLUDE_DIR Hwloc_LIBRARY)

# The header's API version, 0x00MMmmpp, is that of the file we compile with.
if(Hwloc_INCLUDE_DIR)
    file(STRINGS "${Hwloc_INCLUDE_DIR}/hwloc.h" hwloc_api
         REGEX "^#define HWLOC_API_VERSION +0x[0-9a-fA-F]+")
    if(hwloc_api MATCHES "0x00([0-9a-fA-F][0-9a-fA-F])([0-9a-fA-F][0-9a-fA-F])")
        math(EXPR hwloc_major "0x${CMAKE_MATCH_1}")
        math(EXPR hwloc_minor "0x${CMAKE_MATCH_2}")
        set(Hwloc_VERSION "${hwloc_major}.${hwloc_minor}")
    endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hwloc REQUIRED_VARS Hwloc_LIBRARY Hwloc_INCLUDE_DIR
                                  VERSION_VAR Hwloc_VERSION)

if(Hwloc_FOUND AND NOT TARGET Hwloc::hwloc)
    add_library(Hwloc::hwloc UNKNOWN IMPORTED)
    set_target_properties(Hwloc::hwloc PROPERTIES
        IMPORTED_LOCATION "${Hwloc_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Hwloc_INCLUDE_DIR}")
endif()
