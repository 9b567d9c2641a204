# Find isl, the integer set library. Gives Isl_FOUND and the target Isl::isl.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_ISL QUIET isl)
endif()

find_path(Isl_INCLUDE_DIR isl/schedule.h HINTS ${PC_ISL_INCLUDE_DIRS})
find_library(Isl_LIBRARY NAMES isl HINTS ${PC_ISL_LIBRARY_DIRS})
mark_as_advanced(Isl_INCLUDE_DIR Isl_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Isl REQUIRED_VARS Isl_LIBRARY Isl_INCLUDE_DIR)

if(Isl_FOUND AND NOT TARGET Isl::isl)
    add_library(Isl::isl UNKNOWN IMPORTED)
    set_target_properties(Isl::isl PROPERTIES
        IMPORTED_LOCATION "${Isl_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Isl_INCLUDE_DIR}")
endif()
