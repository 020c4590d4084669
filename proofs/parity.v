(* The parity of the bits in S as a sum of tents over t = sum_(i in S) y_i    *)
(* = |S| - 2 m, m the number of minus signs in S: "t is even" depends on S    *)
(* only, "t = |S| modulo 4" is the parity.                                    *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint intdiv.
From SparseNetworks Require Import compat definitions cube fourier network tents.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- Counting minus signs ------------------------------------------------ *)

Section Count.

Variables (M : finType) (S : {set M}).
Implicit Types y : cube M.

Lemma minus_le y : (minus_signs S y <= #|S|)%N.
Proof. by apply/subset_leq_card/subsetP => i; rewrite inE => /andP[]. Qed.

Lemma sum_signs (R : ringType) y :
  \sum_(i in S) (-1) ^+ y i = #|S|%:R - 2%:R * (minus_signs S y)%:R :> R.
Proof.
have -> : minus_signs S y = (\sum_(i in S) y i)%N.
  rewrite /minus_signs -sum1_card; under eq_bigl => i do rewrite inE.
  by rewrite big_mkcondr; apply: eq_bigr => i _; case: (y i).
rewrite natr_sum mulr_sumr -sum1_card natr_sum -sumrB; apply: eq_bigr => i _.
case: (y i) => /=; last by rewrite mulr0 subr0.
by rewrite mulr1 opprD addNKr.
Qed.

Lemma character_minus (R : realFieldType) y : character R S y = (-1) ^+ minus_signs S y.
Proof.
rewrite /character /coord /minus_signs -prodr_const big_mkcond [RHS]big_mkcond.
by apply: eq_bigr => i _; rewrite inE; case: (i \in S) => //=; case: (y i).
Qed.

Theorem printed_parity_constant y : (2%:Z %| \sum_(i in S) (-1) ^+ y i)%Z = ~~ odd #|S|.
Proof. by rewrite sum_signs rpredBr ?dvdz_mulr // -dvdn2 natz dvdzE. Qed.

End Count.

(* ---- Sums of tents ------------------------------------------------------- *)

Section Sums.

Variables (R : realFieldType) (M : finType) (S : {set M}) (y : cube M).

Let t : R := \sum_(i in S) coord R y i.
Let m := minus_signs S y.

Lemma tE : t = #|S|%:R + (- 2%:R) * m%:R.
Proof. by rewrite mulNr -sum_signs. Qed.

(* Tents with the centres |S| - 2 wake(l), of slope q and height h <= 4 q.    *)
Section Wake.

Variables (J : finType) (wake : J -> nat) (q h : R).
Hypotheses (h_gt0 : 0 < h) (h_le : h <= 4%:R * q).

Let z l := h - q * (t - (#|S|%:R - 2%:R * (wake l)%:R)) ^+ 2.

Let zE l : z l = tent q h (- 2%:R) #|S|%:R m wake l.
Proof. by rewrite /z /tent tE !mulNr. Qed.

Let h_le' : h <= q * (- 2%:R) ^+ 2.
Proof. by rewrite sqrrN -four mulrC. Qed.

Lemma wake_gt0 l : (0 < z l) = (wake l == m).
Proof. by rewrite zE tent_gt0. Qed.

Lemma sum_wake (u : J -> R) : \sum_l u l * relu (z l) = (\sum_(l | wake l == m) u l) * h.
Proof. by under eq_bigr => l _ do rewrite zE; rewrite sum_tents. Qed.

Lemma card_wake : injective wake -> (#|[set l | (0 < z l)%R]| <= 1)%N.
Proof.
by move=> inj; apply/card_le1_eqP => l l'; rewrite !inE !wake_gt0 => /eqP <- /eqP /inj.
Qed.

End Wake.

Lemma double_inj n : injective (fun l : 'I_n => l.*2).
Proof. by move=> l l' /double_inj; apply: val_inj. Qed.

Lemma sum_even (c : R) : \sum_(l < (#|S|./2).+1 | l.*2 == m) c = (~~ odd m)%:R * c.
Proof.
case: (boolP (odd m)) => [m_odd | m_even] /=.
  by rewrite mul0r big_pred0 // => l; apply: contraTF m_odd => /eqP<-; rewrite odd_double.
have m2 : m = (m./2).*2 by rewrite -[LHS]odd_double_half (negPf m_even).
have l_lt : (m./2 < (#|S|./2).+1)%N by rewrite ltnS half_leq ?minus_le.
rewrite mul1r (big_pred1 (Ordinal l_lt)) // => l.
by rewrite {1}m2 (inj_eq ssrnat.double_inj).
Qed.

(* Values 0 and 1, narrow tents and wide ones; and values -1 and 1.           *)
Lemma four_double l : #|S|%:R - 4%:R * l%:R = #|S|%:R - 2%:R * (l.*2)%:R :> R.
Proof. by rewrite -muln2 mulnC natrM mulrA four expr2. Qed.

Theorem parity_bit (c h q : R) : 0 < h -> h <= 4%:R * q -> c * h = 1 ->
  \sum_(l < (#|S|./2).+1) c * relu (h - q * (t - (#|S|%:R - 4%:R * l%:R)) ^+ 2) = (~~ odd m)%:R.
Proof.
move=> h0 hq ch; under eq_bigr => l _ do rewrite four_double.
by rewrite (sum_wake (fun l : 'I_(#|S|./2).+1 => l.*2) h0 hq (fun=> c)) sum_even -mulrA ch mulr1.
Qed.

Theorem parity_bit_active (h q : R) : 0 < h -> h <= 4%:R * q ->
  (#|[set l : 'I_(#|S|./2).+1 | (0 < h - q * (t - (#|S|%:R - 4%:R * l%:R)) ^+ 2)%R]| <= 1)%N.
Proof.
move=> h0 hq; apply: leq_trans (card_wake h0 hq (@double_inj (#|S|./2).+1)).
by apply: eq_leq; apply: eq_card => l; rewrite !inE four_double.
Qed.

Let one_le : 1 <= 4%:R * 4%:R^-1 :> R. Proof. by rewrite divff ?pnatr_eq0. Qed.

Theorem parity_sign :
  \sum_(l < #|S|.+1) (-1) ^+ l * relu (1 - 4%:R^-1 * (t - (#|S|%:R - 2%:R * l%:R)) ^+ 2)
  = character R S y.
Proof.
rewrite (sum_wake (fun l : 'I_#|S|.+1 => l : nat) ltr01 one_le (fun l => (-1) ^+ l)) mulr1.
have l_lt : (m < #|S|.+1)%N by rewrite ltnS minus_le.
by rewrite character_minus (big_pred1 (Ordinal l_lt)).
Qed.

Theorem parity_sign_active :
  (#|[set l : 'I_#|S|.+1 | (0 < 1 - 4%:R^-1 * (t - (#|S|%:R - 2%:R * l%:R)) ^+ 2)%R]| <= 1)%N.
Proof. exact: (card_wake ltr01 one_le (@ord_inj #|S|.+1)). Qed.

End Sums.

(* ---- The printed identity holds, of the constant "t is even" -------------- *)

Section Printed.

Variables (R : realFieldType) (m : nat) (S : {set 'I_m}) (y : cube 'I_m).

Let t : R := \sum_(i in S) coord R y i.
Let a (l : nat) : R := 2%:R * l%:R - 2%:R * (m./2)%:R.
Let z l := 2%:R^-1 - (t - a l) ^+ 2.
Let L := (m./2).*2.+1.

(* All even numbers from - 2 floor(m/2) on, and t, from - 2 floor(m/2) - 2 |S| on. *)
Let n := (minus_signs S y).
Let num := (#|S| + (m./2).*2 + (#|S| - n).*2)%N.
Let wake (l : 'I_L) := (#|S|.*2 + l.*2)%N.

Lemma centred : t = - (#|S|.*2 + (m./2).*2)%:R + num%:R.
Proof.
apply/eqP; rewrite /t /coord sum_signs -/n eq_sym addrC subr_eq addrAC eq_sym subr_eq.
rewrite -natrM -!natrD eqr_nat mul2n /num -!addnA -[((_ - n).*2 + _)%N]doubleD subnK ?minus_le //.
by rewrite [(#|S|.*2 + _)%N]addnC.
Qed.

Let zE (l : 'I_L) : z l = tent 1 2%:R^-1 1 (- (#|S|.*2 + (m./2).*2)%:R) num wake l.
Proof.
rewrite /z /tent centred !mul1r; congr (_ - (_ - _) ^+ 2).
by rewrite /a /wake !natrD opprD addrACA addNr add0r addrC -!mul2n !natrM.
Qed.

Let half_gt0 : 0 < 2%:R^-1 :> R. Proof. by rewrite invr_gt0 ltr0n. Qed.
Let half_le : 2%:R^-1 <= 1 * 1 ^+ 2 :> R.
Proof. by rewrite expr1n mulr1 invf_le1 ?ltr0n // ler1n. Qed.

Theorem printed_parity_sum : \sum_(l < L) 2%:R * relu (z l) = (~~ odd #|S|)%:R.
Proof.
under eq_bigr => l _ do rewrite zE.
rewrite (sum_tents _ _ _ half_gt0 half_le (fun=> 2%:R)).
have nS : (n <= #|S|)%N := minus_le S y.
have Sm : (#|S| <= m)%N by rewrite -[leqRHS]card_ord max_card.
have [S_odd | S_even] := boolP (odd #|S|).
  rewrite big_pred0 ?mul0r // => l; apply/eqP => /(congr1 odd).
  by rewrite /num /wake !oddD !odd_double S_odd.
have SE : #|S| = (#|S|./2).*2 by rewrite -[LHS]odd_double_half (negPf S_even).
pose l0 := (m./2 + #|S|./2 - n)%N.
have n_le : (n <= m./2 + #|S|./2)%N.
  by rewrite (leq_trans nS) // {1}SE -addnn leq_add2r half_leq.
have l_lt : (l0 < L)%N.
  by rewrite ltnS leq_subLR -addnn addnCA leq_add2l (leq_trans (half_leq Sm)) // leq_addl.
rewrite (big_pred1 (Ordinal l_lt)) ?divff ?pnatr_eq0 // => l.
have -> : num = (m./2 + #|S|./2 + (#|S| - n)).*2 by rewrite !doubleD -SE [(_ + #|S|)%N]addnC.
rewrite /wake -doubleD (inj_eq ssrnat.double_inj) -(eqn_add2r n) -[in X in _ == X]addnA subnK //.
by rewrite -addnA addnC eqn_add2r /= -val_eqE -[in RHS](eqn_add2r n) /= subnK.
Qed.

Theorem printed_parity_active : (#|[set l : 'I_L | (0 < z l)%R]| <= 1)%N.
Proof.
apply/card_le1_eqP => l l'; rewrite !inE !zE !tent_gt0 // => /eqP <-.
by rewrite eqn_add2l => /eqP/ssrnat.double_inj/val_inj.
Qed.

End Printed.

(* ---- On the lift --------------------------------------------------------- *)

Section Lifted.

Variables (R : realFieldType) (m : nat) (S : {set 'I_m}).
Implicit Types (y : cube 'I_m) (q a h : R).

(* The linear form with weights q a 2 on the diagonal of S and - q off it.    *)
Definition parity_weight q a (ij : 'I_m * 'I_m) : R :=
  if (ij.1 \in S) && (ij.2 \in S) then (if ij.1 == ij.2 then 2%:R * q * a else - q) else 0.

Let indicator (i : 'I_m) : R := (i \in S)%:R.

Lemma sqnorm_indicator : sqnorm indicator = #|S|%:R.
Proof.
rewrite -sum1_card natr_sum [RHS]big_mkcond; apply: eq_bigr => i _.
by rewrite /indicator; case: (i \in S); rewrite ?expr1n ?expr0n.
Qed.

Lemma parity_weightE q a ij : parity_weight q a ij = lifted_weight indicator q a ij.
Proof.
case: ij => i j; rewrite /parity_weight /lifted_weight /indicator /=.
have [->|_] := eqVneq i j; case: (j \in S); rewrite /= ?andbT ?andbF ?mulr1 ?mulr0 ?oppr0 //;
  by case: (i \in S); rewrite ?mulr1 ?mulr0 ?oppr0.
Qed.

Lemma lifted_tent q a h y :
  \sum_ij parity_weight q a ij * coord R (lifted y) ij - (q * (#|S|%:R + a ^+ 2) - h)
  = h - q * (\sum_(i in S) coord R y i - a) ^+ 2.
Proof.
under eq_bigr => ij _ do rewrite parity_weightE.
have := linearisation indicator q a h y; rewrite /lifted_bias sqnorm_indicator => ->.
congr (_ - _ * (_ - _) ^+ 2); rewrite /form [RHS]big_mkcond; apply: eq_bigr => i _.
by rewrite /indicator; case: (i \in S); rewrite ?mul1r ?mul0r.
Qed.

Lemma sqnorm_parity_weight q a :
  sqnorm (parity_weight q a) = q ^+ 2 * (4%:R * a ^+ 2 * #|S|%:R + (#|S|%:R ^+ 2 - #|S|%:R)).
Proof.
transitivity (sqnorm (lifted_weight indicator q a)).
  by apply: eq_bigr => ij _; rewrite parity_weightE.
rewrite sqnorm_lifted !sqnorm_indicator; congr (_ * (_ + (_ - _))).
rewrite -sqnorm_indicator; apply: eq_bigr => i _.
by rewrite /indicator; case: (i \in S); rewrite ?expr1n ?expr0n.
Qed.

(* The weights with |a| <= m are largest for S = [m], a = m.                  *)
Lemma sqnorm_parity_weight_le q a : `|a| <= m%:R ->
  sqnorm (parity_weight q a) <= q ^+ 2 * (4%:R * m%:R ^+ 3 + (m%:R ^+ 2 - m%:R)).
Proof.
move=> am; have Sm : (#|S| <= m)%N by rewrite -[leqRHS]card_ord max_card.
have falling n : n%:R ^+ 2 - n%:R = (n * n.-1)%:R :> R.
  by case: n => [|n]; rewrite ?expr0n ?subr0 // -natrX -natrB ?leq_pmulr // -mulnn mulnS addKn.
rewrite sqnorm_parity_weight ler_wpM2l ?sqr_ge0 // !falling; apply: lerD; last first.
  by rewrite ler_nat leq_mul // -!subn1 leq_sub2r.
rewrite [in leRHS]exprSr -mulrA ler_wpM2l ?ler0n //.
by apply: ler_pM; rewrite ?sqr_ge0 ?ler_nat ?ler0n // ler_norm_sqr.
Qed.

Lemma centre_le (l : 'I_(#|S|./2).+1) : `|#|S|%:R - 4%:R * l%:R| <= m%:R :> R.
Proof.
apply: (@le_trans _ _ #|S|%:R); last by rewrite ler_nat -[leqRHS]card_ord max_card.
rewrite ler_norml lerBrDr lerBlDr lerDl mulr_ge0 ?ler0n // andbT.
rewrite addrC lerBlDr -natrM -natrD ler_nat addnn (_ : 4 * l = l.*2.*2)%N.
  rewrite leq_double -[leqRHS]odd_double_half (leq_trans _ (leq_addl _ _)) //.
  by rewrite leq_double -ltnS.
by rewrite -!muln2 -mulnA mulnC.
Qed.

Theorem parity_norms a : (1 <= m)%N -> `|a| <= m%:R ->
  let w (ij : 'I_m * 'I_m) :=
    if (ij.1 \in S) && (ij.2 \in S) then (if ij.1 == ij.2 then 2%:R * a else -1) else 0 in
  sqnorm w <= 4%:R * m%:R ^+ 3 + m%:R ^+ 2 - m%:R
  /\ `|#|S|%:R + a ^+ 2 - 2%:R^-1| <= m%:R ^+ 2 + m%:R.
Proof.
move=> m_gt0 am w; split.
  have -> : sqnorm w = sqnorm (parity_weight 1 a).
    by apply: eq_bigr => ij _; rewrite /parity_weight mulr1.
  by apply: le_trans (sqnorm_parity_weight_le 1 am) _; rewrite expr1n mul1r addrA.
have S_le : #|S|%:R <= m%:R :> R by rewrite ler_nat -[leqRHS]card_ord max_card.
have half_ge0 : 0 <= 2%:R^-1 :> R by rewrite invr_ge0 ler0n.
have half_le1 : 2%:R^-1 <= 1 :> R by rewrite invf_le1 ?ltr0n // ler1n.
rewrite ler_norml; apply/andP; split; last first.
  by rewrite lerBlDr -[leLHS]addr0 [#|S|%:R + _]addrC !lerD // ler_norm_sqr.
apply: (@le_trans _ _ (- 1)); first by rewrite lerN2 ler_wpDl ?sqr_ge0 // ler1n.
by rewrite -[leLHS]add0r lerD ?addr_ge0 ?ler0n ?sqr_ge0 // lerN2.
Qed.

Theorem parity_linearisation a :
  let w (ij : 'I_m * 'I_m) :=
    if (ij.1 \in S) && (ij.2 \in S) then (if ij.1 == ij.2 then 2%:R * a else -1) else 0 in
  let b := #|S|%:R + a ^+ 2 - 2%:R^-1 in
  forall y : cube 'I_m, 2%:R^-1 - (\sum_(i in S) coord R y i - a) ^+ 2
    = (\sum_ij w ij * coord R (lifted y) ij) - b.
Proof.
move=> w b y; have := lifted_tent 1 a 2%:R^-1 y; rewrite !mul1r => <-.
by congr (_ - _); apply: eq_bigr => ij _; rewrite /parity_weight mulr1.
Qed.

Theorem parity_mod_4 y :
  let t : R := \sum_(i in S) coord R y i in
  let z l := 2%:R^-1 - (t - (#|S|%:R - 4%:R * l%:R)) ^+ 2 in
  let z' l := 1 - 4%:R^-1 * (t - (#|S|%:R - 2%:R * l%:R)) ^+ 2 in
  [/\ \sum_(l < (#|S|./2).+1) 2%:R * relu (z l) = (~~ odd (minus_signs S y))%:R,
      \sum_(l < #|S|.+1) (-1) ^+ l * relu (z' l) = character R S y,
      (#|[set l : 'I_(#|S|./2).+1 | (0 < z l)%R]| <= 1)%N
    & (#|[set l : 'I_#|S|.+1 | (0 < z' l)%R]| <= 1)%N].
Proof.
move=> t z z'; have h0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have h_le : 2%:R^-1 <= 4%:R * 1 :> R.
  by rewrite mulr1 (le_trans (_ : _ <= 1)) ?ler1n // invf_le1 ?ltr0n ?ler1n.
have zE l : z l = 2%:R^-1 - 1 * (t - (#|S|%:R - 4%:R * l%:R)) ^+ 2 by rewrite mul1r.
split; [|exact: parity_sign| |exact: parity_sign_active].
  under eq_bigr => l _ do rewrite zE.
  by rewrite parity_bit // divff ?pnatr_eq0.
apply: leq_trans (parity_bit_active S y h0 h_le).
by apply: eq_leq; apply: eq_card => l; rewrite !inE zE.
Qed.

Theorem parity_tent :
  let a (l : 'I_(#|S|./2).+1) : R := #|S|%:R - 4%:R * l%:R in
  let N := Network (fun=> 1)
    (fun l (ij : 'I_m * 'I_m) => if (ij.1 \in S) && (ij.2 \in S)
       then (if ij.1 == ij.2 then a l / 2%:R else - 4%:R^-1) else 0)
    (fun l => (#|S|%:R + a l ^+ 2) / 4%:R - 1) in
  [/\ (forall y : cube 'I_m, value N (lifted y) = (~~ odd (minus_signs S y))%:R),
      sparse_on (fun y : cube 'I_m => coord R (lifted y)) 1 N
    & forall l, sqnorm (weight N l) <= (4%:R * m%:R ^+ 3 + m%:R ^+ 2 - m%:R) / 16%:R].
Proof.
move=> a N; have one_le : 1 <= 4%:R * 4%:R^-1 :> R by rewrite divff ?pnatr_eq0.
have wE l ij : weight N l ij = parity_weight 4%:R^-1 (a l) ij.
  rewrite /parity_weight /=; case: ifP => // _; case: ifP => // _.
  by rewrite four expr2 invfM mulrA divff ?pnatr_eq0 // mul1r mulrC.
have pre l y : preactivation N l (coord R (lifted y))
    = 1 - 4%:R^-1 * (\sum_(i in S) coord R y i - a l) ^+ 2.
  rewrite -lifted_tent /preactivation; congr (_ - (_ - _)); last exact: mulrC.
  by apply: eq_bigr => ij _; rewrite wE.
split=> [y | y | l].
- rewrite /value /value_at /value_with; under eq_bigr => l _ do rewrite pre.
  by rewrite parity_bit ?ltr01 ?mulr1.
- apply: leq_trans (parity_bit_active S y ltr01 one_le).
  by apply: eq_leq; apply: eq_card => l; rewrite !inE pre.
have -> : sqnorm (weight N l) = sqnorm (parity_weight 4%:R^-1 (a l)).
  by apply: eq_bigr => ij _; rewrite wE.
apply: le_trans (sqnorm_parity_weight_le _ (centre_le l)) _.
by rewrite [leLHS]mulrC addrA (_ : 16%:R = 4%:R ^+ 2) ?exprVn // -natrX.
Qed.

End Lifted.
