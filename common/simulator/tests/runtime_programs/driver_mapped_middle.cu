// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The middle of a range is another device's memory, and is unmapped: a kernel that stays outside it works,
// one that runs over it faults.
#include "mapped_devices.h"

int main() {
  CUcontext contexts[2];
  size_t unit = 0;
  if (!start_two_devices(contexts, unit)) return 0;
  CUdeviceptr at = 0;
  DRIVER_OK(cuMemAddressReserve(&at, 3 * unit, 0, 0, 0));
  for (int i = 0; i < 3; ++i) (void)map_piece(at + i * unit, unit, i % 2);
  DRIVER_OK(allow(at, 3 * unit, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  const int per_piece = int(unit / sizeof(int));
  DRIVER_OK(cuMemsetD32(at, 1, 3 * per_piece));
  add<<<3 * per_piece / 256, 256>>>(ints(at), ints(at), 3 * per_piece, -2);
  DRIVER_OK(cuMemUnmap(at + unit, unit));
  add<<<per_piece / 256, 256>>>(ints(at), ints(at + 2 * unit), per_piece, 0);
  DRIVER_OK(cuCtxSynchronize());
  EXPECT(ints_at(at + 2 * unit, unit)[per_piece - 1] == 0);
  add<<<3 * per_piece / 256, 256>>>(ints(at), ints(at), 3 * per_piece, 0);
  EXPECT_DRIVER(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  return 0;
}
