(* The names of MathComp 2 for lemmas of MathComp 1.15, so that the proofs    *)
(* compile with both. With MathComp 2 the checker compiles an empty file in   *)
(* place of this one. Only names of lemmas, so nothing that a statement uses. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
Import Order.TTheory GRing.Theory Num.Theory.
Notation ler_wpM2l := ler_wpmul2l (only parsing).
Notation ler_wpM2r := ler_wpmul2r (only parsing).
Notation ler_pdivrMr := ler_pdivr_mulr (only parsing).
Notation lerD := ler_add (only parsing).
Notation lerDl := ler_addl (only parsing).
Notation lerBlDr := ler_subl_addr (only parsing).
Notation ler_pdivlMr := ler_pdivl_mulr (only parsing).
Notation lerD2l := ler_add2l (only parsing).
Notation lerD2r := ler_add2r (only parsing).
Notation ler_pM := ler_pmul (only parsing).
Notation lerDr := ler_addr (only parsing).
Notation ler_pM2r := ler_pmul2r (only parsing).
Notation lerBrDr := ler_subr_addr (only parsing).
Notation le_max := le_maxr (only parsing).
Notation lerB := ler_sub (only parsing).
Notation lerN2 := ler_opp2 (only parsing).
Notation ltrD2l := ltr_add2l (only parsing).
Notation ler_pM2l := ler_pmul2l (only parsing).
Notation ltr_wpDl := ltr_paddl (only parsing).
Notation ler_wpDr := ler_paddr (only parsing).
Notation ge_max := le_maxl (only parsing).
Notation ler_wpDl := ler_paddl (only parsing).
Notation ler_normB := ler_norm_sub (only parsing).
Notation ler_pMr := ler_pmulr (only parsing).
Notation ler_weXn2l := ler_weexpn2l (only parsing).
Notation lerXn2r := ler_expn2r (only parsing).
Notation ler_wiXn2l := ler_wiexpn2l (only parsing).
Notation ltrBlDr := ltr_subl_addr (only parsing).
Notation ltrN2 := ltr_opp2 (only parsing).
Notation lerBlDl := ler_subl_addl (only parsing).
Notation ler_piMr := ler_pimulr (only parsing).
Notation ler_normD := ler_norm_add (only parsing).
Notation minr_pMl := minr_pmull (only parsing).
Notation le_min := le_minr (only parsing).
Notation ler_pXn2r := ler_pexpn2r (only parsing).
Notation ge_min := le_minl (only parsing).
Notation gtrDl := gtr_addl (only parsing).
Notation ler_peMr := ler_pemulr (only parsing).
Notation ltr_pdivrMr := ltr_pdivr_mulr (only parsing).
Notation ltrDl := ltr_addl (only parsing).
Notation ltr_wpDr := ltr_paddr (only parsing).
Notation lerBrDl := ler_subr_addl (only parsing).
Notation ltr_pdivlMr := ltr_pdivl_mulr (only parsing).
Notation ltr_pM2l := ltr_pmul2l (only parsing).
Notation ltr_pM2r := ltr_pmul2r (only parsing).
Notation ltrD := ltr_add (only parsing).
