// What the sources ask epoxy for is, in a page, WebGL 2.
#pragma once

#include <GLES3/gl3.h>
