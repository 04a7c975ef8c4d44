// RUN: blockdsl-opt %s -tt-anchor-reductions=version=3.5 -verify-diagnostics

// expected-error @below {{expects version 3.6 to 3.9, got 3.5}}
module {}
