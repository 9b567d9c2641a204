# Find the C interface of clang: only its headers, as twillc loads the library when it is needed.
# Gives ClangC_FOUND, the target ClangC::headers, and ClangC_SONAME, the library that goes with them.
file(GLOB ClangC_HINTS /usr/lib/llvm-*/include /usr/lib64/llvm*/include
     /opt/homebrew/opt/llvm/include /usr/local/opt/llvm/include)
list(SORT ClangC_HINTS COMPARE NATURAL ORDER DESCENDING)
find_path(ClangC_INCLUDE_DIR clang-c/Index.h HINTS ${ClangC_HINTS})
mark_as_advanced(ClangC_INCLUDE_DIR)

# Of several versions side by side, that of the headers.
set(ClangC_SONAME "libclang.so")
if(ClangC_INCLUDE_DIR MATCHES "/llvm-?([0-9]+)/")
    set(ClangC_SONAME "libclang-${CMAKE_MATCH_1}.so.1")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ClangC REQUIRED_VARS ClangC_INCLUDE_DIR)

if(ClangC_FOUND AND NOT TARGET ClangC::headers)
    add_library(ClangC::headers INTERFACE IMPORTED)
    set_target_properties(ClangC::headers PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${ClangC_INCLUDE_DIR}")
endif()
