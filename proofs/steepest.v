(* Networks of several layers at which the bounds of exceptions.v are         *)
(* attained: one that uses one bit only, and one that is active at one corner *)
(* of the cube only.                                                          *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- One bit --------------------------------------------------------------- *)

Section Steepest.

Variables (R : rcfType) (width k : nat -> nat) (D : nat) (W : nat -> R) (U : R).
Hypotheses (width_gt0 : (0 < width 0%N)%N) (k_gt0 : forall l, (0 < k l)%N).
Hypothesis k_width : forall l, (k l <= width l.+1)%N.
Hypotheses (W_ge0 : forall l, 0 <= W l) (U_ge0 : 0 <= U).
Implicit Types (x : cube 'I_(width 0%N)) (l : nat).

Definition two_sided l := minn (2 * k l) (width l.+1).

(* The sign of neuron j of layer l: it is active at one end only, 1 or -1, or *)
(* silent. Of the inputs only the first counts.                               *)
Definition side l (j : nat) : R :=
  if l is l'.+1 then (if (j < k l')%N then 1 else if (j < two_sided l')%N then -1 else 0)
  else (j == 0%N)%:R.
Definition sided l := if l is l'.+1 then two_sided l' else 1%N.

(* The value of the neurons that are active, and sum_j side_j y_j at x_1 = 1  *)
(* and at x_1 = -1.                                                           *)
Fixpoint height l : R := if l is l'.+1 then W l' * Num.sqrt (sided l')%:R * height l' else 2%:R.
Definition total l (minus : bool) : R :=
  if l is l'.+1 then (if minus then - ((two_sided l' - k l')%:R * height l) else (k l')%:R * height l)
  else (-1) ^+ minus.

Definition row l : R := W l / Num.sqrt (sided l)%:R.
Definition steep_weight l (j : 'I_(width l.+1)) (i : 'I_(width l)) : R := row l * side l.+1 j * side l i.
Definition steep_bias l (j : 'I_(width l.+1)) : R :=
  row l * side l.+1 j * total l (0 < side l.+1 j).
Definition steep_outer (j : 'I_(width D.+1)) : R := U * side D.+1 j.

Lemma k_two l : (k l <= two_sided l)%N.
Proof. by rewrite leq_min k_width mul2n -addnn leq_addr. Qed.

Lemma sided_gt0 l : (0 < sided l)%N.
Proof. by case: l => // l; apply: leq_trans (k_gt0 l) (k_two l). Qed.

Lemma sided_width l : (sided l <= width l)%N.
Proof. by case: l => // l; apply: geq_minr. Qed.

(* Sums over the sides.                                                       *)
Lemma sum_below (n m : nat) (c : R) : (m <= n)%N -> \sum_(j < n) (if (j < m)%N then c else 0) = m%:R * c.
Proof.
move=> mn; rewrite -big_mkcond -(big_ord_widen n (fun=> c) mn) sumr_const card_ord.
by rewrite mulr_natl.
Qed.

Lemma sum_side_sqr l : \sum_(j < width l) side l j ^+ 2 = (sided l)%:R.
Proof.
case: l => [|l] /=.
  rewrite (bigD1 (Ordinal width_gt0)) //= expr1n big1 ?addr0 // => i.
  by rewrite -val_eqE => /negPf /= ->; rewrite expr0n.
rewrite -[RHS]mulr1 -(@sum_below (width l.+1)) ?geq_minr //; apply: eq_bigr => j _.
case: (ltnP j (k l)) => [jk | _]; first by rewrite (leq_trans jk (k_two l)) expr1n.
by case: ifP; rewrite ?sqrrN ?expr1n ?expr0n.
Qed.

Lemma total_change l : total l false - total l true = height l * (sided l)%:R.
Proof.
case: l => [|l]; first by rewrite /= mulr1 opprK.
rewrite [total _ _]/= [total _ true]/= opprK -mulrDl -natrD subnKC ?k_two // mulrC.
by [].
Qed.

Lemma sum_side_active l (minus : bool) : 
  \sum_(j < width l.+1) side l.+1 j * (if side l.+1 j == (-1) ^+ minus then height l.+1 else 0)
  = total l.+1 minus.
Proof.
have one_neq : (1 == -1 :> R) = false.
  by rewrite -addr_eq0 -mulr2n pnatr_eq0.
case: minus => /=; last first.
  rewrite -(@sum_below (width l.+1)) //; apply: eq_bigr => j _.
  case: (ltnP j (k l)) => _; first by rewrite eqxx mul1r.
  by case: ifP => _; rewrite ?mul0r // eq_sym one_neq mulr0.
set a := W l * _ * _.
have -> : - ((two_sided l - k l)%:R * a) = (two_sided l)%:R * (- a) + (k l)%:R * a.
  by rewrite natrB ?k_two // mulrBl opprB mulrN addrC.
have two_a := @sum_below (width l.+1) (two_sided l) (- a) (geq_minr _ _).
rewrite -two_a -(@sum_below (width l.+1) (k l) a) //.
rewrite -big_split; apply: eq_bigr => j _ /=.
case: (ltnP j (k l)) => [jk | _]; first by rewrite one_neq mulr0 (leq_trans jk (k_two l)) addNr.
by rewrite addr0; case: ifP => _; rewrite ?mul0r // eqxx mulN1r.
Qed.

Let first : 'I_(width 0%N) := Ordinal width_gt0.
Local Notation y l x := (@layer R width steep_weight steep_bias l (coord R x)).
Local Notation z l x := (@layer_preactivation R width steep_weight steep_bias l (coord R x)).

Lemma row_height l : row l * (height l * (sided l)%:R) = height l.+1.
Proof.
have s_gt0 : 0 < Num.sqrt (sided l)%:R :> R by rewrite sqrtr_gt0 ltr0n sided_gt0.
rewrite /row /= -{2}[(sided l)%:R](@sqr_sqrtr R) ?ler0n // expr2 [height l * _]mulrC.
by rewrite -!mulrA mulKf ?gt_eqF.
Qed.

Lemma height_ge0 l : 0 <= height l.
Proof. by elim: l => [|l IH] /=; rewrite ?ler0n // !mulr_ge0 ?sqrtr_ge0. Qed.

Lemma steep_preactivation l x j : \sum_(i < width l) side l i * y l x i = total l (x first) ->
  z l x j = if side l.+1 j == (-1) ^+ x first then height l.+1 else 0.
Proof.
move=> total_x; rewrite /layer_preactivation.
have -> : \sum_i steep_weight j i * y l x i = row l * side l.+1 j * \sum_(i < width l) side l i * y l x i.
  by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite [RHS]mulrA.
rewrite total_x /steep_bias -mulrBr -row_height -total_change.
have one_neq : (1 == -1 :> R) = false by rewrite -addr_eq0 -mulr2n pnatr_eq0.
rewrite [side l.+1 j]/=; case: (ltnP j (k l)) => _.
  rewrite ltr01 mulr1; case: (x first); first by rewrite one_neq subrr mulr0.
  by rewrite eqxx.
case: ifP => _; last by rewrite mulr0 mul0r eq_sym signr_eq0.
rewrite ltr0N1; case: (x first); last by rewrite eq_sym one_neq subrr mulr0.
by rewrite eqxx mulrN1 mulNr -mulrN opprB.
Qed.

Lemma steep_layer l x : \sum_(i < width l) side l i * y l x i = total l (x first)
  /\ (forall j, z l x j = if side l.+1 j == (-1) ^+ x first then height l.+1 else 0).
Proof.
suff totals : \sum_(i < width l) side l i * y l x i = total l (x first).
  by split=> // j; apply: steep_preactivation.
elim: l => [|l IH].
  rewrite (bigD1 first) //= mul1r big1 ?addr0 // => i; rewrite -val_eqE => /negPf /= ->.
  by rewrite mul0r.
rewrite -sum_side_active; apply: eq_bigr => j _; congr (_ * _).
have -> : y l.+1 x j = relu (z l x j) by [].
rewrite (steep_preactivation _ IH); case: ifP => _; last exact: relu_neg.
by rewrite relu_pos ?height_ge0.
Qed.

Theorem steep_active l x : (#|layer_active steep_weight steep_bias l (coord R x)| <= k l)%N.
Proof.
have [_ z_x] := steep_layer l x.
have one_neq : (1 == -1 :> R) = false by rewrite -addr_eq0 -mulr2n pnatr_eq0.
have card_le (P : pred 'I_(width l.+1)) (f : 'I_(width l.+1) -> nat) :
    {in P &, injective f} -> (forall j, P j -> f j < k l)%N ->
    (forall j, j \in layer_active steep_weight steep_bias l (coord R x) -> P j) ->
    (#|layer_active steep_weight steep_bias l (coord R x)| <= k l)%N.
  move=> f_inj f_lt sub; rewrite -[k l]card_ord.
  have g_lt (j : {j | P j}) : (f (val j) < k l)%N by apply: f_lt; apply: valP.
  apply: (@leq_trans #|[set j | P j]|).
    by apply/subset_leq_card/subsetP => j /sub; rewrite inE.
  rewrite cardsE -card_sig; apply: (@leq_card _ _ (fun j => Ordinal (g_lt j))).
  by move=> i j [/f_inj ij]; apply/val_inj/ij; apply: valP.
case x1: (x first).
  apply: (card_le (fun j => (k l <= j < two_sided l)%N) (fun j => j - k l)%N) => [i j|j|j].
  - move=> /andP[ki _] /andP[kj _] /(congr1 (addn^~ (k l))); rewrite !subnK //.
    exact: val_inj.
  - case/andP=> kj; rewrite leq_min mul2n -addnn => /andP[j2 _].
    by rewrite ltn_subLR.
  rewrite inE z_x x1 /=; case: ltnP => kj; first by rewrite one_neq ltxx.
  by case: (j < two_sided l)%N => //=; rewrite eq_sym signr_eq0 ltxx.
apply: (card_le (fun j => (j < k l)%N) val) => [i j _ _ /val_inj // | // | j].
rewrite inE z_x x1 /=; case: ltnP => // kj.
by case: (j < two_sided l)%N; rewrite expr0 eq_sym ?one_neq ?oner_eq0 ltxx.
Qed.

Theorem steep_row l j : sqnorm (@steep_weight l j) <= W l ^+ 2.
Proof.
rewrite /sqnorm /steep_weight; under eq_bigr => i _ do rewrite exprMn.
rewrite -mulr_sumr sum_side_sqr exprMn mulrAC.
have -> : row l ^+ 2 * (sided l)%:R = W l ^+ 2.
  by rewrite exprMn exprVn sqr_sqrtr ?ler0n // mulfVK // pnatr_eq0 -lt0n sided_gt0.
rewrite -[leRHS]mulr1 ler_wpM2l ?sqr_ge0 //= ; case: ifP => _; first by rewrite expr1n.
by case: ifP => _; rewrite ?sqrrN ?expr1n ?expr0n ?ler01.
Qed.

Theorem steep_outer_le j : `|steep_outer j| <= U.
Proof.
rewrite normrM ger0_norm // -[leRHS]mulr1 ler_wpM2l //=; case: ifP => _; first by rewrite normr1.
by case: ifP => _; rewrite ?normrN1 ?normr0 ?ler01.
Qed.

Lemma height_sqr l : height l ^+ 2 = 4%:R * \prod_(i < l) (W i ^+ 2 * (sided i)%:R).
Proof.
elim: l => [|l IH] /=; first by rewrite big_ord0 mulr1 -natrX.
by rewrite big_ord_recr /= !exprMn IH sqr_sqrtr ?ler0n // mulrC -mulrA.
Qed.

Theorem steep_sensitivity :
  average_sensitivity (fun x => \sum_j steep_outer j * y D.+1 x j)
  = U ^+ 2 * (\prod_(l < D.+1) W l ^+ 2) * (two_sided D * \prod_(l < D.+1) two_sided l)%:R.
Proof.
have h_total x : \sum_j steep_outer j * y D.+1 x j = U * total D.+1 (x first).
  rewrite -(steep_layer D.+1 x).1 mulr_sumr; apply: eq_bigr => j _.
  by rewrite /steep_outer mulrA.
set c := (X in _ = X); have <- : mean (fun _ : cube 'I_(width 0%N) => c) = c := mean_const _ c.
apply: eq_mean => x; rewrite {}/c.
rewrite /sensitivity (bigD1 first) //= [X in _ + X]big1 ?addr0 => [|i i1]; last first.
  by rewrite !h_total ffunE eq_sym (negPf i1) addbF subrr expr0n mul0r.
rewrite !h_total ffunE eqxx addbT -mulrBr exprMn.
have -> : (total D.+1 (x first) - total D.+1 (~~ x first)) ^+ 2 = (height D.+1 * (two_sided D)%:R) ^+ 2.
  by rewrite -[two_sided D]/(sided D.+1) -total_change; case: (x first) => //; rewrite -sqrrN opprB.
have shift : (\prod_(i < D.+1) sided i * two_sided D)%N = (\prod_(i < D.+1) two_sided i)%N.
  by rewrite big_ord_recl mul1n big_ord_recr.
have heights : \prod_(i < D.+1) (W i ^+ 2 * (sided i)%:R) * (two_sided D)%:R
    = \prod_(i < D.+1) W i ^+ 2 * (\prod_(i < D.+1) two_sided i)%:R.
  by rewrite big_split -natr_prod -mulrA -natrM shift.
rewrite exprMn height_sqr natrM; move: heights.
set P := \prod_(i < D.+1) (W i ^+ 2 * (sided i)%:R); set A := \prod_(i < D.+1) W i ^+ 2.
move: P A (U ^+ 2) (two_sided D)%:R (\prod_(i < D.+1) two_sided i)%:R => P A U2 M T heights.
rewrite -[4%:R * P * _]mulrA [U2 * (4%:R * _)]mulrCA [LHS]mulrC mulKf ?pnatr_eq0 //.
by rewrite expr2 [P * _]mulrA heights -!mulrA [T * M]mulrC.
Qed.

End Steepest.

(* ---- One corner ------------------------------------------------------------ *)

Section Corner.

Variables (R : rcfType) (width : nat -> nat) (D : nat) (W : nat -> R) (U : R).
Hypotheses (width_gt0 : forall l, (0 < width l)%N) (W_gt0 : forall l, 0 < W l) (U_ge0 : 0 <= U).
Implicit Types (x : cube 'I_(width 0%N)) (l : nat).

Definition corner_row l : R := W l / Num.sqrt (width l)%:R.
Definition corner_weight l (j : 'I_(width l.+1)) (i : 'I_(width l)) : R := corner_row l.
Definition corner_bias l (j : 'I_(width l.+1)) : R :=
  if l is 0%N then corner_row 0%N * ((width 0%N)%:R - 2%:R) else 0.

(* The corner, and the value of each neuron of layer l there.                 *)
Definition corner : cube 'I_(width 0%N) := [ffun=> false].
Fixpoint corner_height l : R :=
  if l is l'.+1 then W l' * Num.sqrt (width l')%:R * corner_height l' else 2%:R / (width 0%N)%:R.

Local Notation y l x := (@layer R width corner_weight corner_bias l (coord R x)).
Local Notation z l x := (@layer_preactivation R width corner_weight corner_bias l (coord R x)).

Lemma row_corner l c : corner_row l * ((width l)%:R * c) = W l * Num.sqrt (width l)%:R * c.
Proof.
have s_gt0 : 0 < Num.sqrt (width l)%:R :> R by rewrite sqrtr_gt0 ltr0n width_gt0.
rewrite /corner_row -{2}[(width l)%:R](@sqr_sqrtr R) ?ler0n // expr2.
by rewrite -!mulrA mulKf ?gt_eqF.
Qed.

Lemma corner_row_gt0 l : 0 < corner_row l.
Proof. by rewrite divr_gt0 ?sqrtr_gt0 ?ltr0n. Qed.

Lemma corner_height_gt0 l : 0 < corner_height l.
Proof.
by elim: l => [|l IH] /=; rewrite ?divr_gt0 ?ltr0n // !mulr_gt0 ?sqrtr_gt0 ?ltr0n.
Qed.

Lemma sum_coord_corner : \sum_i coord R corner i = (width 0%N)%:R.
Proof.
under eq_bigr => i _ do rewrite /coord ffunE expr0.
by rewrite sumr_const card_ord.
Qed.

Lemma sum_coord_le x : x != corner -> \sum_i coord R x i <= (width 0%N)%:R - 2%:R.
Proof.
case/exists_neq => i; rewrite ffunE => x_i; rewrite (bigD1 i) //= {1}/coord; case: (x i) x_i => // _.
rewrite expr1 addrC; apply: (@le_trans _ _ (\sum_(j | j != i) 1 - 1)).
  rewrite lerD2r; apply: ler_sum => j _; apply: le_trans (ler_norm _) _.
  by rewrite norm_coord.
have -> : (width 0%N)%:R = \sum_(j : 'I_(width 0%N)) 1 :> R by rewrite sumr_const card_ord.
by rewrite [X in _ <= X - _](bigD1 i) //= -[2%:R]/(1 + 1) [1 + \sum_(_ | _) _]addrC opprD addrA addrK.
Qed.

Lemma corner_preactivation l j :
  (z l corner j = corner_height l.+1) /\ forall x, x != corner -> z l x j <= 0.
Proof.
have sum_row m x (k : 'I_(width m.+1)) :
    z m x k = corner_row m * (\sum_i y m x i) - corner_bias k.
  by rewrite /layer_preactivation mulr_sumr.
elim: l j => [|l IH] j.
  split=> [|x x_corner]; rewrite sum_row /corner_bias -mulrBr.
    rewrite [\sum_i _]sum_coord_corner opprB addrC subrK /=.
    by rewrite -row_corner; congr (_ * _); rewrite mulrCA divff ?mulr1 ?pnatr_eq0 -?lt0n.
  by rewrite pmulr_rle0 ?corner_row_gt0 // subr_le0 sum_coord_le.
split=> [|x x_corner]; rewrite sum_row subr0.
  rewrite -[RHS]/(W l.+1 * Num.sqrt (width l.+1)%:R * corner_height l.+1) -row_corner; congr (_ * _); rewrite mulr_natl -[in RHS](card_ord (width l.+1)) -sumr_const.
  apply: eq_bigr => i _; rewrite -[LHS]/(relu (z l corner i)) (IH i).1 relu_pos //.
  exact/ltW/corner_height_gt0.
rewrite big1 ?mulr0 // => i _; rewrite -[LHS]/(relu (z l x i)).
by rewrite relu_neg // (IH i).2.
Qed.

Lemma corner_layer x j : y D.+1 x j = corner_height D.+1 * (x == corner)%:R.
Proof.
rewrite -[LHS]/(relu (z D x j)); have [at_c off_c] := corner_preactivation j.
have [->|x_c] := eqVneq x corner; last by rewrite mulr0 relu_neg ?off_c.
by rewrite mulr1 at_c relu_pos // ltW ?corner_height_gt0.
Qed.

Theorem corner_norm l j : sqnorm (@corner_weight l j) <= W l ^+ 2.
Proof.
rewrite /sqnorm /corner_weight sumr_const card_ord -[leLHS]mulr_natr /corner_row exprMn exprVn.
by rewrite sqr_sqrtr ?ler0n // mulfVK // pnatr_eq0 -lt0n.
Qed.

Theorem corner_probability :
  probability R (fun x => [exists l : 'I_D.+1,
    (0 < #|layer_active corner_weight corner_bias l (coord R x)|)%N]) = 2%:R ^- width 0%N.
Proof.
have active_iff x : [exists l : 'I_D.+1,
    (0 < #|layer_active corner_weight corner_bias l (coord R x)|)%N] = (x == corner).
  apply/existsP/eqP => [[l] | ->].
    case/card_gt0P => j; rewrite inE; apply: contraTeq => x_c.
    by rewrite -leNgt (corner_preactivation j).2.
  exists ord0; apply/card_gt0P; exists (Ordinal (width_gt0 1)).
  by rewrite inE (corner_preactivation _).1 corner_height_gt0.
rewrite /probability /mean; under eq_bigr => x _ do rewrite active_iff.
rewrite (bigD1 corner) //= eqxx big1 ?addr0 => [|x /negPf-> //].
by rewrite card_cube card_ord natrX mul1r.
Qed.

Lemma mean_corner : mean (fun x => (x == corner)%:R) = 2%:R ^- width 0%N :> R.
Proof.
rewrite /mean (bigD1 corner) //= eqxx big1 ?addr0 => [|x /negPf-> //].
by rewrite card_cube card_ord natrX mul1r.
Qed.

Lemma corner_height_sqr l : corner_height l ^+ 2
  = (2%:R / (width 0%N)%:R) ^+ 2 * \prod_(i < l) (W i ^+ 2 * (width i)%:R).
Proof.
elim: l => [|l IH] /=; first by rewrite big_ord0 mulr1.
by rewrite big_ord_recr /= exprMn IH [(W l * _) ^+ 2]exprMn sqr_sqrtr ?ler0n // mulrC -mulrA.
Qed.

Theorem corner_sensitivity :
  average_sensitivity (fun x => \sum_j U * y D.+1 x j)
  = U ^+ 2 * (\prod_(l < D.+1) W l ^+ 2)
    * (2%:R * 2%:R ^- width 0%N * (width D.+1 * \prod_(l < D.+1) width l.+1)%:R).
Proof.
pose H := U * ((width D.+1)%:R * corner_height D.+1).
have h_x x : \sum_j U * y D.+1 x j = H * (x == corner)%:R.
  under eq_bigr => j _ do rewrite corner_layer.
  by rewrite sumr_const card_ord -[LHS]mulr_natl /H !mulrA [_ * U]mulrC.
have edge x i : (H * (x == corner)%:R - H * (flip x i == corner)%:R) ^+ 2 / 4%:R
    = H ^+ 2 / 4%:R * (x == corner)%:R + H ^+ 2 / 4%:R * (flip x i == corner)%:R.
  have [->|_] := eqVneq x corner; have [e|_] := eqVneq (flip _ i) corner.
  - by move/ffunP/(_ i): e; rewrite !ffunE eqxx.
  - by rewrite !mulr0 mulr1 subr0 addr0 mulr1.
  - by rewrite !mulr0 mulr1 sub0r sqrrN add0r mulr1.
  by rewrite !mulr0 subrr expr0n mul0r addr0.
have -> : average_sensitivity (fun x => \sum_j U * y D.+1 x j)
    = \sum_(i < width 0%N) (H ^+ 2 / 4%:R * 2%:R ^- width 0%N + H ^+ 2 / 4%:R * 2%:R ^- width 0%N).
  rewrite /average_sensitivity mean_sum; apply: eq_bigr => i _.
  under eq_mean => x do rewrite !h_x edge.
  by rewrite meanD !meanZ (mean_flip (fun x => (x == corner)%:R)) mean_corner.
rewrite sumr_const card_ord -[LHS]mulr_natl -mulr2n -[_ *+ 2]mulr_natl.
have N0 : (width 0%N)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have widths : (\prod_(i < D.+1) (width i)%:R : R) = (width 0%N)%:R * \prod_(i < D) (width i.+1)%:R.
  by rewrite big_ord_recl.
have H2 : H ^+ 2 = 4%:R * (U ^+ 2 * ((width D.+1)%:R ^+ 2 * ((width 0%N)%:R^-1
    * (\prod_(i < D.+1) W i ^+ 2 * \prod_(i < D) (width i.+1)%:R)))).
  rewrite /H exprMn [(_ * corner_height _) ^+ 2]exprMn corner_height_sqr big_split /= widths.
  rewrite [(2%:R / _) ^+ 2]exprMn -four; set A := \prod_(i < D.+1) _; set T := \prod_(i < D) _.
  move: (U ^+ 2) ((width D.+1)%:R ^+ 2) => U2 s2; move: A T (width 0%N)%:R N0 => A T N N0.
  rewrite -mulrA [A * (N * T)]mulrCA expr2 -[N^-1 * N^-1 * _]mulrA [N^-1 * (N * _)]mulKf //.
  by rewrite (mulrCA s2 4%:R) (mulrCA U2 4%:R).
have later : (\prod_(l < D.+1) width l.+1)%:R = \prod_(i < D) (width i.+1)%:R * (width D.+1)%:R :> R.
  by rewrite natr_prod big_ord_recr.
rewrite {}H2 natrM later; set A := \prod_(i < D.+1) _; set T := \prod_(i < D) _.
move: (2%:R ^- _) A T (width 0%N)%:R N0 (width D.+1)%:R (U ^+ 2) => p A T N N0 s U2.
rewrite [4%:R * _]mulrC mulfK ?pnatr_eq0 // (mulrCA (s ^+ 2)) (mulrCA U2 N^-1) -(mulrA N^-1).
rewrite (mulrCA 2%:R N^-1) mulVKf // expr2 -!mulrA (mulrCA 2%:R U2); congr (_ * _).
rewrite (mulrCA A 2%:R); congr (_ * _).
rewrite (mulrCA s A) (mulrCA s A) (mulrCA p s); congr (_ * (_ * _)).
by rewrite [LHS]mulrC -mulrA [RHS]mulrCA.
Qed.

End Corner.
