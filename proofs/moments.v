(* The average sensitivity from the mean of |R_x|^2 / f(|R_x|), where f is a  *)
(* function such as q^(2-p), 1 <= p <= 2.                                     *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat identities definitions cube network average_sensitivity.
From SparseNetworks Require Import sparse_networks suprema.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* (a + a')^2 <= K (a^2 / c + a'^2 / c') if c + c' <= K.                      *)
Lemma sqr_add_split (R : realFieldType) (K c c' a a' : R) : 0 < c -> 0 < c' -> c + c' <= K ->
  (a + a') ^+ 2 <= K * (a ^+ 2 / c + a' ^+ 2 / c').
Proof.
move=> c0 c'0 cK; have cc0 : 0 < c' / c by rewrite divr_gt0.
apply: le_trans (sqr_add_weighted a a' cc0) _; rewrite invf_div.
have -> : 1 + c' / c = (c + c') / c by rewrite mulrDl divff ?gt_eqF.
have -> : 1 + c / c' = (c + c') / c' by rewrite mulrDl divff ?gt_eqF // addrC.
rewrite [_ / c * _]mulrAC [_ / c' * _]mulrAC -!mulrA -mulrDr ler_wpM2r // addr_ge0 //.
  by rewrite mulrA -expr2 divr_ge0 ?sqr_ge0 ?ltW.
by rewrite mulrA -expr2 divr_ge0 ?sqr_ge0 ?ltW.
Qed.

Section Moments.

Variables (R : realFieldType) (I J : finType) (N : network R I J) (W B K : R) (f : nat -> R).
Hypothesis scaleN : scale_at_most W B N.
Hypotheses (f0 : 0 <= f 0%N) (f_gt0 : forall q, (0 < q)%N -> 0 < f q).
Hypothesis f_mono : forall q r, (0 < q)%N -> (q <= r)%N -> q%:R / f q <= r%:R / f r.
Hypothesis f_le : forall q r, (q + r <= #|J|)%N -> f q + f r <= K.
Implicit Types (x : cube I) (i : I) (A : {set J}).

Let v j i := `|outer N j * weight N j i|.
Let squares A i := \sum_(j in A) v j i ^+ 2.
Let rate q : R := q%:R / f q.

Lemma squares_ge0 A i : 0 <= squares A i.
Proof. by apply: sumr_ge0 => j _; apply: sqr_ge0. Qed.

Lemma rate_ge0 q : 0 <= rate q.
Proof.
case: q => [|q]; first by rewrite /rate mul0r.
by rewrite divr_ge0 ?ler0n // ltW ?f_gt0.
Qed.

(* The square of a sum over A, by the rate of any larger number.              *)
Lemma sqr_sum_rate A i q r : #|A| = q -> (0 < q)%N -> (q <= r)%N ->
  (\sum_(j in A) v j i) ^+ 2 / f q <= rate r * squares A i.
Proof.
move=> cardA q0 qr; apply: (@le_trans _ _ (rate q * squares A i)).
  rewrite /rate [leRHS]mulrAC ler_wpM2r ?invr_ge0 ?(ltW (f_gt0 q0)) //.
  by rewrite -cardA; apply: sqr_sum_le.
by rewrite ler_wpM2r ?squares_ge0 // f_mono.
Qed.

Lemma K_ge q : (q <= #|J|)%N -> f q <= K.
Proof.
move=> qJ; apply: le_trans (f_le (q := 0) (r := q) _); last by rewrite add0n.
by rewrite lerDr.
Qed.

(* One of the two sets may be empty.                                          *)
Lemma two_sums A A' i r r' : [disjoint A & A'] -> (#|A| <= r)%N -> (#|A'| <= r')%N ->
  (\sum_(j in A) v j i + \sum_(j in A') v j i) ^+ 2
  <= K * (rate r * squares A i + rate r' * squares A' i).
Proof.
move=> disj Ar A'r.
have cards : (#|A| + #|A'| <= #|J|)%N.
  by have [_] := leq_card_setU A A'; rewrite disj => /eqP <-; apply: max_card.
have K0 : 0 <= K by apply: le_trans (K_ge (q := 0) _).
have one (D : {set J}) q : (#|D| <= q)%N -> (\sum_(j in D) v j i) ^+ 2 <= K * (rate q * squares D i).
  move=> Dq; have [D0 | D_gt0] := posnP #|D|.
    by rewrite /squares (cards0_eq D0) !big_set0 expr0n !mulr0.
  apply: (@le_trans _ _ (f #|D| * (rate q * squares D i))).
    by rewrite mulrC -ler_pdivrMr ?f_gt0 // sqr_sum_rate.
  by apply: ler_wpM2r; [rewrite mulr_ge0 ?rate_ge0 ?squares_ge0 | apply: K_ge; apply: max_card].
have [A0 | A_gt0] := posnP #|A|.
  rewrite (cards0_eq A0) big_set0 add0r mulrDr; apply: ler_wpDl (one A' r' A'r).
  by apply: mulr_ge0 K0 _; apply: mulr_ge0; [apply: rate_ge0 | apply: squares_ge0].
have [A'0 | A'_gt0] := posnP #|A'|.
  rewrite (cards0_eq A'0) big_set0 addr0 mulrDr; apply: ler_wpDr (one A r Ar).
  by apply: mulr_ge0 K0 _; apply: mulr_ge0; [apply: rate_ge0 | apply: squares_ge0].
apply: le_trans (sqr_add_split _ _ (f_gt0 A_gt0) (f_gt0 A'_gt0) (f_le cards)) _.
by rewrite ler_wpM2l // lerD // sqr_sum_rate.
Qed.

Theorem average_sensitivity_moment : average_sensitivity (value N)
  <= 2%:R * K * W ^+ 2 * mean (fun x => #|active N x|%:R ^+ 2 / f #|active N x|).
Proof.
pose e i x := K * (rate #|active N x| * squares (active N x) i).
have K0 : 0 <= K by apply: le_trans (K_ge (q := 0) _).
apply: (@le_trans _ _ (2%:R * mean (fun x => \sum_i e i x))).
  apply: mean_flips_le => x i; set x' := flip x i.
  set A := active N x; set A' := active N x' :\: active N x.
  have sub : active N x :|: active N x' \subset A :|: A'.
    by apply/subsetP => j; rewrite /A' !in_setU in_setD -/A; case: (j \in A).
  rewrite ler_pdivrMr ?ltr0n // mulrC four.
  apply: (@le_trans _ _ ((2%:R * (\sum_(j in A) v j i + \sum_(j in A') v j i)) ^+ 2)).
    apply: ler_norm_sqr; apply: le_trans (network_change sub) _.
    by rewrite ler_wpM2l ?ler0n // effect_setU // => j l; apply: normr_ge0.
  rewrite exprMn ler_wpM2l ?sqr_ge0 // /e -mulrDr.
  apply: (@le_trans _ _ (K * (rate #|active N x| * squares A i + rate #|active N x'| * squares A' i))).
    apply: two_sums => //; last by rewrite subset_leq_card ?subsetDl.
    by rewrite -setI_eq0 -subset0; apply/subsetP => j; rewrite /A' in_setI in_setD -/A; case: (j \in A).
  rewrite ler_wpM2l // lerD2l ler_wpM2l ?rate_ge0 //.
  rewrite /squares [leRHS](big_setID (active N x)) /= lerDr.
  by apply: sumr_ge0 => j _; apply: sqr_ge0.
rewrite -[2%:R * K * _]mulrA -[leRHS]mulrA; apply: ler_wpM2l; first exact: ler0n.
rewrite -[leRHS]mulrA -!meanZ; apply: mean_le => x; rewrite /e -mulr_sumr ler_wpM2l // -mulr_sumr.
have -> : W ^+ 2 * (#|active N x|%:R ^+ 2 / f #|active N x|)
    = rate #|active N x| * (#|active N x|%:R * W ^+ 2).
  by rewrite /rate [RHS]mulrACA -expr2 [LHS]mulrC -mulrA.
apply: ler_wpM2l; first exact: rate_ge0.
rewrite /squares exchange_big; exact: sum_scale_le scaleN.
Qed.

End Moments.

(* ---- Powers 1 and 2, and where they are attained --------------------------- *)

Theorem average_sensitivity_moments (R : realFieldType) (n s : nat) (W B : R) (N : network R 'I_n 'I_s) :
  scale_at_most W B N ->
  average_sensitivity (value N) <= W ^+ 2 * Num.min (4%:R * mean (fun x => #|active N x|%:R ^+ 2))
    (Num.min (2%:R * s%:R * mean (fun x => #|active N x|%:R)) (s%:R ^+ 2)).
Proof.
move=> scaleN; rewrite mulrC !minr_pMl ?sqr_ge0 // !le_min; apply/and3P; split.
- rewrite mulrAC; exact: average_sensitivity_square scaleN.
- have := @average_sensitivity_moment _ _ _ N W B s%:R (fun q => q%:R) scaleN.
  have -> : mean (fun x => #|active N x|%:R ^+ 2 / #|active N x|%:R)
      = mean (fun x => #|active N x|%:R) :> R.
    apply: eq_mean => x; have [->|r0] := posnP #|active N x|; first by rewrite mulr0n expr0n mul0r.
    by rewrite expr2 mulfK // pnatr_eq0 -lt0n.
  rewrite mulrAC; apply=> // [q | q r q0 qr | q r].
  + by rewrite ltr0n.
  + by rewrite !divff ?pnatr_eq0 -?lt0n // (leq_trans q0).
  by rewrite card_ord -natrD ler_nat.
by have := average_sensitivity_all scaleN; rewrite card_ord mulrC.
Qed.

(* For even s all are equal at a network on one bit, with s/2 active neurons  *)
(* at both points.                                                            *)
Theorem moments_attained (R : realFieldType) (m : nat) (W : R) : 0 < W ->
  exists N : network R 'I_1 'I_(2 * m),
    [/\ scale_at_most W W N, forall x, #|active N x| = m
      & average_sensitivity (value N) = (2 * m)%:R ^+ 2 * W ^+ 2].
Proof.
move=> W0; have [N [[sparseN scaleN] AS_N]] :=
  @average_sensitivity_attained R 1 (2 * m) m W isT (@leq_pmull m 2 isT) (ltW W0).
rewrite minnn in AS_N; exists N; split=> // x; apply/eqP; rewrite eqn_leq sparseN /=.
have := average_sensitivity_square scaleN; rewrite AS_N [leRHS]mulrAC ler_pM2r ?exprn_gt0 //.
rewrite natrM exprMn -four ler_pM2l ?ltr0n // => square_le.
have gap_ge0 y : 0 <= m%:R ^+ 2 - #|active N y|%:R ^+ 2 :> R.
  by rewrite subr_ge0 -!natrX ler_nat leq_exp2r // sparseN.
have gap0 : \sum_y (m%:R ^+ 2 - #|active N y|%:R ^+ 2) <= 0 :> R.
  have : mean (fun y => m%:R ^+ 2 - #|active N y|%:R ^+ 2) <= 0 :> R.
    by rewrite meanD mean_const meanN subr_le0.
  by rewrite /mean pmulr_lle0 // invr_gt0 card_cube_gt0.
have : m%:R ^+ 2 - #|active N x|%:R ^+ 2 <= 0 :> R.
  by apply: le_trans gap0; rewrite (bigD1 x) //= lerDl sumr_ge0.
by rewrite subr_le0 -!natrX ler_nat leq_exp2r.
Qed.
