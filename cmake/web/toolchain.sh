# shellcheck shell=sh disable=SC2086  # lists of packages are split on purpose
# The compiler and the libraries' sources of the browser edition, sourced by ./web. They are put into build/web-tools
# once.
#
# The compiler is Debian 13's emscripten, because Debian 12's lacks half of C++20's library. It is unpacked beside the
# system, on both, and uses the system's clang 19. The sources are Debian's too.

web_release=trixie
# libzip is Debian 12's: it is enough for npz, and simpler to compile.
web_sources="imgui freetype zlib giflib md4c pugixml harfbuzz fribidi libpng1.6 fmtlib libzip=1.7.3-1"

# The address that this machine's own list of packages names for Debian.
debian_uri() {
  # shellcheck disable=SC2016  # apt fills these in
  apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' | awk '$2 !~ /-/ {print $1; exit}'
}

# apt-get with lists of its own, so that nothing that belongs to the system changes.
web_apt() {
  apt-get -o Dir::Etc::SourceList="$tools/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State="$tools/apt/state" -o Dir::State::status="$tools/apt/status" -o Dir::Cache="$tools/apt/cache" \
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false -o Acquire::IndexTargets::deb-src::Contents-dsc::DefaultEnabled=false \
    -o APT::Sandbox::User=root -o Debug::NoLocking=1 -o Dpkg::Use-Pty=0 "$@"
}

web_lists() {
  [ ! -e "$tools/apt/updated" ] || return 0
  mkdir -p "$tools/apt/state/lists/partial" "$tools/apt/cache/archives/partial"
  : >"$tools/apt/status"
  uri=$(debian_uri)
  if [ -z "$uri" ]; then  # a machine whose lists were removed, as in container images
    $([ "$(id -u)" = 0 ] || echo sudo) apt-get update -qq </dev/null >&2
    uri=$(debian_uri)
  fi
  from="[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri"
  printf '%s\n' "deb $from $web_release main" "deb-src $from $web_release main" "deb-src $from bookworm main" \
    >"$tools/apt/sources.list"
  web_apt update -qq </dev/null >&2
  : >"$tools/apt/updated"
}

# The programs of binaryen are of Debian 13, so they are started with its libraries.
unpack_emscripten() {
  packages="emscripten binaryen libc6 libstdc++6 libgcc-s1 node-acorn"
  (cd "$tools/apt" && web_apt download -qq $packages >&2)
  for package in "$tools"/apt/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$emscripten" \
      --exclude='*/lto' --exclude='*/lto/*' --exclude='*/lto-pic/*' --exclude='*/pic/*' --exclude='*/test/*' --exclude='*/doc/*'
    rm "$package"
  done
  loader=$(find "$emscripten" -name 'ld-linux-x86-64.so.2' -type f | head -n 1)
  folders=$(find "$emscripten" -name 'libstdc++.so.6' -o -name 'libc.so.6' -o -name 'libbinaryen.so*' | sed 's|/[^/]*$||' |
    sort -u | tr '\n' ':')
  for program in "$emscripten"/usr/bin/wasm-*; do
    mv "$program" "$program.real"
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$folders" "$program.real" >"$program"
    chmod +x "$program"
  done
  ln -sfn ../nodejs "$emscripten/usr/share/emscripten/node_modules"
}

prepare_emscripten() {
  emscripten=$tools/emscripten
  if [ ! -e "$emscripten/ready" ]; then
    rm -rf "$emscripten"
    mkdir -p "$emscripten"
    web_lists
    echo "Unpacking emscripten" >&2
    unpack_emscripten
    cat >"$emscripten/config.py" <<CONFIG
LLVM_ROOT = '/usr/lib/llvm-19/bin'
BINARYEN_ROOT = '$emscripten/usr'
NODE_JS = '$(command -v node || command -v nodejs)'
EMSCRIPTEN_ROOT = '$emscripten/usr/share/emscripten'
CACHE = '$emscripten/usr/share/emscripten/cache'
FROZEN_CACHE = True
CONFIG
    : >"$emscripten/ready"
  fi
  EM_CONFIG=$emscripten/config.py
  export EM_CONFIG
}

prepare_sources() {
  sources=$tools/sources
  [ ! -e "$sources/ready" ] || return 0
  rm -rf "$sources"
  mkdir -p "$sources"
  web_lists
  echo "Unpacking the libraries' sources" >&2
  # --tar-only: as their authors published them. An empty list of installed packages lets apt look at nothing else.
  (cd "$sources" && web_apt source -qq --tar-only --download-only $web_sources >&2)
  for archive in "$sources"/*.orig.tar.*; do
    tar -x -C "$sources" -f "$archive"
    rm "$archive"
  done
  : >"$sources/ready"
}
