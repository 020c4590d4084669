(* Polynomial identities, decided by Coq's ring tactic.                       *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From Coq Require Import Ring.
From SparseNetworks Require Import compat.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Identities.

Variable R : realFieldType.

Let T : Type := R.
Let add (a b : T) : T := a + b.
Let mul (a b : T) : T := a * b.
Let sub (a b : T) : T := a - b.
Let opp (a : T) : T := - a.
Let zero : T := 0.
Let one : T := 1.

Let Rring : ring_theory zero one add mul sub opp eq.
Proof.
by split=> //; [exact: add0r | exact: addrC | exact: addrA | exact: mul1r | exact: mulrC
  | exact: mulrA | exact: mulrDl | exact: subrr].
Qed.
Add Ring Rring : Rring.

Ltac by_ring := rewrite ?exprMn ?expr2 ?mulr2n ?(mulr2n (1 : R));
  repeat match goal with
  | |- context [@GRing.add ?V ?a ?b] => change (@GRing.add V a b) with (add a b)
  | |- context [@GRing.mul ?V ?a ?b] => change (@GRing.mul V a b) with (mul a b)
  | |- context [@GRing.opp ?V ?a] => change (@GRing.opp V a) with (opp a)
  | |- context [@GRing.one ?V] => change (@GRing.one V) with one
  | |- context [@GRing.zero ?V] => change (@GRing.zero V) with zero
  end;
  match goal with |- @eq _ ?a ?b =>
    let H := fresh in enough (H : @eq T a b) by exact H; ring end.

Implicit Types a b c t h w y z u : R.

Lemma halfP : 2%:R * 2%:R^-1 = 1 :> R.
Proof. by rewrite divff ?pnatr_eq0. Qed.

Lemma halves : 2%:R^-1 + 2%:R^-1 = 1 :> R.
Proof. by rewrite -[X in X + _]mul1r -[X in _ + X]mul1r -mulrDl halfP. Qed.

Lemma mixed_term c w t :
  c * w + 2%:R * c * ((t - 2%:R^-1) * w) = w * (c + c) * t.
Proof.
move: (2%:R^-1) halfP => h hP.
have -> : c * w + 2%:R * c * ((t - h) * w) = c * w * (1 - 2%:R * h) + w * (c + c) * t by by_ring.
by rewrite hP subrr mulr0 add0r.
Qed.

(* Exchanged coordinates.                                                     *)
Lemma alternating_term a b c t y z : a * b * y * (t * c * z) = t * c * (a * (b * (y * z))).
Proof. by_ring. Qed.

Lemma four_corners a b y z :
  (a + b - y - z) ^+ 2
  = (a * a + b * b + (y * y + z * z)) + 2%:R * (a * b + y * z) - 2%:R * ((a * y + a * z) + (b * y + b * z)).
Proof. by_ring. Qed.

Lemma product_corners a b y z : (a - y) * (z - b) = (a * z + y * b) - (a * b + y * z).
Proof. by_ring. Qed.

Lemma four_kept a b y z :
  (a + a + (a + a)) + 2%:R * (b + b) - 2%:R * ((y + z) + (z + y)) = 4%:R * (a + b - z - y).
Proof. by rewrite (natrD _ 2 2) -[2%:R]/(1 + 1); by_ring. Qed.

Lemma both_term c u w : u * (w * (c + c)) = c * (u * w + u * w).
Proof. by_ring. Qed.

Lemma weighted_square t h a b : t * h = 1 ->
  t * ((1 + t) * a ^+ 2 + (1 + h) * b ^+ 2 - (a + b) ^+ 2) = (t * a - b) ^+ 2.
Proof.
move=> th.
have -> : t * ((1 + t) * a ^+ 2 + (1 + h) * b ^+ 2 - (a + b) ^+ 2)
          = t * (1 + t) * a ^+ 2 + (t + t * h) * b ^+ 2 - t * (a + b) ^+ 2 by by_ring.
by rewrite th; by_ring.
Qed.

(* (a + b)^2 <= (1 + t) a^2 + (1 + 1/t) b^2.                                  *)
Lemma sqr_add_weighted t a b : 0 < t ->
  (a + b) ^+ 2 <= (1 + t) * a ^+ 2 + (1 + t^-1) * b ^+ 2.
Proof.
move=> t0; rewrite -subr_ge0 -(pmulr_rge0 _ t0) weighted_square ?sqr_ge0 //.
by rewrite divff ?gt_eqF.
Qed.

Lemma split_change c y z w : c * (y + z) + 2%:R * c * w = 2%:R * (c * (2%:R^-1 * (y + z) + w)).
Proof.
move: (2%:R^-1) halfP => h hP.
have -> : 2%:R * (c * (h * (y + z) + w)) = (2%:R * h) * (c * (y + z)) + 2%:R * c * w by by_ring.
by rewrite hP mul1r.
Qed.

(* An affine function c + w x between a and b.                                *)
Lemma affine_between c w a b y :
  (b - a) * (c + w * y) = (b - y) * (c + w * a) + (y - a) * (c + w * b).
Proof. by_ring. Qed.

Lemma rounding_product c w y z : 2%:R * (c * w) * (w * (y * z)) = w * w * (2%:R * z * (c * y)).
Proof. by_ring. Qed.

Lemma three_squares y z u : (y - z - u) ^+ 2 = (y - z) ^+ 2 + u ^+ 2 - 2%:R * ((y - z) * u).
Proof. by_ring. Qed.

Lemma complete_square a y : a ^+ 2 - 2%:R * (a * y) = (a - y) ^+ 2 - y ^+ 2.
Proof. by_ring. Qed.

Lemma expand_loss y z : (y - z) ^+ 2 = y ^+ 2 + (z ^+ 2 - 2%:R * (y * z)).
Proof. by_ring. Qed.

Lemma minus_twice a : a - 2%:R * a = - a.
Proof. by_ring. Qed.

Lemma four_times a : (1 + 1) * (a + a) = 4%:R * a.
Proof. by rewrite (natrM R 2 2); by_ring. Qed.

Lemma root_identity y z t :
  y ^+ 2 + (z + t) * y + (z ^+ 2 + (y + t) * z) = (y + z) ^+ 2 + t * (y + z).
Proof. by_ring. Qed.

Lemma product_change a b y z : a * y - b * z = (a - b) * y + b * (y - z).
Proof. by_ring. Qed.

Lemma tent_identity q a h w y :
  q * (w * a *+ 2) - q * (w ^+ 2 - y) - (q * (y + a ^+ 2) - h) = h - q * (w - a) ^+ 2.
Proof. by_ring. Qed.

Lemma square_of_sum y z : (y + z) ^+ 2 = y ^+ 2 + 2%:R * (y * z) + z ^+ 2.
Proof. by_ring. Qed.

Lemma two_regimes (n S D e e' : R) :
  2%:R^-1 * (n * e) + 2%:R^-1 * (n * e') + S * 2%:R^-1 * (D - e) + S * 2%:R^-1 * (D - e')
  = D * S + 2%:R^-1 * (e + e') * (n - S).
Proof.
move: (2%:R^-1) halfP => h hP.
have -> : h * (n * e) + h * (n * e') + S * h * (D - e) + S * h * (D - e')
          = D * S * (2%:R * h) + h * (e + e') * (n - S) by by_ring.
by rewrite hP mulr1.
Qed.

End Identities.

(* A bound with every weight t > 0 is a bound with square roots.              *)
Lemma weighted_sqrt (R : rcfType) (A a b : R) : 0 <= a -> 0 <= b ->
  (forall t, 0 < t -> A <= (1 + t) * a + (1 + t^-1) * b) ->
  A <= (Num.sqrt a + Num.sqrt b) ^+ 2.
Proof.
move=> a0 b0 A_le; set x := Num.sqrt a; set y := Num.sqrt b.
have x0 : 0 <= x := sqrtr_ge0 _; have y0 : 0 <= y := sqrtr_ge0 _.
have ax : a = x ^+ 2 by rewrite sqr_sqrtr.
have yb : b = y ^+ 2 by rewrite sqr_sqrtr.
apply/ler_addgt0Pr => e0 e0_gt; pose e := e0 / (x + y + 1).
have K0 : 0 < x + y + 1 by rewrite ltr_wpDl ?addr_ge0 ?ltr01.
have e_gt : 0 < e by rewrite divr_gt0.
have xe : 0 < x + e by rewrite ltr_wpDl.
have ye : 0 < y + e by rewrite ltr_wpDl.
apply: le_trans (A_le ((y + e) / (x + e)) _) _; first by rewrite divr_gt0.
rewrite invf_div ax yb [(1 + _) * x ^+ 2]mulrDl [(1 + _) * y ^+ 2]mulrDl !mul1r.
have side u w : 0 <= u -> 0 <= w -> 0 < u + e -> (w + e) / (u + e) * u ^+ 2 <= (w + e) * u.
  move=> u0 w0 ue; rewrite -mulrA ler_wpM2l ?addr_ge0 ?(ltW e_gt) //.
  by rewrite mulrC ler_pdivrMr // expr2 ler_wpM2l // lerDl ltW.
apply: (@le_trans _ _ ((x ^+ 2 + (y + e) * x) + (y ^+ 2 + (x + e) * y))).
  by rewrite !lerD ?side.
have -> : x ^+ 2 + (y + e) * x + (y ^+ 2 + (x + e) * y) = (x + y) ^+ 2 + e * (x + y).
  exact: root_identity.
rewrite lerD2l /e mulrAC ler_pdivrMr // ler_wpM2l ?(ltW e0_gt) //.
by rewrite lerDl ler01.
Qed.
