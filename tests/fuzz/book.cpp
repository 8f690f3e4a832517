// Opening books: as they are, and with the checksum made right, so that what is inside is reached.
#include "solver/book.h"

#include <cstring>

#include "base/checksum.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace quarto;

void read(std::string_view bytes) {
  try {
    const auto book = Book::parse(bytes, "input");
    Position p(book->rules());
    (void)book->find(p);
    p.play(*p.moves().begin());
    (void)book->find(p);
  } catch (const BookError&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kChecksumAt = 20;
  read(fuzz::text_of(data, size));
  std::string bytes(fuzz::text_of(data, size));
  if (bytes.size() < kChecksumAt + sizeof(std::uint32_t)) return 0;
  std::memset(bytes.data() + kChecksumAt, 0, sizeof(std::uint32_t));
  const std::uint32_t checksum = crc32c(bytes);
  std::memcpy(bytes.data() + kChecksumAt, &checksum, sizeof checksum);
  read(bytes);
  return 0;
}
