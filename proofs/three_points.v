(* Three points of a cube at which Conjecture 20 fails: the network for each  *)
(* choice of signs has weights p x_1 + q x_2 + r x_3, so that all follows     *)
(* from the inner products of the points, 6 and 2 and 0.                      *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint.
From SparseNetworks Require Import compat definitions cube network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Points.

Variable R : rcfType.
Implicit Types (p q r c u W : R) (i : 'I_3) (zeta : cube 'I_3).

Definition points (i : 'I_3) (l : 'I_6) : R :=
  nth 0 (nth [::] [:: [:: 1; 1; 1; 1; 1; 1]; [:: -1; -1; 1; 1; 1; 1]; [:: -1; 1; -1; -1; 1; 1]] i) l.

Let int_points (i : 'I_3) (l : 'I_6) : int :=
  nth 0 (nth [::] [:: [:: 1; 1; 1; 1; 1; 1]; [:: -1; -1; 1; 1; 1; 1]; [:: -1; 1; -1; -1; 1; 1]] i) l.

Lemma pointsE i l : points i l = (int_points i l)%:~R.
Proof.
by case: i => [[|[|[|]]] //] ?; case: l => [[|[|[|[|[|[|]]]]]] //] ?;
  rewrite /points /int_points /= ?rmorphN1 ?rmorph1.
Qed.

Lemma gram i l : \sum_c points i c * points l c
  = if i == l then 6%:R else if (i < 2)%N && (l < 2)%N then 2%:R else 0.
Proof.
under eq_bigr => c _ do rewrite !pointsE -rmorphM.
rewrite -rmorph_sum; transitivity ((if i == l then 6 else if (i < 2)%N && (l < 2)%N then 2 else 0 : int)%:~R : R).
  congr (_%:~R); rewrite !big_ord_recl big_ord0.
  by case: i => [[|[|[|]]] //] ?; case: l => [[|[|[|]]] //] ?.
by case: ifP => // _; case: ifP.
Qed.

(* ---- Two neurons --------------------------------------------------------- *)

Definition i0 : 'I_3 := @Ordinal 3 0 isT.
Definition i1 : 'I_3 := @Ordinal 3 1 isT.
Definition i2 : 'I_3 := @Ordinal 3 2 isT.

Lemma ord3 (P : 'I_3 -> Prop) : P i0 -> P i1 -> P i2 -> forall i, P i.
Proof.
move=> P0 P1 P2; case=> [[|[|[|]]] //] h.
- by rewrite (_ : Ordinal h = i0) //; apply: val_inj.
- by rewrite (_ : Ordinal h = i1) //; apply: val_inj.
by rewrite (_ : Ordinal h = i2) //; apply: val_inj.
Qed.

Let x0 := points i0.
Let x1 := points i1.
Let x2 := points i2.

Definition mix p q r l : R := p * x0 l + q * x1 l + r * x2 l.

(* <mix, x_i>, and |mix|^2.                                                   *)
Definition inner3 p q r i : R := nth 0 [:: p * 6%:R + q * 2%:R; p * 2%:R + q * 6%:R; r * 6%:R] i.

Lemma inner_mix p q r i : \sum_l mix p q r l * points i l = inner3 p q r i.
Proof.
have -> : \sum_l mix p q r l * points i l
    = p * (\sum_l x0 l * points i l) + q * (\sum_l x1 l * points i l) + r * (\sum_l x2 l * points i l).
  by rewrite !mulr_sumr -!big_split; apply: eq_bigr => l _; rewrite /mix !mulrDl !mulrA.
rewrite /x0 /x1 /x2 !gram.
by case: i => [[|[|[|]]] //] ?; rewrite /= ?mulr0 ?addr0 ?add0r.
Qed.

Lemma sqnorm_mix p q r :
  sqnorm (mix p q r) = p * inner3 p q r i0 + q * inner3 p q r i1
    + r * inner3 p q r i2.
Proof.
rewrite -!inner_mix; transitivity (\sum_l mix p q r l * (p * x0 l + q * x1 l + r * x2 l)).
  by apply: eq_bigr => l _; rewrite expr2.
rewrite !mulr_sumr -!big_split; apply: eq_bigr => l _; rewrite !mulrDr.
by rewrite !(mulrCA (mix p q r l)).
Qed.

Section Pair.

Variables (p q r c p' q' r' c' u u' W : R) (zeta : cube 'I_3).

Definition pair : network R 'I_6 'I_2 := Network
  (fun j => if j == ord0 then u else u')
  (fun j l => if j == ord0 then c * mix p q r l else c' * mix p' q' r' l) (fun=> 0).

Let a := inner3 p q r.
Let a' := inner3 p' q' r'.

Hypotheses (c_ge0 : 0 <= c) (c'_ge0 : 0 <= c') (W_ge0 : 0 <= W).
Hypotheses (a_ge0 : forall i, 0 <= a i) (a'_ge0 : forall i, 0 <= a' i).
Hypothesis apart : forall i, a i = 0 \/ a' i = 0.
Hypotheses (u1 : u ^+ 2 = 1) (u'1 : u' ^+ 2 = 1).
Hypotheses (cW : c ^+ 2 * sqnorm (mix p q r) = W ^+ 2).
Hypotheses (c'W : c' ^+ 2 * sqnorm (mix p' q' r') = W ^+ 2).
Hypothesis along : forall i, a i = 0 \/ coord R zeta i = u.
Hypothesis along' : forall i, a' i = 0 \/ coord R zeta i = u'.

Lemma preactivation_pair j i :
  preactivation pair j (points i) = if j == ord0 then c * a i else c' * a' i.
Proof.
rewrite /preactivation /= subr0.
by case: ifP => _; rewrite /a /a' -inner_mix mulr_sumr; apply: eq_bigr => l _; rewrite mulrA.
Qed.

Lemma sparse_pair : sparse_on points 1 pair.
Proof.
move=> i; apply/card_le1_eqP => j l; rewrite !inE !preactivation_pair.
case: (apart i) => ->; rewrite mulr0.
  case: (j =P ord0) => [->|/eqP j1]; first by rewrite ltxx.
  case: (l =P ord0) => [->|/eqP l1]; first by rewrite ltxx.
  by move=> _ _; apply: ord_inj; move: j1 l1; case: j => [[|[|]] //] ?; case: l => [[|[|]] //] ?.
case: (j =P ord0) => [->|_]; last by rewrite ltxx.
by case: (l =P ord0) => [->|_] //; rewrite ltxx.
Qed.

Lemma scale_pair : scale_at_most W 0 pair.
Proof.
split=> // [j l | j l]; last by rewrite /= normr0 mulr0.
have -> : outer pair j ^+ 2 = 1 by rewrite /=; case: ifP.
have sqnormZ (e : R) F : sqnorm (fun l : 'I_6 => e * F l) = e ^+ 2 * sqnorm F.
  by rewrite /sqnorm mulr_sumr; apply: eq_bigr => i _; rewrite exprMn.
by rewrite mul1r /=; case: (l == ord0); rewrite sqnormZ ?cW ?c'W.
Qed.

Lemma correlation_pair :
  \sum_i coord R zeta i * value_at pair (points i) = c * (\sum_i a i) + c' * (\sum_i a' i).
Proof.
rewrite !mulr_sumr -big_split; apply: eq_bigr => i _ /=.
rewrite /value_at /value_with !big_ord_recl big_ord0 addr0 !preactivation_pair /=.
rewrite !relu_pos ?mulr_ge0 // mulrDr; congr (_ + _).
  by case: (along i) => ->; rewrite ?mulr0 // mulrA -expr2 u1 mul1r.
by case: (along' i) => ->; rewrite ?mulr0 // mulrA -expr2 u'1 mul1r.
Qed.

End Pair.

(* ---- The six weight vectors ---------------------------------------------- *)

Let e16 : 3%:R * 6%:R + -1 * 2%:R = 16%:R :> R. Proof. by rewrite mulN1r -natrM -natrB. Qed.
Let e0 : 3%:R * 2%:R + -1 * 6%:R = 0 :> R. Proof. by rewrite mulN1r -natrM subrr. Qed.

Lemma inner_sum i : inner3 1 1 0 i = nth 0 [:: 8%:R; 8%:R; 0] i.
Proof. by rewrite /inner3 !mul1r mul0r -!natrD. Qed.

Lemma inner_third i : inner3 0 0 1 i = nth 0 [:: 0; 0; 6%:R] i.
Proof. by rewrite /inner3 !mul0r mul1r addr0. Qed.

Lemma inner_first i : inner3 3%:R (-1) 3%:R i = nth 0 [:: 16%:R; 0; 18%:R] i.
Proof. by rewrite /inner3 e16 e0 -natrM. Qed.

Lemma inner_second i : inner3 (-1) 3%:R 3%:R i = nth 0 [:: 0; 16%:R; 18%:R] i.
Proof. by rewrite /inner3 [_ + 3%:R * 2%:R]addrC [_ + 3%:R * 6%:R]addrC e16 e0 -natrM. Qed.

Lemma inner_first_only i : inner3 3%:R (-1) 0 i = nth 0 [:: 16%:R; 0; 0] i.
Proof. by rewrite /inner3 e16 e0 mul0r. Qed.

Lemma inner_second_only i : inner3 (-1) 3%:R 0 i = nth 0 [:: 0; 16%:R; 0] i.
Proof. by rewrite /inner3 [_ + 3%:R * 2%:R]addrC [_ + 3%:R * 6%:R]addrC e16 e0 mul0r. Qed.

Lemma nth_ge0 (a b c : nat) i : 0 <= nth 0 [:: a%:R; b%:R; c%:R] i :> R.
Proof. by case: i => [[|[|[|]]] //] ?; rewrite /= ler0n. Qed.

Lemma sum_nth (a b c : R) : \sum_(i < 3) nth 0 [:: a; b; c] i = a + b + c.
Proof. by rewrite !big_ord_recl big_ord0 addr0 addrA. Qed.

(* ---- One network for each choice of signs -------------------------------- *)

Variable W : R.
Hypothesis W_gt0 : 0 < W.

Let s6 : R := Num.sqrt 6%:R.
Let s2 : R := Num.sqrt 2%:R.
Let s17 : R := Num.sqrt 17%:R.

Lemma sqr_root (k : nat) : Num.sqrt k%:R ^+ 2 = k%:R :> R.
Proof. by rewrite sqr_sqrtr ?ler0n. Qed.

Lemma root_gt0 (k : nat) : (0 < k)%N -> 0 < Num.sqrt k%:R :> R.
Proof. by move=> k0; rewrite sqrtr_gt0 ltr0n. Qed.

Let s6_gt0 : 0 < s6 := @root_gt0 6 isT.
Let s2_gt0 : 0 < s2 := @root_gt0 2 isT.
Let s17_gt0 : 0 < s17 := @root_gt0 17 isT.

(* Scales W/|w|, for |w| = 4, sqrt 6, sqrt 102, sqrt 48.                      *)
Let c4 := W / 4%:R.
Let c6 := W / s6.
Let c102 := W / (s6 * s17).
Let c48 := W / (2%:R * s6 * s2).

Lemma scaled (d norm : R) : 0 < d -> d ^+ 2 = norm -> (W / d) ^+ 2 * norm = W ^+ 2.
Proof. by move=> d0 <-; rewrite exprMn exprVn divfK // expf_neq0 // gt_eqF. Qed.

Definition chosen (zeta : cube 'I_3) : network R 'I_6 'I_2 :=
  let z := coord R zeta in
  if z i0 == z i1 then pair 1 1 0 c4 0 0 1 c6 (z i0) (z i2)
  else if z i0 == z i2 then pair 3%:R (-1) 3%:R c102 (-1) 3%:R 0 c48 (z i0) (z i1)
  else pair (-1) 3%:R 3%:R c102 3%:R (-1) 0 c48 (z i1) (z i0).

Definition together : R := c4 * 16%:R + c6 * 6%:R.
Definition against : R := c102 * 34%:R + c48 * 16%:R.

Let sign_sqr zeta i : coord R zeta i ^+ 2 = 1.
Proof. by rewrite expr2 coord_sqr. Qed.

Let norms : [/\ 4%:R ^+ 2 = 16%:R :> R, s6 ^+ 2 = 6%:R, (s6 * s17) ^+ 2 = 102%:R
              & (2%:R * s6 * s2) ^+ 2 = 48%:R].
Proof. by split; rewrite ?exprMn ?sqr_root -?natrX -?natrM. Qed.

Lemma chosen_right zeta : let z := coord R zeta in
  [/\ sparse_on points 1 (chosen zeta), scale_at_most W 0 (chosen zeta)
    & \sum_i z i * value_at (chosen zeta) (points i) = if z i0 == z i1 then together else against].
Proof.
move=> z; have [n4 n6 n102 n48] := norms; have W_ge0 := ltW W_gt0.
have scale_ge0 d : 0 < d -> 0 <= W / d by move=> /ltW d0; rewrite divr_ge0.
have d102 : 0 < s6 * s17 by rewrite mulr_gt0.
have d48 : 0 < 2%:R * s6 * s2 by rewrite !mulr_gt0 ?ltr0n.
have d4 : 0 < 4%:R :> R by rewrite ltr0n.
rewrite /chosen -/z; case: (z i0 =P z i1) => [e01 | n01].
  have apart i : inner3 1 1 0 i = 0 \/ inner3 0 0 1 i = 0.
    by rewrite inner_sum inner_third; elim/ord3: i; [right | right | left].
  split.
  - exact: sparse_pair.
  - apply: scale_pair; rewrite ?sign_sqr // sqnorm_mix !(inner_sum, inner_third) /=.
      by apply: scaled; rewrite ?n4 // !mul1r mul0r addr0 -natrD.
    by apply: scaled; rewrite ?n6 // !mul0r mul1r !add0r.
  rewrite (@correlation_pair _ _ _ _ _ _ _ _ _ _ zeta) ?sign_sqr ?scale_ge0 //.
  - rewrite /together; under eq_bigr => i _ do rewrite inner_sum.
    under [X in _ + _ * X = _]eq_bigr => i _ do rewrite inner_third.
    by rewrite !sum_nth addr0 !add0r -natrD.
  - by move=> i; rewrite inner_sum; apply: (nth_ge0 8 8 0).
  - by move=> i; rewrite inner_third; apply: (nth_ge0 0 0 6).
  - by move=> i; rewrite inner_sum; elim/ord3: i; [right | right | left].
  by move=> i; rewrite inner_third; elim/ord3: i; [left | left | right].
case: (z i0 =P z i2) => [e02 | n02].
  have apart i : inner3 3%:R (-1) 3%:R i = 0 \/ inner3 (-1) 3%:R 0 i = 0.
    by rewrite inner_first inner_second_only; elim/ord3: i; [right | left | right].
  split.
  - exact: sparse_pair.
  - apply: scale_pair; rewrite ?sign_sqr // sqnorm_mix !(inner_first, inner_second_only) /=.
      by apply: scaled; rewrite ?n102 // mulr0 addr0 -!natrM -natrD.
    by apply: scaled; rewrite ?n48 // !mulr0 add0r addr0 -natrM.
  rewrite (@correlation_pair _ _ _ _ _ _ _ _ _ _ zeta) ?sign_sqr ?scale_ge0 //.
  - rewrite /against; under eq_bigr => i _ do rewrite inner_first.
    under [X in _ + _ * X = _]eq_bigr => i _ do rewrite inner_second_only.
    by rewrite !sum_nth !addr0 !add0r -natrD.
  - by move=> i; rewrite inner_first; apply: (nth_ge0 16 0 18).
  - by move=> i; rewrite inner_second_only; apply: (nth_ge0 0 16 0).
  - by move=> i; rewrite inner_first; elim/ord3: i; [right | left | right].
  by move=> i; rewrite inner_second_only; elim/ord3: i; [left | right | left].
have e12 : z i1 = z i2.
  move: n01 n02; rewrite /z /coord; case: (zeta i0); case: (zeta i1); case: (zeta i2) => //=.
have apart i : inner3 (-1) 3%:R 3%:R i = 0 \/ inner3 3%:R (-1) 0 i = 0.
  by rewrite inner_second inner_first_only; elim/ord3: i; [left | right | right].
split.
- exact: sparse_pair.
- apply: scale_pair; rewrite ?sign_sqr // sqnorm_mix !(inner_second, inner_first_only) /=.
    by apply: scaled; rewrite ?n102 // mulr0 add0r -!natrM -natrD.
  by apply: scaled; rewrite ?n48 // !mulr0 !addr0 -natrM.
rewrite (@correlation_pair _ _ _ _ _ _ _ _ _ _ zeta) ?sign_sqr ?scale_ge0 //.
- rewrite /against; under eq_bigr => i _ do rewrite inner_second.
  under [X in _ + _ * X = _]eq_bigr => i _ do rewrite inner_first_only.
  by rewrite !sum_nth !addr0 !add0r -natrD.
- by move=> i; rewrite inner_second; apply: (nth_ge0 0 16 18).
- by move=> i; rewrite inner_first_only; apply: (nth_ge0 16 0 0).
- by move=> i; rewrite inner_second; elim/ord3: i; [left | right | right].
by move=> i; rewrite inner_first_only; elim/ord3: i; [right | left | left].
Qed.

(* The mean over the signs: zeta_1 = zeta_2 for half of them.                 *)
Lemma mean_halves (A B : R) :
  mean (fun zeta : cube 'I_3 => if coord R zeta i0 == coord R zeta i1 then A else B) = (A + B) / 2%:R.
Proof.
set F := fun zeta => _; have two : mean F + mean F = A + B.
  rewrite -{2}(mean_flip F i0) -meanD.
  transitivity (mean (fun _ : cube 'I_3 => A + B)); last exact: mean_const.
  apply: eq_mean => zeta.
  have neq : ((1 : R) == -1) = false by rewrite eq_sym eqNr oner_eq0.
  rewrite /F !coord_flip eqxx /= /coord.
  by case: (zeta i0); case: (zeta i1); rewrite /= ?opprK ?eqxx ?neq 1?[-1 == _]eq_sym ?neq // addrC.
by rewrite -two -mulr2n -[mean F *+ 2]mulr_natr mulfK ?pnatr_eq0.
Qed.

Definition bound : R :=
  W * s6 / 6%:R * (1 + 2%:R * Num.sqrt (2%:R / 3%:R) + 2%:R * s2 / 3%:R + s17 / 3%:R).

Lemma root_two_thirds : Num.sqrt (2%:R / 3%:R) = 2%:R / s6.
Proof.
have -> : 2%:R / 3%:R = (2%:R / s6) ^+ 2.
  rewrite exprMn exprVn sqr_root -natrX; apply/eqP; rewrite eqr_div ?pnatr_eq0 //.
  by rewrite -!natrM.
by rewrite sqrtr_sqr ger0_norm // divr_ge0 ?ler0n ?ltW.
Qed.

Lemma boundE : (together + against) / 2%:R / 3%:R = bound.
Proof.
have [n4 n6 n102 n48] := norms.
have times_norm (d norm : R) : 0 < d -> d ^+ 2 = norm -> W / d * norm = W * d.
  by move=> d0 <-; rewrite expr2 mulrA divfK ?gt_eqF.
have c6E : c6 * 6%:R = W * s6 by apply: times_norm.
have c102E : c102 * 34%:R = W * s6 * s17 / 3%:R.
  apply: (canRL (mulfK _)); rewrite ?pnatr_eq0 // -[LHS]mulrA -natrM -[RHS]mulrA.
  by apply: times_norm n102; rewrite mulr_gt0.
have c48E : c48 * 16%:R = W * s6 * (2%:R * s2) / 3%:R.
  apply: (canRL (mulfK _)); rewrite ?pnatr_eq0 // -[LHS]mulrA -natrM -[RHS]mulrA [s6 * _]mulrA [s6 * _]mulrC.
  by apply: times_norm n48; rewrite !mulr_gt0 ?ltr0n.
have c4E : c4 * 16%:R = W * s6 * (2%:R * (2%:R / s6)).
  rewrite [LHS](@times_norm 4%:R) ?ltr0n // -[RHS]mulrA; congr (_ * _).
  by rewrite [RHS]mulrC -[RHS]mulrA divfK ?gt_eqF // -natrM.
rewrite /bound root_two_thirds /together /against c6E c102E c48E c4E.
have swap (a b c d : R) : a + b + (c + d) = b + a + d + c.
  by rewrite (addrC a) (addrC c) addrA.
rewrite [RHS]mulrAC -[LHS]mulrA -invfM -natrM; congr (_ * _).
by rewrite !mulrDr mulr1 !mulrA; apply: swap.
Qed.

Lemma root_ge (a : R) (b c : nat) : 0 <= a -> (b ^ 2)%:R <= a * (c ^ 2)%:R -> b%:R <= Num.sqrt a * c%:R.
Proof.
move=> a0 le_a; rewrite -[leLHS]ger0_norm ?ler0n // -sqrtr_sqr.
have -> : c%:R = Num.sqrt (c%:R ^+ 2) :> R by rewrite sqrtr_sqr ger0_norm ?ler0n.
by rewrite -sqrtrM // ler_wsqrtr // -!natrX.
Qed.

Lemma root_le (a : R) (b c : nat) : 0 <= a -> a * (c ^ 2)%:R <= (b ^ 2)%:R -> Num.sqrt a * c%:R <= b%:R.
Proof.
move=> a0 le_a; rewrite -[leRHS]ger0_norm ?ler0n // -sqrtr_sqr.
have -> : c%:R = Num.sqrt (c%:R ^+ 2) :> R by rewrite sqrtr_sqr ger0_norm ?ler0n.
by rewrite -sqrtrM // ler_wsqrtr // -!natrX.
Qed.

(* 12 a < 3 + 2 sqrt 2 + sqrt 17 for a = sqrt (2/3), as 11 a <= 9,            *)
(* 5 sqrt 2 >= 7 and 10 sqrt 17 >= 41; both sides times 110.                  *)
Lemma roots_large (a := Num.sqrt (2%:R / 3%:R) : R) : a * 12%:R < 3%:R + s2 * 2%:R + s17.
Proof.
have a_le : a * 11%:R <= 9%:R.
  apply: root_le; first by rewrite divr_ge0 ?ler0n.
  by rewrite mulrAC ler_pdivrMr ?ltr0n // -!natrM ler_nat.
have b_ge : 7%:R <= s2 * 5%:R by apply: root_ge; rewrite ?ler0n // -natrM ler_nat.
have c_ge : 41%:R <= s17 * 10%:R by apply: root_ge; rewrite ?ler0n // -natrM ler_nat.
rewrite -(ltr_pM2r (ltr0Sn R 109)) -mulrA -natrM (_ : (12 * 110 = 11 * 120)%N) // natrM mulrA.
apply: (@le_lt_trans _ _ (9%:R * 120%:R)); first by rewrite ler_wpM2r ?ler0n.
apply: (@lt_le_trans _ _ (3%:R * 110%:R + 7%:R * 44%:R + 41%:R * 11%:R)).
  by rewrite -!natrM -!natrD ltr_nat.
rewrite [leRHS]mulrDl [X in _ <= X + _]mulrDl; apply: lerD; first apply: lerD => //.
  have -> : s2 * 2%:R * 110%:R = s2 * 5%:R * 44%:R by rewrite -!mulrA -!natrM.
  by rewrite ler_wpM2r ?ler0n.
have -> : 110%:R = 10%:R * 11%:R :> R by rewrite -natrM.
by rewrite mulrA ler_wpM2r ?ler0n.
Qed.

Lemma bound_large : W * s6 * Num.sqrt (2%:R * 1 / 3%:R) < bound.
Proof.
rewrite mulr1 /bound -[W * s6 / 6%:R * _]mulrA ltr_pM2l ?mulr_gt0 // [ltRHS]mulrC ltr_pdivlMr ?ltr0n //.
set a := Num.sqrt (2%:R / 3%:R); rewrite -(ltr_pM2r (ltr0Sn R 2)).
rewrite [ltRHS]mulrDl [X in _ < X + _]mulrDl [X in _ < X + _ + _]mulrDl !divfK ?pnatr_eq0 // mul1r.
have -> : a * 6%:R * 3%:R = 2%:R * a * 3%:R + a * 12%:R.
  by rewrite [2%:R * a]mulrC -!mulrA -!natrM -mulrDr -natrD.
have move_left (x y z t : R) : x + y + z + t = y + (x + z + t) by rewrite (addrC x) -!addrA.
rewrite (move_left 3%:R) ltrD2l [2%:R * s2]mulrC; exact: roots_large.
Qed.

End Points.

Theorem three_points (R : rcfType) (W : R) : 0 < W ->
  [/\ forall i : 'I_3, sqnorm (@points R i) = 6%:R,
      exists N : cube 'I_3 -> network R 'I_6 'I_2,
        (forall zeta, sparse_on (@points R) 1 (N zeta) /\ scale_at_most W 0 (N zeta))
        /\ mean (fun zeta => (\sum_i coord R zeta i * value_at (N zeta) (@points R i)) / 3%:R) = bound W,
      forall r, rademacher_is 2 1 W 0 (@points R) r -> bound W <= r
    & W * Num.sqrt 6%:R * Num.sqrt (2%:R * 1 / 3%:R) < bound W].
Proof.
move=> W0; have mean_chosen : mean (fun zeta =>
    (\sum_i coord R zeta i * value_at (chosen W zeta) (@points R i)) / 3%:R) = bound W.
  rewrite -boundE -(mean_halves (together W) (against W)) mulrC -meanZ.
  apply: eq_mean => zeta; have [_ _ ->] := chosen_right W0 zeta; exact: mulrC.
split; last exact: bound_large.
- move=> i; transitivity (\sum_l points R i l * points R i l).
    by apply: eq_bigr => l _; rewrite expr2.
  by rewrite gram eqxx.
- by exists (chosen W); split=> // zeta; have [] := chosen_right W0 zeta.
move=> r [sup [supP ->]]; rewrite -mean_chosen; apply: mean_le => zeta.
by have [above _] := supP zeta; apply: above; have [] := chosen_right W0 zeta.
Qed.
