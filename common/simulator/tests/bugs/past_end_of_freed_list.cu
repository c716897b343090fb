// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory out-of-bounds, line 8
// A list that is one slot too short. The kernel's name says "freed": no memory was.
__global__ void note_freed(int* list, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  list[i] = i;
}
int main() {
#ifdef FIXED
  const int slots = 100;
#else
  const int slots = 99;
#endif
  int* list;
  cudaMalloc(&list, slots * sizeof(int));
  note_freed<<<1, 128>>>(list, 100);
  cudaDeviceSynchronize();
  cudaFree(list);
}
