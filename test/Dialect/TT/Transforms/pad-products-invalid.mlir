// RUN: blockdsl-opt %s -tt-pad-products=version=4 -verify-diagnostics

// expected-error @below {{expects version 3.6 to 3.9, got 4}}
module {}
