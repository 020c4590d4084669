(* What is known of a neuron before all bits are read: its largest value over *)
(* the points that agree with x on a set C of coordinates. And on the whole   *)
(* space some direction activates half of the neurons.                        *)

From mathcomp Require Import all_ssreflect ssralg ssrnum poly.
From SparseNetworks Require Import compat definitions cube network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Read.

Variables (R : realFieldType) (I J : finType) (N : network R I J) (j : J).
Implicit Types (x y : cube I) (C : {set I}) (c : I).

Local Notation w := (weight N j).
Local Notation b := (bias N j).

(* The largest <w, y> over the y that agree with x on C, and where it is.     *)
Definition most C x : R := \sum_(i in C) w i * coord R x i + \sum_(i | i \notin C) `|w i|.
Definition best C x : cube I := [ffun i => if i \in C then x i else w i < 0].

Lemma form_le_most C x y : {in C, x =1 y} -> \sum_i w i * coord R y i <= most C x.
Proof.
move=> xy; rewrite (bigID (mem C)) /=; apply: lerD.
  by apply: ler_sum => i iC; rewrite /coord xy.
by apply: ler_sum => i _; apply: le_trans (ler_norm _) _; rewrite normrM norm_coord mulr1.
Qed.

Lemma best_agrees C x : {in C, x =1 best C x}.
Proof. by move=> i iC; rewrite ffunE iC. Qed.

Lemma form_best C x : \sum_i w i * coord R (best C x) i = most C x.
Proof.
rewrite (bigID (mem C)) /=; congr (_ + _); apply: eq_bigr => i iC; rewrite /coord ffunE.
  by rewrite iC.
rewrite (negPf iC); case: ltP => [w0 | w0]; first by rewrite expr1 mulrN1 ltr0_norm.
by rewrite expr0 mulr1 ger0_norm.
Qed.

Theorem early_exit C x :
  (forall y, {in C, x =1 y} -> j \notin active N y) <-> most C x <= b.
Proof.
split=> [never | le_b y xy].
  by have := never _ (@best_agrees C x); rewrite inE /preactivation form_best -leNgt subr_le0.
by rewrite inE /preactivation -leNgt subr_le0 (le_trans (form_le_most xy)).
Qed.

(* One bit is read, and it is wrong.                                          *)
Lemma most_wrong_bit c x : coord R x c * w c < 0 -> most [set c] x = norm1 w - 2%:R * `|w c|.
Proof.
move=> wrong; rewrite /most big_set1 /norm1 [in RHS](bigD1 c) //=.
have -> : w c * coord R x c = - `|w c|.
  by rewrite mulrC -[LHS]opprK; congr (- _); rewrite -ltr0_norm // normrM norm_coord mul1r.
have -> : \sum_(i | i \notin [set c]) `|w i| = \sum_(i | i != c) `|w i|.
  by apply: eq_bigl => i; rewrite inE.
by rewrite mulr_natl mulr2n opprD addrACA subrr add0r addrC.
Qed.

Theorem one_wrong_bit c :
  (forall x, coord R x c * w c < 0 -> norm1 w - b <= 2%:R * `|w c| -> j \notin active N x)
  /\ (w c != 0 -> 2%:R * `|w c| < norm1 w - b ->
      exists x, coord R x c * w c < 0 /\ j \in active N x).
Proof.
split=> [x wrong key | w0 no_key].
  have [_ silent] := early_exit [set c] x; apply: silent => //.
  by rewrite most_wrong_bit // lerBlDr addrC -lerBlDr.
pose x0 : cube I := [ffun=> 0 <= w c].
have wrong : coord R x0 c * w c < 0.
  rewrite /coord ffunE; case: (leP 0 (w c)) => [w_ge | w_lt]; last by rewrite expr0 mul1r.
  by rewrite expr1 mulN1r oppr_lt0 lt_neqAle eq_sym w0.
exists (best [set c] x0); split.
  by rewrite /coord -(best_agrees x0 (set11 c)).
by rewrite inE /preactivation form_best most_wrong_bit // addrAC subr_gt0.
Qed.

End Read.

(* ---- The whole space ----------------------------------------------------- *)

Section Space.

Variables (R : realFieldType) (n : nat) (J : finType) (N : network R 'I_n J).

Local Notation form j p := (\sum_i weight N j i * p i).

(* (1, t, ..., t^(n-1)), for some t, is orthogonal to no weight vector but 0. *)
Lemma generic_direction (A : {set J}) : (forall j, j \in A -> exists i, weight N j i != 0) ->
  exists d : 'I_n -> R, forall j, j \in A -> form j d != 0.
Proof.
move=> A_neq0; pose p j : {poly R} := \poly_(i < n) (if insub i is Some l then weight N j l else 0).
have coefE j (i : 'I_n) : (p j)`_i = weight N j i by rewrite coef_poly ltn_ord valK.
have p_neq0 j : j \in A -> p j != 0.
  by case/A_neq0=> i; apply: contraNneq => p0; rewrite -coefE p0 coef0.
pose q := \prod_(j in A) p j; pose ts : seq R := [seq t%:R | t <- iota 0 (size q)].
have [/(max_poly_roots _) few | ] := boolP (all (root q) ts).
  suff : (size ts < size q)%N by rewrite size_map size_iota ltnn.
  apply: few; first by rewrite /q; apply/prodf_neq0.
  by rewrite map_inj_uniq ?iota_uniq // => a b /eqP; rewrite eqr_nat => /eqP.
case/allPn=> t _ not_root; exists (fun i => t ^+ i) => j jA.
have -> : form j (fun i : 'I_n => t ^+ i) = (p j).[t].
  by rewrite horner_poly; apply: eq_bigr => i _; rewrite valK.
by apply: contra not_root => pt; rewrite /q rootE horner_prod (bigD1 j) //= (eqP pt) mul0r.
Qed.

Theorem half_active (A : {set J}) : (forall j, j \in A -> exists i, weight N j i != 0) ->
  exists p : 'I_n -> R, (#|A| <= 2 * #|active_at N p|)%N.
Proof.
move=> A_neq0; have [d d_neq0] := generic_direction A_neq0.
pose T := 1 + \sum_(j in A) `|bias N j| / `|form j d|.
have far j : j \in A -> `|bias N j| < T * `|form j d|.
  move=> jA; have f_gt0 : 0 < `|form j d| by rewrite normr_gt0 d_neq0.
  rewrite -ltr_pdivrMr // /T (bigD1 j) //= addrCA ltrDl ltr_wpDr ?ltr01 //.
  by apply: sumr_ge0 => l _; rewrite divr_ge0.
pose at_ (e : R) := active_at N (fun i => e * T * d i).
have active j e : j \in A -> 0 < e * form j d -> `|e| = 1 -> j \in at_ e.
  move=> jA pos e1; rewrite inE /preactivation subr_gt0.
  have -> : \sum_i weight N j i * (e * T * d i) = T * (e * form j d).
    by rewrite mulrA !mulr_sumr; apply: eq_bigr => i _; rewrite mulrCA [T * e]mulrC.
  apply: le_lt_trans (ler_norm _) _; rewrite -(gtr0_norm pos) normrM e1 mul1r.
  exact: far.
have covered : A \subset at_ 1 :|: at_ (-1)%R.
  apply/subsetP=> j jA; rewrite inE; have := d_neq0 j jA; rewrite neq_lt => /orP[neg | pos].
    by rewrite [X in _ || X]active ?orbT ?mulN1r ?oppr_gt0 ?normrN1.
  by rewrite active ?mul1r ?normr1.
have sum : (#|A| <= #|at_ 1%R| + #|at_ (-1)%R|)%N.
  by apply: leq_trans (subset_leq_card covered) _; rewrite cardsU leq_subr.
have [le | lt] := leqP #|at_ 1%R| #|at_ (-1)%R|.
  by exists (fun i => -1 * T * d i); rewrite (leq_trans sum) // mul2n -addnn leq_add2r.
by exists (fun i => 1 * T * d i); rewrite (leq_trans sum) // mul2n -addnn leq_add2l ltnW.
Qed.

Theorem whole_space :
  ((forall j, exists i, weight N j i != 0) ->
     exists p : 'I_n -> R, (#|J| <= 2 * #|active_at N p|)%N)
  /\ forall k, sparse_on (fun p : 'I_n -> R => p) k N ->
     (#|[set j | [exists i, (weight N j i != 0)%R]]| <= 2 * k)%N.
Proof.
split=> [neq0 | k sparseN].
  have [p] := @half_active setT (fun j _ => neq0 j); rewrite cardsT => half; by exists p.
have [|p half] := @half_active [set j | [exists i, weight N j i != 0]].
  by move=> j; rewrite inE => /existsP.
by apply: leq_trans half _; rewrite leq_mul2l sparseN.
Qed.

End Space.
