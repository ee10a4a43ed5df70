# headlight_web_fonts(VARIABLE font...): the fonts cut to what a page is likely to show. They keep their names.
# That is every character in the program's own words, and the alphabets of Europe for what people type.
function(headlight_web_fonts variable)
  set(folder ${PROJECT_BINARY_DIR}/fonts)
  set(cut ${PROJECT_SOURCE_DIR}/cmake/web/cut_fonts.py)
  execute_process(COMMAND /usr/bin/python3 ${cut} ${PROJECT_SOURCE_DIR} ${folder} ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cut})
  set(cut_fonts)
  foreach(font IN LISTS ARGN)
    cmake_path(GET font FILENAME name)
    list(APPEND cut_fonts ${folder}/${name})
  endforeach()
  set(${variable} ${cut_fonts} PARENT_SCOPE)
endfunction()
