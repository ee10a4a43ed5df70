# shellcheck shell=sh disable=SC2086,SC3013  # lists of packages are split on purpose; Debian's sh knows -nt
# Sourced from the top folder by every script that builds: installs what is missing, then builds.
# Everything that is said here goes to stderr: stdout belongs to the program that is started.

# The names in packages.txt that carry one of the given labels, which that file lists.
packages() {
  for label in "$@"; do
    sed -n "s/^$label //p" .ci/packages.txt
  done
}

# Installs the packages of the given labels that are missing. One call of dpkg-query when none is.
install_packages() {
  command -v dpkg-query >/dev/null || {
    echo "This is not Debian: install what .ci/packages.txt names, then: cmake --workflow --preset release" >&2
    return 3
  }
  wanted=$(packages "$@")
  # dpkg-query fails when it does not know a name; that one is then missing from what it prints.
  installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^installed //p')
  missing=$(printf '%s\n' $wanted | grep -vxF "${installed:-none}" | tr '\n' ' ')
  [ -n "$missing" ] || return 0

  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null; then
    as_root=sudo
  else
    echo "Missing packages, and neither root nor sudo to install them. As root:" >&2
    echo "  apt-get install --no-install-recommends $missing" >&2
    return 3
  fi
  echo "Installing $missing" >&2
  # Old lists name files that mirrors no longer have. Without a network the packages may still be cached.
  $as_root apt-get update -qq </dev/null >&2 || echo "apt-get update failed; trying with the lists at hand" >&2
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq --yes --no-install-recommends -o Dpkg::Use-Pty=0 $missing </dev/null >&2 || {
    echo "Could not install: $missing" >&2
    return 3
  }
}

# configure PRESET: when that was never done here or the presets changed.
configure() {
  folder=build/$1
  if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; then
    cmake --preset "$1" --fresh >&2 || return 3
  elif [ ! -e "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ]; then
    cmake --preset "$1" >&2 || return 3
  fi
}

# build PRESET [TARGET...]: configures where needed, then builds.
build() {
  preset=$1
  shift
  configure "$preset" || return 3
  cmake --build --preset "$preset" ${1:+--target "$@"} >&2 || return 3
}
