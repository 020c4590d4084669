(* If h cannot fall by more than what the neurons of one set of size k do,    *)
(* AS(h) <= 2 k^2 W^2: networks with u >= 0, and sums of the k largest u_j z_j. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network average_sensitivity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* h(x) - h(x^(+i)) <= 2 sum_(j in A_x) |u_j w_ji|, with at most k neurons in A_x. *)
Lemma average_sensitivity_one_sided (R : realFieldType) (I J : finType) (N : network R I J)
    (h : cube I -> R) (A : cube I -> {set J}) (k : nat) (W B : R) :
    scale_at_most W B N -> (forall x, (#|A x| <= k)%N) ->
    (forall x i, h x - h (flip x i) <= 2%:R * \sum_(j in A x) `|outer N j * weight N j i|) ->
  average_sensitivity h <= 2%:R * k%:R ^+ 2 * W ^+ 2.
Proof.
move=> scaleN few change; pose a x i := \sum_(j in A x) `|outer N j * weight N j i|.
have a_ge0 x i : 0 <= a x i by apply: sumr_ge0.
apply: le_trans (sensitivity_one_sided (a := a) change) _.
under eq_mean => x do under eq_bigr => i _ do rewrite max_r ?a_ge0 //.
rewrite -mulrA ler_wpM2l ?ler0n //; apply: mean_le_const => x.
have size_le j : \sum_i `|outer N j * weight N j i| ^+ 2 <= W ^+ 2 := scale_le j scaleN.
exact (sqr_effects_card size_le (few x)).
Qed.

Section Nonnegative.

Variables (R : realFieldType) (I J : finType) (N : network R I J) (k : nat) (W B : R).
Hypotheses (scaleN : scale_at_most W B N) (u_ge0 : forall j, 0 <= outer N j).
Implicit Types (x : cube I) (i : I) (j : J).

Lemma preactivation_fall x i j : outer N j
    * (preactivation N j (coord R x) - preactivation N j (coord R (flip x i)))
  <= 2%:R * `|outer N j * weight N j i|.
Proof.
apply: le_trans (ler_norm _) _.
rewrite (preactivation_change N j (@coord_flip_off R I x i)) mulrA normrM norm_coord_flip.
by rewrite mulrC.
Qed.

Theorem average_sensitivity_nonnegative : sparse k N ->
  average_sensitivity (value N) <= 2%:R * k%:R ^+ 2 * W ^+ 2.
Proof.
move=> sparseN; apply: (average_sensitivity_one_sided scaleN sparseN) => x i.
rewrite {1}/value value_active mulr_sumr /value /value_at /value_with.
rewrite [X in _ - X](bigID (mem (active N x))) /= opprD addrA -sumrB -[leRHS]addr0.
apply: lerD; last by rewrite oppr_le0 sumr_ge0 // => j _; rewrite mulr_ge0 ?relu_ge0.
apply: ler_sum => j _; apply: le_trans (preactivation_fall x i j).
by rewrite -mulrBr ler_wpM2l // lerB // le_max lexx.
Qed.

(* ---- The k largest of u_1 z_1, ..., u_s z_s ------------------------------ *)

Lemma are_largest_max (c : J -> R) (A A' : {set J}) :
  are_largest k c A -> #|A'| = k -> \sum_(j in A') c j <= \sum_(j in A) c j.
Proof.
case=> cardA largest cardA'.
rewrite (big_setID A) [leRHS](big_setID A') /= setIC lerD2l.
pose m := #|A :\: A'|.
have card_diff : #|A' :\: A| = m.
  apply/eqP; rewrite -(eqn_add2l #|A' :&: A|) cardsID [in X in _ == X]setIC cardsID.
  by rewrite cardA cardA'.
have [m0|m_gt0] := posnP m.
  by rewrite (cards0_eq m0) (cards0_eq (etrans card_diff m0)).
rewrite -(ler_pM2l (_ : 0 < m%:R)) ?ltr0n //.
have -> : m%:R * (\sum_(l in A' :\: A) c l) = \sum_(j in A :\: A') \sum_(l in A' :\: A) c l.
  by rewrite sumr_const mulr_natl.
have -> : m%:R * (\sum_(j in A :\: A') c j) = \sum_(j in A :\: A') \sum_(l in A' :\: A) c j.
  by under [RHS]eq_bigr => j _ do rewrite sumr_const card_diff; rewrite sumrMnl mulr_natl.
apply: ler_sum => j; rewrite inE => /andP[_ jA]; apply: ler_sum => l; rewrite inE => /andP[lA _].
exact: largest.
Qed.

Theorem average_sensitivity_top_sum (A : cube I -> {set J}) :
    (forall x, are_largest k (fun j => outer N j * preactivation N j (coord R x)) (A x)) ->
  average_sensitivity
    (fun x => \sum_(j in A x) outer N j * preactivation N j (coord R x))
  <= 2%:R * k%:R ^+ 2 * W ^+ 2.
Proof.
move=> largest; apply: (average_sensitivity_one_sided scaleN (A := A)) => [x | x i].
  by case: (largest x) => ->.
have max_x' := are_largest_max (largest (flip x i)) (largest x).1.
apply: le_trans (lerB (lexx _) max_x') _; rewrite -sumrB mulr_sumr.
by apply: ler_sum => j _; rewrite -mulrBr; apply: preactivation_fall.
Qed.

End Nonnegative.
