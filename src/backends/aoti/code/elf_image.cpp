#include "backends/aoti/code/elf_image.h"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstring>
#include <unordered_set>

#include <executorch/runtime/core/checked_math.h>

namespace executorch::backends::aoti {
namespace {

using runtime::range_fits;
using runtime::Span;

// Structures of the ELF-64 object file format, version 1.5, chapters 2 to 8.
struct FileHeader {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, program_headers, section_headers;
  uint32_t flags;
  uint16_t size, program_header_size, program_header_count;
  uint16_t section_header_size, section_header_count, section_names;
};
struct ProgramHeader {
  uint32_t type, flags;
  uint64_t offset, address, physical, file_size, memory_size, alignment;
};
struct Dynamic {
  int64_t tag;
  uint64_t value;
};
struct Symbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};
struct SectionHeader {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entry_size;
};
struct Relocation {
  uint64_t offset, info;
  int64_t addend;
};

constexpr uint16_t kSharedObject = 3;
constexpr uint32_t kLoad = 1, kDynamic = 2;
constexpr int64_t kNeeded = 1, kPltSize = 2, kStrings = 5, kSymbols = 6, kRela = 7, kRelaSize = 8,
                  kStringsSize = 10, kPlt = 23;
constexpr uint32_t kDynamicSymbols = 11;
constexpr int kGlobal = 1, kWeak = 2, kUnique = 10;
constexpr size_t kMostDynamic = 4096;

class Reader {
 public:
  explicit Reader(Span<const uint8_t> file) : file_(file) {}

  Error read(ElfImage* image) {
    ET_TRY(read_header());
    image->machine = header_.machine;
    ET_TRY(read_dynamic());
    for (const uint64_t offset : needed_) {
      std::string name;
      ET_TRY(read_text(offset, &name));
      image->needed.push_back(std::move(name));
    }
    ET_TRY(read_relocations(rela_, rela_size_, image));
    return read_relocations(plt_, plt_size_, image);
  }

 private:
  template <class T>
  Error get(uint64_t offset, T* value, const char* what) const {
    ET_REQUIRE(range_fits(offset, uint64_t{sizeof(T)}, uint64_t{file_.size()}), InvalidProgram,
               "the code object has %zu bytes, %s lies at %" PRIu64, file_.size(), what, offset);
    std::memcpy(value, file_.data() + offset, sizeof(T));
    return Error::Ok;
  }

  Error read_header() {
    static constexpr uint8_t kStart[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    ET_REQUIRE(file_.size() >= sizeof(FileHeader) &&
                   std::memcmp(file_.data(), kStart, sizeof(kStart)) == 0,
               InvalidProgram, "the code object is no 64-bit little-endian ELF file");
    ET_TRY(get(0, &header_, "the header"));
    ET_REQUIRE(header_.type == kSharedObject, InvalidProgram,
               "the code object is an ELF file of type %u, no shared object", header_.type);
    ET_REQUIRE(header_.program_header_size == sizeof(ProgramHeader), InvalidProgram,
               "the code object's program headers have %u bytes each, 56 are expected",
               header_.program_header_size);
    return Error::Ok;
  }

  Error program_header(size_t index, ProgramHeader* found) const {
    uint64_t offset = 0;
    ET_REQUIRE(
        runtime::checked_add(header_.program_headers, uint64_t{index} * sizeof(*found), &offset),
        InvalidProgram, "the code object's program headers lie outside");
    return get(offset, found, "a program header");
  }

  /// Where the bytes of a loaded address are in the file.
  Error place_of(uint64_t address, const char* what, uint64_t* offset) const {
    for (size_t i = 0; i < header_.program_header_count; ++i) {
      ProgramHeader segment;
      ET_TRY(program_header(i, &segment));
      if (segment.type != kLoad || address < segment.address) continue;
      const uint64_t within = address - segment.address;
      if (within < segment.file_size && runtime::checked_add(segment.offset, within, offset)) {
        return Error::Ok;
      }
    }
    return ET_ERROR(InvalidProgram, "%s of the code object lies in none of its segments", what);
  }

  Error read_dynamic() {
    ProgramHeader dynamic{};
    for (size_t i = 0; i < header_.program_header_count && dynamic.type != kDynamic; ++i) {
      ET_TRY(program_header(i, &dynamic));
    }
    ET_REQUIRE(dynamic.type == kDynamic, InvalidProgram, "the code object has no dynamic section");
    for (size_t i = 0; i < kMostDynamic; ++i) {
      Dynamic entry;
      uint64_t offset = 0;
      ET_REQUIRE(runtime::checked_add(dynamic.offset, uint64_t{i} * sizeof(entry), &offset),
                 InvalidProgram, "the code object's dynamic section lies outside");
      ET_TRY(get(offset, &entry, "the dynamic section"));
      if (entry.tag == 0) return find_tables();
      note(entry);
    }
    return ET_ERROR(InvalidProgram, "the code object's dynamic section has no end");
  }

  void note(const Dynamic& entry) {
    switch (entry.tag) {
      case kNeeded:
        needed_.push_back(entry.value);
        break;
      case kStrings:
        strings_ = entry.value;
        break;
      case kStringsSize:
        strings_size_ = entry.value;
        break;
      case kSymbols:
        symbols_ = entry.value;
        break;
      case kRela:
        rela_ = entry.value;
        break;
      case kRelaSize:
        rela_size_ = entry.value;
        break;
      case kPlt:
        plt_ = entry.value;
        break;
      case kPltSize:
        plt_size_ = entry.value;
        break;
      default:
        break;
    }
  }

  Error find_tables() {
    ET_TRY(place_of(strings_, "the table of names", &strings_));
    ET_REQUIRE(range_fits(strings_, strings_size_, uint64_t{file_.size()}), InvalidProgram,
               "the code object's table of names lies outside");
    return place_of(symbols_, "the table of symbols", &symbols_);
  }

  Error read_text(uint64_t offset, std::string* text) const {
    ET_REQUIRE(offset < strings_size_, InvalidProgram,
               "the code object's name at %" PRIu64 " lies outside of its table", offset);
    const char* start = reinterpret_cast<const char*>(file_.data() + strings_ + offset);
    const size_t most = static_cast<size_t>(strings_size_ - offset);
    const size_t length = strnlen(start, most);
    ET_REQUIRE(length < most, InvalidProgram, "the code object's name at %" PRIu64 " has no end",
               offset);
    text->assign(start, length);
    return Error::Ok;
  }

  Error read_relocations(uint64_t address, uint64_t size, ElfImage* image) {
    if (size == 0) return Error::Ok;
    uint64_t table = 0;
    ET_TRY(place_of(address, "a table of relocations", &table));
    ET_REQUIRE(range_fits(table, size, uint64_t{file_.size()}), InvalidProgram,
               "a table of relocations of the code object lies outside");
    for (uint64_t at = 0; at + sizeof(Relocation) <= size; at += sizeof(Relocation)) {
      Relocation relocation;
      ET_TRY(get(table + at, &relocation, "a relocation"));
      const uint32_t symbol = static_cast<uint32_t>(relocation.info >> 32);
      if (symbol != 0 && seen_.insert(symbol).second) ET_TRY(note_symbol(symbol, image));
    }
    return Error::Ok;
  }

  Error note_symbol(uint32_t index, ElfImage* image) const {
    Symbol symbol;
    uint64_t offset = 0;
    ET_REQUIRE(runtime::checked_add(symbols_, uint64_t{index} * sizeof(symbol), &offset),
               InvalidProgram, "a symbol of the code object lies outside");
    ET_TRY(get(offset, &symbol, "a symbol"));
    if (symbol.section != 0) return Error::Ok;
    UndefinedName undefined;
    ET_TRY(read_text(symbol.name, &undefined.name));
    undefined.place = strings_ + symbol.name;
    undefined.weak = symbol.info >> 4 == kWeak;
    if (!undefined.name.empty()) image->undefined.push_back(std::move(undefined));
    return Error::Ok;
  }

  Span<const uint8_t> file_;
  FileHeader header_{};
  std::vector<uint64_t> needed_;
  // Addresses at first, then places in the file.
  uint64_t strings_ = 0, symbols_ = 0;
  uint64_t strings_size_ = 0;
  uint64_t rela_ = 0, rela_size_ = 0, plt_ = 0, plt_size_ = 0;
  std::unordered_set<uint32_t> seen_;
};

}  // namespace

uint16_t own_elf_machine() {
#if defined(__x86_64__) || defined(_M_X64)
  return 62;
#elif defined(__aarch64__) || defined(_M_ARM64)
  return 183;
#else
  return 0;
#endif
}

Error read_elf(Span<const uint8_t> file, ElfImage* image) {
  *image = ElfImage();
  return Reader(file).read(image);
}

Error rename_undefined(Span<uint8_t> file, std::string_view from, std::string_view to,
                       ElfImage* image) {
  ET_REQUIRE(from.size() == to.size(), InvalidArgument,
             "a prefix of %zu characters cannot be replaced by one of %zu", from.size(), to.size());
  const auto begins = [&](const UndefinedName& undefined) {
    return std::string_view(undefined.name).substr(0, from.size()) == from;
  };
  for (UndefinedName& undefined : image->undefined) {
    if (!begins(undefined)) continue;
    // A linker may let a name be the end of a longer one.
    const bool shared =
        (undefined.place > 0 && file[undefined.place - 1] != 0) ||
        std::any_of(
            image->undefined.begin(), image->undefined.end(), [&](const UndefinedName& other) {
              return undefined.place < other.place && other.place < undefined.place + from.size();
            });
    ET_REQUIRE(!shared, NotSupported,
               "the code object keeps the name '%s' within another name, so that it cannot be "
               "replaced",
               undefined.name.c_str());
    std::memcpy(file.data() + undefined.place, to.data(), to.size());
    undefined.name.replace(0, to.size(), to);
  }
  return Error::Ok;
}

Error clear_unique_symbols(Span<uint8_t> file) {
  ET_REQUIRE(file.size() >= sizeof(FileHeader), InvalidProgram, "the code object is no ELF file");
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  const uint64_t file_size = file.size();
  for (uint64_t i = 0; i < header.section_header_count; ++i) {
    SectionHeader section;
    uint64_t offset = 0;
    ET_REQUIRE(runtime::checked_add(header.section_headers, i * sizeof(section), &offset) &&
                   range_fits(offset, uint64_t{sizeof(section)}, file_size),
               InvalidProgram, "the code object's section headers lie outside");
    std::memcpy(&section, file.data() + offset, sizeof(section));
    if (section.type != kDynamicSymbols) continue;
    ET_REQUIRE(range_fits(section.offset, section.size, file_size), InvalidProgram,
               "the code object's dynamic symbols lie outside");
    for (uint64_t at = 0; at + sizeof(Symbol) <= section.size; at += sizeof(Symbol)) {
      uint8_t& info = file[section.offset + at + offsetof(Symbol, info)];
      if (info >> 4 == kUnique) info = static_cast<uint8_t>(kGlobal << 4 | (info & 15));
    }
  }
  return Error::Ok;
}

}  // namespace executorch::backends::aoti
