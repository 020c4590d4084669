(* The first steps of the proof of Theorem 19: neurons are linear on their    *)
(* active sets, a supremum of sums is at most the sum of the suprema, and a   *)
(* k-sparse network has at most k m pairs of a point and a neuron active there. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Linear.

Variables (R : realFieldType) (n s m : nat) (x : 'I_m -> 'I_n -> R).
Implicit Types (N : network R 'I_n 'I_s) (zeta : cube 'I_m).

Let pre N j i := preactivation N j (x i).

(* Any sets between those with > 0 and those with >= 0 will do.               *)
Lemma linear_on_sets N zeta (P : 'I_s -> pred 'I_m) :
    (forall j i, 0 < pre N j i -> P j i) -> (forall j i, P j i -> 0 <= pre N j i) ->
  \sum_i coord R zeta i * value_at N (x i)
  = \sum_j \sum_(i | P j i) coord R zeta i * (outer N j * pre N j i).
Proof.
move=> inside outside; under eq_bigr => i _ do rewrite /value_at /value_with mulr_sumr.
rewrite exchange_big; apply: eq_bigr => j _; rewrite [RHS]big_mkcond; apply: eq_bigr => i _.
case: ifPn => [/outside/relu_pos-> // | out].
rewrite relu_neg ?mulr0 // leNgt; apply: contra out; exact: inside.
Qed.

Theorem equation_3 N zeta :
  \sum_i coord R zeta i * value_at N (x i)
  = \sum_j \sum_(i | 0 <= pre N j i) coord R zeta i * (outer N j * pre N j i)
  /\ \sum_i coord R zeta i * value_at N (x i)
  = \sum_j \sum_(i | 0 < pre N j i) coord R zeta i * (outer N j * pre N j i).
Proof. by split; apply: linear_on_sets => // j i; apply: ltW. Qed.

Let weights N zeta := \sum_j \sum_(i | 0 <= pre N j i)
  coord R zeta i * (outer N j * \sum_l weight N j l * x i l).
Let biases N zeta := \sum_j \sum_(i | 0 <= pre N j i) coord R zeta i * (outer N j * bias N j).

Lemma split_terms N zeta :
  \sum_i coord R zeta i * value_at N (x i) = weights N zeta - biases N zeta.
Proof.
have [-> _] := equation_3 N zeta; rewrite /weights /biases -sumrB; apply: eq_bigr => j _.
by rewrite -sumrB; apply: eq_bigr => i _; rewrite -!mulrBr.
Qed.

Lemma biases_opp N zeta : biases N (times zeta [ffun=> true]) = - biases N zeta.
Proof.
rewrite /biases -sumrN; apply: eq_bigr => j _; rewrite -sumrN; apply: eq_bigr => i _.
by rewrite coord_times /coord [[ffun=> true] i]ffunE expr1 mulrN1 mulNr.
Qed.

(* The signs of all zeta_i may be exchanged, so the sign of b_j is free.      *)
Theorem equation_4 k (W B r : R) (class := fun N => sparse_on x k N /\ scale_at_most W B N)
    (sup_weights sup_biases : cube 'I_m -> R) :
    rademacher_is s k W B x r ->
    (forall zeta, is_sup class (fun N => weights N zeta / m%:R) (sup_weights zeta)) ->
    (forall zeta, is_sup class (fun N => biases N zeta / m%:R) (sup_biases zeta)) ->
  r <= mean sup_weights + mean sup_biases.
Proof.
case=> sup [supP ->] weightsP biasesP.
rewrite -(mean_times sup_biases [ffun=> true]) -meanD; apply: mean_le => zeta.
have [_ least] := supP zeta; apply: least => N classN.
have [weights_le _] := weightsP zeta; have [biases_le _] := biasesP (times zeta [ffun=> true]).
by rewrite split_terms -biases_opp mulrDl lerD ?weights_le ?biases_le.
Qed.

End Linear.

Section Budget.

Variables (R : rcfType) (n s m k : nat) (x : 'I_m -> 'I_n -> R) (N : network R 'I_n 'I_s).
Hypothesis sparseN : sparse_on x k N.

Let count j := #|[set i | j \in active_at N (x i)]|.

Lemma sum_count : (\sum_j count j <= k * m)%N.
Proof.
have -> : (\sum_j count j = \sum_i #|active_at N (x i)|)%N.
  under eq_bigr => j _ do rewrite /count -sum1_card big_mkcond.
  under [RHS]eq_bigr => i _ do rewrite -sum1_card big_mkcond.
  by rewrite exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite [in LHS]inE.
by rewrite mulnC -[m in (m * _)%N]card_ord -sum_nat_const; apply: leq_sum => i _; apply: sparseN.
Qed.

Theorem budget :
  (\sum_j count j <= k * m)%N
  /\ \sum_j Num.sqrt (count j)%:R <= Num.sqrt (s * k * m)%:R :> R.
Proof.
split; first exact: sum_count.
apply: le_trans (ler_norm _) _; rewrite -sqrtr_sqr; apply: ler_wsqrtr.
have := Cauchy_Schwarz xpredT (fun=> 1) (fun j => Num.sqrt (count j)%:R : R).
under eq_bigr => j _ do rewrite mul1r.
move=> CS; apply: le_trans CS _.
under eq_bigr => j _ do rewrite expr1n.
under [X in _ * X]eq_bigr => j _ do rewrite sqr_sqrtr ?ler0n //.
rewrite sumr_const card_ord -natr_sum -natrM ler_nat -mulnA leq_mul2l sum_count.
by rewrite orbT.
Qed.

End Budget.

(* One point, two neurons with preactivation 0.                               *)
Theorem boundary_witness (R : realFieldType) : exists N : network R 'I_1 'I_2,
  [/\ active_at N (fun=> 1) = set0, sparse_on (fun (_ : 'I_1) (_ : 'I_1) => 1) 1 N
    & (\sum_j #|[set i : 'I_1 | (0 <= preactivation N j (fun=> 1))%R]| = 2)%N].
Proof.
pose e (j : 'I_2) : R := (-1) ^+ j.
pose N : network R 'I_1 'I_2 := Network (fun=> 1) (fun j _ => e j) e.
have pre j : preactivation N j (fun=> 1) = 0.
  by rewrite /preactivation big_ord_recl big_ord0 addr0 mulr1 subrr.
have none : active_at N (fun=> 1) = set0 by apply/setP=> j; rewrite !inE pre ltxx.
exists N; split=> // [t|]; first by rewrite none cards0.
under eq_bigr => j _ do rewrite pre lexx cardsT card_ord.
by rewrite sum_nat_const card_ord.
Qed.

(* Two neurons relu(x), at x = -1 and at both points of the cube.             *)
Theorem support_witness (R : realFieldType) :
  let N : network R 'I_1 'I_2 := Network (fun=> 1) (fun _ _ => 1) (fun=> 0) in
  sparse_on (fun (_ : 'I_1) (_ : 'I_1) => -1) 1 N /\ ~ sparse 1 N.
Proof.
move=> N; have pre j p : preactivation N j p = p ord0.
  by rewrite /preactivation big_ord_recl big_ord0 addr0 mul1r subr0.
split=> [i | /(_ [ffun=> false])].
  have -> : active_at N (fun=> -1) = set0; last by rewrite cards0.
  by apply/setP=> j; rewrite !inE pre oppr_gt0 ltNge ler01.
have -> : active_at N (coord R [ffun=> false]) = setT; last by rewrite cardsT card_ord.
by apply/setP=> j; rewrite !inE pre /coord ffunE expr0 ltr01.
Qed.
