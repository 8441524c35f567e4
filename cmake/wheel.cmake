# What the Python package holds besides its Python (pyproject.toml): the program in bin/, templates and recipes in
# share/traumagen, where it looks for them, and in lib/ the libraries that it needs, once each, as a wheel has no links.
# Those of the C library, the compiler and zlib are the system's, as others that are loaded at run time need them too.
install(DIRECTORY templates recipes DESTINATION share/traumagen COMPONENT wheel)
install(TARGETS trauma DESTINATION bin COMPONENT wheel)
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:trauma>\" RESOLVED_DEPENDENCIES_VAR libraries
       PRE_EXCLUDE_REGEXES \"^ld-linux\" \"^lib(c|m|dl|rt|pthread|resolv|gcc_s|z)\\\\.so\")
  file(MAKE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}/lib\")
  foreach(library \${libraries})
    get_filename_component(name \"\${library}\" NAME)
    file(COPY_FILE \"\${library}\" \"\${CMAKE_INSTALL_PREFIX}/lib/\${name}\")
  endforeach()" COMPONENT wheel)
# A run path of the old kind also serves what libraries need themselves.
set_target_properties(trauma PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
target_link_options(trauma PRIVATE -Wl,--disable-new-dtags)
