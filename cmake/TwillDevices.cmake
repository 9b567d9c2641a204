# Modules for devices, each built where what it needs is found: the library is linked to none of it.
option(TWILL_OPENCL "Build the module for OpenCL devices if OpenCL is found" ON)

set(TWILL_DEVICE_MODULES "")

# twill_device_module(NAME SOURCES...): the module libtwill-NAME.so.
function(twill_device_module name)
    set(target twill_${name})
    add_library(${target} MODULE ${ARGN})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME twill-${name} C_VISIBILITY_PRESET hidden)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                                 "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(${target} PRIVATE twill_flags Threads::Threads)
    set(TWILL_DEVICE_MODULES ${TWILL_DEVICE_MODULES} ${target} PARENT_SCOPE)
endfunction()

# twill_embed_text(RESULT SYMBOL FILE...): the files, one after the other, as one string of C.
function(twill_embed_text result symbol)
    set(source "${PROJECT_BINARY_DIR}/${symbol}.c")
    set(text "/* Made by cmake/TwillDevices.cmake. */\nextern const char ${symbol}[];\nconst char ${symbol}[] = {\n")
    foreach(file ${ARGN})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
        file(READ "${file}" bytes HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
        string(APPEND text "${bytes}\n")
    endforeach()
    file(CONFIGURE OUTPUT "${source}" CONTENT "${text}0};\n" @ONLY)
    set(${result} "${source}" PARENT_SCOPE)
endfunction()

if(TWILL_OPENCL)
    find_package(OpenCL QUIET)
endif()
if(TWILL_OPENCL AND OpenCL_FOUND)
    set(opencl "${PROJECT_SOURCE_DIR}/src/device/opencl")
    file(GLOB sources CONFIGURE_DEPENDS "${opencl}/*.c")
    set(kernels elements multiply blocks panels) # each uses those before it
    list(TRANSFORM kernels REPLACE "(.+)" "${opencl}/kernels/\\1.cl")
    twill_embed_text(embedded tw_ocl_source ${kernels})
    twill_device_module(opencl ${sources} "${embedded}")
    target_link_libraries(twill_opencl PRIVATE OpenCL::OpenCL)
endif()
