; Every program counts to n and adds one to counts[id]: spin(counts, n).

define void @spin(ptr noundef readonly captures(none) %args, i64 noundef %first, i64 noundef %last, ptr noundef readnone captures(none) %scratch) {
entry:
  %i = alloca i32, align 4
  %0 = load i64, ptr %args, align 8
  %1 = inttoptr i64 %0 to ptr
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %args, i64 8
  %2 = load i32, ptr %arrayidx1, align 8
  %cmp16 = icmp slt i64 %first, %last
  br i1 %cmp16, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  ret void

for.body:
  %id.017 = phi i64 [ %inc, %for.cond.cleanup4 ], [ %first, %entry ]
  call void @llvm.lifetime.start.p0(ptr nonnull %i)
  store volatile i32 0, ptr %i, align 4
  %i.0.i.0.i.0.i.0.14 = load volatile i32, ptr %i, align 4
  %cmp315 = icmp slt i32 %i.0.i.0.i.0.i.0.14, %2
  br i1 %cmp315, label %for.inc, label %for.cond.cleanup4

for.cond.cleanup4:
  call void @llvm.lifetime.end.p0(ptr nonnull %i)
  %arrayidx6 = getelementptr inbounds i32, ptr %1, i64 %id.017
  %3 = load i32, ptr %arrayidx6, align 4
  %add7 = add nsw i32 %3, 1
  store i32 %add7, ptr %arrayidx6, align 4
  %inc = add i64 %id.017, 1
  %exitcond.not = icmp eq i64 %inc, %last
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.inc:
  %i.0.i.0.i.0.i.0.10 = load volatile i32, ptr %i, align 4
  %add = add nsw i32 %i.0.i.0.i.0.i.0.10, 1
  store volatile i32 %add, ptr %i, align 4
  %i.0.i.0.i.0.i.0. = load volatile i32, ptr %i, align 4
  %cmp3 = icmp slt i32 %i.0.i.0.i.0.i.0., %2
  br i1 %cmp3, label %for.inc, label %for.cond.cleanup4
}

declare void @llvm.lifetime.start.p0(ptr captures(none))

declare void @llvm.lifetime.end.p0(ptr captures(none))

