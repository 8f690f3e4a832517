// Opening books: as they are, and with the checksum made right, so that what is inside is reached.
#include "solver/book.h"

#include "tests/fuzz/fuzz.h"

namespace {

using namespace quarto;

void read(std::string_view bytes) {
  try {
    const auto book = Book::parse(std::string(bytes), "input");
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
  const std::string_view input = fuzz::text_of(data, size);
  read(input);
  if (const auto bytes = fuzz::with_checksum_at(kChecksumAt, input)) read(*bytes);
  return 0;
}
