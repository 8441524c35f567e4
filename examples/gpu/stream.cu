// A plain read and copy kernel, with which to compare the bandwidths of recipes: prints GB/s of reads
// from memory and from L2, and of a copy, the median of nine runs each.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void read_all(const uint4 *data, size_t count, int rounds, unsigned *sink)
{
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int round = 0; round < rounds; round++)
        for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
            uint4 value = __ldcg(&data[i]);
            sum.x ^= value.x;
            sum.y ^= value.y;
            sum.z ^= value.z;
            sum.w ^= value.w;
        }
    if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x12345679)
        *sink = 1; // what was read is needed
}

__global__ void copy_all(const uint4 *from, uint4 *to, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

template <typename Launch> static double median_ms(Launch launch)
{
    float times[9];
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    launch();
    for (float &time : times) {
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, begin, end);
    }
    std::sort(times, times + 9);
    return times[4];
}

int main()
{
    const size_t memory = (size_t)4 << 30, near = (size_t)12 << 20;
    const int rounds = 200;
    cudaDeviceProp device;
    uint4 *from, *to;
    unsigned *sink;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || cudaMalloc(&from, memory) != cudaSuccess ||
        cudaMalloc(&to, memory) != cudaSuccess || cudaMalloc(&sink, 4) != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    cudaMemset(from, 1, memory);
    const int blocks = device.multiProcessorCount * 2, threads = 1024;
    double ms = median_ms([&] { read_all<<<blocks, threads>>>(from, memory / 16, 1, sink); });
    std::printf("read MEM %.1f GB/s\n", memory / ms / 1e6);
    ms = median_ms([&] { read_all<<<blocks, threads>>>(from, near / 16, rounds, sink); });
    std::printf("read L2 %.1f GB/s\n", (double)near * rounds / ms / 1e6);
    ms = median_ms([&] { copy_all<<<blocks, threads>>>(from, to, memory / 16); });
    std::printf("copy MEM %.1f GB/s\n", 2.0 * memory / ms / 1e6);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
