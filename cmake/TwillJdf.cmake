# Compile a file with twillc, with these arguments, and add NAME.c to a target, which may include "NAME.h".
# Where `verify` is true, the build ends where `twillc --verify` refutes the graph. TWILL_COMPILE_WITH is a
# command that runs the compiler, such as env with variables; usually empty.
function(twill_compile_graph target path name verify)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.jdf")
    file(MAKE_DIRECTORY "${folder}")
    set(made "${folder}/${name}.c" "${folder}/${name}.h")
    set(proof "")
    if(verify)
        set(proof COMMAND ${TWILL_COMPILE_WITH} $<TARGET_FILE:Twill::twillc> ${ARGN} --verify "${path}")
    endif()
    add_custom_command(OUTPUT ${made} ${proof}
        COMMAND ${TWILL_COMPILE_WITH} $<TARGET_FILE:Twill::twillc> ${ARGN} -o "${folder}/${name}.c" "${path}"
        DEPENDS "${path}" Twill::twillc
        COMMENT "Compiling ${name}" VERBATIM)
    target_sources(${target} PRIVATE ${made})
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# twill_add_jdf(TARGET [VERIFY] FILE.jdf ...): compile JDF files with twillc and add the C to a target,
# which may include "FILE.h" then. The target still says itself that it links Twill::twill.
function(twill_add_jdf target)
    cmake_parse_arguments(PARSE_ARGV 1 jdf "VERIFY" "" "")
    foreach(file IN LISTS jdf_UNPARSED_ARGUMENTS)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME_WE)
        twill_compile_graph(${target} "${path}" ${name} ${jdf_VERIFY})
    endforeach()
endfunction()

# twill_add_loops(TARGET [VERIFY] [FUNCTION NAME] [IN_PLACE | DISTRIBUTE] [OPTIONS ...] FILES FILE.c ...): read
# loops over tiles in sequential C as graphs. The target may include "FILE_ptg.h". With IN_PLACE or
# DISTRIBUTE, for all ranks, what is made stands in for FILE.c, which is no source of the target then.
function(twill_add_loops target)
    cmake_parse_arguments(PARSE_ARGV 1 loops "VERIFY;IN_PLACE;DISTRIBUTE" "FUNCTION" "OPTIONS;FILES")
    set(arguments --from-c ${loops_OPTIONS})
    if(loops_FUNCTION)
        list(APPEND arguments --function ${loops_FUNCTION})
    endif()
    if(loops_IN_PLACE)
        list(APPEND arguments --in-place)
    endif()
    if(loops_DISTRIBUTE)
        list(APPEND arguments --distribute)
    endif()
    foreach(file IN LISTS loops_FILES loops_UNPARSED_ARGUMENTS)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME_WE)
        twill_compile_graph(${target} "${path}" ${name}_ptg ${loops_VERIFY} ${arguments})
    endforeach()
endfunction()
