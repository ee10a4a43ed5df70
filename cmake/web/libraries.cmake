# The libraries of the browser edition, compiled for WebAssembly from Debian's sources, which cmake/web/toolchain.sh has
# unpacked into HEADLIGHT_WEB_SOURCES. They have the names that cmake/libraries.cmake gives them on the desktop.
# There is no OpenBLAS (products are Eigen's), no GLFW and no EGL (the page is the window), no Cairo (the browser prints)
# and neither fontconfig nor ICU (a page sees no font of the system, and the browser knows where lines end).

# headlight_web_source(VARIABLE folder): the unpacked source, whatever its version.
function(headlight_web_source variable folder)
  file(GLOB found LIST_DIRECTORIES true "${HEADLIGHT_WEB_SOURCES}/${folder}-*")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${HEADLIGHT_WEB_SOURCES} has ${count} folders of ${folder}; ./web makes them")
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# headlight_web_library(NAME SOURCES source... [INCLUDES folder...] [DEFINITIONS definition...] [LIBRARIES library...])
# INCLUDES are for the library and for everybody who uses it, DEFINITIONS for the library alone.
function(headlight_web_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDES;DEFINITIONS;LIBRARIES" ${ARGN})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_include_directories(${name} SYSTEM PUBLIC ${ARG_INCLUDES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_compile_options(${name} PRIVATE -w)
  target_link_libraries(${name} PUBLIC ${ARG_LIBRARIES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF CXX_CLANG_TIDY "")
endfunction()

# headlight_web_headers(NAME folder...): a library that is headers alone, taken from the system. A link of its own leads
# to each folder: /usr/include as a whole belongs to another machine.
function(headlight_web_headers name)
  foreach(folder IN LISTS ARGN)
    file(CREATE_LINK /usr/include/${folder} ${PROJECT_BINARY_DIR}/headers/${folder} SYMBOLIC)
  endforeach()
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/headers)
endfunction()

find_package(Threads REQUIRED)
include(cmake/web/fonts.cmake)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/headers)

# core
headlight_web_headers(Eigen3::Eigen eigen3)
target_include_directories(Eigen3::Eigen SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/headers/eigen3)
# An index of Eigen is as wide as a pointer otherwise, and ours has 64 bits.
target_compile_definitions(Eigen3::Eigen INTERFACE "EIGEN_DEFAULT_DENSE_INDEX_TYPE=std::int64_t")
headlight_web_headers(nlohmann_json::nlohmann_json nlohmann)
headlight_web_headers(tomlplusplus::tomlplusplus toml++)
headlight_web_headers(CLI11::CLI11 CLI)
headlight_web_headers(FastFloat fast_float)

headlight_web_source(fmt_source fmtlib)
headlight_web_library(fmt SOURCES ${fmt_source}/src/format.cc INCLUDES ${fmt_source}/include)
add_library(fmt::fmt ALIAS fmt)

headlight_web_source(zlib_source zlib)
file(GLOB sources ${zlib_source}/*.c)
headlight_web_library(zlib SOURCES ${sources} INCLUDES ${zlib_source} DEFINITIONS HAVE_UNISTD_H HAVE_STDARG_H)

headlight_web_source(md4c_source md4c-release)
headlight_web_library(md4c SOURCES ${md4c_source}/src/md4c.c INCLUDES ${md4c_source}/src DEFINITIONS MD4C_USE_UTF8)
add_library(PkgConfig::MD4C ALIAS md4c)

# libzip asks the compiler 61 times what the system has, which takes minutes. These are the answers of Emscripten's C library.
set(has EXPLICIT_BZERO FILENO FSEEKO FTELLO INTTYPES_H_LIBZIP LOCALTIME_R NULLABLE SNPRINTF STDBOOL_H STDDEF_H STDINT_H
  STDINT_H_LIBZIP STRCASECMP STRDUP STRTOLL STRTOULL SYS_TYPES_H SYS_TYPES_H_LIBZIP UNISTD_H)
set(lacks ARC4RANDOM CLONEFILE EXPLICIT_MEMSET FICLONERANGE FTS_H GETPROGNAME LIB_FTS SETMODE STRICMP _CLOSE _DUP _FDOPEN
  _FILENO _SETMODE _SNPRINTF _STRDUP _STRICMP _STRTOI64 _STRTOUI64 _UNLINK __INT8_LIBZIP __INT16_LIBZIP __INT32_LIBZIP
  __INT64_LIBZIP)
set(sizes INT8_T_LIBZIP=1 INT16_T_LIBZIP=2 INT32_T_LIBZIP=4 INT64_T_LIBZIP=8 UINT8_T_LIBZIP=1 UINT16_T_LIBZIP=2
  UINT32_T_LIBZIP=4 UINT64_T_LIBZIP=8 SHORT_LIBZIP=2 INT_LIBZIP=4 LONG_LIBZIP=4 LONG_LONG_LIBZIP=8 SIZEOF_OFF_T=8
  SIZEOF_SIZE_T=4)
foreach(name IN LISTS has)
  set(HAVE_${name} 1 CACHE INTERNAL "")
endforeach()
foreach(name IN LISTS lacks)
  set(HAVE_${name} "" CACHE INTERNAL "")
endforeach()
foreach(entry IN LISTS sizes)
  string(REPLACE "=" ";" entry ${entry})
  list(GET entry 0 name)
  list(GET entry 1 size)
  set(${name} ${size} CACHE INTERNAL "")
  set(HAVE_${name} TRUE CACHE INTERNAL "")
endforeach()
set(WORDS_BIGENDIAN 0 CACHE INTERNAL "")
headlight_web_source(libzip_source libzip)
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake/web/find)
function(headlight_web_libzip)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  set(CMAKE_UNITY_BUILD OFF)
  set(BUILD_SHARED_LIBS OFF)
  foreach(left_out IN ITEMS ENABLE_BZIP2 ENABLE_LZMA ENABLE_ZSTD ENABLE_COMMONCRYPTO ENABLE_GNUTLS ENABLE_MBEDTLS
          ENABLE_OPENSSL ENABLE_WINDOWS_CRYPTO BUILD_TOOLS BUILD_REGRESS BUILD_EXAMPLES BUILD_DOC)
    set(${left_out} OFF)
  endforeach()
  set(CMAKE_C_FLAGS "${CMAKE_C_FLAGS} -w")
  add_subdirectory(${libzip_source} ${PROJECT_BINARY_DIR}/libzip EXCLUDE_FROM_ALL)
endfunction()
headlight_web_libzip()
add_library(PkgConfig::LIBZIP INTERFACE IMPORTED GLOBAL)
target_include_directories(PkgConfig::LIBZIP SYSTEM INTERFACE ${libzip_source}/lib ${PROJECT_BINARY_DIR}/libzip)
target_link_libraries(PkgConfig::LIBZIP INTERFACE zip)

# app
headlight_web_source(freetype_source freetype)
set(sources)
foreach(source IN ITEMS
    base/ftbase base/ftbbox base/ftbitmap base/ftdebug base/ftglyph base/ftinit base/ftmm base/ftstroke base/ftsynth
    base/ftsystem autofit/autofit cff/cff gzip/ftgzip psaux/psaux pshinter/pshinter psnames/psnames sfnt/sfnt smooth/smooth
    truetype/truetype)
  list(APPEND sources ${freetype_source}/src/${source}.c)
endforeach()
headlight_web_library(freetype SOURCES ${sources} INCLUDES ${freetype_source}/include
  DEFINITIONS FT2_BUILD_LIBRARY "FT_CONFIG_MODULES_H=<${PROJECT_SOURCE_DIR}/cmake/web/include/freetype_modules.h>")
add_library(Freetype::Freetype ALIAS freetype)

headlight_web_source(harfbuzz_source harfbuzz)
# Left out is what a static font of our own never needs: tables of Apple's, colours, bitmaps, variations, mathematics, vertical
# lines, and texts of buffers.
set(left_out AAT BITMAP BORING_EXPANSION BUFFER_MESSAGE BUFFER_SERIALIZE BUFFER_VERIFY COLOR GETENV LAYOUT_UNUSED MATH META MMAP MT
  OPEN OT_FONT_GLYPH_NAMES PAINT SETLOCALE STYLE VAR VERTICAL)
list(TRANSFORM left_out PREPEND HB_NO_)
headlight_web_library(harfbuzz SOURCES ${harfbuzz_source}/src/harfbuzz-subset.cc INCLUDES ${harfbuzz_source}/src
  DEFINITIONS HB_OPTIMIZE_SIZE HB_OPTIMIZE_SIZE_MORE ${left_out})
if(HEADLIGHT_QUICK_PAGE)
  # Clang takes two minutes to inline what HarfBuzz always wants inlined, and half a minute without.
  target_compile_options(harfbuzz PRIVATE -O0)
endif()
add_library(PkgConfig::HARFBUZZ ALIAS harfbuzz)

headlight_web_source(fribidi_source fribidi)
file(GLOB sources ${fribidi_source}/lib/*.c)
list(FILTER sources EXCLUDE REGEX "char-sets|deprecated")
headlight_web_library(fribidi SOURCES ${sources} INCLUDES ${fribidi_source}/lib
  DEFINITIONS STDC_HEADERS HAVE_STRINGIZE HAVE_STRING_H HAVE_MEMORY_H HAVE_STDLIB_H)
target_compile_definitions(fribidi PUBLIC DONT_HAVE_FRIBIDI_CONFIG_H)
add_library(PkgConfig::FRIBIDI ALIAS fribidi)

headlight_web_source(png_source libpng)
file(COPY_FILE ${png_source}/scripts/pnglibconf.h.prebuilt ${png_source}/pnglibconf.h ONLY_IF_DIFFERENT)
file(GLOB sources ${png_source}/png*.c)
list(FILTER sources EXCLUDE REGEX "/pngtest[.]c$")
headlight_web_library(png SOURCES ${sources} INCLUDES ${png_source} LIBRARIES zlib)
add_library(PkgConfig::PNG ALIAS png)

headlight_web_source(gif_source giflib)
set(sources)
foreach(source IN ITEMS dgif_lib egif_lib gifalloc gif_err gif_hash openbsd-reallocarray quantize)
  list(APPEND sources ${gif_source}/${source}.c)
endforeach()
headlight_web_library(gif SOURCES ${sources} INCLUDES ${gif_source})
add_library(PkgConfig::GIF ALIAS gif)

headlight_web_source(pugixml_source pugixml)
headlight_web_library(pugixml SOURCES ${pugixml_source}/src/pugixml.cpp INCLUDES ${pugixml_source}/src)
add_library(PkgConfig::PUGIXML ALIAS pugixml)

headlight_web_source(imgui_source imgui)
set(sources)
foreach(source IN ITEMS imgui imgui_draw imgui_tables imgui_widgets backends/imgui_impl_opengl3
    misc/cpp/imgui_stdlib)
  list(APPEND sources ${imgui_source}/${source}.cpp)
endforeach()
set_source_files_properties(${imgui_source}/backends/imgui_impl_opengl3.cpp PROPERTIES
  COMPILE_DEFINITIONS "glGetIntegerv=known_gl_integer;glIsEnabled=known_gl_switch")
list(APPEND sources ${PROJECT_SOURCE_DIR}/cmake/web/known_state.cpp)
headlight_web_library(imgui SOURCES ${sources} INCLUDES ${imgui_source} ${imgui_source}/misc/cpp)
add_library(PkgConfig::IMGUI ALIAS imgui)

# OpenGL ES 3 is the browser's; the header that the sources include leads to it.
add_library(PkgConfig::EPOXY INTERFACE IMPORTED)
target_include_directories(PkgConfig::EPOXY INTERFACE ${PROJECT_SOURCE_DIR}/cmake/web/include)
