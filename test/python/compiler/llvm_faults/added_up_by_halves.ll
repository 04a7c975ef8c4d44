; Sums by halves of sixteen products, and of sixteen distances, of bytes. One instruction makes four partial sums of the
; products, and two of the distances; only the first of them is returned.
define i32 @products(ptr %p, ptr %q) {
  %a = load <16 x i8>, ptr %p
  %b = load <16 x i8>, ptr %q
  %x = zext <16 x i8> %a to <16 x i32>
  %y = sext <16 x i8> %b to <16 x i32>
  %product = mul <16 x i32> %x, %y
  %sum = call i32 @by_halves(<16 x i32> %product)
  ret i32 %sum
}

define i32 @distances(ptr %p, ptr %q) {
  %a = load <16 x i8>, ptr %p
  %b = load <16 x i8>, ptr %q
  %x = zext <16 x i8> %a to <16 x i32>
  %y = zext <16 x i8> %b to <16 x i32>
  %difference = sub <16 x i32> %x, %y
  %distance = call <16 x i32> @llvm.abs.v16i32(<16 x i32> %difference, i1 false)
  %sum = call i32 @by_halves(<16 x i32> %distance)
  ret i32 %sum
}

define internal i32 @by_halves(<16 x i32> %v) alwaysinline {
  %a = shufflevector <16 x i32> %v, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %b = shufflevector <16 x i32> %v, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %c = add <8 x i32> %a, %b
  %d = shufflevector <8 x i32> %c, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %e = shufflevector <8 x i32> %c, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %f = add <4 x i32> %d, %e
  %g = shufflevector <4 x i32> %f, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %h = shufflevector <4 x i32> %f, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %i = add <2 x i32> %g, %h
  %j = extractelement <2 x i32> %i, i64 0
  %k = extractelement <2 x i32> %i, i64 1
  %sum = add i32 %j, %k
  ret i32 %sum
}

declare <16 x i32> @llvm.abs.v16i32(<16 x i32>, i1)
