; LLVM 22 reports an error to nobody, and exits: it knows no such register.
define void @exits() {
  call void asm sideeffect "", "{nowhere}"(i32 0)
  ret void
}
