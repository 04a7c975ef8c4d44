//===- cubin.cpp - Kernel metadata of a cubin ---------------------------------------------------------------------===//
#include "cubin.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <map>

namespace {

const std::string kText = ".text.", kInfo = ".nv.info.";

/// Attributes of `.nv.info`, by what `cuobjdump --dump-elf` calls them: EIATTR_KPARAM_INFO, EIATTR_REQNTID.
constexpr uint8_t kParameter = 0x17, kThreads = 0x10;
/// How a value is stored: two bytes in the place of its size, or as many bytes as the size says.
constexpr uint8_t kSized = 4;

template <typename T> T at(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

void readInfo(const char *info, size_t size, Cubin &cubin) {
  std::map<uint16_t, int> sizes;
  for (const char *entry = info; entry + 4 <= info + size;) {
    const char *value = entry + 4;
    auto format = static_cast<uint8_t>(entry[0]), attribute = static_cast<uint8_t>(entry[1]);
    // A parameter: its index, ordinal and offset, then its size above 18 other bits.
    if (format == kSized && attribute == kParameter)
      sizes[at<uint16_t>(value + 4)] = static_cast<int>(at<uint32_t>(value + 8) >> 18);
    if (format == kSized && attribute == kThreads)
      cubin.threads = static_cast<int>(at<uint32_t>(value));
    entry = value + (format == kSized ? at<uint16_t>(entry + 2) : 0);
  }
  for (auto [ordinal, bytes] : sizes)
    cubin.parameters.push_back(bytes);
}

} // namespace

bool readCubin(const char *image, Cubin &cubin) {
  // What is damaged from here on, a driver may notice; this does not.
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0 || image[EI_CLASS] != ELFCLASS64)
    return false;
  auto header = at<Elf64_Ehdr>(image);
  auto section = [&](size_t index) { return at<Elf64_Shdr>(image + header.e_shoff + index * header.e_shentsize); };
  const char *names = image + section(header.e_shstrndx).sh_offset;
  cubin.size = std::max<size_t>(header.e_shoff + size_t(header.e_shnum) * header.e_shentsize,
                                header.e_phoff + size_t(header.e_phnum) * header.e_phentsize);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr found = section(i);
    std::string name = names + found.sh_name;
    if (found.sh_type != SHT_NOBITS)
      cubin.size = std::max<size_t>(cubin.size, found.sh_offset + found.sh_size);
    if (name.rfind(kText, 0) == 0)
      cubin.kernel = name.substr(kText.size());
    if (name.rfind(kInfo, 0) == 0)
      readInfo(image + found.sh_offset, found.sh_size, cubin);
  }
  return !cubin.kernel.empty();
}
