(* Several layers, edge by edge. If at most q_l neurons of layer l are active *)
(* at one or both ends of the edge from x to x',                              *)
(*   (h(x) - h(x'))^2 / 4 <= U^2 q_D prod_(l >= 2) q_l W_l^2 sum_j w_ji^2,    *)
(* j over the active neurons of the first layer. So AS is at most             *)
(* U^2 min(2k_D, s_D) prod min(2k_l, s_l) W_l^2, and with exceptions on a     *)
(* share eta of the cube at most the same with 2k_l, plus 2 eta U^2 s_D prod  *)
(* s_l W_l^2.                                                                 *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat identities definitions cube network average_sensitivity depth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Layers.

Variables (R : realFieldType) (width : nat -> nat) (D : nat).
Variable w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R.
Variable b : forall l, 'I_(width l.+1) -> R.
Variables (u : 'I_(width D.+1) -> R) (W : nat -> R) (U : R).
Hypothesis uU : forall j, `|u j| <= U.
Hypothesis wW : forall l j, (l <= D)%N -> sqnorm (@w l j) <= W l ^+ 2.
Implicit Types (x : cube 'I_(width 0%N)) (i : 'I_(width 0%N)) (l : nat).

Local Notation y l x := (@layer R width w b l (coord R x)).
Local Notation awake l x := (layer_active w b l (coord R x)).
Local Notation either l x i := (awake l x :|: awake l (flip x i)).

Let h x := \sum_j u j * y D.+1 x j.

(* How much layer l changes along the edge.                                   *)
Let change l x i := \sum_j (y l x j - y l (flip x i) j) ^+ 2.

Lemma change_ge0 l x i : 0 <= change l x i.
Proof. by apply: sumr_ge0 => j _; apply: sqr_ge0. Qed.

(* sum_j w_ji^2 over the neurons of a set A of the first layer.               *)
Definition first_weights (A : {set 'I_(width 1%N)}) i : R := \sum_(j in A) w j i ^+ 2.

Lemma first_weights_ge0 A i : 0 <= first_weights A i.
Proof. by apply: sumr_ge0 => j _; apply: sqr_ge0. Qed.

Lemma first_weights_setU A B i : first_weights (A :|: B) i <= first_weights A i + first_weights B i.
Proof.
rewrite /first_weights 3!(big_mkcond (fun j => j \in _)) -big_split /=; apply: ler_sum => j _.
by rewrite inE; do 2!case: (_ \in _); rewrite ?addr0 ?add0r ?lerDl ?sqr_ge0.
Qed.

Lemma sum_first_weights A : \sum_i first_weights A i <= #|A|%:R * W 0%N ^+ 2.
Proof.
rewrite /first_weights exchange_big mulr_natl -sumr_const.
by apply: ler_sum => j _; apply: wW.
Qed.

Lemma first_change x i : change 1%N x i <= 4%:R * first_weights (either 0%N x i) i.
Proof.
rewrite /first_weights mulr_sumr [leRHS]big_mkcond; apply: ler_sum => j _.
apply: le_trans (relu_change (@w 0%N) (@b 0%N) (coord R x) (coord R (flip x i)) j) _.
rewrite -[_ :|: _]/(either 0%N x i); case: ifP => // _.
rewrite (bigD1 i) //= big1 ?addr0 => [|m mi]; last by rewrite (coord_flip_off R x mi) subrr mulr0.
rewrite coord_flip eqxx opprK -mulr2n -[coord R x i *+ 2]mulr_natl !exprMn -four.
by rewrite [coord R x i ^+ 2]coord_sqr mulr1 mulrC.
Qed.

Lemma next_change (q : nat) l x i : (l <= D)%N -> (#|either l x i| <= q)%N ->
  change l.+1 x i <= q%:R * W l ^+ 2 * change l x i.
Proof.
move=> lD few; apply: (@le_trans _ _ (\sum_(j in either l x i) W l ^+ 2 * change l x i)).
  rewrite [leRHS]big_mkcond; apply: ler_sum => j _.
  apply: le_trans (relu_change (@w l) (@b l) (y l x) (y l (flip x i)) j) _.
  rewrite -[_ :|: _]/(either l x i); case: ifP => // _; apply: le_trans (Cauchy_Schwarz _ _ _) _.
  by apply: ler_wpM2r (wW _ lD); apply: change_ge0.
rewrite sumr_const -[leLHS]mulr_natl mulrA ler_wpM2r ?change_ge0 //.
by rewrite ler_wpM2r ?sqr_ge0 // ler_nat.
Qed.

Section Edge.

Variable q : nat -> nat.

Definition upper_layers : R := U ^+ 2 * (q D)%:R * \prod_(1 <= l < D.+1) ((q l)%:R * W l ^+ 2).

Lemma upper_layers_ge0 : 0 <= upper_layers.
Proof.
apply: mulr_ge0; first by rewrite mulr_ge0 ?sqr_ge0 ?ler0n.
by apply: prodr_ge0 => l _; rewrite mulr_ge0 ?sqr_ge0 ?ler0n.
Qed.

Lemma edge_bound x i : (forall l, (l <= D)%N -> (#|either l x i| <= q l)%N) ->
  (h x - h (flip x i)) ^+ 2 / 4%:R <= upper_layers * first_weights (either 0%N x i) i.
Proof.
move=> few; set c := first_weights _ _.
have qW_ge0 l : 0 <= (q l)%:R * W l ^+ 2 by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
have bound l : (l <= D)%N ->
    change l.+1 x i <= \prod_(1 <= m < l.+1) ((q m)%:R * W m ^+ 2) * (4%:R * c).
  elim: l => [_ | l IH lD]; first by rewrite big_geq // mul1r first_change.
  apply: le_trans (next_change lD (few _ lD)) _.
  by rewrite big_nat_recr //= [leRHS]mulrAC [leRHS]mulrC ler_wpM2l // IH // ltnW.
have -> : h x - h (flip x i) = \sum_(j in either D x i) u j * (y D.+1 x j - y D.+1 (flip x i) j).
  rewrite /h -sumrB [RHS]big_mkcond; apply: eq_bigr => j _; rewrite -mulrBr; case: ifPn => //.
  by rewrite !inE negb_or -!leNgt => /andP[out out']; rewrite /= !relu_neg // subrr mulr0.
rewrite ler_pdivrMr ?ltr0n //; apply: le_trans (sqr_sum_le _ _) _.
apply: (@le_trans _ _ ((q D)%:R * (U ^+ 2 * change D.+1 x i))).
  apply: ler_pM; rewrite ?ler0n ?ler_nat ?few //; first by apply: sumr_ge0 => j _; apply: sqr_ge0.
  rewrite mulr_sumr [leLHS]big_mkcond; apply: ler_sum => j _; case: ifP => _.
    by rewrite exprMn; apply: ler_wpM2r; rewrite ?sqr_ge0 ?ler_norm_sqr.
  by apply: mulr_ge0; apply: sqr_ge0.
apply: (@le_trans _ _ ((q D)%:R * (U ^+ 2 * (\prod_(1 <= l < D.+1) ((q l)%:R * W l ^+ 2) * (4%:R * c))))).
  by rewrite ler_wpM2l ?ler0n // ler_wpM2l ?sqr_ge0 // bound.
by rewrite /upper_layers; move: (U ^+ 2) => U2; rewrite -!mulrA [leLHS]mulrCA [c * _]mulrC.
Qed.

End Edge.

(* ---- Two kinds of points -------------------------------------------------- *)

Lemma two_kinds (C C' : R) (k : nat) (bad : pred (cube 'I_(width 0%N))) :
    0 <= C -> 0 <= C' ->
    (forall x i, ~~ bad x -> ~~ bad (flip x i) ->
       (h x - h (flip x i)) ^+ 2 / 4%:R <= C * first_weights (either 0%N x i) i) ->
    (forall x i, (h x - h (flip x i)) ^+ 2 / 4%:R <= C' * first_weights setT i) ->
    (forall x, ~~ bad x -> (#|awake 0%N x| <= k)%N) ->
  average_sensitivity h
  <= C * ((2 * k)%:R * W 0%N ^+ 2)
     + 2%:R * probability R bad * (C' * ((width 1%N)%:R * W 0%N ^+ 2)).
Proof.
move=> C0 C'0 good any few.
pose e i x := if bad x then C' * first_weights setT i else C * first_weights (awake 0%N x) i.
have e_ge0 i x : 0 <= e i x by rewrite /e; case: ifP => _; rewrite mulr_ge0 ?first_weights_ge0.
apply: (@le_trans _ _ (2%:R * mean (fun x => \sum_i e i x))).
  apply: mean_flips_le => x i; case: (boolP (bad x)) => bx.
    by apply: le_trans (any x i) _; rewrite [e i x]/e bx lerDl.
  case: (boolP (bad (flip x i))) => by'.
    by apply: le_trans (any x i) _; rewrite [e i (flip x i)]/e by' lerDr.
  apply: le_trans (good x i bx by') _; rewrite /e (negPf bx) (negPf by') -mulrDr.
  by rewrite ler_wpM2l // first_weights_setU.
apply: (@le_trans _ _ (2%:R * mean (fun x => C * (k%:R * W 0%N ^+ 2)
    + C' * ((width 1%N)%:R * W 0%N ^+ 2) * (bad x)%:R))).
  rewrite ler_wpM2l ?ler0n //; apply: mean_le => x; rewrite /e; case bx: (bad x).
    rewrite mulr1 -mulr_sumr; apply: ler_wpDl; first by do 2!rewrite mulr_ge0 ?ler0n ?sqr_ge0 //.
    by rewrite ler_wpM2l // -[X in _ <= X%:R * _]card_ord -cardsT; apply: sum_first_weights.
  rewrite mulr0 addr0 -mulr_sumr ler_wpM2l //; apply: le_trans (sum_first_weights _) _.
  by rewrite ler_wpM2r ?sqr_ge0 // ler_nat few ?bx.
rewrite meanD mean_const meanZ mulrDr lerD //.
  by rewrite natrM -!mulrA [leLHS]mulrCA.
by rewrite -[leRHS]mulrA [X in _ <= _ * X]mulrC.
Qed.

(* ---- The two bounds -------------------------------------------------------- *)

Lemma upper_layers_first (q : nat -> nat) : upper_layers q * ((q 0%N)%:R * W 0%N ^+ 2)
  = U ^+ 2 * (\prod_(l < D.+1) W l ^+ 2) * (q D * \prod_(l < D.+1) q l)%:R.
Proof.
have split_first : (q 0%N)%:R * W 0%N ^+ 2 * \prod_(1 <= l < D.+1) ((q l)%:R * W l ^+ 2)
    = (\prod_(l < D.+1) q l)%:R * \prod_(l < D.+1) W l ^+ 2.
  rewrite natr_prod -big_split /= -(big_mkord xpredT (fun l => (q l)%:R * W l ^+ 2)).
  by rewrite [RHS]big_ltn.
rewrite /upper_layers -[LHS]mulrA [_ * (_ * W 0%N ^+ 2)]mulrC split_first natrM.
by move: (U ^+ 2) => U2; rewrite -!mulrA; congr (_ * _); rewrite mulrA [LHS]mulrC.
Qed.

Lemma card_either l x i (k : nat) : (#|awake l x| <= k)%N -> (#|awake l (flip x i)| <= k)%N ->
  (#|either l x i| <= 2 * k)%N.
Proof. by move=> few few'; rewrite (leq_trans (leq_card_setU _ _)) // mul2n -addnn leq_add. Qed.

Lemma card_either_all l x i : (#|either l x i| <= width l.+1)%N.
Proof. by rewrite -[X in (_ <= X)%N]card_ord max_card. Qed.

Lemma first_weights_subset (A B : {set _}) i : A \subset B -> first_weights A i <= first_weights B i.
Proof.
move=> AB; rewrite [leRHS](big_setID A) /= (setIidPr AB) lerDl.
by apply: sumr_ge0 => j _; apply: sqr_ge0.
Qed.

Section Sparse.

Variable k : nat -> nat.

Let bad x := [exists l : 'I_D.+1, (k l < #|awake l x|)%N].

Theorem average_sensitivity_exceptions_layers :
  average_sensitivity h
  <= U ^+ 2 * (\prod_(l < D.+1) W l ^+ 2)
     * ((2 * k D * \prod_(l < D.+1) (2 * k l))%:R
        + 2%:R * probability R bad * (width D.+1 * \prod_(l < D.+1) width l.+1)%:R).
Proof.
rewrite mulrDr [X in _ <= _ + X]mulrCA.
rewrite -(upper_layers_first (fun l => 2 * k l)%N) -(upper_layers_first (fun l => width l.+1)).
apply: two_kinds => [||x i ok ok' | x i | x ok]; rewrite ?upper_layers_ge0 //.
- apply: edge_bound => l lD; rewrite negb_exists in ok; rewrite negb_exists in ok'.
  have few y : [forall l : 'I_D.+1, ~~ (k l < #|awake l y|)%N] -> (#|awake l y| <= k l)%N.
    by move=> /forallP/(_ (Ordinal (n := D.+1) (m := l) lD)); rewrite -leqNgt.
  by apply: card_either; apply: few.
- apply: le_trans (edge_bound (fun l _ => card_either_all l x i)) _.
  by rewrite ler_wpM2l ?upper_layers_ge0 // first_weights_subset ?subsetT.
by rewrite leqNgt; apply: contra ok => many; apply/existsP; exists ord0.
Qed.

Let m l := minn (2 * k l) (width l.+1).

Theorem average_sensitivity_layers_min : (forall l x, (l <= D)%N -> (#|awake l x| <= k l)%N) ->
  average_sensitivity h
  <= U ^+ 2 * (\prod_(l < D.+1) W l ^+ 2) * (m D * \prod_(l < D.+1) m l)%:R.
Proof.
move=> few; rewrite -(upper_layers_first m).
have edge x i : (h x - h (flip x i)) ^+ 2 / 4%:R <= upper_layers m * first_weights (either 0%N x i) i.
  by apply: edge_bound => l lD; rewrite leq_min card_either_all card_either ?few.
have [two | all] := leqP (2 * k 0%N) (width 1%N).
  have -> : m 0%N = (2 * k 0%N)%N by apply/minn_idPl.
  have := @two_kinds (upper_layers m) (upper_layers m) (k 0%N) pred0.
  rewrite /probability (_ : mean _ = 0) ?mulr0 ?mul0r ?addr0; last exact: mean_const.
  apply=> [||x i _ _ | x i | x _]; rewrite ?upper_layers_ge0 ?few //.
  apply: le_trans (edge x i) _.
  by rewrite ler_wpM2l ?upper_layers_ge0 // first_weights_subset ?subsetT.
have -> : m 0%N = width 1%N by apply/minn_idPr/ltnW.
apply: mean_le_const => x; apply: (@le_trans _ _ (\sum_i upper_layers m * first_weights setT i)).
  apply: ler_sum => i _; apply: le_trans (edge x i) _.
  by rewrite ler_wpM2l ?upper_layers_ge0 // first_weights_subset ?subsetT.
rewrite -mulr_sumr ler_wpM2l ?upper_layers_ge0 //.
by rewrite -[X in _ <= X%:R * _]card_ord -cardsT; apply: sum_first_weights.
Qed.

End Sparse.

End Layers.

(* The bound in two orders.                                                   *)
Lemma regroup (R : realFieldType) (D : nat) (U : R) (W : nat -> R) (q : nat -> nat) :
  U ^+ 2 * (q D)%:R * \prod_(l < D.+1) ((q l)%:R * W l ^+ 2)
  = U ^+ 2 * (\prod_(l < D.+1) W l ^+ 2) * (q D * \prod_(l < D.+1) q l)%:R.
Proof.
rewrite big_split natrM natr_prod /=; move: (U ^+ 2) => U2; rewrite -!mulrA; congr (_ * _).
by rewrite [RHS]mulrCA; congr (_ * _); apply: mulrC.
Qed.
