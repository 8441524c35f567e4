# What `cmake --install` and packages hold: the program, its templates and recipes, documentation, examples, the header
# and pkg-config file for those who link a suite's objects, and what shells and man complete and show.
include(GNUInstallDirs)

install(TARGETS trauma DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY templates recipes DESTINATION "${CMAKE_INSTALL_DATADIR}/traumagen")

# The links of these pages lead to each other, so they lie as in the source tree.
set(documents "${CMAKE_INSTALL_DOCDIR}")
install(FILES README.md LICENSE CHANGELOG.md Containerfile action.yml DESTINATION "${documents}")
install(DIRECTORY docs examples DESTINATION "${documents}" USE_SOURCE_PERMISSIONS)
install(FILES recipes/README.md DESTINATION "${documents}/recipes")
install(DIRECTORY recipes/gallery DESTINATION "${documents}/recipes")

install(FILES templates/trauma.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/traumagen")
configure_file(cmake/traumagen.pc.in traumagen.pc @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/traumagen.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")

# The program writes its own manual and completions, from the tables of --help; one for another machine cannot run here.
if(NOT CMAKE_CROSSCOMPILING)
  set(shell "${CMAKE_BINARY_DIR}/shell")
  add_custom_command(
    OUTPUT "${shell}/made"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${shell}/man"
    COMMAND trauma man -o "${shell}/man"
    COMMAND trauma completion bash -o "${shell}/trauma"
    COMMAND trauma completion zsh -o "${shell}/_trauma"
    COMMAND trauma completion fish -o "${shell}/trauma.fish"
    COMMAND "${CMAKE_COMMAND}" -E touch "${shell}/made"
    DEPENDS trauma VERBATIM)
  add_custom_target(trauma_shell ALL DEPENDS "${shell}/made")
  install(DIRECTORY "${shell}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" FILES_MATCHING PATTERN "*.1")
  install(FILES "${shell}/trauma" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${shell}/_trauma" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${shell}/trauma.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()

add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
                  -P "${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake" VERBATIM)

# Packages: cpack -G DEB in the build folder; docs/releasing.md.
set(CPACK_PACKAGE_NAME traumagen)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_VENDOR TraumaGen)
set(CPACK_PACKAGE_CONTACT "TraumaGen maintainers <traumagen@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "microbenchmarks that behave as a recipe states")
set(CPACK_PACKAGE_DESCRIPTION "TraumaGen generates machine code with a stated behaviour (cache misses, branches, bit
patterns), runs it, and reports with evidence whether each rate is met.")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "valgrind, gnuplot-nox")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "qemu-user, qemu-system-x86, qemu-system-arm, qemu-system-riscv | qemu-system-misc, ocl-icd-libopencl1")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
