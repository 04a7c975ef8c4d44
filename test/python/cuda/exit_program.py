"""Ends while kernels are loaded: nothing calls the driver then, which may have ended before."""

import stub

add = stub.make_add()
add[(1,)](*stub.operands(), 64)
print("launched")
# A driver that is asked anything from here on answers with an abort.
stub.fatal()
