(* The parities on the lift, with 2 m neurons: largest coefficient 4 m, and   *)
(* the Euclidean scale 2 sqrt(4 m^3 + m^2 - m), which S = [m] has.            *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network wider parity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Tents.

Variables (R : realFieldType) (m : nat) (S : {set 'I_m}).
Hypothesis m_gt0 : (1 <= m)%N.

Let L := (#|S|./2).+1.
Let a (l : 'I_L) : R := #|S|%:R - 4%:R * l%:R.

Definition tents : network R ('I_m * 'I_m) 'I_L := Network (fun=> 2%:R)
  (fun l => parity_weight S 1 (a l)) (fun l => 1 * (#|S|%:R + a l ^+ 2) - 2%:R^-1).

Let half_gt0 : 0 < 2%:R^-1 :> R. Proof. by rewrite invr_gt0 ltr0n. Qed.
Let half_le : 2%:R^-1 <= 4%:R * 1 :> R.
Proof. by rewrite mulr1 (le_trans (_ : _ <= 1)) ?ler1n // invf_le1 ?ltr0n ?ler1n. Qed.

Lemma value_tents y : value tents (lifted y) = (~~ odd (minus_signs S y))%:R.
Proof.
rewrite -(parity_bit S y half_gt0 half_le (divff _)) ?pnatr_eq0 //.
by apply: eq_bigr => l _; rewrite /preactivation lifted_tent.
Qed.

Lemma active_tents y : (#|active_at tents (coord R (lifted y))| <= 1)%N.
Proof.
apply: leq_trans (parity_bit_active S y half_gt0 half_le).
by apply: eq_leq; apply: eq_card => l; rewrite !inE /preactivation lifted_tent.
Qed.

Lemma card_tents : (#|'I_L| <= 2 * m)%N.
Proof.
have Sm : (#|S| <= m)%N by rewrite -[leqRHS]card_ord max_card.
rewrite card_ord /L mul2n -addnn -add1n leq_add // (leq_trans _ Sm) //.
by rewrite -{2}[#|S|]odd_double_half -addnn addnCA leq_addr.
Qed.

Lemma sqnorm_tents l : sqnorm (weight tents l) <= 4%:R * m%:R ^+ 3 + m%:R ^+ 2 - m%:R.
Proof.
by apply: le_trans (sqnorm_parity_weight_le _ _ (centre_le R l)) _; rewrite expr1n mul1r addrA.
Qed.

Lemma bias_tents l : `|bias tents l| <= m%:R ^+ 2 + m%:R.
Proof. by rewrite /= mul1r; have [] := parity_norms S m_gt0 (centre_le R l). Qed.

Lemma weight_tents l ij : `|weight tents l ij| <= 2%:R * m%:R.
Proof.
have one_le : 1 <= 2%:R * m%:R :> R by rewrite -natrM ler1n muln_gt0.
rewrite /= /parity_weight; case: ifP => _; last by rewrite normr0 mulr_ge0 ?ler0n.
case: ifP => _; last by rewrite normrN normr1.
by rewrite mulr1 normrM normr_nat ler_wpM2l ?ler0n ?centre_le.
Qed.

Lemma scale_weight j l : outer tents j ^+ 2 * sqnorm (weight tents l)
  <= 4%:R * (4%:R * m%:R ^+ 3 + m%:R ^+ 2 - m%:R).
Proof. by rewrite [X in X ^+ 2]/= -four ler_wpM2l ?ler0n ?sqnorm_tents. Qed.

Lemma scale_bias j l : `|outer tents j| * `|bias tents l| <= 2%:R * (m%:R ^+ 2 + m%:R).
Proof. by rewrite [X in `|X| * _]/= normr_nat ler_wpM2l ?ler0n ?bias_tents. Qed.

Lemma scale_coefficient j l ij : `|outer tents j| * `|weight tents l ij| <= 4%:R * m%:R.
Proof.
by rewrite [X in `|X| * _]/= normr_nat four expr2 -mulrA ler_wpM2l ?ler0n ?weight_tents.
Qed.

End Tents.

Theorem parity_in_class (R : rcfType) (m : nat) (S : {set 'I_m}) : (1 <= m)%N ->
  let W2 : R := 4%:R * (4%:R * m%:R ^+ 3 + m%:R ^+ 2 - m%:R) in
  exists N : network R ('I_m * 'I_m) 'I_(2 * m),
  [/\ forall y : cube 'I_m, value N (lifted y) = (~~ odd (minus_signs S y))%:R,
      sparse_on (fun y : cube 'I_m => coord R (lifted y)) 1 N,
      scale_at_most (Num.sqrt W2) (2%:R * (m%:R ^+ 2 + m%:R)) N,
      forall j l ij, `|outer N j| * `|weight N l ij| <= 4%:R * m%:R
    & S = setT -> exists j, outer N j ^+ 2 * sqnorm (weight N j) = W2].
Proof.
move=> m_gt0 W2; have Js := card_tents S m_gt0; exists (wider (2 * m) (tents R S)).
have B_ge0 : 0 <= m%:R ^+ 2 + m%:R :> R by rewrite addr_ge0 ?sqr_ge0 ?ler0n.
have W_ge0 : 0 <= 4%:R * m%:R ^+ 3 + m%:R ^+ 2 - m%:R :> R.
  by have := sqnorm_tents R (ord0 : 'I_(#|S|./2).+1); apply: le_trans; apply: sumr_ge0 => ij _; apply: sqr_ge0.
split.
- by move=> y; rewrite /value value_wider //; apply: value_tents.
- by move=> y; rewrite card_active_wider //; apply: active_tents.
- apply: scale_wider; first by rewrite mulr_ge0 ?ler0n.
  split=> [|j l|j l]; [exact: sqrtr_ge0 | | exact: scale_bias].
  by rewrite sqr_sqrtr ?scale_weight // mulr_ge0 ?ler0n.
- move=> j l ij /=; have M_ge0 : 0 <= 4%:R * m%:R :> R by rewrite mulr_ge0 ?ler0n.
  case: (neuron _ j) => [j'|] /=; last by rewrite normr0 mul0r.
  case: (neuron _ l) => [l'|] /=; last by rewrite normr0 mulr0.
  exact: (scale_coefficient R m_gt0 j').
move=> ST; pose l0 : 'I_(#|S|./2).+1 := ord0.
exists (widen_ord Js (enum_rank l0)); rewrite /sqnorm /= /neuron /= valK /= enum_rankK /=.
have := sqnorm_parity_weight S 1 (#|S|%:R - 4%:R * l0%:R : R); rewrite /sqnorm => ->.
rewrite mulr0 subr0 ST cardsT card_ord -four expr1n mul1r /W2 !addrA -mulrA.
by rewrite -exprSr.
Qed.
