(* Junta tables, indexing, the network of Appendix A and decision trees:      *)
(* values, active neurons, and what removing a neuron does.                   *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network addresses.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- One neuron for each address a, with preactivation g_a + t (<a, x> - b) *)

Section Table.

Variables (R : realFieldType) (b : nat) (t : R) (g : cube 'I_b -> R) (x : cube 'I_b).
Implicit Types a : cube 'I_b.

Definition lookup a := g a + t * (\sum_i coord R a i * coord R x i - b%:R).

Lemma lookupE a :
  lookup a = g a + t * (\sum_(i in setT) coord R a i * coord R x i - #|[set: 'I_b]|%:R).
Proof.
by rewrite cardsT card_ord; congr (_ + _ * (_ - _)); apply: eq_bigl => i; rewrite inE.
Qed.

Lemma lookup_right : lookup x = g x.
Proof. by rewrite lookupE address_right. Qed.

Lemma lookup_silent a : 0 <= t -> g a <= 2%:R * t -> a != x -> lookup a <= 0.
Proof.
move=> t0 gt ax; rewrite lookupE address_silent //; apply: contra ax => /distance_eq0 E.
by apply/eqP/ffunP => i; apply: E; rewrite inE.
Qed.

Hypothesis silent : forall a, a != x -> lookup a <= 0.

Lemma sum_lookup (u : cube 'I_b -> R) : \sum_a u a * relu (lookup a) = u x * relu (g x).
Proof.
rewrite (bigD1 x) //= lookup_right big1 ?addr0 // => a /silent/relu_neg->.
by rewrite mulr0.
Qed.

Lemma sum_lookup_without a0 (u : cube 'I_b -> R) : a0 = x ->
  \sum_(a | a != a0) u a * relu (lookup a) = 0.
Proof. by move=> ->; apply: big1 => a /silent/relu_neg->; rewrite mulr0. Qed.

Lemma active_lookup a : 0 < lookup a -> a = x.
Proof. by move=> pos; apply/eqP; apply: contraLR pos => /silent; rewrite -leNgt. Qed.

End Table.

(* ---- Juntas -------------------------------------------------------------- *)

Section Junta.

Variables (R : realFieldType) (p : nat).
Implicit Types (x a : cube 'I_p).

(* Preactivations t (<a, x> - p) + c, 0 < c <= 2 t: the value is c g(x).      *)
Theorem junta_table (t c : R) (z : cube 'I_p -> R) (g : cube 'I_p -> R) x :
    0 < c -> c <= 2%:R * t -> z =1 lookup t (fun=> c) x ->
  \sum_a g a * relu (z a) = c * g x /\ [set a | 0 < z a] = [set x].
Proof.
move=> c_gt0 ct zE; have silent a : a != x -> lookup t (fun=> c) x a <= 0.
  by apply: lookup_silent => //; rewrite -(pmulr_rge0 _ (ltr0Sn R 1)) (le_trans (ltW c_gt0)).
under eq_bigr => a _ do rewrite zE.
rewrite (sum_lookup silent) relu_pos ?ltW // mulrC; split=> //.
apply/setP=> a; rewrite !inE zE; apply/idP/eqP => [/(active_lookup silent) // | ->].
by rewrite lookup_right.
Qed.

Theorem junta_printed (g : cube 'I_p -> R) x :
  let z a := \sum_k coord R a k * coord R x k - p%:R + 1 in
  \sum_a g a * relu (z a) = g x /\ [set a | 0 < z a] = [set x].
Proof.
move=> z; have zE : z =1 lookup 1 (fun=> 1) x by move=> a; rewrite /z /lookup mul1r addrC.
by have [] := junta_table g ltr01 _ zE; rewrite ?mulr1 ?ler1n ?mul1r.
Qed.

Theorem junta_half (g : cube 'I_p -> R) x :
  let z a := 2%:R^-1 * (\sum_k coord R a k * coord R x k - p%:R + 2%:R) in
  \sum_a g a * relu (z a) = g x /\ [set a | 0 < z a] = [set x].
Proof.
have two_neq0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
move=> z; have zE : z =1 lookup 2%:R^-1 (fun=> 1) x.
  by move=> a; rewrite /z /lookup [LHS]mulrDr mulVf // addrC.
by have [] := junta_table g ltr01 _ zE; rewrite ?divff ?mul1r.
Qed.

Theorem junta_removal (g : cube 'I_p -> R) a0 : g a0 != 0 ->
  exists x, \sum_(a | a != a0) g a * relu (\sum_k coord R a k * coord R x k - p%:R + 1) != g x.
Proof.
move=> g0; exists a0; under eq_bigr => a _.
  rewrite -[_ - _]mul1r addrC -/(lookup 1 (fun=> 1) a0 a); over.
rewrite sum_lookup_without // 1?eq_sym // => a aa0.
by rewrite lookup_silent // ?ler01 // mulr1 ler1n.
Qed.

End Junta.

(* ---- Indexing ------------------------------------------------------------ *)

Section Indexing.

Variables (R : realFieldType) (b : nat).
Implicit Types (x a : cube 'I_b) (y : cube (cube 'I_b)).

Let z x y a : R :=
  \sum_i coord R a i * coord R x i + 2%:R^-1 * coord R y a - b%:R + 2%:R^-1.

Let bit y a : R := 2%:R^-1 * coord R y a + 2%:R^-1.

Lemma bitE y a : bit y a = (~~ y a)%:R.
Proof.
rewrite /bit /coord; case: (y a); first by rewrite mulrN1 addNr.
by rewrite mulr1 -mulr2n -mulr_natl divff ?pnatr_eq0.
Qed.

Let zE x y a : z x y a = lookup 1 (bit y) x a.
Proof. by rewrite /z /lookup /bit mul1r -[LHS]addrA addrACA addrC. Qed.

Let silent x y a : a != x -> lookup 1 (bit y) x a <= 0.
Proof.
by move=> ax; rewrite lookup_silent ?ler01 // mulr1 bitE ler_nat (leq_trans (leq_b1 _)).
Qed.

Theorem indexing_network x y :
  \sum_a relu (z x y a) = (~~ y x)%:R /\ [set a | 0 < z x y a] \subset [set x].
Proof.
under eq_bigr => a _ do rewrite zE -[relu _]mul1r.
rewrite (sum_lookup (@silent x y)) mul1r bitE relu_pos ?ler0n //; split=> //.
by apply/subsetP=> a; rewrite !inE zE => /(active_lookup (@silent x y)) ->.
Qed.

Theorem indexing_removal a0 :
  exists x y, \sum_(a | a != a0) relu (z x y a) != (~~ y x)%:R.
Proof.
exists a0, [ffun=> false]; under eq_bigr => a _ do rewrite zE -[relu _]mul1r.
by rewrite (sum_lookup_without (@silent a0 _)) // ffunE eq_sym oner_eq0.
Qed.

End Indexing.

(* ---- Appendix A ---------------------------------------------------------- *)

Section AppendixA.

Variables (R : realFieldType) (b q : nat) (Gamma : R) (w : cube 'I_b -> 'I_q -> R).
Implicit Types (x a : cube 'I_b) (y : cube 'I_q).

Let z x y a : R :=
  \sum_i w a i * coord R y i + Gamma * (\sum_i coord R x i * coord R a i - b%:R).

Let zE x y a : z x y a = lookup Gamma (fun a => \sum_i w a i * coord R y i) x a.
Proof. by congr (_ + _ * (_ - _)); apply: eq_bigr => i _; rewrite mulrC. Qed.

Theorem appendix_a_value x y : (forall a, a != x -> z x y a <= 0) ->
  \sum_a relu (z x y a) = relu (\sum_i w x i * coord R y i).
Proof.
move=> silent; under eq_bigr => a _ do rewrite zE -[relu _]mul1r.
by rewrite sum_lookup ?mul1r // => a /silent; rewrite zE.
Qed.

Theorem appendix_a_sparse x y : (forall a, norm1 (w a) <= 2%:R * Gamma) ->
  (#|[set a | (0 < z x y a)%R]| <= 1)%N.
Proof.
move=> w_le; have Gamma_ge0 : 0 <= Gamma.
  rewrite -(pmulr_rge0 _ (ltr0Sn R 1)) (le_trans _ (w_le x)) //.
  by apply: sumr_ge0 => i _; apply: normr_ge0.
have silent a : a != x -> lookup Gamma (fun a => \sum_i w a i * coord R y i) x a <= 0.
  by apply: lookup_silent => //; apply: le_trans (inner_le_norm1 _ _) (w_le a).
rewrite -(cards1 x); apply/subset_leq_card/subsetP=> a; rewrite !inE zE.
by move/(active_lookup silent)->.
Qed.

(* The neurons of an address and of its neighbour, at the y with <w, y> = |w|_1. *)
Theorem appendix_a_necessary (w0 : 'I_q -> R) : (1 <= b)%N -> 0 <= Gamma ->
    (forall a, w a = w0) -> (forall x y, (#|[set a | (0 < z x y a)%R]| <= 1)%N) ->
  norm1 w0 <= 2%:R * Gamma.
Proof.
move=> b_gt0 Gamma_ge0 w_eq sparse1; rewrite leNgt; apply/negP => w_gt.
have [y yE] := inner_eq_norm1 w0; pose x : cube 'I_b := [ffun=> false]; pose i0 := Ordinal b_gt0.
have := sparse1 x y; apply/negP; rewrite -ltnNge.
have w_gt0 : 0 < norm1 w0 by apply: le_lt_trans w_gt; rewrite mulr_ge0 ?ler0n.
have x_flip : x != flip x i0.
  by apply/eqP => /ffunP/(_ i0); rewrite !ffunE eqxx.
have card2 : #|[set x; flip x i0]| = 2%N by rewrite cards2 x_flip.
rewrite -card2; apply/subset_leq_card/subsetP => a; rewrite !inE zE /lookup w_eq yE.
have sum1 : b%:R = \sum_(i < b) 1 :> R by rewrite sumr_const card_ord.
case/orP=> /eqP->; rewrite {}sum1 -sumrB.
  by rewrite big1 ?mulr0 ?addr0 // => i _; rewrite coord_sqr subrr.
rewrite (bigD1 i0) //= coord_flip eqxx mulNr coord_sqr big1 => [|i /negPf ii0]; last first.
  by rewrite coord_flip ii0 coord_sqr subrr.
by rewrite addr0 -opprD mulrN -mulr2n subr_gt0 mulrC.
Qed.

End AppendixA.

(* |w|_1 <= |w| sqrt(q), with equality for (1, ..., 1)/sqrt(q).               *)
Section Euclidean.

Variables (R : rcfType) (q : nat).

Lemma norm1_le_sqrt (w : 'I_q -> R) c : 0 <= c -> sqnorm w <= c ^+ 2 -> norm1 w <= c * Num.sqrt q%:R.
Proof.
move=> c0 wc; rewrite -ler_sqr ?nnegrE ?mulr_ge0 ?sqrtr_ge0 ?sumr_ge0 // exprMn sqr_sqrtr ?ler0n //.
have := sqr_sum_le [set: 'I_q] (fun i => `|w i|); rewrite cardsT card_ord.
have setE F : \sum_(i in [set: 'I_q]) F i = \sum_i F i :> R.
  by apply: eq_bigl => i; rewrite inE.
rewrite !setE => /le_trans; apply; rewrite [leRHS]mulrC ler_wpM2l ?ler0n // (le_trans _ wc) //.
by apply: ler_sum => i _; rewrite real_normK ?num_real.
Qed.

Lemma norm1_flat : (1 <= q)%N -> norm1 (fun _ : 'I_q => (Num.sqrt q%:R)^-1) = Num.sqrt q%:R :> R.
Proof.
move=> q_gt0; have r_gt0 : 0 < Num.sqrt q%:R :> R by rewrite sqrtr_gt0 ltr0n.
rewrite /norm1 sumr_const card_ord ger0_norm ?invr_ge0 ?ltW // -[LHS]mulr_natl.
by rewrite -[X in X / _](sqr_sqrtr (ler0n R q)) expr2 mulfK ?gt_eqF.
Qed.

End Euclidean.

(* ---- Decision trees ------------------------------------------------------ *)

Section DecisionTree.

Variables (R : realFieldType) (I J : finType).
Variables (path : J -> {set I}) (answer : J -> cube I) (v : J -> I -> R) (c t : J -> R).
Implicit Types (x : cube I) (j : J).

Let N := tree path answer (fun=> 1) v c t.
Let leaf j x := {in path j, answer j =1 x}.

Hypotheses (t_ge0 : forall j, 0 <= t j) (t_le : forall j, norm1 (v j) + c j <= 2%:R * t j).
Hypothesis disjoint : forall x j l, leaf j x -> leaf l x -> j = l.

Let leaf_le j x : leaf_value v c j x <= 2%:R * t j.
Proof. by apply: le_trans (t_le j); rewrite lerD2r inner_le_norm1. Qed.

Theorem tree_leaf x j : leaf j x ->
  value N x = relu (\sum_i v j i * coord R x i + c j) /\ active N x \subset [set j].
Proof.
move=> jx; split; last first.
  apply/subsetP=> l; rewrite active_tree // !inE => /andP[/reachedP lx _].
  by rewrite (disjoint jx lx).
rewrite value_tree // (big_pred1 j) ?mul1r // => l /=.
by apply/reachedP/eqP => [lx | -> //]; rewrite (disjoint jx lx).
Qed.

Theorem tree_no_leaf x : (forall j, ~ leaf j x) -> value N x = 0 /\ active N x = set0.
Proof.
move=> none; split.
  by rewrite value_tree // big_pred0 // => j; apply/reachedP/none.
by apply/setP=> j; rewrite active_tree // !inE; case: reachedP => // /none.
Qed.

End DecisionTree.

(* ---- As the book states them --------------------------------------------- *)

Theorem indexing_statement (R : realFieldType) (b : nat) (x : cube 'I_b) (y : cube (cube 'I_b)) :
  let z a := \sum_i coord R a i * coord R x i + 2%:R^-1 * coord R y a - b%:R + 2%:R^-1 in
  [/\ \sum_a relu (z a) = (~~ y x)%:R, [set a | 0 < z a] \subset [set x]
    & z x = 2%:R^-1 * coord R y x + 2%:R^-1].
Proof.
move=> z; have [-> ->] := indexing_network R x y; split=> //; rewrite /z.
have -> : \sum_i coord R x i * coord R x i = b%:R.
  by under eq_bigr => i _ do rewrite coord_sqr; rewrite sumr_const card_ord.
by rewrite [b%:R + _]addrC addrK.
Qed.

Theorem removal (R : realFieldType) :
  (forall (p : nat) (g : cube 'I_p -> R) (a0 : cube 'I_p), (forall a, `|g a| = 1) ->
     exists x : cube 'I_p,
     \sum_(a | a != a0) g a * relu (\sum_k coord R a k * coord R x k - p%:R + 1) != g x)
  /\ (forall (b : nat) (a0 : cube 'I_b), exists (x : cube 'I_b) (y : cube (cube 'I_b)),
     \sum_(a | a != a0)
       relu (\sum_i coord R a i * coord R x i + 2%:R^-1 * coord R y a - b%:R + 2%:R^-1)
     != (~~ y x)%:R).
Proof.
split=> [p g a0 g1 | b a0]; last exact: indexing_removal.
by apply: junta_removal; rewrite -normr_eq0 g1 oner_neq0.
Qed.

Theorem appendix_a_threshold (R : rcfType) (b q : nat) (Gamma : R)
    (w : cube 'I_b -> 'I_q -> R) :
  let z (x : cube 'I_b) (y : cube 'I_q) a :=
    \sum_i w a i * coord R y i + Gamma * (\sum_i coord R x i * coord R a i - b%:R) in
  let sparse1 := forall x y, (#|[set a | (0 < z x y a)%R]| <= 1)%N in
  [/\ (forall a, norm1 (w a) <= 2%:R * Gamma) -> sparse1,
      (1 <= b)%N -> 0 <= Gamma ->
        forall w0, (forall a, w a = w0) -> sparse1 -> norm1 w0 <= 2%:R * Gamma,
      forall c, 0 <= c -> (forall a, sqnorm (w a) <= c ^+ 2) -> c * Num.sqrt q%:R / 2%:R <= Gamma -> sparse1
    & (1 <= b)%N -> (1 <= q)%N -> 0 <= Gamma ->
        (forall a, w a = fun=> (Num.sqrt q%:R)^-1) -> sparse1 -> Num.sqrt q%:R / 2%:R <= Gamma].
Proof.
move=> z sparse1; split.
- by move=> w_le x y; apply: appendix_a_sparse.
- by move=> b_gt0 G_ge0 w0 w_eq one; apply: (appendix_a_necessary b_gt0 G_ge0 w_eq one).
- move=> c c0 wc G_ge x y; apply: appendix_a_sparse => a; apply: le_trans (norm1_le_sqrt c0 (wc a)) _.
  by rewrite [leRHS]mulrC -ler_pdivrMr ?ltr0n.
move=> b_gt0 q_gt0 G_ge0 w_eq one; rewrite ler_pdivrMr ?ltr0n // mulrC -(norm1_flat R q_gt0).
exact: (appendix_a_necessary b_gt0 G_ge0 w_eq one).
Qed.

Theorem decision_tree (R : realFieldType) (n s : nat) (path : 'I_s -> {set 'I_n})
    (answer : 'I_s -> cube 'I_n) (v : 'I_s -> 'I_n -> R) (c t : 'I_s -> R) :
  let N := tree path answer (fun=> 1) v c t in
  let leaf j (x : cube 'I_n) := {in path j, answer j =1 x} in
  (forall x j l, leaf j x -> leaf l x -> j = l) ->
  (forall j, 0 <= t j /\ norm1 (v j) + c j <= 2%:R * t j) ->
  [/\ sparse 1 N,
      forall x j, leaf j x -> value N x = relu (\sum_i v j i * coord R x i + c j)
    & forall x, (forall j, ~ leaf j x) -> value N x = 0].
Proof.
move=> N leaf disjoint t_ok.
have t_ge0 j : 0 <= t j := (t_ok j).1; have t_le j := (t_ok j).2.
split=> [x | x j jx | x none]; last 2 first.
- by case: (tree_leaf t_ge0 t_le disjoint jx).
- by case: (tree_no_leaf t_ge0 t_le none).
apply: active_tree_le1 => // [j y|y j l /reachedP jy /reachedP ly]; last exact: disjoint jy ly.
by apply: le_trans (t_le j); rewrite lerD2r inner_le_norm1.
Qed.
