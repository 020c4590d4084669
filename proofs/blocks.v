(* Parities on k disjoint sets of d+1 bits, added: one neuron of each is      *)
(* active, and the active rows are orthogonal. So AS = 4 k W^2, where k       *)
(* copies of one parity have 4 k^2 W^2.                                       *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier network sparse_networks.
From SparseNetworks Require Import addresses wider juntas gradient differences covariance suprema.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Orthogonal rows of norm at most W.                                         *)
Lemma orthogonal_rows (R : realFieldType) (I J : finType) (N : network R I J) (W B : R) (A : {set J})
    (a : J -> R) :
    scale_at_most W B N ->
    {in A &, forall j l, j != l -> \sum_i outer N j * weight N j i * (outer N l * weight N l i) = 0} ->
  \sum_i (\sum_(j in A) a j * (outer N j * weight N j i)) ^+ 2 <= W ^+ 2 * \sum_(j in A) a j ^+ 2.
Proof.
move=> scaleN orthogonal; under eq_bigr => i _ do rewrite expr2 big_distrlr.
rewrite exchange_big mulr_sumr; apply: ler_sum => j jA.
rewrite exchange_big (bigD1 j) //= [X in _ + X]big1 => [|l /andP[lA lj]].
  rewrite addr0 mulrC; apply: le_trans (ler_wpM2l (sqr_ge0 (a j)) (inner_self scaleN j)).
  rewrite mulr_sumr le_eqVlt; apply/orP; left; apply/eqP/eq_bigr => i _.
  by rewrite mulrACA expr2.
under eq_bigr => i _ do rewrite mulrACA.
by rewrite -mulr_sumr orthogonal ?mulr0 // eq_sym.
Qed.

(* ---- Networks side by side ----------------------------------------------- *)

Section Union.

Variables (R : realFieldType) (I K : finType) (J : K -> finType) (N : forall b, network R I (J b)).

Definition union : network R I {b : K & J b} :=
  Network (fun j => outer (N (tag j)) (tagged j)) (fun j => weight (N (tag j)) (tagged j))
          (fun j => bias (N (tag j)) (tagged j)).

Lemma value_union p : value_at union p = \sum_b value_at (N b) p.
Proof.
rewrite /value_at /value_with.
by rewrite (sig_big_dep xpredT (fun _ => xpredT) (fun b j => outer (N b) j * relu (preactivation (N b) j p))).
Qed.

Lemma card_active_union p : #|active_at union p| = (\sum_b #|active_at (N b) p|)%N.
Proof.
under eq_bigr => b _ do rewrite -sum1_card.
rewrite (sig_big_dep xpredT (fun b j => j \in active_at (N b) p) (fun _ _ => 1%N)) -sum1_card /=.
by apply: eq_bigl => j; rewrite !inE.
Qed.

End Union.

(* ---- Parities on disjoint sets ------------------------------------------- *)

Section Blocks.

Variables (R : realFieldType) (I K : finType) (P : K -> {set I}) (d : nat) (c : R).
Hypothesis disjoint : forall a b i, i \in P a -> i \in P b -> a = b.
Hypothesis card_P : forall b, #|P b| = d.+1.
Implicit Types (x : cube I) (b : K).

Let f b x := c * character R (P b) x.
Let two_gt0 : 0 < 2%:R :> R. Proof. exact: ltr0Sn. Qed.
Let two_le : 2%:R <= 2%:R * 1 :> R. Proof. by rewrite mulr1. Qed.
Let f_P b (x y : cube I) : {in P b, x =1 y} -> f b x = f b y.
Proof. by move=> xy; congr (_ * _); apply: eq_bigr => i /xy; rewrite /coord => ->. Qed.

Definition blocks := union (fun b => junta (P b) 1 2%:R (f b)).

Lemma value_blocks x : value blocks x = \sum_b 2%:R * c * character R (P b) x.
Proof.
rewrite /value value_union; apply: eq_bigr => b _.
by rewrite -/(value _ _) value_junta // ?mulrA //; apply: f_P.
Qed.

Lemma card_active_blocks x : #|active blocks x| = #|K|.
Proof.
rewrite /active card_active_union -sum1_card; apply: eq_bigr => b _.
by rewrite -/(active _ _) active_junta.
Qed.

Lemma scale_blocks W B : 0 <= W -> c ^+ 2 * d.+1%:R <= W ^+ 2 -> `|c| * `|d%:R - 1| <= B ->
  scale_at_most W B blocks.
Proof.
move=> W0 cW cB; have outer_c j : `|outer blocks j| = `|c| by rewrite /= normrM norm_character mulr1.
split=> // j l.
  by rewrite -real_normK ?num_real // outer_c real_normK ?num_real // sqnorm_junta card_P expr1n mul1r.
apply: le_trans cB; rewrite outer_c /= card_P mul1r -[d.+1]addn1 natrD mulr2n opprD addrA addrK.
exact: lexx.
Qed.

Lemma rows_blocks x : {in active blocks x &, forall j l, j != l ->
  forall i, weight blocks j i * weight blocks l i = 0}.
Proof.
move=> [a A] [b B]; rewrite !inE => act_A act_B jl i /=; rewrite !add0r.
case: ifP => iA; last by rewrite mul0r.
case: ifP => iB; last by rewrite mulr0.
case/negP: jl; have ab := disjoint iA iB; subst b.
have /card_le1_eqP one : (#|active (junta (P a) 1 2%:R (f a)) x| <= 1)%N by rewrite active_junta.
by rewrite (one A B) // inE.
Qed.

Lemma fourier_blocks T :
  fourier (fun x => \sum_b 2%:R * c * character R (P b) x) T = if T \in P @: setT then 2%:R * c else 0.
Proof.
have P_inj : injective P.
  move=> a b ab; have /card_gt0P[i ia] : (0 < #|P a|)%N by rewrite card_P.
  by apply: (disjoint ia); rewrite -ab.
move: T; apply: (fourier_unique (c := fun T => if T \in P @: setT then 2%:R * c else 0)) => x.
transitivity (\sum_(T in P @: setT) 2%:R * c * character R T x).
  by rewrite (big_imset _ (in2W P_inj)) /=; apply: eq_bigl => b; rewrite inE.
by rewrite big_mkcond; apply: eq_bigr => T _; case: ifP; rewrite ?mul0r.
Qed.

Lemma tail_blocks : tail (fun x => \sum_b 2%:R * c * character R (P b) x) d = 4%:R * #|K|%:R * c ^+ 2.
Proof.
rewrite /tail; under eq_bigr => T _ do rewrite fourier_blocks.
have P_inj : injective P.
  move=> a b ab; have /card_gt0P[i ia] : (0 < #|P a|)%N by rewrite card_P.
  by apply: (disjoint ia); rewrite -ab.
transitivity (\sum_(T in P @: setT) 4%:R * c ^+ 2).
  rewrite big_mkcond [RHS]big_mkcond; apply: eq_bigr => T _; case: imsetP => [[b _ ->]|_].
    by rewrite card_P ltnSn exprMn -four.
  by rewrite expr0n; case: ifP.
by rewrite sumr_const (card_imset _ P_inj) cardsT -[LHS]mulr_natl mulrCA mulrA.
Qed.

End Blocks.

(* ---- Among s neurons, on the first bits ---------------------------------- *)

Theorem blocks_exist (R : rcfType) (n s k d : nat) (W B : R) :
    (k * d.+1 <= n)%N -> (k * 2 ^ d.+1 <= s)%N -> 0 <= W -> W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B ->
  exists N : network R 'I_n 'I_s,
    [/\ in_class k W B N, forall x, #|active N x| = k,
        forall x (a : 'I_s -> R), \sum_i (\sum_(j in active N x) a j * (outer N j * weight N j i)) ^+ 2
                                  <= W ^+ 2 * \sum_(j in active N x) a j ^+ 2
      & tail (value N) d = 4%:R * k%:R * W ^+ 2 / d.+1%:R].
Proof.
move=> kn ks W0 WB; pose c := W / Num.sqrt d.+1%:R.
have c_sqr : c ^+ 2 = W ^+ 2 / d.+1%:R by rewrite exprMn exprVn sqr_sqrtr ?ler0n.
have c0 : 0 <= c by rewrite divr_ge0 ?sqrtr_ge0.
have B0 : 0 <= B by apply: le_trans WB; rewrite !mulr_ge0 ?invr_ge0 ?sqrtr_ge0.
have kn' : (#|{: 'I_k * 'I_d.+1}| <= n)%N by rewrite card_prod !card_ord.
pose bit b q : 'I_n := widen_ord kn' (enum_rank (b : 'I_k, q : 'I_d.+1)).
have bit_inj b b' q q' : bit b q = bit b' q' -> b = b' /\ q = q'.
  by move=> /(congr1 val) /= /ord_inj /enum_rank_inj[-> ->].
pose P b := [set bit b q | q : 'I_d.+1].
have card_P b : #|P b| = d.+1 by rewrite card_imset ?card_ord // => q q' /bit_inj[].
have disjoint a b i : i \in P a -> i \in P b -> a = b.
  by move=> /imsetP[q _ ->] /imsetP[q' _ /bit_inj[]].
have Js : (#|{: {b : 'I_k & entry (P b)}}| <= s)%N.
  rewrite card_tagged sumnE big_map big_enum /=.
  under eq_bigr => b _ do rewrite card_entry card_P.
  by rewrite sum_nat_const card_ord.
have scaleN : scale_at_most W B (wider s (blocks P c)).
  apply: scale_wider => //; apply: (scale_blocks card_P) => //.
    by rewrite c_sqr divfK ?pnatr_eq0.
  by rewrite (ger0_norm c0) /c mulrAC.
have sizeN x : #|active (wider s (blocks P c)) x| = k.
  by rewrite /active card_active_wider // -/(active _ _) card_active_blocks card_ord.
have valueN x : value (wider s (blocks P c)) x = \sum_b 2%:R * c * character R (P b) x.
  by rewrite /value value_wider // -/(value _ _) value_blocks.
exists (wider s (blocks P c)); split=> //.
- by split=> // x; rewrite sizeN.
- move=> x a; apply: (orthogonal_rows _ scaleN) => j l; rewrite !inE !preactivation_wider.
  case neuron_j: (neuron _ j) => [j'|]; last by rewrite /= ltxx.
  case neuron_l: (neuron _ l) => [l'|]; last by rewrite /= ltxx.
  move=> /= act_j act_l jl; apply: big1 => i _; rewrite /= neuron_j neuron_l /=.
  rewrite mulrACA (rows_blocks disjoint (x := x) (c := c)) ?mulr0 ?inE //.
  by apply: contra jl => /eqP jl; apply/eqP/(neuron_inj neuron_j); rewrite neuron_l jl.
by rewrite (eq_tail _ valueN) (tail_blocks c disjoint card_P) card_ord c_sqr mulrA.
Qed.

(* ---- Equality ------------------------------------------------------------ *)

Lemma tail_sensitivity (R : realFieldType) (I : finType) (f : cube I -> R) (a : R) d :
  tail f d = a / d.+1%:R -> a <= average_sensitivity f.
Proof. by have := tail_le_average_sensitivity f d => + E; rewrite E ler_pM2r ?invr_gt0 ?ltr0Sn. Qed.

Lemma tail_variances (R : realFieldType) (I : finType) (f : cube I -> R) (a : R) d : (1 <= d)%N ->
  tail f d = a / d.+1%:R -> a <= variances f.
Proof. by move=> /(tail_le_variances f) + E; rewrite E ler_pM2r ?invr_gt0 ?ltr0Sn. Qed.

(* A network whose G is at least 4 a, and whose sum of covariances at most a. *)
Lemma equal_covariance (R : realFieldType) (I J : finType) (N : network R I J) (a : R) :
  4%:R * a <= variances (value N) -> same_sign N <= a ->
  variances (value N) = 4%:R * same_sign N /\ same_sign N = a.
Proof.
move=> ge le; have above := variances_same_sign N.
have E : same_sign N = a.
  by apply/eqP; rewrite eq_le le -(ler_pM2l (_ : 0 < 4%:R)) ?ltr0n // (le_trans ge).
by split=> //; apply/eqP; rewrite eq_le above E.
Qed.

Section Equality.

Variables (R : rcfType) (n s k d : nat) (W B : R).
Hypotheses (W0 : 0 <= W) (WB : W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B).

Theorem blocks_sensitivity : (k * d.+1 <= n)%N -> (k * 2 ^ d.+1 <= s)%N ->
  exists N : network R 'I_n 'I_s,
    [/\ in_class k W B N, forall x, #|active N x| = k,
        forall x (a : 'I_s -> R), \sum_i (\sum_(j in active N x) a j * (outer N j * weight N j i)) ^+ 2
                                  <= W ^+ 2 * \sum_(j in active N x) a j ^+ 2
      & average_sensitivity (value N) = 4%:R * (k%:R * W ^+ 2)].
Proof.
move=> kn ks; have [N [classN sizeN norm_W tailN]] := blocks_exist kn ks W0 WB.
have ge : 4%:R * (k%:R * W ^+ 2) <= average_sensitivity (value N).
  by apply: (tail_sensitivity (d := d)); rewrite tailN mulrA.
exists N; split=> //; apply/eqP; rewrite eq_le ge andbT.
apply: le_trans (sensitivity_signs N) _; rewrite ler_wpM2l ?ler0n // mulrC.
by apply: squares_sparse norm_W; rewrite ?sqr_ge0 //; case: classN.
Qed.

Hypothesis d0 : (1 <= d)%N.

Theorem blocks_covariance : (k * d.+1 <= n)%N -> (k * 2 ^ d.+1 <= s)%N ->
  exists N : network R 'I_n 'I_s,
    [/\ in_class k W B N, forall x, #|active N x| = k,
        variances (value N) = 4%:R * same_sign N, same_sign N = k%:R * W ^+ 2
      & tail (value N) d = 4%:R * k%:R * W ^+ 2 / d.+1%:R].
Proof.
move=> kn ks; have [N [classN sizeN norm_W tailN]] := blocks_exist kn ks W0 WB.
have [|| G_N same_N] := @equal_covariance _ _ _ N (k%:R * W ^+ 2).
- by apply: (tail_variances d0); rewrite tailN [in RHS]mulrA.
- apply: le_trans (same_sign_squares N) _; rewrite mulrC.
  by apply: squares_sparse norm_W; rewrite ?sqr_ge0 //; case: classN.
by exists N.
Qed.

Theorem copies_covariance : (d.+1 <= n)%N -> (2 ^ d.+1 * k <= s)%N ->
  exists N : network R 'I_n 'I_s,
    [/\ in_class k W B N, variances (value N) = 4%:R * same_sign N
      & same_sign N = k%:R ^+ 2 * W ^+ 2].
Proof.
move=> dn ks; have [N [classN _ tailN]] := tail_supremum dn ks W0 WB.
have [|| G_N same_N] := @equal_covariance _ _ _ N (k%:R ^+ 2 * W ^+ 2).
- by apply: (tail_variances d0); rewrite tailN [in RHS]mulrA.
- case: classN => few scaleN; apply: le_trans (same_sign_square scaleN) _.
  by rewrite mulrC ler_wpM2r ?sqr_ge0 //; apply: square_activity_sparse.
by exists N.
Qed.

End Equality.
