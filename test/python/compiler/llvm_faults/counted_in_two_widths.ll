; The bins are 8, and the 16 words behind them are not the kernel's.
define void @count(ptr %flags, ptr %bins, i32 %start) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %i32 = trunc i64 %i to i32
  %bin = and i32 %i32, 15
  %wide = zext i32 %bin to i64
  %small = icmp ult i64 %wide, 8
  %moved = add i32 %start, %i32
  %at = and i32 %moved, 31
  %at64 = zext i32 %at to i64
  %pf = getelementptr i8, ptr %flags, i64 %at64
  %f = load i8, ptr %pf, align 1
  %set = trunc i8 %f to i1
  %both = and i1 %small, %set
  br i1 %both, label %inc, label %latch
inc:
  %p = getelementptr i32, ptr %bins, i64 %wide
  %old = load i32, ptr %p, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr %p, align 4
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 32
  br i1 %more, label %head, label %exit
exit:
  ret void
}
