(* The average sensitivity of sparse networks, with the rectifier, with other *)
(* Lipschitz units, and with gated units; and where sparsity has exceptions.  *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat identities definitions cube fourier network average_sensitivity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section SparseNetworks.

Variables (R : realFieldType) (I J : finType) (N : network R I J).
Variables (k : nat) (W B : R).
Implicit Types (x : cube I) (i : I) (A : {set J}).

Let effect j i := `|outer N j * weight N j i|.

Lemma effect_ge0 j i : 0 <= effect j i.
Proof. exact: normr_ge0. Qed.

Lemma network_change x i A : active N x :|: active N (flip x i) \subset A ->
  `|value N x - value N (flip x i)| <= 2%:R * \sum_(j in A) effect j i.
Proof.
by move=> RA; rewrite -(norm_coord_flip R x i); apply: value_change => // l /coord_flip_off.
Qed.

Definition weighted_activity : R :=
  mean (fun x => #|active N x|%:R * \sum_(j in active N x) outer N j ^+ 2 * sqnorm (weight N j)).
Definition square_activity : R := mean (fun x => #|active N x|%:R ^+ 2).

Theorem average_sensitivity_weighted :
  average_sensitivity (value N) <= 4%:R * weighted_activity.
Proof.
apply: le_trans (average_sensitivity_active effect_ge0 network_change) _.
rewrite ler_wpM2l ?ler0n //; apply: mean_le => x.
by rewrite ler_wpM2l ?ler0n //; apply: ler_sum => j _; rewrite -scaleE.
Qed.

Hypothesis scaleN : scale_at_most W B N.

Let size_le j : scale N j <= W ^+ 2.
Proof. exact: scale_le scaleN. Qed.

Theorem weighted_le_square : 4%:R * weighted_activity <= 4%:R * W ^+ 2 * square_activity.
Proof.
rewrite -mulrA ler_wpM2l ?ler0n // -meanZ; apply: mean_le => x.
rewrite [leRHS]mulrC expr2 -mulrA ler_wpM2l ?ler0n //.
by under eq_bigr => j _ do rewrite -scaleE; apply: sum_scale_le scaleN.
Qed.

Theorem average_sensitivity_square :
  average_sensitivity (value N) <= 4%:R * W ^+ 2 * square_activity.
Proof. exact: le_trans average_sensitivity_weighted weighted_le_square. Qed.

Theorem average_sensitivity_remark_11 :
  average_sensitivity (value N)
    <= (4%:R * k%:R ^+ 2 + 2%:R * probability R (fun x => k < #|active N x|)%N * #|J|%:R ^+ 2)
       * W ^+ 2.
Proof. exact (average_sensitivity_exceptions effect_ge0 network_change size_le k). Qed.

Theorem average_sensitivity_all : average_sensitivity (value N) <= #|J|%:R ^+ 2 * W ^+ 2.
Proof. exact (average_sensitivity_width network_change size_le). Qed.

(* E|R|^2 <= k^2 + eta |J|^2, eta = Pr[|R| > k].                              *)
Lemma square_activity_le : square_activity
  <= k%:R ^+ 2 + probability R (fun x => k < #|active N x|)%N * #|J|%:R ^+ 2.
Proof.
rewrite -[k%:R ^+ 2](mean_const I) mulrC -meanZ -meanD; apply: mean_le => x.
rewrite -!natrX -natrM -natrD ler_nat; case: ltnP => few; last first.
  by rewrite muln0 addn0 leq_exp2r.
by rewrite muln1 (leq_trans _ (leq_addl _ _)) // leq_exp2r // max_card.
Qed.

Hypothesis sparseN : sparse k N.

Theorem square_activity_sparse : square_activity <= k%:R ^+ 2.
Proof.
by apply: mean_le_const => x; rewrite -!natrX ler_nat leq_exp2r // sparseN.
Qed.

Theorem average_sensitivity_k : average_sensitivity (value N) <= 4%:R * k%:R ^+ 2 * W ^+ 2.
Proof. exact (average_sensitivity_sparse effect_ge0 network_change size_le sparseN). Qed.

Theorem average_sensitivity_min :
  average_sensitivity (value N) <= (minn (2 * k) #|J|)%:R ^+ 2 * W ^+ 2.
Proof.
rewrite /minn; case: ifP => _; last exact: average_sensitivity_all.
by apply: le_trans average_sensitivity_k _; rewrite natrM exprMn four.
Qed.

Theorem sparse_tail d : tail (value N) d <= 4%:R * k%:R ^+ 2 * W ^+ 2 / d.+1%:R.
Proof.
apply: le_trans (tail_le_average_sensitivity _ _) _.
by rewrite ler_pM2r ?invr_gt0 ?ltr0Sn // average_sensitivity_k.
Qed.

End SparseNetworks.

(* ---- Other units --------------------------------------------------------- *)

Section LipschitzUnits.

Variables (R : realFieldType) (I J : finType) (N : network R I J) (phi : R -> R).
Variables (k : nat) (W B L : R).
Hypotheses (phiL : forall y z, `|phi y - phi z| <= L * `|y - z|).
Hypotheses (phi0 : forall z, z <= 0 -> phi z = 0).
Hypotheses (sparseN : sparse k N) (scaleN : scale_at_most W B N).

Lemma Lipschitz_ge0 : 0 <= L.
Proof. by have := phiL 1 0; rewrite subr0 normr1 mulr1; apply: le_trans; apply: normr_ge0. Qed.

Theorem average_sensitivity_Lipschitz :
  average_sensitivity (fun x => value_with phi N (coord R x))
    <= 4%:R * k%:R ^+ 2 * L ^+ 2 * W ^+ 2.
Proof.
pose c j i := L * `|outer N j * weight N j i|.
rewrite -mulrA -exprMn; apply: (@average_sensitivity_sparse _ _ _ _ (active N) c _ _ (L * W)) => //.
- by move=> j i; rewrite mulr_ge0 ?Lipschitz_ge0.
- move=> x i A RA; rewrite -(norm_coord_flip R x i).
  by apply: value_with_change => // l /coord_flip_off.
move=> j; rewrite /c; under eq_bigr => i _ do rewrite exprMn.
rewrite -mulr_sumr exprMn ler_wpM2l ?sqr_ge0 //; exact: scale_le scaleN.
Qed.

End LipschitzUnits.

(* relu(<w_j,x> - b_j) (<v_j,x> - c_j), with values at most Z and Y.          *)
Section GatedUnits.

Variables (R : realFieldType) (I J : finType) (N M : network R I J).
Variables (k : nat) (U w v Y Z : R).
Hypotheses (sparseN : sparse k N) (w_ge0 : 0 <= w) (v_ge0 : 0 <= v) (Y_ge0 : 0 <= Y) (Z_ge0 : 0 <= Z).
Hypotheses (outer_le : forall j, `|outer N j| <= U).
Hypotheses (w_le : forall j, sqnorm (weight N j) <= w ^+ 2).
Hypotheses (v_le : forall j, sqnorm (weight M j) <= v ^+ 2).
Hypotheses (Y_le : forall j x, `|preactivation M j (coord R x)| <= Y).
Hypotheses (Z_le : forall j x, relu (preactivation N j (coord R x)) <= Z).

Let gated x := \sum_j outer N j *
  (relu (preactivation N j (coord R x)) * preactivation M j (coord R x)).
Let c j i := `|outer N j| * (Y * `|weight N j i| + Z * `|weight M j i|).

Lemma gated_unit_change j x i (x' := flip x i) :
  `|relu (preactivation N j (coord R x)) * preactivation M j (coord R x)
    - relu (preactivation N j (coord R x')) * preactivation M j (coord R x')|
  <= 2%:R * (Y * `|weight N j i| + Z * `|weight M j i|).
Proof.
set z := preactivation N j _; set z' := preactivation N j _.
set y := preactivation M j _; set y' := preactivation M j _.
have off l : l != i -> coord R x l = coord R x' l by apply: coord_flip_off.
have change (P : network R I J) : `|preactivation P j (coord R x) - preactivation P j (coord R x')|
    = 2%:R * `|weight P j i|.
  by rewrite (preactivation_change P j off) normrM norm_coord_flip mulrC.
have -> : relu z * y - relu z' * y' = (relu z - relu z') * y + relu z' * (y - y').
  exact: product_change.
apply: le_trans (ler_normD _ _) _; rewrite [leRHS]mulrDr !normrM; apply: lerD.
  rewrite mulrC mulrCA; apply: ler_pM => //; first exact: Y_le.
  by rewrite -change relu_Lipschitz.
rewrite mulrCA -change; apply: ler_pM => //.
by rewrite ger0_norm ?relu_ge0 //; apply: Z_le.
Qed.

Lemma sum_sqr_gated j : \sum_i c j i ^+ 2 <= (U * (Y * w + Z * v)) ^+ 2.
Proof.
have ler_sqr_pos (a b : R) : 0 <= a -> a <= b -> a ^+ 2 <= b ^+ 2.
  by move=> a0 ab; rewrite ler_sqr ?nnegrE ?(le_trans a0).
have U_ge0 : 0 <= U := le_trans (normr_ge0 _) (outer_le j).
rewrite exprMn; under eq_bigr => i _ do rewrite exprMn; rewrite -mulr_sumr.
apply: ler_pM; first exact: sqr_ge0; first by apply: sumr_ge0 => i _; apply: sqr_ge0.
  exact: ler_sqr_pos (normr_ge0 _) (outer_le j).
pose a i := `|weight N j i|; pose b i := `|weight M j i|.
have a2 : \sum_i a i ^+ 2 <= w ^+ 2.
  by rewrite (le_trans _ (w_le j)) // ler_sum // => i _; rewrite real_normK ?num_real.
have b2 : \sum_i b i ^+ 2 <= v ^+ 2.
  by rewrite (le_trans _ (v_le j)) // ler_sum // => i _; rewrite real_normK ?num_real.
have ab : \sum_i a i * b i <= w * v.
  rewrite -ler_sqr ?nnegrE ?mulr_ge0 ?sumr_ge0 // => [|i _]; last by apply: mulr_ge0; apply: normr_ge0.
  apply: le_trans (Cauchy_Schwarz _ _ _) _; rewrite exprMn.
  by apply: ler_pM => //; apply: sumr_ge0 => i _; apply: sqr_ge0.
have -> : \sum_i (Y * a i + Z * b i) ^+ 2
    = Y ^+ 2 * (\sum_i a i ^+ 2) + (Y * Z * (\sum_i a i * b i)) *+ 2 + Z ^+ 2 * (\sum_i b i ^+ 2).
  rewrite !mulr_sumr -sumrMnl -!big_split; apply: eq_bigr => i _ /=.
  by rewrite sqrrD (mulrACA Y) !exprMn.
by rewrite sqrrD (mulrACA Y) !exprMn !lerD ?ler_wpM2l ?sqr_ge0 ?mulr_ge0.
Qed.

Theorem average_sensitivity_gated :
  average_sensitivity gated <= 4%:R * k%:R ^+ 2 * U ^+ 2 * (Y * w + Z * v) ^+ 2.
Proof.
rewrite -mulrA -exprMn; apply: (@average_sensitivity_sparse _ _ _ _ (active N) c) => //.
- by move=> j i; rewrite mulr_ge0 // addr_ge0 ?mulr_ge0.
- move=> x i A /subsetP RA; rewrite /gated -sumrB mulr_sumr.
  rewrite (bigID (mem A)) /= [X in _ + X]big1 ?addr0 => [|j]; last first.
    move/(contra (RA j)); rewrite inE negb_or => /andP[/inactive/relu_neg-> /inactive/relu_neg->].
    by rewrite !mul0r subrr.
  apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
  by rewrite -mulrBr normrM mulrCA ler_wpM2l // gated_unit_change.
exact: sum_sqr_gated.
Qed.

End GatedUnits.

(* ---- As the book states them --------------------------------------------- *)

Section Book.

Variables (R : realFieldType) (I : finType) (s k : nat) (W B : R) (N : network R I 'I_s).

Theorem average_sensitivity_chain : in_class k W B N ->
  [/\ average_sensitivity (value N) <= 4%:R * weighted_activity N,
      4%:R * weighted_activity N <= 4%:R * W ^+ 2 * square_activity N,
      4%:R * W ^+ 2 * square_activity N <= 4%:R * k%:R ^+ 2 * W ^+ 2
    & average_sensitivity (value N) <= (minn (2 * k) s)%:R ^+ 2 * W ^+ 2].
Proof.
case=> sparseN scaleN; split; first exact: average_sensitivity_weighted.
- exact: weighted_le_square scaleN.
- rewrite [leRHS]mulrAC; apply: ler_wpM2l; last exact: square_activity_sparse sparseN.
  by apply: mulr_ge0; rewrite ?sqr_ge0 ?ler0n.
by have := average_sensitivity_min scaleN sparseN; rewrite card_ord.
Qed.

Theorem noise_chain (rho : R) : in_class k W B N -> -1 <= rho <= 1 ->
  noise_sensitivity rho (value N) <= (1 - rho) / 2%:R * average_sensitivity (value N)
  /\ (1 - rho) / 2%:R * average_sensitivity (value N) <= 2%:R * k%:R ^+ 2 * W ^+ 2 * (1 - rho).
Proof.
case=> sparseN scaleN range; split; first exact: noise_le_average_sensitivity.
rewrite mulrAC ler_pdivrMr ?ltr0n // mulrC [leRHS]mulrAC ler_wpM2r ?subr_ge0 //.
  by case/andP: range.
apply: le_trans (average_sensitivity_k scaleN sparseN) _.
by rewrite [leRHS]mulrC [leRHS]mulrA [2%:R * (_ * _)]mulrA -natrM.
Qed.

Theorem remark_11 : scale_at_most W B N ->
  let eta := probability R (fun x => k < #|active N x|)%N in
  [/\ average_sensitivity (value N) <= 4%:R * W ^+ 2 * square_activity N,
      4%:R * W ^+ 2 * square_activity N <= 4%:R * W ^+ 2 * (k%:R ^+ 2 + eta * s%:R ^+ 2)
    & average_sensitivity (value N)
      <= W ^+ 2 * Num.min (4%:R * k%:R ^+ 2 + 2%:R * eta * s%:R ^+ 2) (s%:R ^+ 2)].
Proof.
move=> scaleN eta; split; first exact: average_sensitivity_square scaleN.
  apply: ler_wpM2l; first by apply: mulr_ge0; rewrite ?sqr_ge0 ?ler0n.
  by have := square_activity_le N k; rewrite card_ord.
rewrite mulrC minr_pMl ?sqr_ge0 // le_min.
have := average_sensitivity_remark_11 k scaleN; have := average_sensitivity_all scaleN.
by rewrite card_ord => -> ->.
Qed.

End Book.

(* ---- With the factors that the paper prints ------------------------------- *)

Section Printed.

Variables (R : rcfType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s).
Hypotheses (classN : in_class k W B N) (ns : (2 <= n * s)%N).

Let log : R := (trunc_log 2 (n * s))%:R.

Let log_ge1 : 1 <= log.
Proof. by rewrite ler1n trunc_log_max. Qed.

Let k_le : k%:R ^+ 2 <= k%:R ^+ 4 :> R.
Proof. by rewrite -!natrX ler_nat; case: k => // k'; rewrite leq_pexp2l. Qed.

Let kW_le : k%:R ^+ 2 * W ^+ 2 <= k%:R ^+ 4 * W ^+ 2.
Proof. by rewrite ler_wpM2r ?sqr_ge0. Qed.

Theorem average_sensitivity_printed :
  average_sensitivity (value N) <= 4%:R * (k%:R ^+ 4 * W ^+ 2 * Num.sqrt n%:R * log).
Proof.
case: classN => sparseN scaleN; apply: le_trans (average_sensitivity_k scaleN sparseN) _.
have root1 : 1 <= Num.sqrt n%:R :> R.
  by rewrite -[X in X <= _]sqrtr1 ler_wsqrtr // ler1n; case: n ns.
have factors : 1 <= Num.sqrt n%:R * log by rewrite -[X in X <= _]mulr1; apply: ler_pM.
rewrite -mulrA ler_wpM2l ?ler0n // -[_ * Num.sqrt _ * _]mulrA; apply: le_trans kW_le _.
by rewrite ler_peMr // mulr_ge0 ?sqr_ge0 // exprn_ge0 ?ler0n.
Qed.

Theorem noise_printed (rho : R) : 0 <= rho < 1 ->
  noise_sensitivity rho (value N) <= Num.sqrt (1 - rho) * (2%:R * (k%:R ^+ 4 * W ^+ 2 * log ^+ 2)).
Proof.
move=> /andP[rho0 rho1]; have q0 : 0 <= 1 - rho by rewrite subr_ge0 ltW.
have range : -1 <= rho <= 1 by rewrite (ltW rho1) (le_trans _ rho0) // oppr_le0 ler01.
have [le1 le2] := noise_chain classN range; apply: le_trans le1 (le_trans le2 _).
have root_le1 : Num.sqrt (1 - rho) <= 1 by rewrite -[X in _ <= X]sqrtr1 ler_wsqrtr // lerBlDr lerDl.
rewrite [leLHS]mulrC; apply: ler_pM => //.
- by rewrite mulr_ge0 ?sqr_ge0 // mulr_ge0 ?ler0n ?sqr_ge0.
- by rewrite -[X in X <= _](sqr_sqrtr q0) expr2 ler_piMr ?sqrtr_ge0.
rewrite -mulrA ler_wpM2l ?ler0n //; apply: le_trans kW_le _.
have log2 : 1 <= log ^+ 2 by rewrite -[X in X <= _]mulr1 expr2; apply: ler_pM.
by rewrite ler_peMr // mulr_ge0 ?sqr_ge0 // exprn_ge0 ?ler0n.
Qed.

End Printed.
