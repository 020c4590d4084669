(* The gradient of a network h at a corner x is w^(R_x), the weight vector of *)
(* the linear piece of x. Here: the change of h along an edge by gradients;   *)
(*   AS(h) <= 2 E sum_i max(0, x_i d_i h(x))^2 if u >= 0;                     *)
(* and the two terms of the bound in edges.v for sparse networks.             *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier network average_sensitivity identities.
From SparseNetworks Require Import sparse_networks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Gradient.

Variables (R : realFieldType) (I J : finType) (N : network R I J).
Implicit Types (x : cube I) (i : I) (j : J).

Definition gradient x i : R := piece_weight N (active N x) i.
Let v j i : R := outer N j * weight N j i.

Definition theta x i j : R :=
  let z := preactivation N j (coord R x) in
  let z' := preactivation N j (coord R (flip x i)) in
  (relu z - relu z') / (z - z').

Lemma theta_range x i j : 0 <= theta x i j <= 1.
Proof.
rewrite /theta; move: (preactivation _ _ _) (preactivation _ _ _) => z' z.
wlog le_z : z z' / z' <= z => [half|].
  have [/half//|/ltW/half] := leP z' z.
  by rewrite -(opprB z z') -(opprB (relu z)) invrN mulrNN.
have [->|neq] := eqVneq z z'; first by rewrite !subrr mul0r lexx ler01.
have gt : 0 < z - z' by rewrite subr_gt0 lt_neqAle eq_sym neq.
rewrite divr_ge0 ?subr_ge0 ?relu_le // ler_pdivrMr // mul1r.
by have := relu_Lipschitz z z'; rewrite !ger0_norm ?subr_ge0 ?relu_le.
Qed.

Lemma preactivation_flip x i j :
  preactivation N j (coord R x) - preactivation N j (coord R (flip x i))
  = weight N j i * (coord R x i + coord R x i).
Proof.
by rewrite (preactivation_change N j (@coord_flip_off R I x i)) coord_flip eqxx opprK.
Qed.

Lemma relu_theta x i j :
  relu (preactivation N j (coord R x)) - relu (preactivation N j (coord R (flip x i)))
  = theta x i j * (weight N j i * (coord R x i + coord R x i)).
Proof.
rewrite -preactivation_flip /theta.
move: (preactivation _ _ _) (preactivation _ _ _) => z' z.
by have [->|neq] := eqVneq z z'; [rewrite !subrr mulr0 | rewrite divfK // subr_eq0].
Qed.

Lemma unit_identity x i j :
  outer N j * (relu (preactivation N j (coord R x))
               - relu (preactivation N j (coord R (flip x i))))
  = coord R x i * ((if j \in active N x then v j i else 0)
                   + (if j \in active N (flip x i) then v j i else 0))
    + 2%:R * coord R x i
      * (if j \in changed N x i then (theta x i j - 2%:R^-1) * v j i else 0).
Proof.
have mixed : outer N j * (theta x i j * (weight N j i * (coord R x i + coord R x i)))
    = coord R x i * v j i + 2%:R * coord R x i * ((theta x i j - 2%:R^-1) * v j i).
  by rewrite mixed_term /v mulrCA mulrC !mulrA.
rewrite [j \in changed N x i]in_setU !in_setD.
case: (boolP (j \in active N x)) => ax; case: (boolP (j \in active N (flip x i))) => ay /=.
- have := preactivation_flip x i j; move: ax ay; rewrite !inE => /ltW/relu_pos-> /ltW/relu_pos-> ->.
  by rewrite mulr0 addr0 both_term.
- by rewrite addr0 relu_theta.
- by rewrite add0r relu_theta.
by rewrite !relu_neg ?inactive // subrr !addr0 !mulr0 addr0.
Qed.

Theorem gradient_identity x i :
  value N x - value N (flip x i)
  = coord R x i * (gradient x i + gradient (flip x i) i)
    + 2%:R * coord R x i * \sum_(j in changed N x i) (theta x i j - 2%:R^-1) * v j i.
Proof.
rewrite /value /value_at /value_with -sumrB.
under eq_bigr => j _ do rewrite -mulrBr unit_identity.
rewrite big_split -!mulr_sumr big_split /= /gradient /piece_weight.
by rewrite -!big_mkcond.
Qed.

Theorem gradient_identity_exists x i : exists theta : J -> R,
  (forall j, 0 <= theta j <= 1) /\
  value N x - value N (flip x i)
  = coord R x i * (gradient x i + gradient (flip x i) i)
    + 2%:R * coord R x i * \sum_(j in changed N x i) (theta j - 2%:R^-1) * (outer N j * weight N j i).
Proof. by exists (theta x i); split=> [j|]; [apply: theta_range | apply: gradient_identity]. Qed.

Lemma sqr_coord x i : coord R x i ^+ 2 = 1.
Proof. by rewrite expr2 coord_sqr. Qed.

Lemma changed_flip x i : changed N (flip x i) i = changed N x i.
Proof. by rewrite /changed flipK setUC. Qed.

(* ---- Nonnegative output weights ------------------------------------------ *)

Section Nonnegative.

Hypothesis u_ge0 : forall j, 0 <= outer N j.

(* h is convex: h(x) - h(x^(+i)) <= 2 x_i d_i h(x).                           *)
Lemma change_le_gradient x i :
  value N x - value N (flip x i) <= 2%:R * (coord R x i * gradient x i).
Proof.
rewrite {1}/value value_active /value /value_at /value_with.
rewrite [X in _ - X](bigID (mem (active N x))) /= opprD addrA -sumrB -[leRHS]addr0.
apply: lerD; last by rewrite oppr_le0 sumr_ge0 // => j _; rewrite mulr_ge0 ?relu_ge0.
rewrite /gradient /piece_weight !mulr_sumr; apply: ler_sum => j _; rewrite -mulrBr.
have -> : 2%:R * (coord R x i * (outer N j * weight N j i))
    = outer N j * (preactivation N j (coord R x) - preactivation N j (coord R (flip x i))).
  by rewrite preactivation_flip both_term mulrA mulr_natl mulrnAl -mulrnAr mulr2n.
by rewrite ler_wpM2l // lerB // le_max lexx.
Qed.

Theorem average_sensitivity_gradient_nonnegative :
  average_sensitivity (value N)
  <= 2%:R * mean (fun x => \sum_i Num.max 0 (coord R x i * gradient x i) ^+ 2).
Proof. exact: sensitivity_one_sided change_le_gradient. Qed.

End Nonnegative.

End Gradient.

(* ---- The two terms for sparse networks ----------------------------------- *)

Section Recover.

Variables (R : realFieldType) (I J : finType) (N : network R I J) (W B : R).
Hypothesis scaleN : scale_at_most W B N.

Local Notation size x := (#|active N x|%:R : R).

Let a i x : R := \sum_(j in active N x) `|outer N j * weight N j i|.

Lemma sqr_effects_active x : \sum_i a i x ^+ 2 <= W ^+ 2 * size x ^+ 2.
Proof. by rewrite mulrC; apply: (sqr_effects_card (fun j => scale_le j scaleN) (leqnn _)). Qed.

Lemma sqnorm_gradient x : sqnorm (gradient N x) <= W ^+ 2 * size x ^+ 2.
Proof.
apply: le_trans _ (sqr_effects_active x); apply: ler_sum => i _.
by apply: ler_norm_sqr; apply: ler_norm_sum.
Qed.

(* E |grad h|^2 <= W^2 E |R_x|^2.                                             *)
Lemma mean_gradient : mean (fun x => sqnorm (gradient N x)) <= W ^+ 2 * mean (fun x => size x ^+ 2).
Proof. by rewrite -meanZ; apply/mean_le/sqnorm_gradient. Qed.

(* A changed neuron is active at one of the two ends.                         *)
Lemma mean_changed :
  mean (fun x => \sum_i (\sum_(j in changed N x i) `|outer N j * weight N j i|) ^+ 2)
  <= 4%:R * (W ^+ 2 * mean (fun x => size x ^+ 2)).
Proof.
have -> : 4%:R = 2%:R * 2%:R :> R by rewrite -natrM.
apply: (@le_trans _ _ (2%:R * mean (fun x => \sum_i 2%:R * a i x ^+ 2))).
  apply: mean_flips_le => x i; rewrite -mulrDr; apply: le_trans _ (sqr_add_le _ _).
  have v_ge0 j l : 0 <= `|outer N j * weight N j l| by apply: normr_ge0.
  apply: ler_norm_sqr; rewrite ger0_norm ?sumr_ge0 //.
  apply: le_trans _ (effect_setU v_ge0 _ _ i); apply: (effect_subset v_ge0).
  by rewrite setUSS ?subsetDl.
rewrite -mulrA ler_wpM2l ?ler0n //; under eq_mean => x do rewrite -mulr_sumr.
by rewrite meanZ ler_wpM2l ?ler0n // -meanZ; apply/mean_le/sqr_effects_active.
Qed.

End Recover.
