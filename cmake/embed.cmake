# embed_files(TARGET file...): puts files into the binary as they are. Each is reached through a pair of symbols that
# are made from the file's name, every character outside [A-Za-z0-9] turned into "_":
#   extern "C" const char _binary_Inter_Regular_otf_start[], _binary_Inter_Regular_otf_end[];
# On the desktop the linker makes them by itself; the one for WebAssembly can't, but its assembler can include a file.
function(embed_files target)
  foreach(path IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH path NORMALIZE)
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(GET path FILENAME name)
    set(built "${CMAKE_CURRENT_BINARY_DIR}/${target}.embedded")
    file(MAKE_DIRECTORY "${built}")
    set(object "${built}/${name}.o")
    if(EMSCRIPTEN)
      set(assembly "${built}/${name}.s")
      string(MAKE_C_IDENTIFIER "_binary_${name}" symbol)
      file(SIZE "${path}" bytes)
      configure_file("${PROJECT_SOURCE_DIR}/cmake/web/embedded.s.in" "${assembly}" @ONLY)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")  # its size is in the assembly
      set(command "${CMAKE_CXX_COMPILER}" -c "${assembly}" -o "${object}")
    else()
      set(assembly)
      set(command "${CMAKE_LINKER}" -r -b binary -z noexecstack -o "${object}" "${name}")
    endif()
    add_custom_command(
      OUTPUT "${object}"
      COMMAND ${command}
      WORKING_DIRECTORY "${folder}"
      DEPENDS "${path}" ${assembly}
      COMMENT "Embedding ${name}"
      VERBATIM)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE "${object}")
  endforeach()
endfunction()
