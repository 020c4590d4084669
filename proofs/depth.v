(* Several layers: what the flip of one coordinate does to the outputs of a   *)
(* layer, in the mean, is at most 2 k W^2 times what it does to the layer     *)
(* below.                                                                     *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Layers.

Variables (R : realFieldType) (I : finType).
Implicit Types (x : cube I) (i : I).

(* The mean of the changes of a vector of functions, summed over the flips.   *)
Definition changes (J : finType) (y : cube I -> J -> R) : R :=
  mean (fun x => \sum_i \sum_j (y x j - y (flip x i) j) ^+ 2).

Section OneLayer.

Variables (J K : finType) (w : K -> J -> R) (b : K -> R) (k : nat) (W : R).
Hypotheses (W_le : forall l, sqnorm (w l) <= W ^+ 2).

Let pre (y : J -> R) l := \sum_j w l j * y j - b l.
Let awake (y : J -> R) := [set l | 0 < pre y l].
Hypothesis y : cube I -> J -> R.
Hypothesis sparse_y : forall x, (#|awake (y x)| <= k)%N.
Let out x l := relu (pre (y x) l).

Lemma relu_change (p p' : J -> R) l : (relu (pre p l) - relu (pre p' l)) ^+ 2
  <= if l \in awake p :|: awake p' then (\sum_j w l j * (p j - p' j)) ^+ 2 else 0.
Proof.
have preB : pre p l - pre p' l = \sum_j w l j * (p j - p' j).
  by rewrite /pre opprB addrA subrK -sumrB; apply: eq_bigr => j _; rewrite mulrBr.
rewrite !inE; case: ifPn => [_ | ]; last first.
  by rewrite negb_or -!leNgt => /andP[/relu_neg-> /relu_neg->]; rewrite subrr expr0n.
by rewrite -preB -(real_normK (num_real (_ - relu _))) -(real_normK (num_real (pre _ _ - _))) ler_sqr ?nnegrE ?relu_Lipschitz.
Qed.

Lemma changes_layer : changes out <= (2 * k)%:R * W ^+ 2 * changes y.
Proof.
rewrite -meanZ; apply: mean_le => x; rewrite mulr_sumr; apply: ler_sum => i _.
set x' := flip x i; set A := awake (y x) :|: awake (y x').
have cardA : (#|A| <= 2 * k)%N.
  by rewrite (leq_trans (leq_card_setU _ _)) // mul2n -addnn leq_add.
apply: (@le_trans _ _ (\sum_(l in A) W ^+ 2 * \sum_j (y x j - y x' j) ^+ 2)).
  rewrite [leRHS]big_mkcond; apply: ler_sum => l _; apply: le_trans (relu_change _ _ _) _.
  rewrite -/A; case: ifP => // _; apply: le_trans (Cauchy_Schwarz _ _ _) _.
  by apply: ler_wpM2r (W_le l); apply: sumr_ge0 => j _; apply: sqr_ge0.
rewrite sumr_const -[leLHS]mulr_natl mulrA; apply: ler_wpM2r.
  by apply: sumr_ge0 => j _; apply: sqr_ge0.
by apply: ler_wpM2r; rewrite ?sqr_ge0 ?ler_nat.
Qed.

End OneLayer.

(* The first layer, on the coordinates.                                       *)
Section FirstLayer.

Variables (K : finType) (w : K -> I -> R) (b : K -> R) (k : nat) (W : R).
Hypotheses (W_le : forall l, sqnorm (w l) <= W ^+ 2).
Let pre x l := \sum_i w l i * coord R x i - b l.
Let awake x := [set l | 0 < pre x l].
Hypothesis sparse_x : forall x, (#|awake x| <= k)%N.

Lemma changes_first : changes (fun x l => relu (pre x l)) <= 4%:R * ((2 * k)%:R * W ^+ 2).
Proof.
pose c x i := \sum_(l in awake x) w l i ^+ 2.
have le x i : \sum_l (relu (pre x l) - relu (pre (flip x i) l)) ^+ 2 <= 4%:R * (c x i + c (flip x i) i).
  rewrite /c mulrDr !mulr_sumr [X in _ <= X + _]big_mkcond [X in _ <= _ + X]big_mkcond -big_split.
  apply: ler_sum => l _ /=.
  apply: le_trans (relu_change w b (coord R x) (coord R (flip x i)) l) _.
  have -> : \sum_j w l j * (coord R x j - coord R (flip x i) j) = w l i * (2%:R * coord R x i).
    rewrite (bigD1 i) //= big1 ?addr0 => [|j ji]; last by rewrite coord_flip (negPf ji) subrr mulr0.
    by rewrite coord_flip eqxx opprK -mulr2n -[coord R x i *+ 2]mulr_natl.
  have -> : (w l i * (2%:R * coord R x i)) ^+ 2 = 4%:R * w l i ^+ 2.
    by rewrite !exprMn [coord R x i ^+ 2]coord_sqr mulr1 -four mulrC.
  have s0 : 0 <= 4%:R * w l i ^+ 2 by rewrite mulr_ge0 ?sqr_ge0 ?ler0n.
  rewrite in_setU -/(awake x) -/(awake (flip x i)); case: (l \in awake x); case: (l \in awake (flip x i)) => /=;
    by rewrite ?addr0 ?add0r // lerDl.
apply: (@le_trans _ _ (mean (fun x => \sum_i 4%:R * (c x i + c (flip x i) i)))).
  by apply: mean_le => x; apply: ler_sum => i _.
under eq_mean => x do rewrite -mulr_sumr big_split /=.
rewrite meanZ meanD ler_wpM2l ?ler0n //.
have -> : mean (fun x => \sum_i c (flip x i) i) = mean (fun x => \sum_i c x i).
  rewrite !mean_sum; apply: eq_bigr => i _; exact: (mean_flip (fun x => c x i)).
have -> : (2 * k)%:R * W ^+ 2 = k%:R * W ^+ 2 + k%:R * W ^+ 2 by rewrite -mulrDl -natrD mul2n -addnn.
suff le_k : mean (fun x => \sum_i c x i) <= k%:R * W ^+ 2 by apply: lerD.
apply: mean_le_const => x; rewrite exchange_big /=.
apply: (@le_trans _ _ (\sum_(l in awake x) W ^+ 2)); first by apply: ler_sum => l _; apply: W_le.
by rewrite sumr_const -[leLHS]mulr_natl ler_wpM2r ?sqr_ge0 // ler_nat.
Qed.

End FirstLayer.

End Layers.

(* ---- All layers, and the sum of the last --------------------------------- *)

Theorem average_sensitivity_depth (R : realFieldType) (width : nat -> nat) (D : nat)
    (w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R) (b : forall l, 'I_(width l.+1) -> R)
    (u : 'I_(width D.+1) -> R) (k : nat -> nat) (W : nat -> R) (U : R) :
  let y l x := layer w b (D := l) (coord R x) in
  (forall j, `|u j| <= U) ->
  (forall l j, (l <= D)%N -> sqnorm (w l j) <= W l ^+ 2) ->
  (forall l x, (l <= D)%N -> (#|[set j | (0 < \sum_i w l j i * y l x i - b l j)%R]| <= k l)%N) ->
  average_sensitivity (fun x => \sum_j u j * y D.+1 x j)
    <= U ^+ 2 * (2 * k D)%:R * \prod_(l < D.+1) ((2 * k l)%:R * W l ^+ 2).
Proof.
move=> y uU wW sparse_y.
have bound l : (l <= D)%N -> changes (y l.+1) <= 4%:R * \prod_(i < l.+1) ((2 * k i)%:R * W i ^+ 2).
  elim: l => [|l IH] lD.
    rewrite [leRHS](_ : _ = 4%:R * ((2 * k 0%N)%:R * W 0%N ^+ 2)); last by rewrite big_ord_recl big_ord0 [_ * 1]mulr1.
    apply: changes_first => [j | x]; [exact: wW | exact: sparse_y].
  apply: le_trans (changes_layer (fun j => wW _ j lD) (fun x => sparse_y _ x lD)) _.
  rewrite [in leRHS]big_ord_recr /= [leRHS]mulrA [leRHS]mulrC; apply: ler_wpM2l; last exact: IH (ltnW lD).
  by apply: mulr_ge0; rewrite ?ler0n ?sqr_ge0.
have c_ge0 : 0 <= U ^+ 2 * (2 * k D)%:R / 4%:R by apply: divr_ge0; rewrite ?ler0n //; apply: mulr_ge0; rewrite ?sqr_ge0 ?ler0n.
apply: (@le_trans _ _ (U ^+ 2 * (2 * k D)%:R / 4%:R * changes (y D.+1))); last first.
  apply: le_trans (ler_wpM2l c_ge0 (bound D (leqnn D))) _.
  by rewrite mulrA divfK ?pnatr_eq0.
rewrite -meanZ; apply: mean_le => x; rewrite mulr_sumr; apply: ler_sum => i _.
rewrite [leRHS]mulrAC ler_wpM2r ?invr_ge0 ?ler0n //; set x' := flip x i.
pose awake z := [set j | (0 < \sum_i w D j i * y D z i - b D j)%R].
pose A := awake x :|: awake x'.
have cardA : (#|A| <= 2 * k D)%N.
  by rewrite (leq_trans (leq_card_setU _ _)) // mul2n -addnn leq_add // sparse_y.
have -> : \sum_j u j * y D.+1 x j - \sum_j u j * y D.+1 x' j = \sum_(j in A) u j * (y D.+1 x j - y D.+1 x' j).
  rewrite -sumrB [RHS]big_mkcond; apply: eq_bigr => j _; rewrite -mulrBr; case: ifPn => //.
  by rewrite !inE negb_or -!leNgt => /andP[out out']; rewrite /y /= !relu_neg // subrr mulr0.
apply: le_trans (sqr_sum_le _ _) _; rewrite [U ^+ 2 * _]mulrC -mulrA.
apply: ler_pM; rewrite ?ler0n ?ler_nat //; first by apply: sumr_ge0 => j _; apply: sqr_ge0.
rewrite mulr_sumr [leLHS]big_mkcond; apply: ler_sum => j _; case: ifP => _.
  by rewrite exprMn; apply: ler_wpM2r; rewrite ?sqr_ge0 ?ler_norm_sqr.
by apply: mulr_ge0; apply: sqr_ge0.
Qed.
