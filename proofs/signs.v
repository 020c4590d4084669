(* Sums with random signs: h_u = sum_j u_j f_j, u uniform on the cube. The    *)
(* mean over u of a square of a linear function of h_u is the sum of the      *)
(* squares, since E u_j u_l = 0 for j != l.                                   *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma mean_exchange (R : realFieldType) (I J : finType) (F : cube I -> cube J -> R) :
  mean (fun u => mean (F u)) = mean (fun x => mean (fun u => F u x)).
Proof. by rewrite /mean -!mulr_suml exchange_big mulrAC. Qed.

Section Signs.

Variables (R : realFieldType) (n s : nat) (f : 'I_s -> cube 'I_n -> R).
Implicit Types (u : cube 'I_s) (x y : cube 'I_n).

Let h u x : R := \sum_j coord R u j * f j x.

Lemma mean_square_signs (a : 'I_s -> R) :
  mean (fun u => (\sum_j coord R u j * a j) ^+ 2) = \sum_j a j ^+ 2.
Proof.
under eq_mean => u do rewrite expr2 big_distrlr.
rewrite mean_sum; apply: eq_bigr => j _; rewrite mean_sum (bigD1 j) //= big1 => [|l lj].
  rewrite addr0; transitivity (mean (fun _ : cube 'I_s => a j ^+ 2)); last exact: mean_const.
  by apply: eq_mean => u; rewrite mulrACA coord_sqr mul1r expr2.
by apply: (@mean_odd _ _ _ j) => u; rewrite !coord_flip eqxx (negPf lj) !mulNr.
Qed.

Lemma difference u x y : h u x - h u y = \sum_j coord R u j * (f j x - f j y).
Proof. by rewrite -sumrB; apply: eq_bigr => j _; rewrite mulrBr. Qed.

Lemma mean_signs u (g : cube 'I_n -> R) :
  mean (fun x => h u x * g x) = \sum_j coord R u j * mean (fun x => f j x * g x).
Proof.
under eq_mean => x do rewrite mulr_suml.
by rewrite mean_sum; apply: eq_bigr => j _; rewrite -meanZ; apply: eq_mean => x; rewrite mulrA.
Qed.

Theorem average_sensitivity_signs :
  mean (fun u => average_sensitivity (h u)) = \sum_j average_sensitivity (f j).
Proof.
rewrite -mean_sum mean_exchange; apply: eq_mean => x.
rewrite mean_sum exchange_big; apply: eq_bigr => i _ /=; rewrite -mulr_suml -mean_square_signs.
by rewrite /mean mulrAC -mulr_suml; congr (_ / _ / _); apply: eq_bigr => u _; rewrite difference.
Qed.

Theorem noise_signs (rho : R) :
  mean (fun u => noise_sensitivity rho (h u)) = \sum_j noise_sensitivity rho (f j).
Proof.
rewrite -mean_sum mean_exchange; apply: eq_mean => x.
rewrite mean_sum exchange_big; apply: eq_bigr => z _ /=.
rewrite meanZ -mulr_sumr -mulr_suml -mean_square_signs; congr (_ * _).
by rewrite /mean mulrAC -mulr_suml; congr (_ / _ / _); apply: eq_bigr => u _; rewrite difference.
Qed.

Theorem variance_signs :
  mean (fun u => mean (fun x => h u x ^+ 2) - mean (h u) ^+ 2)
  = \sum_j (mean (fun x => f j x ^+ 2) - mean (f j) ^+ 2).
Proof.
rewrite meanD meanN sumrB mean_exchange -mean_sum; congr (_ - _).
  by apply: eq_mean => x; rewrite mean_square_signs.
rewrite -mean_square_signs; apply: eq_mean => u; congr (_ ^+ 2).
have one (g : cube 'I_n -> R) : mean g = mean (fun x => g x * 1) by apply: eq_mean => x; rewrite mulr1.
by rewrite one mean_signs; apply: eq_bigr => j _; rewrite -one.
Qed.

Theorem weight_signs (d : nat) :
  mean (fun u => \sum_(T : {set 'I_n} | #|T| == d) fourier (h u) T ^+ 2)
  = \sum_j \sum_(T : {set 'I_n} | #|T| == d) fourier (f j) T ^+ 2.
Proof.
rewrite mean_sum exchange_big; apply: eq_bigr => T _ /=; rewrite -mean_square_signs.
by apply: eq_mean => u; rewrite /fourier mean_signs.
Qed.

End Signs.
