(* Networks that look up an address: neuron a has the preactivation           *)
(*     g_a(x) + t (<a, x_P> - |P|) = g_a(x) - 2 t d,                          *)
(* d the number of places in P where x differs from a. If g_a <= 2 t, only    *)
(* neurons whose address is right can be active. Juntas, indexing, Appendix A *)
(* and decision trees are of this kind.                                       *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Addresses.

Variables (R : realFieldType) (I : finType).
Implicit Types (a x : cube I) (P : {set I}) (i : I) (w : I -> R).

(* The Hamming distance on the coordinates in P.                              *)
Definition distance P a x := #|[set i in P | a i != x i]|.

Lemma distance_eq0 P a x : reflect {in P, a =1 x} (distance P a x == 0)%N.
Proof.
rewrite cards_eq0; apply: (iffP eqP) => [d0 i iP | ax].
  by apply/eqP; have/setP/(_ i) := d0; rewrite !inE iP => /negbFE.
by apply/setP=> i; rewrite !inE; apply/negP=> /andP[/ax->]; rewrite eqxx.
Qed.

Lemma inner_address P a x :
  \sum_(i in P) coord R a i * coord R x i = #|P|%:R - 2%:R * (distance P a x)%:R.
Proof.
rewrite /distance -!sum1_card !natr_sum; under [X in _ * X]eq_bigl => i do rewrite inE.
rewrite big_mkcondr mulr_sumr -sumrB; apply: eq_bigr => i _ /=.
rewrite /coord -signr_addb -negb_eqb; case: (_ == _) => /=; first by rewrite mulr0 subr0.
by rewrite mulr1 opprD addNKr.
Qed.

Lemma inner_address_cube a x :
  \sum_i coord R a i * coord R x i = #|I|%:R - 2%:R * (distance setT a x)%:R.
Proof. by rewrite -cardsT -inner_address; apply: eq_bigl => i; rewrite inE. Qed.

(* Neurons with a wrong address are silent.                                   *)
Lemma address_silent (g t : R) P a x : 0 <= t -> g <= 2%:R * t -> (distance P a x != 0)%N ->
  g + t * (\sum_(i in P) coord R a i * coord R x i - #|P|%:R) <= 0.
Proof.
move=> t_ge0 g_le; rewrite -lt0n inner_address => d_gt0.
rewrite addrAC subrr sub0r mulrN subr_le0 (le_trans g_le) //.
by rewrite [leLHS]mulrC ler_wpM2l // ler_pMr ?ler1n ?ltr0n.
Qed.

Lemma address_right (g t : R) P a x : {in P, a =1 x} ->
  g + t * (\sum_(i in P) coord R a i * coord R x i - #|P|%:R) = g.
Proof.
by move/distance_eq0/eqP=> d0; rewrite inner_address d0 mulr0 subr0 subrr mulr0 addr0.
Qed.

Lemma inner_le_norm1 w x : \sum_i w i * coord R x i <= norm1 w.
Proof.
apply: ler_sum => i _; apply: le_trans (ler_norm _) _.
by rewrite normrM norm_coord mulr1.
Qed.

(* The converse: the value |w|_1 is taken.                                    *)
Lemma inner_eq_norm1 w : exists x, \sum_i w i * coord R x i = norm1 w.
Proof.
exists [ffun i => w i < 0]; apply: eq_bigr => i _; rewrite /coord ffunE.
by rewrite mulrC -normrEsign.
Qed.

End Addresses.

(* ---- Networks whose neurons are paths: a leaf is reached by x if x agrees  *)
(*      with the answers on the path.                                         *)

Section Tree.

Variables (R : realFieldType) (I J : finType).
Variables (path : J -> {set I}) (answer : J -> cube I).
Variables (u : J -> R) (v : J -> I -> R) (c t : J -> R).
Implicit Types (x : cube I) (j : J).

(* Neuron j: <v_j, x> + c_j + t_j (<answer_j, x> - |path_j|), the inner       *)
(* product over the path.                                                     *)
Definition tree : network R I J :=
  Network u (fun j i => v j i + (if i \in path j then t j * coord R (answer j) i else 0))
          (fun j => t j * #|path j|%:R - c j).

Definition leaf_value j x := \sum_i v j i * coord R x i + c j.
Definition reached j x := [forall (i | i \in path j), answer j i == x i].

Lemma reachedP j x : reflect {in path j, answer j =1 x} (reached j x).
Proof. by apply: (iffP forall_inP) => rx i ij; apply/eqP; apply: rx. Qed.

Lemma preactivation_tree j x : preactivation tree j (coord R x)
  = leaf_value j x + t j * (\sum_(i in path j) coord R (answer j) i * coord R x i - #|path j|%:R).
Proof.
rewrite /preactivation /leaf_value /= opprB mulrBr mulr_sumr.
under eq_bigr => i _ do rewrite mulrDl.
rewrite big_split /= -!addrA; congr (_ + _); rewrite addrCA; congr (_ + (_ - _)).
by rewrite [RHS]big_mkcond; apply: eq_bigr => i _; case: ifP; rewrite ?mul0r // mulrA.
Qed.

Hypothesis t_ge0 : forall j, 0 <= t j.
Hypothesis leaf_le : forall j x, leaf_value j x <= 2%:R * t j.

Lemma tree_silent j x : ~~ reached j x -> preactivation tree j (coord R x) <= 0.
Proof.
by move=> nr; rewrite preactivation_tree address_silent //; apply: contra nr => /distance_eq0/reachedP.
Qed.

Lemma tree_reached j x : reached j x -> preactivation tree j (coord R x) = leaf_value j x.
Proof. by move/reachedP=> rx; rewrite preactivation_tree address_right. Qed.

Lemma active_tree x : active tree x = [set j | reached j x && (0 < leaf_value j x)].
Proof.
apply/setP=> j; rewrite !inE; have [rx|/tree_silent] := boolP (reached j x).
  by rewrite tree_reached.
by rewrite leNgt => /negPf.
Qed.

Lemma value_tree x : value tree x = \sum_(j | reached j x) u j * relu (leaf_value j x).
Proof.
rewrite /value /value_at /value_with [RHS]big_mkcond; apply: eq_bigr => j _.
by case: ifPn => [/tree_reached-> // | /tree_silent/relu_neg->]; rewrite mulr0.
Qed.

Hypothesis disjoint : forall x j l, reached j x -> reached l x -> j = l.

Lemma active_tree_le1 x : (#|active tree x| <= 1)%N.
Proof.
apply/card_le1_eqP => j l; rewrite active_tree !inE => /andP[rj _] /andP[rl _].
exact: disjoint rl rj.
Qed.

End Tree.
