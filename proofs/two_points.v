(* Two hypotheses, 0 and f with f(x1) = 0, f(x0) = C: if x0 has mass p, a     *)
(* sample shows only x1 with probability (1 - p)^m, and no guess at x0 serves *)
(* both. So (1 - p)^m <= 2 delta for every p > 8 eps/C^2, hence also at that p. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A polynomial is continuous: powers of numbers in [0, 1] are m-Lipschitz.   *)
Lemma expr_Lipschitz (R : realFieldType) (m : nat) (y z : R) :
  0 <= y -> y <= z -> z <= 1 -> z ^+ m - y ^+ m <= m%:R * (z - y).
Proof.
move=> y0 yz z1; rewrite subrXX mulrC ler_wpM2r ?subr_ge0 //.
rewrite -[m in m%:R]card_ord -sum1_card natr_sum; apply: ler_sum => i _.
have z0 := le_trans y0 yz.
by rewrite mulr_ile1 ?exprn_ge0 ?exprn_ile1 // (le_trans yz).
Qed.

Section TwoPoints.

Variables (R : realFieldType) (T : Type) (H : (T -> R) -> Prop) (f : T -> R) (x0 x1 : T).
Variables (C eps delta : R) (m : nat).
Variables (Coins : finType) (coin : Coins -> R) (learner : Coins -> seq (T * R) -> T -> R).
Hypotheses (coin_ge0 : forall c, 0 <= coin c) (coin1 : \sum_c coin c = 1).
Hypotheses (H0 : H (fun=> 0)) (Hf : H f) (fx1 : f x1 = 0) (fx0 : f x0 = C).
Hypotheses (eps_gt0 : 0 < eps) (small : 8%:R * eps < C ^+ 2).
Hypothesis learns : pac_learns H m eps delta coin learner.

Let q := 8%:R * eps / C ^+ 2.

Lemma C2_gt0 : 0 < C ^+ 2.
Proof. by apply: lt_trans small; rewrite mulr_gt0 ?ltr0n. Qed.

(* One of the two losses p/2 g^2 and p/2 (C - g)^2 is more than eps.          *)
Lemma one_target_missed (p v : R) : q < p ->
  eps < p * ((0 - v) ^+ 2 / 2%:R) \/ eps < p * ((C - v) ^+ 2 / 2%:R).
Proof.
move=> qp; have p_gt0 : 0 < p.
  by apply: lt_trans qp; rewrite divr_gt0 ?C2_gt0 // mulr_gt0 ?ltr0n.
have [|le0] := ltP eps (p * ((0 - v) ^+ 2 / 2%:R)); first by left.
have [|leC] := ltP eps (p * ((C - v) ^+ 2 / 2%:R)); first by right.
have two : p * (v ^+ 2 + (C - v) ^+ 2) <= 4%:R * eps.
  move: (lerD le0 leC); rewrite sub0r sqrrN -mulrDr -mulrDl mulrA ler_pdivrMr ?ltr0Sn //.
  by move/le_trans; apply; rewrite -mulr2n -[eps *+ 2]mulr_natl mulrAC -natrM.
have C2 : C ^+ 2 <= 2%:R * (v ^+ 2 + (C - v) ^+ 2).
  by have := sqr_add_le v (C - v); rewrite addrC subrK.
have : p * C ^+ 2 <= 8%:R * eps.
  apply: le_trans (ler_wpM2l (ltW p_gt0) C2) _; rewrite mulrCA.
  by rewrite -[8%:R]/((2 * 4)%N%:R) natrM -mulrA ler_wpM2l ?ler0n.
by move: qp; rewrite /q ltr_pdivrMr ?C2_gt0 // => /lt_le_trans H1 /H1; rewrite ltxx.
Qed.

(* The outcome true is x0, with probability p.                                *)
Let law (p : R) (o : bool) : R := if o then p else 1 - p.
Let X (o : bool) : T := if o then x0 else x1.

Lemma unseen (p : R) : q < p -> p <= 1 -> (1 - p) ^+ m <= 2%:R * delta.
Proof.
move=> qp p1; have p_ge0 : 0 <= p.
  by apply: le_trans (ltW qp); rewrite divr_ge0 ?ltW ?C2_gt0 // mulr_gt0 ?ltr0n.
have law_ge0 o : 0 <= law p o by case: o; rewrite /law ?subr_ge0.
have law1 : \sum_o law p o = 1 by rewrite big_bool /= addrC subrK.
pose S1 : {ffun 'I_m -> bool} := [ffun=> false].
have law_S1 : \prod_i law p (S1 i) = (1 - p) ^+ m.
  by under eq_bigr => i _ do rewrite ffunE; rewrite prodr_const card_ord.
have prod_ge0 (S : {ffun 'I_m -> bool}) : 0 <= \prod_i law p (S i) by apply: prodr_ge0.
have seen (h : T -> R) : h x1 = 0 ->
    [seq (X (S1 i), h (X (S1 i))) | i : 'I_m] = [seq (x1, 0) | i : 'I_m].
  by move=> hx1; apply: eq_map => i; rewrite ffunE /= hx1.
pose v c := learner c [seq (x1, 0) | i : 'I_m] x0.
pose missed h c := eps < p * ((h x0 - v c) ^+ 2 / 2%:R).
have failure h : H h -> h x1 = 0 -> \sum_c coin c * ((1 - p) ^+ m * (missed h c)%:R) <= delta.
  move=> Hh hx1; apply: le_trans (@learns _ _ X _ law_ge0 law1 Hh).
  apply: ler_sum => c _; rewrite ler_wpM2l //.
  case: (boolP (missed h c)) => [miss | _]; last by rewrite mulr0 sumr_ge0.
  rewrite mulr1 -law_S1 (bigD1 S1) /=; first by rewrite lerDl; apply: sumr_ge0.
  rewrite (seen h hx1) big_bool /= (lt_le_trans miss) // lerDl.
  by rewrite mulr_ge0 ?subr_ge0 // mulr_ge0 ?sqr_ge0 ?invr_ge0 ?ler0n.
have power_ge0 : 0 <= (1 - p) ^+ m by rewrite exprn_ge0 ?subr_ge0.
rewrite mulr_natl mulr2n; apply: le_trans (lerD (failure _ H0 (erefl _)) (failure _ Hf fx1)).
apply: (@le_trans _ _ (\sum_c coin c * (1 - p) ^+ m)); first by rewrite -mulr_suml coin1 mul1r.
rewrite -big_split; apply: ler_sum => c _ /=.
rewrite -mulrDr ler_wpM2l // -mulrDr ler_peMr // /missed fx0.
case: (one_target_missed (v c) qp) => ->; first by rewrite lerDl ler0n.
by rewrite lerDr ler0n.
Qed.

Theorem two_points : (1 - q) ^+ m <= 2%:R * delta.
Proof.
have q_lt1 : q < 1 by rewrite ltr_pdivrMr ?C2_gt0 // mul1r.
have q_ge0 : 0 <= q by rewrite divr_ge0 ?ltW ?C2_gt0 // mulr_gt0 ?ltr0n.
apply/ler_addgt0Pr => e e_gt0.
pose d := Num.min (1 - q) (e / m.+1%:R).
have d_gt0 : 0 < d.
  by rewrite /d; case: (leP (1 - q) (e / m.+1%:R)) => _; rewrite ?subr_gt0 ?divr_gt0 ?ltr0Sn.
have d_le : q + d <= 1 by rewrite -lerBrDl ge_min lexx.
have qd : q < q + d by rewrite ltrDl.
rewrite -lerBlDl; apply: le_trans (lerB (lexx _) (unseen qd d_le)) _.
apply: le_trans (expr_Lipschitz m _ _ _) _.
- by rewrite subr_ge0.
- by rewrite lerD2l lerN2 ltW.
- by rewrite lerBlDr lerDl.
rewrite opprB addrC addrA subrK addrAC subrr add0r; apply: (@le_trans _ _ (m%:R * (e / m.+1%:R))).
  by rewrite ler_wpM2l ?ler0n // ge_min lexx orbT.
by rewrite mulrA ler_pdivrMr ?ltr0Sn // mulrC ler_wpM2l ?ler_nat ?(ltW e_gt0).
Qed.

End TwoPoints.
