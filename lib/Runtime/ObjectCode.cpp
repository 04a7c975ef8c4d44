//===- ObjectCode.cpp - Loader of object files --------------------------------------------------------------------===//
//
// One mapping has all sections, so that 32-bit distances between them always fit: code, stubs that jump to external
// functions, constants, and writable data, if any. Everything but the data becomes read-only and executable. Constants
// need not be executable, but separate pages would double the number of mappings, of which Linux allows a process
// 65,530. x86-64 only: other machines link through LLVM (backends/cpu.py).
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Runtime/ObjectCode.h"

#include "blockdsl/Runtime/LaunchContext.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <new>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace blockdsl::runtime;

namespace blockdsl::runtime {

/// Loads one object. Each step returns false after setting `error` on failure.
class ObjectLoader {
public:
  ObjectLoader(std::string_view object, std::string &error) : object(object), error(error) {}

  std::unique_ptr<ObjectCode> run() {
    if (!readHeaders() || !layOut() || !copySections() || !relocate() || !protect() || !collectFunctions())
      return nullptr;
    return std::move(code);
  }

private:
  /// A jump to a function beyond 32-bit distance: `jmp *[rip+2]`, followed by the address.
  struct Stub {
    uint8_t jump[8] = {0xff, 0x25, 0x02, 0x00, 0x00, 0x00, 0x66, 0x90};
    uint64_t target = 0;
  };

  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }

  /// Returns `count` objects of type T at an offset of the file; null if they are outside of the file or misaligned.
  template <typename T> const T *view(uint64_t offset, uint64_t count) {
    if (offset > object.size() || count > (object.size() - offset) / sizeof(T) ||
        (reinterpret_cast<uintptr_t>(object.data()) + offset) % alignof(T) != 0)
      return nullptr;
    return reinterpret_cast<const T *>(object.data() + offset);
  }

  /// Returns a NUL-terminated name in the string table `section`.
  const char *nameIn(const Elf64_Shdr &section, uint64_t offset) {
    const char *table = view<char>(section.sh_offset, section.sh_size);
    if (!table || offset >= section.sh_size || !std::memchr(table + offset, 0, section.sh_size - offset))
      return nullptr;
    return table + offset;
  }

  bool readHeaders();
  bool layOut();
  bool copySections();
  bool relocate();
  bool relocateSection(const Elf64_Shdr &relocations);
  bool relocateOne(const Elf64_Rela &entry, size_t target);
  std::optional<uint64_t> addressOf(uint32_t symbol);
  bool protect();
  bool collectFunctions();

  bool isLoaded(const Elf64_Shdr &section) {
    if (!(section.sh_flags & SHF_ALLOC) || section.sh_size == 0)
      return false;
    const char *name = nameIn(sections[header->e_shstrndx], section.sh_name);
    // Kernels never unwind.
    return name && std::strcmp(name, ".eh_frame") != 0;
  }

  std::string_view object;
  std::string &error;
  std::unique_ptr<ObjectCode> code;
  const Elf64_Ehdr *header = nullptr;
  const Elf64_Shdr *sections = nullptr;
  size_t sectionCount = 0;
  const Elf64_Sym *symbols = nullptr;
  const Elf64_Shdr *symbolNames = nullptr;
  size_t symbolCount = 0;
  /// Offset of each loaded section in the mapping.
  std::vector<std::optional<uint64_t>> offsets;
  uint64_t stubsAt = 0, writableAt = 0;
};

} // namespace blockdsl::runtime

static uint64_t alignTo(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

bool ObjectLoader::readHeaders() {
  header = view<Elf64_Ehdr>(0, 1);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_type != ET_REL)
    return fail("this is no relocatable 64-bit ELF object");
  if (header->e_machine != EM_X86_64)
    return fail("the object is for another machine (ELF machine " + std::to_string(header->e_machine) + ")");
  sectionCount = header->e_shnum;
  sections = view<Elf64_Shdr>(header->e_shoff, sectionCount);
  if (!sections || header->e_shstrndx >= sectionCount)
    return fail("the section table lies outside of the object");
  for (size_t i = 0; i < sectionCount; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    symbolCount = sections[i].sh_size / sizeof(Elf64_Sym);
    symbols = view<Elf64_Sym>(sections[i].sh_offset, symbolCount);
    if (!symbols || sections[i].sh_link >= sectionCount)
      return fail("the symbol table lies outside of the object");
    symbolNames = &sections[sections[i].sh_link];
    return true;
  }
  return fail("the object has no symbol table");
}

bool ObjectLoader::layOut() {
  offsets.resize(sectionCount);
  auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t end = 0;
  auto placeSections = [&](uint64_t flags) {
    for (size_t i = 0; i < sectionCount; ++i) {
      const Elf64_Shdr &section = sections[i];
      if (!isLoaded(section) || (section.sh_flags & (SHF_EXECINSTR | SHF_WRITE)) != flags)
        continue;
      uint64_t alignment = section.sh_addralign ? section.sh_addralign : 1;
      if ((alignment & (alignment - 1)) != 0 || alignment > page || section.sh_size > (1u << 30) ||
          (section.sh_flags & SHF_TLS))
        return fail("section " + std::to_string(i) + " cannot be placed");
      end = alignTo(end, alignment);
      offsets[i] = end;
      end += section.sh_size;
    }
    return end < (1u << 30) ? true : fail("the object is too large");
  };
  if (!placeSections(SHF_EXECINSTR))
    return false;
  stubsAt = end = alignTo(end, alignof(Stub));
  end += symbolCount * sizeof(Stub);
  if (!placeSections(0))
    return false;
  writableAt = end = alignTo(end, page);
  if (!placeSections(SHF_WRITE))
    return false;
  code.reset(new ObjectCode);
  size_t size = alignTo(end, page);
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  code->memory = static_cast<uint8_t *>(memory);
  code->size = size;
  return true;
}

bool ObjectLoader::copySections() {
  for (size_t i = 0; i < sectionCount; ++i) {
    if (!offsets[i] || sections[i].sh_type == SHT_NOBITS)
      continue;
    const char *bytes = view<char>(sections[i].sh_offset, sections[i].sh_size);
    if (!bytes)
      return fail("section " + std::to_string(i) + " lies outside of the object");
    std::memcpy(code->memory + *offsets[i], bytes, sections[i].sh_size);
  }
  return true;
}

bool ObjectLoader::relocate() {
  for (size_t i = 0; i < sectionCount; ++i) {
    if (sections[i].sh_type == SHT_REL)
      return fail("relocations without addends are not used on this machine");
    if (sections[i].sh_type == SHT_RELA && sections[i].sh_info < sectionCount && offsets[sections[i].sh_info] &&
        !relocateSection(sections[i]))
      return false;
  }
  return true;
}

bool ObjectLoader::relocateSection(const Elf64_Shdr &relocations) {
  size_t count = relocations.sh_size / sizeof(Elf64_Rela);
  const auto *entries = view<Elf64_Rela>(relocations.sh_offset, count);
  if (!entries)
    return fail("a relocation table lies outside of the object");
  for (size_t i = 0; i < count; ++i)
    if (!relocateOne(entries[i], relocations.sh_info))
      return false;
  return true;
}

/// Returns the address of a symbol. For an external function it is the address of its stub.
std::optional<uint64_t> ObjectLoader::addressOf(uint32_t index) {
  if (index >= symbolCount) {
    fail("a relocation names a symbol that is not there");
    return std::nullopt;
  }
  const Elf64_Sym &symbol = symbols[index];
  auto base = reinterpret_cast<uint64_t>(code->memory);
  if (symbol.st_shndx != SHN_UNDEF) {
    if (symbol.st_shndx >= sectionCount || !offsets[symbol.st_shndx]) {
      fail("a relocation names a section that is not loaded");
      return std::nullopt;
    }
    return base + *offsets[symbol.st_shndx] + symbol.st_value;
  }
  const char *name = nameIn(*symbolNames, symbol.st_name);
  void *target = name ? lookupKernelSymbol(name) : nullptr;
  if (!target) {
    fail(std::string("the code calls '") + (name ? name : "?") + "', which kernels may not");
    return std::nullopt;
  }
  code->callsShouldStop |= target == reinterpret_cast<void *>(blockdsl_should_stop);
  code->callsWait |= target == reinterpret_cast<void *>(blockdsl_wait);
  Stub stub;
  stub.target = reinterpret_cast<uint64_t>(target);
  std::memcpy(code->memory + stubsAt + index * sizeof(Stub), &stub, sizeof(stub));
  return base + stubsAt + index * sizeof(Stub);
}

bool ObjectLoader::relocateOne(const Elf64_Rela &entry, size_t target) {
  uint32_t type = ELF64_R_TYPE(entry.r_info);
  bool isWide = type == R_X86_64_64 || type == R_X86_64_PC64;
  size_t width = isWide ? 8 : 4;
  uint64_t size = sections[target].sh_size;
  if (entry.r_offset > size || size - entry.r_offset < width)
    return fail("a relocation lies outside of its section");
  uint8_t *location = code->memory + *offsets[target] + entry.r_offset;
  auto address = reinterpret_cast<uint64_t>(location);
  uint32_t index = ELF64_R_SYM(entry.r_info);
  std::optional<uint64_t> symbol = addressOf(index);
  if (!symbol)
    return false;
  if (type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX) {
    // The relocation needs an address in memory, which the stub's second half is. Local symbols get a stub for it.
    uint64_t at = stubsAt + index * sizeof(Stub) + offsetof(Stub, target);
    if (symbols[index].st_shndx != SHN_UNDEF)
      std::memcpy(code->memory + at, &*symbol, sizeof(*symbol));
    symbol = reinterpret_cast<uint64_t>(code->memory) + at;
  } else if (type != R_X86_64_64 && type != R_X86_64_PC64 && type != R_X86_64_PC32 && type != R_X86_64_PLT32) {
    return fail("relocations of type " + std::to_string(type) + " are not supported");
  }
  uint64_t value = *symbol + static_cast<uint64_t>(entry.r_addend);
  if (type != R_X86_64_64)
    value -= address;
  if (!isWide && static_cast<int64_t>(value) != static_cast<int32_t>(value))
    return fail("a relocation does not fit into 32 bits");
  std::memcpy(location, &value, width);
  return true;
}

bool ObjectLoader::protect() {
  uint8_t *memory = code->memory;
  if (writableAt && mprotect(memory, writableAt, PROT_READ | PROT_EXEC) != 0)
    return errno == ENOMEM ? throw std::bad_alloc() : fail("this process may not make memory executable");
  return true;
}

bool ObjectLoader::collectFunctions() {
  for (size_t i = 0; i < symbolCount; ++i) {
    const Elf64_Sym &symbol = symbols[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
        symbol.st_shndx >= sectionCount || !offsets[symbol.st_shndx])
      continue;
    const char *name = nameIn(*symbolNames, symbol.st_name);
    if (!name || symbol.st_value >= sections[symbol.st_shndx].sh_size)
      return fail("a function lies outside of its section");
    code->functions[name] = code->memory + *offsets[symbol.st_shndx] + symbol.st_value;
  }
  return true;
}

std::unique_ptr<ObjectCode> ObjectCode::load(std::string_view object, std::string &error) {
  // Copied because the memory of a Python bytes object may be misaligned.
  std::string aligned(object);
  return ObjectLoader(aligned, error).run();
}

ObjectCode::~ObjectCode() {
  if (memory)
    munmap(memory, size);
}

void *ObjectCode::lookup(const std::string &name) const {
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}
