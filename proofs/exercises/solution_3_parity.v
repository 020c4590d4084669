From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import definitions cube fourier.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The average sensitivity of the parity of the bits in T is |T|: with the    *)
(* quarter in its definition, a flip that changes the sign counts 1.          *)
(*                                                                            *)
(* The sensitivity is |T| at every point, and the mean of a constant is that  *)
(* constant, mean_const. At one point, compare the two sums over i one by one *)
(* (eq_bigr): character_flip says what a flip does, and character_sqr that    *)
(* the square of a parity is 1.                                               *)
Lemma parity_sensitivity (R : realFieldType) (n : nat) (T : {set 'I_n}) :
  average_sensitivity (character R T) = #|T|%:R.
Proof.
transitivity (mean (fun _ : cube 'I_n => #|T|%:R : R)); last exact: mean_const.
apply: eq_mean => x; rewrite /sensitivity.
rewrite -sum1_card natr_sum [RHS]big_mkcond; apply: eq_bigr => i _.
rewrite character_flip; case: (i \in T); last by rewrite subrr expr0n mul0r.
by rewrite opprK -mulr2n -[_ *+ 2]mulr_natl exprMn character_sqr mulr1 -natrX divff ?pnatr_eq0.
Qed.
