# The libraries that Headlight is built from, each found here and nowhere else. Those of the tests are in tests/.
if(EMSCRIPTEN)
  include(cmake/web/libraries.cmake)
  return()
endif()
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# core
find_package(fmt REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
# Not Debian's serial build of it: called from several threads, it now and then gives wrong products (0.3.21).
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
find_package(ZLIB REQUIRED)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)

# app
find_package(CLI11 REQUIRED)
find_package(Freetype REQUIRED)
find_package(glfw3 REQUIRED)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo-ft cairo-pdf)
pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)
pkg_check_modules(FRIBIDI REQUIRED IMPORTED_TARGET fribidi)
pkg_check_modules(GIF REQUIRED IMPORTED_TARGET libgif)
pkg_check_modules(HARFBUZZ REQUIRED IMPORTED_TARGET harfbuzz-subset)
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(PUGIXML REQUIRED IMPORTED_TARGET pugixml)
pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd)  # its client of D-Bus
