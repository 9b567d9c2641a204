# What `cmake --install` puts where: headers, both libraries, the command, its man page and
# completions, documents and examples, peers, and the files that let other projects find Twill.
include(CMakePackageConfigHelpers)

install(TARGETS twill twill_static pcp pcp_static twillc EXPORT TwillTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TWILL_MPI_MODULES)
    install(TARGETS ${TWILL_MPI_MODULES} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TWILL_DEVICE_MODULES)
    install(TARGETS ${TWILL_DEVICE_MODULES} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/twill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN "*.h")
install(FILES include/pcp/pcp.h include/pcp/spin-barrier.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

if(TARGET twill_command)
    install(TARGETS twill_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES docs/twill.1 docs/twillc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    foreach(program twill twillc)
        install(FILES completions/${program}.bash RENAME ${program}
                DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    endforeach()
    install(FILES completions/_twill completions/_twillc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES completions/twill.fish completions/twillc.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
# Man pages of the functions, made from the headers.
file(GLOB reference_headers CONFIGURE_DEPENDS include/twill/*.h)
set(reference "${PROJECT_BINARY_DIR}/man3")
add_custom_command(OUTPUT "${reference}/twill.h.3"
                   COMMAND "${PROJECT_SOURCE_DIR}/scripts/reference" "${reference}"
                   DEPENDS scripts/reference scripts/api ${reference_headers} VERBATIM)
add_custom_target(reference ALL DEPENDS "${reference}/twill.h.3")
install(DIRECTORY "${reference}/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

# Documents lie as they do here, so that their links lead somewhere.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING
        PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What `twill bench` measures beside us, as far as it was built.
if(TWILL_PEERS)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/peers" DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/twill
            USE_SOURCE_PERMISSIONS)
endif()

# find_package(Twill)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Twill)
configure_package_config_file(cmake/TwillConfig.cmake.in TwillConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(TwillConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT TwillTargets NAMESPACE Twill:: DESTINATION ${package_dir})
install(FILES "${PROJECT_BINARY_DIR}/TwillConfig.cmake"
              "${PROJECT_BINARY_DIR}/TwillConfigVersion.cmake" cmake/FindHwloc.cmake
              cmake/TwillJdf.cmake
        DESTINATION ${package_dir})

# pkg-config twill, and twill-static, since linkers prefer the shared library where both lie; they
# find the prefix from where they lie, so that a moved tree works.
file(RELATIVE_PATH TWILL_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" TWILL_PC_TO_PREFIX "${TWILL_PC_TO_PREFIX}")
set(pc_name Twill)
set(pc_libs "-L\${libdir} -ltwill\nLibs.private: -lhwloc -lpthread -ldl -lm")
configure_file(cmake/twill.pc.in twill.pc @ONLY)
set(pc_name "Twill (static)")
set(pc_libs "\${libdir}/libtwill.a -lhwloc -lpthread -ldl -lm")
configure_file(cmake/twill.pc.in twill-static.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/twill.pc" "${PROJECT_BINARY_DIR}/twill-static.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} "-DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt"
            -P "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake"
    VERBATIM)
