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
Admitted.
