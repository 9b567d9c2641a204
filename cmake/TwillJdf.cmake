# twill_add_jdf(TARGET FILE.jdf ...): compile JDF files with twillc and add the C to a target, which
# may include "FILE.h" then. The target still says itself that it links Twill::twill.
function(twill_add_jdf target)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.jdf")
    file(MAKE_DIRECTORY "${folder}")
    foreach(file IN LISTS ARGN)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME_WE)
        set(made "${folder}/${name}.c" "${folder}/${name}.h")
        add_custom_command(OUTPUT ${made}
            COMMAND Twill::twillc -o "${folder}/${name}.c" "${path}"
            DEPENDS "${path}" Twill::twillc
            COMMENT "Compiling ${name}.jdf" VERBATIM)
        target_sources(${target} PRIVATE ${made})
    endforeach()
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()
