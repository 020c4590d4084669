(* The bounds are attained: the largest average sensitivity is                *)
(* min(2k, s)^2 W^2, and the largest tail is 4 k^2 W^2 / (d+1) when s is large. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import definitions cube fourier network sparse_networks.
From SparseNetworks Require Import wider juntas.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- One coordinate matters ---------------------------------------------- *)

(* A neurons W relu(x_1 + 3/2), active everywhere; m neurons W relu(x_1 + 1), *)
(* active at x_1 = 1 only; and m neurons - W relu(1 - x_1), active at         *)
(* x_1 = -1 only.                                                             *)
Section Extremal.

Variables (R : realFieldType) (I : finType) (i1 : I) (W : R) (A m : nat).

Definition extremal : network R I ('I_A + ('I_m + 'I_m)) :=
  Network (fun j => if j is inr (inr _) then - W else W)
          (fun j i => if i == i1 then (if j is inr (inr _) then -1 else 1) else 0)
          (fun j => if j is inl _ then - (3%:R / 2%:R) else -1).

Implicit Types (x : cube I).

Lemma preactivation_extremal j x : preactivation extremal j (coord R x) =
  match j with
  | inl _ => coord R x i1 + 3%:R / 2%:R
  | inr (inl _) => coord R x i1 + 1
  | inr (inr _) => 1 - coord R x i1
  end.
Proof.
rewrite /preactivation (bigD1 i1) //= eqxx big1 ?addr0 => [|i /negPf->]; last by rewrite mul0r.
by case: j => [?|[?|?]] /=; rewrite opprK ?mul1r // mulN1r addrC.
Qed.

Lemma half_ge1 : 1 <= 3%:R / 2%:R :> R.
Proof. by rewrite ler_pdivl_mulr ?ltr0n // mul1r ler_nat. Qed.

Lemma preactivation_extremal_ge0 j x : 0 <= preactivation extremal j (coord R x).
Proof.
have /andP[c_ge c_le] : -1 <= coord R x i1 <= 1 by rewrite -ler_norml norm_coord.
rewrite preactivation_extremal; case: j => [_|[_|_]]; rewrite ?subr_ge0 //.
  by rewrite -ler_subl_addr sub0r (le_trans _ c_ge) // ler_opp2 half_ge1.
by rewrite -ler_subl_addr sub0r.
Qed.

(* The flip of x_1 changes every neuron by 2 W, all in the same direction.    *)
Lemma value_extremal_flip x i : value extremal x - value extremal (flip x i)
  = if i == i1 then 2%:R * coord R x i1 * (W *+ (A + (m + m))) else 0.
Proof.
rewrite /value /value_at /value_with -sumrB.
have change j := preactivation_change extremal j (@coord_flip_off R I x i).
under eq_bigr => j _ do rewrite -mulrBr !relu_pos ?preactivation_extremal_ge0 // change /=.
case: (altP eqP) => [<-|_]; last by rewrite big1 // => j _; rewrite mul0r mulr0.
have -> : (A + (m + m))%N = #|{: 'I_A + ('I_m + 'I_m)}| by rewrite !card_sum !card_ord.
rewrite -sumr_const mulr_sumr coord_flip eqxx opprK -mulr2n -[coord R x i *+ 2]mulr_natl.
by apply: eq_bigr => j _; case: j => [?|[?|?]]; rewrite ?mul1r ?mulN1r ?mulrNN mulrC.
Qed.

Lemma average_sensitivity_extremal :
  average_sensitivity (value extremal) = (A + (m + m))%:R ^+ 2 * W ^+ 2.
Proof.
rewrite -[RHS](mean_const I); apply: eq_mean => x.
rewrite /sensitivity (bigD1 i1) //= [X in _ + X]big1 ?addr0 => [|i /negPf ii1]; last first.
  by rewrite value_extremal_flip ii1 expr0n mul0r.
rewrite value_extremal_flip eqxx -[W *+ _]mulr_natl !exprMn [coord R x i1 ^+ 2]coord_sqr mulr1.
by rewrite [LHS]mulrC four mulKf // expf_neq0 ?pnatr_eq0.
Qed.

Lemma sparse_extremal : sparse (A + m) extremal.
Proof.
have sum_le n (F : 'I_n -> bool) : (\sum_(i < n) (if F i then 1 else 0) <= n)%N.
  by rewrite -big_mkcond sum1_card (leq_trans (max_card _)) ?card_ord.
move=> x; rewrite -sum1_card big_mkcond !big_sumType /= leq_add ?sum_le //.
case x_i1: (x i1).
  rewrite big1 ?add0n ?sum_le // => i _.
  by rewrite inE preactivation_extremal /coord x_i1 addNr ltxx.
rewrite [X in (_ + X)%N]big1 ?addn0 ?sum_le // => i _.
by rewrite inE preactivation_extremal /coord x_i1 subrr ltxx.
Qed.

Lemma scale_extremal : 0 <= W -> scale_at_most W (3%:R / 2%:R * W) extremal.
Proof.
move=> W0; split=> // j l.
  rewrite /sqnorm (bigD1 i1) //= eqxx big1 ?addr0 => [|i /negPf->]; last by rewrite expr0n.
  by case: j => [?|[?|?]]; case: l => [?|[?|?]]; rewrite ?sqrrN expr1n mulr1.
have -> : `|outer extremal j| = W by case: j => [?|[?|?]] /=; rewrite ?normrN ger0_norm.
rewrite mulrC ler_wpmul2r //; case: l => [?|?] /=; rewrite normrN ?normr1 ?half_ge1 //.
by rewrite ger0_norm ?divr_ge0 ?ler0n.
Qed.

End Extremal.

Theorem average_sensitivity_supremum (R : realFieldType) (n s k : nat) (W : R) :
    (0 < n)%N -> (k <= s)%N -> 0 <= W ->
  exists N : network R 'I_n 'I_s, in_class k W (3%:R / 2%:R * W) N /\
    average_sensitivity (value N) = (minn (2 * k) s)%:R ^+ 2 * W ^+ 2.
Proof.
move=> n_gt0 ks W_ge0; pose i1 := Ordinal n_gt0.
pose a := minn (2 * k) s; pose A := (2 * k - a)%N; pose m := (a - k)%N.
have k_le_a : (k <= a)%N by rewrite leq_min ks mul2n -addnn leq_addr.
have a_le : (a <= 2 * k)%N by rewrite geq_minl.
have kE : (A + m)%N = k by rewrite addnBA // subnK // mul2n -addnn addnK.
have aE : (A + (m + m))%N = a by rewrite addnA kE subnKC.
have Js : (#|{: 'I_A + ('I_m + 'I_m)}| <= s)%N.
  by rewrite !card_sum !card_ord aE geq_minr.
pose N0 := extremal i1 W A m; exists (wider s N0); split; first split.
- by move=> x; rewrite card_active_wider // -kE; apply: sparse_extremal.
- by apply: scale_wider (scale_extremal _ _ _ W_ge0); rewrite // mulr_ge0 ?divr_ge0 ?ler0n.
rewrite -/a -aE -(average_sensitivity_extremal i1).
by apply: eq_average_sensitivity => x; apply: value_wider.
Qed.

(* ---- Parities: k copies of a junta network ------------------------------- *)

Section ParityNetwork.

Variables (R : realFieldType) (I : finType) (T : {set I}) (k : nat) (c : R).
Let chi := character R T.

Lemma fourier_character (S : {set I}) :
  fourier (fun x => c * chi x) S = if S == T then c else 0.
Proof.
apply: (fourier_unique (c := fun S => if S == T then c else 0)) => x.
by rewrite (bigD1 T) //= eqxx big1 ?addr0 // => U /negPf->; rewrite mul0r.
Qed.

Lemma tail_character d : (d < #|T|)%N -> tail (fun x => c * chi x) d = c ^+ 2.
Proof.
move=> dT; rewrite /tail (bigD1 T) //= fourier_character eqxx.
by rewrite big1 ?addr0 // => S /andP[_ /negPf ST]; rewrite fourier_character ST expr0n.
Qed.

(* The junta network of c chi with slope 1 and bias |T| - 2 has the value 2 c chi. *)
Definition parity_network : network R I (entry T * 'I_k) :=
  copies k (junta T 1 2%:R (fun x => c * chi x)).

Let two_gt0 : 0 < 2%:R :> R. Proof. exact: ltr0Sn. Qed.
Let two_le : 2%:R <= 2%:R * 1 :> R. Proof. by rewrite mulr1. Qed.
Let chi_T (x y : cube I) : {in T, x =1 y} -> c * chi x = c * chi y.
Proof. by move=> xy; congr (_ * _); apply: eq_bigr => i /xy; rewrite /coord => ->. Qed.

Lemma value_parity x : value parity_network x = 2%:R * k%:R * c * chi x.
Proof.
by rewrite /value value_copies -/(value _ _) value_junta // !mulrA [k%:R * _]mulrC.
Qed.

Lemma sparse_parity : sparse k parity_network.
Proof.
by move=> x; rewrite card_active_copies -/(active _ _) active_junta // muln1.
Qed.

Lemma scale_parity W B : 0 <= W -> c ^+ 2 * #|T|%:R <= W ^+ 2 ->
  `|c| * `|#|T|%:R - 2%:R| <= B -> scale_at_most W B parity_network.
Proof.
move=> W0 cW cB; apply/scale_copies/(scale_junta two_gt0 two_le (F := `|c|)) => // [x||].
- by rewrite normrM norm_character mulr1.
- by rewrite real_normK ?num_real // expr1n mul1r.
by rewrite mul1r.
Qed.

End ParityNetwork.

Theorem tail_supremum (R : rcfType) (n s k d : nat) (W B : R) :
    (d < n)%N -> (2 ^ d.+1 * k <= s)%N -> 0 <= W -> W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B ->
  exists N : network R 'I_n 'I_s, [/\ in_class k W B N,
    exists S : {set 'I_n}, #|S| = d.+1 /\
      value N =1 (fun x => 2%:R * (W / Num.sqrt d.+1%:R) * k%:R * character R S x)
    & tail (value N) d = 4%:R * k%:R ^+ 2 * W ^+ 2 / d.+1%:R].
Proof.
move=> dn ks W_ge0 WB; pose r : R := Num.sqrt d.+1%:R; pose c := W / r.
have r_gt0 : 0 < r by rewrite sqrtr_gt0 ltr0Sn.
have r_sqr : r ^+ 2 = d.+1%:R by rewrite sqr_sqrtr ?ler0n.
have c_sqr : c ^+ 2 = W ^+ 2 / d.+1%:R by rewrite exprMn exprVn r_sqr.
pose S := [set widen_ord dn i | i : 'I_d.+1].
have cardS : #|S| = d.+1.
  by rewrite card_imset ?card_ord // => i l /(congr1 val) /= /ord_inj.
pose N0 := parity_network S k c.
have Js : (#|{: entry S * 'I_k}| <= s)%N by rewrite card_prod card_entry cardS card_ord.
have valueN x : value (wider s N0) x = 2%:R * k%:R * c * character R S x.
  by rewrite /value value_wider // -/(value _ _) value_parity.
have B_ge0 : 0 <= B by apply: le_trans WB; rewrite !mulr_ge0 ?invr_ge0 ?sqrtr_ge0.
exists (wider s N0); split; first split.
- by move=> x; rewrite card_active_wider //; apply: sparse_parity.
- apply: scale_wider => //; apply: scale_parity => //.
    by rewrite cardS c_sqr divfK // pnatr_eq0.
  rewrite cardS [`|c|]ger0_norm ?divr_ge0 ?(ltW r_gt0) //.
  apply: le_trans WB.
  rewrite mulrAC -/r; apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
  by rewrite -[d.+1]addn1 natrD mulr2n opprD addrA addrK.
- exists S; split=> // x; rewrite valueN -/r -/c; congr (_ * _).
  by rewrite mulrAC.
rewrite (eq_tail _ valueN) tail_character ?cardS //.
by rewrite [LHS]exprMn c_sqr exprMn -four mulrA.
Qed.

(* ---- As the book states them --------------------------------------------- *)

Theorem average_sensitivity_exact (R : realFieldType) (n s k : nat) (W B : R) :
    (1 <= n)%N -> (1 <= k)%N -> (k <= s)%N -> 0 <= W -> 3%:R / 2%:R * W <= B ->
  let bound := (minn (2 * k) s)%:R ^+ 2 * W ^+ 2 in
  (forall N : network R 'I_n 'I_s, in_class k W B N -> average_sensitivity (value N) <= bound)
  /\ exists N : network R 'I_n 'I_s, in_class k W B N /\ average_sensitivity (value N) = bound.
Proof.
move=> n_gt0 _ ks W_ge0 WB; split=> [N [sparseN scaleN]|].
  by have := average_sensitivity_min scaleN sparseN; rewrite card_ord.
have [N [[sparseN [W0 NW NB]] AS]] := average_sensitivity_supremum n_gt0 ks W_ge0.
by exists N; split=> //; split=> //; split=> // j l; apply: le_trans (NB j l) WB.
Qed.

Theorem tail_exact (R : rcfType) (n s k d : nat) (W B : R) :
    (d.+1 <= n)%N -> (2 ^ d.+1 * k <= s)%N -> 0 <= W -> W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B ->
  let bound := 4%:R * k%:R ^+ 2 * W ^+ 2 / d.+1%:R in
  (forall N : network R 'I_n 'I_s, in_class k W B N -> tail (value N) d <= bound)
  /\ exists (N : network R 'I_n 'I_s) (S : {set 'I_n}),
     [/\ in_class k W B N, #|S| = d.+1, tail (value N) d = bound
       & forall x, value N x = 2%:R * (W / Num.sqrt d.+1%:R) * k%:R * character R S x].
Proof.
move=> dn ks W_ge0 WB; split=> [N [sparseN scaleN]|]; first exact: sparse_tail scaleN sparseN d.
have [N [classN [S [cardS valueN]] tailN]] := tail_supremum dn ks W_ge0 WB.
by exists N, S.
Qed.

(* ---- A character shows that the tail bound of Claim 2.1 needs rho >= 0 ---- *)

Lemma noise_character (R : realFieldType) (I : finType) (T : {set I}) (c rho : R) :
  noise_sensitivity rho (fun x => c * character R T x) = (1 - rho ^+ #|T|) / 2%:R * c ^+ 2.
Proof.
rewrite noise_sensitivity_fourier (bigD1 T) //= fourier_character eqxx.
by rewrite big1 ?addr0 // => S /negPf ST; rewrite fourier_character ST expr0n mulr0.
Qed.

Theorem witness_E9 (R : realFieldType) : exists (f : cube 'I_2 -> R) (rho : R),
  -1 <= rho < 1 /\ ~ (tail f 1 <= 2%:R * noise_sensitivity rho f / (1 - rho ^+ 1)).
Proof.
have half_lt1 : 2%:R^-1 < 1 :> R by rewrite invf_lt1 ?ltr0n // ltr1n.
have half_gt0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
exists (fun x => 1 * character R setT x), (- 2%:R^-1); split.
  by rewrite ler_opp2 ltW //= (lt_trans _ ltr01) // oppr_lt0.
rewrite noise_character tail_character cardsT card_ord // !expr1n mulr1 expr1.
rewrite [2%:R * _]mulrC divfK ?pnatr_eq0 // -[X in X - _](expr1n _ 2) subr_sqr mulrAC.
rewrite divff ?mul1r; first by apply/negP; rewrite -ltNge gtr_addl oppr_lt0.
by rewrite opprK gt_eqF // addr_gt0 ?ltr01.
Qed.
