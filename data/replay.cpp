#include "data/replay.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "base/checksum.h"
#include "base/file.h"
#include "base/number.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMagic = "QRSHARD2";
constexpr std::size_t kSummed = 24, kHeader = 32;  // bytes; kSummed: before the checksum
constexpr std::string_view kExtension = ".qrs";
constexpr int kLevel = 3;
// Above what an iteration of the most games (limits.games) can give; a damaged header must not ask for all of memory.
constexpr std::uint64_t kMaxSamples = 1'000'000'000;
constexpr std::uint64_t kFewSamples = 1'000'000;

std::uint32_t checksum_of(std::string_view bytes) {
  return crc32c(bytes.substr(kSummed + sizeof(std::uint32_t)), crc32c(bytes.substr(0, kSummed)));
}

std::uint64_t load_u64(const char* at) {
  std::uint64_t n = 0;
  std::memcpy(&n, at, sizeof n);
  return n;
}

std::optional<std::uint64_t> iteration_of(const fs::path& path) {
  if (path.extension() != kExtension) return std::nullopt;
  return number_from<std::uint64_t>(path.stem().string());
}

std::vector<std::uint64_t> iterations_in(const fs::path& directory) {
  std::vector<std::uint64_t> found;
  if (!fs::exists(directory)) return found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (const auto n = iteration_of(entry.path())) found.push_back(*n);
  }
  return found;
}

}  // namespace

void write_shard(const fs::path& path, const Shard& shard) {
  const std::size_t raw = shard.samples.size() * sizeof(Sample);
  std::string bytes(kHeader + ZSTD_compressBound(raw), '\0');
  const std::uint64_t counts[2] = {shard.samples.size(), shard.games};
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  std::memcpy(bytes.data() + 8, counts, sizeof counts);
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  const std::size_t n =
      ZSTD_compress2(context.get(), bytes.data() + kHeader, bytes.size() - kHeader, shard.samples.data(), raw);
  if (ZSTD_isError(n)) throw ReplayError(fmt::format("cannot compress '{}': {}", path.string(), ZSTD_getErrorName(n)));
  bytes.resize(kHeader + n);
  const std::uint32_t checksum = checksum_of(bytes);
  std::memcpy(bytes.data() + kSummed, &checksum, sizeof checksum);
  write_file_atomic(path, bytes);
}

Shard read_shard(const fs::path& path) {
  const std::string bytes = read_file(path);
  const auto fail = [&](const std::string& why) {
    return ReplayError(fmt::format("replay shard '{}': {}", path.string(), why));
  };
  if (!bytes.starts_with(kMagic)) throw fail("not a replay shard of format version 2");
  if (bytes.size() < kHeader) throw fail(fmt::format("{} bytes is too short for a shard", bytes.size()));
  std::uint32_t said = 0;
  std::memcpy(&said, bytes.data() + kSummed, sizeof said);
  if (said != checksum_of(bytes)) throw fail("damaged: its checksum is wrong");
  const std::string_view frame = std::string_view(bytes).substr(kHeader);
  const std::uint64_t count = load_u64(bytes.data() + 8);
  if (count > kMaxSamples) throw fail(fmt::format("{} samples are more than a shard holds ({})", count, kMaxSamples));
  // Where the frame names no size this is a number near 2^64.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != count * sizeof(Sample))
    throw fail("the header and the compressed samples disagree; the file is damaged");
  // Those of games take about ten bytes each.
  if (count > kFewSamples && count / 16 > frame.size())
    throw fail(fmt::format("{} samples in {} bytes are none of games", count, frame.size()));
  Shard shard;
  shard.samples.reserve(count);
  shard.games = load_u64(bytes.data() + 16);
  // In parts: the header of a small file may name any number of samples.
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::vector<Sample> part(std::min<std::size_t>(count, 1 << 14));
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  for (bool ended = false; !ended;) {
    ZSTD_outBuffer out{part.data(), std::min<std::size_t>(count - shard.samples.size(), part.size()) * sizeof(Sample),
                       0};
    do {
      const std::size_t before = in.pos + out.pos;
      const std::size_t n = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(n)) throw fail(fmt::format("damaged: {}", ZSTD_getErrorName(n)));
      ended = n == 0;
      if (!ended && in.pos + out.pos == before) throw fail("damaged: it is cut short, or has more than its samples");
    } while (!ended && out.pos < out.size);
    for (const Sample& sample : std::span(part).first(out.pos / sizeof(Sample))) {
      if (const char* fault = sample.fault()) throw fail(fmt::format("sample {}: {}", shard.samples.size(), fault));
      shard.samples.push_back(sample);
    }
  }
  if (shard.samples.size() != count || in.pos != in.size) throw fail("damaged: it has not the samples that it names");
  return shard;
}

ReplayBuffer::ReplayBuffer(fs::path directory, std::size_t window)
    : directory_(std::move(directory)), window_(window) {}

fs::path ReplayBuffer::path_of(std::uint64_t iteration) const {
  return directory_ / fmt::format("{:08}{}", iteration, kExtension);
}

void ReplayBuffer::append(std::uint64_t iteration, Shard shard) {
  make_directories(directory_);
  write_shard(path_of(iteration), shard);
  take_in(iteration, std::move(shard.samples));
}

void ReplayBuffer::take_in(std::uint64_t iteration, std::vector<Sample> samples) {
  const std::size_t begin = shards_.empty() ? 0 : shards_.back().begin + shards_.back().samples.size();
  size_ += samples.size();
  shards_.push_back({iteration, begin, std::move(samples)});
  while (shards_.size() > 1 && size_ - shards_.front().samples.size() >= window_) {
    size_ -= shards_.front().samples.size();
    shards_.pop_front();
  }
}

void ReplayBuffer::restore(std::uint64_t first, std::uint64_t last) {
  for (const std::uint64_t n : iterations_in(directory_)) {
    if (n > last) fs::remove(path_of(n));
  }
  for (std::uint64_t n = first; n <= last; ++n) {
    if (!fs::exists(path_of(n))) {
      throw ReplayError(
          fmt::format("replay shard '{}' is missing, so the run cannot be resumed exactly", path_of(n).string()));
    }
    take_in(n, read_shard(path_of(n)).samples);
  }
}

void ReplayBuffer::remove_dropped() {
  if (shards_.empty()) return;
  for (const std::uint64_t n : iterations_in(directory_)) {
    if (n < first_iteration()) fs::remove(path_of(n));
  }
}

const Sample& ReplayBuffer::at(std::size_t i) const {
  const std::size_t target = shards_.front().begin + i;
  const auto after = std::upper_bound(shards_.begin(), shards_.end(), target,
                                      [](std::size_t t, const Held& held) { return t < held.begin; });
  const Held& held = *std::prev(after);
  return held.samples[target - held.begin];
}

}  // namespace quarto
