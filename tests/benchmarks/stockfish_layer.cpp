// The first dense layer of Stockfish with and without skipping: prints nanoseconds for an input, dense and skipping, a
// line for each repetition. It includes headers of the engine (GPL-3), of which nothing is copied here.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "nnue/layers/affine_transform.h"
#include "nnue/layers/affine_transform_sparse_input.h"

using namespace Stockfish::Eval::NNUE;

constexpr IndexType WIDTH = 3072, OUTPUTS = 16;
constexpr int REPEATS = 101, PASSES = 20;

using Dense = Layers::AffineTransform<WIDTH, OUTPUTS>;
using Skipping = Layers::AffineTransformSparseInput<WIDTH, OUTPUTS>;

template <class Layer>
const Layer& read(const char* path) {
    alignas(64) static Layer layer;
    std::ifstream file(path, std::ios::binary);
    layer.read_parameters(file);
    return layer;
}

// A sum of outputs, so that both layers can be compared and neither is left out by the compiler.
template <class Layer>
double nanoseconds(const Layer& layer, const std::uint8_t* inputs, std::size_t count, std::int64_t& sum) {
    alignas(64) typename Layer::OutputBuffer outputs;
    const auto start = std::chrono::steady_clock::now();
    sum = 0;
    for (int pass = 0; pass < PASSES; ++pass)
        for (std::size_t i = 0; i < count; ++i) {
            layer.propagate(inputs + i * WIDTH, outputs);
            for (IndexType j = 0; j < OUTPUTS; ++j)
                sum += (j + 1) * std::int64_t(outputs[j]);
        }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count() / (PASSES * count);
}

int main(int, char** paths) {
    std::ifstream file(paths[2], std::ios::binary);
    const std::vector<char> raw((std::istreambuf_iterator<char>(file)), {});
    auto* inputs = static_cast<std::uint8_t*>(std::aligned_alloc(64, raw.size()));
    std::memcpy(inputs, raw.data(), raw.size());
    const Dense& dense = read<Dense>(paths[1]);
    const Skipping& skipping = read<Skipping>(paths[1]);
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        std::int64_t sums[2];
        const double all = nanoseconds(dense, inputs, raw.size() / WIDTH, sums[0]);
        const double few = nanoseconds(skipping, inputs, raw.size() / WIDTH, sums[1]);
        if (sums[0] != sums[1])
            return 1;
        std::printf("%f %f\n", all, few);
    }
}
