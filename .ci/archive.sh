#!/bin/sh
# Makes headlight-VERSION-ARCHITECTURE.tar.xz: the program with everything it needs but the C library, for any Linux whose
# C library is that of this machine or newer.   archive.sh VERSION FOLDER [BUILD]
#
#   headlight     starts bin/headlight
#   bin/, share/  as installed
#   lib/          the libraries; each looks for the others beside itself
#   software/     graphics for a machine that has none: X11, and Mesa, which draws without a graphics card
#   fonts/        for scripts that the fonts in the program don't have, where the machine has no fonts
set -eu
version=$1 out=$2 built=${3:-}
name=headlight-$version-$(uname -m)
folder=$out/$name

[ -n "$built" ] || {
  . .ci/prepare.sh
  build release headlight headlight_manual headlight_icons
  built=build/release
}
rm -rf "$folder"
cmake --install "$built" --prefix "$folder" --strip >/dev/null
mkdir -p "$folder/lib" "$folder/software/dri" "$folder/fonts"

# Libraries that every Linux has.
of_every_machine='^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv|util)\.so)'
# Libraries that a graphics driver uses too. If the machine has a driver, it must find the ones it was built with.
of_the_driver='^lib(stdc\+\+|gcc_s|X[A-Za-z0-9]*(-xcb)?|xcb(-[a-z0-9]+)*|wayland-[a-z]+|xkbcommon|drm(_[a-z]+)?|expat|ffi|z|zstd|bsd|md)\.so'

# The libraries that the given files need: name and path.
needed_by() {
  for file in "$@"; do
    ldd "$file" | awk '$3 ~ /^\// {print $1, $3}'
  done | sort -u | grep -Ev "$of_every_machine"
}
copy_into() {
  while read -r library path; do
    install -m 644 "$(readlink -f "$path")" "$1/$library"
  done
}

multiarch=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
needed_by "$folder/bin/headlight" | grep -Ev "$of_the_driver" | copy_into "$folder/lib"

# GLFW and libepoxy open these by name.
by_name=$(cd "$multiarch" && ls libX11.so.6 libXrandr.so.2 libXinerama.so.1 libXcursor.so.1 libXi.so.6 libXxf86vm.so.1 \
  libXrender.so.1 libXext.so.6 libX11-xcb.so.1 libxkbcommon.so.0 libwayland-client.so.0 libwayland-cursor.so.0 \
  libwayland-egl.so.1 libGL.so.1 libGLX.so.0 libEGL.so.1 libOpenGL.so.0 libGLX_mesa.so.0 libEGL_mesa.so.0 2>/dev/null || true)
gallium=$(cd "$multiarch" && ls libgallium-*.so 2>/dev/null || true)  # of newer Mesa, behind the driver
install -m 644 "$multiarch/dri/swrast_dri.so" "$folder/software/dri/"
{
  for library in $by_name $gallium; do echo "$library $multiarch/$library"; done
  needed_by "$folder/bin/headlight" | grep -E "$of_the_driver"
  (cd "$multiarch" && needed_by $by_name $gallium dri/swrast_dri.so)
} | sort -u | while read -r library path; do
  [ -e "$folder/lib/$library" ] || echo "$library $path"
done | copy_into "$folder/software"

patchelf --set-rpath '$ORIGIN/../lib' "$folder/bin/headlight"
patchelf --set-rpath '$ORIGIN' "$folder"/lib/*
patchelf --set-rpath '$ORIGIN:$ORIGIN/../lib' "$folder"/software/*.so*
patchelf --set-rpath '$ORIGIN/..:$ORIGIN/../../lib' "$folder"/software/dri/*.so
cat >"$folder/software/egl_mesa.json" <<'END'
{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_mesa.so.0"}}
END

for font in /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf /usr/share/fonts/truetype/wqy/wqy-microhei.ttc; do
  [ ! -e "$font" ] || install -m 644 "$font" "$folder/fonts/"
done
cat >"$folder/fonts/fonts.conf" <<'END'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <dir>/usr/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
END

# Keymaps, which libxkbcommon and libX11 read by paths of this machine.
[ ! -d /usr/share/X11/locale ] || cp -r /usr/share/X11/locale "$folder/share/X11-locale"
[ ! -d /usr/share/X11/xkb ] || cp -r /usr/share/X11/xkb "$folder/share/X11-xkb"

cat >"$folder/headlight" <<'END'
#!/bin/sh
# Starts Headlight from wherever this folder is.
here=$(dirname "$(readlink -f "$0")")
# Does the machine have graphics of its own? Else everything for them is in this folder, and Mesa draws in software.
has_graphics() {
  for library in libstdc++.so.6 libX11.so.6 libGL.so.1 libEGL.so.1; do
    found=
    for folder in /lib64 /usr/lib64 /lib/*-linux-gnu /usr/lib/*-linux-gnu /usr/lib /lib; do
      [ ! -e "$folder/$library" ] || found=yes
    done
    [ -n "$found" ] || return 1
  done
}
if [ -n "${HEADLIGHT_SOFTWARE:-}" ] || ! has_graphics; then
  export LD_LIBRARY_PATH="$here/software${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export LIBGL_DRIVERS_PATH="$here/software/dri" __EGL_VENDOR_LIBRARY_FILENAMES="$here/software/egl_mesa.json"
  export LIBGL_ALWAYS_SOFTWARE=1
fi
[ -d /etc/fonts ] || export FONTCONFIG_FILE="$here/fonts/fonts.conf"
[ -d /usr/share/X11/locale ] || export XLOCALEDIR="$here/share/X11-locale"
[ -d /usr/share/X11/xkb ] || export XKB_CONFIG_ROOT="$here/share/X11-xkb"
exec "$here/bin/headlight" "$@"
END
chmod 755 "$folder/headlight"
cat >"$folder/README" <<END
Headlight $version. ./headlight starts it; ./headlight --help lists what it can do.

It runs from any folder. HEADLIGHT_SOFTWARE=1 ./headlight draws without the graphics card.
To add it to your menu: sed "s|^Exec=headlight|Exec=\$PWD/headlight|" share/applications/headlight.desktop > ~/.local/share/applications/headlight.desktop
END
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner -cJf "$out/$name.tar.xz" "$name"
echo "$out/$name.tar.xz"
