//===- LaunchTable.cpp - Table of compiled kernels by key ---------------------------------------------------------===//

#include "Launcher.h"

#include <algorithm>
#include <cstring>

using namespace blockdsl::python;

Entry *Table::find(const uint64_t *key, size_t size, uint64_t hash) const {
  if (slots.empty())
    return nullptr;
  size_t mask = slots.size() - 1;
  for (size_t at = hash & mask; slots[at] != 0; at = (at + 1) & mask) {
    Entry *entry = entries[slots[at] - 1].get();
    if (entry->hash == hash && entry->key.size() == size &&
        std::memcmp(entry->key.data(), key, size * sizeof(*key)) == 0)
      return entry;
  }
  return nullptr;
}

void Table::index(uint32_t number) {
  size_t mask = slots.size() - 1;
  size_t at = entries[number]->hash & mask;
  while (slots[at] != 0)
    at = (at + 1) & mask;
  slots[at] = number + 1;
}

Entry &Table::insert(std::unique_ptr<Entry> entry) {
  if (entries.size() >= kLargest)
    clear();
  // Both vectors allocate before either changes, so that the table stays valid if there is no memory.
  if (entries.size() == entries.capacity())
    entries.reserve(std::max<size_t>(8, entries.size() * 2));
  if ((entries.size() + 1) * 2 > slots.size()) {
    std::vector<uint32_t> larger(std::max<size_t>(16, slots.size() * 2), 0);
    slots.swap(larger);
    for (uint32_t i = 0; i < entries.size(); ++i)
      index(i);
  }
  entries.push_back(std::move(entry));
  index(static_cast<uint32_t>(entries.size() - 1));
  return *entries.back();
}

void Table::clear() {
  slots.clear();
  // Freeing kernels runs Python code, which may call this function.
  std::vector<std::unique_ptr<Entry>> old;
  old.swap(entries);
}
