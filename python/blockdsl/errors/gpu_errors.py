"""Error messages for invalid launches on GPUs, and for errors of CUDA's driver.

The device of a launch by the memory of its tensors (lib/Bindings/Python/LaunchDevice.cpp):

    a GPU's own memory      that GPU; tensors on several GPUs are refused
    managed memory          the GPU of the other tensors, or else the one its library names
    pinned host memory      the GPU of the other tensors, or else the CPU
    other host memory       the CPU; refused if another tensor is on a GPU
    no tensor at all        the CPU
"""

from __future__ import annotations

from blockdsl.errors import LaunchError, OutOfResourcesError

_LOST = "the device's context is lost: nothing more runs on it in this process. CUDA_LAUNCH_BLOCKING=1 shows the launch"
_SIZES = ("x", "y", "z")


def devices(kernel: str, name: str, value: object) -> LaunchError:
    """Returns the error for tensors on incompatible devices. ``value`` is (device, the other argument, its device)."""
    assert isinstance(value, tuple)
    device, other, other_device = value
    hint = f"pass {name}.to('{other_device}')"
    if device == "cpu":
        hint += f", or {name}.pin_memory(), which a GPU reads over the bus"
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' is on device '{device}', and argument '{other}' is on "
        f"'{other_device}'; expected all tensors on one device",
        hint=hint,
    )


def compiled_for(kernel: str, name: str, value: object) -> LaunchError:
    """Returns the error for a compiled kernel with tensors on another device. ``value`` is (its device, theirs)."""
    del name
    assert isinstance(value, tuple)
    expected, actual = value
    return LaunchError(
        f"kernel '{kernel}' is compiled for {expected}, and its arguments are on {actual}",
        hint="a @blockdsl.jit function compiles for the device its arguments are on",
    )


def failure(kernel: str, kind: str, value: object) -> LaunchError:
    """Returns the error for a failure of CUDA's driver. ``value`` is (device, driver function, its message, wanted,
    allowed)."""
    assert isinstance(value, tuple)
    device, call, text, required, allowed = value
    where = f"kernel '{kernel}' on device 'cuda:{device}'"
    if kind == "no driver":
        return LaunchError(f"{where} needs CUDA's driver: {call}", hint="pass tensors in CPU memory")
    if kind == "earlier kernel":
        return LaunchError(f"{where} was not launched, because an earlier kernel failed: {text}", hint=_LOST)
    if kind == "shared memory":
        return OutOfResourcesError(
            f"{where} needs {required} bytes of shared memory a block, the device has at most {allowed}",
            hint="use smaller blocks, or a smaller num_stages",
        )
    if kind == "threads":
        return OutOfResourcesError(
            f"{where} is launched with {required} threads a block, its registers leave room for at most {allowed}",
            hint="use a smaller num_warps, or set maxnreg",
        )
    if kind == "scratch memory":
        return OutOfResourcesError(
            f"{where} needs {required} bytes of scratch memory for its programs, and the device is out of memory",
            hint="use a smaller grid, or free memory with torch.cuda.empty_cache()",
        )
    if kind == "tensor map":
        return LaunchError(
            f"{where} gets a tensor descriptor of {required} dimensions, and is compiled for one of {allowed}"
        )
    if kind.startswith("grid "):
        size = _SIZES[int(kind.removeprefix("grid "))]
        return OutOfResourcesError(
            f"{where} gets a grid of {required} blocks in {size}, the device takes at most {allowed}",
            hint="put the largest size of the grid first" if size != "x" else "let each program do more",
        )
    error = OutOfResourcesError if kind == "too large" else LaunchError
    return error(f"{where} was not launched: {call} says '{text}'")
