# twill_add_jdf(TARGET [VERIFY] FILE.jdf ...): compile JDF files with twillc and add the C to a target,
# which may include "FILE.h" then. With VERIFY the build ends where `twillc --verify` refutes a graph.
# The target still says itself that it links Twill::twill.
function(twill_add_jdf target)
    cmake_parse_arguments(JDF "VERIFY" "" "" ${ARGN})
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.jdf")
    file(MAKE_DIRECTORY "${folder}")
    foreach(file IN LISTS JDF_UNPARSED_ARGUMENTS)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME_WE)
        set(made "${folder}/${name}.c" "${folder}/${name}.h")
        set(verify "")
        if(JDF_VERIFY)
            set(verify COMMAND Twill::twillc --verify "${path}")
        endif()
        add_custom_command(OUTPUT ${made} ${verify}
            COMMAND Twill::twillc -o "${folder}/${name}.c" "${path}"
            DEPENDS "${path}" Twill::twillc
            COMMENT "Compiling ${name}.jdf" VERBATIM)
        target_sources(${target} PRIVATE ${made})
    endforeach()
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()
