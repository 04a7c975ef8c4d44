; Asserts x[id] < limit: check(x, limit).

@.str = private constant [10 x i8] c"x < limit\00", align 1

define void @check(ptr noundef readonly captures(none) %args, i64 noundef %first, i64 noundef %last, ptr noundef readnone captures(none) %scratch) {
entry:
  %0 = load i64, ptr %args, align 8
  %1 = inttoptr i64 %0 to ptr
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %args, i64 8
  %2 = load i32, ptr %arrayidx1, align 8
  %cmp10 = icmp slt i64 %first, %last
  br i1 %cmp10, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %args, i64 40
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %id.011 = phi i64 [ %first, %for.body.lr.ph ], [ %inc, %for.inc ]
  %arrayidx2 = getelementptr inbounds i32, ptr %1, i64 %id.011
  %3 = load i32, ptr %arrayidx2, align 4
  %cmp3.not = icmp slt i32 %3, %2
  br i1 %cmp3.not, label %for.inc, label %if.then

if.then:
  %4 = load i64, ptr %arrayidx4, align 8
  %5 = inttoptr i64 %4 to ptr
  %conv = trunc i64 %id.011 to i32
  tail call void @blockdsl_assert_failed(ptr noundef %5, ptr noundef nonnull @.str, i32 noundef %conv, i32 noundef 0, i32 noundef 0)
  br label %for.inc

for.inc:
  %inc = add i64 %id.011, 1
  %exitcond.not = icmp eq i64 %inc, %last
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

declare void @blockdsl_assert_failed(ptr noundef, ptr noundef, i32 noundef, i32 noundef, i32 noundef)

