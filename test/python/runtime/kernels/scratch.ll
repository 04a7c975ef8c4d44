; Every program fills 128 KiB of scratch memory with its id and stores the sum: scratch(out).

define void @scratch(ptr noundef readonly captures(none) %args, i64 noundef %first, i64 noundef %last, ptr noundef %memory) {
entry:
  %0 = load i64, ptr %args, align 8
  %1 = inttoptr i64 %0 to ptr
  %cmp34 = icmp slt i64 %first, %last
  br i1 %cmp34, label %for.cond1.preheader.lr.ph, label %for.cond.cleanup

for.cond1.preheader.lr.ph:
  %2 = ptrtoint ptr %memory to i64
  %rem = and i64 %2, 63
  br label %for.cond1.preheader

for.cond1.preheader:
  %id.035 = phi i64 [ %first, %for.cond1.preheader.lr.ph ], [ %inc19, %for.cond.cleanup9 ]
  br label %for.body4

for.cond.cleanup:
  ret void

for.body4:
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %arrayidx5 = getelementptr inbounds nuw i64, ptr %memory, i64 %indvars.iv
  store volatile i64 %id.035, ptr %arrayidx5, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 16384
  br i1 %exitcond.not, label %for.body10, label %for.body4

for.cond.cleanup9:
  %add16 = add nsw i64 %add, %rem
  %arrayidx17 = getelementptr inbounds i64, ptr %1, i64 %id.035
  store i64 %add16, ptr %arrayidx17, align 8
  %inc19 = add i64 %id.035, 1
  %exitcond41.not = icmp eq i64 %inc19, %last
  br i1 %exitcond41.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body10:
  %indvars.iv37 = phi i64 [ %indvars.iv.next38, %for.body10 ], [ 0, %for.body4 ]
  %sum.032 = phi i64 [ %add, %for.body10 ], [ 0, %for.body4 ]
  %arrayidx12 = getelementptr inbounds nuw i64, ptr %memory, i64 %indvars.iv37
  %3 = load volatile i64, ptr %arrayidx12, align 8
  %add = add nsw i64 %3, %sum.032
  %indvars.iv.next38 = add nuw nsw i64 %indvars.iv37, 1
  %exitcond40.not = icmp eq i64 %indvars.iv.next38, 16384
  br i1 %exitcond40.not, label %for.cond.cleanup9, label %for.body10
}

