# shellcheck shell=sh disable=SC2046,SC2086,SC3013  # lists of packages are split on purpose; Debian's sh knows -nt
# Sourced from the top folder by every script that builds: installs what is missing, then builds.
# Everything that is said here goes to stderr: stdout belongs to the program that is started.

# The names in packages.txt that carry one of the given labels, which that file lists.
packages() {
  for label in "$@"; do
    sed -n "s/^$label //p" .ci/packages.txt
  done
}

# What dpkg knows of these packages, a line for each: status, name and version. A name that it does not know has none.
state_of() {
  dpkg-query --show --showformat '${db:Status-Status} ${Package} ${Version}\n' "$@" 2>/dev/null || true
}

# Installs the packages of the given labels that are missing. One call of dpkg-query when none is.
install_packages() {
  command -v dpkg-query >/dev/null || {
    echo "This is not Debian: install what .ci/packages.txt names, then: cmake --workflow --preset release" >&2
    return 3
  }
  wanted=$(packages "$@")
  installed=$(state_of $wanted | sed -n 's/^installed \([^ ]*\) .*/\1/p')
  missing=$(printf '%s\n' $wanted | grep -vxF "${installed:-none}" | sort -u | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0

  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null; then
    as_root=sudo
    sudo true || {
      echo "sudo did not let you in. Somebody who may use it, or root, has to install these packages once:" >&2
      echo "  apt-get install --no-install-recommends $missing" >&2
      return 3
    }
  else
    echo "Missing packages, and neither root nor sudo to install them. As root:" >&2
    echo "  apt-get install --no-install-recommends $missing" >&2
    return 3
  fi
  echo "Installing $missing" >&2
  said=$(mktemp)
  # Old lists name files that mirrors no longer have. Without a network the packages may still be cached.
  run_apt update -qq || echo "apt-get update failed; trying with the lists at hand" >&2
  run_apt install -qq --yes --no-install-recommends -o Dpkg::Use-Pty=0 $missing || {
    echo "Could not install: $missing" >&2
    say_what_to_do "$said" >&2
    rm -f "$said"
    return 3
  }
  rm -f "$said"
}

# Runs apt-get as root, and keeps what it says in the file $said. While another program holds a lock of the package
# manager, as the updates of a new desktop do, it tries again, for up to five minutes.
run_apt() {
  waited=0
  while ! apt_once "$@"; do
    grep -qE 'Could not get lock|Unable to (lock|acquire)' "$said" || return 1
    [ "$waited" -lt 300 ] || return 1
    [ "$waited" -gt 0 ] || {
      echo "Another program is using the package manager$(sed -n 's/.*It is held by process \([0-9]* ([^)]*)\).*/: process \1/p' "$said" | head -n 1)." >&2
      echo "Waiting up to five minutes until it has finished" >&2
    }
    sleep 5
    waited=$((waited + 5))
  done
}

apt_once() {
  # In English, because run_apt and say_what_to_do look for apt's words.
  $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get "$@" </dev/null >"$said" 2>&1 && status=0 || status=$?
  [ "$status" = 0 ] || grep -qE 'Could not get lock|Unable to (lock|acquire)' "$said" || cat "$said" >&2
  return "$status"
}

# Says what to do next about what apt-get said, which is in this file.
say_what_to_do() {
  if grep -qE 'Could not get lock|Unable to (lock|acquire)' "$1"; then
    echo "Another program still uses the package manager. Let it finish, or restart the machine, then try again."
  elif grep -qE 'No space left|enough free space' "$1"; then
    say_disk_is_full /var
  elif grep -qE 'resolving|Could not connect|Failed to fetch|Connection (timed out|refused|failed)|Network is unreachable' "$1"; then
    echo "Debian's packages can't be reached. Check the network connection (and the proxy, if there is one), then try again."
  elif grep -qE 'Unable to locate package|has no installation candidate' "$1"; then
    echo "This machine's package sources don't have all of them. Headlight needs Debian 12 or 13, with the section \"main\" in its sources."
  elif grep -qE 'dpkg was interrupted|--fix-broken|unmet dependencies' "$1"; then
    echo "The package manager has unfinished work: sudo dpkg --configure -a && sudo apt-get --fix-broken install, then try again."
  else
    echo "apt-get's own words are above. Once apt-get install works by hand, try again."
  fi
}

# say_disk_is_full FOLDER
say_disk_is_full() {
  echo "The disk is full: $(df -h "$1" | awk 'NR == 2 {print $4 "B are free on " $6}'). Make room, then try again. The packages and the build take about 4 GB."
}

# configure PRESET: when that was never done here, or when the presets or the packages have changed since. What CMake
# did not find may have been installed meanwhile, by another of these scripts or by hand.
configure() {
  folder=build/$1
  packages_now=$(state_of $(sed -n 's/^[a-z]* \([a-z0-9.+-]*\)$/\1/p' .ci/packages.txt | sort -u))
  if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; then
    cmake --preset "$1" --fresh >&2 || return 3
  elif [ ! -e "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ] ||
    [ "$packages_now" != "$(cat "$folder/packages" 2>/dev/null)" ]; then
    cmake --preset "$1" >&2 || return 3
  fi
  printf '%s\n' "$packages_now" >"$folder/packages"
}

# build PRESET [TARGET...]: configures where needed, then builds.
build() {
  preset=$1
  shift
  configure "$preset" || return 3
  cmake --build --preset "$preset" ${1:+--target "$@"} >&2 || {
    [ "$(df -Pk . | awk 'NR == 2 {print $4}')" -gt 100000 ] || say_disk_is_full . >&2
    return 3
  }
}
