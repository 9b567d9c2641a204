# Puts the trace page together: viewer/ becomes one HTML file that needs nothing else, and that
# file a C array.
#
#   cmake -D VIEWER=viewer -D PAGE=viewer_page.html [-D SOURCE=viewer_page.c]
#         -P cmake/EmbedViewer.cmake
#
# Included from a CMakeLists.txt it defines twill_embed_viewer(), which does this during the build.
#
# The modules are joined in the order of their imports into one script, so the names at their top
# levels must differ: the browser refuses the page when two are equal. An import is written
# `import { name, name } from "./module.js";` and an export in front of what it exports.

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(TWILL_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

    # twill_embed_viewer(RESULT): RESULT is the C file that the build makes from viewer/.
    function(twill_embed_viewer result)
        set(viewer "${PROJECT_SOURCE_DIR}/viewer")
        set(page "${PROJECT_BINARY_DIR}/viewer_page.html")
        set(source "${PROJECT_BINARY_DIR}/viewer_page.c")
        file(GLOB parts CONFIGURE_DEPENDS "${viewer}/*.html" "${viewer}/*.css" "${viewer}/*.js")
        add_custom_command(OUTPUT "${source}" "${page}"
            COMMAND ${CMAKE_COMMAND} -D "VIEWER=${viewer}" -D "PAGE=${page}" -D "SOURCE=${source}"
                    -P "${TWILL_EMBED_SCRIPT}"
            DEPENDS ${parts} "${TWILL_EMBED_SCRIPT}"
            COMMENT "Putting the trace page together" VERBATIM)
        set(${result} "${source}" PARENT_SCOPE)
    endfunction()
    return()
endif()

cmake_minimum_required(VERSION 3.20)
set(import_pattern "\nimport[ \n]*{[^}]*}[ \n]*from[ \n]*\"\\./([a-z0-9_]+)\\.js\"")

# Append a module to the script, after the modules that it imports; each of them once.
function(add_module name)
    get_property(seen GLOBAL PROPERTY seen_modules)
    if(name IN_LIST seen)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY seen_modules ${name})

    file(READ "${VIEWER}/${name}.js" text)
    string(PREPEND text "\n")
    string(REGEX MATCHALL "${import_pattern}" imports "${text}")
    foreach(import IN LISTS imports)
        string(REGEX REPLACE ".*/([a-z0-9_]+)\\.js\"$" "\\1" needed "${import}")
        add_module(${needed})
    endforeach()

    string(REGEX REPLACE "${import_pattern};" "" text "${text}")
    string(REGEX REPLACE "\nexport (const|let|async|function|class) " "\n\\1 " text "${text}")
    if(text MATCHES "\n(import|export)[^a-zA-Z]")
        message(FATAL_ERROR "${name}.js: an import or export of a form that cannot be joined")
    endif()
    set_property(GLOBAL APPEND_STRING PROPERTY script "\n// ---- ${name}.js${text}")
endfunction()

# Replace a marker that must be there exactly once.
function(fill_in marker text)
    string(FIND "${page}" "${marker}" first)
    string(FIND "${page}" "${marker}" last REVERSE)
    if(first EQUAL -1 OR NOT first EQUAL last)
        message(FATAL_ERROR "page.html must have ${marker} once")
    endif()
    string(REPLACE "${marker}" "${text}" page "${page}")
    set(page "${page}" PARENT_SCOPE)
endfunction()

file(READ "${VIEWER}/page.html" page)
file(GLOB sheets "${VIEWER}/*.css")
list(SORT sheets)
set(style "")
foreach(sheet IN LISTS sheets)
    file(READ "${sheet}" text)
    string(APPEND style "${text}")
endforeach()
add_module(main)
get_property(script GLOBAL PROPERTY script)
string(TOLOWER "${script}" lower)
if(lower MATCHES "</script|<!--")
    message(FATAL_ERROR "a module contains the end of a script element or a comment of HTML")
endif()

fill_in("<!--TWILL_STYLE-->" "<style>\n${style}</style>")
fill_in("<!--TWILL_SCRIPT-->" "<script type=\"module\">${script}</script>")
foreach(marker META DATA)
    fill_in("<!--TWILL_${marker}-->" "<!--TWILL_${marker}-->")
endforeach()
file(WRITE "${PAGE}" "${page}")

if(SOURCE)
    file(READ "${PAGE}" bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR length "${digits} / 2")
    set(pair "[0-9a-f][0-9a-f]")
    string(REGEX REPLACE "(${pair}${pair}${pair}${pair}${pair}${pair}${pair}${pair})" "\\1\n"
           bytes "${bytes}")
    string(REGEX REPLACE "(${pair})" "'\\\\x\\1'," bytes "${bytes}")
    # Characters and not numbers: what does not fit a signed char is no reason for a warning.
    file(WRITE "${SOURCE}" "/* Made from viewer/ by cmake/EmbedViewer.cmake. */\n"
         "#include \"trace/output/viewer_page.h\"\n\n"
         "const size_t tw_viewer_page_length = ${length};\n"
         "const char tw_viewer_page[] = {\n${bytes}'\\0'};\n")
endif()
