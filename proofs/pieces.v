(* Lemma 9 line by line: linear pieces, the two parts (U) and (V) of the      *)
(* average sensitivity, and how often the active set changes.                 *)

From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp.
From SparseNetworks Require Import compat definitions cube network average_sensitivity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Changes of an indicator: sum_i Pr[g(x) != g(x^(+i))] = 4 AS(g).            *)
Lemma flips_of_indicator (R : realFieldType) (I : finType) (g : cube I -> bool) :
  \sum_i probability R (fun x => g x != g (flip x i))
  = 4%:R * average_sensitivity (fun x => (g x)%:R).
Proof.
rewrite -mean_sum -meanZ; apply: eq_mean => x; rewrite mulr_sumr; apply: eq_bigr => i _.
rewrite mulrC divfK ?pnatr_eq0 //.
by case: (g x); case: (g _); rewrite ?subrr ?expr0n // ?subr0 ?sub0r ?sqrrN expr1n.
Qed.

(* For a non-decreasing indicator AS(g) = 1/2 E[g(x) sum_i x_i].             *)
Lemma monotone_indicator (R : realFieldType) (I : finType) (g : cube I -> bool) :
    (forall (x : cube I) i, x i -> g x -> g (flip x i)) ->
  average_sensitivity (fun x => (g x)%:R : R)
  = 2%:R^-1 * mean (fun x => (g x)%:R * \sum_i coord R x i).
Proof.
move=> mono; pose d x i : R := (g x)%:R - (g (flip x i))%:R.
have sqr_d x i : d x i ^+ 2 = d x i * coord R x i.
  have := mono x i; have := mono (flip x i) i; rewrite flipK /d /coord [flip x i i]ffunE eqxx addbT.
  case: (x i); case: (g x); case: (g _) => //= up down;
    rewrite ?subrr ?mul0r ?expr0n ?subr0 ?sub0r ?mulr1 ?expr1n ?sqrrN ?mulrNN ?expr1 ?mulr1 ?expr1n //.
  - by have := down isT isT.
  by have := up isT isT.
have pairs i : mean (fun x => (g x)%:R * coord R x i) = 2%:R^-1 * mean (fun x => d x i ^+ 2).
  have -> : mean (fun x => d x i ^+ 2)
      = mean (fun x => (g x)%:R * coord R x i) + mean (fun x => (g x)%:R * coord R x i).
    rewrite -[X in _ + X](mean_flip _ i) -meanD; apply: eq_mean => x.
    by rewrite sqr_d /d mulrBl coord_flip eqxx mulrN.
  by rewrite -mulr2n -[mean _ *+ 2]mulr_natl mulKf ?pnatr_eq0.
under [in RHS]eq_mean => x do rewrite mulr_sumr.
rewrite mean_sum mulr_sumr /average_sensitivity /sensitivity mean_sum; apply: eq_bigr => i _.
rewrite pairs mulrA -invfM -natrM -meanZ; apply: eq_mean => x; exact: mulrC.
Qed.

Section Pieces.

Variables (R : realFieldType) (I J : finType) (N : network R I J).
Implicit Types (x : cube I) (i : I) (j : J) (A : {set J}) (p : I -> R).

(* ---- Linear pieces ------------------------------------------------------- *)

Definition piece A p := \sum_i piece_weight N A i * p i - piece_bias N A.

Lemma pieceE A p : piece A p = \sum_(j in A) outer N j * preactivation N j p.
Proof.
rewrite /piece /piece_bias.
under eq_bigr => i _ do rewrite mulr_suml.
rewrite exchange_big -sumrB; apply: eq_bigr => j _.
by rewrite mulrBr mulr_sumr; congr (_ - _); apply: eq_bigr => i _; rewrite mulrA.
Qed.

Lemma value_piece p : value_at N p = piece (active_at N p) p.
Proof. by rewrite pieceE value_active. Qed.

(* A flip changes a linear function by 2 w_i x_i.                             *)
Lemma piece_flip A x i :
  (piece A (coord R x) - piece A (coord R (flip x i))) ^+ 2 / 4%:R = piece_weight N A i ^+ 2.
Proof.
have -> : piece A (coord R x) - piece A (coord R (flip x i))
          = piece_weight N A i * (coord R x i - coord R (flip x i) i).
  rewrite !pieceE -sumrB mulr_suml; apply: eq_bigr => j _.
  by rewrite -mulrBr (preactivation_change N j (@coord_flip_off R I x i)) mulrA.
rewrite exprMn -[X in _ * X / _]real_normK ?num_real // norm_coord_flip -four.
by rewrite mulfK ?pnatr_eq0.
Qed.

Lemma average_sensitivity_parts : average_sensitivity (value N) = part_U N + part_V N.
Proof.
rewrite /part_U /part_V -meanD; apply: eq_mean => x.
by rewrite /sensitivity (bigID (fun i => active N (flip x i) == active N x)).
Qed.

Lemma part_U_ge0 : 0 <= part_U N.
Proof.
rewrite /part_U divr_ge0 ?ler0n //; apply: sumr_ge0 => x _; apply: sumr_ge0 => i _.
by rewrite divr_ge0 ?sqr_ge0 ?ler0n.
Qed.

Theorem part_U_le_pieces : part_U N <= mean (fun x => sqnorm (piece_weight N (active N x))).
Proof.
apply: mean_le => x; rewrite [leRHS](bigID (fun i => active N (flip x i) == active N x)) /=.
rewrite ler_wpDr ?sumr_ge0 // => [i _|]; first exact: sqr_ge0.
apply: ler_sum => i /eqP same; rewrite /value !value_piece.
by rewrite -[active_at N (coord R (flip x i))]/(active N (flip x i)) same piece_flip.
Qed.

Theorem part_V_le_values : part_V N
  <= mean (fun x => \sum_(i | active N (flip x i) != active N x) value N x ^+ 2).
Proof.
pose b i x : R := (active N (flip x i) != active N x)%:R * value N x ^+ 2 / 2%:R.
have b_flip i x : b i (flip x i)
    = (active N (flip x i) != active N x)%:R * value N (flip x i) ^+ 2 / 2%:R.
  by rewrite /b flipK eq_sym.
have V_le : part_V N <= 2%:R * mean (fun x => \sum_i b i x).
  pose F x i := if active N (flip x i) != active N x
                then (value N x - value N (flip x i)) ^+ 2 / 4%:R else 0.
  have -> : part_V N = mean (fun x => \sum_i F x i) by apply: eq_mean => x; apply: big_mkcond.
  apply: mean_flips_le => x i; rewrite b_flip /F /b; case: eqP => _ /=.
    by rewrite !mul0r addr0.
  rewrite !mul1r -mulrDl four invfM expr2 mulrA ler_wpM2r ?invr_ge0 ?ler0n //.
  rewrite ler_pdivrMr ?ltr0n // [leRHS]mulrC -[value N (flip x i) ^+ 2]sqrrN.
  exact: sqr_add_le.
apply: le_trans V_le _; rewrite -meanZ; apply: mean_le => x; rewrite mulr_sumr.
rewrite [leRHS]big_mkcond; apply: ler_sum => i _; rewrite /b mulrC divfK ?pnatr_eq0 //.
by case: ifP => _; rewrite ?mul1r ?mul0r.
Qed.

(* ---- How often the active set changes ------------------------------------ *)

Theorem active_set_changes :
  \sum_i probability R (fun x => active N (flip x i) != active N x)
  <= 4%:R * \sum_j average_sensitivity (fun x => (j \in active N x)%:R : R).
Proof.
rewrite mulr_sumr; under [leRHS]eq_bigr => j _ do rewrite -flips_of_indicator.
rewrite exchange_big; apply: ler_sum => i _; rewrite -mean_sum.
apply: mean_le => x; rewrite -natr_sum ler_nat.
case: eqP => //= /eqP; rewrite eqEsubset negb_and => change.
have [j jx] : exists j, (j \in active N x) != (j \in active N (flip x i)).
  by case/orP: change => /subsetPn[j j1 j2]; exists j; rewrite j1 (negPf j2).
by rewrite (bigD1 j) //= jx.
Qed.

Section Sparse.

Variables (k : nat) (W B : R).
Hypotheses (sparseN : sparse k N) (scaleN : scale_at_most W B N).

Theorem activation_budget : \sum_j probability R (fun x => j \in active N x) <= k%:R.
Proof.
rewrite -mean_sum; apply: mean_le_const => x; rewrite -natr_sum ler_nat.
by rewrite -[leqLHS]big_mkcond sum1_card; apply: sparseN.
Qed.

Lemma piece_weight_le A : (#|A| <= k)%N -> sqnorm (piece_weight N A) <= (k%:R * W) ^+ 2.
Proof.
move=> Ak; rewrite exprMn.
apply: le_trans (sqr_effects_card (c := fun j i => `|outer N j * weight N j i|) _ Ak).
  by apply: ler_sum => i _; apply: ler_norm_sqr; apply: ler_norm_sum.
by move=> j; apply: scale_le scaleN.
Qed.

Lemma piece_bias_le A : 0 <= B -> (#|A| <= k)%N -> `|piece_bias N A| <= k%:R * B.
Proof.
case: scaleN => _ _ NB B_ge0 Ak; apply: le_trans (ler_norm_sum _ _ _) _.
apply: (@le_trans _ _ (#|A|%:R * B)); last by rewrite ler_wpM2r ?ler_nat.
by rewrite mulr_natl -sumr_const; apply: ler_sum => j _; rewrite normrM.
Qed.

End Sparse.

End Pieces.

(* ---- As the book states them --------------------------------------------- *)

Section Book.

Variables (R : realFieldType) (I : finType) (s k : nat) (W B : R) (N : network R I 'I_s).

Theorem decomposition : (1 <= s)%N -> in_class k W B N ->
  forall x, let w := piece_weight N (active N x) in let b := piece_bias N (active N x) in
    [/\ value N x = \sum_i w i * coord R x i - b,
        sqnorm w <= (k%:R * W) ^+ 2 & `|b| <= k%:R * B].
Proof.
case: s N => // s' N' _ [sparseN scaleN] x w b; split; first exact: value_piece.
  exact: (piece_weight_le scaleN (sparseN x)).
apply: (piece_bias_le scaleN _ (sparseN x)); case: scaleN => _ _ /(_ ord0 ord0).
by apply: le_trans; rewrite mulr_ge0.
Qed.

Theorem part_U_bounds : in_class k W B N ->
  part_U N <= mean (fun x => sqnorm (piece_weight N (active N x)))
  /\ mean (fun x => sqnorm (piece_weight N (active N x))) <= k%:R ^+ 2 * W ^+ 2.
Proof.
case=> sparseN scaleN; split; first exact: part_U_le_pieces.
by apply: mean_le_const => x; rewrite -exprMn (piece_weight_le scaleN (sparseN x)).
Qed.

End Book.

(* |w^A| <= |A| W and |b^A| <= |A| B for every set A of neurons.              *)
Theorem pieces_scale (R : realFieldType) (I : finType) (s : nat) (W B : R)
    (N : network R I 'I_s) (A : {set 'I_s}) : scale_at_most W B N ->
  sqnorm (piece_weight N A) <= (#|A|%:R * W) ^+ 2 /\ `|piece_bias N A| <= #|A|%:R * B.
Proof.
move=> scaleN; split; first exact: (piece_weight_le scaleN (leqnn _)).
have [->|[j _]] := set_0Vmem A; first by rewrite /piece_bias big_set0 normr0 cards0 mul0r.
apply: (piece_bias_le scaleN _ (leqnn _)); case: scaleN => _ _ /(_ j j).
by apply: le_trans; rewrite mulr_ge0.
Qed.

(* |<w, x>| <= |w| sqrt(n).                                                   *)
Theorem range (R : rcfType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s) :
    (1 <= s)%N -> in_class k W B N ->
  forall x, `|value N x| <= k%:R * W * Num.sqrt n%:R + k%:R * B.
Proof.
move=> s_gt0 classN x; have [valueE w_le b_le] := decomposition s_gt0 classN x.
have [_ [W_ge0 _ _]] := classN.
rewrite valueE (le_trans (ler_normB _ _)) // lerD //.
set w := piece_weight _ _ in w_le *.
rewrite -ler_sqr ?nnegrE ?mulr_ge0 ?ler0n ?sqrtr_ge0 //.
rewrite real_normK ?num_real // [leRHS]exprMn sqr_sqrtr ?ler0n //.
apply: le_trans (Cauchy_Schwarz xpredT w (coord R x)) _.
have -> : \sum_i coord R x i ^+ 2 = n%:R.
  under eq_bigr => i _ do rewrite expr2 coord_sqr.
  by rewrite sumr_const card_ord.
by rewrite ler_wpM2r ?ler0n.
Qed.

(* ---- Buckets ------------------------------------------------------------- *)

Theorem restriction (R : realFieldType) (n m s k : nat) (N : network R 'I_n 'I_s)
    (bucket : 'I_n -> 'I_m) (z : cube 'I_n) :
  let H := Network (outer N)
    (fun j e => \sum_(l | bucket l == e) weight N j l * coord R z l) (bias N) in
  let x (v : cube 'I_m) : cube 'I_n := [ffun l => z l (+) v (bucket l)] in
  (forall v, value N (x v) = value H v) /\ (sparse k N -> sparse k H).
Proof.
move=> H x; have pre j v : preactivation H j (coord R v) = preactivation N j (coord R (x v)).
  rewrite /preactivation /=; congr (_ - _); rewrite [RHS](partition_big bucket xpredT) //=.
  apply: eq_bigr => e _; rewrite mulr_suml; apply: eq_bigr => l /eqP <-.
  by rewrite /coord ffunE signr_addb mulrA.
split=> [v | sparseN v]; first by apply: eq_bigr => j _; rewrite pre.
by apply: leq_trans (sparseN (x v)); apply: eq_leq; apply: eq_card => j; rewrite !inE pre.
Qed.

(* |w'_j|^2 <= n |w_j|^2.                                                     *)
Theorem restriction_weight (R : realFieldType) (n m : nat) (w : 'I_n -> R)
    (bucket : 'I_n -> 'I_m) (z : cube 'I_n) :
  sqnorm (fun e => \sum_(l | bucket l == e) w l * coord R z l) <= n%:R * sqnorm w.
Proof.
rewrite /sqnorm [in leRHS](partition_big bucket xpredT) //= mulr_sumr; apply: ler_sum => e _.
pose A := [set l | bucket l == e].
have -> : \sum_(l | bucket l == e) w l * coord R z l = \sum_(l in A) w l * coord R z l.
  by apply: eq_bigl => l; rewrite inE.
apply: le_trans (sqr_sum_le A _) _; apply: (@le_trans _ _ (n%:R * \sum_(l in A) w l ^+ 2)).
  apply: ler_pM; first exact: ler0n.
  - by apply: sumr_ge0 => l _; apply: sqr_ge0.
  - by rewrite ler_nat (leq_trans (max_card _)) ?card_ord.
  by apply: ler_sum => l _; rewrite exprMn [coord _ _ _ ^+ 2]expr2 coord_sqr mulr1.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_ * _); apply: eq_bigl => l; rewrite inE.
Qed.

(* ---- Witnesses ----------------------------------------------------------- *)

(* relu(x + 2), always active.                                                *)
Theorem witness_E12 (R : realFieldType) : exists N : network R 'I_1 'I_1,
  [/\ in_class 1 1 2%:R N, part_U N = 1 & ~ (part_U N <= 1%:R ^+ 2 * 1 ^+ 2 / 4%:R)].
Proof.
pose N : network R 'I_1 'I_1 := Network (fun=> 1) (fun _ _ => 1) (fun=> - 2%:R).
have pre j x : preactivation N j (coord R x) = coord R x ord0 + 2%:R.
  by rewrite /preactivation big_ord1 /= mul1r opprK.
have pre_gt0 j x : 0 < preactivation N j (coord R x).
  rewrite pre -ltrBlDr sub0r; have := norm_coord R x ord0.
  move/eqP; rewrite eqr_norml => /andP[/orP[]/eqP-> _]; last by rewrite ltrN2 ltr1n.
  by rewrite (lt_trans _ ltr01) // oppr_lt0 ltr0n.
have activeT x : active N x = setT by apply/setP=> j; rewrite !inE pre_gt0.
have U1 : part_U N = 1.
  transitivity (mean (fun _ : cube 'I_1 => 1 : R)); last exact: mean_const.
  apply: eq_mean => x.
  under eq_bigl => i do rewrite !activeT eqxx.
  rewrite big_ord1 /value /value_at /value_with !big_ord1 /= !mul1r !relu_pos ?ltW //.
  rewrite !pre opprD addrACA subrr addr0 coord_flip eqxx opprK -mulr2n -mulr_natl exprMn.
  by rewrite [coord R x _ ^+ 2]coord_sqr mulr1 -four divff ?pnatr_eq0.
exists N; split=> //; first split.
- by move=> x; rewrite (leq_trans (max_card _)) ?card_ord.
- split=> [|j l | j l]; first exact: ler01; last by rewrite /= normr1 mul1r normrN normr_nat.
  by rewrite /sqnorm big_ord1 /= !expr1n mulr1.
rewrite U1 !expr1n mulr1 mul1r; apply/negP; rewrite -ltNge invf_lt1 ?ltr0n //.
by rewrite ltr1n.
Qed.

(* The dictator.                                                              *)
Theorem witness_E13 (R : realFieldType) : exists g : cube 'I_1 -> bool,
  \sum_i probability R (fun x => g x != g (flip x i))
  <> average_sensitivity (fun x => (g x)%:R : R).
Proof.
exists (fun x => x ord0); rewrite flips_of_indicator => /eqP.
have -> : average_sensitivity (fun x : cube 'I_1 => (x ord0)%:R) = 4%:R^-1 :> R.
  transitivity (mean (fun _ : cube 'I_1 => 4%:R^-1 : R)); last exact: mean_const.
  apply: eq_mean => x.
  rewrite /sensitivity big_ord1 ffunE eqxx addbT.
  by case: (x ord0); rewrite ?subr0 ?sub0r ?sqrrN expr1n mul1r.
by rewrite divff ?pnatr_eq0 // eq_sym invr_eq1 pnatr_eq1.
Qed.
