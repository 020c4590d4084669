From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import definitions cube fourier.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Parseval's identity on the square {-1,1}^2: the mean of f^2 is the sum of  *)
(* the squares of the four Fourier coefficients.                              *)
(*                                                                            *)
(* fourier.v has it for every n, as Parseval. Do it without that lemma: write *)
(* one factor of f(x)^2 as its expansion, which is fourier_inversion; then    *)
(* the mean of a sum is the sum of the means, mean_sum, and a constant factor *)
(* comes out, meanZ. Nothing in this proof depends on the 2.                  *)
Lemma parseval_2 (R : realFieldType) (f : cube 'I_2 -> R) :
  mean (fun x => f x ^+ 2) = \sum_T fourier f T ^+ 2.
Proof.
Admitted.
