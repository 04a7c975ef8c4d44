//===- LaunchDtypes.cpp - Element types of arguments --------------------------------------------------------------===//
//
// DLPack, buffer formats and type names have a function each.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchDtypes.h"

#include <cstring>
#include <iterator>

using namespace blockdsl::python;

const char *const blockdsl::python::kDtypeNames[] = {"i1",   "i8",    "i16",     "i32",     "i64",      "u8",
                                                     "u16",  "u32",   "u64",     "fp16",    "bf16",     "fp32",
                                                     "fp64", "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"};
const int blockdsl::python::kDtypeCount = std::size(kDtypeNames);

Dtype blockdsl::python::dtypeOf(dlpack::DataType type) {
  if (type.lanes != 1)
    return Unsupported;
  switch (type.code) {
  case dlpack::Bool:
    return type.bits == 8 ? I1 : Unsupported;
  case dlpack::BFloat:
    return type.bits == 16 ? BF16 : Unsupported;
  case dlpack::Float:
    return type.bits == 16 ? F16 : type.bits == 32 ? F32 : type.bits == 64 ? F64 : Unsupported;
  case dlpack::Int:
    return type.bits == 8 ? I8 : type.bits == 16 ? I16 : type.bits == 32 ? I32 : type.bits == 64 ? I64 : Unsupported;
  case dlpack::UInt:
    return type.bits == 8 ? U8 : type.bits == 16 ? U16 : type.bits == 32 ? U32 : type.bits == 64 ? U64 : Unsupported;
  case dlpack::Float8E5M2:
    return F8E5;
  case dlpack::Float8E4M3FN:
    return F8E4NV;
  case dlpack::Float8E4M3FNUZ:
    return F8E4B8;
  case dlpack::Float8E5M2FNUZ:
    return F8E5B16;
  default:
    return Unsupported;
  }
}

Dtype blockdsl::python::dtypeOf(const char *format, Py_ssize_t size) {
  const char *letter = format ? format : "B";
  if (*letter == '@' || *letter == '=' || *letter == '<')
    ++letter;
  if (letter[0] == 0 || letter[1] != 0)
    return Unsupported;
  auto code = std::strchr("bhilqn", *letter)   ? dlpack::Int
              : std::strchr("BHILQN", *letter) ? dlpack::UInt
              : std::strchr("efd", *letter)    ? dlpack::Float
              : *letter == '?'                 ? dlpack::Bool
                                               : dlpack::Opaque;
  return dtypeOf(dlpack::DataType{static_cast<uint8_t>(code), static_cast<uint8_t>(size * 8), 1});
}

Dtype blockdsl::python::dtypeNamed(std::string_view text) {
  static constexpr struct {
    std::string_view name;
    Dtype dtype;
  } kNames[] = {
      {"bool", I1},
      {"int1", I1},
      {"int8", I8},
      {"int16", I16},
      {"int32", I32},
      {"int64", I64},
      {"uint8", U8},
      {"uint16", U16},
      {"uint32", U32},
      {"uint64", U64},
      {"float16", F16},
      {"fp16", F16},
      {"bfloat16", BF16},
      {"bf16", BF16},
      {"float32", F32},
      {"fp32", F32},
      {"float64", F64},
      {"fp64", F64},
      {"float8_e5m2", F8E5},
      {"fp8e5", F8E5},
      {"float8_e4m3fn", F8E4NV},
      {"fp8e4nv", F8E4NV},
      {"float8_e4m3fnuz", F8E4B8},
      {"fp8e4b8", F8E4B8},
      {"float8_e5m2fnuz", F8E5B16},
      {"fp8e5b16", F8E5B16},
      {"fp8e4b15", F8E4B15},
  };
  size_t dot = text.rfind('.');
  text = dot == text.npos ? text : text.substr(dot + 1);
  text = text.substr(0, text.find('\''));
  for (const auto &entry : kNames)
    if (entry.name == text)
      return entry.dtype;
  return Unsupported;
}

int64_t blockdsl::python::sizeOf(Dtype dtype) {
  static constexpr int64_t kSizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1, 1, 1, 1, 1};
  static_assert(std::size(kSizes) == F8E4B15 + 1);
  return kSizes[dtype];
}
