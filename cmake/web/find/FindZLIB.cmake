# Lets libzip use the zlib that cmake/web/libraries.cmake compiles.
set(ZLIB_FOUND TRUE)
set(ZLIB_VERSION_STRING 1.3.1)
get_target_property(ZLIB_INCLUDE_DIRS zlib INTERFACE_INCLUDE_DIRECTORIES)
set(ZLIB_LIBRARIES zlib)
if(NOT TARGET ZLIB::ZLIB)
  # Not an alias: libzip has rules to install itself, which would ask for those of zlib.
  add_library(ZLIB::ZLIB INTERFACE IMPORTED GLOBAL)
  target_link_libraries(ZLIB::ZLIB INTERFACE zlib)
endif()
