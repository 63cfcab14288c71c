# Linux on 64-bit ARM, by Debian's cross compiler; its programs run under qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# qemu 7.2 promises to wipe a page in a forked child (MADV_WIPEONFORK), and does not.
set(FUTURERAND_NOT_EMULATED SystemEntropy.ParentAndChildShareNoWord)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)
