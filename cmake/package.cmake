# What `cmake --install` puts beside the libraries of the parts, and `make package`'s Debian package.
if(QUARTOZERO_TORCH)
  install(TARGETS quartozero)
  install(TARGETS quartozero_torch_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quartozero)
  # Made by the program itself, so that they cannot differ from its --help. Made with the build, so that two installations
  # at once from one build tree only read them.
  set(made ${PROJECT_BINARY_DIR}/shell)
  add_custom_command(OUTPUT ${made}/made
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:quartozero> -DMADE=${made} -P ${PROJECT_SOURCE_DIR}/cmake/shell.cmake
    DEPENDS quartozero ${PROJECT_SOURCE_DIR}/cmake/shell.cmake
    COMMENT "Writing shell completions and manual pages"
    VERBATIM)
  add_custom_target(quartozero_shell ALL DEPENDS ${made}/made)
  install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${made}/bash/quartozero DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${made}/zsh/_quartozero DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${made}/fish/quartozero.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/quartozero)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/eval/suites DESTINATION ${CMAKE_INSTALL_DATADIR}/quartozero/eval)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/checkpoints DESTINATION ${CMAKE_INSTALL_DATADIR}/quartozero
    FILES_MATCHING PATTERN "*.safetensors" PATTERN "config.yaml" PATTERN "checksums.txt")
endif()
# What messages and --help call docs/..., and what these pages link to.
foreach(file README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE NOTICES.md SECURITY.md)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
foreach(folder check checkpoints docs eval/suites examples web/npm)
  cmake_path(GET folder PARENT_PATH parent)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${parent} FILES_MATCHING
    PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "*.jsonl" PATTERN "*.py" PATTERN "*.ipynb" PATTERN "*.cpp" PATTERN "*.h" PATTERN "CMakeLists.txt" PATTERN "*.sh")
endforeach()
# The license, and those of what is compiled in; Debian's policy wants the file here.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/quartozero)
# It starts the program that is installed with it, wherever that is.
install(CODE "
  file(READ \"${PROJECT_SOURCE_DIR}/deploy/serve/quartozero-serve.service\" unit)
  string(REPLACE /usr/bin/ \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/\" unit \"\${unit}\")
  set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/quartozero-serve.service\")
  message(STATUS \"Installing: \${file}\")
  file(WRITE \"\${file}\" \"\${unit}\")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/quartozero-serve.service\")
")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quartozero)
set(CPACK_PACKAGE_CONTACT "the quartozero maintainers <maintainers@users.noreply.example>")
set(CPACK_DEBIAN_PACKAGE_SECTION games)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The libraries that the programs were linked with, by the packages they come from. OpenBLAS is not among them, but without
# it LibTorch is 5 to 60 times slower.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(QUARTOZERO_TORCH)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libopenblas0-openmp")
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/deploy/serve/prerm)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
