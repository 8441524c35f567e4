// A matrix product to break down: C = A * B, square, in tiles that shared memory holds.
//   nvcc -O3 matmul.cu -o matmul && ./matmul 4096 100
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { TILE = 32 };

__global__ void multiply(const float *a, const float *b, float *c, int size)
{
    __shared__ float rows[TILE][TILE], columns[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int tile = 0; tile < size; tile += TILE) {
        rows[threadIdx.y][threadIdx.x] = a[y * size + tile + threadIdx.x];
        columns[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * size + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += rows[threadIdx.y][k] * columns[k][threadIdx.x];
        __syncthreads();
    }
    c[y * size + x] = sum;
}

int main(int count, char **words)
{
    int size = count > 1 ? atoi(words[1]) : 1024;
    int times = count > 2 ? atoi(words[2]) : 1;
    size_t bytes = sizeof(float) * size * size;
    if (size < TILE || size % TILE != 0 || size > 32768 || times < 1) {
        fprintf(stderr, "usage: matmul SIZE TIMES: SIZE is a multiple of %d, up to 32768\n", TILE);
        return 2;
    }
    std::vector<float> values((size_t)size * size, 1.0f);
    float *a, *b, *c;
    if (cudaMalloc(&a, bytes) != cudaSuccess || cudaMalloc(&b, bytes) != cudaSuccess ||
        cudaMalloc(&c, bytes) != cudaSuccess) {
        fprintf(stderr, "matmul: no GPU, or no memory for three matrices of %zu bytes\n", bytes);
        return 1;
    }
    cudaMemcpy(a, values.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, values.data(), bytes, cudaMemcpyHostToDevice);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    for (int i = 0; i < times; i++)
        multiply<<<dim3(size / TILE, size / TILE), dim3(TILE, TILE)>>>(a, b, c, size);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    cudaMemcpy(values.data(), c, bytes, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess || values[0] != (float)size) {
        fprintf(stderr, "matmul: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    printf("seconds,%g\n", milliseconds / 1e3 / times);
    return 0;
}
