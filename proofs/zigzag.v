(* The parity of the bits in S is a zigzag function of the number of its plus *)
(* signs r: relu(r) - 2 relu(r-1) + 2 relu(r-2) - ... is 0, 1, 0, 1, ... So   *)
(* dense networks of |S| neurons compute parities on the cube itself.         *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network parity wider.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Zigzag.

Variable R : realFieldType.
Implicit Types (r a m : nat).

Definition slope a : R := if a == 0%N then 1 else 2%:R * (-1) ^+ a.
Definition zigzag m r : R := \sum_(a < m) slope a * (r - a)%N%:R.

Lemma sum_slopes r : \sum_(a < r.+1) slope a = (-1) ^+ r.
Proof.
elim: r => [|r IH]; first by rewrite big_ord_recl big_ord0 addr0.
by rewrite big_ord_recr IH /= /slope exprS mulN1r mulrN mulr_natl mulr2n opprD addrA subrr sub0r.
Qed.

Lemma zigzag_all r : zigzag r r = (odd r)%:R.
Proof.
elim: r => [|r IH]; first by rewrite /zigzag big_ord0.
have -> : zigzag r.+1 r.+1 = zigzag r r + \sum_(a < r.+1) slope a.
  rewrite /zigzag !big_ord_recr /= subSnn mulr1 [in RHS]addrA; congr (_ + _).
  rewrite -big_split; apply: eq_bigr => a _ /=.
  by rewrite subSn 1?ltnW // -addn1 natrD mulrDr mulr1.
rewrite IH sum_slopes -signr_odd /=; case: (odd r) => /=; first by rewrite expr1 subrr.
by rewrite add0r.
Qed.

Lemma zigzagE m r : (r <= m)%N -> zigzag m r = (odd r)%:R.
Proof.
move=> rm; rewrite -zigzag_all /zigzag (big_ord_widen _ (fun a => slope a * (r - a)%N%:R) rm).
rewrite [RHS]big_mkcond; apply: eq_bigr => a _; case: ltnP => // ra.
by rewrite (eqP ra) mulr0.
Qed.

Lemma relu_nat (r a : nat) : relu (r%:R - a%:R : R) = (r - a)%N%:R.
Proof.
have [ra | /ltnW ar] := leqP r a; first by rewrite (eqP ra) relu_neg // subr_le0 ler_nat.
by rewrite natrB // relu_pos // subr_ge0 ler_nat.
Qed.

(* 1, 0, 1, 0, ... from a neuron that is active at r = 0 only, and a zigzag.  *)
Lemma zigzag_left m r : (r <= m)%N -> (0 < m)%N ->
  \sum_(a < m) (if a == 0%N :> nat then (1 - r)%N%:R else slope a.-1 * (r - a)%N%:R)
  = (~~ odd r)%:R.
Proof.
case: m => // m rm _; rewrite big_ord_recl /=.
have -> : \sum_(a < m) slope (bump 0 a).-1 * (r - bump 0 a)%N%:R = zigzag m r.-1.
  by apply: eq_bigr => a _; rewrite /bump /= add1n -subn1 -subnDA add1n.
rewrite zigzagE; last by case: r rm.
case: r {rm} => [|r] /=; first by rewrite addr0.
by rewrite subSS sub0n add0r negbK.
Qed.

End Zigzag.

Section Parity.

Variables (R : realFieldType) (I : finType) (S : {set I}).
Implicit Types (x : cube I) (a : nat).

Let m := #|S|.
Let q x := minus_signs S x.
Let plus x := (m - q x)%N.
Let ones (e : R) (i : I) : R := if i \in S then e else 0.

Lemma form_ones e x : \sum_i ones e i * coord R x i = e * (m%:R - 2%:R * (q x)%:R).
Proof.
rewrite -sum_signs mulr_sumr [RHS]big_mkcond; apply: eq_bigr => i _.
by rewrite /ones; case: ifP; rewrite ?mul0r.
Qed.

Lemma qm x : (q x <= m)%N.
Proof. exact: minus_le. Qed.

Lemma form_plus x : m%:R - 2%:R * (q x)%:R = 2%:R * (plus x)%:R - m%:R :> R.
Proof.
have -> : m%:R = (plus x)%:R + (q x)%:R :> R by rewrite -natrD subnK ?qm.
by rewrite !mulr_natl !mulr2n !opprD !addrA !addrK.
Qed.

(* 1/2 relu(t + m - 2 a) = relu(r - a) and 1/2 relu(- t - m + 2 a) = relu(a - r). *)
Lemma reluZ (c z : R) : 0 <= c -> relu (c * z) = c * relu z.
Proof.
move=> c0; have [z0 | /ltW z0] := leP 0 z; first by rewrite !relu_pos // mulr_ge0.
by rewrite !relu_neg ?mulr0 // mulr_ge0_le0.
Qed.

(* relu(t + m - 2 a) = 2 relu(r - a) and relu(- t - m + 2 a) = 2 relu(a - r). *)
Lemma rising x a :
  relu (\sum_i ones 1 i * coord R x i - (2%:R * a%:R - m%:R)) = 2%:R * (plus x - a)%N%:R.
Proof.
rewrite form_ones mul1r form_plus opprB addrA subrK -mulrBr reluZ ?ler0n //.
by rewrite relu_nat.
Qed.

Lemma falling x a :
  relu (\sum_i ones (-1) i * coord R x i - (m%:R - 2%:R * a%:R)) = 2%:R * (a - plus x)%N%:R.
Proof.
rewrite form_ones mulN1r form_plus !opprB addrC addrA subrK -mulrBr reluZ ?ler0n //.
by rewrite relu_nat.
Qed.

(* Values 0 and 1. If m is odd, the zigzag of r; if it is even, relu(1 - r)    *)
(* and the zigzag of r - 1.                                                   *)
Let left a := ~~ odd m && (a == 0)%N.

Definition dense : network R I 'I_m := Network
  (fun a : 'I_m => (if odd m then slope R a else if a == 0%N :> nat then 1 else slope R a.-1) / 2%:R)
  (fun a : 'I_m => ones (if left a then -1 else 1))
  (fun a : 'I_m => if left a then m%:R - 2%:R * 1%:R else 2%:R * a%:R - m%:R).

Lemma value_dense x : (0 < m)%N -> value dense x = (~~ odd (q x))%:R.
Proof.
move=> m_gt0; have plusE : odd (plus x) = odd m (+) odd (q x) by rewrite oddB ?qm.
have plus_le : (plus x <= m)%N := leq_subr _ _.
rewrite /value /value_at /value_with /preactivation /=.
move: plusE; rewrite /left; case: (odd m) => /= plusE.
  rewrite -plusE -(zigzagE R plus_le); apply: eq_bigr => a _.
  by rewrite rising mulrA divfK ?pnatr_eq0.
rewrite -plusE -(zigzag_left R plus_le m_gt0); apply: eq_bigr => a _.
by case: eqP => _; rewrite ?falling ?rising mulrA divfK ?pnatr_eq0 ?mul1r.
Qed.

(* Values - 1 and 1: a constant and the zigzag of r.                          *)
Definition dense_sign : network R I 'I_m.+1 := Network
  (fun a : 'I_m.+1 => (-1) ^+ m * oapp (fun b : 'I_m => - slope R b) 1 (unlift ord0 a))
  (fun a : 'I_m.+1 => ones (oapp (fun=> 1) 0 (unlift ord0 a)))
  (fun a : 'I_m.+1 => oapp (fun b : 'I_m => 2%:R * b%:R - m%:R) (-1) (unlift ord0 a)).

Lemma value_dense_sign x : value dense_sign x = character R S x.
Proof.
have plus_le : (plus x <= m)%N := leq_subr _ _.
rewrite /value /value_at /value_with /preactivation /= big_ord_recl unlift_none /=.
rewrite form_ones mul0r sub0r opprK relu_pos ?ler01 // !mulr1.
under eq_bigr => a _ do rewrite liftK /= rising mulrN mulNr -mulrA [slope R a * _]mulrCA.
rewrite sumrN -!mulr_sumr.
have -> : \sum_(a < m) slope R a * (plus x - a)%N%:R = (odd (plus x))%:R := zigzagE R plus_le.
rewrite -[X in X - _]mulr1 -mulrBr character_minus -/(q x).
have -> : 1 - 2%:R * (odd (plus x))%:R = (-1) ^+ plus x :> R.
  rewrite -[RHS]signr_odd; case: (odd (plus x)); last by rewrite mulr0 subr0.
  by rewrite mulr1 opprD addNKr.
by rewrite -exprD -signr_odd oddD oddB ?qm // addKb signr_odd.
Qed.

End Parity.

(* Fewer bits than neurons: the others are silent.                            *)
Theorem dense_parity (R : realFieldType) (n : nat) (S : {set 'I_n}) :
  [/\ (1 <= #|S|)%N -> exists N : network R 'I_n 'I_#|S|,
        (forall x, value N x = (~~ odd (minus_signs S x))%:R)
        /\ forall j, (forall i, weight N j i = (i \in S)%:R) \/ (forall i, weight N j i = - (i \in S)%:R),
      exists N : network R 'I_n 'I_#|S|.+1, forall x, value N x = character R S x
    & forall s, (1 <= #|S| <= s)%N -> exists N : network R 'I_n 'I_s,
        forall x, value N x = (~~ odd (minus_signs S x))%:R].
Proof.
split=> [S_gt0 || s /andP[S_gt0 S_le]].
- exists (dense R S); split=> [x | j]; first exact: value_dense.
  rewrite /=; case: ifP => _; [right | left] => i; case: (i \in S); rewrite ?oppr0 //.
- by exists (dense_sign R S) => x; apply: value_dense_sign.
have Js : (#|'I_#|S| | <= s)%N by rewrite card_ord.
by exists (wider s (dense R S)) => x; rewrite /value value_wider //; apply: value_dense.
Qed.
