(* The rectifier, active sets, and what a network does when one coordinate    *)
(* changes: neuron j changes by at most |u_j w_ji| times the change of x_i,   *)
(* and not at all if it is active neither before nor after.                   *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Relu.

Variable R : realFieldType.

Lemma relu_pos (z : R) : 0 <= z -> relu z = z.
Proof. exact: max_l. Qed.

Lemma relu_neg (z : R) : z <= 0 -> relu z = 0.
Proof. exact: max_r. Qed.

Lemma relu_le (y z : R) : y <= z -> relu y <= relu z.
Proof. by move=> yz; rewrite ge_max !le_max yz lexx orbT. Qed.

Lemma relu_ge0 (z : R) : 0 <= relu z.
Proof. by rewrite le_max lexx orbT. Qed.

Lemma relu_Lipschitz (y z : R) : `|relu y - relu z| <= `|y - z|.
Proof.
wlog yz : y z / z <= y => [half|].
  by case/orP: (le_total z y) => /half //; rewrite distrC [leRHS]distrC.
rewrite !ger0_norm ?subr_ge0 ?relu_le //.
case: (leP 0 z) => [z0 | /ltW z0]; first by rewrite !relu_pos ?(le_trans z0).
by rewrite (relu_neg z0) subr0 ge_max lerDl oppr_ge0 z0 subr_ge0 yz.
Qed.

End Relu.

Section Network.

Variables (R : realFieldType) (I J : finType) (N : network R I J).
Implicit Types (x : cube I) (p q : I -> R) (i : I) (j : J) (A : {set J}).

(* ---- Values and active sets ---------------------------------------------- *)

Lemma inactive j p : j \notin active_at N p -> preactivation N j p <= 0.
Proof. by rewrite inE -leNgt. Qed.

Lemma value_active p :
  value_at N p = \sum_(j in active_at N p) outer N j * preactivation N j p.
Proof.
rewrite /value_at /value_with [RHS]big_mkcond; apply: eq_bigr => j _.
case: ifPn => [|/inactive/relu_neg->]; last by rewrite mulr0.
by rewrite inE => /ltW/relu_pos->.
Qed.

Lemma eq_preactivation j p q : p =1 q -> preactivation N j p = preactivation N j q.
Proof. by move=> pq; congr (_ - _); apply: eq_bigr => i _; rewrite pq. Qed.

Lemma eq_value_at p q : p =1 q -> value_at N p = value_at N q.
Proof. by move=> pq; apply: eq_bigr => j _; rewrite (eq_preactivation j pq). Qed.

Lemma eq_active_at p q : p =1 q -> active_at N p = active_at N q.
Proof. by move=> pq; apply/setP => j; rewrite !inE (eq_preactivation j pq). Qed.

(* ---- One coordinate changes ---------------------------------------------- *)

Lemma preactivation_change j p q i : (forall l, l != i -> p l = q l) ->
  preactivation N j p - preactivation N j q = weight N j i * (p i - q i).
Proof.
move=> pq; rewrite /preactivation opprB addrA subrK -sumrB (bigD1 i) //= big1.
  by rewrite addr0 mulrBr.
by move=> l /pq->; rewrite subrr.
Qed.

(* For any Lipschitz phi that vanishes on z <= 0, in place of the rectifier.  *)
Lemma value_with_change phi (L : R) p q i A :
    (forall y z, `|phi y - phi z| <= L * `|y - z|) -> (forall z, z <= 0 -> phi z = 0) ->
    (forall l, l != i -> p l = q l) -> active_at N p :|: active_at N q \subset A ->
  `|value_with phi N p - value_with phi N q|
    <= `|p i - q i| * \sum_(j in A) L * `|outer N j * weight N j i|.
Proof.
move=> phiL phi0 pq /subsetP RA; rewrite /value_with -sumrB mulr_sumr.
rewrite (bigID (mem A)) /= [X in _ + X]big1 ?addr0 => [|j]; last first.
  move/(contra (RA j)); rewrite !inE negb_or -!leNgt => /andP[/phi0-> /phi0->].
  by rewrite subrr.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
rewrite -mulrBr !normrM (mulrCA L) (mulrCA `|p i - q i|) ler_wpM2l //.
by rewrite (le_trans (phiL _ _)) // (preactivation_change j pq) normrM mulrA mulrC.
Qed.

Lemma value_change p q i A :
    (forall l, l != i -> p l = q l) -> active_at N p :|: active_at N q \subset A ->
  `|value_at N p - value_at N q| <= `|p i - q i| * \sum_(j in A) `|outer N j * weight N j i|.
Proof.
move=> pq RA; under [in leRHS]eq_bigr => j _ do rewrite -[`|_|]mul1r.
by apply: value_with_change => // [y z | z]; [rewrite mul1r relu_Lipschitz | apply: relu_neg].
Qed.

Lemma coord_flip_off x i l : l != i -> coord R x l = coord R (flip x i) l.
Proof. by rewrite coord_flip => /negPf->. Qed.

Lemma norm_coord_flip x i : `|coord R x i - coord R (flip x i) i| = 2%:R.
Proof. by rewrite coord_flip eqxx opprK -mulr2n normrMn norm_coord. Qed.

(* ---- Scales -------------------------------------------------------------- *)

(* Neuron j has the scale |u_j w_j|^2 = u_j^2 |w_j|^2.                        *)
Definition scale j : R := \sum_i `|outer N j * weight N j i| ^+ 2.

Lemma scaleE j : scale j = outer N j ^+ 2 * sqnorm (weight N j).
Proof.
by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite real_normK ?num_real // exprMn.
Qed.

Lemma scale_le W B j : scale_at_most W B N -> scale j <= W ^+ 2.
Proof. by case=> _ NW _; rewrite scaleE. Qed.

Lemma sum_scale_le W B A : scale_at_most W B N -> \sum_(j in A) scale j <= #|A|%:R * W ^+ 2.
Proof.
by move=> NW; rewrite mulr_natl -sumr_const; apply: ler_sum => j _; apply: scale_le NW.
Qed.

End Network.
