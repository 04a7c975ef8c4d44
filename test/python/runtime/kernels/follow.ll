; Every program waits, for so many looks, until the one before it has left its mark, and hands it on: follow(marks, looks).
; The mark is 1, or -1 after a program that looked in vain. Some microseconds of work come first, which are worth threads.

define void @follow(ptr noundef readonly captures(none) %args, i64 noundef %first, i64 noundef %last, ptr noundef readnone captures(none) %scratch) {
entry:
  %address = load i64, ptr %args, align 8
  %marks = inttoptr i64 %address to ptr
  %place = getelementptr inbounds nuw i8, ptr %args, i64 8
  %looks = load i32, ptr %place, align 8
  br label %program

program:
  %id = phi i64 [ %first, %entry ], [ %following, %mark ]
  br label %work

work:
  %turn = phi i32 [ 0, %program ], [ %turned, %work ]
  call void asm sideeffect "", ""()
  %turned = add i32 %turn, 1
  %works = icmp slt i32 %turned, 30000
  br i1 %works, label %work, label %worked

worked:
  %before = sub i64 %id, 1
  %theirs = getelementptr inbounds i32, ptr %marks, i64 %before
  %own = getelementptr inbounds i32, ptr %marks, i64 %id
  %is_first = icmp eq i64 %id, 0
  br i1 %is_first, label %mark, label %look

look:
  %count = phi i32 [ 0, %worked ], [ %counted, %look ]
  %seen = load atomic i32, ptr %theirs acquire, align 4
  %counted = add i32 %count, 1
  %waits = icmp eq i32 %seen, 0
  %patient = icmp slt i32 %counted, %looks
  %again = and i1 %waits, %patient
  br i1 %again, label %look, label %looked

looked:
  %in_vain = icmp ne i32 %seen, 1
  %handed = select i1 %in_vain, i32 -1, i32 1
  br label %mark

mark:
  %value = phi i32 [ 1, %worked ], [ %handed, %looked ]
  store atomic i32 %value, ptr %own release, align 4
  %following = add i64 %id, 1
  %done = icmp eq i64 %following, %last
  br i1 %done, label %end, label %program

end:
  ret void
}
