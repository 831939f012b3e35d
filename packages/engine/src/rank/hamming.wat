;; Hamming distances of a page of codes to the code of a question. `npm run wasm` compiles this file to
;; `hamming-wasm.json`.
;;
;; Memory in bytes:
;;      0  code of the question, zero-padded to whole vectors of 16 bytes
;;    512  mask of the last vector: ones for the bytes of a code, zeros for the bytes after it
;;   1024  page: runs of codes, each with its length in 32-bit words before it; a length of 0 ends the page
;; 263168  result: the least distance of each run as a 16-bit number, at the index `offset in words >> $shift`
(module
  ;; The page has 262144 bytes. The result has up to 65536 bytes, because a run has at least two words.
  (memory (export "memory") 6)
  (func (export "scan")
    (param $at i32) ;; address of the first run
    (param $end i32) ;; address after the page
    (param $codeBytes i32) ;; size of a code, a multiple of 4
    (param $shift i32)
    (local $lastVector i32) ;; offset of a code's last vector
    (local $slot i32) ;; address of the run's result
    (local $runEnd i32)
    (local $least i32)
    (local $distance i32)
    (local $offset i32)
    (local $mask v128)
    (local $sum v128)
    (local.set $lastVector (i32.and (i32.sub (local.get $codeBytes) (i32.const 1)) (i32.const -16)))
    (local.set $mask (v128.load (i32.const 512)))
    (block $done
      (loop $run
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $runEnd (i32.shl (i32.load (local.get $at)) (i32.const 2)))
        (br_if $done (i32.eqz (local.get $runEnd)))
        (local.set $slot
          (i32.shl
            (i32.shr_u (i32.shr_u (i32.sub (local.get $at) (i32.const 1024)) (i32.const 2)) (local.get $shift))
            (i32.const 1)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (local.set $runEnd (i32.add (local.get $at) (local.get $runEnd)))
        (local.set $least (i32.const 65535))
        (loop $code
          (local.set $offset (i32.const 0))
          (local.set $sum (v128.const i32x4 0 0 0 0))
          (block $isLast
            (loop $vector
              (br_if $isLast (i32.ge_u (local.get $offset) (local.get $lastVector)))
              (local.set $sum
                (i16x8.add
                  (local.get $sum)
                  (i16x8.extadd_pairwise_i8x16_u
                    (i8x16.popcnt
                      (v128.xor
                        (v128.load (local.get $offset))
                        (v128.load (i32.add (local.get $at) (local.get $offset))))))))
              (local.set $offset (i32.add (local.get $offset) (i32.const 16)))
              (br $vector)))
          (local.set $sum
            (i16x8.add
              (local.get $sum)
              (i16x8.extadd_pairwise_i8x16_u
                (i8x16.popcnt
                  (v128.and
                    (local.get $mask)
                    (v128.xor
                      (v128.load (local.get $offset))
                      (v128.load (i32.add (local.get $at) (local.get $offset)))))))))
          ;; Adds the eight lanes: first to four, then to two.
          (local.set $sum (i32x4.extadd_pairwise_i16x8_u (local.get $sum)))
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sum) (local.get $sum))))
          (local.set $distance
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum))))
          (local.set $least
            (select
              (local.get $distance)
              (local.get $least)
              (i32.lt_u (local.get $distance) (local.get $least))))
          (local.set $at (i32.add (local.get $at) (local.get $codeBytes)))
          (br_if $code (i32.lt_u (local.get $at) (local.get $runEnd))))
        (local.set $at (local.get $runEnd))
        (i32.store16 offset=263168 align=2 (local.get $slot) (local.get $least))
        (br $run)))))
