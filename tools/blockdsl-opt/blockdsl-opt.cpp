// Runs passes and named pipelines on .mlir and .ttir files.
#include "blockdsl/Tools/Opt.h"

int main(int argc, char **argv) { return blockdsl::runOpt(argc, argv); }
