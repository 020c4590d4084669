(* A network with nonnegative output weights, one active neuron at most and   *)
(* AS(h) > W^2: five bits, nine neurons, AS(h) = 3/2 - 1/sqrt 5. It is a tree *)
(* with the leaves x_1 = 1 (value 2) and, for x_1 = -1, each even pattern of  *)
(* the other bits (value 2/sqrt 5).                                           *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier network addresses wider.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section FiveBits.

Variable R : rcfType.
Implicit Types (x : cube 'I_5) (e : cube 'I_3).

Let i0 : 'I_5 := ord0.
Let bit (m : nat) : 'I_5 := inord m.
Let r : R := (Num.sqrt 5%:R)^-1.

(* The even pattern that begins with -1 and goes on with e.                   *)
Definition even_pattern e : cube 'I_5 := [ffun i : 'I_5 =>
  nth true [:: true; e (inord 0); e (inord 1); e (inord 2);
               e (inord 0) (+) e (inord 1) (+) e (inord 2)] i].

Let leaf := option (cube 'I_3).
Definition leaf_path (j : leaf) : {set 'I_5} := if j is None then [set i0] else setT.
Definition leaf_answer (j : leaf) : cube 'I_5 := if j is Some e then even_pattern e else [ffun=> false].
Definition leaf_slope (j : leaf) : R := if j is None then 1 else r.
Definition five_bits : network R 'I_5 leaf :=
  tree leaf_path leaf_answer (fun=> 1) (fun _ _ => 0) (fun j => 2%:R * leaf_slope j) leaf_slope.

Lemma sqrt5_gt0 : 0 < Num.sqrt 5%:R :> R.
Proof. by rewrite sqrtr_gt0 ltr0n. Qed.

Lemma r_sqr : r ^+ 2 * 5%:R = 1.
Proof. by rewrite exprVn sqr_sqrtr ?ler0n // mulVf ?pnatr_eq0. Qed.

Lemma leaf_slope_gt0 j : 0 < leaf_slope j.
Proof. by case: j => [e|] /=; rewrite ?ltr01 // invr_gt0 sqrt5_gt0. Qed.

Lemma leaf_valueE j x : leaf_value (fun (_ : leaf) (_ : 'I_5) => 0) (fun j => 2%:R * leaf_slope j) j x
  = 2%:R * leaf_slope j.
Proof. by rewrite /leaf_value big1 ?add0r // => i _; rewrite mul0r. Qed.

Let even x := ~~ (x (bit 1) (+) x (bit 2) (+) x (bit 3) (+) x (bit 4)).

Lemma bit_cases (P : 'I_5 -> Prop) : P i0 -> P (bit 1) -> P (bit 2) -> P (bit 3) -> P (bit 4) -> forall i, P i.
Proof.
move=> p0 p1 p2 p3 p4 [[|[|[|[|[|m]]]]] m5] //.
- by rewrite (_ : Ordinal m5 = i0) //; apply: val_inj.
- by rewrite (_ : Ordinal m5 = bit 1) //; apply: val_inj; rewrite /= inordK.
- by rewrite (_ : Ordinal m5 = bit 2) //; apply: val_inj; rewrite /= inordK.
- by rewrite (_ : Ordinal m5 = bit 3) //; apply: val_inj; rewrite /= inordK.
by rewrite (_ : Ordinal m5 = bit 4) //; apply: val_inj; rewrite /= inordK.
Qed.

Lemma reached_none x : reached leaf_path leaf_answer None x = ~~ x i0.
Proof.
apply/reachedP/idP => [/(_ i0) | x0 i]; rewrite inE; first by rewrite eqxx ffunE => <-.
by move/eqP->; rewrite ffunE; case: (x i0) x0.
Qed.

Lemma reached_some e x : reached leaf_path leaf_answer (Some e) x = (even_pattern e == x).
Proof.
apply/reachedP/eqP => [ex | <- //]; apply/ffunP => i.
by apply: ex; rewrite inE.
Qed.

Let code x : cube 'I_3 := [ffun i : 'I_3 => x (bit i.+1)].

Lemma even_patternP e x : (even_pattern e == x) = [&& x i0, even x & e == code x].
Proof.
have val_inord m : (m < 5)%N -> val (inord m : 'I_5) = m by move=> m5; apply: inordK.
have val3 m : (m < 3)%N -> val (inord m : 'I_3) = m by move=> m3; apply: inordK.
apply/eqP/and3P => [<- | [x0 ev /eqP->]].
  split.
  - by rewrite ffunE.
  - by rewrite /even !ffunE !val_inord //= addbb.
  apply/eqP/ffunP => -[[|[|[|m]]] m3] //; rewrite ffunE /= ffunE val_inord //=; congr (e _);
    by apply: val_inj; rewrite /= val3.
apply/ffunP => i; move: i; apply: bit_cases; rewrite ffunE ?val_inord //=.
- by rewrite ffunE val3.
- by rewrite ffunE val3.
- by rewrite ffunE val3.
rewrite !ffunE !val3 //; move: ev; rewrite /even /bit.
by case: (x _); case: (x _); case: (x _); case: (x _).
Qed.

Lemma reached_disjoint x j l : reached leaf_path leaf_answer j x -> reached leaf_path leaf_answer l x -> j = l.
Proof.
case: j => [e|]; case: l => [e'|]; rewrite ?reached_none ?reached_some ?even_patternP //.
- by move=> /and3P[_ _ /eqP->] /and3P[_ _ /eqP->].
- by move=> /and3P[-> _ _].
by move=> /negPf-> /and3P[].
Qed.

Lemma value_five x : value five_bits x = if ~~ x i0 then 2%:R else if even x then 2%:R * r else 0.
Proof.
have leaf_le (j : leaf) y : leaf_value (fun (_ : leaf) (_ : 'I_5) => 0) (fun j => 2%:R * leaf_slope j) j y
    <= 2%:R * leaf_slope j by rewrite leaf_valueE.
rewrite value_tree => [|j|//]; last exact/ltW/leaf_slope_gt0.
have at_leaf j : reached leaf_path leaf_answer j x ->
    \sum_(j | reached leaf_path leaf_answer j x)
      1 * relu (leaf_value (fun (_ : leaf) (_ : 'I_5) => 0) (fun j => 2%:R * leaf_slope j) j x)
    = 2%:R * leaf_slope j.
  move=> rj; rewrite (big_pred1 j) => [|l].
    by rewrite mul1r leaf_valueE relu_pos // mulr_ge0 ?ler0n // ltW ?leaf_slope_gt0.
  by apply/idP/eqP => [rl | -> //]; apply: reached_disjoint rl rj.
case: (boolP (x i0)) => x0 /=; last by rewrite (at_leaf None) ?reached_none //= mulr1.
case: (boolP (even x)) => ev.
  by rewrite (at_leaf (Some (code x))) // reached_some even_patternP x0 ev eqxx.
apply: big_pred0 => -[e|]; rewrite ?reached_none ?reached_some ?even_patternP ?x0 //.
by rewrite (negPf ev) andbF.
Qed.

Lemma sparse_five : sparse 1 five_bits.
Proof.
by move=> x; apply: active_tree_le1 => [j | j y | y j l];
  [apply/ltW/leaf_slope_gt0 | rewrite leaf_valueE | apply: reached_disjoint].
Qed.

Lemma scale_five : scale_at_most 1 5%:R five_bits.
Proof.
split=> [||j l]; first exact: ler01.
  move=> j l; rewrite expr1n !mul1r.
  have -> : sqnorm (weight five_bits l) = leaf_slope l ^+ 2 * #|leaf_path l|%:R.
    rewrite mulr_natr -sumr_const [RHS]big_mkcond; apply: eq_bigr => i _ /=.
    by rewrite add0r; case: ifP; rewrite ?expr0n // exprMn sqrr_sign mulr1.
  case: l => [e|] /=; last by rewrite cards1 expr1n mulr1.
  by rewrite cardsT card_ord r_sqr.
rewrite /= normr1 mul1r -[2%:R * _]mulrC -mulrBr normrM (gtr0_norm (leaf_slope_gt0 l)).
have r_le : r <= 1.
  by rewrite invf_le1 ?sqrt5_gt0 // -(ler_sqr) ?nnegrE ?sqrtr_ge0 ?ler01 // sqr_sqrtr ?ler0n // expr1n ler1n.
have s_le : leaf_slope l <= 1 by case: l.
apply: (@le_trans _ _ (1 * 5%:R)); last by rewrite mul1r.
apply: ler_pM; rewrite ?(ltW (leaf_slope_gt0 l)) //.
case: l {s_le} => [e|] /=.
  by rewrite cardsT card_ord ger0_norm ?subr_ge0 ?ler_nat // lerBlDr lerDl ler0n.
by rewrite cards1 distrC ger0_norm ?subr_ge0 ?ler1n // lerBlDr -natrD ler_nat.
Qed.

(* ---- Its expansion: 1 + a + (1 - a) x_1 + a p - a x_1 p, a = r/2, p the    *)
(*      product of the other bits.                                            *)

Let T4 : {set 'I_5} := ~: [set i0].
Let a : R := r / 2%:R.
Definition coefficient (T : {set 'I_5}) : R :=
  if T == set0 then 1 + a else if T == [set i0] then 1 - a else if T == T4 then a
  else if T == setT then - a else 0.

Let card4 : #|T4| = 4%N.
Proof. by rewrite cardsC1 card_ord. Qed.

Lemma set_neq (S T : {set 'I_5}) : #|S| != #|T| -> (S == T) = false.
Proof. by move=> ST; apply/eqP => e; rewrite e eqxx in ST. Qed.

Lemma coefficient1 : coefficient [set i0] = 1 - a.
Proof. by rewrite /coefficient set_neq ?cards0 ?cards1 // eqxx. Qed.

Lemma coefficient4 : coefficient T4 = a.
Proof.
rewrite /coefficient (set_neq (T := set0)) ?cards0 ?card4 //.
by rewrite (set_neq (T := [set i0])) ?cards1 ?card4 // eqxx.
Qed.

Lemma coefficient5 : coefficient setT = - a.
Proof.
rewrite /coefficient (set_neq (T := set0)) ?cards0 ?cardsT ?card_ord //.
rewrite (set_neq (T := [set i0])) ?cards1 ?cardsT ?card_ord //.
by rewrite (set_neq (T := T4)) ?card4 ?cardsT ?card_ord // eqxx.
Qed.

Lemma sum_coefficient (G : {set 'I_5} -> R) : \sum_T coefficient T * G T
  = (1 + a) * G set0 + ((1 - a) * G [set i0] + (a * G T4 - a * G setT)).
Proof.
rewrite (bigD1 set0) //= (bigD1 [set i0]) /=; last by rewrite set_neq // cards0 cards1.
rewrite (bigD1 T4) /=; last by rewrite !set_neq // ?cards0 ?cards1 card4.
rewrite (bigD1 setT) /=; last by rewrite !set_neq // cardsT card_ord ?cards0 ?cards1 ?card4.
rewrite big1 ?addr0 => [|T /andP[/andP[/andP[t0 t1] t4] t5]]; last first.
  by rewrite /coefficient (negPf t0) (negPf t1) (negPf t4) (negPf t5) mul0r.
have -> : coefficient set0 = 1 + a by rewrite /coefficient eqxx.
by rewrite coefficient1 coefficient4 coefficient5 mulNr.
Qed.

Lemma character4 x : character R T4 x = if even x then 1 else -1.
Proof.
rewrite /character /T4 (eq_bigl (fun i => i != i0)) => [|i]; last by rewrite !inE.
rewrite big_mkcond !big_ord_recl big_ord0 /= mul1r mulr1.
have b1 : lift ord0 ord0 = bit 1 by apply: val_inj; rewrite /= inordK.
have b2 : lift ord0 (lift ord0 ord0) = bit 2 by apply: val_inj; rewrite /= inordK.
have b3 : lift ord0 (lift ord0 (lift ord0 ord0)) = bit 3 by apply: val_inj; rewrite /= inordK.
have b4 : lift ord0 (lift ord0 (lift ord0 (lift ord0 ord0))) = bit 4 by apply: val_inj; rewrite /= inordK.
rewrite /coord b1 b2 b3 b4.
rewrite -!signr_addb /even !addbA.
by case: (_ (+) _); rewrite ?expr0 ?expr1.
Qed.

Lemma expansion_five x : value five_bits x = \sum_T coefficient T * character R T x.
Proof.
rewrite sum_coefficient value_five.
have -> : character R set0 x = 1 by rewrite /character big_set0.
have -> : character R [set i0] x = coord R x i0 by rewrite /character big_set1.
have -> : character R setT x = coord R x i0 * character R T4 x.
  rewrite /character (bigD1 i0) ?inE //=; congr (_ * _).
  by apply: eq_bigl => i; rewrite !inE.
have aa : a + a = r by rewrite -mulr2n -[a *+ 2]mulr_natr divfK ?pnatr_eq0.
rewrite character4 /coord mulr1; set p := (if even x then 1 else -1).
case: (x i0) => /=; rewrite ?expr1 ?expr0; last first.
  by rewrite mulr1 mul1r subrr addr0 addrACA subrr addr0.
rewrite mulrN1 opprB mulN1r mulrN opprK -mulrDl aa addrA.
have -> : 1 + a + (a - 1) = r by rewrite addrC addrA subrK aa.
by rewrite /p; case: (even x); rewrite ?mulr1 ?mulrN1 ?subrr // mulr_natl mulr2n.
Qed.

Lemma average_sensitivity_five : average_sensitivity (value five_bits) = 3%:R / 2%:R - r.
Proof.
rewrite average_sensitivity_fourier.
under eq_bigr => T _ do rewrite (fourier_unique expansion_five) mulrC expr2 -mulrA.
rewrite (sum_coefficient (fun T => coefficient T * #|T|%:R)).
rewrite cards0 cards1 card4 cardsT card_ord.
rewrite coefficient1 coefficient4 coefficient5 mulr0 mulr0 add0r mulr1.
have aa : a * a * 10%:R = 2%:R^-1.
  have -> : 10%:R = 5%:R * 2%:R :> R by rewrite -natrM.
  have -> : a * a * (5%:R * 2%:R) = r ^+ 2 * 5%:R * (2%:R^-1 * (2%:R^-1 * 2%:R)).
    rewrite /a [r / _ * (r / _)]mulrACA -expr2 -[LHS]mulrA -[RHS]mulrA; congr (_ * _).
    by rewrite mulrACA [_ * 5%:R]mulrC -mulrA.
  by rewrite r_sqr mul1r mulVf ?mulr1 ?pnatr_eq0.
have four_five : a * (a * 4%:R) - a * (- a * 5%:R) = a * a * 10%:R - a * a.
  rewrite mulNr mulrN opprK !mulrA -mulrDr -natrD -[X in _ - X]mulr1 -mulrBr; congr (_ * _).
  by rewrite -[10%:R]/((9 + 1)%N%:R) [in RHS]natrD addrK.
rewrite four_five aa -expr2 sqrrB expr1n mul1r -[a *+ 2]mulr_natr divfK ?pnatr_eq0 //.
rewrite -expr2 addrACA subrr addr0 addrAC; congr (_ - _).
by rewrite -[3%:R]/((2 + 1)%N%:R) natrD mulrDl divff ?pnatr_eq0 // mul1r.
Qed.

Lemma card_leaf : #|{: leaf}| = 9%N.
Proof. by rewrite card_option card_ffun card_bool card_ord. Qed.

(* Among nine neurons, numbered.                                              *)
Theorem five_bits_nine_neurons : exists N : network R 'I_5 'I_9,
  [/\ in_class 1 1 5%:R N, forall j, 0 <= outer N j
    & average_sensitivity (value N) = 3%:R / 2%:R - (Num.sqrt 5%:R)^-1].
Proof.
have leaf9 : (#|{: leaf}| <= 9)%N by rewrite card_leaf.
exists (wider 9 five_bits); split.
- split; first by move=> x; rewrite /active card_active_wider // sparse_five.
  by apply: scale_wider; rewrite ?ler0n //; apply: scale_five.
- by move=> j; rewrite /=; case: (neuron _ j) => //= _; rewrite ler01.
rewrite -average_sensitivity_five; apply: eq_average_sensitivity => x.
exact: value_wider.
Qed.

End FiveBits.

Lemma above_one (R : rcfType) : 1 < 3%:R / 2%:R - (Num.sqrt 5%:R)^-1 :> R.
Proof.
have root : 2%:R < Num.sqrt 5%:R :> R.
  rewrite -[2%:R]ger0_norm ?ler0n // -sqrtr_sqr ltr_sqrt ?ltr0n //.
  by rewrite -natrX ltr_nat.
have root0 : 0 < Num.sqrt 5%:R :> R := sqrt5_gt0 R.
have gap : 2%:R^-1 - (Num.sqrt 5%:R)^-1 = (Num.sqrt 5%:R - 2%:R) * (2%:R^-1 * (Num.sqrt 5%:R)^-1) :> R.
  by rewrite mulrBl mulVKf ?pnatr_eq0 // mulrCA divff ?mulr1 // gt_eqF.
have -> : 3%:R / 2%:R = 1 + 2%:R^-1 :> R.
  by rewrite -[3%:R]/((2 + 1)%N%:R) natrD mulrDl divff ?pnatr_eq0 // mul1r.
rewrite -addrA -[X in X < _]addr0 ltrD2l gap; apply: mulr_gt0; first by rewrite subr_gt0.
by apply: mulr_gt0; rewrite invr_gt0 ?ltr0n.
Qed.
