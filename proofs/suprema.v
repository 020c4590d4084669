(* The bounds are attained: the largest average sensitivity is                *)
(* min(2k, s)^2 W^2, and the largest tail is 4 k^2 W^2 / (d+1) when s is large. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp.
From SparseNetworks Require Import compat definitions cube fourier network sparse_networks.
From SparseNetworks Require Import wider juntas.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- One coordinate matters ---------------------------------------------- *)

(* k neurons W relu(x_1 + 1), active at x_1 = 1 only, and m <= k neurons      *)
(* - W relu(1 - x_1), active at x_1 = -1 only.                                *)
Section Extremal.

Variables (R : realFieldType) (I : finType) (i1 : I) (W : R) (k m : nat).

Definition extremal : network R I ('I_k + 'I_m) :=
  Network (fun j => if j is inl _ then W else - W)
          (fun j i => if i == i1 then (if j is inl _ then 1 else -1) else 0)
          (fun=> -1).

Implicit Types (x : cube I).

Lemma preactivation_extremal j x : preactivation extremal j (coord R x) =
  if j is inl _ then coord R x i1 + 1 else 1 - coord R x i1.
Proof.
rewrite /preactivation (bigD1 i1) //= eqxx big1 ?addr0 => [|i /negPf->]; last by rewrite mul0r.
by case: j => ? /=; rewrite opprK ?mul1r // mulN1r addrC.
Qed.

Lemma preactivation_extremal_ge0 j x : 0 <= preactivation extremal j (coord R x).
Proof.
have /andP[c_ge c_le] : -1 <= coord R x i1 <= 1 by rewrite -ler_norml norm_coord.
by rewrite preactivation_extremal; case: j => _; rewrite ?subr_ge0 // -lerBlDr sub0r.
Qed.

(* The flip of x_1 changes every neuron by 2 W, all in the same direction.    *)
Lemma value_extremal_flip x i : value extremal x - value extremal (flip x i)
  = if i == i1 then 2%:R * coord R x i1 * (W *+ (k + m)) else 0.
Proof.
rewrite /value /value_at /value_with -sumrB.
have change j := preactivation_change extremal j (@coord_flip_off R I x i).
under eq_bigr => j _ do rewrite -mulrBr !relu_pos ?preactivation_extremal_ge0 // change /=.
case: (altP eqP) => [<-|_]; last by rewrite big1 // => j _; rewrite mul0r mulr0.
have -> : (k + m)%N = #|{: 'I_k + 'I_m}| by rewrite card_sum !card_ord.
rewrite -sumr_const mulr_sumr coord_flip eqxx opprK -mulr2n -[coord R x i *+ 2]mulr_natl.
by apply: eq_bigr => j _; case: j => ?; rewrite ?mul1r ?mulN1r ?mulrNN mulrC.
Qed.

Lemma average_sensitivity_extremal :
  average_sensitivity (value extremal) = (k + m)%:R ^+ 2 * W ^+ 2.
Proof.
rewrite -[RHS](mean_const I); apply: eq_mean => x.
rewrite /sensitivity (bigD1 i1) //= [X in _ + X]big1 ?addr0 => [|i /negPf ii1]; last first.
  by rewrite value_extremal_flip ii1 expr0n mul0r.
rewrite value_extremal_flip eqxx -[W *+ _]mulr_natl !exprMn [coord R x i1 ^+ 2]coord_sqr mulr1.
by rewrite [LHS]mulrC four mulKf // expf_neq0 ?pnatr_eq0.
Qed.

Lemma sparse_extremal : (m <= k)%N -> sparse k extremal.
Proof.
have sum_le n (F : 'I_n -> bool) : (\sum_(i < n) (if F i then 1 else 0) <= n)%N.
  by rewrite -big_mkcond sum1_card (leq_trans (max_card _)) ?card_ord.
move=> mk x; rewrite -sum1_card big_mkcond !big_sumType /=.
case x_i1: (x i1); [rewrite big1 ?add0n | rewrite [X in (_ + X)%N]big1 ?addn0] => [|i _||i _].
- exact: leq_trans (sum_le _ _) mk.
- by rewrite inE preactivation_extremal /coord x_i1 addNr ltxx.
- exact: sum_le.
by rewrite inE preactivation_extremal /coord x_i1 subrr ltxx.
Qed.

Lemma scale_extremal : 0 <= W -> scale_at_most W W extremal.
Proof.
move=> W0; have outerW j : `|outer extremal j| = W by case: j => ? /=; rewrite ?normrN ger0_norm.
split=> // j l; last by rewrite outerW normrN1 mulr1.
rewrite -real_normK ?num_real // outerW /sqnorm (bigD1 i1) //= eqxx big1 => [|i /negPf->].
  by case: l => ?; rewrite ?sqrrN expr1n addr0 mulr1.
by rewrite expr0n.
Qed.

End Extremal.

Theorem average_sensitivity_attained (R : realFieldType) (n s k : nat) (W : R) :
    (0 < n)%N -> (k <= s)%N -> 0 <= W ->
  exists N : network R 'I_n 'I_s,
    in_class k W W N /\ average_sensitivity (value N) = (minn (2 * k) s)%:R ^+ 2 * W ^+ 2.
Proof.
move=> n_gt0 ks W_ge0; pose i1 := Ordinal n_gt0; pose m := (minn (2 * k) s - k)%N.
have kmE : (k + m)%N = minn (2 * k) s by rewrite subnKC // leq_min ks mul2n -addnn leq_addr.
have mk : (m <= k)%N by rewrite leq_subLR addnn -mul2n geq_minl.
have Js : (#|{: 'I_k + 'I_m}| <= s)%N by rewrite card_sum !card_ord kmE geq_minr.
exists (wider s (extremal i1 W k m)); split; first split.
- by move=> x; rewrite card_active_wider //; apply: sparse_extremal.
- exact: scale_wider (scale_extremal _ _ _ W_ge0).
rewrite -kmE -(average_sensitivity_extremal i1).
by apply: eq_average_sensitivity => x; apply: value_wider.
Qed.

(* On one bit no neuron changes by more than W + B.                           *)
Theorem average_sensitivity_one_bit (R : realFieldType) (s k : nat) (W B : R)
    (N : network R 'I_1 'I_s) : (0 < s)%N -> in_class k W B N ->
  average_sensitivity (value N) <= (minn (2 * k) s)%:R ^+ 2 * ((W + B) / 2%:R) ^+ 2.
Proof.
move=> s_gt0 [sparseN [W0 NW NB]]; apply: mean_le_const => x.
rewrite /sensitivity big_ord1; set x' := flip x _.
pose A := active N x :|: active N x'.
have cardA : (#|A| <= minn (2 * k) s)%N.
  rewrite leq_min [X in _ && X](leq_trans (max_card _)) ?card_ord // andbT.
  by rewrite (leq_trans (leq_card_setU _ _)) // mul2n -addnn leq_add ?sparseN.
have relu_bound j y : relu (preactivation N j (coord R y)) <= `|weight N j ord0| + `|bias N j|.
  rewrite ge_max addr_ge0 // andbT /preactivation big_ord1.
  apply: le_trans (ler_norm _) _; apply: le_trans (ler_normB _ _) _.
  by rewrite normrM norm_coord mulr1.
have neuron j : `|outer N j| * (`|weight N j ord0| + `|bias N j|) <= W + B.
  rewrite mulrDr lerD ?NB // -normrM -ler_sqr ?nnegrE // real_normK ?num_real // exprMn.
  by have := NW j j; rewrite /sqnorm big_ord1.
have WB_ge0 : 0 <= W + B by rewrite (le_trans _ (neuron (Ordinal s_gt0))) // mulr_ge0 // addr_ge0.
have -> : ((W + B) / 2%:R) ^+ 2 = (W + B) ^+ 2 / 4%:R by rewrite exprMn exprVn four.
rewrite mulrA ler_pM2r ?invr_gt0 ?ltr0n // -exprMn.
apply: ler_norm_sqr; rewrite /value /value_at /value_with -sumrB (bigID (mem A)) /=.
rewrite [X in _ + X]big1 ?addr0 => [|j]; last first.
  by rewrite inE negb_or => /andP[/inactive/relu_neg-> /inactive/relu_neg->]; rewrite subrr.
apply: le_trans (ler_norm_sum _ _ _) _.
apply: (@le_trans _ _ (\sum_(j in A) (W + B))); last first.
  by rewrite sumr_const -[leLHS]mulr_natl ler_wpM2r ?ler_nat.
apply: ler_sum => j _; rewrite -mulrBr normrM (le_trans _ (neuron j)) // ler_wpM2l //.
rewrite ler_norml; apply/andP; split.
  by rewrite lerBrDr addrC lerBlDr (le_trans (relu_bound j x')) // lerDr relu_ge0.
by rewrite lerBlDr (le_trans (relu_bound j x)) // lerDl relu_ge0.
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
  rewrite mulrAC -/r; apply: ler_wpM2r; first by rewrite invr_ge0 ltW.
  by rewrite -[d.+1]addn1 natrD mulr2n opprD addrA addrK.
- exists S; split=> // x; rewrite valueN -/r -/c; congr (_ * _).
  by rewrite mulrAC.
rewrite (eq_tail _ valueN) tail_character ?cardS //.
by rewrite [LHS]exprMn c_sqr exprMn -four mulrA.
Qed.

(* ---- As the book states them --------------------------------------------- *)

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

Theorem average_sensitivity_supremum (R : rcfType) (n s k : nat) (W B : R) :
    (1 <= n)%N -> (k <= s)%N -> 0 <= W ->
  let bound := (minn (2 * k) s)%:R ^+ 2 * W ^+ 2 in
  let is_attained := exists N : network R 'I_n 'I_s,
    in_class k W B N /\ average_sensitivity (value N) = bound in
  [/\ forall N : network R 'I_n 'I_s, in_class k W B N -> average_sensitivity (value N) <= bound,
      W <= B -> is_attained
    & (2 <= n)%N -> (4 * k <= s)%N -> 0 <= B -> is_attained].
Proof.
move=> n_gt0 ks W_ge0 bound is_attained.
have upper (N : network R 'I_n 'I_s) : in_class k W B N -> average_sensitivity (value N) <= bound.
  by case=> sparseN scaleN; have := average_sensitivity_min scaleN sparseN; rewrite card_ord.
split=> // [WB | n_gt1 k4s B_ge0].
  have [N [[sparseN [W0 NW NB]] AS]] := average_sensitivity_attained n_gt0 ks W_ge0.
  by exists N; split=> //; split=> //; split=> // j l; apply: le_trans (NB j l) WB.
have [|N [classN _ tailN]] := @tail_supremum R n s k 1 W B n_gt1 k4s W_ge0.
  by rewrite subrr normr0 mulr0 mul0r.
exists N; split=> //; apply/eqP; rewrite eq_le upper //=.
have := tail_le_average_sensitivity (value N) 1; rewrite tailN ler_pM2r ?invr_gt0 ?ltr0n //.
apply: le_trans; rewrite ler_wpM2r ?sqr_ge0 // four -exprMn -natrM ler_sqr ?nnegrE ?ler0n //.
by rewrite ler_nat geq_minl.
Qed.

(* ---- A character shows that the tail bound of Claim 2.1 needs rho >= 0 ---- *)

Lemma noise_character (R : realFieldType) (I : finType) (T : {set I}) (c rho : R) :
  noise_sensitivity rho (fun x => c * character R T x) = (1 - rho ^+ #|T|) / 2%:R * c ^+ 2.
Proof.
rewrite noise_sensitivity_fourier (bigD1 T) //= fourier_character eqxx.
by rewrite big1 ?addr0 // => S /negPf ST; rewrite fourier_character ST expr0n mulr0.
Qed.

(* h = 2 x_1, with one active neuron and W = B = 1.                           *)
Theorem noise_attained (R : realFieldType) (rho : R) : exists N : network R 'I_1 'I_2,
  [/\ in_class 1 1 1 N, forall x, value N x = 2%:R * coord R x ord0
    & noise_sensitivity rho (value N) = 2%:R * (1 - rho)].
Proof.
pose N0 : network R 'I_1 ('I_1 + 'I_1) := extremal ord0 1 1 1.
have Js : (#|{: 'I_1 + 'I_1}| <= 2)%N by rewrite card_sum !card_ord.
have valueN x : value (wider 2 N0) x = 2%:R * coord R x ord0.
  rewrite /value value_wider // /value_at /value_with big_sumType !big_ord1 /=.
  rewrite !relu_pos ?preactivation_extremal_ge0 // !preactivation_extremal mul1r mulN1r opprB.
  by rewrite addrACA subrr addr0 mulr_natl mulr2n.
exists (wider 2 N0); split=> //.
  split; first by move=> x; rewrite card_active_wider //; apply: sparse_extremal.
  by apply: scale_wider; rewrite ?ler01 //; apply: scale_extremal; apply: ler01.
pose S := [set ord0 : 'I_1].
have -> : noise_sensitivity rho (value (wider 2 N0)) = noise_sensitivity rho (fun x => 2%:R * character R S x).
  apply: eq_mean => x; apply: eq_bigr => z _.
  by rewrite !valueN /character !big_set1.
by rewrite noise_character cards1 expr1 expr2 mulrA divfK ?pnatr_eq0 // mulrC.
Qed.

Theorem witness_E9 (R : realFieldType) : exists (f : cube 'I_2 -> R) (rho : R),
  -1 <= rho < 1 /\ ~ (tail f 1 <= 2%:R * noise_sensitivity rho f / (1 - rho ^+ 1)).
Proof.
have half_lt1 : 2%:R^-1 < 1 :> R by rewrite invf_lt1 ?ltr0n // ltr1n.
have half_gt0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
exists (fun x => 1 * character R setT x), (- 2%:R^-1); split.
  by rewrite lerN2 ltW //= (lt_trans _ ltr01) // oppr_lt0.
rewrite noise_character tail_character cardsT card_ord // !expr1n mulr1 expr1.
rewrite [2%:R * _]mulrC divfK ?pnatr_eq0 // -[X in X - _](expr1n _ 2) subr_sqr mulrAC.
rewrite divff ?mul1r; first by apply/negP; rewrite -ltNge gtrDl oppr_lt0.
by rewrite opprK gt_eqF // addr_gt0 ?ltr01.
Qed.
