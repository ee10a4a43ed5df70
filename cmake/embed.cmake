# embed_files(TARGET file...): puts files into the binary as they are. Each is reached through a pair of symbols that
# the linker makes from the file's name, every character outside [A-Za-z0-9] turned into "_":
#   extern "C" const char _binary_Inter_Regular_otf_start[], _binary_Inter_Regular_otf_end[];
function(embed_files target)
  foreach(path IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH path NORMALIZE)
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(GET path FILENAME name)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND "${CMAKE_LINKER}" -r -b binary -z noexecstack -o "${object}" "${name}"
      WORKING_DIRECTORY "${folder}"
      DEPENDS "${path}"
      COMMENT "Embedding ${name}"
      VERBATIM)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE "${object}")
  endforeach()
endfunction()
