"""Ends while kernels are loaded: no call reaches the driver, which may be shut down already."""

import stub

add = stub.make_add()
add[(1,)](*stub.operands(), 64)
print("launched")
# From here on the stub aborts at every call.
stub.fatal()
