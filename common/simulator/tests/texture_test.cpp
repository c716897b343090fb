// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>

#include "kernel_fixture.h"
#include "simulator/isa/sampler.h"
#include "simulator/machine/texel_access.h"
#include "simulator/ptx/load_error.h"

/// Textures and surfaces: weights to the bit, what is counted, what traps. Programs of the corpus
/// (programs/textures.cu and its neighbours) show the rest.
namespace roofline::sim {
namespace {

using Shape = TextureObject::Shape;

class Textures : public KernelTest {
 protected:
  /// A plane of floats as an array lies in memory: rows of 64 bytes.
  TextureObject plane(const std::vector<f32>& texels, u32 width, u32 height) {
    const u64 pitch = (u64{width} * 4 + 63) / 64 * 64, rows = (height + 7) / 8 * 8;
    std::vector<f32> laid(pitch / 4 * rows);
    for (u32 y = 0; y < height; ++y)
      std::copy_n(texels.begin() + y * width, width, laid.begin() + static_cast<s64>(y * pitch / 4));
    TextureObject object;
    object.shape = Shape::k2D;
    object.format = {TexelFormat::Kind::kFloat, 32, 1};
    object.tiled = true;
    object.levels.push_back({upload(laid), width, height, 1, pitch, pitch * rows});
    return object;
  }
  std::vector<f32> ramp(u32 n) {
    std::vector<f32> values(n);
    for (u32 i = 0; i < n; ++i) values[i] = static_cast<f32>(i * i % 1009);
    return values;
  }
  /// Lane l reads at (x[l], y[l]) and stores what it gets.
  std::vector<f32> fetch(const TextureObject& object, const std::vector<f32>& x, const std::vector<f32>& y) {
    std::vector<f32> pairs;
    for (std::size_t l = 0; l < 32; ++l) pairs.insert(pairs.end(), {x[l], y[l]});
    const u64 to = upload(std::vector<f32>(32)), at = upload(pairs);
    const u64 number = device_.add_texture(object);
    const u64 block = upload(std::vector<u64>{number, at});
    result_ = run_well(kFetch + store("%f3"), to, block);
    return download<f32>(to, 32);
  }
  static constexpr const char* kLoadPair =
      "ld.global.u64 %rd3, [%rd2];\nld.global.u64 %rd4, [%rd2+8];\nmul.wide.u32 %rd5, %r1, 8;\n"
      "add.s64 %rd4, %rd4, %rd5;\nld.global.v2.f32 {%f1, %f2}, [%rd4];\n";
  const std::string kFetch =
      std::string(kLoadPair) + "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd3, {%f1, %f2}];\n";

  std::string trap_of(const std::string& body, u64 number) {
    const LaunchResult result = run(body, number, 0, 1);
    return result.trap ? result.trap->message : "";
  }
  AddressFault fault_of(const std::string& body, u64 number) {
    const LaunchResult result = run(body, number, 0, 1);
    return result.trap ? result.trap->address : AddressFault::kOther;
  }
  LaunchResult result_;
};

// Breaks when the fraction has not eight bits, is cut off instead of rounded, or cannot be 1.
TEST_F(Textures, WeightsHaveEightBits) {
  TextureObject object = plane(ramp(16 * 8), 16, 8);
  object.linear = true;
  std::vector<f32> x(32), y(32, 2.5F);
  for (u32 l = 0; l < 32; ++l) x[l] = 3.5F + static_cast<f32>(l) / 1024 + 0.1F;
  x[30] = std::nextafter(4.5F, 0.0F);  // rounds to 1
  x[31] = 3.5F + 1.0F / 512;           // half of the last bit: away from 0
  const std::vector<f32> got = fetch(object, x, y);
  for (u32 l = 0; l < 32; ++l) {
    const f64 fraction = std::floor((f64{x[l]} - 3.5) * 256 + 0.5) / 256;
    const f64 a = (2 * 16 + 3) * (2 * 16 + 3) % 1009, b = (2 * 16 + 4) * (2 * 16 + 4) % 1009;
    EXPECT_EQ(got[l], static_cast<f32>((1 - fraction) * a + fraction * b)) << l;
  }
  EXPECT_EQ(got[30], static_cast<f32>(36 * 36 % 1009));
}

// Breaks when a coordinate that is no number, or beyond every integer, is an index all the same.
TEST_F(Textures, TakesEveryCoordinate) {
  TextureObject object = plane(ramp(16 * 8), 16, 8);
  const f32 inf = std::numeric_limits<f32>::infinity();
  const std::vector<f32> odd{inf, -inf, std::nanf(""), 3e38F, -3e38F, 1e-45F, -0.0F, 4294967296.0F};
  for (const AddressMode mode :
       {AddressMode::kWrap, AddressMode::kClamp, AddressMode::kMirror, AddressMode::kBorder})
    for (const bool linear : {false, true})
      for (const bool normalised : {false, true}) {
        object.modes.fill(mode);
        object.linear = linear;
        object.normalised = normalised;
        std::vector<f32> x(32), y(32);
        for (u32 l = 0; l < 32; ++l) {
          x[l] = odd[l % odd.size()];
          y[l] = odd[l / 4 % odd.size()];
        }
        const std::vector<f32> got = fetch(object, x, y);
        for (const f32 value : got) EXPECT_TRUE(value >= 0 && value < 1009);
        if (mode == AddressMode::kClamp && !linear) {
          EXPECT_EQ(got[0], 127 * 127 % 1009);
        }
      }
}

// Breaks when NaNs of texels that count for nothing show.
TEST_F(Textures, TexelsWithoutWeightAddNothing) {
  std::vector<f32> texels = ramp(16 * 8);
  texels[1] = std::numeric_limits<f32>::infinity();
  TextureObject object = plane(texels, 16, 8);
  object.linear = true;
  EXPECT_EQ(fetch(object, std::vector<f32>(32, 0.5F), std::vector<f32>(32, 0.5F))[0], texels[0]);
}

// Breaks when the numbers of a dimension are not what the manual's formulas say.
TEST(Sampler, FindsNeighbours) {
  using isa::neighbours;
  const auto first = [](f64 x, AddressMode mode) { return neighbours(x, 4, mode, false); };
  EXPECT_EQ(first(-0.25, AddressMode::kWrap).index[0], 3U);
  EXPECT_EQ(first(-0.25, AddressMode::kMirror).index[0], 0U);
  EXPECT_EQ(first(4.5, AddressMode::kMirror).index[0], 3U);
  EXPECT_EQ(first(8.5, AddressMode::kMirror).index[0], 0U);
  EXPECT_EQ(first(-7.5, AddressMode::kWrap).index[0], 0U);
  EXPECT_EQ(first(9, AddressMode::kClamp).index[0], 3U);
  EXPECT_TRUE(first(4, AddressMode::kBorder).outside[0]);
  EXPECT_FALSE(first(3.99, AddressMode::kBorder).outside[0]);
  const isa::Neighbours edge = neighbours(0.25, 4, AddressMode::kWrap, true);
  EXPECT_EQ(edge.index[0], 3U);
  EXPECT_EQ(edge.index[1], 0U);
  EXPECT_EQ(edge.weight[1], 0.75);
}

// Breaks when sRGB is not undone, or the fourth channel is converted too.
TEST(Sampler, ReadsSrgb) {
  TextureObject object;
  object.format = {TexelFormat::Kind::kUnsigned, 8, 4};
  object.unit_values = object.srgb = true;
  const u8 bytes[4] = {0, 10, 188, 188};
  const std::array<f64, 4> got = isa::floats_of(object, bytes);
  EXPECT_EQ(got[0], 0);
  EXPECT_NEAR(got[1], 10 / 255.0 / 12.92, 1e-9);
  EXPECT_NEAR(got[2], 0.5028864580, 1e-7);
  EXPECT_EQ(got[3], 188 / 255.0);
}

// Breaks when two bytes of a tile have one place, or a place lies outside of the array.
TEST(TexelPlace, IsAnOrderOfTheBytes) {
  TextureObject object;
  object.tiled = true;
  const TexelLevel level{0, 32, 16, 2, 128, 128 * 16};
  std::vector<bool> taken(2 * 128 * 16);
  for (u64 z = 0; z < 2; ++z)
    for (u64 y = 0; y < 16; ++y)
      for (u64 x = 0; x < 128; ++x) {
        const u64 place = texel_place(object, level, x, y, z);
        ASSERT_LT(place, taken.size());
        EXPECT_FALSE(taken[place]);
        taken[place] = true;
      }
}

// Breaks when neighbours in both directions do not share sectors, or the texture units are not counted.
TEST_F(Textures, CountsSectorsOfTiles) {
  TextureObject object = plane(ramp(64 * 64), 64, 64);
  std::vector<f32> row_x(32), row_y(32, 0.5F), square_x(32), square_y(32);
  for (u32 l = 0; l < 32; ++l) {
    row_x[l] = static_cast<f32>(l) + 0.5F;
    square_x[l] = static_cast<f32>(l % 8) + 0.5F;
    square_y[l] = static_cast<f32>(l / 8) + 0.5F;
  }
  const auto counted = [&](const char* text) {
    const auto& info = device_.instructions_of(function_);
    for (std::size_t i = 0; i < info.size(); ++i)
      if (info[i].text.find(text) != std::string::npos) return result_.counters.per_instruction[i];
    return InstructionCounters{};
  };
  fetch(object, row_x, row_y);
  EXPECT_EQ(counted("tex.2d").requests, 1U);
  EXPECT_EQ(counted("tex.2d").sectors, 8U);  // 16 bytes of a row each
  fetch(object, square_x, square_y);
  EXPECT_EQ(counted("tex.2d").sectors, 4U);  // 4 texels of two rows each
  const u64 nearest = result_.counters.global_passes;
  object.linear = true;
  object.format.channels = 1;
  fetch(object, square_x, square_y);
  EXPECT_EQ(result_.counters.global_passes, nearest);  // 8 clocks either way
}

// Breaks when an object that is gone, or none, or of another kind is read.
TEST_F(Textures, NamesWhatIsWrongWithAnObject) {
  const std::string body =
      "mov.f32 %f1, 0f3F000000;\ntex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f1}];\n";
  TextureObject object = plane(ramp(64), 8, 8);
  const u64 number = device_.add_texture(object);
  EXPECT_EQ(trap_of(body, number), "");
  EXPECT_TRUE(device_.remove_texture(number));
  EXPECT_FALSE(device_.remove_texture(number));
  EXPECT_NE(trap_of(body, number).find("object was destroyed"), std::string::npos);
  EXPECT_NE(trap_of(body, 0).find("0x0 is no texture or surface object"), std::string::npos);
  EXPECT_NE(trap_of(body, 0x7f00'0000'0000).find("0x7f0000000000 is no texture"), std::string::npos);

  object.surface = true;
  EXPECT_NE(trap_of(body, device_.add_texture(object)).find("a surface object stands"), std::string::npos);
  object.surface = false;
  object.shape = Shape::k3D;
  EXPECT_NE(trap_of(body, device_.add_texture(object))
                .find("this reads or writes a 2D array, the object refers to a 3D array"),
            std::string::npos);

  object.shape = Shape::k2D;
  const u64 alive = device_.add_texture(object);
  EXPECT_TRUE(device_.release(object.levels[0].address));
  EXPECT_NE(trap_of(body, alive).find("that was freed"), std::string::npos);
}

// Breaks when a check cannot tell what is wrong with an object without reading the message.
TEST_F(Textures, TheFaultOfAnObjectIsAField) {
  const std::string body =
      "mov.f32 %f1, 0f3F000000;\ntex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f1}];\n";
  TextureObject object = plane(ramp(64), 8, 8);
  object.surface = true;
  const u64 surface = device_.add_texture(object);
  EXPECT_EQ(fault_of(body, surface), AddressFault::kWrongObject);
  object.surface = false;
  object.shape = Shape::k3D;
  EXPECT_EQ(fault_of(body, device_.add_texture(object)), AddressFault::kWrongObject);
  EXPECT_TRUE(device_.remove_texture(surface));
  EXPECT_EQ(fault_of(body, surface), AddressFault::kDestroyedObject);
  EXPECT_EQ(fault_of(body, 0), AddressFault::kOther);
}

// Breaks when tex1D reads linear memory, or a filter that is not simulated is taken for another.
TEST_F(Textures, RefusesWhatItCannotFilter) {
  TextureObject object = plane(ramp(64), 8, 8);
  object.anisotropic = true;
  EXPECT_NE(trap_of("mov.f32 %f1, 0f3F000000;\ntex.grad.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, "
                    "%f1}], {%f1, %f1}, {%f1, %f1};\n",
                    device_.add_texture(object))
                .find("anisotropic filtering is not simulated"),
            std::string::npos);
  object.shape = Shape::kBuffer;
  EXPECT_NE(trap_of("mov.f32 %f1, 0f3F000000;\ntex.1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1}];\n",
                    device_.add_texture(object))
                .find("which only tex1Dfetch reads"),
            std::string::npos);
}

// Breaks when a surface access outside of its rows goes through, or its sentence does not say where it was.
TEST_F(Textures, SurfacesTrapOutside) {
  TextureObject object = plane(ramp(64), 8, 8);
  object.surface = true;
  const u64 number = device_.add_texture(object);
  const auto access = [&](int x, int y) {
    return trap_of("mov.u32 %r2, " + std::to_string(x) + ";\nmov.u32 %r3, " + std::to_string(y) +
                       ";\nsuld.b.2d.b32.trap {%r4}, [%rd1, {%r2, %r3}];\nsust.b.2d.b32.trap [%rd1, {%r2, "
                       "%r3}], {%r4};\n",
                   number);
  };
  EXPECT_EQ(access(28, 7), "");
  const std::string past = access(32, 7);
  EXPECT_NE(past.find("4 bytes at byte 32 of row 7: the surface has 32 bytes a row, 8 rows"),
            std::string::npos)
      << past;
  EXPECT_NE(access(0, -1).find("of row -1"), std::string::npos);
  EXPECT_NE(access(2, 0).find("x is a multiple of the width"), std::string::npos);
}

// Breaks when the query instructions give other numbers than the object's.
TEST_F(Textures, AnswerQueries) {
  TextureObject object = plane(ramp(64), 8, 8);
  object.levels.push_back(object.levels[0]);
  object.levels[0].width = 5;
  const u64 to = upload(std::vector<u32>(32));
  const auto asked = [&](const std::string& what) {
    run_well("txq." + what + ".b32 %r2, [%rd2];\n" + store("%r2"), to, device_.add_texture(object));
    return download<u32>(to, 1)[0];
  };
  EXPECT_EQ(asked("width"), 5U);
  EXPECT_EQ(asked("height"), 8U);
  EXPECT_EQ(asked("depth"), 1U);
  EXPECT_EQ(asked("num_mipmap_levels"), 2U);
  EXPECT_EQ(asked("normalized_coords"), 0U);
}

// Breaks when operands that do not fit crash instead of being refused, with their place.
TEST_F(Textures, RefuseOddOperands) {
  for (const char* body : {
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%rd1, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 %f1, [%rd1, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %f1];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1+8, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [64, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f1, %f2}];",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, %rd1;",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%r1, [%rd1, {%f1, %f2}];",
           "tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f2}];",
           "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}], %p1;",
           "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}], {%f1}, {%f1, %f2};",
           "suld.b.2d.v2.b32.trap {%r1}, [%rd1, {%r1, %r2}];",
           "suld.b.2d.v4.b64.trap {%rd1, %rd2, %rd3, %rd4}, [%rd1, {%r1, %r2}];",
           "suld.b.2d.b32.trap {%r1}, [%rd1, {%p1, %r2}];",
           "sust.b.2d.b32.trap [%rd1], {%r1};",
           "txq.width.b32 {%r1, %r2}, [%rd1];",
           "txq.width.b32 %r1, [7];",
           "suq.width.b32 %r1, %r2;",
       })
    EXPECT_THROW(device_.load_module(module_of(body), {}), LoadError) << body;
}

// Breaks when objects whose numbers do not fit each other are taken.
TEST(TextureObject, MustBeSound) {
  TextureObject good;
  good.shape = Shape::k2D;
  good.tiled = true;
  good.levels.push_back({0x10000, 8, 8, 1, 64, 512});
  ASSERT_TRUE(is_sound(good));
  const auto bad = [&](auto change) {
    TextureObject object = good;
    change(object);
    return !is_sound(object);
  };
  EXPECT_TRUE(bad([](auto& o) { o.levels.clear(); }));
  EXPECT_TRUE(bad([](auto& o) { o.levels.resize(40, o.levels[0]); }));
  EXPECT_TRUE(bad([](auto& o) { o.format.bits = 12; }));
  EXPECT_TRUE(bad([](auto& o) { o.format.channels = 3; }));
  EXPECT_TRUE(bad([](auto& o) { o.format = {TexelFormat::Kind::kFloat, 8, 1}; }));
  EXPECT_TRUE(bad([](auto& o) { o.format.kind = static_cast<TexelFormat::Kind>(9); }));
  EXPECT_TRUE(bad([](auto& o) { o.shape = static_cast<Shape>(77); }));
  EXPECT_TRUE(bad([](auto& o) { o.modes[1] = static_cast<AddressMode>(4); }));
  EXPECT_TRUE(bad([](auto& o) { o.levels[0].width = 0; }));
  EXPECT_TRUE(bad([](auto& o) { o.levels[0].width = ~0U; }));
  EXPECT_TRUE(bad([](auto& o) { o.levels[0].pitch = 16; }));
  EXPECT_TRUE(bad([](auto& o) { o.levels[0].pitch = ~u64{0}; }));
  EXPECT_TRUE(bad([](auto& o) { o.levels[0].address = 0x10001; }));
  EXPECT_TRUE(bad([](auto& o) { o.shape = Shape::kCube; }));
  EXPECT_TRUE(bad([](auto& o) {
    o.levels[0].depth = 2;
    o.levels[0].slice = 64;
  }));
}

}  // namespace
}  // namespace roofline::sim
