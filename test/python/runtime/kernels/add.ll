; Adds x and y in blocks of 64: add(x, y, out, n, BLOCK).

define void @add(ptr noundef readonly captures(none) %args, i64 noundef %first, i64 noundef %last, ptr noundef readnone captures(none) %scratch) {
entry:
  %0 = load i64, ptr %args, align 8
  %1 = inttoptr i64 %0 to ptr
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %args, i64 8
  %2 = load i64, ptr %arrayidx1, align 8
  %3 = inttoptr i64 %2 to ptr
  %arrayidx2 = getelementptr inbounds nuw i8, ptr %args, i64 16
  %4 = load i64, ptr %arrayidx2, align 8
  %5 = inttoptr i64 %4 to ptr
  %cmp30 = icmp slt i64 %first, %last
  br i1 %cmp30, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %arrayidx3 = getelementptr inbounds nuw i8, ptr %args, i64 24
  %6 = load i32, ptr %arrayidx3, align 4
  %.fr = freeze i32 %6
  %conv = sext i32 %.fr to i64
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %id.031 = phi i64 [ %first, %for.body.lr.ph ], [ %inc16, %for.cond.cleanup9 ]
  %mul = shl nsw i64 %id.031, 6
  %add = add nsw i64 %mul, 64
  %invariant.smin = tail call i64 @llvm.smin.i64(i64 %add, i64 %conv)
  %7 = icmp slt i64 %mul, %conv
  br i1 %7, label %for.body10, label %for.cond.cleanup9

for.cond.cleanup9:
  %inc16 = add nsw i64 %id.031, 1
  %exitcond.not = icmp eq i64 %inc16, %last
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.body10:
  %i.029 = phi i64 [ %inc, %for.body10 ], [ %mul, %for.body ]
  %arrayidx11 = getelementptr inbounds float, ptr %1, i64 %i.029
  %8 = load float, ptr %arrayidx11, align 4
  %arrayidx12 = getelementptr inbounds float, ptr %3, i64 %i.029
  %9 = load float, ptr %arrayidx12, align 4
  %add13 = fadd float %8, %9
  %arrayidx14 = getelementptr inbounds float, ptr %5, i64 %i.029
  store float %add13, ptr %arrayidx14, align 4
  %inc = add nsw i64 %i.029, 1
  %10 = icmp slt i64 %inc, %invariant.smin
  br i1 %10, label %for.body10, label %for.cond.cleanup9
}

declare i64 @llvm.smin.i64(i64, i64)

