(* Several layers. With g the derivatives at p of h by the outputs of the     *)
(* neurons,                                                                   *)
(*   h(q) - h(p) = <g^0, q - p> + sum_l sum_j g^l_j |z^l_j(q)|,               *)
(* j over the neurons of layer l that are active at one of p and q only: the  *)
(* trapezoid rule, AS by gradients, and AS of convex networks follow.         *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat identities definitions cube network average_sensitivity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Layers.

Variables (R : realFieldType) (width : nat -> nat).
Variable w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R.
Variable b : forall l, 'I_(width l.+1) -> R.
Implicit Types (l : nat) (p q : 'I_(width 0%N) -> R).

Local Notation z l := (@layer_preactivation R width w b l).
Local Notation awake l := (layer_active w b l).
Local Notation switched l := (layer_changed w b l).

Lemma layerS l p j : layer w b (D := l.+1) p j = relu (z l p j).
Proof. by []. Qed.

Lemma switched_sym l p q : switched l p q = switched l q p.
Proof. exact: setUC. Qed.

(* relu(z(q)) - relu(z(p)) of one neuron.                                     *)
Lemma unit_change l p q j : relu (z l q j) - relu (z l p j)
  = (if j \in awake l p then z l q j - z l p j else 0)
    + (if j \in switched l p q then `|z l q j| else 0).
Proof.
rewrite !inE; case: (ltrP 0 (z l p j)) => zp; case: (ltrP 0 (z l q j)) => zq /=.
- by rewrite !relu_pos ?(ltW zp) ?(ltW zq) // addr0.
- by rewrite (relu_pos (ltW zp)) (relu_neg zq) ler0_norm // addrAC addrN.
- by rewrite (relu_neg zp) (relu_pos (ltW zq)) gtr0_norm // subr0 add0r.
by rewrite !relu_neg // subr0 addr0.
Qed.

Lemma preactivation_diff l p q j :
  z l q j - z l p j = \sum_i w j i * (layer w b q i - layer w b p i).
Proof.
rewrite /layer_preactivation opprB addrA subrK -sumrB.
by apply: eq_bigr => i _; rewrite mulrBr.
Qed.

Section Chain.

Variables (D : nat) (u : 'I_(width D) -> R) (p : 'I_(width 0%N) -> R).
Variable g : forall l, 'I_(width l) -> R.
Arguments g : clear implicits.
Hypothesis g_p : derivatives w b u p g.

Lemma chain_rule q l : (l <= D)%N ->
  \sum_j g l j * (layer w b q j - layer w b p j)
  = \sum_i g 0%N i * (q i - p i)
    + \sum_(m < l) \sum_(j in switched m p q) g m.+1 j * `|z m q j|.
Proof.
elim: l => [|l IH] lD; first by rewrite big_ord0 addr0.
rewrite big_ord_recr addrA -IH ?(ltnW lD) //.
under eq_bigr => j _ do rewrite !layerS unit_change mulrDr.
rewrite big_split /=; congr (_ + _); last first.
  by rewrite [RHS]big_mkcond; apply: eq_bigr => j _; case: ifP; rewrite ?mulr0.
under [RHS]eq_bigr => i _ do rewrite (g_p.2 l i lD) mulr_suml.
rewrite [RHS]exchange_big [RHS]big_mkcond /=; apply: eq_bigr => j _.
case: ifP => _; rewrite ?mulr0 // preactivation_diff mulr_sumr.
by apply: eq_bigr => i _; rewrite mulrA.
Qed.

(* The form of the head of this file.                                         *)
Lemma change_from q :
  \sum_j u j * layer w b q j - \sum_j u j * layer w b p j
  = \sum_i g 0%N i * (q i - p i)
    + \sum_(l < D) \sum_(j in switched l p q) g l.+1 j * `|z l q j|.
Proof.
rewrite -chain_rule // -sumrB; apply: eq_bigr => j _.
by rewrite g_p.1 mulrBr.
Qed.

End Chain.

Theorem trapezoid D (u : 'I_(width D) -> R) p q g g' :
    derivatives w b u p g -> derivatives w b u q g' ->
  \sum_j u j * layer w b p j - \sum_j u j * layer w b q j
  = 2%:R^-1 * (\sum_i (g 0%N i + g' 0%N i) * (p i - q i))
    + 2%:R^-1 * (\sum_(l < D) \sum_(j in switched l p q)
                   (g' l.+1 j * `|z l p j| - g l.+1 j * `|z l q j|)).
Proof.
move=> gp gq; rewrite -mulrDr; apply: (mulfI (x := 2%:R)); first by rewrite pnatr_eq0.
rewrite mulrA halfP mul1r mulr_natl mulr2n.
rewrite [X in X + _](change_from gq p) -[X in _ + X]opprB (change_from gp q) opprD addrACA.
congr (_ + _).
  by rewrite -sumrN -big_split; apply: eq_bigr => i _ /=; rewrite mulrDl addrC -mulrN opprB.
rewrite -sumrN -big_split; apply: eq_bigr => l _ /=.
rewrite switched_sym -sumrN -big_split /=.
by apply: eq_bigr => j _.
Qed.

(* A backward pass computes derivatives.                                      *)
Lemma derivatives_exist D (u : 'I_(width D) -> R) p : exists g, derivatives w b u p g.
Proof.
elim: D u => [|D IH] u.
  by exists (fun l => match l with 0%N => u | _.+1 => fun=> 0 end); split.
pose v i := \sum_(j in awake D p) u j * w j i.
have [g [gD g_l]] := IH v.
pose g' l : 'I_(width l) -> R :=
  if @eqP _ l D.+1 is ReflectT e then fun i => u (cast_ord (congr1 width e) i) else g l.
have g'D j : g' D.+1 j = u j.
  by rewrite /g'; case: eqP => // e; congr u; apply: val_inj.
have g'l l : (l <= D)%N -> g' l = g l by rewrite /g'; case: eqP => // e lD; case/negP: (ltnn D); rewrite -{1}e.
exists g'; split=> // l i; rewrite ltnS leq_eqVlt => /orP[/eqP l_D | lD].
  subst l; rewrite g'l // gD; apply: eq_bigr => j _; by rewrite g'D.
by rewrite g'l ?(ltnW lD) // g_l //; apply: eq_bigr => j _; rewrite g'l.
Qed.

End Layers.

(* ---- The average sensitivity of functions with slopes d ------------------- *)

Section Slopes.

Variables (R : realFieldType) (I : finType) (f : cube I -> R) (d e : cube I -> I -> R).
Implicit Types (x : cube I) (i : I).

Lemma sensitivity_split (t : R) : 0 < t ->
    (forall x i, `|f x - f (flip x i) - coord R x i * (d x i + d (flip x i) i)| <= e x i) ->
    (forall x i, e (flip x i) i = e x i) ->
  average_sensitivity f <= (1 + t) * mean (fun x => sqnorm (d x))
                           + (1 + t^-1) / 4%:R * mean (fun x => sqnorm (e x)).
Proof.
move=> t0 rest_le e_flip.
have t1 : 0 <= 1 + t by rewrite addr_ge0 ?ler01 ?ltW.
have t1V : 0 <= 1 + t^-1 by rewrite addr_ge0 ?ler01 ?invr_ge0 ?ltW.
pose a i x := 2%:R^-1 * ((1 + t) * d x i ^+ 2); pose r i x := 2%:R^-1 * ((1 + t^-1) / 4%:R * e x i ^+ 2).
apply: (@le_trans _ _ (2%:R * mean (fun x => \sum_i (a i x + r i x)))).
  apply: mean_flips_le => x i; rewrite addrACA {}/a {}/r e_flip.
  rewrite -[X in _ <= _ + X]mulrDl halves mul1r -mulrDr -mulrDr.
  have -> : f x - f (flip x i) = coord R x i * (d x i + d (flip x i) i)
      + (f x - f (flip x i) - coord R x i * (d x i + d (flip x i) i)) by rewrite [RHS]addrC subrK.
  rewrite ler_pdivrMr ?ltr0n // [leRHS]mulrDl; apply: le_trans (sqr_add_weighted _ _ t0) _.
  apply: lerD; last by rewrite mulrAC divfK ?pnatr_eq0 // ler_wpM2l // ler_norm_sqr.
  rewrite mulrAC [2%:R^-1 * 4%:R](_ : _ = 2%:R); last by rewrite (natrM R 2 2) mulKf ?pnatr_eq0.
  by rewrite [leRHS]mulrCA ler_wpM2l // exprMn expr2 coord_sqr mul1r sqr_add_le.
rewrite -!meanZ -meanD le_eqVlt; apply/orP; left; apply/eqP/eq_mean => x.
by rewrite big_split -!mulr_sumr mulrDr !mulVKf ?pnatr_eq0.
Qed.

Lemma rises_le_gradient :
  2%:R * mean (fun x => \sum_i Num.max 0 (coord R x i * d x i) ^+ 2) <= 2%:R * mean (fun x => sqnorm (d x)).
Proof.
rewrite ler_wpM2l ?ler0n //; apply: mean_le => x; apply: ler_sum => i _.
rewrite -[leRHS]mul1r -(coord_sqr R x i) -expr2 -exprMn.
by case: (leP 0 (coord R x i * d x i)) => [c0 // | _]; rewrite expr0n sqr_ge0.
Qed.

End Slopes.

(* A maximum of affine functions <a_l, x> - c_l, of which best x is one that  *)
(* attains it at x.                                                           *)
Lemma sensitivity_maximum (R : realFieldType) (I : finType) (K : Type) (a : K -> I -> R) (c : K -> R)
    (best : cube I -> K) :
  (forall x l, \sum_i a l i * coord R x i - c l <= \sum_i a (best x) i * coord R x i - c (best x)) ->
  average_sensitivity (fun x => \sum_i a (best x) i * coord R x i - c (best x))
  <= 2%:R * mean (fun x => \sum_i Num.max 0 (coord R x i * a (best x) i) ^+ 2).
Proof.
move=> best_max; apply: (sensitivity_one_sided (a := fun x i => coord R x i * a (best x) i)) => x i.
apply: le_trans (lerB (lexx _) (best_max (flip x i) (best x))) _.
rewrite opprB addrA subrK -sumrB (bigD1 i) //= big1 ?addr0 => [|m mi].
  by rewrite coord_flip eqxx mulrN opprK -mulr2n mulr_natl mulrC.
by rewrite (coord_flip_off R x mi) subrr.
Qed.

(* ---- Gradients of networks of several layers ------------------------------ *)

Section Gradients.

Variables (R : realFieldType) (width : nat -> nat) (D : nat).
Variable w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R.
Variable b : forall l, 'I_(width l.+1) -> R.
Variable u : 'I_(width D) -> R.
Variable g : cube 'I_(width 0%N) -> forall l, 'I_(width l) -> R.
Arguments g : clear implicits.
Hypothesis g_x : forall x, derivatives w b u (coord R x) (g x).
Implicit Types (x : cube 'I_(width 0%N)) (l : nat).

Local Notation z l x := (@layer_preactivation R width w b l (coord R x)).
Local Notation awake l x := (layer_active w b l (coord R x)).
Local Notation switched l x y := (layer_changed w b l (coord R x) (coord R y)).

Definition output x : R := \sum_j u j * layer w b (coord R x) j.

Definition switches x i : R :=
  let x' := flip x i in
  \sum_(l < D) \sum_(j in switched l x x')
    (`|g x' l.+1 j| * `|z l x j| + `|g x l.+1 j| * `|z l x' j|).

Lemma switches_flip x i : switches (flip x i) i = switches x i.
Proof.
rewrite /switches flipK; apply: eq_bigr => l _; rewrite switched_sym.
by apply: eq_bigr => j _; rewrite addrC.
Qed.

Theorem average_sensitivity_layers (t : R) : 0 < t ->
  average_sensitivity output
  <= (1 + t) * mean (fun x => sqnorm (g x 0%N))
     + (1 + t^-1) / 16%:R * mean (fun x => sqnorm (switches x)).
Proof.
move=> t0; pose e x i := 2%:R^-1 * switches x i.
have -> : (1 + t^-1) / 16%:R * mean (fun x => sqnorm (switches x))
    = (1 + t^-1) / 4%:R * mean (fun x => sqnorm (e x)).
  rewrite -[RHS]mulrA -[LHS]mulrA; congr (_ * _).
  rewrite -!meanZ; apply: eq_mean => x; rewrite /sqnorm !mulr_sumr.
  apply: eq_bigr => i _; rewrite /e exprMn [RHS]mulrA; congr (_ * _).
  by rewrite exprVn -four -invfM -natrM.
apply: sensitivity_split => // x i; last by rewrite /e switches_flip.
rewrite {1}/output [X in _ - X - _]/output (trapezoid (g_x x) (g_x (flip x i))).
rewrite [X in 2%:R^-1 * X + _](_ : _ = 2%:R * (coord R x i * (g x 0%N i + g (flip x i) 0%N i))).
  rewrite mulKf ?pnatr_eq0 // addrAC addrN add0r /e normrM ger0_norm ?invr_ge0 ?ler0n //.
  rewrite ler_wpM2l ?invr_ge0 ?ler0n //; apply: le_trans (ler_norm_sum _ _ _) _.
  apply: ler_sum => l _; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
  by apply: le_trans (ler_normB _ _) _; rewrite !normrM !normr_id.
rewrite (bigD1 i) //= big1 ?addr0 => [|m mi].
  rewrite coord_flip eqxx opprK -mulr2n -[coord R x i *+ 2]mulr_natl [LHS]mulrCA.
  by rewrite [_ * coord R x i]mulrC.
by rewrite (coord_flip_off R x mi) subrr mulr0.
Qed.

(* ---- Convex networks: u and all weights above the first layer are >= 0 ---- *)

Section Convex.

Hypothesis u_ge0 : forall j, 0 <= u j.
Hypothesis w_ge0 : forall l j i, (0 < l < D)%N -> 0 <= @w l j i.

Lemma derivatives_ge0 x l j : (0 < l <= D)%N -> 0 <= g x l j.
Proof.
case/andP=> l_gt0 lD; move: {2}(D - l)%N (erefl (D - l)%N) => d.
elim: d l l_gt0 lD j => [|d IH] l l_gt0 lD j Dl.
  have l_D : l = D by apply/eqP; rewrite eqn_leq lD -subn_eq0 Dl.
  by subst l; rewrite (g_x x).1.
have lD' : (l < D)%N by rewrite -subn_gt0 Dl.
rewrite (g_x x).2 // sumr_ge0 // => m _; rewrite mulr_ge0 //; last by rewrite w_ge0 ?l_gt0.
by apply: IH => //; rewrite subnS Dl.
Qed.

Lemma convex_fall x i : output x - output (flip x i) <= 2%:R * (coord R x i * g x 0%N i).
Proof.
have := change_from (g_x x) (coord R (flip x i)); rewrite -!/(output _) => change.
rewrite -opprB change opprD -[leRHS]addr0; apply: lerD.
  rewrite (bigD1 i) //= big1 ?addr0 => [|m mi]; last by rewrite (coord_flip_off R x mi) subrr mulr0.
  rewrite coord_flip eqxx -opprD mulrN opprK -mulr2n -[coord R x i *+ 2]mulr_natl mulrCA.
  by rewrite [g x 0%N i * _]mulrC.
rewrite oppr_le0 sumr_ge0 // => l _; rewrite sumr_ge0 // => j _.
by rewrite mulr_ge0 // derivatives_ge0 //= ltn_ord.
Qed.

Theorem average_sensitivity_convex :
  average_sensitivity output <= 2%:R * mean (fun x => \sum_i Num.max 0 (coord R x i * g x 0%N i) ^+ 2).
Proof. exact: sensitivity_one_sided convex_fall. Qed.

End Convex.

(* ---- |grad h|^2 <= U^2 k_D prod k_l W_l^2 --------------------------------- *)

Section GradientSize.

Variables (k : nat -> nat) (W : nat -> R) (U : R).
Hypothesis uU : forall j, `|u j| <= U.
Hypothesis wW : forall l j, (l < D)%N -> sqnorm (@w l j) <= W l ^+ 2.
Hypothesis few : forall l x, (l < D)%N -> (#|awake l x| <= k l)%N.

(* One step of the backward pass.                                             *)
Lemma backward_step x l : (l < D)%N ->
  sqnorm (g x l) <= (k l)%:R * W l ^+ 2 * \sum_(j in awake l x) g x l.+1 j ^+ 2.
Proof.
move=> lD; apply: (@le_trans _ _ (\sum_i (\sum_(j in awake l x) g x l.+1 j ^+ 2)
    * (\sum_(j in awake l x) w j i ^+ 2))).
  by apply: ler_sum => i _; rewrite (g_x x).2 //; apply: Cauchy_Schwarz.
rewrite -mulr_sumr mulrC ler_wpM2r ?sumr_ge0 // => [j _|]; first exact: sqr_ge0.
rewrite exchange_big; apply: (@le_trans _ _ (\sum_(j in awake l x) W l ^+ 2)).
  by apply: ler_sum => j _; apply: wW.
by rewrite sumr_const -[leLHS]mulr_natl ler_wpM2r ?sqr_ge0 // ler_nat few.
Qed.

(* From layer l+1 up, where k' = k_(l+1) and the k of the other layers.       *)
Lemma gradient_size x : (0 < D)%N ->
  sqnorm (g x 0%N) <= U ^+ 2 * (k D.-1)%:R * \prod_(l < D) ((k l)%:R * W l ^+ 2).
Proof.
move=> D_gt0; have kW_ge0 l : 0 <= (k l)%:R * W l ^+ 2 by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
have below d l : (l + d = D)%N -> (l < D)%N ->
    \sum_(j in awake l x) g x l.+1 j ^+ 2
    <= U ^+ 2 * (k D.-1)%:R * \prod_(l.+1 <= m < D) ((k m)%:R * W m ^+ 2).
  elim: d l => [|d IH] l ld lD; first by rewrite -ld addn0 ltnn in lD.
  have [l_last | l_small] := eqVneq l.+1 D.
    have -> : D.-1 = l by rewrite -l_last.
    rewrite big_geq ?l_last // mulr1; apply: (@le_trans _ _ (\sum_(j in awake l x) U ^+ 2)).
      apply: ler_sum => j _; have g_u (e : l.+1 = D) : `|g x l.+1 j| <= U.
        by move: j; rewrite e => j; rewrite (g_x x).1.
      exact/ler_norm_sqr/g_u.
    by rewrite sumr_const -[leLHS]mulr_natl mulrC ler_wpM2l ?sqr_ge0 // ler_nat few.
  have lD' : (l.+1 < D)%N by rewrite ltn_neqAle l_small lD.
  apply: (@le_trans _ _ (sqnorm (g x l.+1))).
    by rewrite [leRHS](bigID (mem (awake l x))) /= lerDl sumr_ge0 // => j _; apply: sqr_ge0.
  apply: le_trans (backward_step x lD') _; rewrite (big_ltn lD') [leRHS]mulrCA ler_wpM2l //.
  by apply: IH => //; rewrite addSnnS.
apply: le_trans (backward_step x D_gt0) _.
rewrite -(big_mkord xpredT (fun l => (k l)%:R * W l ^+ 2)) (big_ltn D_gt0) [leRHS]mulrCA.
by rewrite ler_wpM2l // (below D).
Qed.

End GradientSize.

End Gradients.

(* ---- With square roots ---------------------------------------------------- *)

Theorem average_sensitivity_layers_sqrt (R : rcfType) (width : nat -> nat) (D : nat)
    (w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R) (b : forall l, 'I_(width l.+1) -> R)
    (u : 'I_(width D) -> R) (g : cube 'I_(width 0%N) -> forall l, 'I_(width l) -> R) :
    (forall x, derivatives w b u (coord R x) (g x)) ->
  average_sensitivity (output w b u)
  <= (Num.sqrt (mean (fun x => sqnorm (g x 0%N)))
      + 4%:R^-1 * Num.sqrt (mean (fun x => sqnorm (switches D w b g x)))) ^+ 2.
Proof.
move=> g_x; have mean_ge0 (f : cube 'I_(width 0%N) -> 'I_(width 0%N) -> R) : 0 <= mean (fun x => sqnorm (f x)).
  rewrite divr_ge0 ?ler0n ?sumr_ge0 // => x _.
  by apply: sumr_ge0 => i _; apply: sqr_ge0.
have sixteen : 4%:R^-1 = Num.sqrt 16%:R^-1 :> R.
  rewrite -[16%:R^-1](_ : 4%:R^-1 ^+ 2 = _) ?sqrtr_sqr ?ger0_norm ?invr_ge0 ?ler0n //.
  by rewrite exprVn -natrX.
rewrite sixteen -sqrtrM ?invr_ge0 ?ler0n //; apply: weighted_sqrt => [||t t0].
- exact: mean_ge0.
- by rewrite mulr_ge0 ?invr_ge0 ?ler0n.
by rewrite [X in _ <= _ + X]mulrA; apply: average_sensitivity_layers.
Qed.
