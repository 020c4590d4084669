(* Tents h - q (t - a)^2, 0 < h <= q e^2, when t and all centres a lie on a   *)
(* grid of step e: only a tent centred at t is positive. On the lift of y     *)
(* they are linear, when t is a linear form of y.                             *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat identities definitions cube network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- Tents on a grid ----------------------------------------------------- *)

Section Grid.

Variables (R : realFieldType) (J : finType) (q h e c0 : R) (num : nat) (wake : J -> nat).
Hypotheses (h_gt0 : 0 < h) (h_le : h <= q * e ^+ 2).

Definition tent j := h - q * ((c0 + e * num%:R) - (c0 + e * (wake j)%:R)) ^+ 2.

Lemma sqr_distance_nat (a b : nat) : a != b -> 1 <= (a%:R - b%:R) ^+ 2 :> R.
Proof.
wlog ab : a b / (b <= a)%N => [sym|].
  by case/orP: (leq_total b a) => /sym // ba; rewrite eq_sym -sqrrN opprB; apply: ba.
by move=> neq; rewrite -natrB // -natrX ler1n expn_gt0 subn_gt0 ltn_neqAle eq_sym neq ab.
Qed.

Lemma tent_at j : wake j == num -> tent j = h.
Proof. by move/eqP=> wj; rewrite /tent wj subrr expr0n mulr0 subr0. Qed.

Lemma tent_off j : wake j != num -> tent j <= 0.
Proof.
move=> neq; rewrite /tent opprD addrACA subrr add0r -mulrBr subr_le0 (le_trans h_le) //.
rewrite exprMn [leRHS]mulrA ler_peMr ?sqr_distance_nat 1?eq_sym //.
exact: ltW (lt_le_trans h_gt0 h_le).
Qed.

Lemma tent_gt0 j : (0 < tent j) = (wake j == num).
Proof.
by have [/tent_at-> //|/tent_off] := boolP (wake j == num); rewrite leNgt => /negPf.
Qed.

Lemma sum_tents (u : J -> R) :
  \sum_j u j * relu (tent j) = (\sum_(j | wake j == num) u j) * h.
Proof.
rewrite mulr_suml [RHS]big_mkcond; apply: eq_bigr => j _.
by case: ifPn => [/tent_at-> | /tent_off/relu_neg->]; rewrite ?mulr0 // relu_pos ?ltW.
Qed.

End Grid.

(* ---- Tents over a linear form are linear on the lift --------------------- *)

Section Lift.

Variables (R : realFieldType) (K : finType) (v : K -> R) (q a h : R).
Implicit Types (y : cube K) (i l : K).

Definition form y := \sum_i v i * coord R y i.

(* w_ii = 2 q a v_i, w_il = - q v_i v_l for i != l, b = q (|v|^2 + a^2) - h.   *)
Definition lifted_weight (il : K * K) : R :=
  if il.1 == il.2 then 2%:R * q * a * v il.1 else - (q * v il.1 * v il.2).
Definition lifted_bias : R := q * (sqnorm v + a ^+ 2) - h.

Lemma coord_lift y i l :
  coord R (lifted y) (i, l) = if i == l then coord R y i else coord R y i * coord R y l.
Proof. by rewrite /coord ffunE /=; case: eqP => // _; rewrite signr_addb. Qed.

Lemma sqr_form y : form y ^+ 2
  = sqnorm v + \sum_i \sum_(l | l != i) v i * v l * (coord R y i * coord R y l).
Proof.
rewrite expr2 big_distrlr /= -big_split; apply: eq_bigr => i _ /=.
rewrite (bigD1 i) //= mulrACA coord_sqr mulr1; congr (_ + _).
by apply: eq_bigr => l _; rewrite mulrACA.
Qed.

Theorem linearisation y :
  \sum_il lifted_weight il * coord R (lifted y) il - lifted_bias = h - q * (form y - a) ^+ 2.
Proof.
have -> : \sum_il lifted_weight il * coord R (lifted y) il
          = q * (form y * a *+ 2) - q * (form y ^+ 2 - sqnorm v).
  transitivity (\sum_i \sum_l lifted_weight (i, l) * coord R (lifted y) (i, l)).
    by rewrite pair_bigA; apply: eq_bigr => -[].
  rewrite sqr_form [sqnorm v + _]addrC addrK.
  have -> : q * (form y * a *+ 2) = \sum_i 2%:R * q * a * v i * coord R y i.
    rewrite /form mulr_suml -sumrMnl mulr_sumr; apply: eq_bigr => i _.
    by rewrite -[_ *+ 2]mulr_natl mulrCA -!mulrA [a * (v i * _)]mulrC -!mulrA.
  rewrite mulr_sumr -sumrB; apply: eq_bigr => i _.
  rewrite (bigD1 i) //= /lifted_weight coord_lift /= eqxx; congr (_ + _).
  rewrite mulr_sumr -sumrN; apply: eq_bigr => l /negPf li.
  by rewrite coord_lift /= eq_sym li mulNr -!mulrA.
exact: tent_identity.
Qed.

(* |w|^2 = q^2 (4 a^2 |v|^2 + sum_(i != l) v_i^2 v_l^2).                      *)
Lemma sqnorm_lifted : sqnorm lifted_weight
  = q ^+ 2 * (4%:R * a ^+ 2 * sqnorm v + (sqnorm v ^+ 2 - \sum_i v i ^+ 4)).
Proof.
have -> : sqnorm v ^+ 2 - \sum_i v i ^+ 4 = \sum_i \sum_(l | l != i) v i ^+ 2 * v l ^+ 2.
  rewrite expr2 big_distrlr -sumrB; apply: eq_bigr => i _ /=.
  by rewrite (bigD1 i) //= -exprD addrC addKr.
transitivity (\sum_i \sum_l lifted_weight (i, l) ^+ 2).
  by rewrite pair_bigA; apply: eq_bigr => -[].
rewrite mulr_sumr -big_split mulr_sumr; apply: eq_bigr => i _ /=.
rewrite (bigD1 i) //= /lifted_weight /= eqxx mulrDr mulr_sumr; congr (_ + _).
  by rewrite !exprMn -four; move: (q ^+ 2) (a ^+ 2) (v i ^+ 2) => x y z; rewrite -!mulrA mulrCA.
apply: eq_bigr => l /negPf li; rewrite eq_sym li sqrrN exprMn exprMn.
by rewrite -mulrA.
Qed.

End Lift.
