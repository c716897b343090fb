# From x86-64 for Linux on ARM, with Debian's cross compiler: preset `arm`, made and run by .ci/arm. What is built runs here
# under QEMU. On a processor of ARM nothing of this is needed.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source)
set(ROOFLINE_ARM_ROOT "${source}/.lab/arm64" CACHE PATH "folder with a Debian for arm64 that has the libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ROOFLINE_ARM_ROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT ${ROOFLINE_ARM_ROOT})
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${ROOFLINE_ARM_ROOT})
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
