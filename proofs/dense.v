(* The Rademacher complexity of dense networks is s times that of one neuron. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Dense.

Variables (R : realFieldType) (n s m : nat) (W B : R) (x : 'I_m -> 'I_n -> R).
Hypothesis s_gt0 : (1 <= s)%N.

Let in_class s' k (N : network R 'I_n 'I_s') := sparse_on x k N /\ scale_at_most W B N.
Let F s' (zeta : cube 'I_m) (N : network R 'I_n 'I_s') :=
  (\sum_i coord R zeta i * value_at N (x i)) / m%:R.

(* Neuron j alone, and s copies of a single neuron.                           *)
Definition single s' (N : network R 'I_n 'I_s') j : network R 'I_n 'I_1 :=
  Network (fun=> outer N j) (fun=> weight N j) (fun=> bias N j).
Definition repeated (N : network R 'I_n 'I_1) : network R 'I_n 'I_s :=
  Network (fun=> outer N ord0) (fun=> weight N ord0) (fun=> bias N ord0).

Lemma dense_sparse s' (N : network R 'I_n 'I_s') : sparse_on x s' N.
Proof. by move=> i; rewrite -[X in (_ <= X)%N]card_ord max_card. Qed.

Lemma in_class_single (N : network R 'I_n 'I_s) j : in_class s N -> in_class 1 (single N j).
Proof. by case=> _ [W0 NW NB]; split; first exact: dense_sparse; split=> // *; [apply: NW | apply: NB]. Qed.

Lemma in_class_repeated N : in_class 1 N -> in_class s (repeated N).
Proof. by case=> _ [W0 NW NB]; split; first exact: dense_sparse; split=> // *; [apply: NW | apply: NB]. Qed.

Lemma sum_ord1 (G : 'I_1 -> R) : \sum_i G i = G ord0.
Proof. by rewrite big_ord_recl big_ord0 addr0. Qed.

Lemma F_singles zeta (N : network R 'I_n 'I_s) : F zeta N = \sum_j F zeta (single N j).
Proof.
rewrite /F -mulr_suml exchange_big; congr (_ / _); apply: eq_bigr => i _.
by rewrite -mulr_sumr; congr (_ * _); apply: eq_bigr => j _; rewrite /value_at /value_with sum_ord1.
Qed.

Lemma F_repeated zeta N : F zeta (repeated N) = s%:R * F zeta N.
Proof.
rewrite /F mulrA mulr_sumr; congr (_ / _); apply: eq_bigr => i _; rewrite mulrCA; congr (_ * _).
rewrite /value_at /value_with sum_ord1.
transitivity (\sum_(j < s) outer N ord0 * relu (preactivation N ord0 (x i))) => //.
by rewrite sumr_const card_ord mulr_natl.
Qed.

Lemma is_sup_dense zeta v :
  is_sup (@in_class 1 1) (F zeta) v -> is_sup (@in_class s s) (F zeta) (s%:R * v).
Proof.
case=> v_ge v_least; split=> [N classN | v' v'_ge].
  rewrite F_singles mulr_natl -[s in _ *+ s]card_ord -sumr_const; apply: ler_sum => j _.
  exact/v_ge/in_class_single.
have s_pos : 0 < s%:R :> R by rewrite ltr0n.
rewrite mulrC -ler_pdivlMr //; apply: v_least => N classN.
by rewrite ler_pdivlMr // mulrC -F_repeated; apply/v'_ge/in_class_repeated.
Qed.

Lemma is_sup_unique (T : Type) (P : T -> Prop) (G : T -> R) v v' :
  is_sup P G v -> is_sup P G v' -> v = v'.
Proof.
by case=> ge least [ge' least']; apply/eqP; rewrite eq_le least // least'.
Qed.

Theorem dense_decouples r : rademacher_is 1 1 W B x r ->
  forall r', rademacher_is s s W B x r' <-> r' = s%:R * r.
Proof.
case=> sup1 [sup1P ->] r'; have supP zeta := is_sup_dense (sup1P zeta); split=> [[sup' [sup'P ->]]|->].
  by rewrite -meanZ; apply: eq_mean => zeta; apply: is_sup_unique (sup'P zeta) (supP zeta).
by exists (fun zeta => s%:R * sup1 zeta); rewrite meanZ.
Qed.

End Dense.
