; Prints a float and the grid, stores expm1(value): show(out, value).

@.none = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@.one = private unnamed_addr constant [2 x i8] c"1\00", align 1
@.indices = private unnamed_addr constant [3 x i32] [i32 0, i32 1, i32 2], align 4
@.str = private constant [9 x i8] c" value: \00", align 1
@.str.1 = private constant [8 x i8] c" grid: \00", align 1
@.str.2 = private constant [8 x i8] c" bits: \00", align 1

define void @show(ptr noundef readonly captures(none) %args, i64 noundef %first, i64 noundef %last, ptr noundef readnone captures(none) %scratch) {
entry:
  %value = alloca float, align 4
  %grid = alloca [3 x i32], align 4
  %0 = load i64, ptr %args, align 8
  %1 = inttoptr i64 %0 to ptr
  call void @llvm.lifetime.start.p0(ptr nonnull %value)
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %args, i64 8
  %2 = load float, ptr %arrayidx1, align 8
  store float %2, ptr %value, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %grid)
  %arrayidx2 = getelementptr inbounds nuw i8, ptr %args, i64 16
  %3 = load i32, ptr %arrayidx2, align 8
  store i32 %3, ptr %grid, align 4
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %grid, i64 4
  %arrayidx3 = getelementptr inbounds nuw i8, ptr %args, i64 24
  %4 = load i32, ptr %arrayidx3, align 8
  store i32 %4, ptr %arrayinit.element, align 4
  %arrayinit.element4 = getelementptr inbounds nuw i8, ptr %grid, i64 8
  %arrayidx5 = getelementptr inbounds nuw i8, ptr %args, i64 32
  %5 = load i32, ptr %arrayidx5, align 8
  store i32 %5, ptr %arrayinit.element4, align 4
  %cmp26 = icmp slt i64 %first, %last
  br i1 %cmp26, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %arrayidx7 = getelementptr inbounds nuw i8, ptr %args, i64 40
  br label %for.body

for.cond.cleanup:
  call void @llvm.lifetime.end.p0(ptr nonnull %grid)
  call void @llvm.lifetime.end.p0(ptr nonnull %value)
  ret void

for.body:
  %id.027 = phi i64 [ %first, %for.body.lr.ph ], [ %inc, %for.body ]
  %6 = load float, ptr %value, align 4
  %conv = fpext float %6 to double
  %call = call double @expm1(double noundef %conv)
  %arrayidx6 = getelementptr inbounds double, ptr %1, i64 %id.027
  store double %call, ptr %arrayidx6, align 8
  %7 = load i64, ptr %arrayidx7, align 8
  %8 = inttoptr i64 %7 to ptr
  %conv8 = trunc i64 %id.027 to i32
  call void @blockdsl_print(ptr noundef %8, ptr noundef nonnull @.str, i32 noundef %conv8, i32 noundef 0, i32 noundef 0, i32 noundef 0, i32 noundef 288, ptr noundef nonnull %value, i64 noundef 1, ptr noundef nonnull @.none, ptr noundef null)
  %9 = load i64, ptr %arrayidx7, align 8
  %10 = inttoptr i64 %9 to ptr
  call void @blockdsl_print(ptr noundef %10, ptr noundef nonnull @.str.1, i32 noundef %conv8, i32 noundef 0, i32 noundef 0, i32 noundef 0, i32 noundef 544, ptr noundef nonnull %grid, i64 noundef 3, ptr noundef nonnull @.one, ptr noundef nonnull @.indices)
  %11 = load i64, ptr %arrayidx7, align 8
  %12 = inttoptr i64 %11 to ptr
  call void @blockdsl_print(ptr noundef %12, ptr noundef nonnull @.str.2, i32 noundef %conv8, i32 noundef 0, i32 noundef 0, i32 noundef 1, i32 noundef 544, ptr noundef nonnull %grid, i64 noundef 1, ptr noundef nonnull @.none, ptr noundef null)
  %inc = add i64 %id.027, 1
  %exitcond.not = icmp eq i64 %inc, %last
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

declare void @llvm.lifetime.start.p0(ptr captures(none))

declare double @expm1(double noundef)

declare void @blockdsl_print(ptr noundef, ptr noundef, i32 noundef, i32 noundef, i32 noundef, i32 noundef, i32 noundef, ptr noundef, i64 noundef, ptr noundef, ptr noundef)

declare void @llvm.lifetime.end.p0(ptr captures(none))

