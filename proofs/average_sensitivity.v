(* The average sensitivity of functions that change by at most twice the      *)
(* effects of the neurons that are active before or after a flip:             *)
(*   AS(h) <= 4 E[|R_x| sum_(j in R_x) |c_j|^2],   AS(h) <= |J|^2 max |c_j|^2, *)
(* where neuron j has the effect c_ji on flips of x_i. For a network c_ji is  *)
(* |u_j w_ji|. Further units and the case of few exceptions follow.           *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A change that is at most the sum of one number at either end.              *)
Lemma mean_flips_le (R : realFieldType) (I : finType) (F : cube I -> I -> R) (b : I -> cube I -> R) :
    (forall x i, F x i <= b i x + b i (flip x i)) ->
  mean (fun x => \sum_i F x i) <= 2%:R * mean (fun x => \sum_i b i x).
Proof.
move=> Fb; apply: (@le_trans _ _ (mean (fun x => \sum_i (b i x + b i (flip x i))))).
  by apply: mean_le => x; apply: ler_sum.
rewrite !mean_sum mulr_sumr; apply: ler_sum => i _.
by rewrite meanD mean_flip mulr_natl mulr2n.
Qed.

(* If f does not fall by more than 2 a_i along an edge, as convex functions do: AS(f) <= 2 E sum_i max(0, a_i)^2. *)
Lemma sensitivity_one_sided (R : realFieldType) (I : finType) (f : cube I -> R) (a : cube I -> I -> R) :
    (forall x i, f x - f (flip x i) <= 2%:R * a x i) ->
  average_sensitivity f <= 2%:R * mean (fun x => \sum_i Num.max 0 (a x i) ^+ 2).
Proof.
move=> fall; apply: mean_flips_le => x i; rewrite ler_pdivrMr ?ltr0Sn // mulrC four.
have up (y : cube I) : f y - f (flip y i) <= 2%:R * Num.max 0 (a y i).
  by apply: le_trans (fall y i) _; rewrite ler_wpM2l ?ler0n // le_max lexx orbT.
have [le|/ltW le] := leP (f (flip x i)) (f x).
  apply: (@le_trans _ _ ((2%:R * Num.max 0 (a x i)) ^+ 2)).
    by apply: ler_norm_sqr; rewrite ger0_norm ?subr_ge0.
  by rewrite exprMn ler_wpM2l ?sqr_ge0 // lerDl sqr_ge0.
apply: (@le_trans _ _ ((2%:R * Num.max 0 (a (flip x i) i)) ^+ 2)).
  apply: ler_norm_sqr; rewrite distrC ger0_norm ?subr_ge0 //.
  by have := up (flip x i); rewrite flipK.
by rewrite exprMn ler_wpM2l ?sqr_ge0 // lerDr sqr_ge0.
Qed.

Section Effects.

Variables (R : realFieldType) (I J : finType) (h : cube I -> R).
Variables (active_set : cube I -> {set J}) (c : J -> I -> R).
Implicit Types (x : cube I) (i : I) (j : J) (A B : {set J}).

Hypothesis c_ge0 : forall j i, 0 <= c j i.
Hypothesis h_change : forall x i A, active_set x :|: active_set (flip x i) \subset A ->
  `|h x - h (flip x i)| <= 2%:R * \sum_(j in A) c j i.

Let effect A i := \sum_(j in A) c j i.
Let sqr_effects A := \sum_i effect A i ^+ 2.
Let size j := \sum_i c j i ^+ 2.

Lemma effect_ge0 A i : 0 <= effect A i.
Proof. exact: sumr_ge0. Qed.

Lemma effect_subset A B i : A \subset B -> effect A i <= effect B i.
Proof.
move=> AB; rewrite [leRHS](big_setID A) /= (setIidPr AB) lerDl.
exact: effect_ge0.
Qed.

Lemma effect_setU A B i : effect (A :|: B) i <= effect A i + effect B i.
Proof.
rewrite /effect 3!(big_mkcond (fun j => j \in _)) -big_split /=; apply: ler_sum => j _.
by rewrite inE; do 2!case: (_ \in _); rewrite ?addr0 ?add0r ?lerDl ?c_ge0.
Qed.

Lemma sqr_effects_le A : sqr_effects A <= #|A|%:R * \sum_(j in A) size j.
Proof.
by rewrite /size exchange_big mulr_sumr; apply: ler_sum => i _; apply: sqr_sum_le.
Qed.

Lemma sqr_change x i A : active_set x :|: active_set (flip x i) \subset A ->
  (h x - h (flip x i)) ^+ 2 / 4%:R <= effect A i ^+ 2.
Proof.
by move=> RA; rewrite ler_pdivrMr ?ltr0Sn // mulrC four -exprMn ler_norm_sqr ?h_change.
Qed.

Lemma sqr_change_sum x i : (h x - h (flip x i)) ^+ 2 / 4%:R
  <= 2%:R * effect (active_set x) i ^+ 2 + 2%:R * effect (active_set (flip x i)) i ^+ 2.
Proof.
rewrite -mulrDr; apply: le_trans (sqr_change (subxx _)) _; apply: le_trans (sqr_add_le _ _).
by rewrite ler_sqr ?nnegrE ?addr_ge0 ?effect_ge0 ?effect_setU.
Qed.

Theorem average_sensitivity_effects :
  average_sensitivity h <= 4%:R * mean (fun x => sqr_effects (active_set x)).
Proof.
rewrite four expr2 -mulrA -(meanZ 2%:R).
under [in leRHS]eq_mean => x do rewrite mulr_sumr.
exact/mean_flips_le/sqr_change_sum.
Qed.

Theorem average_sensitivity_active : average_sensitivity h
  <= 4%:R * mean (fun x => #|active_set x|%:R * \sum_(j in active_set x) size j).
Proof.
apply: le_trans average_sensitivity_effects _; rewrite ler_wpM2l ?ler0n //.
by apply: mean_le => x; apply: sqr_effects_le.
Qed.

(* ---- When all effects have norm at most W -------------------------------- *)

Variable W : R.
Hypothesis size_le : forall j, size j <= W ^+ 2.

Lemma sqr_effects_card A (m : nat) : (#|A| <= m)%N -> sqr_effects A <= m%:R ^+ 2 * W ^+ 2.
Proof.
move=> Am; apply: le_trans (sqr_effects_le _) _.
have sum_le : \sum_(j in A) size j <= #|A|%:R * W ^+ 2.
  by rewrite mulr_natl -sumr_const; apply: ler_sum.
apply: le_trans (ler_wpM2l (ler0n _ _) sum_le) _; rewrite mulrA ler_wpM2r ?sqr_ge0 //.
by rewrite -natrM -natrX ler_nat -mulnn leq_mul.
Qed.

Lemma average_sensitivity_width : average_sensitivity h <= #|J|%:R ^+ 2 * W ^+ 2.
Proof.
apply: mean_le_const => x; apply: le_trans (sqr_effects_card (A := setT) _).
  by apply: ler_sum => i _; apply: sqr_change; apply: subsetT.
by rewrite cardsT.
Qed.

Lemma average_sensitivity_sparse (k : nat) : (forall x, (#|active_set x| <= k)%N) ->
  average_sensitivity h <= 4%:R * k%:R ^+ 2 * W ^+ 2.
Proof.
move=> few; apply: le_trans average_sensitivity_effects _; rewrite -mulrA ler_wpM2l ?ler0n //.
by apply: mean_le_const => x; apply: sqr_effects_card.
Qed.

(* Flips between two points with at most k active neurons, and all the others. *)
Lemma average_sensitivity_exceptions (k : nat) :
  average_sensitivity h
    <= (4%:R * k%:R ^+ 2 + 2%:R * probability R (fun x => k < #|active_set x|)%N * #|J|%:R ^+ 2)
       * W ^+ 2.
Proof.
pose few x := (#|active_set x| <= k)%N.
pose b i x := if few x then 2%:R * effect (active_set x) i ^+ 2 else effect setT i ^+ 2.
have b_ge0 i x : 0 <= b i x.
  by rewrite /b; case: ifP => _; rewrite ?sqr_ge0 // mulr_ge0 ?sqr_ge0 ?ler0n.
have AS_b : average_sensitivity h <= 2%:R * mean (fun x => \sum_i b i x).
  apply: mean_flips_le => x i; case: (boolP (few x && few (flip x i))) => [/andP[fx fy]|].
    by rewrite /b fx fy; apply: sqr_change_sum.
  move=> not_few; apply: le_trans (sqr_change (subsetT _)) _.
  move: not_few; rewrite negb_and => /orP[] /negPf nf.
    by rewrite [b i x]/b nf lerDl b_ge0.
  by rewrite [b i (flip x i)]/b nf lerDr b_ge0.
apply: le_trans AS_b _; rewrite -meanZ.
pose bound x : R := 4%:R * k%:R ^+ 2 + 2%:R * (k < #|active_set x|)%N%:R * #|J|%:R ^+ 2.
suff b_le x : 2%:R * (\sum_i b i x) <= W ^+ 2 * bound x.
  apply: le_trans (mean_le b_le) _; rewrite meanZ mulrC meanD mean_const.
  rewrite le_eqVlt; apply/orP; left; apply/eqP; congr ((_ + _) * _).
  by rewrite mulrAC -meanZ; apply: eq_mean => x; rewrite mulrAC.
rewrite /bound /b /few [leRHS]mulrC; case: leqP => few_x.
  rewrite mulr0 mul0r addr0 -mulr_sumr mulrA -natrM -mulrA ler_wpM2l ?ler0n //.
  exact: sqr_effects_card.
rewrite mulr1 [leRHS]mulrDl ler_wpDl //; first by do !rewrite ?sqr_ge0 ?ler0n // mulr_ge0 //.
rewrite -mulrA ler_wpM2l ?ler0n //.
by apply: sqr_effects_card; rewrite cardsT.
Qed.

End Effects.
