// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Unions, bit fields, packed structs, enums and pointers to members, laid out as the host lays them out.
#include <cstring>

#include "expect.h"

union Bits {
  float f;
  unsigned u;
  unsigned char bytes[4];
};
struct Fields {
  unsigned low : 5;
  int middle : 11;
  unsigned long long high : 40;
  bool flag : 1;
};
struct __attribute__((packed)) Packed {
  char tag;
  short value;
};
enum class Colour : unsigned char { kRed = 1, kBlue = 200 };
struct Point {
  int x, y;
  __host__ __device__ int sum() const { return x + y; }
};

__host__ __device__ unsigned long long work(unsigned i) {
  Bits b;
  b.f = 1.0f + i;
  unsigned long long result = b.u + b.bytes[3];
  Fields f{};
  f.low = i * 7;
  f.middle = -static_cast<int>(i) * 40;
  f.high = (1ull << 39) + i;
  f.flag = i & 1;
  result += f.low + f.middle + f.high + f.flag;
  Packed p[3];
  for (int k = 0; k < 3; k++) p[k].tag = static_cast<char>(k), p[k].value = static_cast<short>(k * 300 + i);
  result += p[2].value + p[1].tag + sizeof(p);
  const Colour colour = i % 2 ? Colour::kRed : Colour::kBlue;
  result += static_cast<unsigned>(colour);
  int Point::*member = i % 3 ? &Point::x : &Point::y;
  int (Point::*method)() const = &Point::sum;
  const Point point{static_cast<int>(i), 1000};
  return result + point.*member + (point.*method)();
}

__global__ void run(unsigned long long* out, Fields* fields) {
  out[threadIdx.x] = work(threadIdx.x);
  Fields f{};
  f.low = threadIdx.x;
  f.middle = -1000 + threadIdx.x;
  f.high = 0xab00000000ull + threadIdx.x;
  f.flag = true;
  fields[threadIdx.x] = f;
}

int main() {
  unsigned long long* out;
  Fields* fields;
  OK(cudaMallocManaged(&out, 32 * sizeof(*out)));
  OK(cudaMallocManaged(&fields, 32 * sizeof(Fields)));
  run<<<1, 32>>>(out, fields);
  OK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 32; i++) {
    EXPECT(out[i] == work(i));
    EXPECT(fields[i].low == i && fields[i].middle == static_cast<int>(i) - 1000);
    EXPECT(fields[i].high == 0xab00000000ull + i && fields[i].flag);
  }
  return 0;
}
